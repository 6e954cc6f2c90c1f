"""Words for the holds of a created task: the reasons, and what ends them; plain text with code in backticks. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.task_hold import HoldReason, TaskHold

_NAMES = 5
"""Number of tasks named in a reason."""
_REASONS: dict[HoldReason, str] = {
    "project-gone": "the project {project} no longer exists",
    "project-paused": "the project {project} is paused",
    "project-unusable": "the code of the project {project} is not available yet{detail}",
    "no-project": "every project is paused, or has no code yet",
    "no-agent": "no agent works on {place}",
    "paused": "Triage is paused",
    "stopped": "Triage is stopped",
    "budget": "the agents' money for today is used up",
    "max-agents": "the project {project} has as many tasks at work as it may have, {limit} (`max_agents`)",
    "slots": "no agent has a free slot for {subject}",
}
_STEPS: dict[HoldReason, str] = {
    "project-gone": "`/triage edit_task {task} project=…` moves it to another, `/triage delete_task {task}` removes it",
    "project-paused": "`/triage resume_project {project}` ends the pause",
    "no-agent": "`/triage create_agent NAME {workspace}` adds one",
    "paused": "`/triage resume` ends the pause",
    "stopped": "`/triage resume` starts it again",
    "budget": "`/triage allow` adds to it, else the next day does",
}


def describe_holds(holds: Sequence[TaskHold], task: str) -> str:
    """Say in sentences why a task does not start, and what ends that; empty without a hold."""
    relevant_holds = select_relevant(holds)
    if not relevant_holds:
        return ""
    steps = [f"{step[0].upper()}{step[1:]}." for hold in relevant_holds if (step := suggest_step(hold, task))]
    return " ".join((f"It {describe_wait(relevant_holds)}.", *steps))


def describe_wait(holds: Sequence[TaskHold]) -> str:
    """Say as a predicate that a task does not start, with the reasons; there is at least one hold."""
    relevant_holds = select_relevant(holds)
    verb = "never starts" if relevant_holds[0].is_final else "does not start yet"
    return f"{verb}: {'; '.join(map(describe_reason, relevant_holds))}"


def select_relevant(holds: Sequence[TaskHold]) -> Sequence[TaskHold]:
    """Return the holds that count: beside one that only a change of the task ends, no other matters."""
    return [hold for hold in holds if hold.is_final] or holds


def describe_reason(hold: TaskHold, *, is_one: bool = True) -> str:
    """Describe the reason as a clause, for one task or several."""
    if hold.reason == "dependencies" and not hold.tasks:
        return "it waits for other tasks" if is_one else "they wait for other tasks"
    if hold.reason == "dependencies":
        rest = f" and {len(hold.tasks) - _NAMES} more" if len(hold.tasks) > _NAMES else ""
        return f"it waits for {', '.join(f'`{name}`' for name in hold.tasks[:_NAMES])}{rest}"
    place = f"the project {hold.project}" if hold.project else "tasks without a project"
    detail = f": {hold.detail}" if hold.detail else ""
    return _REASONS[hold.reason].format(
        project=hold.project, place=place, detail=detail, limit=hold.limit, subject="it" if is_one else "them"
    )


def suggest_step(hold: TaskHold, task: str) -> str:
    """Name what ends a hold, as a clause; empty where it ends by itself, or with the tasks that it names."""
    step = _STEPS.get(hold.reason, "")
    return step.format(project=hold.project, workspace=hold.project or "none", task=task)
