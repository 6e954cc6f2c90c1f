"""Data of questions and tasks: `queue`, `mine`, `list_tasks`, `get_task`, `get_task_result`, `get_agent_error`."""

from __future__ import annotations

from bot.models.command_data.cost import CostData
from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact
from bot.models.status import Outcome, Status
from bot.models.task_error import ErrorKind
from bot.models.task_hold import HoldReason
from bot.models.task_status import TaskStatus


class TaskData(Fact):
    """A task in short form."""

    task: str
    """Name of the task."""
    thread_id: str
    status: Status
    """Status of the thread, such as `pending-user`."""
    outcome: Outcome | None
    """Ending of a closed task, such as `replied`."""
    since: UtcTime
    """Time of the last change of its status."""
    channel: str
    asker: str
    """User who asked; of an incident or another bot's alert, the bot."""
    operator: str
    project: str | None
    question: str
    """Beginning of the question, on one line."""
    failure: str | None
    """Reason why there is no draft."""
    link: str
    """Address of the question in Slack."""


class DependencyData(Fact):
    """A task that another one depends on."""

    thread_id: str
    task: str | None
    """Its name; null if its document is gone."""
    task_status: TaskStatus
    """Its status; FAILED if its document is gone."""


class OrderData(Fact):
    """Order of a created task."""

    title: str
    priority: int
    """The lower number starts first."""
    depends_on: tuple[DependencyData, ...]
    created_by: str
    created_at: UtcTime
    agent: str | None
    """Agent whose slot its last run took."""


class ListedTaskData(TaskData):
    """A task with its task status, its order, and what keeps it from its start."""

    task_status: TaskStatus
    stopped_by: str | None
    """Person who stopped it, as long as that blocks it."""
    holds: tuple[HoldReason, ...]
    """Reasons why a created task does not start now, such as `project-paused`; none for a task that has started."""
    order: OrderData | None
    """Null for a question of a person, an incident or an alert."""


class TasksData(Fact):
    """A list of tasks."""

    total: int
    """Number of tasks that match, as far as they were read."""
    tasks: tuple[ListedTaskData, ...]
    omitted: int
    """Number of further tasks that were not read or are not listed."""


class OwnQuestionData(Fact):
    """State of a question as its asker may know it, without the draft."""

    thread_id: str
    status: Status
    outcome: Outcome | None
    since: UtcTime
    channel: str
    question: str
    state: str
    """State in words."""
    link: str


class OwnQuestionsData(Fact):
    """The asker's own questions: open ones, then those that ended within a day."""

    open: int
    questions: tuple[OwnQuestionData, ...]
    omitted: int
    """Number of open questions that are not listed."""


class WaitingTaskData(TaskData):
    """A question that waits for a decision."""

    waits_since: UtcTime


class QueueData(Fact):
    """Questions that wait for a decision, the oldest first."""

    waiting: int
    questions: tuple[WaitingTaskData, ...]
    omitted: int
    """Number of questions that are not listed."""


class RunData(Fact):
    """Run of a role on a task."""

    run_id: str
    role: str
    model: str
    started_at: UtcTime
    status: str
    """`running`, `completed`, `failed`, or `aborted: ` and the reason."""
    journal: str
    """File name in the task's folder."""


class DecisionData(Fact):
    """An operator's decision."""

    action: str
    by: str
    at: UtcTime


class TaskDetailsData(ListedTaskData):
    """A task in full."""

    asked_at: UtcTime
    round: int
    """Number of investigations of the question."""
    engine: str | None
    verdict: str | None
    """Verdict of the checks: `pass`, `bounce` or `escalate`."""
    verdict_reasons: tuple[str, ...]
    stale: str | None
    """Reason to look at the draft again."""
    fallback: str | None
    """Reason why the configured engine did not make the draft."""
    decision: DecisionData | None
    runs: tuple[RunData, ...]
    """All runs, the oldest first."""


class ReferenceData(Fact):
    """A reference of the draft, and the result of the evidence check."""

    reference: str
    result: str | None
    """`None` if it was not checked."""
    claim: str


class TaskResultData(Fact):
    """Result of a task."""

    task: str
    status: Status
    outcome: Outcome | None
    summary: str | None
    confidence: str | None
    draft: str | None
    """Text of the draft or of the posted reply, in Markdown."""
    edited_by: str | None
    reply: str | None
    """Address of the posted reply in Slack."""
    references: tuple[ReferenceData, ...]
    files: tuple[str, ...]
    """Files that the references name."""
    result_before: str | None
    """Reply of the task before it was restarted."""
    errors: tuple[str, ...]
    runs: int
    """Number of runs of agents on a model."""
    tokens: int
    cost: CostData


class TaskErrorData(Fact):
    """Last error of a task."""

    task: str
    kind: ErrorKind | None
    """Kind of the error; null if nothing has gone wrong."""
    error: str | None
    fix: str | None
    """Suggested fix."""
    run: RunData | None
    """The last run that ended without findings."""
