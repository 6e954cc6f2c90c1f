"""What people do to the app's messages and dialogs, as the payloads Slack sends for it.

Called by the human side; asks the app over Socket Mode and carries out what its acknowledgement says.
"""

from typing import Any

from sandbox import inputs, seed, shapes
from sandbox.blockkit import checked_view
from sandbox.buttons import Button, MessageButton, ViewButton, Wish, find
from sandbox.dialogs import Dialogs
from sandbox.models import Json, Message, Refused
from sandbox.response_urls import ResponseUrls
from sandbox.sockets import SocketMode, Unacknowledged
from sandbox.workspace import Workspace

NOT_ANSWERED: Json = {"ok": False, "error": "operation_timeout"}


class Interactions:
    """Presses, submitted and closed dialogs, slash commands."""

    def __init__(
        self, *, workspace: Workspace, dialogs: Dialogs, sockets: SocketMode, response_urls: ResponseUrls
    ) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._sockets = sockets
        self._response_urls = response_urls

    async def press(self, user: str, wish: Wish) -> Json:
        """Press the newest fitting button this person sees; the answer says whether the app acknowledged."""
        button = find(wish, user=user, workspace=self._workspace, dialogs=self._dialogs)
        action = self._action(button, wish.value)
        payload = self._about("block_actions", user) | {
            "trigger_id": self._dialogs.trigger(user),
            "actions": [action],
            **self._place(button, user),
        }
        try:
            await self._sockets.ask("interactive", payload)
        except Unacknowledged:
            return {"ok": True, "acked": False}
        return {"ok": True, "acked": True}

    async def submit(self, user: str, view_id: str, given: Json) -> Json:
        """Submit a dialog; it closes unless Slack or the app finds errors, which are the answer."""
        view = self._dialogs.view(user, view_id)
        values, errors = inputs.state_of(view, given)
        if errors:
            return _invalid(errors)
        payload = self._about("view_submission", user) | {
            "trigger_id": self._dialogs.trigger(user),
            "view": {**view, "state": {"values": values}},
            "response_urls": [],
        }
        try:
            answer = await self._sockets.ask("interactive", payload)
        except Unacknowledged:
            return NOT_ANSWERED
        return self._carry_out(answer, user, view)

    async def close(self, user: str, view_id: str) -> Json:
        """Close a dialog without submitting it; the app hears of it when it asked to."""
        view = self._dialogs.view(user, view_id)
        self._dialogs.close(view_id)
        if not view["notify_on_close"]:
            return {"ok": True}
        try:
            await self._sockets.ask(
                "interactive", self._about("view_closed", user) | {"view": view, "is_cleared": False}
            )
        except Unacknowledged:
            return NOT_ANSWERED
        return {"ok": True}

    async def command(self, user: str, channel: str, command: str, text: str) -> Json:
        """Give a slash command; what the app answers at once is shown, and returned."""
        conversation = self._workspace.conversation(channel, member=user)
        person = self._workspace.person(user)
        payload = {
            "token": seed.VERIFICATION_TOKEN,
            "team_id": seed.TEAM_ID,
            "team_domain": seed.TEAM_DOMAIN,
            "channel_id": conversation.id,
            "channel_name": "directmessage" if conversation.is_im else conversation.name,
            "user_id": user,
            "user_name": person.name.lower(),
            "command": command,
            "text": text,
            "api_app_id": seed.APP_ID,
            "is_enterprise_install": "false",
            "response_url": self._response_urls.grant(user, conversation.id),
            "trigger_id": self._dialogs.trigger(user),
        }
        try:
            answer = await self._sockets.ask("slash_commands", payload)
        except Unacknowledged:
            return NOT_ANSWERED
        if answer:
            self._response_urls.say(answer, user, conversation.id)
        return {"ok": True, "response": answer or None}

    def _carry_out(self, answer: Json, user: str, view: Json) -> Json:
        match answer.get("response_action"):
            case "errors":
                return _invalid(answer.get("errors") or {})
            case "update":
                self._dialogs.update(view["id"], answer.get("view"))
            case "push":
                self._dialogs.show(user, checked_view(answer.get("view")), above=view)
            case "clear":
                self._dialogs.clear(user)
            case _:
                self._dialogs.close(view["id"])
        return {"ok": True}

    def _about(self, kind: str, user: str) -> Json:
        person = self._workspace.person(user)
        name = person.name.lower()
        return {
            "type": kind,
            "team": {"id": seed.TEAM_ID, "domain": seed.TEAM_DOMAIN},
            "user": {"id": user, "username": name, "name": name, "team_id": seed.TEAM_ID},
            "api_app_id": seed.APP_ID,
            "token": seed.VERIFICATION_TOKEN,
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _action(self, button: Button, value: Any) -> Json:
        element = button.element
        shown: Json = {key: element[key] for key in ("action_id", "type", "text", "style", "url") if key in element}
        action: Json = {**shown, "block_id": button.block_id, "action_ts": self._workspace.next_ts()}
        if element["type"] == "button":
            return action | ({"value": element["value"]} if "value" in element else {})
        if value is None:
            raise Refused("missing_value")
        return action | inputs.carried(element, value)

    def _place(self, button: Button, user: str) -> Json:
        match button:
            case ViewButton(view=view):
                return {"container": {"type": "view", "view_id": view["id"]}, "view": view}
            case MessageButton(message=message, is_ephemeral=is_ephemeral):
                return self._in_message(message, user, is_ephemeral=is_ephemeral)

    def _in_message(self, message: Message, user: str, *, is_ephemeral: bool) -> Json:
        conversation = self._workspace.conversations[message.channel]
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": message.channel,
            "is_ephemeral": is_ephemeral,
        }
        if message.thread_ts:
            container["thread_ts"] = message.thread_ts
        place: Json = {
            "container": container,
            "channel": {"id": message.channel, "name": "directmessage" if conversation.is_im else conversation.name},
            "state": {"values": {}},
            "response_url": self._response_urls.grant(user, message.channel, message, ephemeral=is_ephemeral),
        }
        if not is_ephemeral:
            place["message"] = shapes.message(message, conversation, metadata=True)
        return place


def _invalid(errors: dict[str, str]) -> Json:
    return {"ok": False, "error": "validation_errors", "errors": errors}
