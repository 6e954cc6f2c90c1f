"""The command `audit`: who did or tried what, from `audit.ndjson` and its earlier parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from blocks.text import clip, escape, moment, name_channel
from bot.commands.answer_room import fit_rows
from bot.commands.command import CommandAnswer, find_spec
from bot.commands.registry import command
from bot.commands.state import count
from bot.models.command_data.audit import AuditData, AuditEntryData
from bot.models.fact import Fact
from bot.models.journal_query import JournalQuery
from bot.models.plain_lines import to_plain_text
from bot.models.recorded_time import parse_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from bot.commands.command import CommandSpec
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock, Journal

_ID, _CHANNEL = r"[UW][A-Z0-9]{2,30}", r"[CDG][A-Z0-9]{2,30}"
_PERSON = re.compile(rf"<?@?(?P<id>{_ID})(?:\|[^<>]*)?>?")
_WORDS = re.compile(r"[a-z]+(?:[ ,]+[a-z]+){0,9}")
"""Outcomes of a command or a press in words that are no markup."""
_NAMES = ("action", "called", "command", "runbook")
"""Fields with the names by which a record is found."""
_PROGRAM_FIELDS = ("command", "runbook", "project")
"""Fields of the start and the end of a program, which have no input."""
_VALUE, _RESULT = 60, 120
"""Characters shown of one value and of a result."""
_WAYS = {
    "slash": "/triage",
    "thread": "!triage",
    "chat": "the chat agent",
    "cli": "a terminal",
    "home": "the App Home",
    "emoji": "a reaction",
    "hook": "a hook",
}


def _parse_person(value: Any) -> Any:
    match = _PERSON.fullmatch(str(value).strip())
    if match is None:
        raise ValueError("expected a person as a mention, or by Slack's id such as U0123ABCD")
    return match["id"]


def _parse_before(value: Any) -> Any:
    """Parse a time; one without an offset is of the settings' time zone, which the command adds."""
    try:
        return datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise ValueError("expected a time such as 2026-07-01T08:00") from None


class AuditInput(Fact):
    """Filter of the audit; without words, all of the last day."""

    person: Annotated[
        str | None,
        BeforeValidator(_parse_person),
        WithJsonSchema({"type": "string", "description": "A person, by Slack's id."}),
    ] = None
    command: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=60),
        Field(description="A command or a button."),
    ] = ""
    hours: Annotated[int, Field(ge=1, le=8_784, description="Number of hours back.")] = 24
    before: Annotated[
        datetime | None,
        BeforeValidator(_parse_before),
        WithJsonSchema({"type": "string", "description": "Its end: 2026-07-01T08:00, in the settings' timezone."}),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="Most of them to list.")] = 15


@dataclass(frozen=True, kw_only=True)
class AuditCommands:
    """The command `audit`; `catalogue` has the commands, by whose aliases records are found too. Times without an
    offset are of `zone`."""

    audit: Journal
    clock: Clock
    catalogue: Mapping[str, CommandSpec]
    zone: tzinfo

    @command(
        "audit",
        "shows who did or tried what, by command or button",
        input=AuditInput,
        role="admin",
        tier="read",
        also=("get_audit",),
        untrusted="people",
        result=AuditData,
    )
    async def show(self, request: AuditInput, asker: Asker) -> CommandAnswer:
        """Show the newest records of commands and presses within a time, of one person or command if named."""
        now = self.clock.now()
        until = request.before
        if until and until.tzinfo is None:
            until = until.replace(tzinfo=self.zone)
        before = min(until or now, now) + timedelta(microseconds=until is None)
        since = before - timedelta(hours=request.hours)
        names = self._list_names(request.command)

        def matches(record: dict[str, Any]) -> bool:
            is_action = isinstance(record.get("action"), str) and "user_id" in record
            is_theirs = request.person is None or record.get("user_id") == request.person
            return is_action and is_theirs and (not names or any(record.get(name) in names for name in _NAMES))

        contains = (request.person, *(names if len(names) == 1 else ()))
        query = JournalQuery(
            since=since,
            before=before,
            limit=request.limit,
            matches=matches,
            contains=tuple(text for text in contains if text and text.isascii()),
        )
        page = await self.audit.newest(query)
        entries = tuple(map(_build_entry, page.records))
        data = AuditData(
            since=since, before=before, entries=entries, has_more=page.has_more, read_back_to=page.read_back_to
        )
        order = ", the newest first" if entries else ""
        line = f"{count(len(entries), 'record')} of {_describe_filter(request, until)}{order}."
        visible_rows = fit_rows([_format_row(entry) for entry in entries], asker)
        if len(visible_rows) < len(entries) or page.has_more:
            visible_rows.append(f"There are older ones: `{_format_call(request, entries[len(visible_rows) - 1].at)}`")
        elif page.read_back_to:
            visible_rows.append(f"Older ones were not read: `{_format_call(request, page.read_back_to)}`")
        return CommandAnswer(line=line, rows=tuple(visible_rows), data=data)

    def _list_names(self, name: str) -> set[str]:
        """Return the names under which a command may be recorded; an unknown one as it is."""
        spec = find_spec(name.lower(), self.catalogue) if name else None
        return {spec.name} if spec else {name, name.lower()} if name else set()


def _describe_filter(request: AuditInput, before: datetime | None) -> str:
    what = f"`{_code(request.command)}`" if request.command else "all commands and presses"
    who = f" by <@{request.person}>" if request.person else ""
    until = f" before {moment(before)}" if before else ""
    return f"{what}{who} in the last {count(request.hours, 'hour')}{until}"


def _format_call(request: AuditInput, before: datetime) -> str:
    """Format the call that shows what is older."""
    words = ["audit"]
    words += [f"person={request.person}"] if request.person else []
    words += [f"command={_code(request.command)}"] if request.command else []
    return " ".join((*words, f"hours={request.hours}", f"before={before:%Y-%m-%dT%H:%M:%S.%fZ}"))


def _build_entry(record: dict[str, Any]) -> AuditEntryData:
    """Build an entry from a record of any kind; an older one may lack fields."""
    values = record.get("input", {name: record[name] for name in _PROGRAM_FIELDS if isinstance(record.get(name), str)})
    outcome, result = record.get("outcome"), record.get("result")
    place = _text(record.get("channel_id"))
    return AuditEntryData(
        at=parse_time(record.get("at")) or datetime.min.replace(tzinfo=UTC),
        user=_text(record.get("user_id")),
        action=str(record.get("action")),
        called=_text(record.get("called")),
        via=_text(record.get("via")),
        channel=place if place and re.fullmatch(_CHANNEL, place) else None,
        thread_id=_text(record.get("thread_id")),
        input={str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {},
        outcome=str(outcome or result or "done"),
        result=to_plain_text(str(result), UTC) if outcome and result else None,
        was_executed=not record.get("rejected"),
    )


def _format_row(entry: AuditEntryData) -> str:
    """Format a record. What people typed is in code spans, in which Slack links and formats nothing."""
    user = entry.user or "somebody"
    who = f"<@{user}>" if re.fullmatch(_ID, user) else _span(user)
    values = "; ".join(_span(f"{name}: {clip(value, _VALUE)}", 3 * _VALUE) for name, value in entry.input.items())
    called = f" (as {_span(entry.called)})" if entry.called else ""
    way = f" by {_WAYS.get(entry.via, _span(entry.via))}" if entry.via else ""
    where = f" in {name_channel(entry.channel)}" if entry.channel else ""
    outcome = f"*{entry.outcome}*" if _WORDS.fullmatch(entry.outcome) else _span(entry.outcome, _RESULT)
    result = f" {_span(entry.result, _RESULT)}" if entry.result else ""
    action = f"{_span(entry.action)}{called}{f' ({values})' if values else ''}"
    return f"{moment(entry.at)} {who} {action}{way}{where}: {outcome}{result}"


def _span(text: str, limit: int = _VALUE) -> str:
    """Return the start of a text as a code span; without text, quotation marks."""
    code = _code(clip(text, limit))
    return f"`{code}`" if code else '""'


def _code(text: str) -> str:
    """Escape text for a code span, on one line."""
    return escape(" ".join(text.split())).replace("`", "'")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
