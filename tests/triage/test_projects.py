"""The registry of projects: which there are, where a question goes, what waits; by table, with a file in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Misconfigured, RetryLater
from bot.models.project import Project, ProjectRecords, Repository
from bot.models.route import Route
from bot.models.task_hold import TaskHold
from bot.models.task_order import TaskOrder
from bot.triage.projects import Projects
from tests.builders import T0, added, moved
from tests.fakes import MemoryKept


def root(name: str, **more: Any) -> Project:
    """One root."""
    return Project(name=name, root=Path("/code") / name, **more)


SETTINGS = (root("api"), root("shop/web"), root("shop/box"))


def locate(name: str, keys: Mapping[str, str]) -> tuple[Project, ...]:
    """Every folder is there but one."""
    if keys.get("root") == "/gone":
        raise Misconfigured("root: expected an existing folder")
    repository = Repository(url=keys["repository"]) if "repository" in keys else None
    shares: dict[str, Any] = {key: keys[key] for key in ("weight", "max_agents") if key in keys}
    about = {"description": keys.get("description", ""), "display_name": keys.get("name", "")}
    return (Project.model_validate({**root(name, repository=repository).model_dump(), **about, **shares}),)


@dataclass
class Fetching:
    """Projects without code."""

    names: tuple[str, ...]

    def missing_reason(self, name: str) -> str | None:
        """Those are being fetched."""
        return "fetching" if name in self.names else None


def registry(said: ProjectRecords | None = None, **more: Any) -> Projects:
    """Two projects of the settings, and what was said."""
    return Projects(
        file=more.pop("kept", MemoryKept()),
        settings=more.pop("settings", SETTINGS),
        locate=locate,
        settings_by_command=said or ProjectRecords(),
        **more,
    )


def said(**more: Any) -> ProjectRecords:
    """`projects.json` with a project called parcels."""
    made = {"given": {"root": "/srv/parcels"}, "made_at": T0}
    return ProjectRecords.model_validate({"projects": {"parcels": made}, **more})


async def test_what_is_made_counts_at_once_and_for_the_next_process() -> None:
    """It is on disk before it counts; deleted, it is gone with its pause and its channels."""
    kept = MemoryKept()
    projects = registry(kept=kept)
    await projects.create("parcels", {"root": "/srv/parcels"}, at=T0, notify="U0ADMIN")
    await projects.link("C0HELP", "parcels")
    await projects.pause("parcels", T0)
    again = registry(ProjectRecords.model_validate(kept.said))
    for each in (projects, again):
        assert each.names == ("api", "shop", "parcels")
        assert each.channels == {"C0HELP": "parcels"}
        assert [project.name for project in each.open()] == ["api", "shop/web", "shop/box"]
        assert len(each.list_all()) == 4
        assert each.created["parcels"].told is None
    await projects.delete("parcels")
    assert (projects.names, projects.channels, projects.settings_by_command) == (("api", "shop"), {}, ProjectRecords())
    assert kept.said == ProjectRecords().model_dump(mode="json")


class FullDisk(MemoryKept):
    """Nothing can be written."""

    async def write(self, content: dict[str, Any]) -> None:
        """It fails."""
        raise RetryLater("no space left")


async def test_what_cannot_be_kept_does_not_count() -> None:
    """Neither a project, nor a pause, nor a channel."""
    projects = registry(kept=FullDisk())
    with pytest.raises(RetryLater):
        await projects.create("parcels", {"root": "/srv/parcels"}, at=T0, notify="U0ADMIN")
    with pytest.raises(RetryLater):
        await projects.pause("api", T0)
    with pytest.raises(RetryLater):
        await projects.link("C0HELP", "api")
    assert (projects.names, projects.settings_by_command) == (("api", "shop"), ProjectRecords())


@pytest.mark.parametrize("name", ["api", "API", "shop", "parcels", "Parcels", "none"])
async def test_a_name_is_unique_over_both_sources(name: str) -> None:
    """In any case of letters."""
    with pytest.raises(Misconfigured, match="is taken"):
        await registry(said()).create(name, {"root": "/srv/other"}, at=T0, notify="U0ADMIN")


async def test_where_triage_yml_takes_the_name_of_a_made_one_it_has_its_way() -> None:
    """Which is a problem to be told; deleting the made one leaves the pause and the channel of the other."""
    projects = registry(
        said(paused={"parcels": T0}, channels={"C0HELP": "parcels"}), settings=(*SETTINGS, root("parcels"))
    )
    assert [project.root for project in projects.roots_of("parcels")] == [Path("/code/parcels")]
    assert "triage.yml has a project of this name" in projects.problems["parcels"]
    await projects.delete("parcels")
    assert projects.problems == {}
    assert (projects.channels, [*projects.settings_by_command.paused]) == ({"C0HELP": "parcels"}, ["parcels"])


def test_a_created_task_waits_for_a_project_that_is_gone() -> None:
    """No other project takes its place, as it does for a question."""
    order = TaskOrder(
        order_id="0" * 8, title="Fix it", description="Fix it.", created_by="U0", created_at=T0, project="gone"
    )
    thread = moved(None, added()).evolve(route=Route(role="r", role_name="R", project="gone", why="so"))
    assert registry().why_waits(thread) is None
    why = registry().why_waits(thread.evolve(order=order))
    assert why == (
        f"the project gone no longer exists; `/triage edit_task {thread.task} project=…` moves it to another, "
        f"`/triage delete_task {thread.task}` removes it"
    )
    elsewhere = Route(role="r", role_name="R", project="api", why="a rule")
    hold = registry().find_hold(thread.evolve(order=order, route=elsewhere))
    assert hold == TaskHold(reason="project-gone", project="gone")


def test_a_project_that_cannot_be_used_is_not_called_deleted() -> None:
    """Its settings name a folder that is gone, and an edit mends it."""
    broken = said().projects["parcels"].evolve(given={"root": "/gone"})
    order = TaskOrder(
        order_id="0" * 8, title="Fix it", description="Fix it.", created_by="U0", created_at=T0, project="parcels"
    )
    hold = registry(said().evolve(projects={"parcels": broken})).find_hold(moved(None, added()).evolve(order=order))
    assert hold == TaskHold(reason="project-unusable", project="parcels", detail="root: expected an existing folder")


async def test_one_that_breaks_a_rule_stays_on_record() -> None:
    """Its folder is gone: it answers nothing, until an edit mends it."""
    projects = registry(said().evolve(projects={"parcels": said().projects["parcels"].evolve(given={"root": "/gone"})}))
    assert (projects.names, projects.problems) == (
        ("api", "shop"),
        {"parcels": "root: expected an existing folder"},
    )
    await projects.edit("parcels", {"root": "/srv/parcels"}, notify="U0ADMIN")
    assert (projects.names, projects.problems) == (("api", "shop", "parcels"), {})


@pytest.mark.parametrize(
    ("keys", "made"),
    [
        ({"description": "Parcels."}, {"root": "/srv/parcels", "description": "Parcels."}),
        ({"root": "/srv/new"}, {"root": "/srv/new"}),
        ({"repository": "https://x.test/p", "branch": "main"}, {"repository": "https://x.test/p", "branch": "main"}),
        ({"description": ""}, {"root": "/srv/parcels"}),
        (
            {"name": "Parcels!", "weight": "2", "max_agents": "3"},
            {"name": "Parcels!", "weight": "2", "max_agents": "3"},
        ),
    ],
)
async def test_an_edit_changes_what_it_names(keys: dict[str, str], made: dict[str, str]) -> None:
    """A repository takes the place of a folder; an empty value takes a key away."""
    projects = registry(said())
    await projects.edit("parcels", keys, notify="U0ADMIN")
    assert projects.created["parcels"].given == {"root": "/srv/parcels"} | made if "weight" in keys else made


@pytest.mark.parametrize("name", ["api", "API", "The Shop", "the shop", "None"])
async def test_a_name_that_people_see_means_one_project_only(name: str) -> None:
    """Neither another project's own name nor the one that it is shown under; its own name is free."""
    projects = registry(said(), settings=(root("api"), root("shop", display_name="The Shop")))
    with pytest.raises(Misconfigured, match="is taken"):
        await projects.edit("parcels", {"name": name}, notify="U0ADMIN")
    await projects.edit("parcels", {"name": "Parcels"}, notify="U0ADMIN")
    assert [projects.display_name_of(each) for each in projects.names] == ["", "The Shop", "Parcels"]


@pytest.mark.parametrize(
    ("text", "channel", "project"),
    [
        ("how?", "C0ELSE", None),
        ("how?", "C0HELP", "parcels"),
        ("how? project:API", "C0HELP", "api"),
        ("how?", "C0YML", "api"),
        ("how?", "C0FREE", None),
        ("how?", "C0GONE", None),
        ("how? project:nowhere", "C0ELSE", None),
    ],
)
def test_without_rules_a_name_and_a_channel_choose(text: str, channel: str, project: str | None) -> None:
    """A command's word on a channel is over the settings'; a project that is gone is nobody's."""
    channels = {"C0HELP": "parcels", "C0FREE": None, "C0GONE": "gone"}
    projects = registry(said(channels=channels), settings_channels={"C0YML": "api", "C0FREE": "api", "C0HELP": "api"})
    route = projects.route(text, channel)
    assert (route.project if route else None) == project


async def test_the_settings_own_word_on_a_channel_needs_no_other() -> None:
    """Going back to it leaves nothing said."""
    projects = registry(settings_channels={"C0HELP": "api"})
    await projects.link("C0HELP", "shop")
    assert projects.settings_by_command.channels == {"C0HELP": "shop"}
    await projects.link("C0HELP", "api")
    assert projects.settings_by_command.channels == {}


async def test_what_is_said_of_a_project_while_it_is_deleted_leaves_nothing_behind() -> None:
    """Or one that is made later under its name would begin paused."""
    projects = registry(said())
    _, *late = await asyncio.gather(
        projects.delete("parcels"),
        projects.pause("parcels", T0),
        projects.link("C0HELP", "parcels"),
        projects.edit("parcels", {"description": "x"}, notify="U0ADMIN"),
        return_exceptions=True,
    )
    assert [type(problem) for problem in late] == [Misconfigured] * 3
    assert projects.settings_by_command == ProjectRecords()


ROUTED = Route(role="investigator", role_name="Investigator", project="shop/web", why="so")


@pytest.mark.parametrize(
    ("paused", "unfetched", "changes", "words"),
    [
        ((), (), {}, None),
        (("shop",), (), {}, None),
        (("shop",), (), {"route": ROUTED}, "the project shop is paused; `/triage resume_project shop`"),
        (("shop",), (), {"project": "shop/web"}, "the project shop is paused"),
        (("api",), (), {"route": ROUTED}, None),
        ((), ("shop/web",), {"route": ROUTED}, "the code of the project shop is not available yet: fetching"),
        (("api", "shop"), (), {}, "every project is paused"),
        (("api",), ("shop/web", "shop/box"), {}, "every project is paused"),
        (("api", "shop"), (), {"route": ROUTED.evolve(project="gone")}, "every project is paused"),
        (("shop",), (), {"route": ROUTED.evolve(project="gone")}, None),
    ],
)
def test_a_question_waits_for_its_own_project(
    paused: tuple[str, ...], unfetched: tuple[str, ...], changes: dict[str, Any], words: str | None
) -> None:
    """One that is for no certain project waits only where none is left."""
    projects = registry(
        ProjectRecords(paused=dict.fromkeys(paused, T0)),
        fetches=Fetching(unfetched),
    )
    why = projects.why_waits(moved(None, added()).evolve(**changes))
    assert (why is None) == (words is None)
    assert (words or "") in (why or "")
