"""The chat agent's tools: the catalogue's commands that a person's role may give.

Every call goes through the commands' own handler, which authorises it by the Slack user who asked, validates its input,
runs and audits it; nothing here decides. What a role may not give is left out, so that nobody is tempted; the handler
refuses it all the same.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, get_args

from pydantic import RootModel, ValidationError

from bot.chat.call_log import REPEATED
from bot.commands.command import IRREVERSIBLE, READ, CommandAnswer, CommandSpec, Role, Untrusted
from bot.errors import ToolError, TriageError
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.chat.call_log import Called
    from bot.chat.wording import ChatWording
    from bot.models.interaction import Asker
    from bot.tools.guard import Guard

_PHRASES = {
    "append": "adding to",
    "approve": "approving",
    "compare": "comparing",
    "create": "creating",
    "delete": "asking to delete",
    "edit": "changing",
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
    "allow": "raising today's money",
    "brief": "reading the brief",
    "config": "reading the settings",
    "help": "looking up its commands",
    "metrics": "counting",
    "mode": "setting a channel's mode",
    "mute": "muting a thread",
    "pause": "pausing",
    "queue": "reading the queue",
    "resume": "going on",
    "status": "looking at how it goes",
    "stop": "stopping all runs",
    "thread": "looking at a thread",
    "unmute": "listening to a thread again",
    "why": "looking up why",
}


class Taint:
    """Whether text of others was read in a conversation, and what of it in this turn.

    The first is kept with the conversation by whoever leads it, and nothing takes it back.
    """

    def __init__(self, *, is_tainted: bool = False) -> None:
        self._is_tainted = is_tainted
        self.is_blind = False
        """Whether earlier messages of the conversation could not be read for this turn."""
        self._read: set[Untrusted] = set()

    @property
    def is_tainted(self) -> bool:
        """Return whether it was: then only commands that change nothing run without a press."""
        return self._is_tainted

    @property
    def must_wait(self) -> bool:
        """Return whether what changes something waits for a press: who does not know what "yes, do it" answers may not
        act."""
        return self._is_tainted or self.is_blind

    @property
    def rests_on(self) -> Untrusted | None:
        """What an answer of this turn may repeat; code, where it may be both."""
        return "code" if "code" in self._read else "people" if self._read else None

    def hold(self) -> None:
        """It stands in the history."""
        self._is_tainted = True

    def mark(self, read: Untrusted) -> None:
        """It was read just now."""
        self._is_tainted = True
        self._read.add(read)


_NOT_AGAIN = (
    "Not run again: the same call was made before in this answer ({before}), and nothing is done twice. Close with "
    "what came of it."
)


class CallCounter(Protocol):
    """Counts a call among those that are run (`CallLog.begin`); says whether it is a write that was made before."""

    def __call__(self, name: str, given: Any, *, key: str) -> tuple[Called, Called | None]: ...


class Execute(Protocol):
    """`CommandHandler.execute`."""

    async def __call__(
        self, name: str, given: Mapping[str, Any], asker: Asker, *, tainted: bool = False
    ) -> CommandAnswer: ...


class _Given(RootModel[dict[str, Any]]):
    """Whatever object a model sends: the handler validates it, so that an attempt stands in the audit, too."""


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """Makes tools of commands. `refusal` is `Permission.refusal`; `guard` puts what others wrote into an envelope."""

    execute: Execute
    refusal: Callable[[Asker, Role], Awaitable[str | None]]
    guard: Guard
    catalogue: Mapping[str, CommandSpec]
    """What `execute` knows."""
    wording: ChatWording
    _running: set[asyncio.Task[CommandAnswer]] = field(default_factory=set)

    async def offered(self, asker: Asker) -> tuple[CommandSpec, ...]:
        """The commands that this person may give."""
        held = [role for role in get_args(Role) if await self.refusal(asker, role) is None]
        return tuple(spec for spec in self.catalogue.values() if spec.role in held)

    def tool(
        self,
        spec: CommandSpec,
        asker: Asker,
        *,
        doing: Callable[[str], Awaitable[None]],
        taint: Taint,
        note: CallCounter,
    ) -> Tool:
        """A command as a tool. `note` gets each call, and gives what the outcome is written into."""
        name = spec.tool_name

        async def run(given: _Given) -> str:
            called, before = note(name, given.root, key=_key(spec, given.root))
            if before:
                called.outcome = REPEATED
                raise ToolError(_NOT_AGAIN.format(before=before.outcome))
            await doing(phrase(spec))
            answer = await self._executed(spec, given.root, asker, called, tainted=taint.must_wait)
            if spec.untrusted and answer.outcome in ("done", "failed"):
                taint.mark(spec.untrusted)
            line, *rows = await self.wording.words((answer.line, *answer.rows), asker)
            said = json.dumps({"outcome": answer.outcome, "line": line, "rows": rows}, ensure_ascii=False)
            told = self.guard.answer(said, source=f"the command {spec.name}") if spec.untrusted else said
            if answer.outcome in ("failed", "invalid", "unknown"):
                raise ToolError(told)
            return told

        about = f"{spec.summary}. Typed by people: `{spec.usage}`."
        if spec.tier == IRREVERSIBLE:
            about = f"{about} Nothing takes it back: the person is asked for a press first."
        elif spec.needs_press:
            about = f"{about} The person is asked for a press first."
        return Tool(name=name, description=about, input=_Given, form=spec.input, run=run, read_only=False)

    async def _executed(
        self, spec: CommandSpec, given: dict[str, Any], asker: Asker, called: Called, *, tainted: bool
    ) -> CommandAnswer:
        """A task of its own: a command that was begun is done, also when the talk is called off or takes too long."""

        async def work() -> CommandAnswer:
            answer = await self.execute(spec.name, given, asker, tainted=tainted)
            called.outcome, called.line, called.rows = answer.outcome, answer.line, answer.rows
            called.writes = called.writes and not answer.is_unchanged
            return answer

        called.work = asyncio.create_task(work(), name=f"command {spec.name}")
        self._running.add(called.work)
        called.work.add_done_callback(self._running.discard)
        return await asyncio.shield(called.work)


def _key(spec: CommandSpec, given: dict[str, Any]) -> str:
    """The input in one form, with what was left out; an input that does not fit stays as it is."""
    try:
        said = spec.input.model_validate(given).model_dump(mode="json")
    except (ValidationError, TriageError):
        said = given
    return json.dumps(said, sort_keys=True, ensure_ascii=False, default=str)


def phrase(spec: CommandSpec) -> str:
    """What the agent does while a command runs, as Slack shows it after its name: `is reading the queue`."""
    if spec.name in _OWN_PHRASES:
        return f"is {_OWN_PHRASES[spec.name]}"
    verb, _, noun = spec.tool_name.partition("_")
    if verb in _PHRASES and noun:
        return f"is {_PHRASES[verb]} {noun.replace('_', ' ')}"
    return "is looking something up" if spec.tier == READ else "is changing something"
