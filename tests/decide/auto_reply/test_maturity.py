"""The maturity gate by table, and its properties over seeded histories."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import comb
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.decide.auto_reply.maturity import HIGHEST, WEEK, WEEKS, Maturity, begin_of_week, judge_maturity
from bot.decide.auto_reply.upper_bound import fewest_cases, upper_bound
from bot.models.judged_draft import COUNTED, JudgedDraft, Pool

MONDAY = datetime(2026, 3, 30, tzinfo=UTC)
"""The week of a change of the clock has just ended in Europe."""
NOW = MONDAY + timedelta(hours=9)
POOL = Pool(project="shop", kind="technical_qa", validator="claude-opus-5-5")


def judged(number: int, *, days: float = 3, **changes: Any) -> JudgedDraft:
    """A passed draft that was approved so many days before the Monday."""
    values: dict[str, Any] = {"verdict": "pass", "judgement": "approved", "pool": POOL}
    return JudgedDraft(question_id=f"T-C-1.{number}/1", at=MONDAY - timedelta(days=days), **(values | changes))


def history(count: int) -> list[JudgedDraft]:
    """So many right cases, spread evenly over the four weeks."""
    return [judged(number, days=27.9 * (number + 0.5) / count) for number in range(count)]


def wrong(number: int = 9_000, **changes: Any) -> JudgedDraft:
    """A passed draft that was bounced as wrong."""
    return judged(number, **({"judgement": "bounced", "reason": "wrong"} | changes))


def judge(drafts: list[JudgedDraft], now: datetime = NOW, pool: Pool = POOL) -> Maturity:
    """The state of the gate."""
    return judge_maturity(drafts, pool, now=now)


@pytest.mark.parametrize(
    ("drafts", "is_open", "words"),
    [
        pytest.param([], False, "no draft that the validator passed was judged", id="nothing"),
        pytest.param(history(148), False, "1 more are needed", id="one case too few"),
        pytest.param(history(149), True, "Of 149 passed drafts of four weeks none was wrong", id="enough"),
        pytest.param([*history(149), wrong()], False, "86 more are needed", id="one false pass takes more"),
        pytest.param([*history(234), wrong()], False, "1 more are needed", id="one too few with one false pass"),
        pytest.param([*history(235), wrong()], True, "at most 2.0% are", id="enough with one false pass"),
        pytest.param([*history(200), *map(wrong, range(500, 505))], False, "may be as high as 5.1%", id="too many"),
        pytest.param(history(160)[:119], False, "30 more", id="a week is missing, and cases with it"),
        pytest.param(
            [judged(n, days=3 if n % 2 else 10) for n in range(400)], False, "week from 2026-03-02", id="two idle weeks"
        ),
        pytest.param([*history(400), wrong(days=-0.1)], True, "Of 400", id="many cases carry a new false pass"),
        pytest.param([*history(160), wrong(days=-0.1)], False, "1 of 1 passed drafts of this week", id="few do not"),
        pytest.param(
            [*history(160), *(judged(n, days=-0.2) for n in range(1_000, 1_080)), wrong(days=-0.3)],
            True,
            "Of 160",
            id="unless the week has many",
        ),
        pytest.param(
            [judged(n, days=27 - 7 * (n % 4)) for n in range(400) if n % 4 != 1],
            False,
            "from 2026-03-09",
            id="one idle week",
        ),
        pytest.param([*history(148), judged(900, days=28)], True, "Of 149", id="from the first moment of four weeks"),
        pytest.param([*history(148), judged(900, days=28.001)], False, "1 more", id="not from before"),
        pytest.param([*history(149), wrong(days=28)], False, "86 more", id="the same of a false pass"),
        pytest.param([*history(400), wrong(1_001), wrong(1_002)], True, "2 were wrong", id="two false passes"),
        pytest.param([*history(160), wrong(days=-9)], False, "of this week were wrong", id="a false pass to come"),
        pytest.param([*history(400), wrong(days=28.1)], True, "Of 400", id="an old false pass"),
        pytest.param(
            [*history(400), wrong(days=3, touches_production=True)], False, "touches production", id="production"
        ),
        pytest.param(
            [*history(400), wrong(pool=Pool(project="billing", kind="other", validator="x"), touches_production=True)],
            False,
            "1 draft that touches production",
            id="production in another pool",
        ),
        pytest.param(
            [each.evolve(touches_production=True) for each in history(400)], False, "no draft", id="production only"
        ),
        pytest.param([each.evolve(verdict="bounce") for each in history(400)], False, "no draft", id="not passed"),
        pytest.param([each.evolve(judgement="dismissed") for each in history(400)], False, "no draft", id="no answer"),
        pytest.param([each.evolve(at=NOW + timedelta(days=1)) for each in history(400)], False, "no", id="to come"),
        pytest.param([each.evolve(question_id="same") for each in history(400)], False, "148 more", id="one draft"),
        pytest.param(
            [*history(160), *(each.evolve(judgement="unhelpful") for each in history(160))],
            True,
            "Of 160",
            id="thumbs down without a reason",
        ),
        pytest.param(
            [*history(160), history(160)[5].evolve(judgement="unhelpful", has_words=True)],
            False,
            "76 more",
            id="a reader's reason after the approval",
        ),
    ],
)
def test_data_alone_open_the_gate(drafts: list[JudgedDraft], is_open: bool, words: str) -> None:
    """With its reason in words."""
    maturity = judge(drafts)
    assert (maturity.is_open, words in maturity.reason) == (is_open, True), maturity.reason


@pytest.mark.parametrize(
    ("changes", "is_false", "is_right"),
    [
        pytest.param({"judgement": "approved"}, False, True, id="approved"),
        pytest.param({"judgement": "edited"}, True, False, id="edited in substance"),
        pytest.param({"judgement": "taken_back"}, True, False, id="taken back"),
        pytest.param({"judgement": "bounced", "reason": "wrong"}, True, False, id="wrong"),
        pytest.param({"judgement": "bounced", "reason": "incomplete"}, True, False, id="incomplete"),
        pytest.param({"judgement": "bounced"}, True, False, id="bounced in words"),
        pytest.param({"judgement": "bounced", "reason": "tone"}, False, False, id="tone"),
        pytest.param({"judgement": "dismissed", "reason": "wrong"}, True, False, id="dismissed as wrong"),
        pytest.param({"judgement": "dismissed", "reason": "duplicate"}, False, False, id="dismissed"),
        pytest.param({"judgement": "unhelpful", "reason": "outdated"}, True, False, id="outdated"),
        pytest.param({"judgement": "unhelpful", "has_words": True}, True, False, id="in words"),
        pytest.param({"judgement": "unhelpful"}, False, False, id="a thumb alone"),
        pytest.param({"judgement": "edited", "verdict": "bounce"}, False, False, id="not passed"),
        pytest.param({"verdict": "escalate"}, False, False, id="approved, not passed"),
    ],
)
def test_a_false_pass_is_what_a_person_calls_wrong(changes: dict[str, Any], is_false: bool, is_right: bool) -> None:
    """A draft that the validator passed; some judgements say neither."""
    draft = judged(1, **changes)
    assert (draft.is_false_pass, draft.is_right_pass) == (is_false, is_right)


@pytest.mark.parametrize("pool", [POOL.evolve(project="billing"), POOL.evolve(validator="b")])
def test_cases_of_another_project_or_validator_open_nothing(pool: Pool) -> None:
    """Neither do they close anything."""
    drafts = [*history(160), *(wrong(n, pool=pool) for n in range(3_000, 3_050))]
    assert judge(drafts).is_open
    assert judge(drafts, pool=pool).false_passes == 50


@pytest.mark.parametrize("kind", ["status_check", "other"])
def test_some_kinds_are_never_answered_automatically(kind: Any) -> None:
    """Not with any number of cases."""
    pool = POOL.evolve(kind=kind)
    maturity = judge([each.evolve(pool=pool) for each in history(900)], pool=pool)
    assert (maturity.is_open, maturity.cases) == (False, 900)
    assert "never" in maturity.reason


def random_history(lot: random.Random) -> list[JudgedDraft]:
    """Up to 700 drafts with all judgements there are, some recorded twice."""
    rate = lot.choice((0.0, 0.0, 0.003, 0.01, 0.05))
    drafts = [
        wrong(n, days=lot.uniform(-3, 40)) if lot.random() < rate else judged(n, days=lot.uniform(-3, 40))
        for n in range(lot.randrange(700))
    ]
    odd: list[dict[str, Any]] = [
        {"judgement": "dismissed"},
        {"verdict": "bounce"},
        {"pool": POOL.evolve(project="b")},
    ]
    drafts += [judged(n, **lot.choice(odd)) for n in range(2_000, 2_000 + lot.randrange(20))]
    return drafts + lot.choices(drafts, k=5) if drafts else drafts


def test_no_order_and_no_replay_opens_the_gate() -> None:
    """It is open only with the required cases; shuffled and recorded twice, earlier or later, they count the same."""
    lot = random.Random(24)
    opened = 0
    for _ in range(150):
        drafts = random_history(lot)
        maturity = judge(drafts)
        opened += maturity.is_open
        if maturity.is_open:
            assert maturity.cases >= fewest_cases(maturity.false_passes, HIGHEST)
            assert len({each.question_id for each in drafts if each.is_right_pass and each.pool == POOL}) >= 149
        later = [each.evolve(at=each.at + timedelta(hours=lot.choice((1, 30)))) for each in drafts]
        again = [*drafts, *(each for each in later if each.is_right_pass)]
        lot.shuffle(again)
        assert judge(again) == maturity
    assert 15 < opened < 135


def test_one_false_pass_that_touches_production_closes_it_for_weeks() -> None:
    """Whatever else there is."""
    lot = random.Random(7)
    for _ in range(50):
        drafts = [*random_history(lot), wrong(5_000, days=lot.uniform(0, 27), touches_production=True)]
        assert not judge(drafts).is_open


def test_clocks_of_other_zones_and_summer_time_change_nothing() -> None:
    """The same moments in any zone give the same weeks, also where a week has 167 hours."""
    berlin = ZoneInfo("Europe/Berlin")
    drafts = [*history(200), wrong(days=1)]
    local = [each.evolve(at=each.at.astimezone(berlin)) for each in drafts]
    assert judge(local, now=NOW.astimezone(berlin)) == judge(drafts)
    assert begin_of_week(datetime(2026, 3, 30, 1, 0, tzinfo=berlin)) == MONDAY - timedelta(days=7)


def test_a_clock_set_back_opens_nothing() -> None:
    """Cases from the future do not count; false passes from there do."""
    past = NOW - timedelta(days=10)
    assert judge(history(300)).is_open
    assert judge(history(300), now=past).cases < 200
    assert not judge([*history(200), wrong()], now=past).is_open


def test_a_higher_rate_closes_it_and_weeks_of_data_open_it_again() -> None:
    """Week by week over a year; nothing else is remembered."""
    drafts = [judged(week * 100 + n, days=-7 * week - n / 20) for week in range(30) for n in range(100)]
    drafts += [wrong(9_000 + n, days=-7 * 12 - n / 20) for n in range(12)]
    nows = [MONDAY + timedelta(days=7 * week, hours=1) for week in range(30)]
    states = [judge([each for each in drafts if each.at <= now], now=now).is_open for now in nows]
    assert states == [4 <= week < 13 or week >= 17 for week in range(30)]


@pytest.mark.parametrize(("count", "total"), [(0, 149), (0, 1), (1, 236), (3, 40), (12, 700), (40, 2_000), (7, 8)])
def test_the_bound_is_exact(count: int, total: int) -> None:
    """At the bound so few cases have a probability of 5 %, by whole numbers."""
    rate = Fraction(upper_bound(count, total))
    below = sum(comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in range(count + 1))
    assert float(below) == pytest.approx(0.05, abs=1e-9)


def test_an_open_gate_misses_nothing() -> None:
    """The figures of each week are there, the present one last; a judgement of this moment counts."""
    maturity = judge([*history(160), judged(1_000, days=-(NOW - MONDAY) / timedelta(days=1))])
    assert (maturity.missing, maturity.production, maturity.since) == (0, 0, MONDAY - timedelta(days=28))
    assert [(week.cases, week.false_passes) for week in maturity.weeks] == [(40, 0)] * 4 + [(1, 0)]
    assert maturity.bound_now < maturity.bound < HIGHEST


def test_the_required_cases_are_known() -> None:
    """One fewer is too few."""
    assert [fewest_cases(count, HIGHEST) for count in range(6)] == [149, 236, 313, 386, 456, 523]
    assert all(upper_bound(k, fewest_cases(k, HIGHEST) - 1) > HIGHEST for k in range(30))
    assert (upper_bound(0, 0), upper_bound(5, 5), fewest_cases(0, 1.0)) == (1.0, 1.0, 1)


def test_a_judgement_without_ids_is_of_the_same_question() -> None:
    """A purge removes ids, and neither makes two cases of one nor takes a line out before the gate does."""
    drafts = [*history(235), judged(1, judgement="edited")]
    assert judge([each.without_ids() if each.is_false_pass else each for each in drafts]) == judge(drafts)
    assert (WEEKS + 1) * WEEK == COUNTED
