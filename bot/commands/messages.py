"""Classification of one message: `why`. The reasons come from the journal of classifications."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import escape, moment
from bot.commands.channel_refs import check_workspace
from bot.commands.command import CommandAnswer
from bot.commands.inputs import MessagePlace, OfMessage
from bot.commands.registry import command
from bot.decide.classify.classifier import explain
from bot.errors import TriageError
from bot.models.classification import read_classification
from bot.models.command_data.messages import ClassificationData, CorrectionData
from bot.models.external import LEFT_ALONE
from bot.models.message import thread_id
from bot.models.plain_lines import to_plain_text
from bot.models.status_words import STATUS_WORDS, state_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from bot.approval.labels import Labels
    from bot.models.classification import Classification
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Store

MAX_CLOCK_SKEW = timedelta(minutes=10)
"""Time by which a classification may seem older than its message, since their clocks differ."""

CLASSIFIED_WITHIN = timedelta(hours=26)
"""Time after a message within which it may have been classified: Slack delivers delayed events for a day."""

RECLASSIFIED_WITHIN = timedelta(hours=2)
"""Time after its first classification within which an edited message may have been classified again."""

ALERT_SEARCHED = timedelta(days=30)
"""Age of the oldest alert whose end a message is looked up as."""

MOST_SEARCHED = 500
"""Threads that are read for that, the newest ones."""

_LEFT_ALONE = "It was not taken up, since its author is of another company (`slack.external: never`)."


@dataclass(frozen=True, kw_only=True)
class ClassificationCommands:
    """The command `why`. `classified` is the journal, `url` the workspace's address, `watched` the ids of watched
    channels."""

    classified: Journal
    labels: Labels
    store: Store
    team_id: str
    url: str
    watched: Container[str]

    @command(
        "why",
        "explains in a sentence how a message was classified, and its outcome",
        input=OfMessage,
        role="operator",
        tier="read",
        result=ClassificationData,
    )
    async def why(self, request: OfMessage, _: Asker) -> CommandAnswer:
        """Explain a message's classification and its outcome."""
        place = request.link
        check_workspace(place, self.url)
        record = await self._find_record(place)
        if record is None:
            line = self._format_unknown(place)
            return CommandAnswer(line=line, data=_build_data(place, line))
        if record.get("door"):
            why = escape(str(record.get("door_why")))
            line = f"It was taken as addressed to Triage itself, not as a question: {why}."
            return CommandAnswer(line=line, data=_build_data(place, line))
        try:
            classification = read_classification(record)
        except ValidationError:
            return CommandAnswer(
                outcome="failed", line="This message's record does not parse; the log of that day may help."
            )
        if record.get("left_alone") == LEFT_ALONE:
            line = f"{escape(explain(classification).capitalize())} {_LEFT_ALONE}"
            return CommandAnswer(line=line, data=_build_data(place, line, classification))
        own = thread_id(self.team_id, place.channel_id, place.ts)
        joined = record.get("joined")
        home = joined or record.get("thread_id") or own
        thread = await self.store.load(home)
        words = await self.labels.labels_of(place.channel_id, place.ts)
        explanation = " ".join(
            [escape(explain(classification).capitalize()), *(_describe_correction(word) for word in words.values())]
        )
        data = _build_data(place, explain(classification), classification, words.values(), thread)
        if joined and thread:
            link = f"{self.url}archives/{thread.chat_id}/p{thread.original_message_id.replace('.', '')}"
            return CommandAnswer(
                line=(
                    f"{explanation} It joined <{link}|the question> that its author asked with it. "
                    f"{_describe_thread(thread)}"
                ),
                data=data,
            )
        is_program = (record.get("sender") or {}).get("type") != "user"
        if is_program and (said := await self._find_alert_news(place)):
            return CommandAnswer(line=f"{explanation} {said}", data=data)
        outcome = _describe_outcome(classification, thread, place.ts, corrected=bool(words))
        return CommandAnswer(line=f"{explanation} {outcome}", data=data)

    async def _find_record(self, place: MessagePlace) -> dict[str, Any] | None:
        """Return the newest classification of the message, `None` if there is none."""
        said_at = datetime.fromtimestamp(float(place.ts), UTC)
        record_found, until = None, said_at + CLASSIFIED_WITHIN
        async for record in self.classified.records(since=said_at - MAX_CLOCK_SKEW):
            if _read_classified_at(record) > until:
                break
            if (record.get("chat_id"), record.get("message_id")) == (place.channel_id, place.ts):
                record_found, until = record, _read_classified_at(record) + RECLASSIFIED_WITHIN
        return record_found

    async def _find_alert_news(self, place: MessagePlace) -> str:
        """Describe what a message of a program did to the thread of its alert; empty for any other message."""
        prefix, newest = f"{self.team_id}-{place.channel_id}-", float(place.ts)
        oldest = newest - ALERT_SEARCHED.total_seconds()
        times = (name.removeprefix(prefix) for name in await self.store.thread_ids() if name.startswith(prefix))
        roots = sorted((root for root in times if oldest <= float(root) <= newest), key=float, reverse=True)
        for root in roots[:MOST_SEARCHED]:
            try:
                thread = await self.store.load(f"{prefix}{root}")
            except TriageError:
                continue
            changes = thread.alert.changes if thread and thread.alert else ()
            state = next((change.state for change in changes if change.message_id == place.ts), None)
            if thread and state in ("resolved", "acknowledged"):
                link = f"{self.url}archives/{thread.chat_id}/p{thread.original_message_id.replace('.', '')}"
                did = "It ended" if state == "resolved" else "It acknowledged"
                return f"{did} <{link}|this alert>. {_describe_thread(thread)}"
        return ""

    def _format_unknown(self, place: MessagePlace) -> str:
        if place.channel_id not in self.watched:
            return f"<#{place.channel_id}> is not watched, so this message was never classified."
        return (
            "This message was never classified, or its record is gone: it is the bot's own, a command, no new message "
            "(a join, a topic), from before the channel was watched, or older than `retention.days`."
        )


def _build_data(
    place: MessagePlace,
    reason: str,
    classification: Classification | None = None,
    labels: Iterable[dict[str, Any]] = (),
    thread: Thread | None = None,
) -> ClassificationData:
    return ClassificationData(
        channel=place.channel_id,
        ts=place.ts,
        classification=classification.classification if classification else None,
        confidence=classification.classifier_confidence if classification else None,
        reason=to_plain_text(reason, UTC),
        corrections=tuple(
            CorrectionData(by=each["by"], label=each["label"], at=_parse_time(each, "at")) for each in labels
        ),
        thread_id=thread.thread_id if thread else None,
        task=thread.task if thread else None,
        status=thread.status if thread else None,
        outcome=thread.outcome if thread else None,
    )


def _read_classified_at(record: dict[str, Any]) -> datetime:
    return _parse_time(record, "classified_at")


def _parse_time(record: dict[str, Any], key: str) -> datetime:
    try:
        at = datetime.fromisoformat(record[key])
    except (KeyError, TypeError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _describe_correction(label: dict[str, Any]) -> str:
    """Describe a person's correction of the classification, as `approval/labels` found it."""
    what = "this was missed" if label.get("why") == "missed_this" else "this is not for us"
    correction = f"<@{label['by']}> says: {what}" if label.get("why") else f"<@{label['by']}> calls it {label['label']}"
    return f"Corrected: {correction} ({moment(_parse_time(label, 'at'))})."


def _describe_outcome(judged: Classification, thread: Thread | None, ts: str, *, corrected: bool) -> str:
    is_in_it = thread is not None and ts in [message.message_id for message in thread.messages]
    if judged.classification != "actionable" and not (corrected and is_in_it):
        return "Nothing more was done with it."
    if thread is None:
        return "No thread was opened for it: its channel was silent, a bot said it, or the thread is gone or muted."
    return _describe_thread(thread) if is_in_it else _describe_left_out(thread)


def _describe_left_out(thread: Thread) -> str:
    """Say why a message that asks is part of no question of its thread."""
    if thread.outcome == "taken-over":
        reason = "an operator took its thread over"
    elif thread.outcome == "muted":
        reason = "its thread was muted"
    elif thread.status == "closed":
        reason = "its thread is closed and somebody else's, or was silent when it came"
    else:
        reason = "when it came, its channel or thread was silent, or a reply was on its way"
    return f"It is part of no question: {reason}. Mention the bot there to ask."


def _describe_thread(thread: Thread) -> str:
    ending = f", {state_words(thread)}" if thread.outcome else ""
    return f"Its thread is {STATUS_WORDS[thread.status]}{ending}."
