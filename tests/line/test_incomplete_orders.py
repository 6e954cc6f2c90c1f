"""The line of an order that lacks its channel: only the next message may name it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.line.human import until
from tests.line.test_straight_line import records

if TYPE_CHECKING:
    from tests.line.conftest import Line

ORDER = "set the mode of this channel to silent"
DIRECT = "D0ADMIN"
MORE = "admins: [U0ADMIN]\nfloods: {per_user: {per_minute: 600, burst: 10000}}"


async def test_an_order_that_was_taken_back_is_not_executed(line: Line) -> None:
    """A later name of a channel completes nothing, and gets no emoji."""

    def is_met(ts: str) -> bool:
        path = line.home / "audit.ndjson"
        met = records(path) if path.exists() else []
        return any(record.get("interaction_id") == f"{DIRECT}-{ts}" for record in met)

    def has_come(ts: str) -> bool:
        return ts in (line.home / "events.ndjson").read_text()

    async def say(text: str) -> str:
        ts = await line.ada.say(text, channel=DIRECT)
        await until(lambda: is_met(ts))
        return ts

    async with line.bot(more=MORE) as bot:
        live = bot.core.controls.modes.get("C0HELP")
        for text in ("never mind", "where is TTL_MINUTES of shop set?"):
            await say(ORDER)
            between = await line.ada.say(text, channel=DIRECT)
            await until(partial(has_come, between))  # Slack may deliver two messages of one moment in any order
            await say("#help-platform")
        ordered = await say(ORDER)
        await line.ada.calls("edit", channel=DIRECT, ts=ordered, text="set the mode of this channel to live")
        await say("help-platform")
        ordered = await say(ORDER)
        await line.ada.calls("delete", channel=DIRECT, ts=ordered)
        last = await say("#help-platform")
        assert bot.core.controls.modes.get("C0HELP") == live
        met = {record.get("interaction_id"): record for record in records(line.home / "audit.ndjson")}
        assert met[f"{DIRECT}-{last}"].get("action") != "thanks"
        await say(ORDER)
        await say("in help-platform please")
        assert bot.core.controls.modes.get("C0HELP") == "silent"
