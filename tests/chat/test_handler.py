"""The handler and the desk: what was typed becomes an answer and an audit line, whatever it was."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.entry import TypedCommandHandler
from bot.commands.handler import CommandHandler
from bot.commands.order_answers import OrderAnswers
from bot.commands.parsing import parse_line
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.decide.redaction.redactor import Redactor
from bot.models.fact import Fact
from tests.chat.crew import GUEST, MEMBER, OPERATOR, command, handler
from tests.fakes import RememberingChat, settle

LINK = "https://acme.slack.com/archives/C0HELP/p0000000100000001"


async def said(text: str, commands: CommandHandler | None = None, **changes: Any) -> CommandAnswer:
    """What comes of `/triage text`."""
    name, given = parse_line(text)
    return await (commands or handler()).execute(name, given, command(text, **changes))


@pytest.mark.parametrize(
    ("text", "outcome", "words"),
    [
        ("", "done", "Help"),
        ("HELP", "done", "Help"),
        ("help why", "done", "'command': 'why'"),
        (f"why {LINK}", "done", "'ts': '0000000100.000001'"),
        (f"why <{LINK}?thread_ts=99.000001&cid=C0HELP|here>", "done", "'root_ts': '99.000001'"),
        ("why", "invalid", "`link` is missing. Usage: `why &lt;link&gt;`"),
        (f"why {LINK} please", "invalid", "more words than it takes"),
        ("why https://acme.slack.com/archives/C0HELP", "invalid", "expected the link of a message"),
        ("why https://[acme/archives/C0HELP/p0000000100000001", "invalid", "expected the link of a message"),
        ("why javascript:/archives/C0HELP/p0000000100000001", "invalid", "expected the link of a message"),
        ("wyh", "unknown", "nearest is `why`"),
        ("hlep me", "unknown", "nearest is `help`"),
        ("<!channel>", "unknown", "&lt;!channel&gt;"),
        ("`", "unknown", "There is no command `'`"),
        ("nonsense", "unknown", "There is no command `nonsense`. `help` lists them all."),
        ("banana", "unknown", "`banana`. `help`"),
        ("x" * 10_000, "unknown", "x…`. `help` lists"),
        ("why " + "h" * 10_000, "invalid", "expected the link of a message"),
        ("why " + "a b " * 2_500, "invalid", ""),
        ("\u0000\ud800", "unknown", ""),
    ],
)
async def test_whatever_is_typed_gets_one_answer_and_one_audit_line(text: str, outcome: str, words: str) -> None:
    """Short, escaped, with the nearest right word, and never an error."""
    commands = handler()
    answer = await said(text, commands)
    assert (answer.outcome, words in answer.text) == (outcome, True), answer
    assert len(answer.text) < 500
    (line,) = commands.audit.kept  # type: ignore[attr-defined]  # a journal in memory
    assert (line["kind"], line["outcome"], line["user_id"]) == ("command", outcome, "U0ADMIN")
    assert len(json.dumps(line)) < 4_000


@pytest.mark.parametrize(
    ("user", "text"), [(MEMBER, f"why {LINK}"), (GUEST, "help"), (GUEST, "nonsense"), (MEMBER, "why nonsense")]
)
async def test_who_may_not_learns_nothing_and_is_on_record(user: str, text: str) -> None:
    """No usage, no nearest word, no run."""
    commands = handler()
    answer = await said(text, commands, user_id=user)
    assert answer.outcome == "refused"
    assert "nearest" not in answer.text
    assert "Usage" not in answer.text
    assert [line["outcome"] for line in commands.audit.kept] == ["refused"]  # type: ignore[attr-defined]  # as above


async def test_a_command_that_breaks_says_so() -> None:
    """The log has the rest; the person gets a sentence."""

    async def breaks(*_: Any) -> CommandAnswer:
        raise RuntimeError("boom")

    answer = await said("help", handler(runs={"help": breaks}))
    assert (answer.outcome, "boom" in answer.text) == ("failed", False)


async def test_no_part_of_a_secret_is_on_record_where_the_input_is_cut() -> None:
    """A secret is taken out whole before the rest is cut."""
    secret = "-".join(("xoxb", "1234567890" * 2, "a1B2c3D4" * 3))
    for before in range(250, 300, 7):
        commands = handler()
        await commands.execute("write_note", {"title": "x", "content": "y" * before + " " + secret}, command())
        assert "xoxb" not in json.dumps(commands.audit.kept)  # type: ignore[attr-defined]  # a journal in memory


async def test_an_answer_shows_no_secret_and_ends() -> None:
    """As every other text that leaves the bot."""
    secret = "xoxb-" + "1234567890" * 2 + "-" + "a1B2c3D4" * 3

    async def tells(*_: Any) -> CommandAnswer:
        return CommandAnswer(line=f"the token is {secret}", rows=("row " * 20,) * 1_000)

    commands = handler(runs={"help": tells})
    answer = await said("help", commands)
    assert secret not in answer.text
    assert len(answer.text) < 3_600
    assert secret not in json.dumps(commands.audit.kept)  # type: ignore[attr-defined]  # as above


class Figures(Fact):
    """Data of an answer."""

    questions: int
    title: str


async def test_the_data_of_an_answer_shows_no_secret_and_keeps_its_model() -> None:
    """Numbers stay numbers; texts are redacted as the line is."""
    secret = "xoxb-" + "1234567890" * 2 + "-" + "a1B2c3D4" * 3

    async def tells(*_: Any) -> CommandAnswer:
        return CommandAnswer(line="Two.", data=Figures(questions=2, title=f"the token {secret}"))

    answer = await said("help", handler(runs={"help": tells}))
    assert answer.data == Figures(questions=2, title="the token [redacted]")
    assert CommandAnswer.model_dump(answer, mode="json")["data"] == {"questions": 2, "title": "the token [redacted]"}


async def test_an_answer_that_is_late_comes_as_a_notice() -> None:
    """Slack waits three seconds; the work is not cut off by that."""
    held = asyncio.Event()

    async def waits(*_: Any) -> CommandAnswer:
        await held.wait()
        return CommandAnswer(line="here it is")

    chat: Any = RememberingChat()
    commands = handler(runs={"help": waits}, chat=chat)
    confirming = ConfirmationButtons(handler=commands, confirmations=commands.confirmations, chat=chat)
    desk = TypedCommandHandler(
        handler=commands,
        confirmations=confirming,
        outbound_filter=OutboundFilter(Redactor(), ZoneInfo("UTC")),
        orders=OrderAnswers(clock=commands.clock, catalogue=CATALOGUE),
        in_time=0.0,
    )
    assert "follows" in (await desk.answer(command("help", user_id=OPERATOR)))["text"]
    held.set()
    await settle()
    assert chat.notices == ["here it is"]


def test_every_command_that_changes_something_says_what_was_done() -> None:
    """In words that name nothing of its input, so that a channel may read them."""
    says = {spec.name for spec in CATALOGUE.values() if spec.deed}
    assert says == {spec.name for spec in CATALOGUE.values() if spec.tier != "read" and not spec.stands_for}
