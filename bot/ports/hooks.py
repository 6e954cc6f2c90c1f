"""Ports of hooks: the events that begin them, their actions, and the pages that they read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from bot.models.hook import Hook
    from bot.models.hook_record import ActionEnd, HookRun
    from bot.models.interaction import Asker
    from bot.models.message import Message
    from bot.models.opened_merge_request import OpenedMergeRequest
    from bot.models.service_state import ServiceState
    from bot.models.thread import Thread


class MessageObserver(Protocol):
    """Observer of new messages in watched channels (`bot.hooks.events.HookEvents`)."""

    def note_message(self, message: Message) -> None:
        """Note a message; the same one may come again after a crash."""


class TaskObserver(Protocol):
    """Observer of the documents of created tasks (`bot.hooks.events.HookEvents`)."""

    def note_task(self, thread: Thread) -> None:
        """Note a saved document; the open ones come again at each start."""


class ServiceObserver(Protocol):
    """Observer of services that turn unhealthy (`bot.hooks.events.HookEvents`)."""

    def note_service(self, state: ServiceState) -> None:
        """Note the state of a service that is not healthy; it comes again at each start."""


class MergeRequestObserver(Protocol):
    """Observer of merge requests that forges report (`bot.hooks.events.HookEvents`)."""

    def note_merge_request(self, opened: OpenedMergeRequest) -> None:
        """Note a merge request; the same one may come again after a crash."""


class HookActions(Protocol):
    """Actions of hooks, by commands with the rights of their owner (`bot.commands.hook_actions.HookActionRunner`)."""

    async def create_task(self, hook: Hook, run: HookRun, description: str) -> ActionEnd:
        """Create the task of a run, once however often it is called for one run."""

    async def execute(self, hook: Hook, run: HookRun) -> ActionEnd:
        """Execute the command of a hook."""

    def may_repeat(self, command: str) -> bool:
        """Return whether a command that a crash may have interrupted can be executed again."""

    def find_fault(self, command: str) -> str:
        """Return the reason why no hook can give a command, as a clause; empty if one can."""

    async def find_refusal(self, command: str, asker: Asker) -> str:
        """Return the reason why a person may not give a command; empty if they may."""


class Roles(Protocol):
    """Roles of people by the settings (`bot.commands.permission.Permission`)."""

    def has_role(self, user: str, role: Literal["operator", "admin"]) -> bool:
        """Return whether a person has a role."""


class WebPages(Protocol):
    """Pages of addresses that the settings declare (`bot.adapters.web_pages.HttpPages`)."""

    async def fetch(self, url: str) -> str:
        """Return the text of a page. Raises `ToolError` with the reason."""
