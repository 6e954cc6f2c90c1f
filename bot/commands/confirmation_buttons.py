"""Confirmation presses: Confirm, Cancel, and the dialog for typing a name; each confirmation is settled once.

Only the asker may press; the handler checks their role and membership again. The outcome replaces the buttons if Slack
gave a response URL, else it is an ephemeral message. The audit records each press, so that a restart does not repeat
it. Confirmations that nobody pressed in time are expired by the schedule.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks import confirmation as drawn
from bot.commands.buttons import replace_buttons, show_progress
from bot.commands.command import CommandAnswer
from bot.commands.confirmation_answers import (
    ALREADY_CANCELLED,
    ALREADY_DONE,
    ANSWERS_BY_STATE,
    CANCELLED,
    CUT_OFF,
    EXPIRED,
    NOT_YOURS,
    REPLACED,
    UNKNOWN,
    ConversationHistory,
    build_asker,
    describe_cut_off,
)
from bot.commands.confirmations import MAX_TOTAL
from bot.decide.refusals import describe_unopened
from bot.errors import TriageError
from bot.models.pending_command import CANCEL, TYPED, ConfirmationPress, Confirmed

if TYPE_CHECKING:
    from bot.commands.confirmations import Confirmations
    from bot.commands.handler import CommandHandler
    from bot.models.pending_command import Confirmation, ConfirmationDialog
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class ConfirmationButtons:
    """Settles confirmations. `store_response_url` supplies the response URL of a message, which is kept in memory
    only."""

    handler: CommandHandler
    confirmations: Confirmations
    chat: Chat
    in_time: float = 2.0
    """Seconds after which the buttons of a command that resumes say that it is under way."""
    conversations: ConversationHistory | None = None
    """Conversations with the chat agent; set once they are built."""
    _response_urls: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _executing: dict[str, str] = field(default_factory=dict)
    """Confirmations being executed, with the interaction that started each and will report its outcome."""
    _running: set[asyncio.Task[None]] = field(default_factory=set)
    _settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when no confirmation is being executed."""

    async def begin(self) -> None:
        """Go on with what an earlier process had begun, without waiting."""
        for waiting in await self.confirmations.find_under_way():
            log.info("goes on with %s, which %s had confirmed", waiting.command, waiting.asker.user_id)
            asker = waiting.asker
            press = Confirmed(
                interaction_id=waiting.taken_by or asker.interaction_id,
                team_id=asker.team_id,
                user_id=asker.user_id,
                confirmation_id=waiting.confirmation_id,
            )
            self._start(waiting, press)

    async def stop(self) -> None:
        """Stop waiting; the next process goes on with what is under way."""
        running = [*self._running]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def store_response_url(self, press: ConfirmationPress, url: str) -> None:
        """Remember the response URL of the message with the pressed button."""
        self._response_urls[f"{press.user_id} {press.confirmation_id}"] = url
        if len(self._response_urls) > MAX_TOTAL:
            self._response_urls.popitem(last=False)

    async def handle_press(self, press: ConfirmationPress, *, replayed: bool = False) -> None:
        """Act on a pressed button. A replayed press opens no dialog: its user has pressed again or typed the name by
        now.

        The press that opened a dialog gets no outcome; the dialog's submission does.
        """
        waiting = await self.confirmations.find(press.confirmation_id)
        if replayed and waiting and waiting.typed_again is not None and press.action != CANCEL:
            return
        if replayed and waiting and waiting.is_under_way:
            return  # `begin` goes on with it
        obstacle = self._find_obstacle(waiting, press, replayed=replayed)
        if press.action != CANCEL and self._is_under_way(waiting, obstacle):
            await self._record_repeat(waiting, press)
        elif obstacle or waiting is None:
            await self._refuse(waiting, press, obstacle or UNKNOWN)
        elif press.action == CANCEL:
            await self._cancel(waiting, press)
        elif waiting.typed_again is None:
            work = self._start(waiting, press)
            if not self._resumes(waiting):
                await work
        else:
            await self._ask_name(waiting, press)

    async def handle_dialog(self, dialog: ConfirmationDialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a typed name; return the errors to show in the dialog, by `block_id`."""
        waiting = await self.confirmations.find(dialog.confirmation_id)
        is_name = waiting is not None and dialog.typed.strip() == waiting.typed_again
        if replayed and waiting and not is_name:
            return {}  # the dialog said so; no other outcome is possible
        obstacle = self._find_obstacle(waiting, dialog, replayed=replayed)
        if self._is_under_way(waiting, obstacle):
            await self._record_repeat(waiting, dialog)
            return {}
        if waiting is None or obstacle:
            refusal = obstacle or UNKNOWN
            await (self._refuse if replayed else self._record)(waiting, dialog, refusal)
            return {TYPED: refusal.line}
        if not is_name:
            return {TYPED: "This is not the name; nothing was done yet."}
        work = self._start(waiting, dialog)
        if replayed and not self._resumes(waiting):
            await work
        return {}

    def _start(self, waiting: Confirmation, press: Confirmed) -> asyncio.Task[None]:
        """Execute a confirmed command in a task."""
        self._executing[waiting.confirmation_id] = press.interaction_id
        work = asyncio.create_task(self._execute(waiting, press), name=f"confirmed {press.interaction_id}")
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        return work

    def _resumes(self, waiting: Confirmation) -> bool:
        spec = self.handler.catalogue.get(waiting.command)
        return spec is not None and spec.resumes

    async def expire(self) -> None:
        """Expire confirmations: record them, drop their input, and remove their buttons. Raises `RetryLater`."""
        over = await self.confirmations.find_expired()
        for waiting in over:
            answer = EXPIRED.evolve(confirmation=waiting.confirmation_id)
            await self.handler.record_press(waiting, waiting.asker, answer)
            await self._remember(waiting, EXPIRED)
        if over:
            await self.confirmations.expire(over)
        for waiting in await self.confirmations.find_leftover_buttons():
            text = f"`{waiting.command}`: {ANSWERS_BY_STATE[waiting.state].line}"
            await replace_buttons(self.chat, self.confirmations, waiting, text)

    def _find_obstacle(self, waiting: Confirmation | None, press: Confirmed, *, replayed: bool) -> CommandAnswer | None:
        """Return the reason why this press can do nothing, if there is one."""
        if waiting is None:
            return UNKNOWN
        is_of_us = self.handler.permission.members.may_come_from(press.team_id)
        if not is_of_us or press.user_id != waiting.asker.user_id:
            return NOT_YOURS
        match waiting.state:
            case "taken":
                return CUT_OFF if replayed else ALREADY_DONE
            case "cancelled":
                return ALREADY_CANCELLED
            case "replaced":
                return REPLACED
            case "expired":
                return EXPIRED
            case "open":
                return EXPIRED if self.confirmations.is_expired(waiting) else None

    def _is_under_way(self, waiting: Confirmation | None, obstacle: CommandAnswer | None) -> bool:
        """Return whether the confirmation is being executed for the same person at this moment."""
        return (
            waiting is not None
            and waiting.confirmation_id in self._executing
            and obstacle in (None, ALREADY_DONE, CUT_OFF)
        )

    async def _record_repeat(self, waiting: Confirmation | None, press: Confirmed) -> None:
        """Record a repeated press that does nothing; the original press reports its own outcome."""
        if waiting and self._executing.get(waiting.confirmation_id) != press.interaction_id:
            await self._record(waiting, press, ALREADY_DONE)

    async def _cancel(self, waiting: Confirmation, press: ConfirmationPress) -> None:
        try:
            cancelled = await self.confirmations.cancel(waiting.confirmation_id)
        except TriageError as problem:
            log.warning("a command was not cancelled: %s", problem)
            await self._show(
                waiting, press, CommandAnswer(outcome="failed", line="This did not work; please try again.")
            )
        else:
            if cancelled:
                await self._remember(waiting, CANCELLED)
            await self._refuse(waiting, press, CANCELLED if cancelled else ALREADY_CANCELLED)

    async def _ask_name(self, waiting: Confirmation, press: ConfirmationPress) -> None:
        try:
            await self.chat.open_view(trigger_id=press.trigger_id, view=drawn.dialog(waiting))
        except TriageError as problem:
            log.warning("a confirmation's dialog did not open: %s", problem)
            await self._tell(waiting, press, describe_unopened(problem))

    async def settle(self) -> None:
        """Wait until no confirmation is being executed, and their outcomes are shown."""
        if self._executing:
            self._settled.clear()
            await self._settled.wait()

    async def _execute(self, waiting: Confirmation, press: Confirmed) -> None:
        try:
            await self._execute_and_tell(waiting, press)
        finally:
            self._executing.pop(waiting.confirmation_id, None)
            if not self._executing:
                self._settled.set()

    async def _execute_and_tell(self, waiting: Confirmation, press: Confirmed) -> None:
        work = asyncio.ensure_future(self.handler.confirm(waiting, build_asker(waiting, press)))
        try:
            if self._resumes(waiting) and not (await asyncio.wait([work], timeout=self.in_time))[0]:
                await show_progress(self.chat, waiting, f"`{waiting.command}` is under way; its outcome follows here.")
            answer = await work
        finally:
            work.cancel()
        await self._remember(waiting, answer)
        left = await self.confirmations.find(waiting.confirmation_id)
        if left and left.state == "open":  # it was not done; the buttons still work for another try
            await self._tell(waiting, press, answer.text)
            return
        await self._show(waiting, press, answer)
        await self.confirmations.finish(waiting.confirmation_id)

    async def _refuse(self, waiting: Confirmation | None, press: Confirmed, answer: CommandAnswer) -> None:
        if waiting and answer is CUT_OFF:
            answer = describe_cut_off(self.handler.catalogue.get(waiting.command))
        await self._record(waiting, press, answer)
        if answer is NOT_YOURS:
            await self._tell(None, press, answer.text)
        else:
            await self._show(waiting, press, answer)

    async def _remember(self, waiting: Confirmation, answer: CommandAnswer) -> None:
        """Add the outcome to the history of the conversation that the command came from."""
        record = waiting.asker.thread_id
        if self.conversations is None or waiting.asker.via != "chat" or record is None:
            return
        try:
            line = f"[`{waiting.command}`, after a press: {answer.outcome}] {answer.line}"
            await self.conversations.record_outcome(record, line)
        except TriageError as problem:
            log.warning("a conversation does not know what came of a press: %s", problem)

    async def _record(self, waiting: Confirmation | None, press: Confirmed, answer: CommandAnswer) -> None:
        recorded = answer.evolve(confirmation=press.confirmation_id)
        await self.handler.record_press(waiting, build_asker(waiting, press), recorded)

    async def _show(self, waiting: Confirmation | None, press: Confirmed, answer: CommandAnswer) -> None:
        """Show the answer in place of the buttons; a later press has its own response URL."""
        address = self._response_urls.pop(f"{press.user_id} {press.confirmation_id}", None)
        blocks = [*answer.blocks] or None
        if waiting and await replace_buttons(self.chat, self.confirmations, waiting, answer.text, blocks):
            return
        if address:
            try:
                await self.chat.respond(
                    url=address, text=answer.text, blocks=[*answer.blocks] or drawn.outcome(answer.text)
                )
            except TriageError as problem:
                log.info("a confirmation's buttons stay: %s", problem)
            else:
                return
        await self._tell(waiting, press, answer.text)

    async def _tell(self, waiting: Confirmation | None, press: Confirmed, text: str) -> None:
        """Send an ephemeral message to the user who pressed, in the place of the command or of the press."""
        asker = waiting.asker if waiting else None
        root = asker.thread_id.rpartition("-")[2] if asker and asker.via == "thread" and asker.thread_id else None
        try:
            if isinstance(press, ConfirmationPress):
                channel = press.channel_id
            elif asker and asker.via in ("slash", "thread"):
                channel = asker.channel_id
            else:
                channel = await self.chat.open_dm(press.user_id)
            await self.chat.post_ephemeral(channel=channel, user=press.user_id, text=text, thread_ts=root)
        except TriageError as problem:
            log.warning("%s was not told what came of a press: %s", press.user_id, problem)
