"""A worker's runner: what an order may cost, whichever attempt it is, and whose code it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.adapters.home import Home
from bot.adapters.prices import PriceTable
from bot.agents.job_runner import JobRunner
from bot.config.environment import read_environment
from bot.config.settings import Settings
from bot.decide.redaction.redactor import Redactor
from bot.errors import Fenced, NotHere
from bot.models.findings import Assignment
from bot.models.job import JobClaim, JobOrder, JobResult
from bot.models.project import Project
from bot.models.session import Session
from bot.wiring.engines import build_engines
from bot.wiring.file_storage import FileStorage
from tests.builders import T0
from tests.fakes import HandClock, MemoryJournal
from tests.line.agents import QUESTION
from tests.line.play import CITED, GOOD, Play
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from bot.ports.jobs import JobClaims


@dataclass
class Claims:
    """The accounts that a worker saves, until another one has its job."""

    saved: list[Session] = field(default_factory=list)
    is_lost: bool = False

    async def save_session(self, claim: JobClaim, session: Session) -> None:
        """Keep it."""
        if self.is_lost:
            raise Fenced("another worker has it")
        self.saved.append(session)


def account(usd: float, held: float) -> Session:
    """What an earlier attempt saved before its worker died."""
    about = {"session_id": "20260101T000000-job-1", "agent": "investigator", "model": "m"}
    return Session.model_validate({**about, "started_at": T0, "saved_at": T0, "cost_usd": usd, "held_usd": held})


async def run(folder: Path, claims: JobClaims, *earlier: Session, known: str = "shop") -> tuple[JobResult, int]:
    """The result of an order over a dollar, and the number of requests to the model."""
    code = folder / "code"
    code.mkdir()
    (code / "orders.py").write_text(f"# Orders.\n\n{CITED}\n")
    async with ModelServer(Play()) as server:
        settings = Settings.model_validate({"engine": "claude", "model": {"base_url": server.url, "max_retries": 0}})
        storage, clock, home = FileStorage(folder / "home"), HandClock(), Home(folder / "home")
        engines = build_engines(
            settings,
            read_environment(),
            home,
            storage,
            clock=clock,
            redactor=Redactor(),
            replies=MemoryJournal(),
            tell=lambda _: None,
        )

        async def read_projects() -> dict[str, Project]:
            return {known: Project(name=known, root=code)}

        runner = JobRunner(
            engines=engines,
            claims=claims,
            prices=PriceTable(),
            allowance_file=storage.json_file("allowance"),
            clock=clock,
            read_projects=read_projects,
        )
        elsewhere = Project(name="shop", root=Path("/nowhere/of/the/leader"))
        order = JobOrder(
            kind="investigation",
            run_key="k",
            thread_id="T1-C1-1.0",
            session_id="20260101T000000-job-1",
            usd=1.0,
            assignment=Assignment(question=QUESTION, projects=(elsewhere,)),
        )
        try:
            claim = JobClaim(job_id=1, attempt=len(earlier) + 1, order=order, earlier=earlier)
            return await runner.run(claim), len(server.requests)
        finally:
            await engines.close()
            assert len(server.requests) in (0, len(GOOD))


async def test_each_call_is_on_record_with_its_most_before_it_is_made(tmp_path: Path) -> None:
    """In the code of this machine; the last account has what it came to."""
    claims = Claims()
    result, requests = await run(tmp_path, claims)  # type: ignore[arg-type]  # what a runner uses
    assert result.report is not None
    assert result.report.engine == "claude"
    held = [session.held_usd > 0 for session in claims.saved]
    assert held == [True] * requests + [False]
    assert (claims.saved[-1].outcome, claims.saved[-1].session_id) == ("answered", "20260101T000000-job-1")


async def test_the_second_attempt_has_only_what_the_first_one_left(tmp_path: Path) -> None:
    """With too little left for a call the model is not asked, and the keyword engine answers."""
    claims = Claims()
    result, requests = await run(tmp_path, claims, account(0.5, held=0.4999))  # type: ignore[arg-type]  # the same
    assert requests == 0
    assert result.report is not None
    assert (result.report.engine, result.report.fallback_why) == ("keyword", "over-cap")
    assert claims.saved[-1].session_id == "20260101T000000-job-1-2"


async def test_a_worker_that_lost_its_job_asks_no_more_and_no_other_engine(tmp_path: Path) -> None:
    """It finds that out before a call."""
    with pytest.raises(Fenced):
        await run(tmp_path, Claims(is_lost=True))  # type: ignore[arg-type]  # the same


async def test_a_project_that_this_machine_does_not_have_is_named(tmp_path: Path) -> None:
    """As what it is: settings that differ. A replica that has it may do the job."""
    with pytest.raises(NotHere, match="this replica has no project shop: the settings of replicas differ"):
        await run(tmp_path, Claims(), known="other")  # type: ignore[arg-type]  # the same
