"""Presses that a careful operator would not make: twice, by two, by a stranger, too late, on an older draft."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.line.human import Human
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator, of_thread

SCENES = (
    "twice at once",
    "two operators at once",
    "approve and take over at once",
    "by no operator",
    "on a superseded draft",
    "after a restart",
    "after it was settled",
    "after it expired",
    "as it expires",
)

EXPIRY = 72 * 3_600 + 60
"""Seconds after which a card has expired, by the default of `approval.expire_hours`."""


async def pressed(nursery: Nursery, scene: str) -> Tally:
    """One question, presses of one kind, and exactly what a single right press would have done."""
    acked = Acked()
    async with lane(nursery) as made:
        made.start()
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        value = await _value(made, asked)
        wrong = await _play(made, scene, asked, value, acked)
        ended = any(t and t.outcome in ("taken-over", "expired") for t in made.threads())
        finished = ended or await Operator(made, asked, acked, edits=False).decide()
        finished = finished and await made.ended_in_peace()
        rounds = {asked: 0 if ended else 1}
        tally = await examine(made, acked, rounds={} if ended else rounds, name=f"press {scene}", finished=finished)
        if ended and made.records("replies.ndjson"):
            tally.double_replies += 1
            tally.notes.append(f"press {scene}: closed without a reply, and replied")
        if wrong:
            tally.double_replies += 1
            tally.notes.append(f"press {scene}: {wrong}")
        return tally


async def _play(made: Lane, scene: str, asked: str, value: str, acked: Acked) -> str:  # noqa: C901  # one scene a case
    """Press; the answer is what came of it that must not."""

    async def press(user: str, action: str, number: int, what: str = value) -> None:
        if await made.workspace.press_as(user, action, what, action_ts=f"{number}.000000"):
            acked.note(action, what)

    match scene:
        case "twice at once":
            await asyncio.gather(press("U0OPS", "approve", 1), press("U0OPS", "approve", 2))
        case "two operators at once":
            await asyncio.gather(press("U0OPS", "approve", 1), press("U0ADMIN", "approve", 2))
        case "approve and take over at once":
            await asyncio.gather(press("U0OPS", "approve", 1), press("U0ADMIN", "take_over", 2))
            await made.settled()
        case "by no operator":
            await press("U0ANA", "approve", 1)
            if any(t and t.status != "pending-user" for t in made.threads()):
                return "a stranger decided"
        case "on a superseded draft":
            olu = Human(made.workspace.url, "U0OPS")
            await Human(made.workspace.url, "U0ANA").say("it is about a refund", thread_ts=asked)
            await olu.card("Look again")
            await press("U0OPS", "approve", 1)
            if any(t and t.status != "pending-user" for t in made.threads()):
                return "an old draft was approved"
        case "after a restart":
            assert made.bot is not None
            dead = made.bot
            dead.kill()
            await dead.ended
            await made.up.wait()
            await press("U0OPS", "approve", 1)
        case "after it expired":
            await made.passes(EXPIRY)
            if not await made.sees(lambda thread: thread.outcome == "expired"):
                return "it did not expire"
            await press("U0OPS", "approve", 1)
        case "as it expires":
            await asyncio.gather(made.passes(EXPIRY), press("U0OPS", "approve", 1))
            await made.settled()
        case "after it was settled":
            await press("U0OPS", "approve", 1)
            await made.settled()
            await press("U0OPS", "approve", 2)
            await press("U0OPS", "take_over", 3)
    return ""


async def _value(made: Lane, asked: str) -> str:
    """What the Approve button of the question's card carries."""

    def found(view: dict[str, Any]) -> str | None:
        elements = [e for c in of_thread(view, asked) for b in c["blocks"] for e in b.get("elements", [])]
        return next((e["value"] for e in elements if e.get("action_id") == "approve"), None)

    value: str = await Human(made.workspace.url, "U0OPS").sees(found)
    return value
