"""What a project leaves behind, deleted as its admin said: closed first, removed once, finished after a restart."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.errors import Refused, RetryLater
from bot.models.project import DeletedProject, ProjectRecords
from bot.models.route import Route
from bot.models.thread import Thread
from bot.triage.project_deletion import ProjectBelongings
from bot.triage.thread_removal import ThreadRemoval
from tests.builders import T0, added, moved
from tests.fakes import LeapingClock, MemoryJournal, MemoryStore, RemovedProjects, settle
from tests.fakes import orchestrator as build_orchestrator
from tests.triage.test_channel_creation import Died, DyingFile, Fate, Process, Workspace

ROUTE = Route(role="investigator", role_name="Investigator", project="shop2/api", why="so")
ALL = DeletedProject(by="U0ADMIN", at=T0, with_data=True, channels=("C0NEW0",))


class Notes:
    """Notes of projects, by the project's name."""

    def __init__(self) -> None:
        self.of: dict[str, list[str]] = {"shop2": ["limits", "deploy"], "api": ["other"]}

    async def list_all(self, project: str) -> list[str]:
        """Those of one project."""
        return self.of.get(project, [])

    async def remove_all(self, project: str) -> int:
        """Remove them."""
        return len(self.of.pop(project, []))


class Folders:
    """Folders of threads."""

    def __init__(self) -> None:
        self.removed: set[str] = set()

    async def remove(self, thread_id: str, task: str) -> None:
        """Remove those of one."""
        self.removed.add(thread_id)


def asked(ts: str, status: str = "closed", project: str = "shop2/api", **changes: Any) -> Thread:
    """A thread of a project whose card shows its state."""
    thread = moved(None, added(f"question {ts}?", ts=ts)).evolve(
        status=status, route=ROUTE.evolve(project=project), marks=(), **changes
    )
    thread = thread.evolve(outcome="replied") if status == "closed" else thread
    return thread.evolve(card=thread.card.evolve(drawn=thread.revision))


class World:
    """What outlives the processes."""

    def __init__(self, *threads: Thread) -> None:
        self.workspace, self.notes, self.folders, self.store = Workspace(), Notes(), Folders(), MemoryStore()
        self.file = DyingFile(Fate())
        self.store.saved = {thread.thread_id: thread for thread in threads}
        self.told: list[str] = []
        self.repositories, self.workspaces = RemovedProjects(), RemovedProjects()

    def begin(self) -> tuple[Process, ProjectBelongings]:
        """A process over it."""
        process = Process(self.workspace, self.file, LeapingClock())
        orchestrator = build_orchestrator(self.store, projects=process.projects)
        for thread in self.store.saved.values():
            orchestrator.open_threads.note(thread)
        notices: Any = process.creation.notices
        slack: Any = self.workspace
        notes: Any = self.notes
        repositories: Any = self.repositories
        workspaces: Any = self.workspaces
        belongings = ProjectBelongings(
            projects=process.projects,
            orchestrator=orchestrator,
            removal=ThreadRemoval(
                store=self.store,
                folders=self.folders,
                open_threads=orchestrator.open_threads,
                events=MemoryJournal(),
                clock=process.clock,
            ),
            notes=notes,
            slack=slack,
            watch=process.watch,
            notices=notices,
            clock=process.clock,
            repositories=repositories,
            workspaces=workspaces,
        )
        return process, belongings

    async def begin_with_channel(self) -> tuple[Process, ProjectBelongings]:
        """The same, with a project `shop2` and its channel."""
        await Process(self.workspace, self.file).create_and_invite()
        return self.begin()

    def show_views(self) -> None:
        """Let Slack show what the documents say."""
        for name, thread in self.store.saved.items():
            self.store.saved[name] = thread.evolve(card=thread.card.evolve(drawn=thread.revision), marks=())


async def run(belongings: ProjectBelongings) -> None:
    """Let the background work run until it waits."""
    running = asyncio.create_task(belongings.run())
    await settle()
    running.cancel()


async def test_all_that_belongs_to_a_project_is_counted() -> None:
    """Threads by what they wait for, notes, and the channels that were created for it."""
    other = asked("5.000001", "pending-user", "api")
    world = World(
        asked("1.000001"),
        asked("2.000001", "pending-user"),
        asked("3.000001", "collecting"),
        asked("4.000001", "investigating"),
        other.evolve(chat_id="C0NEW0", thread_id=other.thread_id.replace("C0HELP", "C0NEW0")),
    )
    _, belongings = await world.begin_with_channel()
    counted = await belongings.count("shop2")
    assert (counted.threads, counted.undecided, counted.questions, counted.notes) == (4, 3, 1, 2)
    assert [task.partition("-")[0] for task in counted.busy] == ["question"]
    assert (counted.channels, counted.open_elsewhere) == (("C0NEW0",), {"C0NEW0": 1})


async def test_open_threads_are_closed_before_they_go() -> None:
    """So that no card of them asks for a decision any more; those of other projects stay, and so do their notes."""
    waiting, other = asked("2.000001", "pending-user"), asked("3.000001", "pending-user", "api")
    world = World(asked("1.000001"), waiting, other)
    process, belongings = await world.begin_with_channel()
    report = await belongings.delete("shop2", ALL)
    assert (report.is_finished, report.threads, report.notes) == (False, 1, 0)
    assert world.store.saved[waiting.thread_id].outcome == "dismissed"
    assert process.projects.names == ("api", "shop")
    with pytest.raises(Exception, match="is taken"):
        await process.create("other", "shop2")
    world.show_views()
    await run(belongings)
    assert [*world.store.saved] == [other.thread_id]
    assert world.folders.removed == {asked("1.000001").thread_id, waiting.thread_id}
    assert (world.notes.of, world.workspace.archived) == ({"api": ["other"]}, ["C0NEW0"])
    assert "C0NEW0" not in process.names
    assert process.projects.settings_by_command == ProjectRecords()
    assert process.told == ["U0ADMIN All that belonged to the project `shop2` is deleted."]


async def test_a_thread_whose_card_slack_does_not_take_goes_in_the_end() -> None:
    """After some minutes."""
    world = World(asked("2.000001", "pending-user"))
    _, belongings = await world.begin_with_channel()
    await belongings.delete("shop2", ALL)
    for _ in range(10):
        await run(belongings)
    assert world.store.saved == {}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("dies_at", range(1, 5))
async def test_a_death_anywhere_leaves_nothing_to_do_by_hand(dies_at: int, *, after: bool) -> None:
    """The next process finishes; before the deletion is saved nothing is gone."""
    world = World(asked("1.000001"), asked("3.000001", project="api"))
    _, belongings = await world.begin_with_channel()
    world.file.fate = world.workspace.fate = Fate(dies_at, after=after)
    with pytest.raises(Died):
        await belongings.delete("shop2", ALL)
    world.file.fate.left = 0
    process, again = world.begin()
    is_saved = "shop2" not in process.projects.names
    assert is_saved or (len(world.store.saved), len(world.notes.of)) == (2, 2)
    await run(again)
    assert (len(world.store.saved), len(world.notes.of)) == ((1, 1) if is_saved else (2, 2))
    assert (process.projects.settings_by_command == ProjectRecords()) is is_saved
    assert ("C0NEW0" in process.names) is not is_saved


async def test_a_channel_that_slack_does_not_archive_stays_watched() -> None:
    """With the reason; a Slack that does not answer is asked again."""
    world = World()
    process, belongings = await world.begin_with_channel()
    world.workspace.problems["archive"] = [RetryLater("down"), Refused("no", code="restricted_action")]
    report = await belongings.delete("shop2", ALL.evolve(with_data=False))
    assert (report.is_finished, process.projects.settings_by_command.deletions != {}) == (False, True)
    await run(belongings)
    assert "C0NEW0" in process.names
    assert [*process.projects.settings_by_command.created_channels] == ["C0NEW0"]
    assert {*world.notes.of} == {"shop2", "api"}
    assert process.projects.settings_by_command.deletions == {}
    assert "ask its administrators" in report.refused["C0NEW0"]
