"""The commands of projects, channels and threads: what each answers, and what it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.commands.active_project import ActiveProjects
from bot.commands.command import CommandAnswer
from bot.commands.handler import CommandHandler
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.project_choice import ProjectChoice
from bot.commands.project_deletion import ProjectDeletion
from bot.commands.project_inputs import ProjectToDelete
from bot.commands.project_pauses import ProjectPauses
from bot.commands.project_views import ProjectViews
from bot.commands.projects import ProjectOverview
from bot.commands.registry import bound_commands
from bot.commands.search import TaskFinder
from bot.commands.sessions import SessionCommands
from bot.commands.task_lists import TaskLists
from bot.commands.task_views import TaskViews
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater
from bot.intake.read_cursors import ReadCursors
from bot.models.project import Fetched, Project
from bot.models.route import Route
from bot.models.thread_event import Due
from bot.triage.channel_creation import ChannelCreation
from bot.triage.channel_watch import ChannelWatch
from bot.triage.controls import Controls
from bot.triage.project_deletion import ProjectBelongings
from bot.triage.projects import Projects
from bot.triage.task_states import TaskStates
from bot.triage.thread_removal import ThreadRemoval
from tests.builders import CHANNEL, T0, TEAM, added, at, fresh, moved
from tests.chat.crew import GUEST, MEMBER, OPERATOR, command, handler
from tests.fakes import (
    FixedHolds,
    HandClock,
    KnownLosses,
    LeapingClock,
    MemoryJournal,
    MemoryKept,
    MemorySessions,
    MemoryStore,
    RemovedProjects,
    ignore,
    settle,
)
from tests.fakes import orchestrator as build_orchestrator
from tests.triage.test_channel_creation import Workspace
from tests.triage.test_project_deletion import Folders
from tests.triage.test_project_deletion import Notes as NoteShelf
from tests.triage.test_project_deletion import asked as asked_thread
from tests.triage.test_projects import registry, root, said

NAMES = {CHANNEL: "help-platform", "C0GENERAL": "general"}
TOKEN = "".join(("gh", "p_", "a1B2c3D4" * 5))
ROUTE = Route(role="investigator", role_name="Investigator", project="parcels", why="so")


@dataclass
class Fetching:
    """`Fetches` that fetch nothing."""

    begun: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    known: dict[str, Path] = field(default_factory=dict)

    async def add(self, project: Project) -> None:
        """Know it."""
        self.known[project.name] = project.root.parent

    async def fetch_soon(self, name: str) -> None:
        """Keep that it was begun."""
        self.begun.append(name)

    def folder(self, name: str) -> Path | None:
        """Where it would lie."""
        return self.known.get(name)

    def missing_reason(self, name: str) -> str | None:
        """None is ever there."""
        return "it is being fetched for the first time" if name in self.known else None

    def old_since(self, name: str) -> None:
        """None is old."""

    def drop(self, name: str) -> None:
        """Keep that it is not wanted."""
        self.dropped.append(name)
        self.known.pop(name, None)

    async def discard(self, name: str) -> None:
        """Keep that its code is gone."""
        self.dropped.append(f"{name} with its code")
        self.known.pop(name, None)


@dataclass
class Notices:
    """Direct messages."""

    heard: Any

    async def tell(self, user: str, text: str) -> None:
        """Keep it."""
        await self.heard(user, text)


class Described:
    """Channels that are not watched, as Slack describes them."""

    async def channel(self, channel: str) -> dict[str, Any]:
        """One that the bot is in, one that it is not in, one that is over, and none other."""
        channels = {"C0IN": {"is_member": True}, "C0OUT": {"is_member": False}, "C0OVER": {"is_archived": True}}
        if channel not in channels:
            raise Refused("conversations.info: channel_not_found", code="channel_not_found")
        return channels[channel]


class NoTasks:
    """No task has a folder."""

    async def names(self) -> list[str]:
        """None."""
        return []


class House:
    """All commands of projects over a registry with `parcels` made and two projects of the settings."""

    def __init__(self, projects: Projects | None = None) -> None:
        async def nothing(*_: object) -> None:
            return None

        async def heard(*words: str) -> None:
            self.heard.append(" ".join(words))

        self.heard: list[str] = []
        self.fetching = Fetching()
        self.projects = projects or registry(said())
        self.projects.fetches = self.fetching
        self.active = ActiveProjects(file=MemoryKept(), projects=self.projects)
        self.store = MemoryStore()
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
        self.orchestrator = build_orchestrator(self.store, tell=heard, controls=self.controls, projects=self.projects)
        self.names, self.workspace = dict(NAMES), Workspace()
        cursors: Any = SimpleNamespace(save=nothing, cursors=ReadCursors())
        losses: Any = SimpleNamespace(channels={})
        catch_ups: Any = SimpleNamespace(schedule_missed=ignore)
        self.creation = ChannelCreation(
            projects=self.projects,
            slack=self.workspace,
            watch=ChannelWatch(
                names=self.names, controls=self.controls, cursors=cursors, catch_ups=catch_ups, losses=losses
            ),
            notices=Notices(heard),  # type: ignore[arg-type]  # it has the one call
            clock=HandClock(),
            bot_user="U0BOT",
        )
        overview = ProjectOverview(
            projects=self.projects,
            active=self.active,
            orchestrator=self.orchestrator,
            controls=self.controls,
            channel_names=self.names,
        )
        self.changes = ProjectChanges(
            overview=overview,
            fetches=self.fetching,
            creation=self.creation,
            clock=HandClock(),
            notices=Notices(heard),  # type: ignore[arg-type]  # it has the one call
            redactor=Redactor(),
        )
        url = "https://acme.slack.com/"
        finder = TaskFinder(store=self.store, tasks=NoTasks(), orchestrator=self.orchestrator, team_id=TEAM, url=url)
        sessions = SessionCommands(saved=MemorySessions(), finder=finder, clock=HandClock())
        states = TaskStates(store=self.store, index=self.orchestrator.open_threads.tasks, schedule=FixedHolds())
        views = TaskViews(finder=finder, states=states, sessions=sessions, url=url)
        lists = TaskLists(overview=overview, states=states, url=url)
        pauses = ProjectPauses(overview=overview, clock=HandClock())
        self.notes, self.folders = NoteShelf(), Folders()
        removal = ThreadRemoval(
            store=self.store,
            folders=self.folders,
            open_threads=self.orchestrator.open_threads,
            events=MemoryJournal(),
            clock=HandClock(),
        )
        self.belongings = ProjectBelongings(
            projects=self.projects,
            orchestrator=self.orchestrator,
            removal=removal,
            notes=self.notes,  # type: ignore[arg-type]  # it has the calls of these tests
            slack=self.workspace,
            watch=self.creation.watch,
            notices=Notices(heard),  # type: ignore[arg-type]  # it has the one call
            clock=LeapingClock(),
            repositories=RemovedProjects(),  # type: ignore[arg-type]  # it has the one call
            workspaces=RemovedProjects(),  # type: ignore[arg-type]  # the same
        )
        self.deletion = ProjectDeletion(
            overview=overview, belongings=self.belongings, fetches=self.fetching, clock=HandClock()
        )
        self.losses = KnownLosses()
        channels = ProjectChannels(
            overview=overview,
            slack=Described(),
            losses=self.losses,
        )
        shown = (ProjectViews(overview=overview), ProjectChoice(overview=overview), channels, views, lists)
        owners = (self.changes, pauses, self.deletion, *shown)
        commands = {each.spec.name: each for owner in owners for each in bound_commands(owner)}
        known = handler(runs={name: each.run for name, each in commands.items()})
        self.handler: CommandHandler = replace(known, commands={**known.commands, **commands})

    async def does(self, name: str, /, **given: Any) -> CommandAnswer:
        """What comes of a command by the admin."""
        return await self.handler.execute(name, given, command())

    async def asks(self, ts: str, **changes: Any) -> str:
        """A question that is to be investigated."""
        thread = moved(None, added(f"question {ts}?", ts=ts)).evolve(**changes)
        self.store.saved[thread.thread_id] = thread
        self.orchestrator.open_threads.note(thread)
        await self.orchestrator.submit(thread.thread_id, Due(at=at(2), fresh=fresh()))
        await settle()
        return thread.thread_id


@pytest.mark.parametrize(
    ("name", "given", "outcome", "words"),
    [
        ("list_projects", {}, "done", "3 projects:\n`api` is ready"),
        (
            "get_project",
            {"project": "Parcels"},
            "done",
            "`parcels` is ready.\nCode: /code/parcels\nWeight 1; as many tasks as there are agents at the same",
        ),
        ("get_project", {"project": "shop"}, "done", "at the same time.\nIt is defined in `triage.yml`"),
        ("get_project", {"project": "parcel"}, "invalid", "There is no project `parcel`. The nearest is `parcels`"),
        ("get_project", {}, "invalid", "Which project? Name one"),
        (
            "create_project",
            {"name": "new", "root": "/srv/new"},
            "done",
            "Created `new`. It applies from the next question",
        ),
        (
            "create_project",
            {"name": "new", "root": "/gone"},
            "invalid",
            "Root: expected an existing folder. Nothing",
        ),
        (
            "create_project",
            {"name": "API", "root": "/srv/new"},
            "invalid",
            "The name api is taken. Nothing was changed",
        ),
        ("create_project", {"name": "none", "root": "/srv"}, "invalid", "none means no project"),
        ("create_project", {"name": "a/b", "root": "/srv"}, "invalid", "name"),
        (
            "create_project",
            {"name": "new"},
            "invalid",
            "expected either a folder as root, such as /srv/shop, or an address",
        ),
        ("create_project", {"name": "new", "root": "https://x.test/n"}, "done", "Its code is being fetched"),
        ("edit_project", {"project": "parcels", "description": "P."}, "done", "Changed `parcels`: description."),
        (
            "create_project",
            {"name": "n", "root": "/srv/new", "branch": "main"},
            "invalid",
            "together with a repository",
        ),
        (
            "create_project",
            {"name": "n", "root": "/srv/new", "web_url": f"https://x.test/{TOKEN}"},
            "invalid",
            "a secret",
        ),
        ("create_project", {"name": "n", "root": "nam=x"}, "invalid", "description and channel before the =."),
        (
            "edit_project",
            {"project": "parcels", "root": "nam=new"},
            "invalid",
            "weight and max_agents before the =.",
        ),
        (
            "edit_project",
            {"project": "parcels", "weight": "200"},
            "invalid",
            "`weight`: expected a number from 0.1 to 100",
        ),
        ("edit_project", {"project": "parcels", "weight": "nan"}, "invalid", "expected a number from 0.1 to 100"),
        (
            "edit_project",
            {"project": "parcels", "max_agents": "2.5"},
            "invalid",
            "expected a whole number from 1 to 10",
        ),
        ("edit_project", {"project": "parcels", "name": "API"}, "invalid", "Name: the name API is taken. Nothing was"),
        ("edit_project", {"project": "parcels", "name": "x" * 81}, "invalid", "at most 80 characters"),
        ("edit_project", {"project": "api", "weight": 2}, "invalid", "`api` is defined in `triage.yml`: change it"),
        ("edit_project", {"project": "parcels", "branch": "main"}, "invalid", "together with a repository"),
        ("edit_project", {"project": "parcels"}, "invalid", "Expected what is to change"),
        (
            "edit_project",
            {"project": "api", "root": "/x"},
            "invalid",
            "`api` is defined in `triage.yml`: change it there",
        ),
        ("pause_project", {"project": "api"}, "done", "Paused `api`: its questions and created tasks wait"),
        ("resume_project", {"project": "api"}, "done", "`api` was not paused."),
        ("set_project_channel", {"project": "api"}, "done", f"Questions in <#{CHANNEL}> go to `api` now"),
        (
            "set_project_channel",
            {"project": "api", "channel": "#general"},
            "done",
            "`set_project_channel none general`",
        ),
        ("set_project_channel", {"project": "api", "channel": "genral"}, "invalid", "not watched. The nearest is `gen"),
        (
            "set_project_channel",
            {"project": "api", "channel": "x"},
            "invalid",
            "add it to `watched_chats` in `triage.y",
        ),
        (
            "set_project_channel",
            {"project": "none", "channel": "general"},
            "done",
            "go to the project that their words or the rules name",
        ),
        ("get_project_channels", {"project": "api"}, "done", "`api` has no channel;"),
        ("get_project_for_channel", {}, "done", "go to the project that their words or the rules name."),
        ("set_active_project", {"project": "apI"}, "done", f"Your commands in <#{CHANNEL}> are about `api` now;"),
        ("set_active_project", {}, "done", "No project is chosen here."),
        ("set_active_project", {"project": "none"}, "done", f"You have no project of your own in <#{CHANNEL}> now."),
        ("create_project", {"name": "All", "root": "/srv"}, "invalid", "all means each of them"),
        (
            "create_project",
            {"name": "new", "root": "/srv", "repository": "shop"},
            "invalid",
            "values with their names, as in",
        ),
        ("create_project", {"name": "../x", "root": "/srv"}, "invalid", "expected 1 to 64 letters, digits"),
        ("get_project", {"project": "x" * 131}, "invalid", "at most 130 characters"),
        ("list_threads", {}, "done", "0 tasks."),
        ("list_threads", {"status": "opne"}, "invalid", "the nearest is open"),
        ("list_threads", {"project": "<!here>"}, "invalid", "There is no project `&lt;!here&gt;`"),
    ],
)
async def test_each_command_answers_in_a_line(name: str, given: dict[str, str], outcome: str, words: str) -> None:
    """With rows where it lists, and what to do next where it was wrong."""
    answer = await House().does(name, **given)
    assert (answer.outcome, words in answer.text) == (outcome, True), answer
    assert "\n" not in answer.line


async def test_a_project_is_shown_under_its_name_and_found_by_it() -> None:
    """Beside its own, which stays, with its share of the agents; an empty value takes each back."""
    house = House()
    changed = await house.does("edit_project", project="parcels", name=" The  Post ", weight=2.5, max_agents=3)
    assert changed.line.startswith("Changed `parcels`: name, weight, max_agents.")
    shown = await house.does("get_project", project="the post")
    assert shown.line == "`parcels` (The Post) is ready."
    assert "Weight 2.5; at most 3 tasks at the same time." in shown.rows
    assert "`parcels` (The Post) is ready" in (await house.does("list_projects")).rows
    assert house.projects.roots_of("parcels")[0].max_agents == 3
    assert changed.rows == ('`edit_project parcels name="" weight="" max_agents=""` takes it back.',)
    await house.does("edit_project", project="parcels", description='the "old" post')
    quoted = await house.does("edit_project", project="parcels", description="")
    assert quoted.rows == ("No command takes it back: description had quotation marks before. Type the text anew.",)
    moved_to = await house.does("edit_project", project="parcels", repository="https://x.test/p", branch="main")
    assert moved_to.rows == ('`edit_project parcels root="/srv/parcels"` takes it back.',)
    back = await house.does("edit_project", project="parcels", root="/srv/parcels")
    assert back.rows == ('`edit_project parcels repository="https://x.test/p" branch="main"` takes it back.',)
    await house.does("edit_project", project="The Post", name="", weight="", max_agents="")
    assert house.projects.created["parcels"].given == {"root": "/srv/parcels"}


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("list_projects", {"project": "api"}, "It takes only the fields of its usage."),
        ("get_project", {"project": "gone"}, "There is no project `gone`."),
        ("create_project", {"name": "new"}, "expected either a folder as root"),
        ("edit_project", {"project": "gone", "weight": 2}, "There is no project `gone`."),
        ("pause_project", {"project": "gone"}, "There is no project `gone`."),
        ("resume_project", {}, "`project` is missing"),
        ("delete_project", {"project": "gone"}, "There is no project `gone`."),
        ("set_active_project", {"project": "gone"}, "There is no project `gone`."),
        ("set_project_channel", {"project": "gone"}, "There is no project `gone`."),
        ("set_project_channel", {"project": "api", "channel": "gone"}, "This channel is not watched."),
        ("get_project_channels", {"project": "gone"}, "There is no project `gone`."),
        ("get_project_for_channel", {"channel": "gone"}, "This channel is not watched."),
    ],
)
async def test_each_command_refuses_strangers_and_names_that_mean_nothing(
    name: str, given: dict[str, Any], words: str
) -> None:
    """Nothing is changed by either; a member may not even look."""
    house = House()
    answer = await house.does(name, **given)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer
    for user, rights in ((MEMBER, "Only"), (GUEST, "guest")):
        refused = await house.handler.execute(name, given, command(user_id=user))
        assert (refused.outcome, rights.lower() in refused.line.lower()) == ("refused", True), refused
    assert house.projects.settings_by_command == said()


NEW = {"name": "new", "root": "/srv/new"}


@pytest.mark.parametrize(
    ("channel", "name"), [("#help-new", "help-new"), ("true", "new"), (True, "new"), ("yes", "new"), ("größe", "größe")]
)
async def test_a_project_is_created_with_its_channel(channel: Any, name: str) -> None:
    """Its creator is invited there, and hears how to take it back; its questions go to the project."""
    house = House()
    answer = await house.does("create_project", **NEW, channel=channel)
    assert (
        answer.line
        == "Created `new` with its channel <#C0NEW0>, which is watched, live. It applies from the next question on."
    )
    assert answer.rows == ("You are invited there.", "`delete_project new archive_channels=true` takes it back.")
    assert (house.workspace.channels[0].name, house.workspace.invited) == (name, [("C0NEW0", "U0ADMIN")])
    assert house.projects.channels == {"C0NEW0": "new"}
    assert (await house.does("get_project_for_channel", channel=name)).line.startswith("Questions in <#C0NEW0> go to")
    again = await house.does("create_project", name="other", root="/srv/new", channel=name)
    assert "is watched already: create the project without it, then `set_project_channel other" in again.line


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ("Help New", "`channel`: expected at most 80 lower-case letters, digits, dashes and underscores"),
        ("a" * 81, "expected at most 80 lower-case letters"),
        ("--", "expected at most 80 lower-case letters"),
        ("<#C0HELP|help>", "this channel exists: create the project without it"),
        ("help-platform", "The channel #help-platform is watched already"),
    ],
)
async def test_a_channel_needs_a_name_of_slacks(channel: str, words: str) -> None:
    """And one that is not watched already; nothing is created then."""
    house = House()
    answer = await house.does("create_project", **NEW, channel=channel)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer
    assert (house.workspace.calls, house.projects.settings_by_command) == ([], said())


async def test_a_channel_that_slack_refuses_creates_no_project() -> None:
    """The answer has the reason and the next step; without the scope Slack is not even asked."""
    house = House()
    house.workspace.problems["create"] = [Refused("no", code="restricted_action")]
    refused = await house.does("create_project", **NEW, channel="help-new")
    assert (refused.outcome, house.projects.settings_by_command) == ("invalid", said())
    assert refused.line.startswith("The project `new` was not created: the workspace does not let an app create")
    house.workspace.has_scope = False
    for name in ("create_project", "preview"):
        if name == "preview":
            asked = await house.handler.execute("create_project", {**NEW, "channel": "x"}, command(via="chat"))
        else:
            asked = await house.does(name, **NEW, channel="help-new")
        assert asked.line.startswith("The app lacks the scope `channels:manage`")
    assert house.workspace.calls == ["create"]
    assert (await house.does("create_project", **NEW)).outcome == "done"


async def test_a_slow_slack_creates_both_later() -> None:
    """The answer says so; a person who cannot be invited hears why."""
    house = House()
    house.workspace.problems["create"] = [RetryLater("down")]
    answer = await house.does("create_project", **NEW, channel="help-new")
    assert "is created together with its channel #help-new as soon as it does, and you will be told." in answer.line
    assert "The name new is taken." in (await house.does("create_project", **NEW)).line
    other = House()
    other.workspace.problems["invite"] = [Refused("no", code="user_is_restricted")]
    created = await other.does("create_project", **NEW, channel="help-new")
    assert created.rows[0].startswith("You could not be invited: a guest cannot be invited by an app")
    late = House()
    late.workspace.problems["invite"] = [RetryLater("down")]
    assert (await late.does("create_project", **NEW, channel="x")).rows[
        0
    ] == "You will be invited as soon as Slack answers."


async def test_a_model_creates_no_channel_by_itself() -> None:
    """Its person sees what would be created, and where it would be posted, before they press."""
    house = House()
    asked = await house.handler.execute("create_project", {**NEW, "channel": "help-new"}, command(via="chat"))
    assert asked.outcome == "asked"
    assert "It would read the folder `/code/new`. It would create the public channel #help-new in Slack" in asked.line
    assert "invite you, and watch it, live: what is approved there is posted." in asked.line
    assert (house.workspace.calls, house.projects.settings_by_command) == ([], said())


async def _with_belongings(house: House, *threads: Any) -> House:
    """`new`, with a channel, two notes and these threads."""
    await house.does("create_project", **NEW, channel="help-new")
    house.notes.of["new"] = ["limits", "deploy"]
    for thread in threads:
        house.store.saved[thread.thread_id] = thread
        house.orchestrator.open_threads.note(thread)
    return house


async def test_a_deleted_project_leaves_its_belongings_or_takes_them_along() -> None:
    """As its admin says after a look at them; the folder is never touched, and the journals stay."""
    done, waiting = asked_thread("1.000001", project="new"), asked_thread("2.000001", "collecting", "new")
    house = await _with_belongings(House(), done, waiting)
    asked = await house.does("delete_project", project="new")
    assert (asked.outcome, asked.typed_again) == ("asked", "new")
    assert "Its 2 notes and 2 tasks stay; `with_data=true` deletes them, too. 1 question waited for it" in asked.line
    assert "<#C0NEW0> stays and is watched; `archive_channels=true` archives it." in asked.line
    kept = await house.deletion.delete_project(ProjectToDelete(project="new"), command())
    assert kept.line == (
        "Deleted `new`. Its 2 notes, 2 tasks, journals and replies stay. 1 question waited for it, and will be "
        "answered from another project that fits. The folder `/code/new` is untouched. <#C0NEW0> stays and is watched."
    )
    assert (house.notes.of["new"], house.names["C0NEW0"]) == (["limits", "deploy"], "help-new")
    other = await _with_belongings(House(), done)
    everything = ProjectToDelete(project="new", with_data=True, archive_channels=True)
    foretold = await other.deletion.preview_delete(everything, command())
    assert foretold == (
        "It was created <!date^1767603600^{date_short_pretty} {time}|2026-01-05 09:00 UTC>. "
        "Its 2 notes and 1 task are deleted, too, and Triage's clones with every branch that was not pushed; journals "
        "stay until `triage purge`. <#C0NEW0> is archived."
    )
    gone = await other.deletion.delete_project(everything, command())
    assert gone.line == (
        "Deleted `new`. Deleted with it: 2 notes and 1 task. Journals stay. The folder `/code/new` is untouched. "
        "<#C0NEW0> is archived."
    )
    assert (other.workspace.archived, other.store.saved, "C0NEW0" in other.names) == (["C0NEW0"], {}, False)
    assert other.fetching.dropped[-1] == "new with its code"


async def test_what_cannot_be_deleted_now_is_said() -> None:
    """A running task holds a project; open questions of others hold its channel; Slack may refuse."""
    running = asked_thread("1.000001", "investigating", "new")
    house = await _with_belongings(House(), running)
    for named in ({"project": "new"}, {"project": "new", "with_data": "true"}):
        held = await house.does("delete_project", **named)
        assert held.outcome == "invalid"
        assert f"`new` has tasks in progress: `{running.task}`. `stop_task` ends one" in held.line
    there = asked_thread("2.000001", "pending-user", "api").evolve(
        chat_id="C0NEW0", thread_id=f"{TEAM}-C0NEW0-2.000001"
    )
    other = await _with_belongings(House(), there)
    request = ProjectToDelete(project="new", archive_channels=True)
    assert "stays, since 1 question of other projects" in await other.deletion.preview_delete(request, command())
    assert "stays, since 1 question" in (await other.deletion.delete_project(request, command())).line
    assert other.workspace.archived == []
    refused = await _with_belongings(House(), asked_thread("1.000001", "pending-user", "new"))
    refused.workspace.problems["archive"] = [Refused("no", code="restricted_action")]
    answer = await refused.deletion.delete_project(request, command())
    assert "<#C0NEW0> is not archived: the workspace does not let an app create or archive channels" in answer.line
    late = await _with_belongings(House(), asked_thread("1.000001", "pending-user", "new"))
    rest = await late.deletion.delete_project(request.evolve(with_data=True), command())
    assert rest.line.endswith("The rest follows, and you will be told.")


async def test_a_deletion_needs_a_project_of_a_command() -> None:
    """And an admin, and words that mean something."""
    house = House()
    for given, words in (
        ({"project": "api"}, "`api` is defined in `triage.yml`: change it there"),
        ({"project": "gone"}, "There is no project `gone`."),
        ({"project": "parcels", "with_data": "some"}, "`with_data`: expected true or false"),
        ({}, "`project` is missing"),
    ):
        answer = await house.does("delete_project", **given)
        assert (answer.outcome, words in answer.line) == ("invalid", True), answer
    refused = await house.handler.execute("delete_project", {"project": "parcels"}, command(user_id=OPERATOR))
    assert refused.outcome == "refused"
    shadowed = House(registry(said(), settings=(*registry().settings, root("parcels"))))
    assert "that of `triage.yml` is unchanged" in (await shadowed.does("delete_project", project="parcels")).line


async def test_a_secret_in_a_description_is_not_kept() -> None:
    """Neither of a new project nor of a changed one; the rest of the words stay."""
    house = House()
    await house.does("create_project", name="new", root="/srv/new", description=f"The shop, key {TOKEN}.")
    await house.does("edit_project", project="parcels", description=f"Parcels {TOKEN}.")
    about = [house.projects.created[name].given["description"] for name in ("new", "parcels")]
    assert about == ["The shop, key [redacted].", "Parcels [redacted]."]


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ("C0IN", "Triage is in <#C0IN>, but does not watch it. To have it watched, add it to `watched_chats`"),
        ("<#C0OUT|shop>", "Triage is not in <#C0OUT>, and does not watch it. To have it watched"),
        ("C0OVER", "<#C0OVER> is archived, and not watched."),
        ("C0GONE", "Slack shows no channel `C0GONE` to Triage: it was deleted, or it is private"),
        ("genral", "This channel is not watched. The nearest is `general`"),
    ],
)
async def test_a_channel_that_is_not_watched_gets_no_project(channel: str, words: str) -> None:
    """The reason says what to do; asked for its project, it has none."""
    house = House()
    refused = await house.does("set_project_channel", project="api", channel=channel)
    assert (refused.outcome, words in refused.line) == ("invalid", True), refused
    assert house.projects.settings_by_command == said()
    shown = await house.does("get_project_for_channel", channel=channel)
    assert words in shown.line
    assert shown.outcome == ("invalid" if channel == "genral" else "done")
    if shown.data:
        assert shown.data.model_dump()["is_watched"] is False


async def test_a_channel_that_cannot_answer_says_so() -> None:
    """Its project is set all the same; and `set_control_interface` takes the names of the specification."""
    house = House()
    house.losses.lost.add(CHANNEL)
    house.controls.modes["C0GENERAL"] = "silent"
    given = {"project_id": "api", "channel_name": "help-platform"}
    linked = await house.does("set_control_interface", **given)
    assert (linked.outcome, linked.rows) == ("done", (CHANNEL,))
    silent = await house.does("set_project_channel", project="api", channel="general")
    assert silent.rows == (
        "<#C0GENERAL> is silent: its questions are recorded, and not answered. `mode general live` changes that.",
    )
    listed = await house.does("get_project_channels", project="api")
    assert listed.line == f"Questions in these channels go to `api`: <#{CHANNEL}>, <#C0GENERAL>."
    assert len(listed.rows) == 2
    again = await house.does("set_project_channel", project="api", channel="general")
    assert (again.is_unchanged, again.line) == (True, "Questions in <#C0GENERAL> go to `api`, as before.")
    asked = await house.handler.execute("set_project_channel", {"project": "shop"}, command(via="chat"))
    assert asked.outcome == "asked"
    assert f"would go to `shop`; they go to `api` now. {CHANNEL}" in asked.line


async def test_projects_and_channels_have_figures() -> None:
    """For a terminal: names, times and numbers as they are."""
    house = House(registry(said(paused={"parcels": T0}, channels={CHANNEL: "parcels"})))
    await house.asks("1.1", route=ROUTE)
    (*_, parcels) = (await house.does("list_projects")).data.model_dump()["projects"]  # type: ignore[union-attr]  # it is there
    assert (parcels["name"], parcels["paused_since"], parcels["waiting_questions"]) == ("parcels", T0, 1)
    assert (parcels["code"][0]["root"], parcels["channels"]) == ("/code/parcels", (CHANNEL,))
    (channel,) = (await house.does("get_project_channels", project="parcels")).data.model_dump()["channels"]  # type: ignore[union-attr]  # it is there
    assert (channel["channel"], channel["set_by"], channel["is_created"]) == (CHANNEL, "command", False)


async def test_what_changes_is_for_admins_alone() -> None:
    """An operator reads, and says what a conversation is about."""
    house = House()
    for name in ("create_project", "edit_project", "pause_project", "resume_project", "set_project_channel"):
        given = {"name": "x", "root": "/srv"} if name == "create_project" else {"project": "api", "root": "/srv"}
        assert (await house.handler.execute(name, given, command(user_id=OPERATOR))).outcome == "refused"
    assert house.projects.settings_by_command == said()
    for name in ("list_projects", "set_active_project", "list_threads"):
        assert (await house.handler.execute(name, {}, command(user_id=OPERATOR))).outcome == "done"


async def test_the_conversation_and_the_channel_stand_for_a_project_that_is_not_named() -> None:
    """The conversation's own first; a project that is deleted is nobody's."""
    house = House()
    await house.does("set_project_channel", project="api")
    assert (await house.does("get_project")).line.startswith("`api`")
    await house.does("set_active_project", project="parcels")
    assert (await house.does("get_project")).line.startswith("`parcels`")
    assert "*active here*" in (await house.does("list_projects")).rows[2]
    await house.projects.delete("parcels")
    assert (await house.does("get_project")).line.startswith("`api`")


async def test_a_paused_project_holds_its_questions_and_a_deleted_one_lets_them_go() -> None:
    """Others begin; how many wait is said wherever it matters."""
    house = House()
    await house.does("pause_project", project="parcels")
    held = await house.asks("1.1", route=ROUTE)
    await house.asks("2.1")
    assert house.orchestrator.waiting == {held}
    assert "1 question waiting" in (await house.does("list_projects")).rows[2]
    assert house.orchestrator.why_held(house.store.saved[held]) == (
        "the project parcels is paused; `/triage resume_project parcels` ends the pause"
    )
    house.controls.state = "paused"
    assert (await house.does("resume_project", project="parcels")).line.startswith("`parcels` resumes once Triage does")
    assert house.orchestrator.waiting == {held}
    await house.does("pause_project", project="parcels")
    house.controls.state = "running"
    assert "1 question had waited" in (await house.does("resume_project", project="parcels")).line
    assert house.orchestrator.waiting == set()
    await house.does("pause_project", project="parcels")
    again = await house.asks("3.1", route=ROUTE)
    assert house.orchestrator.waiting == {again}
    request = ProjectToDelete(project="parcels")
    assert "has tasks in progress" in (await house.deletion.delete_project(request, command())).line
    house.store.saved[held] = house.store.saved[held].evolve(status="closed", outcome="dismissed")
    gone = await house.deletion.delete_project(request, command())
    assert "1 question waited for it" in gone.line
    assert (house.orchestrator.waiting, house.fetching.dropped) == (set(), ["parcels"])
    assert (await house.does("pause_project", project="parcels")).outcome == "invalid"


async def test_whoever_made_a_project_hears_when_its_code_is_there_and_once_why_not() -> None:
    """Its questions wait until then."""
    house = House()
    await house.does("create_project", name="new", repository="https://x.test/new")
    assert house.fetching.begun == ["new"]
    held = await house.asks("1.1", route=ROUTE.evolve(project="new"))
    assert held in house.orchestrator.waiting
    for _ in range(2):
        await house.changes.report_fetch(
            "new", Fetched(commit="", at=T0, source="https://x.test/new", problem="no such host.")
        )
    house.fetching.known.clear()
    for _ in range(2):
        await house.changes.report_fetch("new", Fetched(commit="0123456789abcdef", at=T0, source="https://x.test/new"))
    no, yes = house.heard
    assert no.startswith("U0ADMIN The code of `new` cannot be fetched: no such host. It")
    assert yes == "U0ADMIN The code of `new` is fetched, at `0123456789ab`: the project is ready."
    assert house.orchestrator.waiting == set()


THREAD, OTHER, DIRECT = f"{TEAM}-{CHANNEL}-1.000001", f"{TEAM}-{CHANNEL}-2.000001", f"{TEAM}-D0ADMIN-3.000001"
DIRECT_PLACE = {"channel_id": "D0ADMIN"}


@pytest.mark.parametrize(
    ("place", "project"),
    [
        ({"thread_id": THREAD}, "shop"),
        ({"thread_id": THREAD, "user_id": OPERATOR}, "shop"),
        ({"thread_id": OTHER}, "parcels"),
        ({}, "parcels"),
        ({"user_id": OPERATOR}, "shop"),
        ({"channel_id": "C0ELSE"}, "api"),
        ({"channel_id": "C0ELSE", "user_id": OPERATOR}, None),
        ({"channel_id": "C0ELSE", "user_id": OPERATOR, "looks_at": CHANNEL}, "shop"),
        ({"channel_id": "C0ELSE", "looks_at": CHANNEL}, "api"),
        (DIRECT_PLACE, "api"),
        (DIRECT_PLACE | {"thread_id": DIRECT}, "api"),
        (DIRECT_PLACE | {"thread_id": f"{TEAM}-D0ADMIN-9.000001"}, "api"),
        ({"channel_id": "U0ADMIN", "via": "home"}, "api"),
        ({"channel_id": "U0ADMIN", "via": "cli"}, "api"),
        ({"channel_id": "U0OPS", "user_id": OPERATOR, "via": "home"}, None),
    ],
)
async def test_the_nearest_choice_counts(place: dict[str, Any], project: str | None) -> None:
    """The thread's, then the person's in that channel, the channel's, the person's; also after a restart."""
    kept, projects = MemoryKept(), registry(said(channels={CHANNEL: "shop"}))
    active = ActiveProjects(file=kept, projects=projects)
    by = [
        await active.choose(command(**DIRECT_PLACE | {"thread_id": DIRECT}), "api"),
        await active.choose(command(), "parcels"),
        await active.choose(command(thread_id=THREAD, user_id=OPERATOR), "shop"),
    ]
    assert by == ["person", "here", "thread"]
    again = ActiveProjects(file=kept, projects=projects)
    await again.load()
    active_project = again.find(command(**place))
    assert (active_project.project if active_project else None) == project


async def test_a_thread_of_a_direct_message_keeps_its_own_choice() -> None:
    """A later one elsewhere counts everywhere else; `none` takes back both where it is said."""
    active = ActiveProjects(file=MemoryKept(), projects=registry(said()))
    there = command(**DIRECT_PLACE | {"thread_id": DIRECT})
    await active.choose(there, "api")
    await active.choose(command(**DIRECT_PLACE), "shop")
    found = [active.find(place) for place in (there, command(**DIRECT_PLACE), command())]
    assert [each and each.project for each in found] == ["api", "shop", "shop"]
    await active.choose(there, None)
    assert [active.find(place) for place in (there, command(**DIRECT_PLACE), command())] == [None] * 3


async def test_what_counts_after_none_is_said() -> None:
    """And of a thread that takes notes, that those go along."""
    house = House(registry(said(channels={CHANNEL: "shop"})))
    await house.does("set_active_project", project="api")
    shown = await house.does("set_active_project")
    assert shown.line == "Commands here that name no project are about `api`, which you chose for this channel."
    assert shown.is_unchanged
    taken_back = await house.does("set_active_project", project="none")
    assert taken_back.line.endswith("that name none are about `shop`, the project of this channel.")
    await house.active.take_notes(THREAD, "shop")
    inside = command(thread_id=THREAD)
    chosen = await house.handler.execute("set_active_project", {"project": "api"}, inside)
    assert chosen.line.startswith("This thread is about `api` now, and takes its notes;")
    assert house.active.find_notes_project(THREAD) == "api"
    back = await house.handler.execute("set_active_project", {"project": "none"}, inside)
    assert back.line.endswith("are about `shop`, whose notes this thread takes.")


async def test_the_oldest_places_are_forgotten_and_no_person() -> None:
    """A choice of a deleted project is ignored, and not taken for a new one of its name; earlier files are read."""
    kept = MemoryKept(D0ADMIN="api", C0ELSE="shop", C9="gone", C1=5)
    projects = registry(said())
    active = ActiveProjects(file=kept, projects=projects)
    await active.load()
    old = [active.find(command(channel_id=channel)) for channel in ("D0ADMIN", "C0ELSE", "C9", "C1")]
    assert [each and each.project for each in old] == ["api", "shop", None, None]
    await active.choose(command(**DIRECT_PLACE), "parcels")
    for number in range(1_001):
        await active.choose(command(channel_id=f"C{number}"), "api")
    await active.choose(command(channel_id="C5"), None)
    again = ActiveProjects(file=kept, projects=projects)
    await again.load()
    found = [again.find(command(channel_id=f"C{number}")) for number in (0, 1, 5, 1_000)]
    assert [each and (each.project, each.by) for each in found] == [
        ("parcels", "person"),
        ("api", "here"),
        ("parcels", "person"),
        ("api", "here"),
    ]
    await projects.delete("parcels")
    assert again.find(command(channel_id="C0")) is None
    await again.forget("parcels")
    await projects.create("parcels", {"root": "/srv"}, at=T0, notify="U0ADMIN")
    assert again.find(command(channel_id="C0")) is None


async def test_a_thread_that_takes_notes_is_about_their_project() -> None:
    """No other thread of a direct message takes them, and those of a project that is gone are nobody's."""
    kept, projects = MemoryKept(), registry(said())
    active = ActiveProjects(file=kept, projects=projects)
    await active.choose(command(**DIRECT_PLACE), "shop")
    await active.take_notes(DIRECT, "parcels")
    again = ActiveProjects(file=kept, projects=projects)
    await again.load()
    threads = (DIRECT, f"{TEAM}-D0ADMIN-9.000001", "D0ADMIN")
    assert [again.find_notes_project(thread) for thread in threads] == ["parcels", None, None]
    found = [again.find(command(**DIRECT_PLACE | {"thread_id": thread})) for thread in threads[:2]]
    assert [each and each.project for each in found] == ["parcels", "shop"]
    await again.forget("parcels")
    assert again.find_notes_project(DIRECT) is None
