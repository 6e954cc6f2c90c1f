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
from bot.models.command_data.cost import CostData, TokensData
from bot.models.command_data.sessions import ChainData, ChainsData, SessionData, SessionsData
from bot.models.cost import sum_sessions
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
        "lists the agents' sessions of the last hours (24)",
        input=HoursInput,
        role="operator",
        tier="read",
        also=("list_sessions",),
        untrusted="people",
        result=SessionsData,
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
            none = SessionsData(hours=request.hours, total=0, sessions=(), omitted=0)
            return CommandAnswer(line=f"No agent has run in the last {hours}.", data=none)
        order = ", the newest first" if len(names) > 1 else ""
        rows = [self._describe_step(session, chains.find(session.session_id), is_listed=True) for session in shown]
        rows += [f"… and {len(names) - MAX_SESSIONS:,} older ones."] if len(names) > MAX_SESSIONS else []
        data = SessionsData(
            hours=request.hours,
            total=len(names),
            sessions=tuple(_build_session(session, chains.find(session.session_id)) for session in shown),
            omitted=max(0, len(names) - MAX_SESSIONS),
        )
        line = f"{count(len(names), 'session')} in the last {hours}{order}."
        return CommandAnswer(line=line, rows=tuple(rows), data=data)

    @command(
        "chain",
        "shows the sessions of an escalation, with their cost",
        input=OfChain,
        role="operator",
        tier="read",
        also=("get_chain",),
        untrusted="people",
        result=ChainsData,
    )
    async def show_chain(self, request: OfChain, asker: Asker) -> CommandAnswer:
        """Show the steps of a chain, from any of its sessions, or those of a thread."""
        task = request.task
        if isinstance(task, str) and re.fullmatch(SESSION_ID, task):
            chain = SessionChains(await self.saved.links()).find(task)
            if chain is None:
                raise NotDone(f"There is no session `{escape(clip(task, 60))}`. `sessions` lists the newest.")
            return await self._answer(f"Session `{task}`", [chain], None)
        thread = await self.finder.find(task, asker)
        chains = SessionChains(await self.saved.links()).of_thread(thread.thread_id)
        if not chains:
            line = f"No agent on a model has worked on `{thread.task}`."
            return CommandAnswer(line=line, data=ChainsData(task=thread.task, chains=(), omitted=0))
        escalated = [chain for chain in chains if chain.is_escalated]
        if not escalated:
            number = count(sum(len(chain.members) for chain in chains), "session")
            subject = f"`{thread.task}`: {number}, none escalated. The newest"
            return await self._answer(subject, chains[:1], thread.task)
        return await self._answer(f"`{thread.task}`", escalated, thread.task)

    async def describe_thread(self, thread_id: str) -> str:
        """Describe the newest escalation of a thread in a sentence; empty if it has none."""
        chains = SessionChains(await self.saved.links()).of_thread(thread_id)
        escalated = next((chain for chain in chains if chain.is_escalated), None)
        sessions = await self._read(escalated) if escalated else []
        return f"{CHAIN_MARK} {describe_chain(sessions)}." if sessions else ""

    async def _answer(self, subject: str, chains: Sequence[SessionChain], task: str | None) -> CommandAnswer:
        rows: list[str] = []
        lines: list[str] = []
        data_of_chains: list[ChainData] = []
        for chain in chains[:MAX_CHAINS]:
            sessions = await self._read(chain)
            lines.append(describe_chain(sessions) if sessions else "its records are gone")
            rows += [f"*Chain:* {lines[-1]}."] if len(chains) > 1 else []
            rows += [self._describe_step(session, chain) for session in sessions[:MAX_STEPS]]
            rows += [f"… and {len(sessions) - MAX_STEPS} more sessions."] if len(sessions) > MAX_STEPS else []
            rows += chain.problems
            data_of_chains.append(_build_chain(chain, sessions))
        rows += [f"… and {len(chains) - MAX_CHAINS} older chains."] if len(chains) > MAX_CHAINS else []
        line = lines[0] if len(chains) == 1 else f"{len(chains)} chains, the newest first"
        data = ChainsData(task=task, chains=tuple(data_of_chains), omitted=max(0, len(chains) - MAX_CHAINS))
        return CommandAnswer(line=f"{subject}: {line}.", rows=tuple(rows), data=data)

    async def _read(self, chain: SessionChain) -> list[Session]:
        return await self.saved.read(member.session_id for member in chain.members)

    def _describe_step(self, session: Session, chain: SessionChain | None, *, is_listed: bool = False) -> str:
        safe_session = session.evolve(reason=self.redactor.redact(session.reason))
        text = describe_session(safe_session, self.clock.now())
        link = chain and next(each for each in chain.members if each.session_id == session.session_id)
        links = describe_links(link, chain) if link and chain else ""
        mark = f"{CHAIN_MARK} " if is_listed and chain and chain.is_escalated else ""
        return f"{mark}{text}{' ' if links else ''}{links}"


def _build_chain(chain: SessionChain, sessions: Sequence[Session]) -> ChainData:
    return ChainData(
        is_escalated=chain.is_escalated,
        cost=CostData.of(sum_sessions(sessions)),
        sessions=tuple(_build_session(session, chain) for session in sessions),
        problems=chain.problems,
    )


def _build_session(session: Session, chain: SessionChain | None) -> SessionData:
    return SessionData(
        session_id=session.session_id,
        agent=session.agent,
        tier=session.tier,
        model=session.model,
        thread_id=session.thread_id,
        parent_session_id=session.parent_session_id,
        is_escalated=chain is not None and chain.is_escalated,
        started_at=session.started_at,
        outcome=session.outcome,
        reason=session.reason,
        turns=session.num_turns,
        tool_calls=session.tool_calls,
        tokens=TokensData.of(session.usage),
        cost=CostData.of(sum_sessions([session])),
        duration_ms=session.duration_ms,
    )
