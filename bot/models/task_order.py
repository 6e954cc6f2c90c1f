"""Order of a task: the work that a command created, in the document of the thread that was opened for it.

A task with an order waits in `collecting` until the scheduler starts it; questions of people have none.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from bot.models.fact import Fact
from bot.models.status import Outcome
from bot.models.thread_id import ThreadId

OrderId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,64}$")]
TaskTitle = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
TaskDescription = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=12_000)]
TaskPriority = Annotated[int, Field(ge=1, le=1_000)]
AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

MAX_DEPENDENCIES = 20
DEFAULT_PRIORITY = 100
"""Priority of a task whose order names none; the lower number is first."""


class DependencyResult(Fact):
    """Result of a task that another one depends on."""

    thread_id: ThreadId
    task: str
    """Its name."""
    title: str
    text: str
    """The approved reply; empty if it was completed without one."""


class TaskOrder(Fact):
    """Order of a task. Times are in UTC."""

    order_id: OrderId
    """Id in the metadata of its first message, by which that message is found again."""
    title: TaskTitle
    description: TaskDescription
    """The work in full, for a reader who knows nothing else."""
    project: str | None = None
    """The project to work on; `None` for the best match among all."""
    priority: TaskPriority = DEFAULT_PRIORITY
    depends_on: Annotated[tuple[ThreadId, ...], Field(max_length=MAX_DEPENDENCIES)] = ()
    """Threads whose tasks must be completed before this one starts."""
    created_by: str
    created_at: datetime
    is_by_hook: bool = False
    """True if a hook created it; its failure begins no hook, or two could go on forever."""
    question_round: int = 1
    """Number of the thread's question that is this task; people may ask further questions in the thread."""
    agent: AgentName | None = None
    """The agent whose slot its run takes; `None` before its start."""
    begun_at: datetime | None = None
    """Time of its last start by the scheduler."""
    inputs: tuple[DependencyResult, ...] = ()
    """Results of the tasks that it depends on, as they were at its start."""
    is_message_deleted: bool = False
    """True if its first message was deleted in Slack; the task goes on."""
    is_title_behind: bool = False
    """True while its first message shows the title from before an edit."""
    outcome: Outcome | None = None
    """Ending of its question; `None` until that is closed."""
    result: str = ""
    """The approved reply, which tasks that depend on it read; empty without one."""
    skipped_by: str | None = None
    """The person who skipped it, so that it counts as completed; `None` if nobody did."""

    @property
    def words(self) -> str:
        """Return title and description as the words of its question."""
        return f"{self.title}\n{self.description}"
