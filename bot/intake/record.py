"""What goes into `events.ndjson`: one record for every event, press and dialog, written before its ack.

A record is the normalised message of spec 1, 3.1, plus `kind`, the id that duplicates share, and the raw payload
without the keys that would let a reader of the file act as Slack or answer in its place.
"""

from __future__ import annotations

from typing import Any, Literal

from bot.models.interaction import Dialog, Press, read_dialog, read_press
from bot.models.message import Deletion, Edit, Message, normalise

Kind = Literal["message", "edit", "deletion", "event", "press", "dialog"]
Noun = Message | Edit | Deletion | Press | Dialog

_SECRET_KEYS = frozenset({"token", "bot_access_token", "response_url", "response_urls", "trigger_id", "secret"})


def event_record(body: dict[str, Any], *, chat_names: dict[str, str], received_at: str) -> dict[str, Any]:
    """The record of a body that Slack sent; never fails, so that nothing goes unrecorded."""
    kind, noun = read(body, chat_names=chat_names)
    said = noun.message if isinstance(noun, Edit) else noun
    fields = said.model_dump(mode="json", exclude={"trigger_id"}) if said else {}
    return {
        "kind": kind,
        "event_id": event_id(body, noun),
        "received_at": received_at,
        **({"caught_up": True} if body.get("caught_up") else {}),
        **fields,
        "raw": _without_secrets(body),
    }


def read(body: dict[str, Any], *, chat_names: dict[str, str]) -> tuple[Kind, Noun | None]:
    """What kind of body this is, and the noun in it; `None` when it holds nothing that Triage acts on."""
    match body.get("type"):
        case "block_actions":
            return "press", read_press(body)
        case "view_submission":
            return "dialog", read_dialog(body)
        case _:
            said = normalise(body, chat_names=chat_names)
            kinds: dict[type, Kind] = {Message: "message", Edit: "edit", Deletion: "deletion"}
            return kinds.get(type(said), "event"), said


def event_id(body: dict[str, Any], noun: Noun | None) -> str | None:
    """The id that every delivery of the same thing shares."""
    if isinstance(noun, Press | Dialog):
        return noun.interaction_id
    found = body.get("event_id")
    return found if isinstance(found, str) else None


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_secrets(inner) for key, inner in value.items() if key not in _SECRET_KEYS}
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return value
