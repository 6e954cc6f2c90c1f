"""Hints of other open questions for the agents of one, off unless the settings turn them on (`investigator.hints`).

Called by `triage/effects` and `triage/checking` before a model is asked, and by `triage/freshness` at Approve. Who
reads a channel is asked of Slack each time; what cannot be asked permits nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.agents.evidence import cited_lines
from bot.decide.flows import still_may_flow, visibility
from bot.errors import TriageError
from bot.models.hint import Hint, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.models.hint import Visibility
    from bot.models.thread import Thread
    from bot.ports import Store
    from bot.slack_ports import Channels

log = logging.getLogger(__name__)

Looked = dict[str, "Visibility | None"]
"""Who reads each channel, as one run has asked Slack; `None` where it could not say."""

MOST = 10
"""Hints that one run gets, of the newest questions."""
MOST_CITED = 3


@dataclass(frozen=True, kw_only=True)
class Hints:
    """Finds what may be told. `open_threads` gives the ids of all threads with work outstanding."""

    store: Store
    channels: Channels
    open_threads: Callable[[], Sequence[str]]

    async def of(self, thread: Thread) -> tuple[Hint, ...]:
        """The hints that this thread's agents may see now, the newest question first."""
        looked: Looked = {}
        here = await self._label(thread.team_id, thread.chat_id, looked)
        hints: list[Hint] = []
        ids = [one for one in self.open_threads() if one != thread.thread_id and one.startswith(f"{thread.team_id}-")]
        for thread_id in sorted(ids, key=lambda one: float(one.rsplit("-", 1)[1]), reverse=True):
            if here is None or len(hints) == MOST:
                break
            other = await self._loaded(thread_id)
            if other and (hint := _hint(other)) and await self._permits(other, here, looked):
                hints.append(hint)
        return tuple(hints)

    async def seen_by(self, thread: Thread) -> Visibility | None:
        """Who reads the thread's channel now; kept with its findings, so that a later reader knows."""
        label = await self._label(thread.team_id, thread.chat_id, {})
        return label.visibility if label else None

    async def withdrawn(self, thread: Thread) -> tuple[str, ...]:
        """The threads whose hints this thread's agents saw and may see no longer."""
        if not thread.hinted:
            return ()
        looked: Looked = {}
        here = await self._label(thread.team_id, thread.chat_id, looked)
        gone = []
        for thread_id in thread.hinted:
            other = await self._loaded(thread_id)
            if other and not (here and await self._permits(other, here, looked)):
                gone.append(thread_id)
        return tuple(gone)

    async def _permits(self, other: Thread, here: Label, looked: Looked) -> bool:
        now = await self._label(other.team_id, other.chat_id, looked)
        if now is None or other.visibility is None:
            return False
        written = now.evolve(visibility=other.visibility)
        return still_may_flow(written, now, here)

    async def _label(self, team_id: str, chat_id: str, looked: Looked) -> Label | None:
        """Who reads a channel; asked once in a run, however many threads it has."""
        if chat_id not in looked:
            try:
                looked[chat_id] = visibility(await self.channels.channel(chat_id))
            except TriageError as problem:
                log.warning("who reads %s is not known, so no hint is given: %s", chat_id, problem)
                looked[chat_id] = None
        seen = looked[chat_id]
        return Label(team_id=team_id, chat_id=chat_id, visibility=seen) if seen else None

    async def _loaded(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # whoever works on it sets it aside


def _hint(thread: Thread) -> Hint | None:
    """The closed fields of a thread that has findings."""
    findings = thread.investigator_return
    if findings is None or thread.project is None:
        return None
    standing = [cited_lines(check.ref) for check in thread.evidence_checks if check.result == "ok"]
    paths = list(dict.fromkeys(place[0] for place in standing if place))
    fields = {
        "thread_id": thread.thread_id,
        "question_type": thread.question_type,
        "status": thread.status,
        "project": thread.project,
        "confidence": findings.confidence,
    }
    try:
        return Hint.model_validate({**fields, "cites": tuple(paths[:MOST_CITED])})
    except ValidationError:  # a path with other characters in it
        return Hint.model_validate({**fields, "cites": ()})
