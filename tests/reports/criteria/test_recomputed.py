"""Every figure of the report, counted again from the raw records by code that shares nothing with it."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from bot.reports.criteria import build_report
from tests.reports.criteria.home import NOW, Home, live

SEEDS = (1, 2, 3)


@cache
def raw(seed: int) -> dict[str, Any]:
    """The records as JSON, and the report."""
    home = live(seed)
    dumped = {
        name: [each.model_dump(mode="json") for each in getattr(home, name) if each]
        for name in ("sessions", "threads", "samples", "evaluations")
    }
    report = build_report(home.recorded(), now=NOW).model_dump(mode="json")
    return {
        **json.loads(json.dumps(dumped)),
        "home": home,
        "classified": home.classified,
        "report": {each["id"]: each for each in report["criteria"]},
    }


def days_ago(text: str) -> float:
    """How long before the report."""
    return (NOW - datetime.fromisoformat(text)) / timedelta(days=1)


def wilson(count: int, total: int) -> tuple[float, float]:
    """The interval by the quadratic equation that it solves."""
    z = 1.96
    a, b, c = total + z * z, -(2 * count + z * z), count * count / total
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def expect_share(row: dict[str, Any], values: list[bool]) -> None:
    """The share and its interval."""
    found = row["measurement"]
    assert (found["cases"], found["figure"]) == (len(values), pytest.approx(sum(values) / len(values)))
    low, high = wilson(sum(values), len(values))
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))


@pytest.mark.parametrize("seed", SEEDS)
def test_volume(seed: int) -> None:
    """AC-01: this week, and each of eight."""
    data = raw(seed)
    last: dict[str, tuple[float, str]] = {}
    for record in data["classified"]:
        if record["classification"] != "odd":
            last[record["message_id"]] = (days_ago(record["classified_at"]), record["classification"])
    row = data["report"]["AC-01"]
    expect_share(row, [name == "actionable" for ago, name in last.values() if 0 <= ago < 7])
    for week, of_week in enumerate(reversed(row["trend"])):
        names = [name for ago, name in last.values() if 7 * week <= ago < 7 * week + 7]
        assert (of_week["cases"], of_week["figure"]) == (len(names), names.count("actionable") / len(names))


@pytest.mark.parametrize("seed", SEEDS)
def test_context(seed: int) -> None:
    """AC-02: the tokens of all other agents of a question."""
    data = raw(seed)
    tokens: dict[str, int] = {}
    for session in data["sessions"]:
        if session["thread_id"]:
            count = session["usage"]["input_tokens"] + session["usage"]["output_tokens"]
            own = session["agent"] in ("investigator", "validator")
            tokens[session["thread_id"]] = tokens.get(session["thread_id"], 0) + (0 if own else count)
    recent = [tokens[each["thread_id"]] for each in data["threads"] if 0 <= days_ago(each["started_at"]) < 28]
    measurement = data["report"]["AC-02"]["measurement"]
    assert (measurement["cases"], measurement["figure"]) == (len(recent), median(recent))
    ordered = sorted(recent)
    below = [sum(math.comb(len(recent), k) for k in range(n + 1)) / 2 ** len(recent) for n in range(len(recent))]
    low = max(n for n, chance in enumerate(below) if chance <= 0.025)
    assert (measurement["low"], measurement["high"]) == (ordered[low], ordered[len(recent) - 1 - low])


@pytest.mark.parametrize("seed", SEEDS)
def test_concurrency(seed: int) -> None:
    """AC-03: neighbours in time; nothing is mixed up in this home."""
    data = raw(seed)
    begun = sorted(
        (change["at"], thread["thread_id"])
        for thread in data["threads"]
        for change in thread["status_history"]
        if change["next"] == "investigating"
    )
    ago = [days_ago(at) for at, _ in begun]
    pairs = [later for earlier, later in pairwise(ago) if (earlier - later) * 1_440 <= 5 and later < 28]
    measurement = data["report"]["AC-03"]["measurement"]
    assert (measurement["cases"], measurement["figure"]) == (len(pairs), 1 if pairs else None)


@pytest.mark.parametrize("seed", SEEDS)
def test_planted_faults(seed: int) -> None:
    """AC-04: of the newest evaluation, without the classes that are not about references."""
    data = raw(seed)
    newest = max(data["evaluations"], key=lambda each: each["saved_at"])
    rows = [each for each in newest["engines"][0]["planted"] if each["kind"] != "scope drift"]
    caught = sum(max(each["by_code"]["count"], each["stopped"]["count"]) for each in rows)
    expect_share(data["report"]["AC-04"], [number < caught for number in range(6)])


@pytest.mark.parametrize("seed", SEEDS)
def test_first_rounds(seed: int) -> None:
    """AC-05: the validator's own words on first drafts."""
    data = raw(seed)
    first = [each["judged"][0] for each in data["threads"]]
    words = [each["validator"] for each in first if each["validator"] and 0 <= days_ago(each["at"]) < 7]
    expect_share(data["report"]["AC-05"], [word == "pass" for word in words])


@pytest.mark.parametrize("seed", SEEDS)
def test_improvement(seed: int) -> None:
    """AC-06: the second drafts of this home add a reference, a number, or nothing."""
    data = raw(seed)
    values, ends = [], []
    for thread in data["threads"]:
        if not thread["rounds"] or not thread["rounds"][0]["attack"] or days_ago(thread["judged"][1]["at"]) >= 28:
            continue
        refs = [each["ref"] for each in thread["investigator_return"]["evidence_refs"]]
        values.append(refs != ["bot/a.py:1"] or re.search("42", thread["draft_pending"]["text"]) is not None)
    for thread in data["threads"]:
        if thread["rounds"] and thread["rounds"][0]["attack"] and thread["decision"]:
            ends.append(thread["decision"]["action"])
    row = data["report"]["AC-06"]
    expect_share(row, values)
    assert row["note"].startswith(f"Of {len(ends)} such drafts with a decision {ends.count('approve')} were")


@pytest.mark.parametrize("seed", SEEDS)
def test_long_runs(seed: int) -> None:
    """AC-07 to AC-09: by outcome, by the document, and by the starts of the bot between."""
    data = raw(seed)
    ended = [each for each in data["sessions"] if each["tier"] == 2 and each["outcome"] not in ("running", "cancelled")]
    expect_share(
        data["report"]["AC-07"], [each["outcome"] != "died" for each in ended if 0 <= days_ago(each["saved_at"]) < 28]
    )
    watched = [each for each in data["threads"] if each["escalation"] and days_ago(each["started_at"]) < 28]
    expect_share(
        data["report"]["AC-08"],
        [bool(each["escalation"]["watch_command"]) and bool(each["escalation_transcript_path"]) for each in watched],
    )
    starts = [each.isoformat() for each in data["home"].starts]
    across = [
        each
        for each in ended
        if 0 <= days_ago(each["saved_at"]) < 28
        and any(days_ago(each["started_at"]) > days_ago(start) > days_ago(each["saved_at"]) for start in starts)
    ]
    assert across
    expect_share(data["report"]["AC-09"], [each["outcome"] != "died" for each in across])


@pytest.mark.parametrize("seed", SEEDS)
def test_answer_times(seed: int) -> None:
    """AC-10: the last four weeks against the time before."""
    home: Home = raw(seed)["home"]
    row = raw(seed)["report"]["AC-10"]
    seconds = [s for week in home.weeks[-4:] if week for channel in week.channels for s in channel.seconds]
    assert home.before
    before = median(s for channel in home.before.channels for s in channel.seconds)
    assert (row["measurement"]["cases"], row["measurement"]["figure"]) == (len(seconds), median(seconds))
    assert row["standing"] == ("met" if median(seconds) <= before + 30 else "not met")
    assert row["threshold"] == f"at most {before + 30:,.0f} seconds"


@pytest.mark.parametrize("seed", SEEDS)
def test_misses(seed: int) -> None:
    """AC-11: weighted by what each message stands for."""
    data = raw(seed)
    judged = [each for each in data["samples"] if each["judgement"] and 0 <= days_ago(each["at"]) < 84]
    missed = sum(each["weight"] for each in judged if each["judgement"] == "missed")
    measurement = data["report"]["AC-11"]["measurement"]
    assert measurement["cases"] == len(judged)
    assert measurement["figure"] == pytest.approx(missed / sum(each["weight"] for each in judged))
