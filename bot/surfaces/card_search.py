"""Search for a card that an earlier process, or a call without an answer, may have posted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bot.decide.workflow.next_question import card_nonce

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat

CARD = "triage_card"
"""`event_type` of a card's metadata."""
OWNER_REQUEST = "triage_owner_asked"
"""`event_type` of the metadata of a request to an owner."""


def card_metadata(thread: Thread) -> dict[str, Any]:
    """Build the metadata by which a card is found again."""
    payload = {"thread_id": thread.thread_id, "nonce": thread.card.nonce, "question": _question(thread)}
    return {"event_type": CARD, "event_payload": payload}


async def search_card(
    chat: Chat, clock: Clock, thread: Thread, channel: str, search_delay_seconds: float
) -> str | None:
    """Return the ts of a thread's card in a channel. It is looked for twice: a request of a dead process may be on its
    way.

    The first card of a rebuilt document takes over the newest card of the question.
    """
    question_ts = thread.original_message_id  # Slack's clock, as for the card's ts; this machine's may be wrong
    key, value = ("question", _question(thread)) if thread.card.number == 1 else ("nonce", thread.card.nonce)
    look = partial(chat.find_in_channel, channel=channel, oldest=question_ts, event_type=CARD, nonce=value, key=key)
    card_ts = await look()
    if card_ts is None:
        await clock.sleep(search_delay_seconds)
        card_ts = await look()
    return card_ts


def _question(thread: Thread) -> str:
    """Return the key shared by all cards of one question, even after its document is rebuilt."""
    return card_nonce(thread.thread_id, thread.question_round)
