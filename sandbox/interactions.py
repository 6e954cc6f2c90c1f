"""Interactions: people's actions on the app's messages and dialogs, sent to the app, whose answer is applied.

`Delivery` hides the transport, Socket Mode or HTTP.
"""

from dataclasses import replace

from sandbox import inputs, payloads
from sandbox.blockkit import checked_view
from sandbox.buttons import ElementQuery, MessageButton, find
from sandbox.delivery import Delivery, Unacknowledged
from sandbox.dialogs import Dialogs
from sandbox.homes import Homes
from sandbox.legacy_dialogs import LegacyDialog, LegacyDialogs, errors_of, submission
from sandbox.manifest import Manifest
from sandbox.models import Json, Refused
from sandbox.response_urls import ResponseUrls
from sandbox.suggestions import Suggestions
from sandbox.workspace import Workspace

NOT_ANSWERED: Json = {"ok": False, "error": "operation_timeout"}


class Interactions:
    """Handler of presses, submitted and closed dialogs, shortcuts and slash commands."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        dialogs: Dialogs,
        homes: Homes,
        manifest: Manifest | None,
        delivery: Delivery,
        response_urls: ResponseUrls,
        suggestions: Suggestions,
        legacy: LegacyDialogs,
    ) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._homes = homes
        self._manifest = manifest
        self._delivery = delivery
        self._response_urls = response_urls
        self._suggestions = suggestions
        self._legacy = legacy

    async def press(self, user: str, wish: ElementQuery) -> Json:
        """Press the newest matching button that this person sees; return whether the app acknowledged."""
        button = find(wish, user=user, workspace=self._workspace, dialogs=self._dialogs, homes=self._homes)
        place = button.message.ts if isinstance(button, MessageButton) else button.view["id"]
        where = button.message.channel if isinstance(button, MessageButton) else ""
        button = replace(button, element=self._suggestions.filled(user, place, button.element))
        action = payloads.action(button, wish.value, self._workspace.next_ts())
        payload = self._common_keys("block_actions", user) | {
            "trigger_id": self._dialogs.trigger(user, where),
            "actions": [action],
        }
        if isinstance(button, MessageButton):
            message = button.message
            url = self._response_urls.grant(user, message.channel, message, ephemeral=button.is_ephemeral)
            payload |= payloads.in_message(button, self._workspace.conversations[message.channel], action, url)
        else:
            payload |= payloads.in_view(button, action)
        try:
            await self._delivery.ask("interactive", payload)
        except Unacknowledged:
            return {"ok": True, "acked": False}
        return {"ok": True, "acked": True}

    async def submit(self, user: str, view_id: str, submitted: Json) -> Json:
        """Submit a dialog, which closes unless Slack or the app returns errors."""
        view = self._dialogs.view(user, view_id)
        menus = {block_id: self._suggestions.filled(user, view_id, menu) for block_id, menu in inputs.elements(view)}
        values, errors = inputs.state_of(view, submitted, menus)
        if errors:
            return _invalid(errors)
        if dialog := self._legacy.find(view_id):
            return await self._submit_legacy(user, view, dialog, values)
        payload = self._common_keys("view_submission", user) | {
            "trigger_id": self._dialogs.trigger(user),
            "view": {**view, "state": {"values": values}},
            "response_urls": [],
        }
        try:
            answer = await self._delivery.ask("interactive", payload)
            return self._carry_out(answer, user, view)
        except Unacknowledged:
            return NOT_ANSWERED
        except Refused as refused:
            # The person only sees that something went wrong; the details are for the app's developer.
            return {"ok": False, "error": "invalid_response", "messages": [refused.error, *refused.messages]}

    async def _submit_legacy(self, user: str, view: Json, dialog: LegacyDialog, values: Json) -> Json:
        payload = self._about_legacy("dialog_submission", user, dialog) | {"submission": submission(values)}
        try:
            answer = await self._delivery.ask("interactive", payload)
        except Unacknowledged:
            return NOT_ANSWERED
        if errors := errors_of(answer):
            return _invalid(errors)
        self._dialogs.close(view["id"])
        return {"ok": True}

    async def close(self, user: str, view_id: str, *, clear: bool = False) -> Json:
        """Close a dialog, with `clear` all below it too; the app is told if it has asked for that."""
        view = self._dialogs.view(user, view_id)
        closed = self._dialogs.close(view_id, clear=clear or view["clear_on_close"])
        try:
            for each in closed:
                dialog = self._legacy.find(each["id"])
                if dialog and dialog.notify_on_cancel:
                    await self._delivery.ask("interactive", self._about_legacy("dialog_cancellation", user, dialog))
                elif each["notify_on_close"]:
                    payload = self._common_keys("view_closed", user) | {"view": each, "is_cleared": len(closed) > 1}
                    await self._delivery.ask("interactive", payload)
        except Unacknowledged:
            return NOT_ANSWERED
        return {"ok": True}

    async def command(self, user: str, channel: str, command: str, text: str) -> Json:
        """Send a slash command; the app's direct answer is shown and returned."""
        conversation = self._workspace.conversation(channel, member=user)
        offered = {each.command: each for each in self._manifest.commands} if self._manifest else None
        # Slack offers an app's commands and shortcuts to no other company, though it shares the channel.
        if self._workspace.roster.is_external(user) or (offered is not None and command not in offered):
            raise Refused("command_not_found")
        if offered and offered[command].escapes:
            text = self._workspace.typed(text)
        person, team = self._workspace.person(user), self._workspace.roster.team_of(user)
        payload = payloads.command(person, team, conversation, command, text) | {
            "response_url": self._response_urls.grant(user, conversation.id),
            "trigger_id": self._dialogs.trigger(user, conversation.id),
        }
        try:
            answer = await self._delivery.ask("slash_commands", payload)
        except Unacknowledged:
            return NOT_ANSWERED
        if answer:
            self._response_urls.say(answer, user, conversation.id)
        return {"ok": True, "response": answer or None}

    async def shortcut(self, user: str, callback_id: str, channel: str | None, ts: str | None) -> Json:
        """Use a shortcut: on a message if `ts` is given, else a global one."""
        kind = "global" if ts is None else "message"
        offered = self._manifest.shortcuts if self._manifest else None
        is_offered = offered is None or (callback_id, kind) in [(each.callback_id, each.kind) for each in offered]
        if not is_offered or self._workspace.roster.is_external(user):
            raise Refused("shortcut_not_found")
        payload = self._common_keys("shortcut" if ts is None else "message_action", user) | {
            "callback_id": callback_id,
            "trigger_id": self._dialogs.trigger(user),
            "action_ts": self._workspace.next_ts(),
        }
        for key in ("api_app_id",) if ts is not None else ("api_app_id", "enterprise"):
            payload.pop(key)
        payload["user"].pop("name" if ts is None else "username")
        if ts is not None:
            conversation = self._workspace.conversation(channel or "", member=user)
            message = conversation.message(ts)
            payload |= payloads.shortcut(callback_id, message, conversation)
            payload["response_url"] = self._response_urls.grant(user, conversation.id)
        try:
            await self._delivery.ask("interactive", payload)
        except Unacknowledged:
            return {"ok": True, "acked": False}
        return {"ok": True, "acked": True}

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

    def _about_legacy(self, kind: str, user: str, dialog: LegacyDialog) -> Json:
        about = self._common_keys(kind, user)
        room = self._workspace.conversations.get(dialog.channel)
        return about | {
            "user": {key: value for key, value in about["user"].items() if key != "username"},
            "callback_id": dialog.callback_id,
            "state": dialog.state,
            "channel": payloads.channel(room) if room else None,
            "action_ts": self._workspace.next_ts(),
            "response_url": self._response_urls.grant(user, room.id) if room else "",
        }

    def _common_keys(self, kind: str, user: str) -> Json:
        return payloads.common_keys(kind, self._workspace.person(user), self._workspace.roster.team_of(user))


def _invalid(errors: dict[str, str]) -> Json:
    return {"ok": False, "error": "validation_errors", "errors": errors}
