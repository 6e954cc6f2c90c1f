"""Text cleaning: reduces a message to the words that its author typed, before classification.

Code, links, mentions and quoted lines become placeholders, so that a question mark in an address does not count and a
mark at the end remains there. Only both ends of a long text are read, since a request is at the beginning or the end.
The patterns are fixed and run on a bounded text, so `re` is safe here.
"""

from __future__ import annotations

import re

from bot.decide.letters import one_form

HEAD, TAIL = 1_500, 500
"""Number of characters read from the start and the end of a long message."""

CODE, LINK, NAME = "\x01", "\x02", "\x03"
"""Placeholders for code, a link and a mention."""

FAILED = "\x04"
"""Placeholder that follows that of code which shows a failure."""
LONGEST = 8_000
"""Maximum length of the result in characters, twice the length that the rules read."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LINK = re.compile(r"<?(?:https?|ftp)://[^\s>]+>?|\bwww\.[^\s>]+")
_NAME = re.compile(r"@[UW][A-Z0-9]{2,}")
_PROJECT = re.compile(r"(?<![\w./:-])project:[\w.-]+", re.IGNORECASE)
"""Project filter, which is not part of the question."""
_QUOTE = re.compile(r"^(?:>|&gt;).*$", re.MULTILINE)
_SHORTCODE = re.compile(r":[a-z0-9_+'-]+:")
_THANK_YOU = re.compile(r"\bthank\s*(?:you|u|ya)\b", re.IGNORECASE)
"""Thanks that address nobody."""
_FEAST = re.compile(r":(?:tada|mega|rocket|loudspeaker|confetti_ball):")
_MERRY = re.compile(
    r":(?:pizza|beers?|cake|birthday|coffee|cookie|ramen|taco|hamburger|sushi|wine_glass|clinking_glasses|champagne|balloon"
    r"|gift|heart|hearts|blue_heart|green_heart|heart_eyes|sunglasses|clap|raised_hands|partying_face|dancer|dancers|wave"
    r"|christmas_tree|santa|jack_o_lantern|snowflake|snowman|sunny|rainbow|fire|trophy|star2?|sparkles|dog|cat|palm_tree"
    r"|beach_with_umbrella|soccer|basketball|muscle|100|grin|smile|smiley|blush|stuck_out_tongue\w*|wink|parrot|party\w*):"
)
_LAUGH = re.compile(r":(?:joy|rofl|laughing|satisfied|rolling_on_the_floor_laughing):")

_FILE = re.compile(rf"^\[[\w ]+: [^\n]*\]$(?:\n[^\n]+(?=\n{CODE}))?", re.MULTILINE)
"""Line of an attached file in `models/contents`, and its title."""
_WORD = re.compile(r"[^\W_]")
_FAILURE = re.compile(
    r"error|exception|panic|fatal|firing|warn|denied|refused|timed? ?out|killed|unable|failed|closed|took \d+ ?m?s",
    re.IGNORECASE,
)
_CODE_SIGNS = frozenset(";{}=<>()[]|\\")
_MOST_SENTENCES = 20


def _sentences(text: str) -> list[str]:
    """Return the lines of pasted code that read like words or report a failure."""
    lines = (line.strip("` \t") for block in _CODE.findall(text) for line in block.split("\n"))
    return [line for line in lines if _FAILURE.search(line) or _reads_like_words(line)][:_MOST_SENTENCES]


def has_own_words(text: str) -> bool:
    """Return whether a text has its author's own words in addition to files and code."""
    return bool(_WORD.search(_FILE.sub("", _CODE.sub(CODE, text))))


def _reads_like_words(line: str) -> bool:
    return " " in line and _CODE_SIGNS.isdisjoint(line)


def _sign(block: re.Match[str]) -> str:
    """Return the placeholder of a piece of code, with that of a failure if a block shows one."""
    pasted = block[0]
    return CODE + FAILED if pasted.startswith("```") and _FAILURE.search(pasted) else CODE


def clean_text(text: str) -> str:
    """Clean a text: lower case, with a placeholder for each piece of pasted content."""
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
    return one_form(text).lower()[:LONGEST]  # normalisation may expand one character to eighteen
