"""Automatic replies over the whole line: earned by recorded judgements, switched on by an admin, taken back again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.auto_reply.maturity import begin_of_week
from bot.models.judged_draft import JudgedDraft, Pool
from tests.line.agents import agents, document
from tests.line.human import cards, newest, replies, shows, until
from tests.line.play import Play
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import records

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line
    from tests.line.human import Human, View

ASKED = "<@U0TRIAGE> where is the limit of tries set?"
ALWAYS = "{days: [mon, tue, wed, thu, fri, sat, sun], from: '00:00', to: '24:00'}"
SETTINGS = f"{ADMINS}\napproval: {{working_hours: {ALWAYS}}}"
POOL = Pool(project="shop", kind="technical_qa", validator="claude-opus-5-5")


def earn(home: Path, number: int = 160) -> None:
    """Write the judgements of four weeks into a home: all were right."""
    home.mkdir(parents=True, exist_ok=True)
    monday = begin_of_week(datetime.now(UTC))
    lines = []
    for n in range(number):
        case = JudgedDraft(
            question_id=f"T0SANDBOX-C0HELP-1700000000.{n:06}/1",
            draft_id=f"T0SANDBOX-C0HELP-1700000000.{n:06}/1",
            pool=POOL,
            at=monday - timedelta(days=1 + n % 27),
            verdict="pass",
            judgement="approved",
        )
        lines.append(json.dumps(case.model_dump(mode="json") | {"by": "U0OPS"}))
    (home / "judgements.ndjson").write_text("".join(f"{line}\n" for line in lines))


async def switch_on(line: Line) -> View:
    """Let the admin press what the figures are shown above."""
    answer = await line.ada.command("autoreply on #help-platform")
    assert "shown above the buttons" in answer
    question: View = await line.ada.card("Automatic replies in", "0 of 160 judged first drafts were wrong")
    assert (await line.ada.press("command_confirm", question))["ok"]
    await line.ada.sees(lambda view: newest(cards(view), ("are on in <#C0HELP>",)))
    return question


def notices(view: View) -> list[View]:
    """The notices of automatic replies that a person sees."""
    return [message for message in cards(view) if "Answered without a press in" in message["text"]]


async def told(operator: Human, *words: str) -> View:
    """The notice that shows these words."""
    found: View = await operator.sees(lambda view: newest(notices(view), words))
    return found


async def test_a_reply_that_was_earned_goes_out_once_and_is_taken_back(line: Line) -> None:
    """Marked for its readers, over a restart; taken back it is deleted, counted, and its gate closes with a notice."""
    earn(line.home)
    async with agents(line, Play(), more=SETTINGS):
        await switch_on(line)
        asked = await line.ana.say(ASKED)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, "Three times")
        assert shows(reply, "no person has read this answer before")
        notice = await told(line.olu, "Take Back")
        await until(lambda: json.loads((line.home / "auto-replies.json").read_text()).popitem()[1]["is_audited"])
    decision = document(line)["decision"]
    assert (decision["action"], decision["by"]) == ("auto_reply", "U0TRIAGE")
    (audited,) = [each for each in records(line.home / "audit.ndjson") if each.get("kind") == "auto_reply"]
    assert (audited["figures"]["cases"], audited["consent"]["by"]) == (160, "U0ADMIN")
    async with agents(line, Play(), more=SETTINGS):
        assert len(replies(await line.ana.now(), asked)) == 1
        assert len(notices(await line.olu.now())) == 1
        assert (await line.olu.press("take_back", notice))["ok"]
        await told(line.olu, "Taken back", "the reply is deleted")
        await line.ana.sees(lambda view: not replies(view, asked))
        closed = await line.ada.card("The gate of automatic replies has closed", "1 of 1 passed drafts of this week")
        assert closed
        assert await line.olu.card("The gate of automatic replies has closed")
        again = await line.ana.say(f"{ASKED} which file?")
        assert await line.olu.card("which file?", '"approve"')
        assert replies(await line.ana.now(), again) == []
        shown = await line.ada.command("autoreply")
        assert "closed" in shown
    judged = [each for each in records(line.home / "judgements.ndjson") if each["judgement"] == "taken_back"]
    assert [each["by"] for each in judged] == ["U0OPS"]


async def test_nothing_goes_out_where_the_counts_do_not_carry_it(line: Line) -> None:
    """With too few judgements the admin's press changes nothing yet, and the answer says how many are missing."""
    earn(line.home, 140)
    async with agents(line, Play(), more=SETTINGS):
        answer = await line.ada.command("autoreply on #help-platform")
        question = await line.ada.card("Automatic replies in", "9 more are needed")
        await line.ada.press("command_confirm", question)
        await line.ada.sees(lambda view: newest(cards(view), ("are on in <#C0HELP>",)))
        asked = await line.ana.say(ASKED)
        assert await line.olu.card("Three times", '"approve"')
        assert replies(await line.ana.now(), asked) == []
        assert "Automatic replies are on here" in await line.ada.command("autoreply #help-platform")
        off: dict[str, Any] = {"text": await line.ada.command("autoreply off #help-platform")}
        assert "are off in" in off["text"]
    assert answer
