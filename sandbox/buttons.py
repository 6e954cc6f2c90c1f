"""Buttons that a person sees, newest first, in messages, dialogs and the Home."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sandbox import inputs
from sandbox.dialogs import Dialogs
from sandbox.homes import Homes
from sandbox.models import Json, Message, Refused, micros
from sandbox.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ElementQuery:
    """Query for an element to press; None matches any."""

    action_id: str
    value: Any = None
    channel: str | None = None
    message_ts: str | None = None
    view_id: str | None = None


@dataclass(frozen=True, slots=True)
class MessageButton:
    """Element in a message."""

    element: Json
    block_id: str
    message: Message
    is_ephemeral: bool


@dataclass(frozen=True, slots=True)
class ViewButton:
    """Element in an open view."""

    element: Json
    block_id: str
    view: Json


Button = MessageButton | ViewButton


def find(wish: ElementQuery, *, user: str, workspace: Workspace, dialogs: Dialogs, homes: Homes) -> Button:
    """Return the newest matching element that this person sees."""
    buttons: Iterator[Button] = chain(
        _on_views(wish, dialogs.views_of(user)),
        _on_messages(wish, user, workspace),
        _on_views(wish, [home] if (home := homes.view_of(user)) else []),
    )
    for button in buttons:
        if button.element.get("action_id") == wish.action_id and _accepts_value(button.element, wish.value):
            return button
    raise Refused("button_not_found")


def _on_views(wish: ElementQuery, views: list[Json]) -> Iterator[ViewButton]:
    if wish.channel is not None or wish.message_ts is not None:
        return
    for view in reversed(views):
        if wish.view_id in (None, view["id"]):
            for element, block_id in _elements(view["blocks"]):
                yield ViewButton(element, block_id, view)


def _on_messages(wish: ElementQuery, user: str, workspace: Workspace) -> Iterator[MessageButton]:
    if wish.view_id is not None:
        return
    ephemerals = workspace.ephemerals.on_any_screen(user)
    messages = [message for each in workspace.seen_by(user) for message in each.messages.values()]
    for message in sorted((*messages, *ephemerals.values()), key=lambda each: micros(each.ts), reverse=True):
        if wish.channel in (None, message.channel) and wish.message_ts in (None, message.ts):
            attached = [block for each in message.attachments or () for block in each.get("blocks", ())]
            for element, block_id in _elements([*message.blocks, *attached]):
                yield MessageButton(element, block_id, message, message.ts in ephemerals)


def _elements(blocks: list[Json]) -> Iterator[tuple[Json, str]]:
    for block in blocks:
        inside = block.get("elements", []) if block["type"] in ("actions", "context_actions") else []
        single = [block[key] for key in ("accessory", "element") if key in block]
        for element in (*inside, *single):
            yield element, block["block_id"]


def _accepts_value(element: Json, value: Any) -> bool:
    if value is None:
        return True
    if element["type"] in ("button", "icon_button"):
        return bool(element.get("value") == value)
    return inputs.accepts(element, value)
