"""Inputs of commands that create tasks and agents: one model each."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from bot.commands.inputs import ChannelName, MessagePlace, ProjectNamed
from bot.commands.inputs_work import Task, parse_task
from bot.models.agent import MAX_SLOTS
from bot.models.fact import Fact
from bot.models.task_order import DEFAULT_PRIORITY, MAX_DEPENDENCIES, TaskDescription, TaskPriority, TaskTitle

_BETWEEN = re.compile(r"[,\s]+")
_AGENT = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_OTHER_FIELD = re.compile(r"[a-z][a-z_-]{1,30}=\S")
"""Beginning of a text that was meant for a field, such as `prio=1`: taken as text, it would be lost with its order."""


def _parse_tasks(value: Any) -> Any:
    """Parse a list of tasks, or their names and links separated by commas or spaces."""
    parts = value if isinstance(value, list | tuple) else [part for part in _BETWEEN.split(str(value)) if part]
    tasks = tuple(dict.fromkeys(parse_task(part) for part in parts))
    if len(tasks) > MAX_DEPENDENCIES:
        raise ValueError(f"expected at most {MAX_DEPENDENCIES} tasks")
    return tasks


def _parse_agent(value: Any) -> Any:
    name = str(value).strip().strip("`").lower()
    if not _AGENT.fullmatch(name):
        raise ValueError("expected an agent's name of small letters, digits and hyphens, such as agent-2")
    return name


def _refuse_other_field(value: Any) -> Any:
    if isinstance(value, str) and _OTHER_FIELD.match(value.lstrip()):
        raise ValueError("it begins like a field that this command does not have; begin a description with a word")
    return value


Work = Annotated[TaskDescription, BeforeValidator(_refuse_other_field)]
"""Description of a task, in a command."""
Tasks = Annotated[
    tuple[MessagePlace | str, ...],
    BeforeValidator(_parse_tasks),
    WithJsonSchema({"type": "string", "description": "Tasks to complete first, separated by commas."}),
]


class NewTask(Fact):
    """A task: its title and its work in full; perhaps its project, place, priority and what it waits for."""

    title: Annotated[TaskTitle, Field(description="The work in a few words.")]
    project: ProjectNamed = ""
    channel: Annotated[ChannelName, Field(description="For the result; else a direct message.")] = ""
    priority: Annotated[TaskPriority, Field(description="1 to 1000 (100); the lower number starts first.")] = (
        DEFAULT_PRIORITY
    )
    depends_on: Tasks = ()
    description: Annotated[Work, Field(description="The work in full.")]


class EditTask(Fact):
    """A created task that is not at work, and what changes of it: title, project, priority, description."""

    task: Task
    title: Annotated[TaskTitle | None, Field(description="The new title.")] = None
    project: ProjectNamed = ""
    priority: Annotated[TaskPriority | None, Field(description="As in create_task.")] = None
    description: Annotated[Work | None, Field(description="As in create_task.")] = None


class NewAgent(Fact):
    """An agent: its name, and perhaps the only project that it works on, and its number of slots."""

    name: Annotated[
        str,
        BeforeValidator(_parse_agent),
        Field(description="Such as agent-2; a known one is changed."),
    ]
    project: Annotated[ProjectNamed, Field(description="The only project of it; none for all.")] = ""
    slots: Annotated[
        int | None,
        Field(ge=0, le=MAX_SLOTS, description="Tasks at the same time (1); 0 retires it."),
    ] = None
