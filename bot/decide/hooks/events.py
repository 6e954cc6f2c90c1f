"""Events that begin runs of hooks: what a message, a task, a service, files or a merge request mean for one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.health.states import failing_since
from bot.decide.hooks.patterns import contains_words, matches
from bot.decide.retrieval.path_patterns import fits
from bot.decide.task_errors import find_error
from bot.models.hook import FileChange, MergeRequestOpening, MessageMatch, ServiceFailure, TaskFailure
from bot.models.hook_record import MAX_EVENT_CHARS, HookCause
from bot.models.interaction import message_interaction_id
from bot.models.task_status import find_task_status
from bot.models.workspace import BRANCH_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.hook import Hook
    from bot.models.message import Message
    from bot.models.opened_merge_request import OpenedMergeRequest
    from bot.models.service_state import ServiceState
    from bot.models.thread import Thread

_MOST_FILES = 50
"""Number of changed files that an event names."""


def find_message_cause(hook: Hook, message: Message) -> HookCause | None:
    """Return the cause that a message is for a hook, if it is one."""
    trigger = hook.trigger
    if not isinstance(trigger, MessageMatch) or trigger.channel != message.chat_id:
        return None
    does_match = matches if trigger.is_regex else contains_words
    if not does_match(trigger.pattern, message.content):
        return None
    text = f"Message of {message.sender.id} in #{message.chat_name}:\n{message.content}"
    event_id = message_interaction_id(message)
    return HookCause(kind="message", at=message.create_time, text=text[:MAX_EVENT_CHARS], event_id=event_id)


def find_task_cause(hook: Hook, thread: Thread) -> HookCause | None:
    """Return the cause that the document of a created task is for a hook: its run ended without a draft.

    A task that a person stopped or dismissed has not failed, and one that a hook created counts for none.
    """
    if not isinstance(hook.trigger, TaskFailure) or not thread.is_about_order or not thread.is_open:
        return None
    if thread.order is None or thread.order.is_by_hook or find_task_status(thread) != "FAILED":
        return None
    error = find_error(thread)
    text = f"The task {thread.task} ({thread.order.title}) failed: {error.reason if error else 'without a reason'}"
    return HookCause(kind="task", at=thread.status_history[-1].at, text=text[:MAX_EVENT_CHARS])


def find_service_cause(hook: Hook, state: ServiceState) -> HookCause | None:
    """Return the cause that the state of a service is for a hook: it is not healthy since a time."""
    since = failing_since(state)
    if not isinstance(hook.trigger, ServiceFailure) or since is None:
        return None
    if hook.trigger.service not in ("", state.service):
        return None
    faults = "; ".join(f"{each.check_type}: {each.error}" for each in state.results if each.status != "healthy")
    text = f"The service {state.service} is {state.status}: {faults}"
    return HookCause(kind="service", at=since, text=text[:MAX_EVENT_CHARS])


def find_merge_request_cause(hook: Hook, opened: OpenedMergeRequest) -> HookCause | None:
    """Return the cause that an opened merge request is for a hook; one of a branch of Triage is none."""
    trigger = hook.trigger
    if not isinstance(trigger, MergeRequestOpening) or opened.branch.startswith(BRANCH_PREFIX):
        return None
    if trigger.project and trigger.project.lower() != opened.project.lower():
        return None
    text = (
        f"Pull request {opened.number} of {opened.project}, opened by {opened.author}, {opened.branch} into "
        f"{opened.target}{' (draft)' if opened.is_draft else ''}:\n{opened.title}\n{opened.url}"
    )
    event_id = opened.interaction_id
    return HookCause(kind="merge_request", at=opened.opened_at, text=text[:MAX_EVENT_CHARS], event_id=event_id)


def find_file_cause(hook: Hook, paths: Sequence[str], at: datetime) -> HookCause | None:
    """Return the cause that changed files are for a hook, found at this time."""
    trigger = hook.trigger
    changed = [path for path in paths if isinstance(trigger, FileChange) and fits(trigger.pattern, path)]
    if not changed:
        return None
    rest = len(changed) - _MOST_FILES
    lines = ["Changed files:", *changed[:_MOST_FILES], *([f"and {rest} more"] if rest > 0 else [])]
    return HookCause(kind="file", at=at, text="\n".join(lines)[:MAX_EVENT_CHARS])
