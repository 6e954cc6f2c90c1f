"""Wording: the model reads names and times of the reader, and mentions only whom it was told of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from bot.commands.command import CommandAnswer
from bot.models.markup import spell_out_times, with_fallbacks
from tests.chat.talk import Door, Talk, asker, wording
from tests.chat.talks import BOT, Agent, Room, rest, said
from tests.chat.test_agent import results, talking
from tests.model_server import calls, says

AT = "<!date^1764000000^{date_short_pretty} {time}|2025-11-24 16:00 UTC>"


async def test_the_model_reads_names_and_the_readers_clock() -> None:
    """No id and none of Slack's own marks; a link is one of Markdown."""
    row = f"`a-1` <@U0ANA> in <#C0HELP>, {AT}: a &lt; b (<https://x.slack.com/p1|thread>)"
    door = Door(answers={"queue": CommandAnswer(line="1 task.", rows=(row,))})
    async with talking([calls(("queue", {})), says("One.")], door=door) as (talk, server):
        words = wording("Europe/Berlin")
        talk.mind = _with(talk, words)
        await talk.agent().chat("x", "Ana", ())
    told = results(server.requests[1])[0][0]
    assert "`a-1` @Ana in #help, 24 Nov 2025, 17:00: a < b ([thread](https://x.slack.com/p1))" in told
    assert words.get_mentionable(asker()) == {"@Ana": "U0ANA", "#help": "C0HELP"}


async def test_a_name_that_two_go_by_stands_for_nobody() -> None:
    """Nor does a group, or somebody without a name."""
    words = wording()
    words.allow_mentions(asker(), {"U0ANA": "Ana", "U0OTHER": "Ana", "S0TEAM": "team", "U0BOB": ""})
    words.allow_mentions(asker(interaction_id="i2"), {"U0ANA": "Ana"})
    assert words.get_mentionable(asker()) == {}
    assert words.get_mentionable(asker(interaction_id="i2")) == {"@Ana": "U0ANA"}


async def test_a_clock_that_nobody_knows_is_the_teams() -> None:
    """Slack may tell nothing, or nonsense."""
    for zone in ("", "Not/AZone", "../etc"):
        assert (await wording(zone).convert([AT], asker())) == ["24 Nov 2025, 16:00"]


async def test_a_person_whom_somebody_mentions_is_mentioned_in_the_answer() -> None:
    """By name towards the model, in the message and in what was said before; nobody else is."""

    async def play(agent: Agent, text: str) -> str:
        await agent.says(f"{text} @Bob and @Carl and <@U0DAN>, <@U0EVE>")
        return ""

    room = Room(play=play)
    room.slack.said = [{"user": "U0ADMIN", "ts": "100.000001", "text": f"<@{BOT}> ask <@U0CARL>"}]
    bot = await room.bot()
    heard: Any = said("@U0BOB?", "300.0", root="100.000001").evolve(mentions=("U0BOB",))
    await bot.accept(heard, "")
    await rest(room.clock)
    assert room.asked == ["@Bob?"]
    assert room.heads[0].agents[0].history[0].content.endswith(": ask @Carl")
    assert room.slack.texts == ["<@U0BOB>? <@U0BOB> and <@U0CARL> and @Dan, @Eve"]


def test_times_fall_back_to_the_teams_clock() -> None:
    """Wherever they stand in a message; what is no time stays as it is."""
    berlin = ZoneInfo("Europe/Berlin")
    shown = with_fallbacks({"text": AT, "blocks": [{"text": f"since {AT}", "n": 1}], "x": "<!date^x>"}, berlin)
    assert shown["text"].endswith("|2025-11-24 17:00 CET>")
    assert shown["blocks"][0]["text"].startswith("since <!date^1764000000^{date_short_pretty} {time}|2025")
    assert shown["x"] == "<!date^x>"
    assert spell_out_times("at <!date^99999999999999^x|then>", berlin) == "at <!date^99999999999999^x|then>"


def _with(talk: Talk, words: Any) -> Any:
    return replace(talk.mind, toolbox=replace(talk.mind.toolbox, wording=words))
