"""Questions that a value answers."""

from __future__ import annotations

import pytest

from bot.decide.value_question import asks_for_value


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("what is the default of retry_limit?", True),
        ("how long may a draft wait", True),
        ("which port does the server listen on?", True),
        ("which python version do we need", True),
        ("what's the upper limit for uploads", True),
        ("Wie viele Anfragen laufen gleichzeitig?", True),
        ("¿cuántos reintentos hay por defecto?", True),
        ("quel est le délai par défaut ?", True),
        ("デフォルトのタイムアウトは何秒ですか？", True),
        ("where is the retry limit checked?", False),
        ("how do I mute a thread?", False),
        ("wo wird das geprüft?", False),
        ("why was my draft bounced", False),
    ],
)
def test_a_value_is_asked_for_in_many_ways(question: str, asks: bool) -> None:
    """In the languages that people ask in."""
    assert asks_for_value(question) is asks
