"""Tools of the chat agent: the catalogue's commands that a person's role may give.

Each call goes through the command handler, which authorises it by the Slack user, validates its input, executes and
audits it. Commands beyond the role are left out so that the model does not try them; the handler would refuse them.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, get_args

from pydantic import RootModel, ValidationError

from bot.chat.call_log import REPEATED
from bot.commands.argument_names import rename_arguments
from bot.commands.command import IRREVERSIBLE, READ, CommandAnswer, CommandSpec, Outcome, Role, Untrusted
from bot.commands.tool_schema import compact_schema
from bot.errors import ToolError, TriageError
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.chat.call_log import LoggedCall
    from bot.chat.status_indicator import StatusIndicator
    from bot.chat.wording import ChatWording
    from bot.commands.permission import Permission
    from bot.models.interaction import Asker
    from bot.tools.guard import Guard

_PHRASES = {
    "append": "adding to",
    "approve": "approving",
    "compare": "comparing",
    "create": "creating",
    "delete": "asking to delete",
    "edit": "changing",
    "fire": "firing",
    "get": "looking up",
    "list": "listing",
    "pause": "pausing",
    "read": "reading",
    "restart": "restarting",
    "restore": "restoring",
    "resume": "resuming",
    "search": "searching",
    "set": "setting",
    "stop": "stopping",
    "write": "writing",
}
_OWN_PHRASES = {
    "allow": "raising today's budget",
    "brief": "reading the brief",
    "config": "reading the settings",
    "help": "looking up its commands",
    "metrics": "counting",
    "mode": "setting a channel's mode",
    "mute": "muting a thread",
    "pause": "pausing",
    "queue": "reading the queue",
    "resume": "resuming",
    "status": "reading the status",
    "stop": "stopping all runs",
    "thread": "looking at a thread",
    "unmute": "listening to a thread again",
    "why": "looking up why",
}


class Taint:
    """Taint of a conversation: text by other people was read in it; and the sources read in this turn.

    The taint is saved with the conversation and never removed.
    """

    def __init__(self, *, is_tainted: bool = False) -> None:
        self._is_tainted = is_tainted
        self.is_blind = False
        """True if earlier messages of the conversation could not be read for this turn."""
        self._read: set[Untrusted] = set()

    @property
    def is_tainted(self) -> bool:
        """Return whether text by other people was read: then only read commands run without a confirmation."""
        return self._is_tainted

    @property
    def must_wait(self) -> bool:
        """Return whether changes need a confirmation: without the history, "yes, do it" may refer to anything."""
        return self._is_tainted or self.is_blind

    @property
    def source(self) -> Untrusted | None:
        """Return the untrusted source that an answer of this turn may contain; code, if it may be both."""
        return "code" if "code" in self._read else "people" if self._read else None

    def taint_history(self) -> None:
        """Taint the conversation by its history."""
        self._is_tainted = True

    def add_read(self, read: Untrusted) -> None:
        """Taint the conversation by a source read just now."""
        self._is_tainted = True
        self._read.add(read)


_NOT_REPEATED = (
    "Not run again: the same call was made before in this answer ({before}), and nothing is done twice. Close with "
    "its outcome."
)


_REJECTED = {
    REPEATED: "Not run: the same call was made before in this answer.",
    "invalid": "Not run: the call used another name of the command.",
}
"""Results of calls that were not executed, by their outcome in the log."""


FEW_TOOLS = frozenset(
    {"help", "get_my_questions", "get_status", "queue", "why", "brief", "list_projects", "list_tasks"}
)
"""Commands of a small model: they change nothing; all others can be typed."""


def select_few(specs: Sequence[CommandSpec]) -> tuple[CommandSpec, ...]:
    """Return the commands that a small model gets, of those that a person may give."""
    return tuple(spec for spec in specs if spec.tool_name in FEW_TOOLS)


ASKS_FIRST = "Asks first."
"""Mark of a tool whose call the person must confirm; the prompt explains it."""


class CallCounter(Protocol):
    """Callback that logs a call as executing (`CallLog.begin`), and returns an earlier call of the same write."""

    def __call__(self, name: str, arguments: Any, *, key: str) -> tuple[LoggedCall, LoggedCall | None]: ...


class Execute(Protocol):
    """Callback of the type of `CommandHandler.execute`."""

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], asker: Asker, *, tainted: bool = False
    ) -> CommandAnswer: ...


class RecordRejected(Protocol):
    """Callback of the type of `CommandHandler.record_rejected`."""

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], who: Mapping[str, Any], answer: CommandAnswer
    ) -> None: ...


class _RawArguments(RootModel[dict[str, Any]]):
    """Arguments as sent by a model: the handler validates them, so that the audit has invalid attempts too."""


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """Factory of tools from commands. `guard` wraps text by other people in an
    envelope."""

    execute: Execute
    note_rejected: RecordRejected
    permission: Permission
    guard: Guard
    catalogue: Mapping[str, CommandSpec]
    """Commands that `execute` accepts."""
    wording: ChatWording
    _running: set[asyncio.Task[CommandAnswer]] = field(default_factory=set)

    async def record_rejected(self, call: LoggedCall, asker: Asker) -> None:
        """Record a call that no command has executed: of an unknown tool, with an invalid input, repeated or cut
        off."""
        is_known = any(call.name == spec.tool_name for spec in self.catalogue.values())
        outcome: Outcome = "unknown" if not is_known else "refused" if call.is_object else "invalid"
        reason = _REJECTED.get(call.outcome, "Not run: the model's call was not taken.")
        line = "There is no such command." if outcome == "unknown" else reason
        who = asker.model_dump(mode="json", exclude={"text"})
        name = call.called or call.name
        await self.note_rejected(name, call.arguments, who, CommandAnswer(outcome=outcome, line=line))

    async def list_offered(self, asker: Asker) -> tuple[CommandSpec, ...]:
        """Return the commands that this person may give."""
        roles = [role for role in get_args(Role) if await self.permission.refusal(asker, role) is None]
        return tuple(spec for spec in self.catalogue.values() if spec.role in roles)

    def build_tool(
        self,
        spec: CommandSpec,
        asker: Asker,
        *,
        indicator: StatusIndicator,
        taint: Taint,
        log_call: CallCounter,
    ) -> Tool:
        """Build a tool from a command. `log_call` receives each call, and returns the entry for its outcome."""
        name = spec.tool_name

        async def run(arguments: _RawArguments) -> str:
            call, before = log_call(name, arguments.root, key=_key(spec, arguments.root))
            if before:
                call.outcome = REPEATED
                raise ToolError(_NOT_REPEATED.format(before=before.outcome))
            await indicator.show_activity(describe_activity(spec))
            answer = await self._execute_shielded(spec, arguments.root, asker, call, tainted=taint.must_wait)
            if spec.untrusted and answer.outcome in ("done", "failed"):
                taint.add_read(spec.untrusted)
            line, *rows = await self.wording.convert((answer.line, *answer.rows), asker)
            result = json.dumps({"outcome": answer.outcome, "line": line, "rows": rows}, ensure_ascii=False)
            if _may_repeat_others(spec, answer):
                result = self.guard.answer(result, source=f"the command {spec.name}")
            if answer.outcome in ("failed", "invalid", "unknown"):
                raise ToolError(result)
            return result

        asks = spec.tier == IRREVERSIBLE or spec.needs_press or spec.always_asks
        return Tool(
            name=name,
            description=f"{spec.summary}. {ASKS_FIRST}" if asks else f"{spec.summary}.",
            input=_RawArguments,
            declared_schema=compact_schema(spec.input),
            run=run,
            is_read_only=False,
        )

    async def _execute_shielded(
        self, spec: CommandSpec, arguments: dict[str, Any], asker: Asker, call: LoggedCall, *, tainted: bool
    ) -> CommandAnswer:
        """Execute a command in its own task: it completes even if the turn is cancelled or times out."""

        async def work() -> CommandAnswer:
            answer = await self.execute(spec.name, arguments, asker, tainted=tainted)
            call.outcome, call.line, call.rows = answer.outcome, answer.line, answer.rows
            call.may_change = call.may_change and not answer.is_unchanged
            return answer

        call.work = asyncio.create_task(work(), name=f"command {spec.name}")
        self._running.add(call.work)
        call.work.add_done_callback(self._running.discard)
        return await asyncio.shield(call.work)


def _may_repeat_others(spec: CommandSpec, answer: CommandAnswer) -> bool:
    """Return whether an answer may repeat untrusted text: content, or the input of a call that a stranger worded."""
    if answer.repeats_nothing or answer.missing:
        return False
    return bool(spec.untrusted) or answer.outcome in ("failed", "invalid", "unknown")


def _key(spec: CommandSpec, arguments: dict[str, Any]) -> str:
    """Normalise an input with its defaults; an invalid input stays as it is."""
    try:
        request = spec.input.model_validate(rename_arguments(spec.input, arguments))
        normalized = request.model_dump(mode="json")
    except (ValidationError, TriageError):
        normalized = arguments
    return json.dumps(normalized, sort_keys=True, ensure_ascii=False, default=str)


def describe_activity(spec: CommandSpec) -> str:
    """Describe the agent's activity during a command, as Slack shows it after its name: `is reading the queue`."""
    if spec.name in _OWN_PHRASES:
        return f"is {_OWN_PHRASES[spec.name]}"
    verb, _, object_name = spec.tool_name.partition("_")
    if verb in _PHRASES and object_name:
        return f"is {_PHRASES[verb]} {object_name.replace('_', ' ')}"
    return "is looking something up" if spec.tier == READ else "is changing something"
