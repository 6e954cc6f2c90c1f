"""Evidence recheck: a result from the run's record counts for its own log reference, and for nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.models.findings import EvidenceCheck, EvidenceRef
from bot.models.project import Project
from bot.triage.evidence_recheck import EvidenceRecheck
from tests.builders import check, reference
from tests.decide.test_workflow import awaiting
from tests.fakes import projects

if TYPE_CHECKING:
    from pathlib import Path

NAME = "logs_query timeout:1"


def log(quote: str = "10:01 timeout", **changes: Any) -> EvidenceRef:
    """A reference to a log."""
    return reference(**({"kind": "log_query", "ref": NAME, "quote": quote} | changes))


@pytest.mark.parametrize(
    ("references", "recorded", "results"),
    [
        ([log()], [check("ok", NAME)], ["ok"]),
        ([log()], [check("failed", NAME)], ["failed"]),
        ([log()], [], ["not_checkable"]),
        ([log(), log("invented")], [check("ok", NAME), check("failed", NAME)], ["failed", "failed"]),
        ([log("invented"), log()], [check("failed", NAME), check("ok", NAME)], ["failed", "failed"]),
        ([log(), reference(kind="external_doc", ref=NAME)], [check("ok", NAME)], ["ok", "not_checkable"]),
        ([log(), reference(kind="memory", ref=NAME)], [check("ok", NAME)], ["ok", "not_checkable"]),
        ([log(), reference(kind="file", ref=NAME)], [check("ok", NAME)], ["ok", "failed"]),
        ([log(), reference()], [check("ok", NAME)], ["ok", "ok"]),
    ],
)
@pytest.mark.parametrize("is_edited", [False, True])
async def test_a_record_counts_for_its_own_reference(
    tmp_path: Path,
    references: list[EvidenceRef],
    recorded: list[EvidenceCheck],
    results: list[str],
    *,
    is_edited: bool,
) -> None:
    """Neither another kind nor another quote of the same name passes by it, also in an edited draft."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/a.py").write_text("limit = 3\n")
    thread = awaiting()
    assert thread.investigator_return is not None
    claimed = thread.investigator_return.evolve(evidence_refs=tuple(references))
    thread = thread.evolve(investigator_return=claimed, recorded=tuple(recorded))
    if is_edited:
        thread = thread.evolve(cited=tuple(references))
    recheck = EvidenceRecheck(projects=projects(Project(name="triage", root=tmp_path)))
    assert [each.result for each in await recheck.check(thread)] == results
