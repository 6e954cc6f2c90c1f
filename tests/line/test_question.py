"""Mentions, channels, emoji, greetings and the bot's name around a question, on the whole line."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from bot.adapters.control_socket import ask
from bot.cli.command import format_text
from bot.errors import Refused
from tests.fakes import HeldEngine
from tests.line.human import View, shows
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line

DECORATED = f"Hi @Ada :wave: @Triage, {QUESTION} #general Thanks, Triage!"


def places(view: View) -> list[str]:
    """The references on a card."""
    shown = json.dumps(view["blocks"])
    return [place for place in ("orders.py:3", "orders.py:7") if place in shown]


async def test_what_stands_around_a_question_changes_nothing(line: Line) -> None:
    """The same places, the same name of the task; the second is known for the first, and people read names."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        first = await line.olu.card(QUESTION, '"approve"')
        await line.olu.press("approve", first)
        await line.ana.replies(asked)
        await line.ana.say(DECORATED)
        second = await line.olu.card("Hi @Ada", "@Triage", "#general", '"approve"')
        assert places(second) == places(first)
        assert shows(second, "Answered before")
    one, other = sorted(path.name for path in (line.home / "tasks").iterdir())
    assert one.split("-")[:2] == other.split("-")[:2] == ["often", "payment"]
    record = records(line.home / "replies.ndjson")[0]
    assert record["question"] == record["search_text"] == QUESTION


async def test_no_id_is_read_by_anybody_after_a_search_for_nothing(line: Line) -> None:
    """Card, queue, App Home, brief and terminal say names and one clock; ids are no words that were looked for."""
    async with line.bot(more="admins: [U0ADMIN]\ntimezone: Asia/Kolkata"):
        await line.ana.say("@Triage @Ada where stands the cake on Friday afternoon?")
        card = await line.olu.card("@Triage @Ada where stands the cake", "friday")
        assert not any("u0" in text for text in texts(card))  # random ids of blocks may have it
        assert not any("U0ADMIN" in text or "U0TRIAGE" in text for text in texts(card))
        home = await line.olu.home()
        said = [json.dumps(home), await line.olu.command("queue"), await line.olu.command("brief")]
        assert all("@Triage @Ada where stands" in text and "U0ADMIN" not in text for text in said)
        assert "<@U0TRIAGE> <@U0ADMIN> where stands" in await line.olu.command("get_recent_events")
        request = {"words": ["get_recent_events"], "user": "U0OPS", "typed": None}
        listed = format_text(await asyncio.to_thread(ask, line.home / "control.sock", request), None)
        assert "question of @Ana in #help-platform: @Triage @Ada where stands" in listed
        request = {"words": ["queue"], "user": "U0OPS", "typed": None}
        shown = format_text(await asyncio.to_thread(ask, line.home / "control.sock", request), None)
        assert "@Ada where stands the cake" in shown
        assert "U0" not in shown
        assert "Ana" in shown
        assert [text for text in (shown, listed, *said[1:]) if " UTC" in text or " IST" not in text] == []


async def test_a_group_and_a_place_behind_a_question_change_nothing(line: Line) -> None:
    """It is taken for a question all the same, and nobody reads the id of the group, in the notification neither."""
    async with line.bot():
        await line.ana.say(f"<!here> {QUESTION} (see #general) thx /cc <!subteam^S0ONCALL>")
        card = await line.olu.card(QUESTION, "/cc @a-group", '"approve"')
        assert "orders.py:3" in places(card)
        assert "subteam" not in json.dumps(card)
        assert "@a-group" in card["text"]


async def test_a_direct_message_of_somebody_else_is_no_channel(line: Line) -> None:
    """The queue, its state and the list of tasks call it a direct message."""
    async with line.bot(more="admins: [U0ADMIN]"):
        await line.ana.say(QUESTION, channel="D0ANA")
        await line.olu.card(QUESTION, '"approve"')
        for command in ("queue", "list_tasks", "brief", "get_recent_events"):
            said = await line.olu.command(command)
            assert "a direct message" in said, command
            assert "<#D0ANA" not in said, command


async def test_a_run_without_a_draft_leaves_a_name(line: Line) -> None:
    """The engine breaks: the card and the queue say Ana all the same."""

    class Breaking(HeldEngine):
        async def investigate(self, assignment: Any) -> Any:
            raise Refused("no engine today", code="no_engine")

    async with line.bot(engine=Breaking()):
        await line.ana.say(f"@Ada {QUESTION}")
        card = await line.olu.card("no engine today")
        assert shows(card, f"@Ada {QUESTION}")
        queue = await line.olu.command("queue")
        assert "Ana" in queue
        assert "U0A" not in queue


def texts(view: Any) -> list[str]:
    """Every text of rich text, which shows no mention."""
    if isinstance(view, dict):
        own = [str(view["text"])] if view.get("type") == "text" else []
        return [*own, *(text for value in view.values() for text in texts(value))]
    return [text for value in view for text in texts(value)] if isinstance(view, list) else []
