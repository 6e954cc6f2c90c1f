"""The people of a run: one asks, the operator decides and goes on whatever happens to the bot.

An operator presses again only where Slack told them that nobody answered, or where a dialog did not open; a press that
was acknowledged is never repeated, so that a lost one shows.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import aiohttp

from tests.line.human import Human, View, cards, replies, shows
from tests.torture.lane import Lane
from tests.torture.patience import STILL

QUESTION = "how often is a payment tried again?"
EDITED = "Three times, see `orders.py:3`."
DIALOG_PATIENCE = 1.5
"""Seconds until an operator presses Edit again when no dialog has opened."""


@dataclass
class Acked:
    """What people did that Slack saw acknowledged, as the journals must know it."""

    presses: list[tuple[str, str]] = field(default_factory=list)
    """Action and thread. Which draft was pressed only Slack knows: a card may be redrawn under the finger."""

    def note(self, action: str, value: str) -> None:
        """A button or dialog with this value was acknowledged."""
        self.presses.append((action, value.partition("/")[0]))


@dataclass
class Operator:
    """Decides on one thread's cards, one after the other, until its reply stands."""

    lane: Lane
    root: str
    acked: Acked
    user: str = "U0OPS"
    edits: bool = True
    stays: bool = False
    """True to wait for further cards of the thread rather than leave with the first reply."""
    _pressed: set[tuple[str, str]] = field(default_factory=set)
    _edit_at: float = 0.0
    _decided: str = ""
    """What the button carried that decided."""

    @property
    def human(self) -> Human:
        """The operator at the workspace."""
        return Human(self.lane.workspace.url, self.user)

    async def decide(self, still: float = STILL) -> bool:
        """Go on until the card says that the reply is posted; says whether it did before nothing moved for so long."""
        patience = self.lane.patience(still)
        while patience.is_left():
            try:
                async with asyncio.timeout(DIALOG_PATIENCE):
                    act, *what = await self.human.sees(self._next)
            except (TimeoutError, AssertionError, aiohttp.ClientError):
                continue
            if act == "done":
                return True
            await self._do(act, *what)
        return False

    async def press_late(self) -> bool:
        """Press once more what was settled long ago, and be told so; says whether somebody answered in the end."""
        patience = self.lane.patience()
        for number in count(1):
            if await self.lane.workspace.press_as(self.user, "approve", self._decided, action_ts=f"{number}.000000"):
                self.acked.note("approve", self._decided)
                return True
            if not await self.lane.is_up() or not patience.is_left():
                break
        return False

    def _next(self, view: View) -> tuple[Any, ...] | None:
        """What there is to do now, if anything."""
        mine = of_thread(view, self.root)
        if not mine:
            return None
        card, buttons = mine[-1], _buttons(mine[-1])
        dialog = next((v for v in view["views"] if f"-{self.root}/" in v["private_metadata"]), None)
        is_edited = shows(card, "not validated again")
        if shows(card, "The reply is posted.") and not dialog:
            return None if self.stays else ("done",)
        if dialog:
            return ("close" if is_edited else "submit", dialog)
        if "was_posted" in buttons:
            stands = any(r["user"] == "U0TRIAGE" for r in replies(view, self.root))
            return self._press("was_posted" if stands else "post_again", card, buttons)
        is_offered = not {"approve", "post_anyway"}.isdisjoint(buttons)
        if (self.edits or not is_offered) and not is_edited and "edit" in buttons:
            return ("edit", card, buttons["edit"]) if time.monotonic() - self._edit_at > DIALOG_PATIENCE else None
        return self._press("post_anyway" if "post_anyway" in buttons else "approve", card, buttons)

    def _press(self, action: str, card: View, buttons: dict[str, str]) -> tuple[Any, ...] | None:
        if action in buttons and (action, buttons[action]) not in self._pressed:
            return (action, card, buttons[action])
        return None

    async def _do(self, act: str, what: View, value: str = "") -> None:
        match act:
            case "submit":
                said = await self.human.submit(what, text=EDITED)
                if said["ok"]:
                    self.acked.note("edit", what["private_metadata"])
                elif "errors" in said:
                    await self.human._call("close", view_id=what["id"])
            case "close":
                await self.human._call("close", view_id=what["id"])
            case _:
                self._decided = value
                said = await self.human.press(act, what)
                if said.get("acked"):
                    self.acked.note(act, value)
                    self._pressed.add((act, value))
                if act == "edit" and said.get("acked"):
                    self._edit_at = time.monotonic()


def of_thread(view: View, root: str) -> list[View]:
    """The cards of one thread, oldest first."""
    return [c for c in cards(view) if str(_payload(c).get("thread_id", "")).endswith(f"-{root}")]


def _payload(message: View) -> dict[str, Any]:
    found: dict[str, Any] = (message.get("metadata") or {}).get("event_payload", {})
    return found


def _buttons(card: View) -> dict[str, str]:
    return {
        e["action_id"]: e["value"]
        for b in card["blocks"]
        if b["type"] == "actions"
        for e in b["elements"]
        if "value" in e
    }
