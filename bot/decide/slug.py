"""Slug of a task: a readable name, made from a thread's first message.

`portal-fix-flyout-0219-1430-k7x2mq`: the first meaningful words, date and time (UTC) of the message, and a tag of the
thread's id. The tag distinguishes threads with the same words in the same minute. An address counts only where nothing
else is meaningful: by the end of its path.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from datetime import UTC, datetime

from bot.decide.retrieval.stopwords import STOP

LONGEST = 40
"""Maximum length of the words, in characters."""
WITHOUT_WORDS = "question"
"""Words of a message without any in Latin letters."""
_READ = 2_000
"""Maximum of characters of a message that are read."""
_TAG = 6
ENDING = len("-0219-1430-") + _TAG
"""Characters at the end of a slug that its thread alone decides."""

_REDACTED = r"\[redacted\]"
_ADDRESS = re.compile(r"https?://[^\s/?#<>()]+(?P<path>[^\s?#<>()]*)[^\s<>()]*", re.IGNORECASE)
_LABELS = ("link", "permalink", "url", "uri", "lien", "enlace", "tautan")
"""Labels of links that say nothing."""
_LABELLED = re.compile(rf"\b(?:{'|'.join(_LABELS)})\W*\((?=https?://)", re.IGNORECASE)
_NOISE = re.compile(
    rf"<[^<>\s]*>|(?-i:@[UW][A-Z0-9]+\b)|{_ADDRESS.pattern}|{_REDACTED}"
    r"|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]",
    re.IGNORECASE,
)
_SHORTEST = 3
"""Letters of the longest word in a part of an address, below which it says nothing."""
_PLACES = STOP | {"archives"}
"""Words of addresses that say nothing; `archives` is in each one of Slack's messages."""
_SEGMENTS = 2
"""Parts at the end of a path that are read."""
_WORD = re.compile(r"[a-z0-9]+")
_LETTERS = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфыэіґў", "abvgdeziiklmnoprstufyeigu", strict=True))
    | dict(zip("αβγδεζηικλμνοπρσςτυω", "avgdeziiklmnoprsstyo", strict=True))
    | {"ё": "e", "ж": "zh", "\u0445": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu"}
    | {"я": "ya", "є": "ye", "ї": "yi", "ξ": "x", "θ": "th", "φ": "f", "χ": "ch", "ψ": "ps"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "\u0131": "i", "þ": "th", "ħ": "h"}
    | {"'": "", "\u2019": ""}
)
"""Transliteration of Cyrillic, Greek, and special Latin letters; other scripts are left out."""


def slug(text: str, thread_id: str) -> str:
    """Return the slug of the task of `thread_id` (`<team>-<channel>-<ts>`); `text` is its first message, without
    secrets."""
    ts = thread_id.rpartition("-")[2]
    at = datetime.fromtimestamp(int(ts.partition(".")[0]), UTC)
    return f"{_choose_words(text)}-{at:%m%d-%H%M}-{tag(thread_id)}"


def tag(thread_id: str) -> str:
    """Return the end of every slug of this thread, by which its folder is found."""
    digest = hashlib.blake2b(thread_id.encode(), digest_size=8).digest()
    return base64.b32encode(digest).decode().lower()[:_TAG]


def _choose_words(text: str) -> str:
    """Return the first meaningful words that fit, else those of an address, else simply the first words."""
    read = _LABELLED.sub("(", text[:_READ])
    all_words = _WORD.findall(latin(_NOISE.sub(" ", read)))
    meant = [word for word in all_words if word not in STOP]
    first_word = next((place for place, word in enumerate(meant) if word not in _LABELS), 0)
    meant = meant[first_word:] or _read_address(read) or all_words
    words, room = "", LONGEST
    for word in meant:
        if words and len(words) + 1 + len(word) > room:
            break
        words = f"{words}-{word}" if words else word[:room]
    return words or WITHOUT_WORDS


def _read_address(text: str) -> list[str]:
    """Return the meaningful words at the end of the first address that has any."""
    for match in _ADDRESS.finditer(text):
        path = re.sub(_REDACTED, " ", match["path"], flags=re.IGNORECASE)
        segments = [_WORD.findall(latin(part)) for part in path.split("/")]
        telling = [words for words in segments if _is_telling(words)]
        if words := [word for own in telling[-_SEGMENTS:] for word in own if word not in _PLACES]:
            return words
    return []


def _is_telling(words: list[str]) -> bool:
    """Return whether a part of an address is made of words, and is no id."""
    is_spoken = any(len(word) >= _SHORTEST and word not in _PLACES for word in words)
    return is_spoken and all(map(str.isalpha, words))


def latin(text: str) -> str:
    """Return the text in lower case and in Latin letters without accents, as far as possible."""
    spelt = text.lower().translate(_LETTERS)
    plain = "".join(char for char in unicodedata.normalize("NFKD", spelt) if not unicodedata.combining(char))
    return plain.translate(_LETTERS).lower()
