"""Payloads of interactions: presses, submitted and closed views, shortcuts and slash commands."""

from typing import Any

from sandbox import inputs, seed, shapes
from sandbox.buttons import Button, MessageButton, ViewButton
from sandbox.conversation import Conversation
from sandbox.models import Json, Message, Person, Refused, Team

_OF_AN_ACTION = ("action_id", "type", "text", "style", "url", "placeholder", "confirm", "initial_option")
_OF_A_CLOSED_VIEW = ("title", "submit", "close", "blocks")


def common_keys(kind: str, person: Person, team: Team) -> Json:
    """Return the keys common to all interactive payloads; the team is that of the acting person."""
    name = person.name.lower()
    named: Json = {"id": team.id, "domain": team.domain}
    enterprise: Json | None = None
    if team.enterprise_id:
        named |= {"enterprise_id": team.enterprise_id, "enterprise_name": team.enterprise_name}
        enterprise = {"id": team.enterprise_id, "name": team.enterprise_name}
    return {
        "type": kind,
        "team": named,
        "user": {"id": person.id, "username": name, "name": name, "team_id": team.id},
        "api_app_id": seed.APP_ID,
        "token": seed.VERIFICATION_TOKEN,
        "enterprise": enterprise,
        "is_enterprise_install": False,
    }


def action(button: Button, value: Any, ts: str) -> Json:
    """Return one entry of `actions`: the element and the chosen value."""
    element = button.element
    entry: Json = {key: element[key] for key in _OF_AN_ACTION if key in element}
    entry |= {"block_id": button.block_id, "action_ts": ts}
    match element["type"]:
        case "button" | "icon_button":
            return entry | ({"value": element["value"]} if "value" in element else {})
        case "feedback_buttons":
            half = inputs.feedback(element, value)
            return entry | {"text": half["text"], "value": half["value"]}
        case _ if value is None:
            raise Refused("missing_value")
        case _:
            return entry | inputs.carry_value(element, value)


def state(button: Button, chosen: Json) -> Json:
    """Return the `state.values` at a press: every element's value, and the new one."""
    blocks = button.message.blocks if isinstance(button, MessageButton) else button.view["blocks"]
    values = inputs.state_now(blocks)
    block_values = values.get(button.block_id, {})
    if button.element["action_id"] in block_values:
        chosen_value = {key: chosen[key] for key in chosen if key in block_values[button.element["action_id"]]}
        block_values[button.element["action_id"]] = {**chosen_value, "type": button.element["type"]}
    return {"values": values}


def in_view(button: ViewButton, chosen: Json) -> Json:
    """Return the keys for a press in a dialog or on the Home."""
    container = {"type": "view", "view_id": button.view["id"]}
    return {"container": container, "view": {**button.view, "state": state(button, chosen)}}


def in_message(button: MessageButton, conversation: Conversation, chosen: Json, response_url: str) -> Json:
    """Return the keys for a press in a message, with its response_url."""
    return place_of(button, conversation) | {"state": state(button, chosen), "response_url": response_url}


def place_of(button: MessageButton, conversation: Conversation) -> Json:
    """Return the place of an element in a message; an ephemeral message itself is left out."""
    message = button.message
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": message.channel,
        "is_ephemeral": button.is_ephemeral,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    place: Json = {"container": container, "channel": channel(conversation)}
    return place if button.is_ephemeral else place | {"message": shapes.message(message, conversation, metadata=True)}


def shortcut(callback_id: str, message: Message, conversation: Conversation) -> Json:
    """Return the keys of a message shortcut, without the common ones."""
    return {
        "callback_id": callback_id,
        "message_ts": message.ts,
        "message": shapes.message(message, conversation),
        "channel": channel(conversation),
    }


def command(person: Person, team: Team, conversation: Conversation, name: str, text: str) -> Json:
    """Return the payload of a slash command; all values are text, as in Slack's form."""
    enterprise = {"enterprise_id": team.enterprise_id, "enterprise_name": team.enterprise_name}
    return {
        "token": seed.VERIFICATION_TOKEN,
        "team_id": team.id,
        "team_domain": team.domain,
        **(enterprise if team.enterprise_id else {}),
        "channel_id": conversation.id,
        "channel_name": channel(conversation)["name"],
        "user_id": person.id,
        "user_name": person.name.lower(),
        "command": name,
        "text": text,
        "api_app_id": seed.APP_ID,
        "is_enterprise_install": "false",
    }


def channel(conversation: Conversation) -> Json:
    if conversation.is_im:
        return {"id": conversation.id, "name": "directmessage"}
    return {"id": conversation.id, "name": "privategroup" if conversation.is_private else conversation.name}
