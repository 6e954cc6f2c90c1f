"""Weekly samples: messages that Triage left alone, put before an operator who judges them (spec 1, AC-11).

A sample is saved before it is posted, and each judgement before it is shown, so that a crash repeats neither.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.message_sample import build_sample
from bot.approval.answers import RECORDED
from bot.decide.information_flow import visibility
from bot.decide.message_sampling import Candidate, draw_sample
from bot.errors import Refused, TriageError
from bot.models.classification import read_classification
from bot.models.interaction import is_command_message
from bot.models.message import Message
from bot.models.message_sample import MessageSample
from bot.models.recorded_time import parse_time
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime

    from bot.approval.corrections import Corrections
    from bot.decide.redaction.redactor import Redactor
    from bot.models.message_sample import Judgement, SampledMessage, SamplePress
    from bot.ports.access import Members
    from bot.ports.outbound import Clock, Journal, JsonFile
    from bot.ports.slack import ChannelMembership, Channels, Chat

log = logging.getLogger(__name__)

WEEK = timedelta(days=7)
WEEKS_KEPT = 26
"""Samples that the file keeps; older ones are dropped."""
_LOOKED_BACK = timedelta(days=8)
"""Age up to which a posted sample is searched: it may be made up for until the next one."""
_JUDGED = "This message was judged before. Nothing was changed."
_CHANGED = "This message was edited or deleted since it was drawn, so it is not judged. Nothing was changed."
_OLD = "This sample is no longer kept. Nothing was changed."
_SAID_BEFORE = "They said so before."
_FIELDS = frozenset(Message.model_fields)
_BROKE = "This did not work; the log says why. Nothing was changed."


@dataclass(frozen=True, kw_only=True)
class MessageSamples:
    """Draws, posts and judges samples. `classified` is `events-classified.ndjson`; `url` is the workspace's address."""

    file: JsonFile
    classified: Journal
    audit: Journal
    chat: Chat
    channels: Channels
    membership: ChannelMembership
    members: Members
    corrections: Corrections
    operators: tuple[str, ...]
    """People who may get the sample, in their order."""
    redactor: Redactor
    clock: Clock
    url: str
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def post(self, day: date) -> None:
        """Draw the sample of the week that ends now, and post it, each once. Without messages nothing is posted."""
        async with self._turn:
            samples = await self._load()
            sample = samples.get(day.isoformat()) or await self._draw(day)
            if sample is None or sample.ts:
                return
            await self._save(samples | {day.isoformat(): sample})
            channel = await self.chat.open_dm(sample.operator)
            oldest = f"{(self.clock.now() - _LOOKED_BACK).timestamp():.6f}"
            metadata = _build_metadata(day)
            nonce = metadata["event_payload"]["nonce"]
            ts = await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=NOTICE, nonce=nonce)
            content = build_sample(sample, await self._read_words(sample), self.url)
            ts = ts or await self.chat.post(channel=channel, metadata=metadata, **content)
            await self._save(samples | {day.isoformat(): sample.evolve(channel=channel, ts=ts)})

    async def handle_press(self, press: SamplePress, *, replayed: bool = False) -> None:
        """Judge a message of a sample; a replayed press notifies nobody."""
        try:
            async with self._turn:
                answer = await self._judge(press)
        except Exception:  # a replay must not act on it later
            log.exception("the press %s on a sample failed", press.action)
            answer = _BROKE
        record = press.model_dump(mode="json", exclude={"day", "number"})
        at = self.clock.now().isoformat()
        result = answer or "done"
        await self.audit.append({**record, "kind": "sample", "at": at, "result": result, "replayed": replayed})
        if answer and not replayed:
            try:
                await self.chat.post_ephemeral(channel=press.channel_id, user=press.user_id, text=answer)
            except TriageError as problem:
                log.warning("%s was not told: %s", press.user_id, problem)

    async def _judge(self, press: SamplePress) -> str:
        """Apply a judgement; return why it had no effect, empty if it had one."""
        samples = await self._load()
        sample = samples.get(press.day.isoformat())
        if sample is None or press.number >= len(sample.rows):
            return _OLD
        row = sample.rows[press.number]
        if refusal := await self.corrections.find_refusal(press.user_id, press.team_id):
            return refusal
        words, is_new = await self._read_words(sample), row.judgement is None and not row.is_void
        if is_new and await self._has_changed(row, sample.drawn_at):
            sample = sample.void(press.number)
            await self._save(samples | {press.day.isoformat(): sample})
        elif is_new:
            said = (await self._apply(row, press)).removeprefix(RECORDED).strip()
            sample = sample.judge(press.number, press.action, by=press.user_id, at=self.clock.now(), said=said)
            await self._save(samples | {press.day.isoformat(): sample})
        content = build_sample(sample, words, self.url)
        if sample.ts:
            await self.chat.update(
                channel=sample.channel, ts=sample.ts, metadata=_build_metadata(sample.day), **content
            )
        if sample.rows[press.number].is_void:
            return _CHANGED
        return "" if is_new else _JUDGED

    async def _has_changed(self, row: SampledMessage, drawn_at: datetime) -> bool:
        """Return whether a message is gone, or has other words than those that were classified before the draw."""
        message = await self.corrections.read_message(row.chat_id, row.message_id)
        drawn = await self._read_contents((row,), before=drawn_at)
        return message is None or drawn.get((row.chat_id, row.message_id), message.content) != message.content

    async def _apply(self, row: SampledMessage, press: SamplePress) -> str:
        """Label a message, and start its investigation if it was missed; return the text to show."""
        where: dict[str, str] = {"by": press.user_id, "interaction_id": press.interaction_id}
        if press.action == "missed":
            return await self.corrections.report_missed(row.chat_id, row.message_id, **where)
        await self.corrections.report_fine(row.chat_id, row.message_id, row.classification, **where)
        return ""

    async def _draw(self, day: date) -> MessageSample | None:
        """Draw the sample of a week from what the operator may read; `None` where there is nothing or nobody."""
        operator = await self._choose_operator()
        if operator is None:
            return None
        candidates = [*(await self._read_candidates()).values()]
        chats = sorted({each.chat_id for each in candidates})
        readable = {chat for chat in chats if await self._may_read(operator, chat)}
        candidates = [each for each in candidates if each.chat_id in readable]
        rows = [row for row in draw_sample(candidates, seed=day.isoformat()) if await self._is_there(row)]
        if not rows:
            return None
        now = self.clock.now()
        return MessageSample(
            day=day, operator=operator, drawn_at=now, messages=len(candidates), rows=await self._prefill(rows, now)
        )

    async def _prefill(self, rows: Iterable[SampledMessage], now: datetime) -> tuple[SampledMessage, ...]:
        """Return the rows with the judgements that people have made of them before."""
        filled = []
        for row in rows:
            labels = await self.corrections.labels.labels_of(row.chat_id, row.message_id)
            for by, record in labels.items():  # the last one counts
                judgement: Judgement = "missed" if record["label"] == "actionable" else "fine"
                row = row.evolve(judgement=judgement, by=by, at=now, said=_SAID_BEFORE)
            filled.append(row)
        return tuple(filled)

    async def _read_candidates(self) -> dict[tuple[str, str], Candidate]:
        """Return the people's messages of the week that were left alone, by channel and ts, as last classified."""
        since = self.clock.now() - WEEK
        found: dict[tuple[str, str], Candidate] = {}
        async for record in self.classified.records(since=since):
            try:
                message = Message.model_validate({key: record[key] for key in _FIELDS if key in record})
                classification = read_classification(record)
            except (KeyError, ValidationError):
                continue
            key = (message.chat_id, message.message_id)
            found.pop(key, None)
            kind, sure = classification.classification, classification.classifier_confidence
            if kind == "actionable" or classification.classified_at < since:
                continue
            if message.sender.type == "user" and not is_command_message(message):
                found[key] = Candidate(*key, kind, sure)
        return found

    async def _read_words(self, sample: MessageSample) -> Mapping[tuple[str, str], str]:
        """Return the redacted words of the sampled messages, by channel and ts, as far as they are kept."""
        contents = await self._read_contents(sample.rows, before=sample.drawn_at)
        return {key: self.redactor.redact(content) for key, content in contents.items()}

    async def _read_contents(self, rows: Iterable[SampledMessage], *, before: datetime) -> dict[tuple[str, str], str]:
        """Return the contents of messages by channel and ts, as they were classified last before a draw."""
        wanted, contents = {(row.chat_id, row.message_id) for row in rows}, dict[tuple[str, str], str]()
        async for record in self.classified.records(since=before - WEEK):
            key = (str(record.get("chat_id")), str(record.get("message_id")))
            at = parse_time(record.get("classified_at"))
            if key in wanted and isinstance(record.get("content"), str) and at and at <= before:
                contents[key] = record["content"]
        return contents

    async def _choose_operator(self) -> str | None:
        """Return the first operator who is a member; `None` if none is."""
        for user in self.operators:
            if not await self.members.is_barred(user):
                return user
        return None

    async def _may_read(self, operator: str, chat: str) -> bool:
        """Return whether the operator may read a channel: a public one, or one that they are in."""
        try:
            if visibility(await self.channels.channel(chat)) == "public":
                return True
            return await self.membership.is_member(channel=chat, user=operator)
        except Refused:
            return False

    async def _is_there(self, row: SampledMessage) -> bool:
        """Return whether Slack still has a message."""
        try:
            return await self.corrections.history.message(channel=row.chat_id, ts=row.message_id) is not None
        except Refused:
            return False

    async def _load(self) -> dict[str, MessageSample]:
        content = await self.file.read()
        samples: dict[str, MessageSample] = {}
        for day, record in content.items():
            try:
                samples[day] = MessageSample.model_validate(record)
            except ValidationError as problem:
                log.warning("the sample of %s does not parse, and is dropped: %s", day, problem.error_count())
        return samples

    async def _save(self, samples: Mapping[str, MessageSample]) -> None:
        kept = sorted(samples)[-WEEKS_KEPT:]
        await self.file.write({day: samples[day].model_dump(mode="json") for day in kept})


def _build_metadata(day: date) -> dict[str, Any]:
    return {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": f"sample-{day.isoformat()}"}}
