"""Silent-exit alarm: decides what follows a chat turn that ended, up to one alarm for the operator.

The thread is read before an alarm; the alarm is searched for by its nonce before it is posted, so that it is sent once
across crashes.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from blocks.queue import message_link
from blocks.text import clip, escape, quote, section
from bot.decide.silent_exit import (
    RESPOND,
    SILENT_END,
    UNREAD,
    Alarm,
    LoopClosed,
    ReadThread,
    RetryPrompt,
    Truth,
    TurnEnd,
    counted,
    decide_follow_up,
)
from bot.errors import Refused, Uncertain
from bot.models.conversation_record import is_direct, message_of
from bot.runtime.retry import call_with_retries
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat
    from bot.triage.ground_truth import GroundTruth

log = logging.getLogger(__name__)

GROUP_WITHIN = timedelta(hours=1)
"""Time after a first alarm within which turns of the same cause are added to it."""
MAX_LISTED = 10
"""Number of turns that one alarm lists, the newest ones."""

_MAX_RECORDS = 500
"""Number of audit records read to restore the turns of an alarm after a restart."""
_LONGEST_WORDS = 400
_LONGEST_TRIED = 80
_TRUTHS: dict[bool | None, Truth] = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, kw_only=True)
class TurnPlace:
    """Identity of a turn: its id, its asker, and its place."""

    turn_id: str
    """Id of the turn: letters, digits and hyphens."""
    asker: str
    """User id of the asker."""
    channel: str
    thread_ts: str | None
    """Thread, or `None` if the conversation is the direct message or the channel itself."""
    ts: str
    """Slack ts of the message that began it: earlier messages are not answers."""
    is_public: bool
    """False in a direct message, which nobody else can open."""
    session_id: str | None = None
    """Id of the agent's session record."""


@dataclass(frozen=True)
class AlarmResult:
    """Result of an alarm: the operator was told, or Slack refuses it permanently, which is logged."""

    why: str
    is_reached: bool


@dataclass
class _PostedAlarm:
    """One posted alarm: the turns that ended for one cause, the newest last."""

    ts: str
    metadata: dict[str, Any]
    at: datetime
    turns: list[tuple[TurnPlace, TurnEnd]]


@dataclass(frozen=True, kw_only=True)
class SilentExitAlarm:
    """Handler of ended turns. `operator` is the alarmed user, `url` the workspace's address."""

    truth: GroundTruth
    chat: Chat
    operator: str
    audit: Journal
    clock: Clock
    url: str
    search_delay_seconds: float = 5.0
    """Seconds for which a request may still be in flight inside Slack before it is searched for."""
    _alarms: dict[Alarm, _PostedAlarm] = field(default_factory=dict)
    """Newest alarm by cause."""

    async def handle_end(
        self, turn: TurnPlace, turn_end: TurnEnd, *, recovered: bool = False
    ) -> LoopClosed | RetryPrompt | AlarmResult:
        """Decide what follows a turn's end; an alarm is sent on return. A second call for the same turn sends none.

        After a `RetryPrompt` call `RespondCalls.clear_doubt`, run the agent again and call this with `is_retried`.
        `recovered`: an earlier process may have called this. Waits as long as Slack accepts nothing.
        """
        match decide_follow_up(turn_end):
            case ReadThread():
                turn_end = replace(
                    turn_end, truth=await self._read_thread(turn, doubtful=turn_end.in_doubt or recovered)
                )
                return await self.handle_end(turn, turn_end, recovered=recovered)
            case Alarm() as alarm:
                return await self._raise_alarm(turn, turn_end, alarm, recovered=recovered)
            case (LoopClosed() | RetryPrompt()) as said:
                log.info("turn %s: %s", turn.turn_id, said.why if isinstance(said, LoopClosed) else "nudged")
                return said

    async def _read_thread(self, turn: TurnPlace, *, doubtful: bool) -> Truth:
        if doubtful:
            await self.clock.sleep(self.search_delay_seconds)
        return _TRUTHS[await self.truth.has_spoken(turn.channel, turn.thread_ts, turn.ts, turn=turn.turn_id)]

    async def _raise_alarm(self, turn: TurnPlace, turn_end: TurnEnd, alarm: Alarm, *, recovered: bool) -> AlarmResult:
        log.warning("turn %s ended in silence: %s", turn.turn_id, alarm.why)
        try:
            await self._post_alarm(turn, turn_end, alarm, recovered=recovered)
        except Refused as problem:
            log.error("the alarm about turn %s did not reach the operator: %s", turn.turn_id, problem)
            return AlarmResult(alarm.why, is_reached=False)
        await call_with_retries(self.clock, lambda: self.audit.append(self._record(turn, turn_end, alarm)))
        return AlarmResult(alarm.why, is_reached=True)

    async def _post_alarm(self, turn: TurnPlace, turn_end: TurnEnd, alarm: Alarm, *, recovered: bool) -> None:
        channel = await call_with_retries(self.clock, lambda: self.chat.open_dm(self.operator))
        if await self._add_to_alarm(channel, turn, turn_end, alarm):
            return
        nonce, must_wait = f"silent-{turn.turn_id}", recovered

        async def find_posted() -> str | None:
            return await self.chat.find_in_channel(channel=channel, oldest=turn.ts, event_type=NOTICE, nonce=nonce)

        while await call_with_retries(self.clock, find_posted) is None:
            if must_wait:
                must_wait = False
                await self.clock.sleep(self.search_delay_seconds)
                continue
            metadata = _metadata(nonce)
            try:
                content = build_alarm(turn, turn_end, alarm, url=self.url)
                post = partial(self.chat.post, channel=channel, metadata=metadata, **content)
                ts = await call_with_retries(self.clock, post)
            except Uncertain as doubt:
                log.warning("the alarm about turn %s is in doubt: %s", turn.turn_id, doubt)
                must_wait = True
            else:
                self._alarms[alarm] = _PostedAlarm(ts, metadata, self.clock.now(), [(turn, turn_end)])
                return

    async def _add_to_alarm(self, channel: str, turn: TurnPlace, turn_end: TurnEnd, alarm: Alarm) -> bool:
        """Add a turn to the posted alarm of the same cause; return whether there is one."""
        posted = await self._find_alarm(channel, alarm)
        if posted is None:
            return False
        if turn.turn_id not in (place.turn_id for place, _ in posted.turns):
            posted.turns.append((turn, turn_end))
        content = build_group_alarm(posted.turns, alarm, url=self.url)
        where: dict[str, Any] = {"channel": channel, "ts": posted.ts}
        try:
            await call_with_retries(self.clock, lambda: self.chat.update(metadata=posted.metadata, **where, **content))
        except Refused as problem:
            log.info("an alarm stands alone: %s", problem)
            del self._alarms[alarm]
            return False
        return True

    async def _find_alarm(self, channel: str, alarm: Alarm) -> _PostedAlarm | None:
        """Return the newest alarm of a cause; for one posted by an earlier process, the audit has its turns."""
        posted = self._alarms.get(alarm)
        if posted is None:
            records = [each for each in await self.audit.tail(_MAX_RECORDS) if _is_of(each, alarm, self.clock.now())]
            first = str(records[0]["turn_id"]) if records else ""
            where: dict[str, Any] = {"channel": channel, "event_type": NOTICE, "nonce": f"silent-{first}"}
            oldest = message_of(first)
            ts = (
                await call_with_retries(self.clock, lambda: self.chat.find_in_channel(oldest=oldest, **where))
                if first
                else None
            )
            if ts:
                at = datetime.fromisoformat(records[0]["at"])
                posted = _PostedAlarm(ts, _metadata(where["nonce"]), at, [_read_turn(each) for each in records])
                self._alarms[alarm] = posted
        return posted if posted and self.clock.now() - posted.at <= GROUP_WITHIN else None

    def _record(self, turn: TurnPlace, turn_end: TurnEnd, alarm: Alarm) -> dict[str, Any]:
        result: Literal["alarmed", "alarmed, unread"] = "alarmed, unread" if alarm.is_unread else "alarmed"
        return {
            "kind": SILENT_END,
            "at": self.clock.now().isoformat(),
            "turn_id": turn.turn_id,
            "session_id": turn.session_id,
            "user_id": turn.asker,
            "channel_id": turn.channel,
            "actions": list(turn_end.actions),
            "why": alarm.why,
            "result": result,
        }


def _metadata(nonce: str) -> dict[str, Any]:
    return {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": nonce}}


def _is_of(record: Mapping[str, Any], alarm: Alarm, now: datetime) -> bool:
    """Return whether an audit record is a turn that ended for this cause recently."""
    if (record.get("kind"), record.get("why")) != (SILENT_END, alarm.why):
        return False
    is_unread = record.get("result") == "alarmed, unread"
    return is_unread is alarm.is_unread and now - datetime.fromisoformat(record["at"]) <= GROUP_WITHIN


def _read_turn(record: Mapping[str, Any]) -> tuple[TurnPlace, TurnEnd]:
    """Restore a turn from its audit record, without its thread and text."""
    channel, ts = str(record["channel_id"]), message_of(str(record["turn_id"]))
    place = TurnPlace(
        turn_id=str(record["turn_id"]),
        asker=str(record["user_id"]),
        channel=channel,
        thread_ts=None,
        ts=ts,
        is_public=not is_direct(channel),
    )
    return place, TurnEnd(actions=tuple(record.get("actions") or ()))


def build_alarm(turn: TurnPlace, turn_end: TurnEnd, alarm: Alarm, *, url: str) -> dict[str, Any]:
    """Build the alarm's `text` and `blocks`. Text from places that others cannot read is not repeated."""
    where = f"in <#{turn.channel}>" if turn.is_public else "in a direct message"
    request_link = f"<{_link(turn, url)}|what they asked>" if turn.is_public else "what they asked"
    lines = [
        f":warning: <@{turn.asker}> got no answer to {request_link} {where}: "
        f"{escape(clip(alarm.why, _LONGEST_WORDS))}.",
        f"Commands until then: {_commands(turn_end, _LONGEST_WORDS)}.",
    ]
    if alarm.is_unread:
        lines.append(f"{UNREAD}.")
    text = "\n".join(lines)
    words = turn_end.final_text.strip() if turn.is_public else ""
    unsent = [section("Its unsent text:"), quote(clip(words, _LONGEST_WORDS))] if words else []
    return {"text": text, "blocks": [section(text), *unsent]}


def build_group_alarm(turns: Sequence[tuple[TurnPlace, TurnEnd]], alarm: Alarm, *, url: str) -> dict[str, Any]:
    """Build the alarm of several turns that ended for one cause, the newest first."""
    if len(turns) == 1:
        return build_alarm(*turns[0], alarm, url=url)
    first = f":warning: {len(turns)} times there was no answer: {escape(clip(alarm.why, _LONGEST_WORDS))}."
    rows = []
    for turn, turn_end in [*reversed(turns)][:MAX_LISTED]:
        where = f"in <#{turn.channel}>" if turn.is_public else "in a direct message"
        request_link = f" (<{_link(turn, url)}|what they asked>)" if turn.is_public else ""
        rows.append(
            f"• <@{turn.asker}> {where}{request_link}; commands until then: {_commands(turn_end, _LONGEST_TRIED)}"
        )
    overflow = [f"… and {len(turns) - MAX_LISTED} more"] if len(turns) > MAX_LISTED else []
    unread = [f"{UNREAD}."] if alarm.is_unread else []
    text = "\n".join((first, *rows, *overflow, *unread))
    return {"text": text, "blocks": [section(text)]}


def _commands(turn_end: TurnEnd, longest: int) -> str:
    """List the commands that a turn has called, without `respond`."""
    return escape(clip(counted(tuple(name for name in turn_end.actions if name != RESPOND)), longest)) or "none"


def _link(turn: TurnPlace, url: str) -> str:
    where = message_link(url, turn.channel, turn.ts)
    is_reply = turn.thread_ts is not None and turn.thread_ts != turn.ts
    return escape(f"{where}?thread_ts={turn.thread_ts}&cid={turn.channel}" if is_reply else where)
