"""Index keys of words, and their cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.retrieval import word_keys

if TYPE_CHECKING:
    import pytest


def test_the_cache_of_keys_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys stay the same after it was cleared."""
    monkeypatch.setattr(word_keys, "_MOST_KNOWN", 2)
    monkeypatch.setattr(word_keys, "_keys_by_token", cache := dict[str, tuple[str, ...]]())
    tokens = ("retries", "limits", "MAX_AGE", "retries")
    assert [word_keys.keys_of_token(token) for token in tokens] == [
        ("retry",),
        ("limit",),
        ("max", "age", '"max_age'),
        ("retry",),
    ]
    assert len(cache) <= 2
