"""`restart_daemon`: ordered on disk, done once, and reported by the process that comes after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.commands.command import CommandAnswer
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.registry import bound_commands
from bot.commands.restart import NAME, RestartCommands, RestartReport
from bot.errors import Misconfigured, RetryLater
from bot.runtime.restart_request import NOT_ITS_OWN, RestartRequest
from tests.chat.crew import ADMIN, MEMBER, OPERATOR, Booth, command, handler
from tests.chat.test_confirming import FIRST, press
from tests.fakes import HandClock, MemoryJournal, MemoryKept


class Killed(BaseException):
    """A signal that ends the process here."""


@dataclass
class Process:
    """A `ProcessRestart` with an obstacle, or none."""

    obstacle: str = ""
    requests: int = 0

    async def find_obstacle(self) -> str:
        """As the test says."""
        return self.obstacle

    def request(self) -> None:
        """Count it."""
        self.requests += 1


@dataclass
class Runs:
    """An orchestrator with so many runs."""

    running: int = 0


@dataclass
class Bot:
    """Command and report on files that outlive it, as two processes use them."""

    order: MemoryKept = field(default_factory=MemoryKept)
    kept: MemoryKept = field(default_factory=MemoryKept)
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    chat: Booth = field(default_factory=Booth)
    process: Process = field(default_factory=Process)
    runs: Runs = field(default_factory=Runs)

    def __post_init__(self) -> None:
        clock = HandClock()
        self.handler = handler(clock=clock, kept=self.kept, chat=self.chat)
        object.__setattr__(self.handler, "audit", self.audit)
        confirmations = self.handler.confirmations
        commands = RestartCommands(
            process=self.process,
            file=self.order,
            confirmations=confirmations,
            orchestrator=self.runs,  # type: ignore[arg-type]  # it has what the command reads
            clock=clock,
        )
        (made,) = bound_commands(commands)
        object.__setattr__(self.handler, "commands", {**self.handler.commands, NAME: made})
        self.desk = ConfirmationButtons(handler=self.handler, confirmations=confirmations, chat=self.chat)  # type: ignore[arg-type]  # of a chat, what shows and opens
        self.report = RestartReport(
            file=self.order,
            handler=self.handler,
            confirmations=confirmations,
            chat=self.chat,  # type: ignore[arg-type]  # as above
            clock=clock,
        )

    async def ask(self, user: str = ADMIN, via: str = "slash", typed: str | None = None) -> CommandAnswer:
        """Give the command."""
        return await self.handler.execute(NAME, {}, command(user_id=user, via=via), typed=typed)

    def next(self) -> Bot:
        """The process that comes after this one."""
        return Bot(order=self.order, kept=self.kept, audit=self.audit, chat=self.chat)

    @property
    def outcomes(self) -> list[tuple[str, Any]]:
        """Outcome of each record, and whether it was confirmed."""
        return [(each["outcome"], each.get("settled")) for each in self.audit.kept]


@pytest.mark.parametrize("via", ["slash", "thread", "home", "chat"])
async def test_a_press_restarts_once_and_the_next_process_says_so(via: str) -> None:
    """In the place of the buttons; every record is there once."""
    bot = Bot(runs=Runs(2))
    asked = await bot.ask(via=via)
    assert (asked.outcome, asked.typed_again, bot.process.requests) == ("asked", None, 0)
    assert "2 runs are under way: what does not end within a minute is repeated" in asked.line
    await bot.desk.handle_press(press())
    assert bot.chat.said[-1].startswith("Triage restarts. 2 runs are under way")
    await bot.desk.handle_press(press(number=2))
    assert bot.process.requests == 1
    after = bot.next()
    await after.report.begin()
    await after.report.tell()
    assert bot.chat.said[-1].startswith("Triage has restarted, at <!date^")
    assert bot.chat.replaced[-1]["ts"] == "900.000001"
    assert bot.outcomes == [("asked", None), ("done", "confirmed"), ("refused", None)]
    told = len(bot.chat.said)
    last = after.next()
    await last.report.begin()
    await last.report.tell()
    assert (len(bot.chat.said), last.process.requests, after.process.requests) == (told, 0, 0)


async def test_a_crash_right_after_the_order_is_no_second_restart() -> None:
    """The next process records the press, so that it is not replayed, and says that it is back."""

    class Dying(Process):
        def request(self) -> None:
            raise Killed

    bot = Bot(process=Dying())
    await bot.ask()
    with pytest.raises(Killed):
        await bot.desk.handle_press(press())
    assert bot.outcomes == [("asked", None)]
    after = bot.next()
    await after.report.begin()
    assert bot.outcomes == [("asked", None), ("done", "confirmed")]
    assert bot.audit.kept[-1]["interaction_id"] == press().interaction_id
    await after.report.tell()
    assert [text for text in bot.chat.said if "restart" in text][-1].startswith("Triage has restarted")
    await after.desk.handle_press(press(), replayed=True)
    assert after.process.requests == 0


async def test_a_crash_before_the_order_restarts_nothing_later() -> None:
    """The press was taken, and is not executed again; its user is asked to look."""

    class Full(MemoryKept):
        async def write(self, content: dict[str, Any]) -> None:
            raise RetryLater("restart.json: No space left on device")

    bot = Bot(order=Full())
    await bot.ask()
    await bot.desk.handle_press(press())
    assert (bot.process.requests, bot.outcomes[-1]) == (0, ("failed", "confirmed"))
    after = bot.next()
    await after.report.begin()
    await after.report.tell()
    assert (after.process.requests, "No space left" in bot.chat.said[-1]) == (0, True)


@pytest.mark.parametrize(("typed", "outcome", "requests"), [(None, "asked", 0), ("x", "refused", 0), (NAME, "done", 1)])
async def test_a_terminal_types_the_name(typed: str | None, outcome: str, requests: int) -> None:
    """There the answer comes before the restart, and no message follows."""
    bot = Bot()
    answer = await bot.ask(via="cli", typed=typed)
    assert (answer.outcome, bot.process.requests) == (outcome, requests)
    if requests:
        assert answer.line == "Triage restarts. No run is under way. `status` says when it is back."
    after = bot.next()
    await after.report.begin()
    await after.report.tell()
    assert (bot.chat.said, bot.order.said) == ([], {})


@pytest.mark.parametrize("user", [OPERATOR, MEMBER])
async def test_only_an_admin_restarts(user: str) -> None:
    """No button is shown to others."""
    bot = Bot()
    assert ((await bot.ask(user)).outcome, bot.chat.posted, bot.process.requests) == ("refused", [], 0)


async def test_words_after_it_are_refused() -> None:
    """It takes none."""
    bot = Bot()
    answer = await bot.handler.execute(NAME, {"word 1": "now"}, command())
    assert (answer.outcome, bot.process.requests) == ("invalid", 0)


async def test_what_would_not_start_again_is_not_ended() -> None:
    """Before the button and at the press: a bot with wrong settings would stay away."""
    bot = Bot(process=Process("triage.yml:3: operators: expected a Slack id, <b>"))
    answer = await bot.ask(via="cli", typed=NAME)
    assert (answer.outcome, bot.process.requests, bot.order.said) == ("failed", 0, {})
    assert "a new process would not start: triage.yml:3: operators: expected a Slack id, &lt;b&gt;." in answer.line
    bot.process.obstacle = ""
    await bot.ask()
    bot.process.obstacle = "triage.yml is gone"
    await bot.desk.handle_press(press())
    assert (bot.process.requests, "triage.yml is gone" in bot.chat.said[-1]) == (0, True)


@pytest.mark.parametrize("content", [{"order": 5}, {"order": {"at": "x"}}, {"other": {}}, {}])
async def test_an_order_that_cannot_be_read_is_forgotten(content: dict[str, Any]) -> None:
    """The bot starts."""
    bot = Bot(order=MemoryKept(**content))
    await bot.report.begin()
    await bot.report.tell()
    assert (bot.audit.kept, bot.chat.said, bot.process.requests) == ([], [], 0)


async def test_a_request_is_checked_before_it_is_made() -> None:
    """By what a start would refuse; without it nothing can take the place of this process."""

    def refuse() -> None:
        raise Misconfigured("no operators")

    assert await RestartRequest(refuse).find_obstacle() == "no operators"
    assert await RestartRequest(lambda: None).find_obstacle() == ""
    assert await RestartRequest().find_obstacle() == NOT_ITS_OWN
    request = RestartRequest()
    request.request()
    request.request()
    assert request.future.done()


def test_the_confirmation_is_the_first_one() -> None:
    """As these tests press it."""
    assert press().confirmation_id == FIRST
