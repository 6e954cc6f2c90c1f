"""Runs about services that are not healthy: what they are told, and the runbook that their answer may propose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.agents.answers import parse_answer
from bot.agents.briefing import NO_RESULT, Briefing
from bot.agents.incident_output import (
    IncidentOutput,
    LongIncidentOutput,
    LongUnofferedOutput,
    UnofferedOutput,
    choose_form,
    choose_long_form,
)
from bot.agents.investigator import to_return
from bot.agents.investigator_output import InvestigatorOutput
from bot.agents.long_run import LongRunOutput
from bot.agents.shortening import shorten
from bot.models.findings import Assignment, QuotedMessage
from bot.models.incident import ProposedRunbook
from bot.models.project import Project
from bot.tools.tool import schema_of
from tests.agents.test_long_run import ANSWER
from tests.runbooks import RESTART
from tests.tools.conftest import make_guard

WISH = {"name": "restart-payments", "reason": "The pool is full since the deploy."}


def assignment(root: Path, **changes: Any) -> Assignment:
    """An assignment about one service."""
    project = Project(name="shop", root=root)
    values: dict[str, Any] = {"services": ("payments",), "runbooks": (RESTART,)}
    return Assignment(question="payments is down", projects=(project,), **(values | changes))


def first_message(root: Path, **changes: Any) -> str:
    """The first message of a run."""
    task = assignment(root, **changes)
    scout: Any = None
    return Briefing(guard=make_guard(), scout=scout).render(task, task.projects[0], "Nothing.")


def test_a_run_about_an_incident_is_told_what_it_may_propose(tmp_path: Path) -> None:
    """The runbooks of the settings by name, with the program; other runs are told nothing of them."""
    text = first_message(tmp_path)
    assert "not healthy: payments." in text
    assert "- `restart-payments`, for payments: `systemctl restart payments`" in text
    assert "`proposed_runbook`" in text
    none = first_message(tmp_path, runbooks=())
    assert "No program may be proposed for them here." in none
    assert "`proposed_runbook`" not in none
    other = first_message(tmp_path, services=(), runbooks=())
    assert "not healthy" not in other


def test_a_task_is_told_the_results_that_it_follows(tmp_path: Path) -> None:
    """As untrusted text, each with its title; other runs are told nothing of them."""
    inputs = (QuotedMessage(by="List limits", text="It is 3."), QuotedMessage(by="Ask", text=""))
    text = first_message(tmp_path, services=(), inputs=inputs)
    assert "# Results of earlier tasks" in text
    for words in ("List limits", "It is 3.", NO_RESULT):
        assert words in text.partition("# Results of earlier tasks")[2]
    assert text.count("untrusted", text.index("# Results of earlier tasks")) >= 2
    assert "Results of earlier tasks" not in first_message(tmp_path)


def test_only_a_run_that_may_propose_has_the_field_in_its_form(tmp_path: Path) -> None:
    """The form of every other run is as before."""
    for task, short, long in (
        (assignment(tmp_path), IncidentOutput, LongIncidentOutput),
        (assignment(tmp_path, runbooks=()), UnofferedOutput, LongUnofferedOutput),
        (assignment(tmp_path, runbooks=(), services=()), InvestigatorOutput, LongRunOutput),
    ):
        assert (choose_form(task), choose_long_form(task)) == (short, long)
        for form in (short, long):
            assert ("proposed_runbook" in json.dumps(schema_of(form))) is bool(task.runbooks)
            assert ("ProposedRunbook" in json.dumps(schema_of(form))) is bool(task.runbooks)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (WISH, ("restart-payments", "The pool is full since the deploy.")),
        ("`restart-payments`", ("restart-payments", "It gives no reason.")),
        ({"runbook": " restart-payments ", "reason": None}, ("restart-payments", "It gives no reason.")),
        ({"name": "r", "reason": "x" * 900, "argv": ["rm", "-rf", "/"]}, ("r", "x" * 400)),
        ({"name": "n" * 300, "reason": "a\n b"}, ("n" * 100, "a b")),
        (None, None),
        ("none", None),
        ({"name": ""}, None),
        ({"name": 3}, None),
        (["restart-payments"], None),
        (True, None),
    ],
)
@pytest.mark.parametrize("form", [IncidentOutput, LongIncidentOutput, UnofferedOutput, LongUnofferedOutput])
def test_a_proposal_is_read_leniently(form: Any, wish: Any, expected: tuple[str, str] | None) -> None:
    """An unusual one costs no answer, and carries no program."""
    parsed = parse_answer(form, json.dumps(ANSWER | {"proposed_runbook": wish}), shorten).answer
    returned = to_return(parsed, 2)
    found = returned.proposed_runbook
    assert (found and (found.name, found.reason)) == expected
    assert returned.model_validate(returned.model_dump()) == returned


@pytest.mark.parametrize("form", [InvestigatorOutput, LongRunOutput])
@pytest.mark.parametrize("wish", [WISH, "reboot", 7])
def test_a_run_about_a_question_proposes_nothing(form: Any, wish: Any) -> None:
    """Whatever its model writes; the rest of its answer counts."""
    answer = ANSWER if form is LongRunOutput else {k: v for k, v in ANSWER.items() if k not in ("tried", "missing")}
    parsed = parse_answer(form, json.dumps(answer | {"proposed_runbook": wish}), shorten).answer
    assert to_return(parsed, 1).proposed_runbook is None


def test_a_proposal_in_its_form_stays_as_it_is() -> None:
    """Also one that was read before."""
    form = IncidentOutput.model_validate({**ANSWER_SHORT, "proposed_runbook": ProposedRunbook(**WISH)})
    assert form.proposed_runbook == ProposedRunbook(**WISH)


ANSWER_SHORT = {key: value for key, value in ANSWER.items() if key not in ("tried", "missing")}
