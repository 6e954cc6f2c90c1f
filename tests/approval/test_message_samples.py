"""A weekly sample goes to one member, holds what they may read, and takes each judgement once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pytest

from bot.approval.message_samples import MessageSamples
from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.message_sample import SamplePress
from tests.approval.test_corrections import School, Slack
from tests.builders import ASKER, CHANNEL, OPERATOR, T0, TEAM, fresh, message
from tests.fakes import HandClock, MemoryJournal, MemoryKept, RememberingChat

DAY = date(2026, 1, 5)
PUBLIC, PRIVATE = "C0PUBLIC", "C0PRIVATE"
KEY = "".join(("xo", "xb-", "1" * 12, "-", "a" * 24))


def classified(text: str, ts: str, kind: str = "ambient", *, days: float = 1, **changes: Any) -> dict[str, Any]:
    """A line of `events-classified.ndjson`."""
    flags = ("is_bot_mention", "is_question", "is_ack_or_emoji", "is_internal_chatter", "mentions_thread_with_inflight")
    return {
        **message(text, ts=ts, **changes).model_dump(mode="json"),
        **dict.fromkeys(flags, False),
        "classification": kind,
        "classifier_confidence": 0.9,
        "classifier_version": "1",
        "classified_at": (T0 - timedelta(days=days)).isoformat(),
    }


@dataclass
class Workspace(Slack):
    """Messages that people have not deleted, and who may read what."""

    deleted: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """A message of Ana, unless she has deleted it."""
        return None if ts in self.deleted else {"ts": ts, "user": ASKER, "text": self.words.get(ts, "words")}

    async def channel(self, channel: str) -> dict[str, Any]:
        """A public channel, but for one."""
        return {"id": channel, "is_channel": True, "is_private": channel == PRIVATE}

    async def is_member(self, *, channel: str, user: str) -> bool:
        """Only the admin is in the private one."""
        return user == "U0ADMIN"

    async def is_barred(self, user: str) -> bool:
        """Bar the guest."""
        return user == "U0GUEST"


class Room(RememberingChat):
    """A direct message in which posts are found again and updated."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[dict[str, Any]] = []
        self.opened: list[str] = []

    async def open_dm(self, user: str) -> str:
        """One for each person."""
        self.opened.append(user)
        return f"D{user[1:]}"

    async def find_in_channel(self, *, nonce: str, **_: Any) -> str | None:
        """The first post with this nonce."""
        return next((str(post["ts"]) for post in self.posted if post["nonce"] == nonce), None)

    async def update(self, **content: Any) -> None:
        """Keep what is shown now."""
        self.updates.append(content)


@dataclass
class Week:
    """A week of messages, and the samples of it."""

    lines: list[dict[str, Any]]
    operators: tuple[str, ...] = (OPERATOR,)
    slack: Workspace = field(default_factory=Workspace)
    room: Room = field(default_factory=Room)
    kept: MemoryKept = field(default_factory=MemoryKept)

    def __post_init__(self) -> None:
        self.slack.words |= {line["message_id"]: line["content"] for line in self.lines if "content" in line}
        self.school, journal = School(slack=self.slack), MemoryJournal()
        journal.kept = self.lines
        self.samples = MessageSamples(
            file=self.kept,
            classified=journal,
            audit=self.school.audit,
            chat=self.room,  # type: ignore[arg-type]  # the fakes have what samples call
            channels=self.slack,
            membership=self.slack,
            members=self.slack,
            corrections=self.school.corrections,
            operators=self.operators,
            redactor=Redactor(),
            clock=HandClock(),
            url="https://acme.slack.com/",
        )

    async def press(self, action: str, number: int, *, by: str = OPERATOR, day: date = DAY) -> str:
        """Press a button of a sample; the answer is what that person is told."""
        names = {"interaction_id": fresh(), "team_id": TEAM, "user_id": by, "channel_id": "D0OPS"}
        await self.samples.handle_press(SamplePress(**names, action=action, day=day, number=number))
        return self.room.notices[-1] if self.room.notices else ""

    @property
    def drawn(self) -> list[str]:
        """The messages of the sample."""
        return [row["message_id"] for sample in self.kept.said.values() for row in sample["rows"]]


@pytest.mark.parametrize(
    ("line", "is_drawn"),
    [
        pytest.param(classified("lunch?", "1.000001"), True, id="ambient"),
        pytest.param(classified("thanks", "1.000001", "ack"), True, id="an ack"),
        pytest.param(classified("where is it set?", "1.000001", "actionable"), False, id="a question"),
        pytest.param(classified("lunch?", "1.000001", days=8), False, id="older than a week"),
        pytest.param(classified("build 12 is green", "1.000001", sender_type="bot"), False, id="by a program"),
        pytest.param(classified("!triage status", "1.000001"), False, id="a command"),
        pytest.param(classified("lunch?", "1.000001", chat_id=PRIVATE), False, id="not readable for the operator"),
        pytest.param(classified("lunch?", "666.000001"), False, id="deleted since"),
        pytest.param({"message_id": "1.000001", "classification": "ambient"}, False, id="a damaged line"),
    ],
)
async def test_only_readable_messages_that_were_left_alone_are_drawn(line: dict[str, Any], is_drawn: bool) -> None:
    """Of people, of the last week, as far as they still stand."""
    week = Week([line], slack=Workspace(deleted=("666.000001",)))
    await week.samples.post(DAY)
    assert week.drawn == (["1.000001"] if is_drawn else [])
    assert len(week.room.posted) == is_drawn


async def test_a_message_counts_as_it_was_classified_last() -> None:
    """An edit may have made it a question."""
    week = Week([classified("lunch", "1.000001"), classified("where is it set?", "1.000001", "actionable")])
    await week.samples.post(DAY)
    assert week.drawn == []


async def test_the_first_member_gets_it_and_its_words_are_redacted() -> None:
    """A member of a private channel sees its messages, too; a guest gets nothing."""
    lines = [classified(f"my key is {KEY} <!here>", "1.000001", chat_id=PRIVATE), classified("lunch", "2.000001")]
    week = Week(lines, operators=("U0GUEST", "U0ADMIN", OPERATOR))
    await week.samples.post(DAY)
    shown = str(week.room.sent)
    assert week.room.opened == ["U0ADMIN"]
    assert "lunch" in shown
    assert "my key is" in shown
    assert KEY not in shown
    assert "<!here>" not in shown


async def test_a_crash_between_post_and_record_posts_no_second_one() -> None:
    """Nor draws another lot."""
    week = Week([classified(f"words {number}", f"{number + 1}.000001") for number in range(40)])
    week.room.fail = RetryLater("Slack did not answer", after=1)
    with pytest.raises(RetryLater):
        await week.samples.post(DAY)
    drawn = week.drawn
    week.lines += [classified("and more", "99.000001", chat_id=PUBLIC)]
    await week.samples.post(DAY)
    week.kept.said = {DAY.isoformat(): week.kept.said[DAY.isoformat()] | {"ts": "", "channel": ""}}
    await week.samples.post(DAY)
    await week.samples.post(DAY)
    assert len(week.room.posted) == 1
    assert week.drawn == drawn


async def test_each_message_is_judged_once() -> None:
    """By a person whose labels count; the sample shows it, and the audit has every press."""
    week = Week([classified("lunch", "1.000001", chat_id=CHANNEL), classified("odd", "2.000001", chat_id=CHANNEL)])
    await week.samples.post(DAY)
    assert "Only operators" in await week.press("fine", 0, by=ASKER)
    week.room.notices.clear()
    assert await week.press("fine", 0) == ""
    assert "judged before" in await week.press("missed", 0)
    week.room.notices.clear()
    assert await week.press("missed", 1) == ""
    assert "*Missed*, by <@U0OPS>. Triage missed this message. Its investigation starts." in str(week.room.updates[-1])
    assert [(label["label"], label["why"]) for label in week.school.labels.kept] == [
        ("ambient", "sampled"),
        ("actionable", "missed_this"),
    ]
    assert [record["action"] for record in week.school.audit.kept] == ["fine", "fine", "missed", "missed"]


@pytest.mark.parametrize(("day", "number"), [(date(2020, 1, 6), 0), (DAY, 9)])
async def test_a_sample_that_is_not_kept_changes_nothing(day: date, number: int) -> None:
    """Nor a row that it does not have."""
    week = Week([classified("lunch", "1.000001")])
    await week.samples.post(DAY)
    assert "no longer kept" in await week.press("fine", number, day=day)
    assert week.school.labels.kept == []


async def test_what_people_have_said_before_is_judged() -> None:
    """Nobody is asked twice."""
    week = Week([classified("lunch", "1.000001", chat_id=CHANNEL)])
    await week.school.corrections.report_missed(CHANNEL, "1.000001", by="U0TEAM", interaction_id="i")
    await week.samples.post(DAY)
    assert "*Missed*, by <@U0TEAM>" in str(week.room.sent)


@pytest.mark.parametrize("action", ["fine", "missed"])
@pytest.mark.parametrize("change", ["edited", "deleted"])
async def test_a_message_that_has_changed_since_the_draw_is_not_judged(action: str, change: str) -> None:
    """Nobody has seen its new words; neither label nor rate, and its buttons go."""
    week = Week([classified("lunch", "1.000001", chat_id=CHANNEL)])
    await week.samples.post(DAY)
    if change == "edited":
        week.slack.words["1.000001"] = "why does the upload crash?"
        week.lines.append(classified("why does the upload crash?", "1.000001", "actionable", days=-1, chat_id=CHANNEL))
    else:
        week.slack.deleted = ("1.000001",)
    for _ in range(2):
        assert "edited or deleted" in await week.press(action, 0)
    assert week.school.labels.kept == []
    [sample] = week.kept.said.values()
    assert (sample["rows"][0]["judgement"], sample["rows"][0]["is_void"]) == (None, True)
    shown = str(week.room.updates[-1])
    assert "it counts nowhere" in shown
    assert "upload" not in shown
    assert "'actions'" not in shown
