"""Envelopes: text of others between two marks that it cannot write itself, so that a model can tell it from its orders.

Called through `tools/guard` for all that an agent reads: messages, files, commits, knowledge, answers of MCP servers.
That the model then leaves the text alone is not promised by this: what it could do if it did not is what is bounded.
"""

from __future__ import annotations

from bot.models.visible import clean

OPEN, CLOSE = "\u27e6", "\u27e7"
"""What a mark starts and ends with; in the text inside they are replaced, so nothing there looks like a mark."""

_PLAIN = str.maketrans({OPEN: "[[", CLOSE: "]]", "\r": " ", "\u2028": " ", "\u2029": " "})
LONGEST_LABEL = 200
"""Characters of each word that a mark says about its text."""


def envelope(text: str, *, nonce: str, source: str, **about: str) -> str:
    r"""`text` between marks that carry `nonce`, where it comes from, and more `about` it.

    `nonce` is random and new for each envelope. Invisible characters are taken out, and only `\n` breaks a line.
    """
    said = "".join(f" {name}={_label(value)}" for name, value in {"source": source, **about}.items() if value)
    inside = clean(text).translate(_PLAIN)
    return f"{OPEN}untrusted {nonce}{said}{CLOSE}\n{inside}\n{OPEN}end {nonce}{CLOSE}"


def _label(value: str) -> str:
    """A word of a mark, which may be of others too: one line, quoted, short."""
    flat = " ".join(clean(value).split()).replace(OPEN, "[[").replace(CLOSE, "]]").replace('"', "'")
    return f'"{flat[:LONGEST_LABEL]}"'
