"""Events for hooks: observed where they happen, and kept in memory until their runs begin.

Nothing is saved here. After a crash each event comes again: messages and merge requests from the journal, tasks and
services from their saved states; what has begun a run before begins none (`decide/hooks/runs`).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.hooks.events import (
    find_merge_request_cause,
    find_message_cause,
    find_service_cause,
    find_task_cause,
)
from bot.decide.hooks.runs import may_begin

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.hooks.hook_book import HookBook
    from bot.models.hook import Hook
    from bot.models.hook_record import HookCause
    from bot.models.message import Message
    from bot.models.opened_merge_request import OpenedMergeRequest
    from bot.models.service_state import ServiceState
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls

log = logging.getLogger(__name__)


@dataclass(kw_only=True, repr=False)
class HookEvents:
    """Events by hook, the first one of each. `own_ids` are the ids of Triage, whose messages begin nothing."""

    book: HookBook
    controls: Controls
    clock: Clock
    own_ids: frozenset[str]
    waiting: dict[str, HookCause] = field(default_factory=dict)

    def note_message(self, message: Message) -> None:
        """Note a message in a watched channel, unless the channel is silent."""
        is_heard = self.controls.modes.get(message.chat_id, "silent") != "silent"
        if is_heard and not self.own_ids.intersection(message.sender.names):
            self._note(lambda hook: find_message_cause(hook, message))

    def note_task(self, thread: Thread) -> None:
        """Note the document of a created task."""
        self._note(lambda hook: find_task_cause(hook, thread))

    def note_service(self, state: ServiceState) -> None:
        """Note the state of a service."""
        self._note(lambda hook: find_service_cause(hook, state))

    def note_merge_request(self, opened: OpenedMergeRequest) -> None:
        """Note a merge request that somebody has opened at a forge."""
        self._note(lambda hook: find_merge_request_cause(hook, opened))

    def _note(self, find_cause: Callable[[Hook], HookCause | None]) -> None:
        """Keep the event for the hooks whose trigger it is; while Triage is paused or stopped, for none."""
        if self.controls.state != "running":
            return
        now = self.clock.now()
        for record in self.book.records:
            try:
                cause = find_cause(record.hook) if record.hook.is_enabled else None
            except Exception:  # it must not hold up the message or the task
                log.exception("hook %s cannot read an event", record.hook.name)
                continue
            if cause and may_begin(record, cause, now):
                self.waiting.setdefault(record.hook.name, cause)
                self.book.news.set()
