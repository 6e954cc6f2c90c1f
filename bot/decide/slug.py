"""The slug of a task: a name for people, made from a thread's first message.

`portal-fix-flyout-0219-1430-k7x2mq`: the first meaningful words, month and day, hour and minute (UTC) at which the
message was written, and a tag of the thread's id. The tag keeps two threads apart that begin with the same words in the
same minute, and a document that is made anew finds its folder: nothing but the message decides.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from datetime import UTC, datetime

from bot.decide.retrieval.stopwords import STOP

LONGEST = 40
"""Characters of the words."""
WITHOUT_WORDS = "question"
"""In their place where the message has none that can be written in Latin letters."""
_READ = 2_000
"""Characters of a message that are looked at."""
_TAG = 6

_NOISE = re.compile(
    r"<[^<>\s]*>|(?-i:@[UW][A-Z0-9]+\b)|https?://\S+|\[redacted\]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9]+")
_LETTERS = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфыэіґў", "abvgdeziiklmnoprstufyeigu", strict=True))
    | dict(zip("αβγδεζηικλμνοπρσςτυω", "avgdeziiklmnoprsstyo", strict=True))
    | {"ё": "e", "ж": "zh", "\u0445": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu"}
    | {"я": "ya", "є": "ye", "ї": "yi", "ξ": "x", "θ": "th", "φ": "f", "χ": "ch", "ψ": "ps"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "\u0131": "i", "þ": "th", "ħ": "h"}
    | {"'": "", "\u2019": ""}
)
"""Cyrillic, Greek, and Latin letters that are no letter with an accent; other scripts are left out."""


def slug(text: str, thread_id: str) -> str:
    """The slug of the task of `thread_id` (`<team>-<channel>-<ts>`), whose first message is `text`, without secrets."""
    ts = thread_id.rpartition("-")[2]
    at = datetime.fromtimestamp(int(ts.partition(".")[0]), UTC)
    return f"{_words(text)}-{at:%m%d-%H%M}-{tag(thread_id)}"


def tag(thread_id: str) -> str:
    """The end of every slug of this thread, by which it is found again."""
    digest = hashlib.blake2b(thread_id.encode(), digest_size=8).digest()
    return base64.b32encode(digest).decode().lower()[:_TAG]


def _words(text: str) -> str:
    """The first words that say something, as many as have room; all of them count where none does."""
    found = _WORD.findall(latin(_NOISE.sub(" ", text[:_READ])))
    meant = [word for word in found if word not in STOP] or found
    words, room = "", LONGEST
    for word in meant:
        if words and len(words) + 1 + len(word) > room:
            break
        words = f"{words}-{word}" if words else word[:room]
    return words or WITHOUT_WORDS


def latin(text: str) -> str:
    """The text in lower case and Latin letters without accents, as far as they can be told; others stay."""
    spelt = text.lower().translate(_LETTERS)
    plain = "".join(char for char in unicodedata.normalize("NFKD", spelt) if not unicodedata.combining(char))
    return plain.translate(_LETTERS).lower()
