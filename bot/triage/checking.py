"""Checking a draft: every reference opened again by code, then, where there is one, the validator's attack.

Called by `triage/effects`. A draft with a reference that does not stand never reaches the validator. A validator that
cannot be asked, or comes to no verdict, keeps no draft from the operator: its checks are then on record as not made.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.agents.ended import Ended
from bot.agents.evidence import EvidenceChecker
from bot.errors import TriageError
from bot.models.happening import EvidenceFailed, Happening, RunFailed, Validated
from bot.models.verdict import Review

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.validator import Judgement
    from bot.decide.redact import Redactor
    from bot.models.findings import EvidenceCheck
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.ports import Clock
    from bot.triage.freshness import Freshness
    from bot.triage.hints import Hints

log = logging.getLogger(__name__)


class Judge(Protocol):
    """Whoever judges a draft: the validator."""

    def judge(self, review: Review) -> Awaitable[Judgement]:
        """The judgement. Raises `TriageError` when there is none."""


def none_listed(draft: str, question: str, cited: Sequence[str]) -> tuple[str, ...]:
    """Nothing is looked for."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Checking:
    """Checks drafts. `seconds` is how long the validator may take."""

    freshness: Freshness
    projects: tuple[Project, ...]
    clock: Clock
    new_id: Callable[[], str]
    redactor: Redactor
    seconds: float
    validator: Judge | None = None
    drafts_of: str = ""
    """The engine whose drafts the validator judges; another one's are checked by code alone."""
    unsupported: Callable[[str, str, Sequence[str]], tuple[str, ...]] = none_listed
    """What of a draft stands neither in the question nor in a cited text."""
    hints: Hints | None = None
    """Who knows of other open questions; nobody where hints are off."""

    async def check(self, thread: Thread, run_id: str) -> Happening:
        """What became of the draft."""
        project = next((project for project in self.projects if project.name == thread.project), None)
        if project is None:
            reason = f"the project {thread.project} is no longer configured"
            return RunFailed(at=self.clock.now(), fresh=self.new_id(), run_id=run_id, reason=reason)
        checks = await self.freshness.check(thread)
        failed = any(check.result == "failed" for check in checks)
        made = None if failed else await self._validated(thread, run_id, project, checks)
        try:
            await self.freshness.read_thread(thread)
        except TriageError as problem:
            log.warning("thread %s is not read again before its draft is shown: %s", thread.thread_id, problem)
        return made or EvidenceFailed(at=self.clock.now(), fresh=self.new_id(), run_id=run_id, checks=checks)

    async def _validated(
        self, thread: Thread, run_id: str, project: Project, checks: tuple[EvidenceCheck, ...]
    ) -> Validated:
        def made(judgement: Judgement | None = None, why: str | None = None, ended: Ended | None = None) -> Validated:
            ran = judgement.ran if judgement else ended.ran if ended else None
            returned = judgement.returned if judgement else None
            return Validated(
                at=self.clock.now(),
                fresh=self.new_id(),
                run_id=run_id,
                checks=checks,
                validator_return=returned and type(returned).model_validate(self.redactor.value(returned.model_dump())),
                unvalidated=self.redactor.redact(why) if why else None,
                unsupported=unsupported,
                ran=ran,
            )

        unsupported: tuple[str, ...] = ()
        findings = thread.investigator_return
        if self.validator is None or thread.engine != self.drafts_of or findings is None:
            return made()
        question = self.redactor.redact(thread.question)
        checker = EvidenceChecker(project.root, redactor=self.redactor)
        cited = [await checker.cited(reference) for reference in findings.evidence_refs]
        unsupported = self.unsupported(findings.draft_reply, question, cited)
        review = Review(
            question=question,
            question_type=thread.question_type,
            project=project,
            findings=findings,
            checks=checks,
            unsupported=unsupported,
            others=tuple(hint.line for hint in await self.hints.of(thread)) if self.hints else (),
            thread_id=thread.thread_id,
            parent_session_id=thread.runs[-1].session_id if thread.runs else None,
        )
        try:
            async with asyncio.timeout(self.seconds):
                return made(await self.validator.judge(review))
        except TimeoutError:
            return made(why=f"the validator took longer than {self.seconds / 60:g} minutes")
        except Ended as problem:
            return made(why=str(problem), ended=problem)
        except TriageError as problem:
            return made(why=str(problem))
