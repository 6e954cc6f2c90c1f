"""Mute requests: messages that only ask the bot to be silent, by words of the settings and the language packs. Pure.

The word must be the whole message: "should we !mute this?" is a question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.classify.language_packs import load, normalise_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BOT = "@bot"
"""Placeholder for a mention of the bot in a word."""

_ENDINGS = " .!\u2026\u3002\uff01"
"""Full stops and exclamation marks, also the Japanese ones."""
_LONGEST = 200


def load_mute_words(own: Iterable[str], languages: Sequence[str]) -> frozenset[str]:
    """Return the words of the settings and of the language packs, normalised for comparison."""
    packs = (word for pack in load(languages) for word in pack.words["hush"])
    return frozenset(_strip_endings(word) for word in (*own, *packs)) - {""}


def is_mute_request(content: str, words: frozenset[str], *, bot_id: str) -> bool:
    """Return whether the message is one of `words`, in any case and spacing, with or without a full stop."""
    return len(content) <= _LONGEST and _strip_endings(content.replace(f"@{bot_id}", BOT)) in words


def _strip_endings(text: str) -> str:
    return " ".join(normalise_word(text).split()).rstrip(_ENDINGS)
