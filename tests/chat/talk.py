"""A chat agent for tests: a mind on a model that the test plays, over commands whose functions only remember."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from bot.agents.ledger import Ledger
from bot.agents.loop import Loop
from bot.chat.agent import ChatAgent, ChatAgentFactory
from bot.chat.toolbox import Taint, Toolbox
from bot.chat.wording import ChatWording
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, CommandSpec
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.models.conversation import ChatContext
from bot.models.interaction import Asker
from bot.ports.outbound import Model
from bot.tools.guard import Guard
from bot.tools.tool import Tool
from bot.triage.reader_clock import ReaderClock
from tests.builders import CHANNEL, TEAM
from tests.chat.crew import ADMIN, permission
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices

_ids = count(1)


TRUSTED = {name: replace(spec, untrusted=None) for name, spec in CATALOGUE.items()}
"""The commands as if none of them showed text of others."""


def asker(user: str = ADMIN, **changes: Any) -> Asker:
    """Who talks."""
    values = {"interaction_id": "i1", "team_id": TEAM, "user_id": user, "channel_id": CHANNEL, "via": "chat"}
    return Asker(**(values | changes))


class Names:
    """`Naming` that calls everybody by their id, in another spelling."""

    async def names(self, known: Mapping[str, str]) -> dict[str, str]:
        """`U0ANA` is Ana, `C0HELP` is help."""
        shown = {each: each[2:].capitalize() if each[0] == "U" else each[2:].lower() for each in known}
        return {each: name or shown[each] for each, name in known.items()}


@dataclass
class Zones:
    """Everyone lives by one clock."""

    zone: str

    async def time_zone(self, user: str) -> str:
        """That one."""
        return self.zone


def wording(zone: str = "UTC") -> ChatWording:
    """A wording for readers who live by this clock."""

    return ChatWording(naming=Names(), clock=ReaderClock(people=Zones(zone)))


@dataclass
class Door:
    """`CommandHandler.execute` that remembers; answers are as the test says."""

    answers: dict[str, CommandAnswer] = field(default_factory=dict)
    rejected: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    executed: list[tuple[str, dict[str, Any], bool]] = field(default_factory=list)
    """Name, input, and whether the conversation was tainted."""

    async def __call__(
        self, name: str, given: Mapping[str, Any], asker: Asker, *, tainted: bool = False
    ) -> CommandAnswer:
        """Remember, and answer."""
        self.executed.append((name, dict(given), tainted))
        return self.answers.get(name, CommandAnswer(line=f"{name} is done"))

    async def note_rejected(
        self, name: str, arguments: Mapping[str, Any], who: Mapping[str, Any], answer: CommandAnswer
    ) -> None:
        """Remember what no command has executed."""
        self.rejected.append((name, dict(arguments), answer.outcome))


@dataclass
class Key:
    """A key that can be used, and read anew."""

    renewals: list[bool]
    """What reading it anew comes to, each time."""

    def is_usable(self) -> bool:
        """It is there."""
        return True

    async def renew(self) -> bool:
        """As the test says."""
        return self.renewals.pop(0)


@dataclass
class Talk:
    """A mind and what it leaves behind."""

    model: Model
    door: Any = field(default_factory=Door)
    catalogue: Mapping[str, CommandSpec] = field(default_factory=lambda: TRUSTED)
    turns: int = 11
    renewals: list[bool] = field(default_factory=list)
    """What reading the key anew comes to, each time."""
    did: list[str] = field(default_factory=list)
    taint: Taint = field(default_factory=Taint)
    sessions: MemorySessions = field(default_factory=MemorySessions)

    def __post_init__(self) -> None:
        clock = HandClock()
        self.ledger = Ledger(
            sessions=self.sessions,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=clock,
            usd_per_day=1_000,
            tell=lambda line: None,
        )
        loop = Loop(model=self.model, ledger=self.ledger, clock=clock)

        self.mind = ChatAgentFactory(
            toolbox=Toolbox(
                execute=self.door,
                note_rejected=getattr(self.door, "note_rejected", Door().note_rejected),
                permission=permission(),
                guard=Guard(redactor=Redactor(), new_nonce=lambda: f"n{next(_ids)}"),
                catalogue=self.catalogue,
                wording=wording(),
            ),
            limits=RunLimits(
                turns=self.turns, usd=1_000, tokens=1_000_000_000, tool_bytes=100_000_000, retries=0, corrections=1
            ),
            loop=loop,
            summary_loop=loop,
            key=Key(self.renewals),  # type: ignore[arg-type]  # it has what the factory calls
        )

    async def show_activity(self, what: str) -> None:
        """Keep it (`StatusIndicator`)."""
        self.did.append(what)

    def agent(
        self, user: str = ADMIN, *, context: ChatContext | None = None, respond: Tool | None = None, **changes: Any
    ) -> ChatAgent:
        """The agent of one turn."""

        return self.mind.create_agent(
            asker=asker(user, **changes),
            context=context or ChatContext(),
            respond=respond,
            indicator=self,  # type: ignore[arg-type]  # it has the one call,
            taint=self.taint,
        )
