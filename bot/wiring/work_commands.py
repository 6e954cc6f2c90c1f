"""The commands of tasks, events, token usage, notes and files, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.project_notes import NoteShelf
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.commands.events import EventCommands
from bot.commands.files import FileCommands
from bot.commands.notes import NoteCommands
from bot.commands.search import TaskFinder, WhichProject
from bot.commands.tasks import TaskCommands
from bot.commands.usage import Spending
from bot.tools.guard import Guard
from bot.tools.specs import Specs

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.commands.command import Preview, Run
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True)
class WorkCommands:
    """The function of each command, and what those that wait for a press show."""

    runs: dict[str, Run]
    previews: dict[str, Preview]


def work_commands(
    ground: Infrastructure,
    orchestrator: Orchestrator,
    controls: Controls,
    operators: Operators,
    *,
    engine: str,
    has_agents: bool,
    new_id: Callable[[], str],
    active: Callable[[Asker], str | None] = lambda _: None,
) -> WorkCommands:
    """All of them. `active` gives the project that a conversation is about."""
    sessions, redactor = SessionFiles(ground.home.sessions), ground.redactor
    which = WhichProject(projects=ground.projects.known, active=active)
    tasks = _tasks(ground, orchestrator, controls, operators, new_id)
    events = EventCommands(
        classified=ground.classified,
        audit=ground.audit,
        replies=ground.replies,
        sessions=sessions,
        store=orchestrator.store,
        waiting=lambda: orchestrator.open_threads.with_status("pending-user"),
        now=ground.clock.now,
        redactor=redactor,
    )
    spending = Spending(
        sessions=sessions, store=orchestrator.store, now=ground.clock.now, engine=engine, has_agents=has_agents
    )
    shelf = NoteShelf(ground.home.notes)
    notes = NoteCommands(shelf=shelf, which=which, specs=Specs(), clock=ground.clock, redactor=redactor)
    files = FileCommands(which=which, guard=Guard(redactor=redactor, new_nonce=new_id))
    runs: dict[str, Run] = {
        "thread": tasks.get,
        "get_task_result": tasks.result,
        "get_agent_error": tasks.error,
        "stop_task": tasks.stop,
        "restart_task": tasks.restart,
        "set_task_status": tasks.set_status,
        "get_recent_events": events.recent,
        "get_token_usage": spending.tokens,
        "list_notes": notes.all,
        "read_note": notes.read,
        "write_note": notes.write,
        "append_note": notes.append,
        "restore_note": notes.restore,
        "delete_note": notes.delete,
        "compare_specs_notes": notes.compare,
        "read_file": files.read,
        "search_files": files.search,
    }
    return WorkCommands(runs=runs, previews={"delete_note": notes.preview_delete})


def _tasks(
    ground: Infrastructure,
    orchestrator: Orchestrator,
    controls: Controls,
    operators: Operators,
    new_id: Callable[[], str],
) -> TaskCommands:
    admins = frozenset(ground.settings.admins)

    async def refusal(asker: Asker, thread: Thread) -> str | None:
        """As at a press; an admin, whom the handler has looked at, may anywhere."""
        return None if asker.user_id in admins else await operators.refusal(asker.user_id, asker.team_id, thread)

    finder = TaskFinder(
        store=orchestrator.store,
        slugs=TaskFolders(ground.home.tasks).names,
        home_of=orchestrator.home_of,
        team_id=ground.identity.team_id,
        url=ground.identity.url,
    )
    return TaskCommands(
        finder=finder,
        orchestrator=orchestrator,
        controls=controls,
        clock=ground.clock,
        new_id=new_id,
        url=ground.identity.url,
        refusal=refusal,
        operator=operators.first,
        name=ground.chat.user_name,
        redactor=ground.redactor,
    )
