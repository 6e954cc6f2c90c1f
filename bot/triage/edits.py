"""Edited drafts: code opens the references of the new text and seals it again with links to them.

This is an effect of the workflow, so that the dialog closes immediately and a crash repeats it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.agents.citations import CitationOpener
from bot.agents.evidence import notice_assigned_secrets
from bot.agents.sources import as_written, find_sources, map_wordings
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.errors import TriageError
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.staleness import ReferencesOpened
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import make_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.citations import Citation
    from bot.models.findings import EvidenceCheck, EvidenceSource
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.code_owners import CodeOwners
    from bot.triage.evidence_recheck import EvidenceRecheck

log = logging.getLogger(__name__)

SECONDS = 30.0
"""Timeout for the references of one text."""


@dataclass(frozen=True, kw_only=True)
class Edits:
    """Checker of edited drafts."""

    evidence: EvidenceRecheck
    clock: Clock
    code_owners: CodeOwners | None = None
    """Lookup of owners of cited files; `None` where it is off."""

    async def open(self, thread: Thread, opening: str) -> ReferencesOpened:
        """Open the references of the thread's draft; return the event. Raises nothing but cancellation."""
        try:
            async with asyncio.timeout(SECONDS):
                return await self._open_references(thread, opening)
        except TimeoutError:
            problem = f"it took longer than {SECONDS:.0f} s"
        except TriageError as error:
            problem = self.evidence.redactor.redact(str(error).rstrip("."))
        except Exception as error:
            log.exception("thread %s: the references of its draft were not opened", thread.thread_id)
            problem = f"it failed ({type(error).__name__}); the log says more"
        return await self._result(thread, opening, references=(), checks=(), problem=problem)

    async def _open_references(self, thread: Thread, opening: str) -> ReferencesOpened:
        draft, findings = thread.draft_pending, thread.investigator_return
        project = self.evidence.find_project(thread)
        if project is None:
            raise TriageError(f"the project {thread.project} is no longer configured")
        if draft is None or findings is None:
            raise TriageError("there is no draft")
        opener = CitationOpener(project, self.evidence.redactor, thread.route.folder if thread.route else ".")
        if draft.drafted is None and thread.engine != ANSWERED_BEFORE:
            back = thread.evolve(cited=None)
            checks = await self.evidence.check(back, project)
            cited: tuple[Citation, ...] = ()
            references, citations = back.references, None
        else:
            cited = await opener.open(draft.text, findings.evidence_refs, draft.drafted or draft.text)
            references = citations = tuple(citation.reference for citation in cited)
            cited_thread = thread.evolve(cited=references)
            checks = await self.evidence.check(cited_thread, project)
            cited = tuple(_seen_again(citation, check) for citation, check in zip(cited, checks, strict=True))
            checks = tuple(citation.check for citation in cited)
        places = await find_sources(project, references)
        await notice_assigned_secrets(project, references, self.evidence.redactor)
        return await self._result(
            thread,
            opening,
            references=citations,
            checks=checks,
            sources=places,
            links=(*places, *as_written(map_wordings(cited), places)),
            owners=await self.code_owners.owners_of(project, references) if self.code_owners else (),
            unsupported=await self._find_unsupported(thread, draft.text, opener, cited),
        )

    async def _result(
        self, thread: Thread, opening: str, *, links: Sequence[EvidenceSource] = (), **fields: Any
    ) -> ReferencesOpened:
        text = thread.draft_pending.text if thread.draft_pending else ""
        sealing = partial(make_draft, nonce="", redactor=self.evidence.redactor, sources=tuple(links))
        sealed = await asyncio.to_thread(sealing, thread, text)
        return ReferencesOpened(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            opening=opening,
            payload=sealed.payload,
            sha256=sealed.sha256,
            **fields,
        )

    async def _find_unsupported(
        self, thread: Thread, text: str, opener: CitationOpener, cited: Sequence[Citation]
    ) -> tuple[str, ...]:
        """Return the values of the text that no cited line contains.

        None if the engine had found nothing and the text cites nothing: it is then a person's own answer.
        """
        if thread.found_nothing and not cited:
            return ()
        question = await run_offloaded(self.evidence.redactor.redact, thread.read_question)
        cited_lines = await opener.cited(cited)
        return await asyncio.to_thread(find_unsupported, text, question, cited_lines)


def _seen_again(citation: Citation, check: EvidenceCheck) -> Citation:
    """Return the citation with its newest check; an unchanged result keeps the first check, whose reason is better."""
    return citation if citation.check.result == check.result else replace(citation, check=check)
