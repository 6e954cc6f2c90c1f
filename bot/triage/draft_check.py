"""Draft checks: code opens every reference again, then the validator, if there is one, reviews the draft.

A draft with a failed reference never reaches the validator. Without a verdict of the validator the draft still goes to
the operator, recorded as not validated.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.agents.evidence import EvidenceChecker
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.decide.redaction.redacted_facts import redact_fact
from bot.errors import NoKey, OverCap, TriageError, Unreachable
from bot.models.escalation import PROGRAM
from bot.models.thread_event import EvidenceFailed, RunFailed, Validated
from bot.models.verdict import Review
from bot.runtime.offload import run_offloaded
from bot.triage.speakers import quote_lines

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.intake.catch_up import CatchUp
    from bot.models.findings import EvidenceCheck, EvidenceRef, InvestigatorReturn
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.models.verdict import ValidatorReturn
    from bot.ports.outbound import Clock
    from bot.triage.evidence_recheck import EvidenceRecheck
    from bot.triage.hints import ChannelLook, Hints

log = logging.getLogger(__name__)

DRAFTS = "investigator"
"""Agent whose run is the parent of a validator's."""


class DraftValidator(Protocol):
    """Validator of drafts."""

    def validate(self, review: Review) -> Awaitable[ValidatorReturn]:
        """Return the validator's result. Raises `TriageError` if it comes to none."""


@dataclass(frozen=True, kw_only=True)
class DraftChecker:
    """Checker of drafts. `seconds` is the validator's timeout."""

    evidence: EvidenceRecheck
    clock: Clock
    seconds: float
    catch_up: CatchUp
    validator: DraftValidator | None = None
    drafts_of: str = ""
    """Engine whose drafts the validator reviews; those of others are checked by code only."""
    hints: Hints | None = None
    """Hints of other questions; `None` if they are off."""

    async def check(
        self, thread: Thread, run_id: str, read: Project | None = None, look: ChannelLook | None = None
    ) -> EvidenceFailed | Validated | RunFailed:
        """Check a draft; return the event with the result.

        `read` is the project as the investigation saw it, if known; `look` caches the run's channel lookups.
        """
        project = read if read and read.name == thread.project else self.evidence.find_project(thread)
        if project is None:
            gone = f"the project {thread.project} is no longer configured"
            reason = gone if thread.project else "there was no project to search"
            return RunFailed(
                at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, reason=reason, why="settings"
            )
        checks = await self.evidence.check(thread, project)
        failed = any(check.result == "failed" for check in checks)
        validated = None if failed else await self._validate(thread, run_id, project, checks, look)
        try:
            await self.catch_up.thread(thread, in_passing=True)
        except TriageError as problem:
            log.info("thread %s is not read again before its draft is shown: %s", thread.thread_id, problem)
        return validated or EvidenceFailed(at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, checks=checks)

    async def _validate(
        self,
        thread: Thread,
        run_id: str,
        project: Project,
        checks: tuple[EvidenceCheck, ...],
        look: ChannelLook | None,
    ) -> Validated:
        redactor = self.evidence.redactor

        def build_result(
            returned: ValidatorReturn | None = None,
            why: str | None = None,
            *,
            is_model_away: bool = False,
            notes: str = "",
        ) -> Validated:
            return Validated(
                at=self.clock.now(),
                fresh=self.clock.new_id(),
                run_id=run_id,
                checks=checks,
                validator_return=returned and redact_fact(returned, redactor, repeated=False),
                unvalidated=redactor.redact(why) if why else None,
                is_model_away=is_model_away,
                unchecked_notes=redactor.redact(notes),
                unsupported=surplus,
            )

        surplus: tuple[str, ...] = ()
        findings = thread.investigator_return
        if self.validator is None or thread.engine not in (self.drafts_of, PROGRAM) or findings is None:
            return build_result()
        question = await run_offloaded(redactor.redact, thread.read_question)
        surplus = await self._find_unsupported(project, findings, question, checks)
        others = await self._list_hints(thread, project, look)
        review = await run_offloaded(self._review, thread, run_id, project, findings, checks, surplus, others)
        try:
            async with asyncio.timeout(self.seconds):
                return build_result(await self.validator.validate(review))
        except TimeoutError:
            return build_result(why=f"the validator took longer than {self.seconds / 60:g} minutes")
        except TriageError as problem:
            is_away = isinstance(problem, Unreachable | OverCap | NoKey)
            return build_result(why=str(problem), is_model_away=is_away, notes=problem.unchecked_notes)

    def _review(
        self,
        thread: Thread,
        run_id: str,
        project: Project,
        findings: InvestigatorReturn,
        checks: tuple[EvidenceCheck, ...],
        surplus: tuple[str, ...],
        others: tuple[str, ...],
    ) -> Review:
        """Build the validator's input, with secrets redacted."""
        redactor = self.evidence.redactor
        return Review(
            question=redactor.redact(thread.read_question),
            lines=quote_lines(thread, redactor),
            unread=tuple(map(redactor.redact, thread.unread)),
            shared=tuple(map(redactor.redact, thread.shared)),
            question_type=thread.question_type,
            project=project,
            findings=findings,
            checks=checks,
            unsupported=surplus,
            others=others,
            thread_id=thread.thread_id,
            run_id=run_id,
            task=thread.task,
            journal=next(
                (dispatch.journal_file for dispatch in reversed(thread.dispatches) if dispatch.run_id == run_id), ""
            ),
            parent_session_id=next((run.session_id for run in reversed(thread.runs) if run.agent == DRAFTS), None),
        )

    async def _list_hints(self, thread: Thread, project: Project, look: ChannelLook | None) -> tuple[str, ...]:
        if self.hints is None:
            return ()
        hints = await self.hints.list_for(thread, project.belongs_to, look or self.hints.look())
        return tuple(hint.line for hint in hints)

    async def _find_unsupported(
        self, project: Project, findings: InvestigatorReturn, question: str, checks: tuple[EvidenceCheck, ...]
    ) -> tuple[str, ...]:
        """Return the values of the draft that are neither in the question nor in the verified references."""
        checker = EvidenceChecker(project.root, self.evidence.redactor, project)
        standing = {check.ref for check in checks if check.result == "ok"}
        cited = [await checker.cited(ref) for ref in findings.evidence_refs if ref.ref in standing]
        cited += [ref.quote for ref in findings.evidence_refs if _is_recorded(ref, standing) and ref.quote]
        return await asyncio.to_thread(find_unsupported, findings.draft_reply, question, cited)


def _is_recorded(reference: EvidenceRef, standing: set[str]) -> bool:
    """Return whether a quote is from a log query, which was recorded and cannot be opened again."""
    return reference.kind == "log_query" and reference.ref in standing
