"""Queue of questions awaiting a decision: pages and cards on the App Home, and in the answer to `/triage queue`.

That answer is ephemeral, so it is updated by the response URL that comes with each press on it. Response URLs are kept
in memory and end with the process, as the answers do.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from blocks.queue_view import queue_card, queue_list, queue_table, work_row
from blocks.tables import LONGEST
from blocks.text import context, section, size
from bot.commands.renewals import Renewals
from bot.decide.press_debounce import Standing, has_just_come, stood_since
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.interaction import Asker
from bot.models.queue import QueueView, read_view
from bot.models.queue_order import passed_on
from bot.models.status import BEFORE_A_DRAFT
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question, redact_thread

if TYPE_CHECKING:
    from blocks.text import Block
    from bot.commands.permission import Permission
    from bot.models.interaction import Press
    from bot.models.queue import QueuePress
    from bot.models.status import Status
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.card_view import CardRenderer
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

UNDECIDED: tuple[Status, ...] = ("pending-user", "in-doubt")

STEPPED_STATUSES: tuple[Status, ...] = (*UNDECIDED, *BEFORE_A_DRAFT)
"""Statuses in which a question keeps its place while an operator steps through the queue."""

PAGE, MESSAGE_PAGE, WORK_ROWS = 12, 8, 4
"""Number of questions on a page of the App Home (at most 100 blocks) and of a message (at most 50), and of rows of work
in a message."""

HOME_ROOM, MESSAGE_ROOM, MAX_MESSAGE_CHARS, TABLE_ROOM = 100_000, 9_000, 12_500, 1_500
"""Characters of JSON: of the App Home, of a message's list, of a message, and the least of a table."""
TABLE_ROWS = 20
"""Number of questions in a table below those with buttons."""

LIFE, MAX_USES = timedelta(minutes=29), 5
"""Lifetime and number of uses of a response URL; Slack allows thirty minutes and five uses."""

EMPTY = "Nothing: every question is answered, dismissed or in work."


@dataclass(frozen=True, kw_only=True)
class Queue:
    """Renders the queue. `url` is the workspace's address."""

    orchestrator: Orchestrator
    pictures: CardRenderer
    url: str
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    async def update_position(
        self, view: QueueView, reader: str, *, is_chosen: bool = False, with_held: bool = False
    ) -> QueueView:
        """Update a view's position: a card stays at its question until that is decided or passed on, then moves to the
        next.

        `is_chosen`: a button has just led to the question, so earlier decisions of `reader` on it are ignored.
        """
        if view.shape == "list":
            return view
        names = self._names(view, reader, with_held=with_held)
        thread = await self._read(view.thread, STEPPED_STATUSES) if view.thread else None
        has_left = thread and passed_on(thread, reader) and not (is_chosen or view.was_passed_on)
        if thread is None or has_left:
            is_chosen, view = True, view.after(names)
            thread = await self._read(view.thread) if view.thread else None
        was = thread is not None and (is_chosen or view.was_passed_on) and passed_on(thread, reader)
        at = view.among(names).index(view.thread) if view.thread else 0
        return replace(view, at=at, was_passed_on=was)

    async def blocks(
        self, view: QueueView, *, page: int, room: int, reader: str, with_held: bool = False
    ) -> list[Block]:
        """Render a view; a page beyond the end is the last one. Held drafts come after all others."""
        if not view.thread:
            view = await self.update_position(view, reader, with_held=with_held)
        names = view.among(self._names(view, reader, with_held=with_held))
        if not names:
            return [section(EMPTY)]
        if view.shape == "card":
            thread = await self._read(view.thread, STEPPED_STATUSES)
            unread = [section("This one cannot be read now.")]
            card = (await self.pictures.render_card(thread, reader))["blocks"] if thread else unread
            return queue_card(card, view, names)
        view = replace(view, at=_first_of(view.at, len(names), page))
        threads = [thread for name in names[view.at : view.at + page] if (thread := await self._read(name))]
        safe_threads = [await run_offloaded(redact_thread, thread, self.redactor) for thread in threads]
        return queue_list(
            safe_threads, view, of=len(names), page=page, room=room, url=self.url, now=self.clock.now(), reader=reader
        )

    async def message(self, view: QueueView, reader: str) -> list[Block]:
        """Render a view for a message; below the list come the questions in work, then those without buttons."""
        if view.shape != "list":
            return await self.blocks(view, page=MESSAGE_PAGE, room=MESSAGE_ROOM, reader=reader)
        waiting = self._names(view, reader, with_held=False)
        waiting = waiting[_first_of(view.at, len(waiting), MESSAGE_PAGE) + MESSAGE_PAGE :]
        room = MESSAGE_ROOM - TABLE_ROOM if waiting else MESSAGE_ROOM
        blocks = await self.blocks(view, page=MESSAGE_PAGE, room=room, reader=reader)
        working = self.orchestrator.open_threads.with_status(*BEFORE_A_DRAFT)
        for name in working[:WORK_ROWS]:
            if thread := await self._read(name, BEFORE_A_DRAFT):
                hold_reason = self.orchestrator.why_held(thread)
                safe_thread = await run_offloaded(redact_question, thread, self.redactor)
                blocks += work_row(safe_thread, url=self.url, now=self.clock.now(), held_reason=hold_reason)
        return blocks + await self._render_overflow(waiting, working[WORK_ROWS:], room=MAX_MESSAGE_CHARS - size(blocks))

    async def _render_overflow(self, waiting: list[str], working: list[str], *, room: int) -> list[Block]:
        """Render a table of the questions without buttons, or only their numbers if there is no room."""
        names = [*waiting, *working]
        threads = [thread for name in names[:TABLE_ROWS] if (thread := await self._read(name, STEPPED_STATUSES))]
        if not threads:
            return []
        counts = ((waiting, "that wait for a decision"), (working, "that are worked on"))
        head = context(f"… and {', '.join(f'{len(those)} more {what}' for those, what in counts if those)}.")
        if room < TABLE_ROOM:
            return [head]
        safe_threads = [await run_offloaded(redact_question, thread, self.redactor) for thread in threads]
        held_ids = {thread.thread_id for thread in threads if self.orchestrator.why_held(thread)}
        return [
            head,
            queue_table(
                safe_threads, of=len(names), room=min(room, LONGEST), now=self.clock.now(), held_names=held_ids
            ),
        ]

    def _names(self, view: QueueView, reader: str, *, with_held: bool) -> list[str]:
        threads = self.orchestrator.open_threads
        return threads.queue(*UNDECIDED, order=view.order, with_held=with_held, reader=reader)

    async def _read(self, name: str, statuses: tuple[Status, ...] = UNDECIDED) -> Thread | None:
        try:
            thread = await self.orchestrator.store.load(name)
        except TriageError:
            return None  # its next event rebuilds it
        return thread if thread and thread.status in statuses else None


def _first_of(at: int, count: int, page: int) -> int:
    """Return the position of a page's first question; beyond the end, that of the last page."""
    last = max(0, count - 1)
    return min(at, last - last % page)


@dataclass
class _Answer:
    """An ephemeral answer: its response URL and its content."""

    url: str
    until: datetime
    team: str
    view: QueueView
    uses: int = 0
    blocks: list[Block] | None = None
    shows_work: bool = False
    """True if its card was updated for running work, such as an investigation, that has not ended yet."""


@dataclass(kw_only=True)
class QueueAnswers:
    """Updates answers to `/triage queue`, one per person: the one that they last pressed a button on."""

    queue: Queue
    chat: Chat
    permission: Permission
    clock: Clock
    _answers: dict[str, _Answer] = field(default_factory=dict)
    _standing: dict[str, Standing] = field(default_factory=dict)
    """Time since which each button has been in its place, by user."""
    _renewals: Renewals = field(init=False)

    def __post_init__(self) -> None:
        """Render for one person at a time."""
        self._renewals = Renewals(self)

    def remember_response_url(self, user: str, team: str, url: str, view: QueueView) -> None:
        """Remember the response URL of the answer on which a user pressed a button."""
        now = self.clock.now()
        self._answers = {who: each for who, each in self._answers.items() if each.until > now}
        self._answers[user] = _Answer(url, now + LIFE, team, view)

    async def handle_press(self, press: QueuePress) -> None:
        """Show the view that a button leads to."""
        answer, view = self._answers.get(press.user_id), read_view(press.value)
        if answer and view:
            answer.view = await self.queue.update_position(view, press.user_id, is_chosen=True)
            self._renewals.schedule(press.user_id)

    def renew_soon(self, user: str) -> None:
        """Update a user's answer after their decision: the next question comes."""
        if user in self._answers:
            self._renewals.schedule(user)

    def redraw(self, thread: Thread) -> None:
        """Update the answers that show this question, as its card in the direct message is updated."""
        is_work = thread.status in BEFORE_A_DRAFT or thread.opening is not None
        for user, answer in self._answers.items():
            if answer.view.thread != thread.thread_id or (
                is_work and (answer.shows_work or answer.uses >= MAX_USES - 1)
            ):
                continue  # updates for work take at most one use, and not the last
            answer.shows_work = is_work
            self._renewals.schedule(user)

    def has_just_come(self, press: Press) -> bool:
        """Return whether the pressed button appeared only a moment before the press."""
        return has_just_come(self._standing.get(press.user_id, {}), press, self.clock.now())

    async def stop(self) -> None:
        """Stop all updates."""
        await self._renewals.stop()

    async def renew(self, user: str) -> None:
        """Render the view of a user again."""
        answer = self._answers.get(user)
        if answer is None or answer.uses >= MAX_USES or answer.until <= self.clock.now():
            return
        asker = Asker(interaction_id="queue", team_id=answer.team, user_id=user, channel_id=user, via="slash")
        view = answer.view
        try:
            if await self.permission.refusal(asker, "operator") is not None:
                return
            current_view = await self.queue.update_position(view, user)
            blocks = await self.queue.message(current_view, user)
            if blocks == answer.blocks or answer.view is not view:  # a button has led elsewhere; that is rendered next
                return
            answer.uses, answer.view, answer.blocks = answer.uses + 1, current_view, blocks
            before = self._standing.get(user)
            self._standing[user] = stood_since(before, blocks, self.clock.now())
            await self.chat.respond(url=answer.url, text="What waits for a decision.", blocks=blocks)
            self._standing[user] = stood_since(before, blocks, self.clock.now())
        except TriageError as problem:
            log.info("the queue that %s looks at stays as it is: %s", user, problem)
