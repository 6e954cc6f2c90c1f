"""Runner of hooks: carries a run that has begun to its end, from any step that a crash left it in.

A run is on disk before its steps are read; what its action is given is on disk before the action begins. Steps only
read, so they are repeated after a crash, but a program is started once; a task is created once by the id of its run; a
command that changes something is not repeated, and the run fails with a word about that.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.decide.hooks.conditions import compute_digest, find_skip_reason
from bot.decide.hooks.runs import decide_action, disables, end_run
from bot.errors import RetryLater, ToolError
from bot.hooks.hook_book import put
from bot.models.hook_record import MAX_FAILURES, ActionEnd

if TYPE_CHECKING:
    from bot.hooks.context import HookContext
    from bot.hooks.descriptions import Descriptions
    from bot.hooks.hook_book import HookBook
    from bot.models.hook_record import HookRecord, HookRun, RunOutcome
    from bot.ports.hooks import HookActions
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until a record that could not be saved is saved again."""
INTERRUPTED = "Triage ended while its command ran; it is not run again: see if it was done"
_FAILED = "it failed; the log says why"


@dataclass(kw_only=True, repr=False)
class HookRunner:
    """Runner. Its actions are connected by `attach`, since commands on hooks are built first."""

    book: HookBook
    context: HookContext
    descriptions: Descriptions
    clock: Clock
    _actions: HookActions | None = None
    _acting: set[str] = field(default_factory=set)
    """Ids of the runs whose action was decided by this process."""

    def attach(self, actions: HookActions) -> None:
        """Connect the actions, once, before the first run."""
        self._actions = actions

    @property
    def actions(self) -> HookActions:
        """Return the actions."""
        if self._actions is None:
            raise RuntimeError("the hooks have no actions yet")
        return self._actions

    async def run(self, name: str) -> None:
        """Carry the open run of a hook to its end, which is on disk on return."""
        while record := self.book.find(name):
            try:
                await self.book.save()
                if record.open_run is None:
                    return
                await self._advance(record, record.open_run)
            except RetryLater as problem:
                log.warning("hook %s: %s; it is tried again", name, problem)
                await self.clock.sleep(EVERY)
            except Exception:
                log.exception("hook %s failed", name)
                self._end(name, "failed", _FAILED)

    async def _advance(self, record: HookRecord, run: HookRun) -> None:
        if run.description is None:
            await self._prepare(record, run)
        else:
            await self._act(record, run, run.description)

    async def _prepare(self, record: HookRecord, run: HookRun) -> None:
        """Read the steps, and decide: the run ends, or its action is on disk before it begins."""
        hook = record.hook
        try:
            outputs = await self.context.gather(hook, run)
        except ToolError as problem:
            self._end(hook.name, "failed", str(problem))
            return
        digest = await asyncio.to_thread(compute_digest, outputs)
        reason = find_skip_reason(hook.skip_if, outputs, digest=digest, last_digest=record.digest)
        if reason:
            self._end(hook.name, "skipped", reason, digest=digest)
            return
        description = await asyncio.to_thread(self.descriptions.write, hook, run.cause, outputs) if hook.prompt else ""
        if current := self.book.find(hook.name):
            self._acting.add(run.run_id)
            put(self.book, decide_action(current, description, digest))

    async def _act(self, record: HookRecord, run: HookRun, description: str) -> None:
        hook, actions = record.hook, self.actions
        if hook.prompt:
            end = await actions.create_task(hook, run, description)
            self._end(hook.name, "created" if end.is_done else "failed", end.line, notice=end.notice)
            return
        if run.run_id in self._acting or actions.may_repeat(hook.command):
            end = await actions.execute(hook, run)
        else:
            end = ActionEnd(is_done=False, line=INTERRUPTED)
        self._end(hook.name, "executed" if end.is_done else "failed", end.line, notice=end.notice)

    def _end(self, name: str, outcome: RunOutcome, line: str, *, digest: str = "", notice: str = "") -> None:
        record = self.book.find(name)
        if record is None or record.open_run is None:
            return
        self._acting.discard(record.open_run.run_id)
        if outcome == "failed" and disables(record):
            notice = (
                f"The hook `{name}` is disabled after {MAX_FAILURES} failures in a row; the last one: "
                f"{escape(line.rstrip('.'))}. `/triage edit_hook {name} enabled yes` enables it."
            )
        put(self.book, end_run(record, outcome, line, now=self.clock.now(), digest=digest, notice=notice))
