"""Commands through real sockets: given as a person gives them, answered so that only they see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.line.human import replies
from tests.line.test_straight_line import QUESTION, calls, records

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import Human

ADMINS = "admins: [U0ADMIN]"


def ada(line: Line) -> Human:
    """Who commands."""
    return type(line.olu)(line.workspace.url, "U0ADMIN")


def link(line: Line, ts: str, root: str | None = None) -> str:
    """The address of a message, as Slack copies it."""
    where = f"{line.workspace.url}/archives/C0HELP/p{ts.replace('.', '')}"
    return f"{where}?thread_ts={root}&cid=C0HELP" if root else where


async def test_why_says_in_a_sentence_why_a_message_was_classified_as_it_was(line: Line) -> None:
    """The class, how sure, the reasons, and what came of it; for an operator, as the answer of the command."""
    async with line.bot(more=ADMINS):
        asked = await line.ana.say(QUESTION)
        thanked = await line.ana.say("thanks!")
        await line.olu.card("Approve")
        said = await line.olu.command(f"why {link(line, asked)}")
        assert said.startswith("Actionable at ")
        assert "since it" in said
        assert said.endswith("Its thread is pending-user.")
        assert (await line.olu.command(f"why <{link(line, thanked)}>")).startswith("Ack at ")
    (command, _) = [record for record in records(line.home / "events.ndjson") if record["kind"] == "command"]
    assert (command["user_id"], command["text"]) == ("U0OPS", f"why {link(line, asked)}")
    assert not {"token", "response_url", "trigger_id"} & command["raw"].keys()
    lines = [record for record in records(line.home / "audit.ndjson") if record["kind"] == "command"]
    assert [(x["action"], x["user_id"], x["tier"], x["outcome"]) for x in lines] == [
        ("why", "U0OPS", "read", "done")
    ] * 2


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("https://other.slack.com/archives/C0HELP/p1700000000000100", "another workspace"),
        ("{url}/archives/C0OTHER/p1700000000000100", "is not watched"),
        ("{url}/archives/C0HELP/p1700000000000100", "never classified"),
    ],
)
async def test_why_knows_what_it_does_not_know(line: Line, where: str, words: str) -> None:
    """Another workspace's link, a channel that nobody watches, a message from before."""
    async with line.bot():
        assert words in await line.olu.command(f"why {where.format(url=line.workspace.url)}")


async def test_a_command_in_a_thread_is_answered_there_and_is_no_question(line: Line) -> None:
    """Slack offers no slash commands in threads; the answer is seen by nobody else, and no card comes of it."""
    async with line.bot():
        root = await line.ana.say("deployed v3 to staging")
        await line.olu.say(f"!triage why {link(line, root)}", thread_ts=root)
        whisper = await line.olu.whispered("Ambient at")
        assert whisper["user"] == "U0TRIAGE"
        await line.ana.say("!triage why is this so?", thread_ts=root)
        await line.ana.whispered("Only operators")
        said = [reply["text"] for reply in replies(await line.ana.now(), root)]
        assert not any("Ambient at" in text for text in said)
    assert [r["content"] for r in records(line.home / "events-classified.ndjson")] == ["deployed v3 to staging"]
    assert not await calls(line, "chat.postMessage")
