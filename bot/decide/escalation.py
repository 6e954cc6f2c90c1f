"""Escalation: the decision that a question takes a longer run, in a separate process, with its reason (spec 1, 3.5).

Tier 2 is chosen before the start for a question that will take long, and after tier 1 where its investigator asks for
it, or ended at a limit with notes worth keeping. Tier 3 follows a handoff. Only code decides, once for each question;
statements of models are its input. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bot.decide.expected_minutes import estimate, find_long_logs, find_several_repositories
from bot.decide.turn_plan import RUN_CAP
from bot.models.escalation import PROGRAM
from bot.models.handoff import WatchHandoff
from bot.models.thread_event import Findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.escalation import Escalation
    from bot.models.handoff import Handoff, NextTier
    from bot.models.incident import Incident
    from bot.models.run_end import RunFailed
    from bot.models.status import QuestionType
    from bot.models.system_event import EventLevel
    from bot.models.thread import Thread

LIMITS_REACHED = ("limit", "time")
"""Guards that end a run which a longer one may finish (`models/task.Abort`)."""
FEWEST_WORDS = 12
"""Words of a run's unchecked notes from which they are worth keeping."""
_LONGEST_REASON = 300

DRY_RUN = "`escalation.dry_run` is on"
_FIRST: NextTier = 2
_LAST: NextTier = 3


@dataclass(frozen=True, slots=True)
class EscalationPolicy:
    """Settings of escalation; by default nothing is escalated."""

    enabled: bool = False
    max_tier: Literal[1, 2, 3] = 3
    dry_run: bool = False
    threshold_min: float = 10
    """Expected minutes of a run above which it is escalated before its start."""
    may_start: frozenset[int] = field(default_factory=frozenset)
    """Tiers with something to start: the engine on a model, or a program of the team."""

    def starts(self, tier: int) -> bool:
        """Return whether a run of this tier may be started, dry or not."""
        return self.enabled and tier <= self.max_tier and tier in self.may_start


@dataclass(frozen=True, slots=True)
class TierChoice:
    """Decision for a longer run."""

    tier: NextTier
    reason: str
    """The reason as a clause without a full stop."""
    refusal: str = ""
    """The reason why it is not started; empty if it is."""


@dataclass(frozen=True, slots=True)
class HandoffDecision:
    """Decision on a handoff: the tier to start, or the event that says why none starts."""

    start: NextTier | None = None
    message: str = ""
    """Text of the event for the system log; empty if a tier starts."""
    level: EventLevel = "info"
    refusal: str = ""
    """The reason for the operator, as a clause; empty if a tier starts."""


def choose_before_start(
    question: str, kind: QuestionType, projects: Sequence[str], policy: EscalationPolicy
) -> TierChoice | None:
    """Return the tier that a new question begins with, if that is not tier 1. `projects` are the names of all."""
    if not policy.starts(_FIRST):
        return None
    if reason := find_several_repositories(question, projects) or find_long_logs(question):
        return _choice(reason, policy)
    minutes, reasons = estimate(question, kind)
    if minutes <= policy.threshold_min:
        return None
    return _choice(f"it takes about {minutes:g} minutes: {', '.join(reasons) or 'such a question does'}", policy)


def choose_for_services(services: Sequence[str], policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that an incident begins with, if that is not tier 1: the checks were its tier 1 (spec 3)."""
    return _choice(f"not healthy: {', '.join(services)}", policy) if policy.starts(_FIRST) else None


def choose_for_task(creator: str, policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that a created task begins with, if that is not tier 1."""
    return _choice(f"a task of {_clip(creator)}", policy) if policy.starts(_FIRST) else None


def choose_after_run(thread: Thread, event: Findings | RunFailed, policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that goes on after a run of tier 1; once for each question."""
    is_searching = thread.status in ("investigating", "bounced-round-1")
    if not is_searching or not policy.starts(_FIRST) or thread.escalation or thread.escalation_problem:
        return None
    if isinstance(event, Findings):
        report = event.report
        if report.fallback is None and report.findings.escalation_requested:
            wish = _clip(report.findings.escalation_reason or "it gives no reason")
            return _choice(f"its investigator asks for a longer run: {wish}", policy)
        why, notes, ending = report.fallback_why, report.unchecked_notes, report.fallback or ""
    else:
        why, notes, ending = event.why, event.unchecked_notes, event.reason
    at_limit = why in LIMITS_REACHED or (why == "over-cap" and RUN_CAP in ending)
    if not at_limit or len(notes.split()) < FEWEST_WORDS:
        return None
    return _choice(f"tier 1 reached its limit and has notes worth keeping: {_clip(ending)}", policy)


def choose_deeper(thread: Thread, policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that an operator's *Dig Deeper* starts; `None` if none may start.

    After a run of tier 2 with a result it is tier 3, after one without a result the same tier again.
    """
    before = thread.escalation
    wanted = _FIRST if before is None else _LAST if before.has_result else before.tier
    tier = next((number for number in (wanted, _FIRST) if policy.starts(number)), None)
    return TierChoice(tier, "its operator asked for it") if tier and not policy.dry_run else None


def choose_after_bounce(thread: Thread, policy: EscalationPolicy) -> TierChoice | None:
    """Return tier 2 if a program of the team has drafted there what an operator sends back; `None` for other drafts.

    Tier 1 would put its own draft, which may be nothing, in place of a better one.
    """
    before = thread.escalation
    is_own = before is not None and before.tier == _FIRST and before.has_result and thread.engine == PROGRAM
    if not is_own or policy.dry_run or not policy.starts(_FIRST):
        return None
    return TierChoice(_FIRST, "its operator sent the draft back")


def choose_after_remedy(incident: Incident, before: Escalation | None, policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that goes on after a runbook that did not help, or was never run; `None` for none.

    It is the tier that the run before asked for, else the last one, which starts once for a question.
    """
    tier = incident.next_tier or _LAST
    if not policy.starts(tier) or (before and before.tier == _LAST):
        return None
    reason = f"still not healthy: {', '.join(incident.services)}"
    return TierChoice(tier, incident.next_reason or reason, DRY_RUN if policy.dry_run else "")


def judge_handoff(handoff: Handoff, from_tier: Literal[1, 2, 3], policy: EscalationPolicy) -> HandoffDecision:
    """Return the decision on a handoff that was read from a successful run of `from_tier`."""
    tier = handoff.recommended_tier
    if from_tier == _LAST:
        wish = f"tier {_LAST} is the last one, and asks for more; a person has to look"
        return HandoffDecision(None, f"Escalation ended: {wish}", "warning", wish)
    if missing := _find_missing(handoff, from_tier):
        return reject_handoff(from_tier, missing)
    if tier > policy.max_tier:
        why = f"tier {tier} is above `escalation.max_tier: {policy.max_tier}`"
        return HandoffDecision(None, f"Escalation blocked: {why}", "warning", why)
    if not policy.starts(tier):
        why = f"nothing may be started as tier {tier}"
        return HandoffDecision(None, f"Escalation blocked: {why}", "warning", why)
    if policy.dry_run:
        return HandoffDecision(None, describe_suppressed(tier, _subjects(handoff)), "info", DRY_RUN)
    return HandoffDecision(tier)


def reject_handoff(from_tier: int, error: str, *, is_unreadable: bool = False) -> HandoffDecision:
    """Return the decision on a handoff that cannot be read, or is not valid."""
    fault = "could not read handoff" if is_unreadable else "invalid handoff"
    message = f"Escalation blocked: {fault} from tier {from_tier} — {error}"
    return HandoffDecision(None, message, "critical", f"{fault} from tier {from_tier}: {error}")


def describe_suppressed(tier: int, subjects: Sequence[str]) -> str:
    """Return the text of the event about an escalation that a dry run suppresses."""
    return f"Escalation suppressed (dry run): would have escalated to tier {tier} for: {', '.join(subjects)}"


def _choice(reason: str, policy: EscalationPolicy) -> TierChoice:
    return TierChoice(_FIRST, reason, DRY_RUN if policy.dry_run else "")


def _find_missing(handoff: Handoff, from_tier: int) -> str:
    """Return the fault of a handoff that has the right form; empty if there is none."""
    tier = handoff.recommended_tier
    if tier != from_tier + 1:
        return f"it recommends tier {tier} after tier {from_tier}"
    if isinstance(handoff, WatchHandoff) and tier == _LAST:
        values = {name: getattr(handoff, name) for name in ("investigation_findings", "remediation_attempted")}
        missing = [name for name, value in values.items() if value is None]
        return f"missing for tier {tier}: {', '.join(missing)}" if missing else ""
    return ""


def _subjects(handoff: Handoff) -> tuple[str, ...]:
    """Return the services of a handoff, or its question."""
    return handoff.services_affected if isinstance(handoff, WatchHandoff) else (_clip(handoff.question),)


def _clip(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= _LONGEST_REASON else f"{flat[: _LONGEST_REASON - 1]}…"
