"""Automatic replies over the whole line: earned by recorded judgements, switched on by an admin, taken back again."""

from __future__ import annotations

import json
import signal
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat.canned_replies import FOR_TRIAGE_ALONE
from bot.decide.auto_reply.maturity import begin_of_week
from bot.models.auto_reply import Consent
from bot.models.judged_draft import JudgedDraft, Pool
from tests.line.agents import agents, document
from tests.line.dying_bot import dying
from tests.line.human import cards, newest, replies, shows, until
from tests.line.play import Play
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import records
from tests.model_server import ModelServer

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


def consent(home: Path) -> None:
    """Write an admin's consent for the help channel into a home."""
    given = Consent(by="U0ADMIN", at=datetime.now(UTC), shown=("0 of 160",))
    (home / "auto-reply-channels.json").write_text(json.dumps({"C0HELP": given.model_dump(mode="json")}))


async def switch_on(line: Line) -> View:
    """Let the admin press what the figures are shown above."""
    answer = await line.ada.command("autoreply on #help-platform")
    assert "shown above the buttons" in answer
    question: View = await line.ada.card("Automatic replies in", "0 of 160 judged first drafts were wrong")
    assert "`&lt;#" not in json.dumps(question)
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
        said: list[str] = []

        async def ask() -> None:
            said.append(await line.ana.say(ASKED))

        await line.ana.whispered(ask(), FOR_TRIAGE_ALONE)
        (asked,) = said
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
        audit = await line.ada.command("audit")
        assert all(words in audit for words in ("auto_reply", "take_back", "enable_autoreply"))
    judged = [each for each in records(line.home / "judgements.ndjson") if each["judgement"] == "taken_back"]
    assert [each["by"] for each in judged] == ["U0OPS"]


async def test_nothing_goes_out_where_the_counts_do_not_carry_it(line: Line) -> None:
    """With too few judgements the admin's press changes nothing yet, and the answer says how many are missing."""
    earn(line.home, 140)
    async with agents(line, Play(), more=SETTINGS):
        assert "Only admins" in await line.olu.command("autoreply on #help-platform")
        assert "off in all channels" in await line.olu.command("autoreply")
        answer = await line.ada.command("autoreply on #help-platform")
        question = await line.ada.card("Automatic replies in", "9 more are needed")
        await line.ada.press("command_confirm", question)
        await line.ada.sees(lambda view: newest(cards(view), ("are on in <#C0HELP>",)))
        asked = await line.ana.say(ASKED)
        assert await line.olu.card("Three times", '"approve"')
        assert replies(await line.ana.now(), asked) == []
        assert "Automatic replies are on here." in await line.ada.command("autoreply #help-platform")
        off: dict[str, Any] = {"text": await line.ada.command("autoreply off #help-platform")}
        assert "are off in" in off["text"]
    assert answer


@pytest.mark.parametrize(
    ("status", "moment", "goes_out"),
    [
        pytest.param("approved", "before", False, marks=pytest.mark.long),
        ("approved", "after", True),
        pytest.param("closed", "before", True, marks=pytest.mark.long),
        pytest.param("closed", "after", True, marks=pytest.mark.long),
    ],
)
async def test_a_kill_loses_and_doubles_no_automatic_reply(
    line: Line, status: str, moment: str, goes_out: bool
) -> None:
    """Approved by data or not: one reply and one notice, or a card that waits, and nothing twice."""
    earn(line.home)
    consent(line.home)
    async with ModelServer(Play()) as server:
        line.writes(more=f"engine: claude\nmodel: {{base_url: '{server.url}', max_retries: 0}}\n{SETTINGS}")
        async with dying(line, moment, status) as bot:
            asked = await line.ana.say(ASKED)
            assert await bot.wait() == -signal.SIGKILL
        async with dying(line, "never", "any"):
            if goes_out:
                await told(line.olu, "Take Back")
                assert len(replies(await line.ana.now(), asked)) == 1
                assert len(notices(await line.olu.now())) == 1
            else:
                assert await line.olu.card("Three times", '"approve"')
                assert replies(await line.ana.now(), asked) == []
    assert len(records(line.home / "replies.ndjson")) == goes_out
    audited = [each for each in records(line.home / "audit.ndjson") if each.get("kind") == "auto_reply"]
    assert len(audited) == goes_out


async def test_wrong_answer_of_a_reader_closes_the_gate(line: Line) -> None:
    """Anybody's word with a reason counts; a reply with an answer below is corrected, not deleted."""
    earn(line.home)
    consent(line.home)
    async with agents(line, Play(), more=SETTINGS):
        asked = await line.ana.say(ASKED)
        (reply,) = await line.ana.replies(asked)
        notice = await told(line.olu, "Take Back")
        await line.ana.thumb("down", reply)
        assert (await line.ana.submit(await line.ana.dialog(), reason="wrong_answer", text=""))["ok"]
        assert await line.ada.card("The gate of automatic replies has closed")
        await line.ana.say("hm, is that so?", thread_ts=asked)
        await line.olu.press("take_back", notice)
        await told(line.olu, "a correction put in its place")
        assert [each for each in replies(await line.ana.now(), asked) if shows(each, "has taken it back")]
