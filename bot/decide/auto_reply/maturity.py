"""Maturity gate: whether the validator has earned automatic replies, by people's judgements alone (spec 1, 7). Pure.

The gate is a function of the judged drafts and the time. It keeps no state: nobody can open it, and nothing but data
opens it again. It is open for a pool of drafts if

- the pool's kind may be answered automatically at all (`KINDS`);
- each of the last four whole weeks has a case, and the upper bound of the false-pass rate over these weeks is at most
  2 %, which takes at least 149 cases (236 with one false pass, 313 with two);
- the bound still holds with the cases of the present week, so that a false pass closes it at once, not at the week's
  end;
- in all this time no draft that touches production, of any pool, was passed and wrong, and no line of the journal is
  damaged: it may say that one was.

A case is a draft that the validator passed in its first round and that a person judged. The four weeks are one sample
of 28 days, not four samples that must each hold: 149 cases a week would be needed for that. They are whole weeks,
Monday to Monday in UTC, so that there is one chance a week to open; a look after every draft would find more lucky
streaks. A change of the clock for summer time moves no week.

A draft is one case, however often it was recorded and judged. The worst of its judgements counts. Where several
say the same, a right pass has the time of the earliest, so that a replay cannot bring it back into the window, and a
false pass that of the latest. A judgement from the future, after a clock was set back, counts only if it is a false
pass. A draft of which nobody said anything is no case, also if it went out automatically.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.decide.auto_reply.upper_bound import fewest_cases, upper_bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.judged_draft import JudgedDraft, Pool
    from bot.models.status import QuestionType

HIGHEST = 0.02
"""Highest upper bound of the false-pass rate."""
WEEKS = 4
WEEK = timedelta(days=7)
KINDS: frozenset[QuestionType] = frozenset({"technical_qa", "api_contract", "data_lookup"})
"""Kinds of questions that may be answered automatically; the rules of `decide/rubric` choose the kind."""


@dataclass(frozen=True, slots=True)
class WeekCount:
    """Cases of one week."""

    cases: int = 0
    false_passes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Maturity:
    """State of the gate for one pool, with the figures that decide it."""

    is_open: bool
    reason: str
    """The reason in a plain sentence."""
    cases: int
    """Cases of the four weeks."""
    false_passes: int
    bound: float
    """Upper bound of the false-pass rate over the four weeks, one-sided, 95 %."""
    bound_now: float
    """The same with the cases of the present week."""
    missing: int
    """Further cases that the four weeks need if none of these is a false pass; 0 if they have enough."""
    weeks: tuple[WeekCount, ...]
    """The four weeks, oldest first, then the present one."""
    production: int
    """False passes in drafts that touch production, in all pools and all five weeks."""
    since: datetime
    """Begin of the first of the four weeks."""


def judge_maturity(drafts: Iterable[JudgedDraft], pool: Pool, *, now: datetime, damaged: int = 0) -> Maturity:
    """Return the state of the gate for a pool at a time. The order of the drafts does not matter.

    `damaged` is the number of judgements that cannot be read.
    """
    since = begin_of_week(now) - WEEKS * WEEK
    cases, production = _count_cases(drafts, pool, since=since, now=now)
    return judge_weeks(cases, kind=pool.kind, production=production, since=since, damaged=damaged)


def judge_weeks(
    weeks: Sequence[WeekCount], *, kind: QuestionType, production: int, since: datetime, damaged: int = 0
) -> Maturity:
    """Return the state of the gate by the counts of the four weeks and of the present one."""
    *whole, present = weeks
    cases, false_passes = sum(week.cases for week in whole), sum(week.false_passes for week in whole)
    bound = upper_bound(false_passes, cases)
    bound_now = upper_bound(false_passes + present.false_passes, cases + present.cases)
    missing = max(0, fewest_cases(false_passes, HIGHEST) - cases)
    empty = [since + number * WEEK for number, week in enumerate(whole) if not week.cases]
    reason = (
        _refuse_kind(kind)
        or _describe_production(production)
        or _describe_damage(damaged)
        or (_describe_bound(false_passes, cases, bound, missing) if bound > HIGHEST else "")
        or (f"No draft was judged in the week from {empty[0]:%Y-%m-%d}; each of four weeks needs one." if empty else "")
        or (_describe_bound_now(present, bound_now) if bound_now > HIGHEST else "")
    )
    return Maturity(
        is_open=not reason,
        reason=reason or f"{_count_wrong(false_passes, cases)}, so at most {bound:.1%} are, with 95 % certainty.",
        cases=cases,
        false_passes=false_passes,
        bound=bound,
        bound_now=bound_now,
        missing=missing,
        weeks=tuple(weeks),
        production=production,
        since=since,
    )


def begin_of_week(at: datetime) -> datetime:
    """Return the last Monday, 00:00 UTC, not after `at`."""
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


@dataclass(slots=True)
class _Case:
    """All judgements of one draft."""

    right_at: datetime | None = None
    false_at: datetime | None = None
    touches_production: bool = False
    is_in_pool: bool = False


def _count_cases(
    drafts: Iterable[JudgedDraft], pool: Pool, *, since: datetime, now: datetime
) -> tuple[list[WeekCount], int]:
    """Return the counts of the five weeks, and the false passes of all pools in drafts that touch production."""
    right, false = [0] * (WEEKS + 1), [0] * (WEEKS + 1)
    production = 0
    for case in _join_judgements(drafts, pool):
        if case.false_at:
            if case.false_at < since:
                continue
            production += case.touches_production
            if case.is_in_pool and not case.touches_production:
                false[min(WEEKS, (case.false_at - since) // WEEK)] += 1
        elif case.is_in_pool and not case.touches_production and case.right_at and since <= case.right_at <= now:
            right[(case.right_at - since) // WEEK] += 1
    return [WeekCount(good + bad, bad) for good, bad in zip(right, false, strict=True)], production


def _join_judgements(drafts: Iterable[JudgedDraft], pool: Pool) -> Iterable[_Case]:
    """Return a case for each draft that has a judgement."""
    cases: dict[str, _Case] = {}
    for draft in drafts:
        if not (draft.is_false_pass or draft.is_right_pass):
            continue
        case = cases.setdefault(draft.question_key, _Case())
        case.touches_production |= draft.touches_production
        case.is_in_pool |= draft.pool == pool
        if draft.is_false_pass:
            case.false_at = max(case.false_at or draft.at, draft.at)
        else:
            case.right_at = min(case.right_at or draft.at, draft.at)
    return cases.values()


def _refuse_kind(kind: QuestionType) -> str:
    return "" if kind in KINDS else f"Questions of the kind {kind} are never answered automatically."


def _describe_production(count: int) -> str:
    if not count:
        return ""
    drafts = "draft that touches production was" if count == 1 else "drafts that touch production were"
    return f"{count} {drafts} passed by the validator and wrong in the last weeks; none may be."


def _describe_damage(count: int) -> str:
    if not count:
        return ""
    lines, them = ("1 line does", "it") if count == 1 else (f"{count} lines do", "them")
    why = "not parse in judgements.ndjson of the home, and may say that a draft was wrong"
    return f"{lines} {why}: repair or remove {them}."


def _describe_bound(false_passes: int, cases: int, bound: float, missing: int) -> str:
    """Return the reason for a bound above the limit: too few cases, or too many false passes."""
    wrong = _count_wrong(false_passes, cases)
    if false_passes > HIGHEST * cases:
        return f"{wrong}: the rate may be as high as {bound:.1%}, and {HIGHEST:.0%} is allowed."
    return f"{wrong}, which is too few to know: {missing} more are needed, if all are right."


def _describe_bound_now(present: WeekCount, bound: float) -> str:
    wrong = f"{present.false_passes} of {present.cases} passed drafts of this week"
    return f"{wrong} were wrong: the rate may be as high as {bound:.1%}, and {HIGHEST:.0%} is allowed."


def _count_wrong(false_passes: int, cases: int) -> str:
    """Format the cases of the four weeks as the begin of a sentence."""
    if not cases:
        return "In four weeks no draft that the validator passed was judged"
    return (
        f"Of {cases} passed drafts of four weeks {false_passes or 'none'} {'was' if false_passes < 2 else 'were'} wrong"
    )
