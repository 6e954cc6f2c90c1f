"""Questions of use, and questions of the code."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.requested_kinds import asks_for_document
from bot.decide.retrieval.user_question import asks_a_manual


@pytest.mark.parametrize(
    ("question", "manual"),
    [
        ("how do I install it?", True),
        ("who may approve a draft", True),
        ("do we need an API key?", True),
        ("where does it keep its data", True),
        ("is there a way to try it out?", True),
        ("Wie kann ich das abschalten?", True),
        ("¿puedo usarlo sin cuenta?", True),
        ("comment puis-je l'installer ?", True),
        ("how do I test it on our own history?", True),
        ("which tests cover the upload?", False),
        ("where is the retry limit checked", False),
        ("which function writes the journal?", False),
        ("how is the delay computed when a call fails?", False),
        ("lunch at noon", False),
    ],
)
def test_a_manual_answers_questions_of_use(question: str, manual: bool) -> None:
    """In several languages, whatever the project is about."""
    assert asks_a_manual(question) is manual


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("do we have docs on the Fever endpoint?", True),
        ("any guide on running this on Postgres?", True),
        ("is there some write-up how to set up a dev environment", True),
        ("documentation for the meta commands please", True),
        ("is the retry header documented anywhere?", True),
        ("is the document stored?", False),
        ("what page size is used?", False),
        ("which guide line width is used?", False),
    ],
)
def test_something_written_may_be_asked_for(question: str, written: bool) -> None:
    """By its kind and its subject, and not by a word that code has too."""
    assert asks_for_document(question) is written
