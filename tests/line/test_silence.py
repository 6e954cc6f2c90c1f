"""Silent ends on the line: an agent that never responds is noticed once, and one that was heard alarms nobody."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.line.agents import agents
from tests.line.human import PATIENCE, View, cards
from tests.line.test_commands import ada
from tests.model_server import calls, empty, says

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

ALARM = "got no answer to"


def heard(body: Body) -> str:
    """What the agent has read so far."""
    return json.dumps(body["messages"])


def alarms(view: View) -> list[View]:
    """The alarms that a person sees."""
    return [message for message in cards(view) if ALARM in message["text"]]


async def test_silence_is_nudged_then_alarmed_once_and_chaos_around_respond_is_none(line: Line) -> None:
    """The asker is told, the operator gets who, where, what was tried and what went unread; the brief counts it."""

    def play(body: Body) -> Answer:
        said = heard(body)
        if "pause everything" in said:
            chaos: tuple[tuple[str, dict[str, Any]], ...] = (
                ("nobody", {}),
                ("respond", {"text": "### Done"}),
                ("get_status", {"x": 1}),
            )
            return says("I tidied up after that.") if "tool_result" in said else calls(*chaos)
        return empty()

    async with agents(line, play, more="admins: [U0ADMIN]"):  # type: ignore[arg-type]  # it is asked as a play is
        await ada(line).whispered(
            ada(line).say("<@U0TRIAGE> pause project shop until Monday"), "ended without an answer"
        )
        alarm = (await line.olu.sees(alarms))[0]
        assert alarm["text"].startswith(f":warning: <@U0ADMIN> {ALARM} <")
        assert "in <#C0HELP>: the model ended twice without an answer.\nCommands until then: none." in alarm["text"]
        reply = await ada(line).whispered(ada(line).say("<@U0TRIAGE> pause everything until Monday"), "*Done*")
        assert '{"type": "text", "text": "Done", "style": {"bold": true}}' in json.dumps(reply["blocks"])
        assert "1 turn of the chat agent ended in silence" in await line.olu.command("brief")
    assert len(alarms(await line.olu.now())) == 1


async def test_a_post_by_another_path_suppresses_the_alarm(line: Line) -> None:
    """The agent says nothing twice, but the thread shows that the bot has spoken meanwhile."""
    asked, posted = asyncio.Semaphore(0), asyncio.Event()

    async def wait(_: web.Request) -> web.StreamResponse:
        asked.release()
        await posted.wait()
        return web.json_response({"usage": {"input_tokens": 1, "output_tokens": 1}} | empty())

    async with agents(line, lambda _: wait, more="admins: [U0ADMIN]") as bot:  # type: ignore[arg-type]  # as above
        ts = await ada(line).say("<@U0TRIAGE> pause project shop until Monday")
        await asyncio.wait_for(asked.acquire(), PATIENCE)
        blocks: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}]
        other = {"event_type": "other", "event_payload": {}}
        await bot.delivery.chat.post(channel="C0HELP", thread_ts=ts, text="hello", blocks=blocks, metadata=other)
        posted.set()
        await asyncio.wait_for(asked.acquire(), PATIENCE)
        second = await ada(line).say("<@U0TRIAGE> pause project shop until Monday")
        await line.olu.sees(alarms)
    (alarm,) = alarms(await line.olu.now())
    assert f"p{second.replace('.', '')}" in alarm["text"]
