"""Which kind a question is: by table, with the reason."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.decide.rubric import NAMES, choose_rubric
from bot.models.status import QuestionType
from bot.models.thread_event import Bounce
from prompts.render import render
from tests.builders import moved
from tests.decide.test_workflow import pending, press
from tests.tables import each_row


@each_row(
    ("question", "kind"),
    [
        ("is the payment gateway down?", "status_check"),
        ("Is staging back up", "status_check"),
        ("any incident going on with search?", "status_check"),
        ("what's the status of the migration?", "status_check"),
        ("has the fix been deployed yet?", "status_check"),
        ("anyone else seeing 500s on login?", "status_check"),
        ("how many orders were cancelled last week?", "data_lookup"),
        ("which customers are on the old plan?", "data_lookup"),
        ("why was order #48213 refunded?", "data_lookup"),
        ("can you look up the invoice of ACME?", "data_lookup"),
        ("what does POST /v1/refunds return when the order is closed?", "api_contract"),
        ("is there an endpoint for bulk refunds?", "api_contract"),
        ("which status code do we send for a duplicate?", "api_contract"),
        ("is `reason` a required field?", "other-than-status"),
        ("how does the retry of payments work?", "technical_qa"),
        ("where is the debounce window set?", "technical_qa"),
        ("why does `cancel_order` refund twice?", "technical_qa"),
        ("getting a traceback from the importer", "technical_qa"),
        ("hello there", "other"),
        ("", "other"),
        ("who wants lunch?", "other"),
    ],
)
def test_the_kind_of_a_question(question: str, kind: str) -> None:
    """Each by its words, and a word that stands in most questions decides last."""
    chosen = choose_rubric(question)
    if kind == "other-than-status":
        assert chosen.question_type == "api_contract"
    else:
        assert chosen.question_type == kind
    assert chosen.why


def test_the_reason_names_the_words() -> None:
    """An operator can see what a rule saw."""
    assert choose_rubric("so, is the gateway down?").why == 'it says "is the gateway down"'
    assert choose_rubric("ok").why == "no rule matches its words"


@pytest.mark.parametrize(
    ("feedback", "kind"),
    [
        ("this is a status check, look at the deploys", "status_check"),
        ("treat it as a data lookup please", "data_lookup"),
        ("api_contract", "api_contract"),
        ("it's not a status check", "technical_qa"),
        ("not a status check but an API question", "api_contract"),
        ("look at the other file", "status_check"),
    ],
)
def test_an_operator_may_change_it(feedback: str, kind: str) -> None:
    """By naming a kind or denying one; other feedback leaves it."""
    assert choose_rubric("why is the gateway down?", feedback).question_type == kind


def test_a_hostile_question_takes_no_time() -> None:
    """A long line is cut before it is looked at, so this ends."""
    assert choose_rubric("is " * 500_000 + "`" * 500_000).question_type


def test_a_run_knows_its_rubric_and_a_bounce_changes_it() -> None:
    """In the document: when the run starts, after the bounce, and still in the draft after that."""
    thread = pending()
    assert thread.question_type == "technical_qa"
    assert thread.rubric == 'a technical question, since it says "where is"'
    bounced = moved(thread, press(Bounce, thread, feedback="this is a status check"))
    assert bounced.question_type == "status_check"
    assert bounced.rubric == "a status check, since the operator calls it a status check"


@pytest.mark.parametrize("kind", get_args(QuestionType))
def test_every_kind_has_its_page(kind: QuestionType) -> None:
    """And a name that people read."""
    assert render(f"rubric_{kind}")
    assert NAMES[kind]
