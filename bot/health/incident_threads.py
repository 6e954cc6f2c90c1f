"""Threads of incidents: opened once by a message of the bot, and told each failure and recovery after that.

The record is saved before Slack is called. After any doubt the message is looked up by the incident's id in its
metadata, so that one incident has one message and one thread, whatever is killed when.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.errors import Refused, RetryLater, TriageError
from bot.models.incident import Incident
from bot.models.message import Message, Sender
from bot.models.thread_event import MessageAdded, ServicesFailed, ServicesRecovered
from bot.models.viewed_page import SubjectProject
from bot.runtime.retry import sleep_unless
from bot.surfaces.incident_messages import render_incident

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.health.incident_book import IncidentBook
    from bot.health.outages import Outages
    from bot.health.refusal_notices import RefusalNotices
    from bot.health.state_book import StateBook
    from bot.models.check_result import CheckResult
    from bot.models.incident_record import IncidentRecord
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Store
    from bot.triage.controls import Controls
    from bot.triage.externals import Externals
    from bot.triage.opening_messages import OpeningMessages
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until a record that could not be settled is tried again."""
_TOGETHER = 1.0
"""Seconds after which the next changes are looked at: many services that fail one after another are told together."""


@dataclass(kw_only=True, repr=False)
class IncidentThreads:
    """Opener of threads in the channel `chat_id`, if the settings name one; everything happens in one task."""

    messages: OpeningMessages
    store: Store
    orchestrator: Orchestrator
    controls: Controls
    operators: Operators
    redactor: Redactor
    clock: Clock
    book: IncidentBook
    states: StateBook
    outages: Outages
    refusals: RefusalNotices
    team_id: str
    bot_user_id: str
    chat_id: str | None
    chat_name: str
    externals: Externals | None = None
    """Lookup of readers of other companies; `None` in tests that need none."""
    projects: Mapping[str, str] = field(default_factory=dict)
    """Project of each service that has one in the settings."""

    def may_open(self) -> bool:
        """Return whether a message may be posted for a new incident now."""
        is_live = self.controls.modes.get(self.chat_id or "") == "live"
        return is_live and self.controls.state == "running"

    async def run(self) -> None:
        """Settle what the records need, at every change and again after a failure, until cancelled."""
        await self.compare()
        while True:
            self.book.news.clear()
            is_done = await self.settle()
            await self.clock.sleep(_TOGETHER)
            if is_done:
                await self.book.news.wait()
            else:
                await sleep_unless(self.clock, EVERY, unless=self.book.news)

    async def compare(self) -> None:
        """Find the threads that have not learnt a recovery, such as those of a restored document."""
        for record in self.book.records:
            thread = await self._load(record) if record.thread_id and not record.is_open else None
            if thread and thread.incident and not thread.incident.is_over and not record.is_behind:
                self.book.change(record.incident_id, revision=record.revision + 1)

    async def settle(self) -> bool:
        """Bring every record forward; return whether nothing is left to do."""
        await self.book.settle_each(self._settle)
        return await self.book.try_save() and not any(map(self._needs_work, self.book.records))

    def _needs_work(self, record: IncidentRecord) -> bool:
        return record.is_behind or record.thread_id is None

    async def _settle(self, record: IncidentRecord) -> None:
        await self.book.save()
        if record.thread_id is None:
            await self._open(record)
        elif record.is_behind:
            await self._tell(record, record.thread_id)

    async def _open(self, record: IncidentRecord) -> None:
        """Post the first message unless it is there, open the thread, and note it."""
        record, ts = await self._find_message(record)
        if ts is None and not record.is_open:
            ended = "no longer checked" if record.unchecked else "healthy again"
            await self.refusals.end(record, f"All is {ended}; nothing was reported there.")
            self.book.remove(record.incident_id)  # nobody else has heard of it
        elif ts is None and self.may_open():
            record = await self._begin(record)
            ts = await self._post(record)
        if ts and record.facts:
            await self._open_thread(record, record.facts, ts)

    async def _find_message(self, record: IncidentRecord) -> tuple[IncidentRecord, str | None]:
        """Look the message up if it may have been posted; return its ts, and the record as it is then."""
        if record.facts is None:
            return record, None
        ts = await self.messages.find(record.incident_id, channel=record.chat_id, since=record.opened_at)
        return self.book.find(record.incident_id) or record, ts

    async def _begin(self, record: IncidentRecord) -> IncidentRecord:
        """Save the facts before Slack is called; return the record with them. Raises `RetryLater`."""
        if record.facts is None or record.chat_id != self.chat_id:
            facts = self._build_facts(record)
            changes = {"facts": facts, "chat_id": self.chat_id or "", "told_revision": record.revision}
            self.messages.note_unposted(record.incident_id)
            self.book.change(record.incident_id, **changes)
            await self.book.save()
            record = record.evolve(**changes)
        return record

    async def _post(self, record: IncidentRecord) -> str | None:
        """Post the message; return its ts, `None` if Slack refuses it, which an admin is told once."""
        if record.facts is None or not self.may_open():
            return None
        picture = await render_incident(record.facts, self.redactor)
        try:
            return await self.messages.post(record.incident_id, channel=record.chat_id, picture=picture)
        except Refused as problem:
            await self.refusals.note(record, problem)
            return None

    async def _open_thread(self, record: IncidentRecord, facts: Incident, ts: str) -> None:
        message = self._build_message(facts, record.chat_id, ts)
        event = MessageAdded(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            message=message,
            mode=self.controls.modes.get(record.chat_id, "live"),
            operator=self.operators.first_operator(record.chat_id, self.bot_user_id),
            mentioned=False,
            incident=facts,
            external=await self.externals.find_external_in_history(message) if self.externals else None,
        )
        await self.orchestrator.submit(message.home, event)
        if record.session_id:
            self.outages.note_thread(record.session_id, message.home)
        self.book.change(record.incident_id, thread_id=message.home, facts=None, refusal="", notice="")
        await self.book.save()
        await self.refusals.end(record, "It is reported there now.")

    async def _tell(self, record: IncidentRecord, thread_id: str) -> None:
        """Tell the thread that services failed or recovered; a thread that is gone has to learn nothing.

        Where its message was deleted, nobody would see the next outage: that one begins a thread of its own.
        """
        thread = await self._load(record)
        is_failing = any(map(self.states.is_failing, record.services))
        if thread and record.is_open and is_failing and await self._is_deleted(thread):
            new_id, now = self.clock.new_id(), self.clock.now()
            self.book.change(record.incident_id, incident_id=new_id, thread_id=None, opened_at=now)
            return
        if thread and thread.incident and not (record.is_open and thread.incident.is_over and not is_failing):
            event = self._build_failure(record, thread.incident) if record.is_open else self._build_recovery(record)
            step = await self.orchestrator.submit(thread_id, event)
            after = step.thread.incident if step.thread else None
            if after and after.is_over == record.is_open:
                raise RetryLater("its thread did not take the change")
        if record.session_id:
            self.outages.note_thread(record.session_id, thread_id)
        self.book.change(record.incident_id, told_revision=record.revision)

    async def _is_deleted(self, thread: Thread) -> bool:
        """Return whether Slack no longer has the message of an ended incident; false where it does not say."""
        incident = thread.incident
        if incident is None or not incident.is_over:
            return False
        try:
            ts = await self.messages.find(incident.incident_id, channel=thread.chat_id, since=thread.started_at)
        except TriageError as problem:
            log.warning("incident %s: %s", incident.incident_id, problem)
            return False
        return ts is None

    def _build_failure(self, record: IncidentRecord, incident: Incident) -> ServicesFailed:
        known_services = () if incident.is_over else incident.services
        new = tuple(name for name in record.services if name not in known_services and self.states.is_failing(name))
        return ServicesFailed(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            services=new or record.services,
            checks=self.states.list_checks(record),
            cooldown_state=self.states.snapshot(record, self.book.records),
            session_id=record.session_id,
        )

    def _build_recovery(self, record: IncidentRecord) -> ServicesRecovered:
        return ServicesRecovered(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            checks=self.states.list_checks(record),
            unchecked=record.unchecked,
        )

    async def _load(self, record: IncidentRecord) -> Thread | None:
        try:
            return await self.store.load(record.thread_id or "")
        except TriageError as problem:  # the next event of an unreadable document sets it aside
            log.warning("%s", problem)
            return None

    def _build_facts(self, record: IncidentRecord) -> Incident:
        checks = self.states.list_checks(record)
        return Incident(
            incident_id=record.incident_id,
            group=record.group,
            services=record.services,
            since=record.since,
            checks=checks,
            checked_at=self.clock.now(),
            cooldown_state=self.states.snapshot(record, self.book.records),
            session_id=record.session_id,
            shown=1,
        )

    def _build_message(self, facts: Incident, chat_id: str, ts: str) -> Message:
        return Message(
            team_id=self.team_id,
            chat_id=chat_id,
            chat_name=self.chat_name,
            message_id=ts,
            create_time=datetime.fromtimestamp(float(ts), UTC),
            msg_type="text",
            content="\n".join(map(_describe, filter(_is_failed, facts.checks))),
            thread_id=None,
            sender=Sender(id=self.bot_user_id, type="bot"),
            subject=self._find_project(facts.services),
        )

    def _find_project(self, services: Sequence[str]) -> SubjectProject | None:
        """Return the project of the first of these services that has one in the settings."""
        name = next((name for name in services if name in self.projects), None)
        why = f"the settings of the service {name}"
        return SubjectProject(project=self.projects[name], why=why, told=why) if name else None


def _is_failed(check: CheckResult) -> bool:
    return check.status != "healthy"


def _describe(check: CheckResult) -> str:
    reason = f": {check.error}" if check.error else ""
    return f"{check.service} is {check.status}, {check.check_type} check{reason}"
