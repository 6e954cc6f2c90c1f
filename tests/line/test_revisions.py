"""The line of an edit: it takes effect once, in the order of the messages, over restarts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bot.chat.canned_replies import NO_ORDER
from tests.line.human import until
from tests.line.test_straight_line import calls

if TYPE_CHECKING:
    from tests.line.conftest import Line

MORE = "admins: [U0ADMIN]"
ASKED = "<@U0TRIAGE> where is RETRY_LIMIT of shop orders set?"
MENDED = "<@U0TRIAGE> where is RETRY_LIMIT of the shop orders set?"


def thread(line: Line, ts: str) -> dict[str, Any]:
    """Read the document of the thread of a message; empty where there is none."""
    for path in (line.home / "state").glob(f"*{ts}.json"):
        document = json.loads(path.read_text())["thread"]
        return dict(document.get("1", document))
    return {}


def revised(line: Line) -> int:
    """Return the number of edits that were applied."""
    path = line.home / "events.ndjson"
    return path.read_text().count('"revised"') if path.exists() else 0


async def told(line: Line) -> list[str]:
    """Return the lines that only their reader sees, in order."""
    return [str(call["text"]) for call in await calls(line, "chat.postEphemeral")]


async def restart(line: Line) -> None:
    """Start the bot, and stop it once it has run a command."""
    async with line.bot(more=MORE):
        ts = await line.ada.say("!triage config")
        path = line.home / "audit.ndjson"
        await until(lambda: path.exists() and f"C0HELP-{ts}" in path.read_text())


async def test_the_edits_of_a_question_are_not_applied_again_at_a_start(line: Line) -> None:
    """The draft stays as it is while its card waits, and its asker reads no further line."""
    async with line.bot(more=MORE):
        ts = await line.ana.say(ASKED)
        await until(lambda: thread(line, ts).get("status") == "pending-user")
        await line.ana.calls("edit", channel="C0HELP", ts=ts, text=MENDED)
        await until(lambda: "Edited since" in str(thread(line, ts).get("stale")))
        await line.ana.calls("edit", channel="C0HELP", ts=ts, text=ASKED)
        await until(lambda: thread(line, ts)["messages"][0]["content"] == ASKED.replace("<@U0TRIAGE>", "@U0TRIAGE"))
        await until(lambda: revised(line) == 2)
    before, lines = thread(line, ts), await told(line)
    for _ in range(2):
        await restart(line)
        assert (thread(line, ts)["status"], thread(line, ts)["draft_pending"]) == (
            "pending-user",
            before["draft_pending"],
        )
        assert [text for text in await told(line) if text in lines] == lines
    assert NO_ORDER not in await told(line)


async def test_a_question_that_became_an_order_while_the_bot_was_down_has_no_card(line: Line) -> None:
    """Its edit is handled after it, however both are read, and the asker is told once."""
    async with line.bot(more=MORE):
        pass
    ts = await line.ada.say(ASKED)
    await line.ada.calls("edit", channel="C0HELP", ts=ts, text="<@U0TRIAGE> pause")
    async with line.bot(more=MORE):
        await until(lambda: revised(line) == 1)
    await restart(line)
    assert thread(line, ts).get("status") in (None, "closed")
    assert (await told(line)).count(NO_ORDER) <= 1
