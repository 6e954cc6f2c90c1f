"""Show Card, and the answers to presses on cards where they were pressed.

Show Card brings the card of a question to its operator as the newest message of the direct message; to a colleague as a
copy that only they see, since the card itself is not theirs.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.decide.refusals import why_not
from bot.errors import TriageError
from bot.models.thread_event import CardWanted

if TYPE_CHECKING:
    from bot.approval.actions import Approval
    from bot.models.interaction import Dialog, Press
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock, Store
    from bot.ports.payload_handlers import QueueViewsPort
    from bot.surfaces.cards import Cards
    from bot.surfaces.ephemeral_cards import EphemeralCards
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)

UNKNOWN = "Triage no longer knows this question."
_DIRECT = "your direct message with Triage"


@dataclass(frozen=True, kw_only=True)
class CardViewer:
    """Sender of cards on request, to people who may decide on them."""

    store: Store
    cards: Cards
    nudges: EphemeralCards
    threads: ThreadQueue
    clock: Clock
    operators: Operators

    async def handle_press(self, press: Press) -> None:
        """Show the card, and tell the person where it is."""
        answer = await self.show(press.thread_id, user=press.user_id, team=press.team_id)
        try:
            await self.nudges.chat.post_ephemeral(channel=press.channel_id, user=press.user_id, text=answer)
        except TriageError as problem:
            log.warning("%s was not told: %s", press.user_id, problem)

    async def show(self, thread_id: str, *, user: str, team: str) -> str:
        """Send the card; return the text that says where it is, or why there is none."""
        try:
            thread = await self.store.load(thread_id)
            if thread is None:
                return UNKNOWN
            if refusal := await self.operators.refusal(user, team, thread):
                return refusal
            if user == thread.operator:
                self.threads.tell(thread_id, CardWanted(at=self.clock.now(), fresh=self.clock.new_id()))
                queue = self.cards.shared.channel_of(thread)
                return f"The card is the newest message in {f'<#{queue}>' if queue else _DIRECT}."
            await self.nudges.show_copy(thread, user)
        except TriageError as problem:
            log.warning("thread %s: its card was not shown to %s: %s", thread_id, user, problem)
            return f"The card could not be shown: {escape(why_not(problem))}. Please try again."
        return f"This card belongs to <@{thread.operator}>; a copy that only you see is in {_DIRECT}."


@dataclass(frozen=True, kw_only=True)
class CardPressHandler:
    """Handler of presses on cards, which also updates the App Home of the user."""

    approval: Approval
    queue_views: QueueViewsPort

    async def handle_press(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a press, and answer in App Home if it came from there. A replayed one shows nothing."""
        if press.is_on_home:
            answer = await self.approval.act(press, replayed=replayed)
            if not replayed:
                await self.queue_views.show_home(press.user_id, press.team_id, answer or "")
            return
        await self.approval.handle_press(press, replayed=replayed)
        if not replayed:
            self.queue_views.renew_soon(press.user_id)

    async def handle_dialog(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; return the errors to show in it, by `block_id`."""
        errors = await self.approval.handle_dialog(dialog, replayed=replayed)
        if not errors and not replayed:
            self.queue_views.renew_soon(dialog.user_id)
        return errors
