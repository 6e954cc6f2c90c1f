"""Questions that a value answers."""

from __future__ import annotations

import pytest

from bot.decide.values.value_question import asks_for_value, lacks_amount


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


@pytest.mark.parametrize(
    ("question", "shown", "lacks"),
    [
        ("how long does a stop take?", "def stop(wait=False):\n    return wait", True),
        ("how long does a stop take?", "stop(STOP_TIMEOUT)", False),
        ("how many workers are there?", "Defaults to the number of CPUs.", False),
        ("how many files may a form have?", "There is no limit.", False),
        ("how long is a token kept?", "kept for three days", False),
        ("which port does it listen on?", "listen on the port of the server", True),
        ("what is the keep-alive timeout?", "fn keep_alive(&self) -> Option<Instant>", True),
        ("how often is it flushed?", "md5_of(sha256)", True),
        ("where is the timeout set?", "the timeout is set here", False),
        ("wie lange dauert ein Stopp?", "def stop():", True),
    ],
)
def test_lines_without_an_amount_answer_no_question_for_one(question: str, shown: str, lacks: bool) -> None:
    """A number, a word for one, a default or a constant is an amount; digits of a name are none."""
    assert lacks_amount(question, shown) is lacks
