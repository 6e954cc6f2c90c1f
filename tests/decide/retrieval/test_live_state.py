"""Questions of how things are at the moment."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.live_state import asks_live_state


@pytest.mark.parametrize(
    "question",
    [
        "anyone else seeing 502s right now?",
        "is staging down?",
        "are feed refreshes delayed at the moment?",
        "is the build broken for everyone since this morning?",
        "who is on call this week?",
        "when is the next release planned?",
        "did the nightly import finish?",
        "can somebody restart nsqd on prod-3?",
        "is search slow for you guys as well",
        "ist der Build gerade kaputt?",
        "¿alguien más ve errores 502?",
        "mais alguém com erro 502?",
        "quelqu'un d'autre a des 502 ?",
        "今サーバーが落ちていますか",
    ],
)
def test_the_present_is_asked_for(question: str) -> None:
    """Which no file tells."""
    assert asks_live_state(question)


@pytest.mark.parametrize(
    "question",
    [
        "is the connection pool kept up to date when a host goes down?",
        "which port does it currently use by default?",
        "when is a message requeued?",
        "payments are stuck, what now?",
        "is the worker restarted when it times out?",
        "does anyone have an example for middleware?",
        "will somebody else get that piece of work, and when?",
        "is view caching on in production?",
        "can you get the url param inside a handler?",
        "who may approve a draft?",
        "wann wird die Verbindung geschlossen?",
    ],
)
def test_a_question_of_behaviour_is_none_of_the_present(question: str) -> None:
    """Words such as *currently*, *down* and *when* ask of the code as well."""
    assert not asks_live_state(question)
