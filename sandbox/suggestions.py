"""Suggestions: options of `external_select`, requested from the app while a person types."""

from typing import Any

from sandbox import payloads
from sandbox.buttons import Button, ElementQuery, MessageButton, find
from sandbox.checks import find_kind_faults
from sandbox.delivery import Delivery, Unacknowledged
from sandbox.dialogs import Dialogs
from sandbox.homes import Homes
from sandbox.legacy_dialogs import LegacyDialog, LegacyDialogs, options_of
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace

EXTERNAL = ("external_select", "multi_external_select")


class Suggestions:
    """Options that the app offered, by person, place and action_id."""

    def __init__(
        self, *, workspace: Workspace, dialogs: Dialogs, homes: Homes, delivery: Delivery, legacy: LegacyDialogs
    ) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._homes = homes
        self._delivery = delivery
        self._legacy = legacy
        self._offered: dict[tuple[str, str, str], dict[str, Json]] = {}

    async def ask(self, user: str, wish: ElementQuery, typed: str) -> Json:
        """Request the options for the typed text; the app has three seconds to answer."""
        button = find(wish, user=user, workspace=self._workspace, dialogs=self._dialogs, homes=self._homes)
        if button.element["type"] not in EXTERNAL:
            raise Refused("not_an_external_select")
        payload = self._payload(user, button, typed)
        try:
            answer = await self._delivery.ask("interactive", payload)
        except Unacknowledged:
            return {"ok": True, "acked": False, "options": []}
        offer: Json = {key: answer[key] for key in ("options", "option_groups") if key in answer}
        if self._dialog(button):
            offer = options_of(answer)
        _check(offer)
        options = [
            *offer.get("options", ()),
            *(each for group in offer.get("option_groups", ()) for each in group["options"]),
        ]
        offered = self._offered.setdefault((user, _menu_place(button), button.element["action_id"]), {})
        offered.update({option["value"]: option for option in options})
        return {"ok": True, "acked": True, "options": [], **offer}

    def filled(self, user: str, place: str, element: Json) -> Json:
        """Return a menu with the options offered to this person; other elements unchanged."""
        if element.get("type") not in EXTERNAL:
            return element
        options = self._offered.get((user, place, element["action_id"]), {})
        return {**element, "options": list(options.values())}

    def _dialog(self, button: Button) -> LegacyDialog | None:
        return None if isinstance(button, MessageButton) else self._legacy.find(str(button.view["id"]))

    def _payload(self, user: str, button: Button, typed: str) -> Json:
        person, team = self._workspace.person(user), self._workspace.roster.team_of(user)
        if dialog := self._dialog(button):
            room = self._workspace.conversations.get(dialog.channel)
            return payloads.common_keys("dialog_suggestion", person, team) | {
                "callback_id": dialog.callback_id,
                "name": button.element["action_id"],
                "value": typed,
                "channel": payloads.channel(room) if room else None,
                "action_ts": self._workspace.next_ts(),
            }
        payload = payloads.common_keys("block_suggestion", person, team) | {
            "action_id": button.element["action_id"],
            "block_id": button.block_id,
            "value": typed,
        }
        if isinstance(button, MessageButton):
            return payload | payloads.place_of(button, self._workspace.conversations[button.message.channel])
        return payload | {"container": {"type": "view", "view_id": button.view["id"]}, "view": button.view}


def _menu_place(button: Button) -> str:
    return button.message.ts if isinstance(button, MessageButton) else str(button.view["id"])


def _check(offer: Json) -> None:
    """Check the offered options against the limits of a menu; an empty offer is valid."""
    menu: dict[str, Any] = {"type": "static_select", "action_id": "menu", **offer}
    if offer in ({"options": []}, {"option_groups": []}):
        return
    if complaints := list(find_kind_faults(menu, ("static_select",), "")):
        raise Refused("invalid_options", *complaints)
