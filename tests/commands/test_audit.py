"""The audit: whatever was done or tried is on record, and an admin reads it back as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.commands.audit import AuditCommands
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer
from bot.commands.entry import TypedCommandHandler
from bot.commands.order_answers import OrderAnswers
from bot.commands.parsing import parse_line
from bot.commands.terminal import TerminalCommands
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.models.interaction import MalformedCommand
from bot.models.plain_lines import to_plain_text
from tests.builders import TEAM
from tests.chat.crew import ADMIN, MEMBER, OPERATOR, command, handler
from tests.fakes import HandClock, naming

SECRET = "xoxb-" + "1234567890" * 2 + "-" + "a1B2c3D4" * 3
UTC = ZoneInfo("UTC")


class Office:
    """A handler with its audit, and the command that reads it."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.commands = handler(clock=self.clock, runs={"audit": self.show})
        self.desk = TypedCommandHandler(
            handler=self.commands,
            confirmations=None,  # type: ignore[arg-type]  # no press comes
            outbound_filter=OutboundFilter(self.commands.redactor, UTC),
            orders=OrderAnswers(clock=self.clock, catalogue=CATALOGUE),
        )
        self.terminal = TerminalCommands(
            handler=self.commands, naming=naming(), channel_names={}, admins=(), team_id=TEAM, zone=UTC
        )

    async def show(self, request: Any, asker: Any) -> CommandAnswer:
        """Read the audit."""
        zone = ZoneInfo("Europe/Berlin")
        audit = AuditCommands(audit=self.commands.audit, clock=self.clock, catalogue=CATALOGUE, zone=zone)
        answer: CommandAnswer = await audit.show(request, asker)
        return answer

    async def gives(self, text: str, user: str = ADMIN, **more: Any) -> CommandAnswer:
        """Give a command, a minute after the last one."""
        await self.clock.move(60)
        name, arguments = parse_line(text)
        return await self.commands.execute(name, arguments, command(text, user_id=user, **more))

    @property
    def kept(self) -> list[dict[str, Any]]:
        """What was recorded."""
        kept: list[dict[str, Any]] = self.commands.audit.kept  # type: ignore[attr-defined]  # a journal in memory
        return kept

    async def reads(self, words: str = "") -> list[tuple[str | None, str, str]]:
        """Person, action and outcome of each entry that `/triage audit` shows."""
        answer = await self.gives(f"audit {words}".strip())
        assert answer.data is not None, answer
        return [(each["user"], each["action"], each["outcome"]) for each in answer.data.model_dump()["entries"]]


async def test_what_was_tried_by_each_way_is_on_record() -> None:
    """Unknown names, bad input, missing rights, and what did not get as far as a command."""
    office = Office()
    await office.gives("drop_database now", via="chat")
    await office.gives("metrics many", MEMBER)
    await office.gives("metrics many", OPERATOR, via="thread")
    await office.gives("pause", OPERATOR, via="home")
    said = await office.desk.refuse_malformed(MalformedCommand(user_id="<@U1>", text=f"write_note x {SECRET}"))
    await office.desk.record_unheard(command("pause", via="thread"), "late")
    await office.desk.record_unheard(command("stop", user_id="B0BOT", via="thread"), "not a person")
    for request in (None, {"words": ["pause"]}, {"words": 5, "user": "../x"}, {"role": "admin"}):
        assert (await office.terminal.answer(request))["outcome"] == "invalid"
    assert said == {"text": "Triage does not know this command."}
    assert [(x["via"], x["user_id"], x["action"], x["outcome"], x.get("rejected")) for x in office.kept] == [
        ("chat", ADMIN, "drop_database", "unknown", None),
        ("slash", MEMBER, "metrics", "refused", None),
        ("thread", OPERATOR, "metrics", "invalid", None),
        ("home", OPERATOR, "pause", "refused", None),
        ("slash", "<@U1>", "write_note", "invalid", "yes"),
        ("thread", ADMIN, "pause", "expired", "yes"),
        ("thread", "B0BOT", "stop", "refused", "yes"),
        ("cli", "", "", "invalid", "yes"),
        ("cli", "", "pause", "invalid", "yes"),
        ("cli", "../x", "", "invalid", "yes"),
        ("cli", "", "", "invalid", "yes"),
    ]
    assert SECRET not in json.dumps(office.kept)
    assert office.kept[4]["input"] == {"title": "x", "content": "[redacted]"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("add_repo clone https://x.example/a.git", "before you give it again: `/triage list_repos` shows it."),
        ("metrics 7", "before I answered your `/triage metrics`. Give it again."),
        ("gibberish <!here>", "before I answered your `/triage`. Give it again."),
    ],
)
async def test_an_interrupted_command_is_on_record_and_its_user_is_told(text: str, words: str) -> None:
    """It is not run; what may have changed something is to be checked first."""
    office, notices = Office(), Told()
    desk = replace(office.desk, notices=notices, confirmations=Settled())  # type: ignore[arg-type]  # of both, what it calls
    await desk.report_interrupted(command(text, user_id=ADMIN))
    await desk.settle()
    ((user, line),) = notices.lines
    assert user == ADMIN
    assert words in line
    assert [(each["action"], each["outcome"]) for each in office.kept] == [(text.split()[0], "failed")]


class Told:
    """Notices to people, kept."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    async def tell(self, user: str, text: str) -> None:
        """Keep it."""
        self.lines.append((user, text))


class Settled:
    """Confirmations of which none runs."""

    async def settle(self) -> None:
        """Wait for nothing."""


async def test_it_is_read_back_by_person_command_and_time() -> None:
    """The newest first; a command is found by each of its names, a press on a card by its button."""
    office = Office()
    await office.gives("get_status", OPERATOR)
    await office.gives("pause")
    await office.commands.audit.append(
        {"at": office.clock.now().isoformat(), "action": "approve", "user_id": OPERATOR, "result": "done"}
    )
    await office.gives("resume")
    assert await office.reads() == [
        (ADMIN, "resume", "done"),
        (OPERATOR, "approve", "done"),
        (ADMIN, "pause", "done"),
        (OPERATOR, "status", "done"),
    ]
    assert await office.reads(f"<@{OPERATOR}|olu>") == [(OPERATOR, "approve", "done"), (OPERATOR, "status", "done")]
    assert await office.reads("command=STATUS") == [(OPERATOR, "status", "done")]
    assert await office.reads(f"{OPERATOR} approve") == [(OPERATOR, "approve", "done")]
    assert await office.reads("command=get_audit limit=1") == [(ADMIN, "audit", "done")]
    assert await office.reads("command=nothing") == []
    await office.clock.move(timedelta(hours=2).total_seconds())
    assert await office.reads("hours=1 command=pause") == []
    at = office.clock.now() - timedelta(hours=1, minutes=58)
    for before in (f"{at.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%dT%H:%M}", f"{at:%Y-%m-%dT%H:%MZ}"):
        assert (ADMIN, "pause", "done") in await office.reads(f"hours=3 before={before}")
    earlier = (at - timedelta(minutes=20)).astimezone(ZoneInfo("Europe/Berlin"))
    assert await office.reads(f"hours=3 before={earlier:%Y-%m-%dT%H:%M}") == []


async def test_the_start_of_a_program_is_shown_with_its_name() -> None:
    """It is found by the name that the settings give it."""
    office = Office()
    own = {"kind": "declared command", "action": "start", "command": "count-lines", "project": "shop", "run_id": "r"}
    await office.commands.audit.append({"at": office.clock.now().isoformat(), "user_id": ADMIN, **own})
    assert "`start` (`command: count-lines`; `project: shop`)" in (await office.gives("audit")).rows[-1]
    assert await office.reads("command=count-lines") == [(ADMIN, "start", "done")]


async def test_older_records_are_a_call_away() -> None:
    """The answer names it, and it shows exactly those that follow."""
    office = Office()
    for number in range(5):
        await office.gives(f"metrics {number + 1}", OPERATOR)
    answer = await office.gives(f"audit {OPERATOR} metrics limit=2")
    seen: list[str] = []
    while True:
        assert answer.data is not None
        seen += [each["input"]["days"] for each in answer.data.model_dump()["entries"]]
        if "There are older ones: `" not in answer.text:
            break
        answer = await office.gives(f"{answer.rows[-1].split('`')[1]} limit=2")
    assert seen == ["5", "4", "3", "2", "1"]


async def test_an_answer_in_slack_has_room_for_its_hint_and_a_terminal_for_all() -> None:
    """Rows that do not fit are older ones, too."""
    office = Office()
    for _ in range(40):
        await office.gives("write_note " + "x" * 100 + " y " + "z" * 300, OPERATOR)
    slack = await office.gives("audit limit=40 command=write_note")
    assert len(slack.text) <= 3_500
    assert slack.rows[-1].startswith("There are older ones: `audit command=write_note hours=24 before=")
    terminal = await office.gives("audit limit=40 command=write_note", via="cli")
    assert (len(terminal.rows), slack.rows[0]) == (40, terminal.rows[0])


async def test_hostile_content_is_shown_as_text() -> None:
    """No mention, link, emphasis or line of its own comes of what somebody typed."""
    office = Office()
    evil = "<!channel> <https://evil.test|Click> `*x*` \n# y"
    await office.commands.execute(evil, {"<@U0OPS>": evil}, command(user_id=MEMBER))
    await office.commands.audit.append(
        {"at": office.clock.now().isoformat(), "action": evil, "user_id": evil, "result": evil, "via": evil, "input": 5}
    )
    answer = await office.gives("audit")
    assert not {"<!channel>", "<https", "<@U0OPS>"} & {*answer.text.split()}
    assert all("\n" not in row for row in answer.rows)
    plain = to_plain_text(answer.rows[-1], UTC)
    assert "<!channel> <https://evil.test|Click> '*x*'" in plain


async def test_typed_markup_and_addresses_stay_in_code_spans() -> None:
    """Slack formats bare emphasis and links bare addresses; a terminal shows the words as they were typed."""
    office, typed = Office(), "*bold* _slanted_ ~gone~ http://evil.test www.evil.test :wave:"
    await office.gives(f"why {typed}")
    await office.commands.execute(typed, {typed: typed}, command(user_id=MEMBER, via="cli"))
    answer = await office.gives("audit")
    bare = [re.sub(r"`[^`]*`|<[^>]*>|: \*[a-z]+\*", "", row) for row in answer.rows]
    assert all(not re.search(r"[*_~]|evil|:wave:", row) for row in bare), bare
    assert typed[:40] in to_plain_text(answer.rows[0], UTC)


@pytest.mark.parametrize(
    ("words", "user", "outcome", "says"),
    [
        ("", OPERATOR, "refused", "Only admins"),
        ("", MEMBER, "refused", "Only admins"),
        ("Ana", ADMIN, "invalid", "expected a person as a mention"),
        ("hours=0", ADMIN, "invalid", "expected a whole number from 1 to 8,784"),
        ("before=yesterday", ADMIN, "invalid", "expected a time such as 2026-07-01T08:00"),
        ("limit=101", ADMIN, "invalid", "expected a whole number from 1 to 100"),
    ],
)
async def test_who_may_not_or_what_does_not_fit(words: str, user: str, outcome: str, says: str) -> None:
    """The next step is named."""
    answer = await Office().gives(f"audit {words}", user)
    assert (answer.outcome, says in answer.text) == (outcome, True), answer.text


@pytest.mark.parametrize(("via", "channel"), [("cli", None), ("home", None), ("slash", "C0HELP"), ("thread", "C0HELP")])
async def test_only_a_channel_counts_as_one(via: str, channel: str | None) -> None:
    """Not the user, whom the record has in its place for a terminal and the App Home."""
    office = Office()
    await office.gives("status", via=via, channel_id=channel or ADMIN)
    answer = await office.gives("audit command=status")
    assert answer.data
    (entry,) = answer.data.model_dump()["entries"]
    assert entry["channel"] == channel
    assert (" in <#C0HELP>" in answer.rows[0]) == (channel is not None)
