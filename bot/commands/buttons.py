"""Confirm and Cancel buttons in a direct message: posted once, and replaced by the outcome, however late.

An ephemeral message cannot be changed without a press; a posted one can, even after a restart.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from blocks import confirmation as drawn
from blocks import text as titles
from blocks.queue import message_link
from bot.commands.confirmations import LIFE
from bot.errors import Refused, TriageError
from bot.models.pending_command import ButtonsPlace
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.commands.confirmations import Confirmations
    from bot.models.interaction import Asker
    from bot.models.pending_command import Confirmation
    from bot.ports.slack import Blocks, Chat

log = logging.getLogger(__name__)

_TS = re.compile(r"\d+\.\d+")
_MAX_CLOCK_SKEW = 3_600
"""Seconds that Slack's clock may be behind this machine's."""
REPLACED = "You have given this command again since, so this button does nothing any more."


async def find_place(chat: Chat, asker: Asker) -> ButtonsPlace:
    """Choose the place of the buttons: a direct message, since a chat may put private text into the input. Raises as
    `Chat` does."""
    if not asker.channel_id.startswith("D"):
        return ButtonsPlace(channel=await chat.open_dm(asker.user_id))
    root = asker.thread_id.rpartition("-")[2] if asker.thread_id else None
    return ButtonsPlace(channel=asker.channel_id, thread_ts=root)


def find_origin(asker: Asker, *, url: str, redact: Callable[[str], str]) -> str:
    """Describe where and in which words the command was given, as mrkdwn; empty if the buttons are posted there."""
    if asker.channel_id[0] not in "CG":
        return ""
    words = " ".join(redact(getattr(asker, "text", "")).split())
    ts = asker.interaction_id.partition("-")[2] if asker.via in ("chat", "thread") else ""
    address = message_link(url, asker.channel_id, ts) if _TS.fullmatch(ts) else ""
    typed = f"/triage {words}" if asker.via == "slash" else words
    return drawn.asked_in(titles.name_channel(asker.channel_id), typed, address)


async def show_buttons(
    chat: Chat, confirmations: Confirmations, waiting: Confirmation, place: ButtonsPlace, origin: str = ""
) -> None:
    """Post the buttons below their origin, and save the message's `ts`. Raises as `Chat` and `Confirmations` do."""
    ts = await chat.post(
        channel=place.channel,
        thread_ts=place.thread_ts,
        text=waiting.said,
        blocks=drawn.question(waiting, origin),
        metadata=_metadata(waiting),
    )
    await confirmations.save_ts(waiting.confirmation_id, ts)


async def replace_buttons(
    chat: Chat, confirmations: Confirmations, waiting: Confirmation, text: str, blocks: Blocks | None = None
) -> bool:
    """Replace the buttons with `text`; return whether they are replaced. A failure is retried at the next sweep."""
    if waiting.buttons is None:
        return False
    try:
        if ts := await _ts(chat, waiting, waiting.buttons):
            payload: dict[str, Any] = {"text": text, "blocks": blocks or drawn.outcome(text)}
            await chat.update(channel=waiting.buttons.channel, ts=ts, metadata=_metadata(waiting), **payload)
    except Refused as problem:  # the message is gone, or the conversation is
        log.info("a confirmation's buttons cannot be replaced: %s", problem)
        ts = None
    except TriageError as problem:
        log.warning("a confirmation's buttons stay for now: %s", problem)
        return False
    try:
        await confirmations.clear_buttons(waiting.confirmation_id)
    except TriageError as problem:
        log.warning("a confirmation's buttons will be replaced again: %s", problem)
    return ts is not None


async def show_progress(chat: Chat, waiting: Confirmation, text: str) -> None:
    """Put `text` in the place of the buttons for now; a failure is logged."""
    if waiting.buttons is None:
        return
    try:
        if ts := await _ts(chat, waiting, waiting.buttons):
            metadata = _metadata(waiting)
            await chat.update(
                channel=waiting.buttons.channel, ts=ts, text=text, blocks=drawn.outcome(text), metadata=metadata
            )
    except TriageError as problem:
        log.warning("the progress of a command is not shown: %s", problem)


async def _ts(chat: Chat, waiting: Confirmation, place: ButtonsPlace) -> str | None:
    """Return the `ts` of the message; look it up if a crash or an unclear post came before it was saved."""
    if place.ts:
        return place.ts
    named = {"event_type": NOTICE, "nonce": waiting.confirmation_id}
    if place.thread_ts:
        return await chat.find_in_thread(channel=place.channel, thread_ts=place.thread_ts, **named)
    oldest = (waiting.until - LIFE).timestamp() - _MAX_CLOCK_SKEW
    return await chat.find_in_channel(channel=place.channel, oldest=f"{oldest:.6f}", **named)


def _metadata(waiting: Confirmation) -> dict[str, Any]:
    return {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": waiting.confirmation_id}}
