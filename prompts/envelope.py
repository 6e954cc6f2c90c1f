"""Envelope: untrusted text between two marks that it cannot forge, so that a model can tell it from its instructions.

Used for all that an agent reads: messages, files, commits, knowledge, answers of MCP servers. It does not guarantee
that the model ignores the text; the model's permissions limit the damage if it does not.
"""

from __future__ import annotations

from bot.models.visible import clean

OPEN, CLOSE = "\u27e6", "\u27e7"
"""First and last character of a mark; in the text inside they are replaced, so nothing there looks like a mark."""

_PLAIN = str.maketrans({OPEN: "[[", CLOSE: "]]", "\r": " ", "\u2028": " ", "\u2029": " "})
LONGEST_LABEL = 200
"""Characters of each attribute in a mark."""


def envelope(text: str, *, nonce: str, source: str, **about: str) -> str:
    r"""Put `text` between marks that carry `nonce`, its source, and more attributes from `about`.

    `nonce` is random and new for each envelope. Invisible characters are removed, and only `\n` breaks a line.
    """
    attributes = "".join(f" {name}={_label(value)}" for name, value in {"source": source, **about}.items() if value)
    return f"{OPEN}untrusted {nonce}{attributes}{CLOSE}\n{plain(text)}\n{OPEN}end {nonce}{CLOSE}"


def plain(text: str) -> str:
    """Return a text as it is inside an envelope; a text that was inside one stays the same."""
    return clean(text).translate(_PLAIN)


def _label(value: str) -> str:
    """Quote an attribute of a mark, which may be untrusted too: one line, short."""
    flat = " ".join(clean(value).split()).replace(OPEN, "[[").replace(CLOSE, "]]").replace('"', "'")
    return f'"{flat[:LONGEST_LABEL]}"'
