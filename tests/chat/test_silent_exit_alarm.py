"""Silent ends: one alarm for each, whatever dies or fails on the way, and none where the thread shows a post."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.chat.silent_exit_alarm import AlarmResult, SilentExitAlarm, TurnPlace, build_alarm
from bot.decide.silent_exit import SILENT_END, Alarm, LoopClosed, RetryPrompt, TurnEnd
from bot.errors import Refused, RetryLater, Uncertain
from sandbox.blockkit import checked_blocks
from tests.fakes import HandClock, MemoryJournal

URL = "https://sandbox.slack.com/"
TURN = TurnPlace(turn_id="t1", asker="U0ANA", channel="C0HELP", thread_ts="100.000001", ts="100.000002", is_public=True)
SILENT = TurnEnd(
    is_retried=True, actions=("list_tasks", "get_task", "get_task"), final_text="Two tasks <!channel> wait."
)


class NoWait(HandClock):
    """A clock whose sleepers wake immediately, and which remembers for how long they meant to sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        """Go on."""
        self.slept.append(seconds)
        self.meanwhile()


class Place:
    """The operator's direct message, and a thread that shows what the test says."""

    def __init__(self, spoke: bool | None = False) -> None:
        self.posted: list[dict[str, Any]] = []
        self.failures: list[tuple[Exception, bool]] = []
        """What the next posts meet, and whether they land all the same."""
        self.spoken = spoke
        self.asked: list[tuple[Any, ...]] = []
        self.audit, self.clock = MemoryJournal(), NoWait()

    async def has_spoken(self, *where: Any, turn: str) -> bool | None:
        """The ground truth."""
        self.asked.append((*where, turn))
        return self.spoken

    async def open_dm(self, user: str) -> str:
        """Of everybody."""
        return f"D{user}"

    async def find_in_channel(self, *, channel: str, oldest: str, event_type: str, nonce: str) -> str | None:
        """By the nonce."""
        found = any(each["metadata"]["event_payload"]["nonce"] == nonce for each in self.posted)
        return "900.000001" if found else None

    async def update(self, **said: Any) -> None:
        """Replaces what was posted last, unless it is gone."""
        if not self.posted:
            raise Refused("gone", code="message_not_found")
        self.posted[-1] |= said

    async def post(self, **said: Any) -> str:
        """Lands, or fails."""
        failure, lands = self.failures.pop(0) if self.failures else (None, True)
        if lands:
            self.posted.append(said)
        if failure:
            raise failure
        return "900.000001"

    def lands_during(self, sleep: int) -> None:
        """A request of before lands while somebody sleeps for this time."""

        def land() -> None:
            if len(self.clock.slept) == sleep:
                self.posted.append({"metadata": {"event_payload": {"nonce": "silent-t1"}}})

        self.clock.meanwhile = land

    def ends(self) -> SilentExitAlarm:
        """As a process has them."""
        place: Any = self
        return SilentExitAlarm(truth=place, chat=place, operator="U0OPS", audit=self.audit, clock=self.clock, url=URL)


async def test_a_silent_turn_is_nudged_then_alarmed_once() -> None:
    """The thread is read from the message that asked on; asking again, as after a crash, alarms nobody twice."""
    place = Place()
    assert isinstance(await place.ends().handle_end(TURN, TurnEnd()), RetryPrompt)
    assert not place.asked
    for recovered in (False, True):
        ended = await place.ends().handle_end(TURN, SILENT, recovered=recovered)
        assert ended == AlarmResult("the model ended twice without an answer", is_reached=True)
    assert place.asked == [("C0HELP", "100.000001", "100.000002", "t1")] * 2
    (alarm,) = place.posted
    assert alarm["channel"] == "DU0OPS"
    assert alarm["metadata"]["event_payload"] == {"kind": "notice", "nonce": "silent-t1"}
    assert {record["turn_id"] for record in place.audit.kept} == {"t1"}


async def test_a_post_in_the_thread_takes_the_alarm_away() -> None:
    """By whatever path it came."""
    place = Place(spoke=True)
    assert isinstance(await place.ends().handle_end(TURN, SILENT), LoopClosed)
    assert (place.posted, place.audit.kept) == ([], [])


async def test_an_unreadable_slack_lets_the_alarm_out() -> None:
    """And the operator is told that nobody knows."""
    place = Place(spoke=None)
    assert isinstance(await place.ends().handle_end(TURN, SILENT), AlarmResult)
    assert "Slack could not be read, so an answer may be there all the same." in place.posted[0]["text"]
    assert place.audit.kept[0]["result"] == "alarmed, unread"


async def test_a_doubt_is_given_time_before_the_thread_is_read() -> None:
    """A post may still be on its way; where it is not there, the agent may say it again."""
    place = Place()
    assert isinstance(await place.ends().handle_end(TURN, TurnEnd(in_doubt=True)), RetryPrompt)
    assert place.clock.slept == [5.0]
    place.spoken = True
    assert isinstance(await place.ends().handle_end(TURN, TurnEnd(in_doubt=True)), LoopClosed)
    assert not place.posted


@pytest.mark.parametrize("lands", [True, False])
async def test_an_alarm_in_doubt_is_looked_for(lands: bool) -> None:
    """It comes once, whether the first request landed or not."""
    place = Place()
    place.failures = [(Uncertain("no answer"), lands)]
    assert isinstance(await place.ends().handle_end(TURN, SILENT), AlarmResult)
    assert len(place.posted) == 1


async def test_an_alarm_of_a_process_that_died_is_waited_for() -> None:
    """Its request may land after the first look."""
    place = Place()
    place.lands_during(2)  # the first is before the thread is read
    assert isinstance(await place.ends().handle_end(TURN, SILENT, recovered=True), AlarmResult)
    assert [each for each in place.posted if "channel" in each] == []


async def test_an_alarm_in_doubt_is_waited_for() -> None:
    """Its own request may land after the first look, too."""
    place = Place()
    place.failures = [(Uncertain("no answer"), False)]
    place.lands_during(1)
    assert isinstance(await place.ends().handle_end(TURN, SILENT), AlarmResult)
    assert [each for each in place.posted if "channel" in each] == []


async def test_a_pause_is_waited_for_and_a_refusal_ends_it() -> None:
    """A pause of Slack's loses no alarm; where Slack refuses for good, the log has it and nothing waits for ever."""
    place = Place()
    place.failures = [(RetryLater("rate limited", after=7), False)]
    assert await place.ends().handle_end(TURN, SILENT) == AlarmResult(
        "the model ended twice without an answer", is_reached=True
    )
    assert place.clock.slept == [7]
    refusing = Place()
    refusing.failures = [(Refused("no", code="channel_not_found"), False)]
    assert (await refusing.ends().handle_end(TURN, SILENT)) == AlarmResult(
        "the model ended twice without an answer", is_reached=False
    )


def test_the_alarm_says_what_is_needed() -> None:
    """Who asked, where, what was tried and why; foreign words mint nothing, and the blocks are Slack's."""
    said = build_alarm(TURN, SILENT, Alarm("the model said <!here>", is_unread=False), url=URL)
    link = "https://sandbox.slack.com/archives/C0HELP/p100000002?thread_ts=100.000001&amp;cid=C0HELP"
    assert said["text"] == (
        f":warning: <@U0ANA> got no answer to <{link}|what they asked> in <#C0HELP>: the model said &lt;!here&gt;.\n"
        "Commands until then: list_tasks, get_task (2 times)."
    )
    assert said["blocks"][-1]["elements"][0]["elements"][0]["text"] == "Two tasks <!channel> wait."
    flood = TurnEnd(is_retried=True, actions=tuple(f"tool_{n}" for n in range(900)), final_text="&" * 9_000)
    assert checked_blocks(build_alarm(TURN, flood, Alarm("&" * 9_000, is_unread=True), url=URL)["blocks"])


def test_what_was_said_in_private_stays_there() -> None:
    """Of a direct message the operator learns who, what was tried and why."""
    direct = TurnPlace(turn_id="t2", asker="U0ANA", channel="D0ANA", thread_ts=None, ts="100.000002", is_public=False)
    said = build_alarm(direct, SILENT, Alarm("no key", is_unread=False), url=URL)
    assert said["text"].startswith(":warning: <@U0ANA> got no answer to what they asked in a direct message: no key.")
    assert len(said["blocks"]) == 1
    assert "Two tasks" not in str(said)


async def test_the_audit_names_the_silent_end() -> None:
    """By its turn and run, without a word that was said."""
    place = Place()
    turn = TurnPlace(**{**vars(TURN), "session_id": "20260105T090000-abc"})
    await place.ends().handle_end(turn, SILENT)
    assert place.audit.kept == [
        {
            "kind": SILENT_END,
            "at": place.clock.now().isoformat(),
            "turn_id": "t1",
            "session_id": "20260105T090000-abc",
            "user_id": "U0ANA",
            "channel_id": "C0HELP",
            "actions": ["list_tasks", "get_task", "get_task"],
            "why": "the model ended twice without an answer",
            "result": "alarmed",
        }
    ]


def other(number: int, **changes: Any) -> TurnPlace:
    """Another turn."""
    return TurnPlace(**{**vars(TURN), "turn_id": f"t{number}", "asker": f"U{number}", **changes})


async def test_alarms_of_one_cause_are_one_message() -> None:
    """It is updated and lists the newest; another cause, or an hour later, is another one. The audit has each turn."""
    place = Place()
    ends = place.ends()
    for number in range(2, 15):
        await ends.handle_end(other(number, is_public=number != 14), SILENT)
    await ends.handle_end(other(14), SILENT)
    (alarm,) = place.posted
    assert alarm["text"].startswith(":warning: 13 times there was no answer: the model ended twice without an answer.")
    until_then = "commands until then: list_tasks, get_task (2 times)"
    assert f"• <@U14> in a direct message; {until_then}\n• <@U13> in <#C0HELP>" in alarm["text"]
    assert alarm["text"].endswith("… and 3 more")
    assert checked_blocks(alarm["blocks"])
    assert alarm["metadata"]["event_payload"]["nonce"] == "silent-t2"
    await ends.handle_end(other(20), TurnEnd(is_retried=True, failure="no key"))
    await place.clock.move(3601)
    await ends.handle_end(other(21), SILENT)
    assert len(place.posted) == 3
    assert len({record["turn_id"] for record in place.audit.kept}) == 15


async def test_alarms_of_one_cause_are_one_message_over_a_restart() -> None:
    """Found by the first turn that the audit has of it; another cause stands alone."""
    place = Place()
    for number in range(1, 4):
        ts = f"100.00000{number}"
        await place.ends().handle_end(other(number, turn_id=f"C0HELP-{ts.replace('.', '-')}", ts=ts), SILENT)
    (alarm,) = place.posted
    assert alarm["text"].startswith(":warning: 3 times there was no answer")
    assert "archives/C0HELP/p100000001|what they asked" in alarm["text"]
    await place.ends().handle_end(other(9), TurnEnd(is_retried=True, failure="no key"))
    assert len(place.posted) == 2


async def test_an_alarm_that_was_deleted_is_posted_anew() -> None:
    """Nothing is lost with it."""
    place = Place()
    ends = place.ends()
    await ends.handle_end(TURN, SILENT)
    place.posted.clear()
    await ends.handle_end(other(2), SILENT)
    assert len(place.posted) == 1
