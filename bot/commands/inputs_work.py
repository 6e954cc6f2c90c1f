"""Inputs of commands on tasks, notes and files: one model each.

A value that does not fit raises `ValueError` with a sentence for the user who typed it.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from bot.commands.inputs import ChannelName, MessagePlace, ProjectNamed, parse_message_link
from bot.commands.nearest_name import suggest_clause
from bot.models.fact import Fact
from bot.models.status import Outcome, Status
from bot.models.status_words import STATUS_WORDS
from bot.models.task_status import TASK_STATUSES

ControlAction = Literal["pause", "resume", "status"]
ListedBy = Literal["day", "project", "agent", "task"]
SearchMode = Literal["text", "names"]

STATUSES = ("all", "open", "failed", *get_args(Status), *get_args(Outcome))
"""Filters of `list_tasks`: all, any open task, one whose run failed, a status, or an outcome."""

_FILTERS = (*STATUSES, *TASK_STATUSES)
_SLUG = re.compile(r"[a-z0-9A-Z.-]{1,120}")


def parse_task(value: Any) -> Any:
    """Parse a link to a message, or a task's name, as people copy it."""
    text = str(value).strip()
    if isinstance(value, MessagePlace) or "/" in text:
        return parse_message_link(value)
    name = text.strip("`")
    if not _SLUG.fullmatch(name):
        raise ValueError("expected a task's name such as portal-fix-flyout-0219-1430-k7x2mq, or the link of a message")
    return name


def _parse_status(value: Any) -> Any:
    """Parse a filter; `FAILED` is the task status, `failed` a run that failed."""
    text = str(value).strip()
    if text in TASK_STATUSES:
        return text
    word = text.lower() or "all"
    word = next((status for status, words in STATUS_WORDS.items() if words == word), word)
    if word in STATUSES:
        return word
    if (task_status := _normalise_status(text)) in TASK_STATUSES:
        return task_status
    raise ValueError(f"expected a status such as open, failed or BLOCKED{suggest_clause(word, _FILTERS)}")


def _normalise_status(value: Any) -> str:
    return re.sub(r"[\s-]+", "_", str(value).strip().upper())


def _one_of(*words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        word = str(value).strip().lower()
        if word not in words:
            raise ValueError(f"expected {', '.join(words[:-1])} or {words[-1]}{suggest_clause(word, words)}")
        return word

    return BeforeValidator(check)


Task = Annotated[
    MessagePlace | str,
    BeforeValidator(parse_task),
    WithJsonSchema({"type": "string", "description": "A task's name, or a link into its thread."}),
]
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=120),
    Field(description="The title of a note, or its name."),
]
Content = Annotated[
    str, StringConstraints(min_length=1, max_length=40_000), Field(description="The text, in Markdown.")
]
Line = Annotated[int, Field(ge=1, le=10_000_000)]
FirstLine = Annotated[Line, Field(description="The first line to show.")]


class OfTask(Fact):
    """A task, by its name or by the link of a message of its thread; without one, that of the thread the command is
    given in."""

    task: Task | None = None


SettableStatus = Literal["READY", "BLOCKED", "COMPLETED", "FAILED"]
_SETTABLE = ", ".join(get_args(SettableStatus)[:-1]) + f" or {get_args(SettableStatus)[-1]}"
_INSTEAD = {
    "IN_PROGRESS": "a run leads to it, which `restart_task` or the scheduler begins",
    "AWAITING_APPROVAL": "a run that ends with a draft leads to it",
}
"""What leads to a status that no command sets."""


class OfHealth(Fact):
    """A task; without one, all created tasks."""

    task: Task | None = None


def _parse_settable_status(value: Any) -> Any:
    word = _normalise_status(value)
    if word in get_args(SettableStatus):
        return word
    if word in ("DISMISSED", "CLOSED"):
        return "FAILED"
    if reason := _INSTEAD.get(word):
        raise ValueError(f"expected {_SETTABLE}: no command sets {word}, {reason}")
    raise ValueError(f"expected {_SETTABLE}{suggest_clause(word, get_args(SettableStatus))}")


class SetTaskStatus(Fact):
    """A task and its new status; `dismissed` is another word for FAILED."""

    task: Task
    status: Annotated[
        SettableStatus,
        BeforeValidator(_parse_settable_status),
        Field(description="READY restarts it, BLOCKED stops it, COMPLETED settles it, FAILED dismisses it."),
    ]


DEFAULT_LISTED = 10
"""Number of tasks that a list shows: mostly their rows fit one answer in Slack."""


class ListTasks(Fact):
    """Filter of tasks: by status, project and channel; without words, all of them. `first` counts from 1."""

    status: Annotated[
        str,
        BeforeValidator(_parse_status),
        WithJsonSchema(
            {
                "type": "string",
                "enum": [*STATUSES[:3], *TASK_STATUSES],
                "default": "all",
                "description": "The tasks to list.",
            }
        ),
    ] = "all"
    project: ProjectNamed = ""
    channel: ChannelName = ""
    first: Annotated[int, Field(ge=1, le=1_000_000, description="Number of the first one.")] = 1
    limit: Annotated[int, Field(ge=1, le=100, description="Most of them to list.")] = DEFAULT_LISTED


class HoursInput(Fact):
    """Number of hours back from now."""

    hours: Annotated[int, Field(ge=1, le=168, description="Number of hours back from now.")] = 24


class RecentEvents(Fact):
    """Number of hours back from now, and the number of events to list."""

    hours: Annotated[int, Field(ge=1, le=168, description="Number of hours back from now.")] = 24
    limit: Annotated[int, Field(ge=1, le=100, description="Most of them to list.")] = 25


class ControlInput(Fact):
    """An action on Triage as a whole: the name of the command that does it."""

    action: Annotated[
        ControlAction,
        _one_of(*get_args(ControlAction)),
        Field(description="What to do."),
    ]


class OfServices(Fact):
    """A service or a group of services by its name; without one, all services."""

    name: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=100),
        Field(description="A service or a group."),
    ] = ""


def _parse_chain(value: Any) -> Any:
    """Parse a task as `parse_task` does, or a session, also with `#` before it."""
    return parse_task(value if isinstance(value, MessagePlace) else str(value).strip().strip("`").removeprefix("#"))


class OfChain(Fact):
    """A session by its id, or a task as in `OfTask`."""

    task: (
        Annotated[
            MessagePlace | str,
            BeforeValidator(_parse_chain),
            WithJsonSchema(
                {
                    "type": "string",
                    "description": "A task, or a session's id.",
                }
            ),
        ]
        | None
    ) = None


class TokenUsage(Fact):
    """Number of days, the grouping of the figures, and the only project or task whose runs count."""

    by: Annotated[ListedBy, _one_of(*get_args(ListedBy)), Field(description="One line for each.")] = "day"
    days: Annotated[int, Field(ge=1, le=31, description="Number of days back from now.")] = 7
    project: ProjectNamed = ""
    task: Task | None = None


class AnyProjectInput(Fact):
    """A project."""

    project: ProjectNamed = ""


class OfNote(Fact):
    """A note of a project."""

    title: Title
    project: ProjectNamed = ""


class ReadNote(Fact):
    """A note, the first line to show, and a flag for the version before its last change."""

    title: Title
    first: FirstLine = 1
    project: ProjectNamed = ""
    previous: bool = Field(False, description="true: before its last change.")


class NoteText(Fact):
    """A note and its text."""

    title: Title
    project: ProjectNamed = ""
    content: Content


class ReadProjectFile(Fact):
    """Lines of a file of a project; the path is relative to the project's folder."""

    path: Annotated[
        str, Field(min_length=1, max_length=1_000, description="A path in the project, or a file's name alone.")
    ]
    first: FirstLine = 1
    last: Annotated[Line, Field(description="The last line to show.")] | None = None
    project: ProjectNamed = ""


_SPEC_MODES = {"grep": "text", "find": "names"}
"""Modes of a search by their words in the specification."""


def _parse_search_mode(value: Any) -> Any:
    word = str(value).strip().lower()
    word = _SPEC_MODES.get(word, word)
    if word not in get_args(SearchMode):
        raise ValueError(f"expected text (grep) or names (find){suggest_clause(word, get_args(SearchMode))}")
    return word


class SearchProject(Fact):
    """A text to find in the files of a project, or a pattern of their paths such as `**/*.md`."""

    project: ProjectNamed = ""
    mode: Annotated[
        SearchMode,
        BeforeValidator(_parse_search_mode),
        Field(description="text: lines with it; names: paths that match."),
    ] = "text"
    text: Annotated[str, Field(min_length=1, max_length=300, description="The text, or a pattern such as src/**/*.py.")]
