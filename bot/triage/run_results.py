"""Run results: an engine's report as the event `Findings`, redacted, with its sources and a sealed draft.

Reports of tier 1 and of the processes of tiers 2 and 3 take the same way.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bot.agents.evidence import notice_assigned_secrets
from bot.agents.sources import as_written, find_sources
from bot.decide.health.proposals import find_withheld, judge_proposal
from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.redaction.redactor import Redactor
from bot.models.thread_event import Findings
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import make_draft

if TYPE_CHECKING:
    from bot.models.findings import EngineReport
    from bot.models.incident import Remedy
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.ports.health import RunbookRunner
    from bot.ports.outbound import Clock, Fetches
    from bot.triage.assignments import PreparedRun
    from bot.triage.code_owners import CodeOwners
    from bot.triage.hints import ChannelLook, Hints
    from bot.triage.repeated_questions import EarlierAnswers


@dataclass(frozen=True, kw_only=True)
class RunResults:
    """Maker of findings from reports; it keeps what the check of a draft reads, until that check begins."""

    clock: Clock
    fetches: Fetches
    """Fetched code, which may be old."""
    redactor: Redactor = field(default_factory=Redactor)
    code_owners: CodeOwners | None = None
    hints: Hints | None = None
    """Hints of other questions; `None` if they are off."""
    runbooks: RunbookRunner | None = None
    """Runbooks that an agent may propose; `None` where there are none."""
    _read: dict[str, Project] = field(default_factory=dict)
    """Projects as read by the runs whose drafts are still to be checked, by run id."""
    _looks: dict[str, ChannelLook] = field(default_factory=dict)
    """Channel lookups of the runs whose drafts are still to be checked, by run id."""

    def take(self, run_id: str) -> tuple[Project | None, ChannelLook | None]:
        """Return the project and the channel lookups of a run, once; `None` after a restart."""
        return self._read.pop(run_id, None), self._looks.pop(run_id, None)

    async def build(
        self,
        thread: Thread,
        run_id: str,
        prepared: PreparedRun,
        engine_report: EngineReport,
        *,
        before: EarlierAnswers | None = None,
        paused: str | None = None,
    ) -> Findings:
        """Return the findings of a report. `before` are earlier answers, `paused` is a paused project that fits."""
        project, look = prepared.find_project(engine_report.project), prepared.look
        cited = engine_report.findings.evidence_refs if engine_report.cited is None else engine_report.cited
        await notice_assigned_secrets(project, cited, self.redactor)
        report = await run_offloaded(self._redact_report, engine_report)
        if project:
            self._read[run_id] = project
            if look:
                self._looks[run_id] = look
        references = report.findings.evidence_refs if report.cited is None else report.cited
        places = await find_sources(project, references) if project else ()
        text = engine_report.findings.draft_reply  # not redacted, so that a secret in it is noticed
        by = report.edited_by
        links = (*places, *as_written(report.wordings, places))
        sealing = partial(make_draft, nonce=self.clock.new_id(), edited_by=by, redactor=self.redactor, sources=links)
        draft = await asyncio.to_thread(sealing, thread, text)
        return Findings(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            run_id=run_id,
            report=report,
            draft=draft,
            asker_name=thread.original_sender_name,
            sources=places,
            code_of=self.fetches.old_since(report.project),
            owners=await self.code_owners.owners_of(project, references) if self.code_owners and project else (),
            hinted=tuple(hint.thread_id for hint in prepared.hints),
            visibility=await self.hints.seen_by(thread, look) if self.hints and look else None,
            asked_before=before.links if before else (),
            paused_project=paused,
            remedy=self._judge_proposal(thread, report),
            kept_back=prepared.kept_back,
        )

    def _judge_proposal(self, thread: Thread, report: EngineReport) -> Remedy | None:
        """Return the runbook that a run about an incident proposes, judged; else one that it could not propose, with
        the reason; `None` without either."""
        incident, proposed = thread.incident, report.findings.proposed_runbook
        if incident is None or not thread.is_about_incident:
            return None
        tier = thread.run_tier
        offered = self.runbooks.list_proposals(incident.services, tier) if self.runbooks else ()
        if proposed is None:
            withheld = self.runbooks.list_withheld(incident.services, tier) if self.runbooks else ()
            return find_withheld(incident, tier=tier, offered=offered, withheld=withheld, at=self.clock.now())
        return judge_proposal(incident, proposed, tier=tier, offered=offered, at=self.clock.now())

    def _redact_report(self, report: EngineReport) -> EngineReport:
        """Return the report to save and show, with secrets redacted."""
        return redact_fact(report, self.redactor)
