"""The drill over code of this project, with a validator that is a function, and one on a loop against a server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.claude import ClaudeModel, Server
from bot.agents.drill import AT_ONCE, DrillOutcome, RecordingModel, check_case, found_by_code, run_drill
from bot.agents.ledger import Ledger
from bot.agents.loop import Loop
from bot.agents.run import Task
from bot.cli.drill_cases import build_cases
from bot.decide.drill import SOUND, Case
from bot.decide.drill.faults import FAULTS, RISKY, UNSUPPORTED
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.errors import OverCap, Refused
from bot.models.model_parameters import ModelParameters
from bot.models.project import Project
from bot.models.verdict import Review, ValidatorReturn
from bot.reports.drill import NO_RATE, as_data, as_text, rows
from tests.builders import validator
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices
from tests.model_server import Body, ModelServer, says

ROOT = Path(__file__).resolve().parents[2]
PROJECT = Project(name="sandbox", root=ROOT / "sandbox")
BY_CODE = [name for name, fault in FAULTS.items() if fault.by_code]


MADE: dict[tuple[int, int], tuple[Case, ...]] = {}
"""Those of earlier tests: to read the code takes a tenth of a second."""


async def made(cases: int = 2, seed: int = 7) -> list[Case]:
    """Cases from this project."""
    if (cases, seed) not in MADE:
        MADE[cases, seed] = tuple(await build_cases(PROJECT, Redactor(), cases=cases, seed=seed))
    return [*MADE[cases, seed]]


async def outcomes(cases: list[Case], validate: Any) -> list[DrillOutcome]:
    """All of a drill."""
    return [outcome async for outcome in run_drill(cases, PROJECT, validate)]


async def test_code_stops_every_false_reference_and_no_sound_case() -> None:
    """Wrong path, wrong line and changed quote fall without a model; sound cases give no alarm."""
    found: dict[str, list[bool]] = {}
    for case in await made(cases=40):
        found.setdefault(case.kind, []).append(found_by_code(case, *await check_case(case, PROJECT)))
    assert not any(found[SOUND])
    for kind in BY_CODE:
        assert all(found[kind]) or kind == UNSUPPORTED, kind
    assert any(found[UNSUPPORTED])
    assert not any(any(found[kind]) for kind in FAULTS if kind not in BY_CODE)


async def test_what_code_found_is_withheld_where_it_would_give_the_fault_away() -> None:
    """Else the code's work would count as the model's."""
    seen: list[tuple[str, Review]] = []
    cases = await made()
    kinds = {case.findings: case.kind for case in cases}

    async def look(review: Review) -> ValidatorReturn:
        seen.append((kinds[review.findings], review))
        return validator()

    await outcomes(cases, look)
    assert len(seen) == len(cases)
    for kind, review in seen:
        assert bool(review.checks) != (kind in BY_CODE and kind != RISKY)
        assert not review.unsupported
        assert review.thread_id is None


async def test_a_verdict_counts_as_the_gate_takes_it() -> None:
    """One that passes while a check of its own fails has stopped the draft; the field of a class names its fault."""

    async def says_mismatch(review: Review) -> ValidatorReturn:
        return validator(confidence_language_match="mismatch")

    async def passes(review: Review) -> ValidatorReturn:
        return validator()

    strict, lax = await outcomes(await made(), says_mismatch), await outcomes(await made(), passes)
    assert all(one.stopped for one in strict)
    assert not any(one.stopped for one in lax)
    assert {one.named for one in strict if one.case.kind == "overconfident wording"} == {True}
    assert {one.named for one in strict if one.case.kind in ("scope drift", "AI manner")} == {False}
    assert {one.named for one in strict if one.case.kind in (SOUND, UNSUPPORTED)} == {None}


async def test_reviews_without_a_verdict_count_in_no_share() -> None:
    """They are told beside the table."""

    async def fails(review: Review) -> ValidatorReturn:
        if "definitely" in review.findings.draft_reply.lower() or review.findings.confidence == "high":
            raise Refused("no", code="no")
        return validator()

    table = rows(await outcomes(await made(), fails), scripted=False)
    assert sum(row.no_verdict for row in table) > 0
    for row in table:
        assert row.stopped is not None
        assert row.stopped.total == row.cases - row.no_verdict
    assert "came to no verdict" in as_text(table, scripted=False)


async def test_some_reviews_run_side_by_side() -> None:
    """So many, and never more."""
    running, most = 0, 0
    together = asyncio.Barrier(AT_ONCE)

    async def meet(review: Review) -> ValidatorReturn:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await together.wait()
        running -= 1
        return validator()

    cases = await made()
    assert len(cases) % AT_ONCE == 0
    assert len(await outcomes(cases, meet)) == len(cases)
    assert most == AT_ONCE


async def test_a_cap_ends_the_drill_and_calls_off_what_runs() -> None:
    """What came before stays; nothing is asked afterwards."""
    running, asked = 0, count(1)
    came: list[DrillOutcome] = []

    async def dear(review: Review) -> ValidatorReturn:
        nonlocal running
        running += 1
        try:
            await asyncio.sleep(0)
            if next(asked) == 10:
                raise OverCap("the day is full", limit="day")
            return validator()
        finally:
            running -= 1

    async def all_of_it() -> None:
        async with aclosing(run_drill(await made(), PROJECT, dear)) as coming:
            async for outcome in coming:
                came.append(outcome)

    with pytest.raises(OverCap):
        await all_of_it()
    assert 0 < len(came) < 10
    assert running == 0
    assert next(asked) <= 11 + AT_ONCE


def on_a_loop(server: ModelServer, there: Server) -> tuple[RecordingModel, Any]:
    """A validator of the plainest kind on a real loop, and the ear on its model."""
    clock = HandClock()
    ledger = Ledger(
        sessions=MemorySessions(),
        allowance_file=MemoryKept(),
        prices=RoundPrices(),
        clock=clock,
        usd_per_day=99,
        tell=lambda line: None,
    )
    heard = RecordingModel(ClaudeModel(there, "claude-opus-5-5", ModelParameters(max_tokens=8_192)))
    loop = Loop(model=heard, ledger=ledger, clock=clock)

    async def validate(review: Review) -> ValidatorReturn:
        task = Task(
            agent="validator",
            prompt="Break it.",
            question=review.findings.model_dump_json(),
            tools=(),
            form=ValidatorReturn,
            limits=RunLimits(usd=99),
        )
        run = await loop.run(task)
        assert run.answer
        return run.answer

    return heard, validate


@pytest.mark.parametrize(("answers_as", "scripted"), [("scripted", True), ("claude-opus-5-5-20260101", False)])
async def test_no_rates_are_shown_for_a_script(answers_as: str, scripted: bool) -> None:
    """The name by which the answers come tells a script from a model, whatever model was asked for."""

    def script(body: Body) -> Body:
        return says(validator().model_dump_json()) | {"model": answers_as}

    async with ModelServer(script) as server:
        there = Server(key=None, base_url=server.url, timeout=30)
        heard, validate = on_a_loop(server, there)
        came = await outcomes((await made(cases=1))[:6], validate)
        await there.close()
    assert heard.scripted is scripted
    table = rows(came, scripted=heard.scripted)
    assert all((row.stopped is None) == scripted for row in table)
    assert (NO_RATE in as_text(table, scripted=heard.scripted)) == scripted
    assert all((row["stopped"] is None) == scripted for row in as_data(table)["classes"])
