"""Silent-exit alarm: decides what follows a chat turn that ended, up to one alarm for the operator.

The thread is read before an alarm; the alarm is searched for by its nonce before it is posted, so that it is sent once
across crashes.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from blocks.queue import message_link
from blocks.text import clip, escape, quote, section
from bot.decide.silent_exit import (
    RESPOND,
    SILENT_END,
    UNREAD,
    Alarm,
    Ended,
    LoopClosed,
    ReadThread,
    RetryPrompt,
    Truth,
    counted,
    follows,
)
from bot.errors import Refused, Uncertain
from bot.models.talk import is_direct, message_of
from bot.runtime.retry import patiently
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat
    from bot.triage.ground_truth import GroundTruth

log = logging.getLogger(__name__)

GROUPED = timedelta(hours=1)
"""Time after a first alarm within which turns of the same cause are added to it."""
LISTED = 10
"""Number of turns that one alarm lists, the newest ones."""

_READ = 500
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
    """Slack ts of the message that began it: earlier messages are no answer."""
    in_public: bool
    """False in a direct message, which nobody else can open."""
    session_id: str | None = None
    """Id of the agent's session record."""


@dataclass(frozen=True)
class Alarmed:
    """Result of an alarm: the operator was told, or Slack refuses it permanently, which is logged."""

    why: str
    reached: bool


@dataclass
class _Message:
    """One posted alarm: the turns that ended for one cause, the newest last."""

    ts: str
    metadata: dict[str, Any]
    at: datetime
    turns: list[tuple[TurnPlace, Ended]]


@dataclass(frozen=True, kw_only=True)
class SilentEnds:
    """Handler of ended turns. `operator` is the alarmed user, `url` the workspace's address."""

    truth: GroundTruth
    chat: Chat
    operator: str
    audit: Journal
    clock: Clock
    url: str
    settling_seconds: float = 5.0
    """Seconds for which a request may still be in flight inside Slack before it is searched for."""
    _messages: dict[Alarm, _Message] = field(default_factory=dict)
    """Newest alarm by cause."""

    async def ended(
        self, turn: TurnPlace, ended: Ended, *, recovered: bool = False
    ) -> LoopClosed | RetryPrompt | Alarmed:
        """Decide what follows a turn's end; an alarm is sent on return. A second call for the same turn sends none.

        After a `RetryPrompt` call `RespondCalls.not_there`, run the agent again and call this with `nudged`.
        `recovered`: an earlier process may have called this. Waits as long as Slack accepts nothing.
        """
        match follows(ended):
            case ReadThread():
                ended = replace(ended, truth=await self._looked(turn, doubtful=ended.in_doubt or recovered))
                return await self.ended(turn, ended, recovered=recovered)
            case Alarm() as alarm:
                return await self._alarmed(turn, ended, alarm, recovered=recovered)
            case (LoopClosed() | RetryPrompt()) as said:
                log.info("turn %s: %s", turn.turn_id, said.why if isinstance(said, LoopClosed) else "nudged")
                return said

    async def _looked(self, turn: TurnPlace, *, doubtful: bool) -> Truth:
        if doubtful:
            await self.clock.sleep(self.settling_seconds)
        return _TRUTHS[await self.truth.spoke(turn.channel, turn.thread_ts, turn.ts, turn=turn.turn_id)]

    async def _alarmed(self, turn: TurnPlace, ended: Ended, alarm: Alarm, *, recovered: bool) -> Alarmed:
        log.warning("turn %s ended in silence: %s", turn.turn_id, alarm.why)
        try:
            await self._tell(turn, ended, alarm, recovered=recovered)
        except Refused as problem:
            log.error("the alarm about turn %s did not reach the operator: %s", turn.turn_id, problem)
            return Alarmed(alarm.why, reached=False)
        await patiently(self.clock, lambda: self.audit.append(self._record(turn, ended, alarm)))
        return Alarmed(alarm.why, reached=True)

    async def _tell(self, turn: TurnPlace, ended: Ended, alarm: Alarm, *, recovered: bool) -> None:
        channel = await patiently(self.clock, lambda: self.chat.open_dm(self.operator))
        if await self._added(channel, turn, ended, alarm):
            return
        nonce, settle = f"silent-{turn.turn_id}", recovered

        async def found() -> str | None:
            return await self.chat.find_in_channel(channel=channel, oldest=turn.ts, event_type=NOTICE, nonce=nonce)

        while await patiently(self.clock, found) is None:
            if settle:
                settle = False
                await self.clock.sleep(self.settling_seconds)
                continue
            metadata = _metadata(nonce)
            try:
                said = told(turn, ended, alarm, url=self.url)
                ts = await patiently(self.clock, lambda: self.chat.post(channel=channel, metadata=metadata, **said))  # noqa: B023  # awaited here
            except Uncertain as doubt:
                log.warning("the alarm about turn %s is in doubt: %s", turn.turn_id, doubt)
                settle = True
            else:
                self._messages[alarm] = _Message(ts, metadata, self.clock.now(), [(turn, ended)])
                return

    async def _added(self, channel: str, turn: TurnPlace, ended: Ended, alarm: Alarm) -> bool:
        """Add a turn to the posted alarm of the same cause; return whether there is one."""
        known = await self._standing(channel, alarm)
        if known is None:
            return False
        if turn.turn_id not in (place.turn_id for place, _ in known.turns):
            known.turns.append((turn, ended))
        said = told_together(known.turns, alarm, url=self.url)
        where: dict[str, Any] = {"channel": channel, "ts": known.ts}
        try:
            await patiently(self.clock, lambda: self.chat.update(metadata=known.metadata, **where, **said))
        except Refused as problem:
            log.info("an alarm stands alone: %s", problem)
            del self._messages[alarm]
            return False
        return True

    async def _standing(self, channel: str, alarm: Alarm) -> _Message | None:
        """Return the newest alarm of a cause; for one posted by an earlier process, the audit has its turns."""
        known = self._messages.get(alarm)
        if known is None:
            records = [each for each in await self.audit.tail(_READ) if _is_of(each, alarm, self.clock.now())]
            first = str(records[0]["turn_id"]) if records else ""
            where: dict[str, Any] = {"channel": channel, "event_type": NOTICE, "nonce": f"silent-{first}"}
            oldest = message_of(first)
            ts = (
                await patiently(self.clock, lambda: self.chat.find_in_channel(oldest=oldest, **where))
                if first
                else None
            )
            if ts:
                at = datetime.fromisoformat(records[0]["at"])
                known = _Message(ts, _metadata(where["nonce"]), at, [_turn_of(each) for each in records])
                self._messages[alarm] = known
        return known if known and self.clock.now() - known.at <= GROUPED else None

    def _record(self, turn: TurnPlace, ended: Ended, alarm: Alarm) -> dict[str, Any]:
        result: Literal["alarmed", "alarmed, unread"] = "alarmed, unread" if alarm.unread else "alarmed"
        return {
            "kind": SILENT_END,
            "at": self.clock.now().isoformat(),
            "turn_id": turn.turn_id,
            "session_id": turn.session_id,
            "user_id": turn.asker,
            "channel_id": turn.channel,
            "actions": list(ended.actions),
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
    return is_unread is alarm.unread and now - datetime.fromisoformat(record["at"]) <= GROUPED


def _turn_of(record: Mapping[str, Any]) -> tuple[TurnPlace, Ended]:
    """Restore a turn from its audit record, without its thread and text."""
    channel, ts = str(record["channel_id"]), message_of(str(record["turn_id"]))
    place = TurnPlace(
        turn_id=str(record["turn_id"]),
        asker=str(record["user_id"]),
        channel=channel,
        thread_ts=None,
        ts=ts,
        in_public=not is_direct(channel),
    )
    return place, Ended(actions=tuple(record.get("actions") or ()))


def told(turn: TurnPlace, ended: Ended, alarm: Alarm, *, url: str) -> dict[str, Any]:
    """Build the alarm's `text` and `blocks`. Text from places that others cannot read is not repeated."""
    where = f"in <#{turn.channel}>" if turn.in_public else "in a direct message"
    asked = f"<{_link(turn, url)}|what they asked>" if turn.in_public else "what they asked"
    lines = [
        f":warning: <@{turn.asker}> got no answer to {asked} {where}: {escape(clip(alarm.why, _LONGEST_WORDS))}.",
        f"Commands until then: {_commands(ended, _LONGEST_WORDS)}.",
    ]
    if alarm.unread:
        lines.append(f"{UNREAD}.")
    text = "\n".join(lines)
    words = ended.said.strip() if turn.in_public else ""
    unsent = [section("Its unsent text:"), quote(clip(words, _LONGEST_WORDS))] if words else []
    return {"text": text, "blocks": [section(text), *unsent]}


def told_together(turns: Sequence[tuple[TurnPlace, Ended]], alarm: Alarm, *, url: str) -> dict[str, Any]:
    """Build the alarm of several turns that ended for one cause, the newest first."""
    if len(turns) == 1:
        return told(*turns[0], alarm, url=url)
    first = f":warning: {len(turns)} times there was no answer: {escape(clip(alarm.why, _LONGEST_WORDS))}."
    rows = []
    for turn, ended in [*reversed(turns)][:LISTED]:
        where = f"in <#{turn.channel}>" if turn.in_public else "in a direct message"
        asked = f" (<{_link(turn, url)}|what they asked>)" if turn.in_public else ""
        rows.append(f"• <@{turn.asker}> {where}{asked}; commands until then: {_commands(ended, _LONGEST_TRIED)}")
    more = [f"… and {len(turns) - LISTED} more"] if len(turns) > LISTED else []
    unread = [f"{UNREAD}."] if alarm.unread else []
    text = "\n".join((first, *rows, *more, *unread))
    return {"text": text, "blocks": [section(text)]}


def _commands(ended: Ended, longest: int) -> str:
    """List the commands that a turn has called, without `respond`."""
    return escape(clip(counted(tuple(name for name in ended.actions if name != RESPOND)), longest)) or "none"


def _link(turn: TurnPlace, url: str) -> str:
    where = message_link(url, turn.channel, turn.ts)
    is_reply = turn.thread_ts is not None and turn.thread_ts != turn.ts
    return escape(f"{where}?thread_ts={turn.thread_ts}&cid={turn.channel}" if is_reply else where)
