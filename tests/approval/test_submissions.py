"""Dialogs, by table: what each input means, and what is said beside the one that does not do."""

from __future__ import annotations

from typing import Any

import pytest

from bot.approval.submissions import Submissions
from bot.decide.redaction.redactor import Redactor
from bot.models.decision import FirstApproval
from bot.models.interaction import Dialog, read_dialog
from bot.models.thread import Thread
from bot.models.thread_event import AnswerQuestion, Bounce, Delegate, Dismiss, EditSubmitted
from tests.builders import ASKER, OPERATOR, TEAM, at, fresh
from tests.decide.test_workflow import pending
from tests.fakes import HandClock, operators

THREAD = pending()
URL = "https://sandbox.slack.com/archives/C0HELP/p100000001"


def dialog(action: str, **values: str) -> Dialog:
    """A dialog on the thread's draft."""
    return Dialog(
        interaction_id="i1",
        team_id=TEAM,
        user_id=OPERATOR,
        action=action,
        thread_id=THREAD.thread_id,
        draft_id=f"{THREAD.thread_id}/1",
        nonce="n1",
        values=values,
    )


async def read(action: str, *, thread: Thread = THREAD, **values: str) -> Any:
    """What a dialog means."""
    named = {"at": at(), "fresh": fresh(), "by": OPERATOR, "draft_id": "d", "nonce": "n"}
    submissions = Submissions(operators=operators(OPERATOR, "U0BEN"), clock=HandClock())
    return await submissions.read(dialog(action, **values), thread, named)


@pytest.mark.parametrize(
    ("action", "values", "kind", "expected"),
    [
        ("bounce", {"reason": "tone", "feedback": ""}, Bounce, {"code": "tone", "feedback": ""}),
        ("bounce", {"reason": "", "feedback": " no "}, Bounce, {"code": None, "feedback": "no"}),
        ("bounce", {"reason": "launch", "feedback": "no"}, Bounce, {"code": None, "feedback": "no"}),
        ("answer", {"answer": " three "}, AnswerQuestion, {"text": "three"}),
        ("dismiss", {"reason": "not_for_us", "link": ""}, Dismiss, {"code": "not_for_us", "link": ""}),
        ("dismiss", {"reason": "", "link": ""}, Dismiss, {"code": "no_reply_needed", "link": ""}),
        ("dismiss", {"reason": "duplicate", "link": URL}, Dismiss, {"code": "duplicate", "link": URL}),
        ("delegate", {"to": "U0BEN"}, Delegate, {"to": "U0BEN"}),
    ],
)
async def test_a_dialog_that_does(action: str, values: dict[str, Any], kind: type, expected: dict[str, Any]) -> None:
    """It is the press that it means."""
    made = await read(action, **values)
    assert isinstance(made, kind)
    assert {name: getattr(made, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("action", "values", "block", "word"),
    [
        ("bounce", {"reason": "", "feedback": " "}, "feedback", "Choose a reason"),
        ("answer", {"answer": "  "}, "answer", "write something"),
        ("edit", {"text": "  "}, "text", "write something"),
        ("dismiss", {"reason": "duplicate", "link": ""}, "link", "needs the link"),
        ("dismiss", {"reason": "duplicate", "link": "see above"}, "link", "https://"),
        ("dismiss", {"reason": "no_reply_needed", "link": "https://x|<!channel>"}, "link", "https://"),
        ("dismiss", {"reason": "boredom", "link": ""}, "reason", "another version"),
        ("delegate", {"to": ""}, "to", "choose a person"),
        ("delegate", {"to": OPERATOR}, "to", "has the question already"),
        ("delegate", {"to": "U0ANA"}, "to", "may not decide"),
        ("launch", {"x": "y"}, "x", "another version"),
    ],
)
async def test_a_dialog_that_does_not(action: str, values: dict[str, Any], block: str, word: str) -> None:
    """The error stands at the input that it is about."""
    errors = await read(action, **values)
    assert word in errors[block]


def test_each_kind_of_input_is_read() -> None:
    """Typed text, a chosen option, a chosen person, and none of them."""
    inputs = {
        "text": {"text": {"type": "plain_text_input", "value": "a"}},
        "reason": {"reason": {"type": "radio_buttons", "selected_option": {"value": "tone"}}},
        "other": {"other": {"type": "radio_buttons", "selected_option": None}},
        "to": {"to": {"type": "users_select", "selected_user": "U0BEN"}},
        "link": {"link": {"type": "plain_text_input", "value": None}},
    }
    view = {
        "id": "V1",
        "callback_id": "bounce",
        "private_metadata": f"{THREAD.thread_id}/1 n1",
        "state": {"values": inputs},
    }
    body = {"user": {"id": OPERATOR}, "team": {"id": TEAM}, "view": view}
    made = read_dialog(body)
    assert made is not None
    assert made.values == {"text": "a", "reason": "tone", "other": "", "to": "U0BEN", "link": ""}


async def test_whoever_has_approved_first_is_not_asked_again() -> None:
    """The question would wait for somebody who cannot settle it."""
    assert THREAD.draft_pending is not None
    first = FirstApproval(by="U0BEN", at=at(), draft_id=THREAD.draft_pending.draft_id, stale=None)
    errors = await read("delegate", thread=THREAD.evolve(first_approval=first), to="U0BEN")
    assert "already approved" in errors["to"]


async def test_an_edit_is_a_new_draft_with_the_name_of_its_editor() -> None:
    """The press names the draft that was on the card, and the new text has its own nonce."""
    event = await read("edit", text="  It is three. ")
    assert isinstance(event, EditSubmitted)
    assert (event.draft.text, event.draft.edited_by) == ("It is three.", OPERATOR)
    assert event.draft.draft_id == f"{THREAD.thread_id}/{THREAD.drafts_made + 1}"
    assert event.draft.nonce.startswith("id")
    assert (event.by, event.draft_id, event.nonce) == (OPERATOR, "d", "n")


async def test_an_edit_that_holds_a_secret_is_refused() -> None:
    """A secret of the settings too, which has no form to be known by."""
    secret = "a-loaded" + "-secret-0815"
    named = {"at": at(), "fresh": fresh(), "by": OPERATOR, "draft_id": "d", "nonce": "n"}
    submissions = Submissions(operators=operators(OPERATOR), clock=HandClock(), redactor=Redactor([secret]))
    errors = await submissions.read(dialog("edit", text=f"Use {secret}."), THREAD, named)
    assert isinstance(errors, dict)
    assert list(errors) == ["text"]
    assert secret not in errors["text"]


@pytest.mark.parametrize(
    ("changes", "is_saved"),
    [
        ({}, False),
        ({"draft_id": f"{THREAD.thread_id}/0"}, True),
        ({"opening_problem": "the repository could not be fetched"}, True),
        ({"text": "Another text."}, True),
    ],
)
async def test_an_unchanged_text_is_saved_only_if_that_does_something(changes: dict[str, str], is_saved: bool) -> None:
    """As when the card has another draft by now, or its references are to be opened again."""
    assert THREAD.draft_pending is not None
    draft = THREAD.draft_pending.evolve(text="It is three.\nSee below.")
    named = {"at": at(), "fresh": fresh(), "by": OPERATOR, "draft_id": "d", "nonce": "n"}
    edit = dialog("edit", text=changes.get("text", " It is three.\r\nSee below.\r\n"))
    edit = edit.evolve(draft_id=changes.get("draft_id", draft.draft_id))
    thread = THREAD.evolve(draft_pending=draft, opening_problem=changes.get("opening_problem"))
    event = await Submissions(operators=operators(OPERATOR), clock=HandClock()).read(edit, thread, named)
    assert isinstance(event, EditSubmitted) if is_saved else event == {}


@pytest.mark.parametrize(
    ("to", "asker_may", "is_handed"), [(ASKER, False, False), (ASKER, True, True), ("U0BEN", False, True)]
)
async def test_a_question_goes_to_its_asker_only_if_askers_may_approve(
    to: str, asker_may: bool, is_handed: bool
) -> None:
    """Another operator takes it in either case."""
    named = {"at": at(), "fresh": fresh(), "by": OPERATOR, "draft_id": "d", "nonce": "n"}
    people = operators(OPERATOR, "U0BEN", ASKER, asker_may=asker_may)
    event = await Submissions(operators=people, clock=HandClock()).read(dialog("delegate", to=to), THREAD, named)
    assert isinstance(event, Delegate if is_handed else dict)
    assert isinstance(event, Delegate) or list(event) == ["to"]


@pytest.mark.parametrize(
    ("action", "block", "word"),
    [
        ("bounce", "feedback", "Choose a reason"),
        ("answer", "answer", "write something"),
        ("delegate", "to", "choose a person"),
        ("edit", "text", "write something"),
        ("launch", "text", "another version"),
    ],
)
async def test_a_dialog_without_any_input_is_refused(action: str, block: str, word: str) -> None:
    """Slack leaves out inputs; nothing is read into that."""
    errors = await read(action)
    assert (list(errors), word in errors[block]) == ([block], True)


async def test_a_bounce_for_a_reason_alone_has_no_words() -> None:
    """The next draft is not made with words that nobody wrote."""
    event = await read("bounce", reason="tone")
    assert (event.code, event.feedback) == ("tone", "")
