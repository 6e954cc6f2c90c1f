"""Exact result of each run and its end, by table: the fields that change, the effect, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from bot.decide.redaction.redactor import Redactor
from bot.decide.slug import slug
from bot.decide.workflow import Transition, advance
from bot.decide.workflow.next_question import card_nonce
from bot.models.asker_line import AskerLine
from bot.models.card import Card
from bot.models.decision import Round
from bot.models.effect import CheckFindings
from bot.models.findings import EngineReport, EvidenceSource
from bot.models.repeated_question import AskedBefore
from bot.models.route import Route
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.thread_event import Due, EvidenceFailed, Findings, RunFailed, Validated
from bot.models.thread_message import ThreadMessage
from bot.models.verdict import CountedVerdict, GateVerdict
from bot.models.viewed_page import SubjectProject
from bot.models.waiting import Waiting
from tests.builders import (
    ASKER,
    CHANNEL,
    LIMITS,
    OPERATOR,
    TEAM,
    added,
    at,
    check,
    draft_for,
    findings,
    moved,
    ran,
    reference,
    validator,
)
from tests.decide.exact import ALL, HOME, LOG, OUTSIDERS, ROOT, again, ended, noted, same, waits
from tests.decide.test_next_question import Capitals
from tests.decide.test_workflow import awaiting, collecting, investigating, pending

SHOP = SubjectProject(project="shop", why="its page", told="for shop")
ROUTE = Route(role="dev", role_name="Dev", project="shop", why="rule 1")


class ShopRouter:
    """A router that knows one question, in one channel, about one project."""

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        return ROUTE if (text.lower(), channel, subject) == ("where is the limit set?", CHANNEL, SHOP) else None


HIDING = Redactor(["THE LIMIT SET"])
BUSY = replace(LIMITS, router=ShopRouter(), redactor=HIDING, normaliser=Capitals(), reads_files=True, is_stopped=True)


def test_a_new_question_has_all_of_its_first_message() -> None:
    """And nothing of a later step."""
    event = added(**ALL, subject=SHOP, external=OUTSIDERS, mentioned=True, mode="preview", sender_type="bot", seconds=7)
    first = ThreadMessage(
        message_id=ROOT,
        sender_id=ASKER,
        by_bot=True,
        content="where is the limit set?",
        round=1,
        asks="WHERE IS THE LIMIT SET?",
        unread=("a.png",),
        shared=("Bo",),
        files=(LOG,),
    )
    same(
        advance(None, event, BUSY),
        Transition(
            Thread(
                thread_id=HOME,
                team_id=TEAM,
                chat_id=CHANNEL,
                chat_name="help-platform",
                mode="preview",
                operator=OPERATOR,
                original_message_id=ROOT,
                anchor=ROOT,
                original_sender_id=ASKER,
                original_sender_name="Ana",
                names={ASKER: "Ana"},
                messages=(first,),
                status="collecting",
                status_history=(StatusChange(at=at(7), previous="new", next="collecting"),),
                due_at=at(9),
                subject=SHOP,
                route=ROUTE,
                external=OUTSIDERS,
                task=slug(HIDING.redact("WHERE IS THE LIMIT SET?"), HOME),
                card=Card(nonce=card_nonce(HOME, 1)),
                asker_line=AskerLine(at=at(7), ending="stopped", question_round=1, is_begun=True),
                started_at=at(7),
                last_event_at=at(7),
            )
        ),
    )
    assert "limit" not in slug(HIDING.redact("WHERE IS THE LIMIT SET?"), HOME)
    unnamed = advance(None, added(), LIMITS).thread
    assert unnamed
    assert (unnamed.original_sender_name, unnamed.route, unnamed.asker_line) == ("someone", None, None)


def test_the_window_ends_with_a_run() -> None:
    """Nothing of a wait, a stale draft or a failed run stays."""
    before = collecting().evolve(
        waiting=Waiting(level="channel", ahead=3), inbox=(ROOT,), stale="x", failure="x", opening="x"
    )
    event = Due(at=at(2), fresh="run1")
    same(advance(before, event, LIMITS), again(before, event, "investigating"))


def test_a_question_is_routed_again_when_it_is_complete() -> None:
    """By its text, its channel and its project."""
    before = moved(None, added(subject=SHOP), BUSY).evolve(route=None)
    assert moved(before, Due(at=at(2), fresh="run1"), BUSY).route == ROUTE


def test_findings_are_kept_with_all_that_came_with_them() -> None:
    """The results of the checks of an earlier draft are dropped."""
    before = investigating().evolve(
        external=OUTSIDERS,
        evidence_checks=(check(),),
        validator_return=validator(),
        unvalidated="no key",
        unsupported=("5",),
        verdict=GateVerdict(verdict="pass", reasons=(), checks=()),
        opening_problem="git is not there",
    )
    report = EngineReport(
        project="shop",
        engine="agents",
        fallback=None,
        findings=findings(),
        unopened=("a.py:1",),
        recorded=(check(ref="tool:1"),),
        found_nothing=True,
        chance=0.5,
        cited=(reference(),),
        edited_by="U0BEN",
    )
    event = Findings(
        at=at(3),
        fresh="f1",
        run_id=str(before.run_id),
        runs=(ran(), ran(2, "chat")),
        report=report,
        draft=draft_for(before),
        asker_name="Ana",
        sources=(EvidenceSource(ref="bot/a.py:1", commit="0" * 40),),
        code_of=at(1),
        owners=("U0BEN",),
        hinted=("T0-C0-1.1",),
        visibility="public",
        asked_before=(AskedBefore(thread_id="T0-C0-2.2", url="https://x.test"),),
        paused_project="payments",
        kept_back=("vault",),
    )
    after = noted(
        before,
        event,
        "awaiting-validation",
        project="shop",
        engine="agents",
        fallback=None,
        original_sender_name="Ana",
        investigator_return=report.findings,
        sources=event.sources,
        code_of=at(1),
        owners=("U0BEN",),
        unopened=("a.py:1",),
        recorded=report.recorded,
        found_nothing=True,
        chance=0.5,
        cited=(reference(),),
        served_edited_by="U0BEN",
        opening_problem=None,
        hinted=("T0-C0-1.1",),
        asked_before=event.asked_before,
        visibility="public",
        paused_project="payments",
        external=OUTSIDERS.evolve(kept_back=("vault",)),
        runs=event.runs,
        investigator_task_id=ran().session_id,
        draft_pending=event.draft,
        drafts_made=1,
        evidence_checks=(),
        validator_return=None,
        unvalidated=None,
        unsupported=(),
        verdict=None,
        dispatches=(before.dispatches[0].evolve(cwd="shop"),),
    )
    same(advance(before, event, LIMITS), Transition(after, CheckFindings(run_id=event.run_id)))


def test_a_verdict_is_kept_with_its_checks() -> None:
    """The draft that passed waits on its first card."""
    before = awaiting()
    event = Validated(
        at=at(4),
        fresh="v1",
        run_id=str(before.run_id),
        runs=(ran(2, "validator"),),
        checks=(check(),),
        validator_return=validator(),
        unvalidated="no key",
        unsupported=("5",),
    )
    step = advance(before, event, LIMITS)
    assert step.thread
    verdict = step.thread.verdict
    assert (verdict and verdict.verdict, verdict and verdict.not_made) == ("pass", ())
    after = waits(
        before,
        event,
        run_id=None,
        verdict=verdict,
        evidence_checks=event.checks,
        validator_return=validator(),
        unvalidated="no key",
        unsupported=("5",),
        runs=event.runs,
        validator_task_id=event.runs[0].session_id,
        judged=(CountedVerdict(at=at(4), question_round=1, verdict="pass", validator="pass"),),
        dispatches=ended(before),
    )
    same(step, Transition(after))


def test_failed_evidence_sends_a_draft_back() -> None:
    """With the reason, and without the code of an operator's bounce."""
    before = awaiting().evolve(bounced_as="tone")
    event = EvidenceFailed(at=at(4), fresh="run2", run_id=str(before.run_id), checks=(check("failed"),))
    step = advance(before, event, LIMITS)
    assert step.thread
    reason = "The reference bot/a.py:1 is not valid: so it is."
    assert step.thread.verdict
    assert (step.thread.verdict.verdict, step.thread.verdict.reasons) == ("bounce", (reason,))
    round_ = Round(number=1, draft="It is set in `bot/a.py:1`.", refs=("bot/a.py:1",), by="checks", attack=reason)
    same(
        step,
        again(
            before.evolve(dispatches=ended(before)),
            event,
            "bounced-round-1",
            evidence_checks=event.checks,
            verdict=step.thread.verdict,
            judged=(CountedVerdict(at=at(4), question_round=1, verdict="bounce", validator=None),),
            validator_bounces=1,
            feedback=reason,
            bounced_as=None,
            rounds=(round_,),
        ),
    )


def test_a_run_that_failed_leaves_no_draft() -> None:
    """Its reason is on the card."""
    before = investigating().evolve(draft_pending=pending().draft_pending)
    event = RunFailed(at=at(4), fresh="f1", run_id=str(before.run_id), reason="no", why="time", runs=(ran(),))
    after = waits(
        before,
        event,
        run_id=None,
        runs=(ran(),),
        investigator_task_id=ran().session_id,
        failure="no",
        draft_pending=None,
        dispatches=ended(before, "aborted: time"),
        asker_line=AskerLine(at=at(4), ending="failed", question_round=1, why="time"),
    )
    same(advance(before, event, LIMITS), Transition(after))
