"""Routes of questions: the role and project of each, as the router of the limits chooses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.decide.workflow.steps import WorkflowLimits
    from bot.models.message import Message
    from bot.models.route import Route
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread

BY_ORDER = "its order"
"""Reason for the project of a created task, in its subject."""


def routed(thread: Thread, limits: WorkflowLimits) -> Thread:
    """Return the document with the route of its complete first question; later questions keep that route."""
    if limits.router is None or thread.question_round > 1:
        return thread
    return thread.evolve(route=find_route(thread.search_text, thread, thread.order, limits))


def find_route(text: str, source: Message | Thread, order: TaskOrder | None, limits: WorkflowLimits) -> Route | None:
    """Return the route of a question; a created task keeps the project of its order, whatever its words name."""
    if limits.router is None:
        return None
    route = limits.router.route(text, source.chat_id, source.subject)
    wanted = order.project if order else None
    if route is None or wanted in (None, route.project.partition("/")[0]):
        return route
    return route.evolve(project=wanted, folder=".", why="project by its order")
