"""What a person said in a message, without what was pasted: the first step of `decide/classify/classifier`.

Code, links, mentions and quoted lines become signs of their own, so that a question mark in an address asks nothing
and a mark at the end still stands at the end. Linear in the text, and of a long one only both ends are read: who asks
says so at the beginning or at the end. The patterns are fixed and run on a bounded text, so `re` is safe here.
"""

from __future__ import annotations

import re

from bot.decide.letters import one_form

HEAD, TAIL = 1_500, 500
"""Characters that are read of each end of a long message."""

CODE, LINK, NAME = "\x01", "\x02", "\x03"
"""What stands in the prose for code, for a link and for a mention."""

FAILED = "\x04"
"""Stands behind the sign of code that shows a failure."""
LONGEST = 8_000
"""Characters of what it gives, twice as many as rules read of a message."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LINK = re.compile(r"<?(?:https?|ftp)://[^\s>]+>?|\bwww\.[^\s>]+")
_NAME = re.compile(r"@[UW][A-Z0-9]{2,}")
_PROJECT = re.compile(r"(?<![\w./:-])project:[\w.-]+", re.IGNORECASE)
"""Says where to look, and nothing of what is asked."""
_QUOTE = re.compile(r"^(?:>|&gt;).*$", re.MULTILINE)
_SHORTCODE = re.compile(r":[a-z0-9_+'-]+:")
_THANK_YOU = re.compile(r"\bthank\s*(?:you|u|ya)\b", re.IGNORECASE)
"""Speaks to nobody."""
_FEAST = re.compile(r":(?:tada|mega|rocket|loudspeaker|confetti_ball):")
_MERRY = re.compile(
    r":(?:pizza|beers?|cake|birthday|coffee|cookie|ramen|taco|hamburger|sushi|wine_glass|clinking_glasses|champagne|balloon"
    r"|gift|heart|hearts|blue_heart|green_heart|heart_eyes|sunglasses|clap|raised_hands|partying_face|dancer|dancers|wave"
    r"|christmas_tree|santa|jack_o_lantern|snowflake|snowman|sunny|rainbow|fire|trophy|star2?|sparkles|dog|cat|palm_tree"
    r"|beach_with_umbrella|soccer|basketball|muscle|100|grin|smile|smiley|blush|stuck_out_tongue\w*|wink|parrot|party\w*):"
)
_LAUGH = re.compile(r":(?:joy|rofl|laughing|satisfied|rolling_on_the_floor_laughing):")

_FILE = re.compile(rf"^\[[\w ]+: [^\n]*\]$(?:\n[^\n]+(?=\n{CODE}))?", re.MULTILINE)
"""The line of a file in `models/contents`, and its title."""
_WORD = re.compile(r"[^\W_]")
_FAILURE = re.compile(
    r"error|exception|panic|fatal|firing|warn|denied|refused|timed? ?out|killed|unable|failed|closed|took \d+ ?m?s",
    re.IGNORECASE,
)
_CODE_SIGNS = frozenset(";{}=<>()[]|\\")
_MOST_SENTENCES = 20


def _sentences(text: str) -> list[str]:
    """The lines of what was pasted, without a word beside it, that read like words or tell of a failure."""
    lines = (line.strip("` \t") for block in _CODE.findall(text) for line in block.split("\n"))
    return [line for line in lines if _FAILURE.search(line) or _reads_like_words(line)][:_MOST_SENTENCES]


def is_said(text: str) -> bool:
    """Return whether a text holds words of its author beside files and code."""
    return bool(_WORD.search(_FILE.sub("", _CODE.sub(CODE, text))))


def _reads_like_words(line: str) -> bool:
    return " " in line and _CODE_SIGNS.isdisjoint(line)


def _sign(block: re.Match[str]) -> str:
    """The sign of a piece of code, and of a failure that a block of it shows."""
    pasted = block[0]
    return CODE + FAILED if pasted.startswith("```") and _FAILURE.search(pasted) else CODE


def prose(text: str) -> str:
    """The text in lower case, with what was pasted replaced by one sign each."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    if "`" in text:
        left = _CODE.sub(_sign, text)
        if not _WORD.search(_FILE.sub("", left)):
            left = "\n".join((left, *_sentences(text)))
        text = left
    colons = text.count(":")
    if (colons and "://" in text) or "www." in text:
        text = _LINK.sub(LINK, text)
    if "@" in text:
        text = _NAME.sub(NAME, text)
    if colons:
        text = _PROJECT.sub(" ", text) if "project:" in text.lower() else text
    if ">" in text or "&gt;" in text:
        text = _QUOTE.sub("", text)
    if colons > 1 and text.count(":") > 1:
        text = _FEAST.sub("\U0001f389", _LAUGH.sub("\U0001f602", _MERRY.sub("\U0001f60e", text)))
        text = _SHORTCODE.sub(" ", text)
    if "hank" in text:
        text = _THANK_YOU.sub("thanks", text)
    return one_form(text).lower()[:LONGEST]  # one sign may be written with eighteen letters
