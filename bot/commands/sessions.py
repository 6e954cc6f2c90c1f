"""Sessions of the agents: `sessions` lists them, `chain` shows those that an escalation links (spec 3)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from blocks.session_chain import CHAIN_MARK, describe_chain, describe_links, describe_session
from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import HoursInput, OfChain
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.redaction.redactor import Redactor
from bot.decide.session_chains import SessionChains
from bot.models.session import SESSION_ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.models.session_chain import SessionChain
    from bot.ports.outbound import Clock, Sessions

MAX_SESSIONS = 20
"""Number of sessions that one list shows."""
MAX_STEPS = 15
"""Number of sessions of one chain that an answer shows."""
MAX_CHAINS = 3
"""Number of chains of one thread that an answer shows, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class SessionCommands:
    """Commands on the records of runs. A figure belongs to the session that caused it, and no other."""

    saved: Sessions
    finder: TaskFinder
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "sessions",
        "lists the agents' sessions of the last hours (24), the newest first, with a mark at those of an escalation",
        input=HoursInput,
        role="operator",
        tier="read",
        also=("list_sessions",),
        untrusted="people",
    )
    async def list_newest(self, request: HoursInput, _: Asker) -> CommandAnswer:
        """List the newest sessions; only those that are shown are read."""
        since = f"{(self.clock.now() - timedelta(hours=request.hours)).astimezone(UTC):%Y%m%dT%H%M%S}"
        links = await self.saved.links()
        names = [link.session_id for link in links if link.session_id >= since][::-1]
        chains = SessionChains(links)
        shown = await self.saved.read(names[:MAX_SESSIONS])
        hours = count(request.hours, "hour")
        if not names:
            return CommandAnswer(line=f"No agent has run in the last {hours}.")
        order = ", the newest first" if len(names) > 1 else ""
        rows = [self._describe_step(session, chains.find(session.session_id), is_listed=True) for session in shown]
        rows += [f"… and {len(names) - MAX_SESSIONS:,} older ones."] if len(names) > MAX_SESSIONS else []
        return CommandAnswer(line=f"{count(len(names), 'session')} in the last {hours}{order}.", rows=tuple(rows))

    @command(
        "chain",
        "shows the sessions of an escalation, with turns, duration and cost each and in sum: of a task, or of any "
        "session in it",
        input=OfChain,
        role="operator",
        tier="read",
        also=("get_chain",),
        untrusted="people",
    )
    async def show_chain(self, request: OfChain, asker: Asker) -> CommandAnswer:
        """Show the steps of a chain, from any of its sessions, or those of a thread."""
        task = request.task
        if isinstance(task, str) and re.fullmatch(SESSION_ID, task):
            chain = SessionChains(await self.saved.links()).find(task)
            if chain is None:
                raise NotDone(f"There is no session `{escape(clip(task, 60))}`. `sessions` lists the newest.")
            return await self._answer(f"Session `{task}`", [chain])
        thread = await self.finder.find(task, asker)
        chains = SessionChains(await self.saved.links()).of_thread(thread.thread_id)
        if not chains:
            return CommandAnswer(line=f"No agent on a model has worked on `{thread.task}`.")
        escalated = [chain for chain in chains if chain.is_escalated]
        if not escalated:
            number = count(sum(len(chain.members) for chain in chains), "session")
            return await self._answer(f"`{thread.task}`: {number}, none escalated. The newest", chains[:1])
        return await self._answer(f"`{thread.task}`", escalated)

    async def describe_thread(self, thread_id: str) -> str:
        """Describe the newest escalation of a thread in a sentence; empty if it has none."""
        chains = SessionChains(await self.saved.links()).of_thread(thread_id)
        escalated = next((chain for chain in chains if chain.is_escalated), None)
        sessions = await self._read(escalated) if escalated else []
        return f"{CHAIN_MARK} {describe_chain(sessions)}." if sessions else ""

    async def _answer(self, subject: str, chains: Sequence[SessionChain]) -> CommandAnswer:
        rows: list[str] = []
        lines: list[str] = []
        for chain in chains[:MAX_CHAINS]:
            sessions = await self._read(chain)
            lines.append(describe_chain(sessions) if sessions else "its records are gone")
            rows += [f"*Chain:* {lines[-1]}."] if len(chains) > 1 else []
            rows += [self._describe_step(session, chain) for session in sessions[:MAX_STEPS]]
            rows += [f"… and {len(sessions) - MAX_STEPS} more sessions."] if len(sessions) > MAX_STEPS else []
            rows += chain.problems
        rows += [f"… and {len(chains) - MAX_CHAINS} older chains."] if len(chains) > MAX_CHAINS else []
        line = lines[0] if len(chains) == 1 else f"{len(chains)} chains, the newest first"
        return CommandAnswer(line=f"{subject}: {line}.", rows=tuple(rows))

    async def _read(self, chain: SessionChain) -> list[Session]:
        return await self.saved.read(member.session_id for member in chain.members)

    def _describe_step(self, session: Session, chain: SessionChain | None, *, is_listed: bool = False) -> str:
        safe_session = session.evolve(reason=self.redactor.redact(session.reason))
        text = describe_session(safe_session, self.clock.now())
        link = chain and next(each for each in chain.members if each.session_id == session.session_id)
        links = describe_links(link, chain) if link and chain else ""
        mark = f"{CHAIN_MARK} " if is_listed and chain and chain.is_escalated else ""
        return f"{mark}{text}{' ' if links else ''}{links}"
