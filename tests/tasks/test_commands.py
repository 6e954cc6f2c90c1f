"""Commands that create tasks and agents: what they do, refuse, and take for bad input."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import EmptyInput
from bot.commands.inputs_created import NewAgent, NewTask
from bot.commands.misfit import describe_invalid_input
from bot.commands.parsing import parse_line
from bot.commands.registry import bound_commands
from bot.commands.work_counts import WorkCounts, describe_work
from bot.models.agent import DEFAULT_AGENT, MAX_AGENTS, Agent
from bot.models.interaction import Asker
from bot.tasks import order_book
from tests.builders import CHANNEL, OPERATOR, TEAM
from tests.tasks.bench import Bench

ASKER = Asker(interaction_id="i1", team_id=TEAM, user_id=OPERATOR, channel_id=f"D{OPERATOR}", via="chat")


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """Two projects, shop and web, and one live channel."""
    return await Bench(tmp_path / "home").start()


def new_task(**given: Any) -> NewTask:
    """A task with a title and a description."""
    return NewTask(**({"title": "A", "description": "Do A."} | given))


def new_agent(line: str) -> NewAgent:
    """What somebody typed."""
    return NewAgent.model_validate(parse_line(f"create_agent {line}")[1])


def calls_of(owner: object, name: str) -> tuple[Any, Any]:
    """Preview and command, as the handler calls them."""
    (made,) = [each for each in bound_commands(owner) if each.spec.name == name]
    return made.preview, made.run


@pytest.mark.parametrize(
    ("name", "role"), [("create_task", "operator"), ("list_agents", "operator"), ("create_agent", "admin")]
)
def test_who_may(name: str, role: str) -> None:
    """A model's choice of what costs money waits for a press."""
    spec = CATALOGUE[name]
    assert spec.role == role
    assert spec.needs_press is (name != "list_agents")


def test_a_typed_task_needs_no_names_for_its_title_and_description() -> None:
    """The rest of the line is the description, word for word."""
    name, given = parse_line('create_task "List the limits" project=shop priority=5 Say where "limit" is set, and why.')
    assert name == "create_task"
    task = NewTask.model_validate(given)
    assert (task.title, task.project, task.priority) == ("List the limits", "shop", 5)
    assert task.description == 'Say where "limit" is set, and why.'


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"title": " "}, "title"),
        ({"title": "x" * 121}, "title"),
        ({"description": ""}, "description"),
        ({"description": "x" * 12_001}, "description"),
        ({"priority": 0}, "priority"),
        ({"priority": "soon"}, "priority"),
        ({"depends_on": "no/such?"}, "depends_on"),
        ({"depends_on": [f"a-0105-0900-aaaa{number:02}" for number in range(21)]}, "depends_on"),
        ({"depends_on": {"a": 1}}, "depends_on"),
    ],
)
def test_a_task_that_does_not_fit_names_its_field(given: dict[str, Any], field: str) -> None:
    """And the way to write the command."""
    with pytest.raises(ValidationError) as caught:
        new_task(**given)
    line = describe_invalid_input(CATALOGUE["create_task"], caught.value)
    assert line.startswith(f"`{field}`: expected ")
    assert "Usage: `create_task &lt;title&gt;" in line


async def test_the_preview_names_place_project_cost_and_dependencies(bench: Bench) -> None:
    """All that a press authorises."""
    await bench.create("Before")
    name = (await bench.task("Before")).task
    task = new_task(project="SHOP", channel="help-platform", depends_on=name)
    assert await bench.commands.preview(task, ASKER) == (
        f"It would work on `shop`, with its thread in <#{CHANNEL}>, where everybody reads its title now and the "
        f"approved result later. It costs nothing. It starts after `{name}`."
    )
    assert await bench.commands.preview(new_task(), ASKER) == (
        "It would work on the project that fits best, with its thread in your direct message with Triage. It costs "
        "nothing."
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"project": "shopp"}, "There is no project `shopp`. The nearest is `shop`."),
        ({"channel": "random"}, "This channel is not watched."),
        ({"depends_on": "a-0105-0900-aaaaaa"}, "There is no task `a-0105-0900-aaaaaa`."),
    ],
)
async def test_a_task_on_nothing_known_is_refused(bench: Bench, given: dict[str, Any], reason: str) -> None:
    """Before a confirmation is asked for, and at the command."""
    for call in calls_of(bench.commands, "create_task"):
        answer = await call(new_task(**given), ASKER)
        assert isinstance(answer, CommandAnswer)
        assert answer.outcome == "invalid"
        assert answer.line.startswith(reason)
    assert bench.slack.posted == []


async def test_a_channel_where_nothing_may_be_posted_is_refused(bench: Bench) -> None:
    """For its mode, or since its creator is not in it."""
    bench.controls.modes[CHANNEL] = "preview"
    with pytest.raises(NotDone, match="is in preview mode, and nothing is posted there"):
        await bench.commands._find_channel(new_task(channel="help-platform"), ASKER)
    bench.controls.modes[CHANNEL] = "live"
    bench.slack.members.clear()
    answer = await bench.commands.create(new_task(channel="help-platform"), ASKER)
    assert (answer.outcome, answer.line) == (
        "refused",
        f"You are not in <#{CHANNEL}>: join it, or leave the channel out.",
    )


async def test_the_number_of_open_tasks_is_limited(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are over do not count."""
    monkeypatch.setattr("bot.commands.created_tasks.MAX_OPEN", 1)
    await bench.create("A")
    answer = await bench.commands.create(new_task(title="B"), ASKER)
    assert answer.line.startswith("1 created tasks are open already")
    assert order_book.MAX_OPEN == 500
    await bench.settle()
    await bench.approve("A")
    assert (await bench.create("B")).line.startswith("Created")


async def test_agents_are_created_changed_and_retired(bench: Bench) -> None:
    """Each answer says how to take it back; it outlives a restart."""
    call = bench.agents.create_agent
    made = await call(new_agent("shop-agent shop 2"), ASKER)
    assert made.line == (
        "Created `shop-agent`: on `shop` alone, 2 slots. `create_agent shop-agent slots=0` retires it."
    )
    assert (await call(new_agent("Shop-Agent"), ASKER)).is_unchanged
    changed = await call(new_agent("shop-agent none"), ASKER)
    assert changed.line == (
        "Changed `shop-agent`: on all projects, 2 slots. `create_agent shop-agent shop 2` takes that back."
    )
    await bench.restart()
    assert [(each.name, each.slots) for each in bench.scheduler.agents.agents] == [
        (DEFAULT_AGENT, 1),
        ("shop-agent", 2),
    ]
    retired = await bench.agents.create_agent(new_agent("shop-agent slots=0"), ASKER)
    assert retired.line == (
        "Retired `shop-agent`: it gets no more tasks. `create_agent shop-agent none 2` takes that back."
    )
    assert bench.scheduler.agents.agents == (Agent(name=DEFAULT_AGENT),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("agent-2 shopp", "There is no project `shopp`."),
        ("agent-2 slots=0", "There is no agent `agent-2`."),
        ("agent-99", f"There are {MAX_AGENTS} agents already"),
    ],
)
async def test_an_agent_that_cannot_be_made_is_refused(bench: Bench, line: str, reason: str) -> None:
    """At the preview, too."""
    if "already" in reason:
        for number in range(2, MAX_AGENTS + 1):
            await bench.scheduler.agents.put(Agent(name=f"agent-{number}"))
    for call in calls_of(bench.agents, "create_agent"):
        answer = await call(new_agent(line), ASKER)
        assert isinstance(answer, CommandAnswer)
        assert answer.line.startswith(reason)


@pytest.mark.parametrize("line", ["", "Two words", "agent_2", "-x", "agent-2 slots=11", "agent-2 shop many"])
def test_bad_input_for_an_agent(line: str) -> None:
    """A name of other characters, and slots that are no number up to ten."""
    with pytest.raises(ValidationError):
        new_agent(f'"{line}"' if " w" in line else line)


async def test_the_preview_of_an_agent_counts_the_slots(bench: Bench) -> None:
    """Of all agents together."""
    assert await bench.agents.preview(new_agent("agent-2 slots=3"), ASKER) == (
        "All agents together could then work on 4 tasks at the same time."
    )


async def test_agents_are_listed_with_their_tasks(bench: Bench) -> None:
    """As text and as data."""
    bench.held.add("A")
    await bench.create("A", project="shop")
    await bench.create("B", project="shop")
    await bench.scheduler.agents.put(Agent(name="gone-agent", project="attic"))
    await bench.settle()
    answer = await bench.agents.list_agents(EmptyInput(), ASKER)
    name = (await bench.task("A")).task
    assert answer.line == "2 agents; 1 created task not started yet."
    assert answer.rows == (
        f"`agent-1` on all projects, 1 slot: works on `{name}`",
        "`gone-agent` on `attic` alone, which does not exist any more, 1 slot: works on nothing now",
    )
    assert answer.data
    assert answer.data.model_dump()["agents"][0]["tasks"] == (name,)


async def test_a_retired_agent_is_listed_until_its_tasks_end(bench: Bench) -> None:
    """Its task takes no slot of the others, and none that is not there."""
    bench.held |= {"A", "B"}
    await bench.create("A")
    await bench.settle()
    await bench.agents.create_agent(new_agent("agent-1 slots=0"), ASKER)
    await bench.agents.create_agent(new_agent("agent-2"), ASKER)
    await bench.create("B")
    await bench.settle()
    a, b = [(await bench.task(title)).task for title in "AB"]
    answer = await bench.agents.list_agents(EmptyInput(), ASKER)
    assert answer.line == "1 agent, and 1 retired one still at work; 0 created tasks not started yet."
    assert answer.rows == (
        f"`agent-2` on all projects, 1 slot: works on `{b}`",
        f"`agent-1`, retired: works on `{a}`, to their end",
    )
    work = await WorkCounts(projects=bench.projects, scheduler=bench.scheduler).count()
    assert work.agents.model_dump() == {"total": 1, "slots": 1, "busy": 1, "beyond": 1}
    assert "1 agent with 1 slot, 1 of them busy, and 1 task at work without a slot;" in describe_work(work)
    bench.held.clear()
    await bench.restart()
    await bench.settle()
    assert len((await bench.agents.list_agents(EmptyInput(), ASKER)).rows) == 1


async def test_unreadable_agents_are_told(bench: Bench) -> None:
    """And the default one works."""
    (bench.folder / "agents.json").write_text('{"agents": 3}')
    await bench.restart()
    assert bench.scheduler.agents.agents == (Agent(name=DEFAULT_AGENT),)
    assert bench.told[0].startswith("The agents could not be read (a value has an unknown form).")


async def test_status_counts_projects_agents_and_tasks(bench: Bench) -> None:
    """A task that waits for another one, or failed, is told from one that waits for a slot."""
    counts = WorkCounts(projects=bench.projects, scheduler=bench.scheduler)
    assert describe_work(await counts.count()) == "2 projects; 1 agent with 1 slot, 0 of them busy; open tasks: none."
    await bench.projects.pause("web", bench.clock.now())
    bench.failing, bench.held = {"B"}, {"C"}
    for title in "ABC":
        await bench.create(title)
        await bench.settle()
    await bench.create("D", depends_on=(await bench.task("A")).task)
    await bench.create("E")
    await bench.settle()
    work = await counts.count()
    assert work.model_dump() == {
        "projects": {"total": 2, "paused": 1, "unusable": 0},
        "agents": {"total": 1, "slots": 1, "busy": 1, "beyond": 0},
        "tasks": {"READY": 1, "BLOCKED": 1, "IN_PROGRESS": 1, "AWAITING_APPROVAL": 1, "FAILED": 1},
    }
    assert describe_work(work).startswith("2 projects (1 paused); 1 agent with 1 slot, 1 of them busy; open tasks: 1")


async def test_of_agents_created_at_once_one_is_new(bench: Bench) -> None:
    """The others change it, and say so."""
    lines = [f"twin none {slots}" for slots in (1, 2, 3)]
    answers = await asyncio.gather(*(bench.agents.create_agent(new_agent(line), ASKER) for line in lines))
    assert [answer.line.split()[0] for answer in answers] == ["Created", "Changed", "Changed"]
