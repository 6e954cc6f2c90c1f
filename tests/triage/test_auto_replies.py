"""Automatic replies: what the counts do not carry stays with a person, and each one is sent, told and ended once."""

from __future__ import annotations

import asyncio
import json
import operator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.approval.auto_reply_presses import AutoReplyPresses
from bot.decide.working_hours import DAYS, WorkingHours
from bot.errors import Refused, RetryLater
from bot.models.auto_reply import AutoReplyPress, Consent
from bot.models.judged_draft import JudgedDraft, Pool
from bot.models.settlement import Denial
from bot.models.staleness import ThreadUnread
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Bounce, Mute, NotFound, Posted, PostFailed, WasPosted
from bot.triage.auto_replies import AutoReplies
from bot.triage.auto_reply_book import AutoReplyBook
from bot.triage.auto_reply_notices import JUDGED, UNKNOWN, AutoReplyNotices
from bot.triage.controls import Controls
from bot.triage.judged_drafts import JudgedDrafts
from bot.triage.maturity_gates import MaturityGates
from tests.approval.test_message_samples import Room
from tests.builders import (
    ASKER,
    CHANNEL,
    LIMITS,
    OPERATOR,
    T0,
    TEAM,
    at,
    check,
    found,
    fresh,
    step,
    validated,
    validator,
)
from tests.decide.auto_reply.test_preconditions import passed
from tests.fakes import HandClock, MemoryJournal, MemoryKept, MemoryStore, Town, operators, orchestrator, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.models.thread_event import ThreadEvent

BOT, ADMIN = "U0TRIAGE", "U0ADMIN"
POOL = Pool(project="triage", kind="technical_qa", validator="scripted")
HOURS = WorkingHours(days=frozenset(DAYS), opens=0, closes=24 * 60, zone="UTC")
CONSENT = Consent(by=ADMIN, at=T0, shown=("0 of 160",))
TEXT = "where is the limit of retries set?"


def judgements(number: int = 160, **changes: Any) -> list[dict[str, Any]]:
    """Lines of `judgements.ndjson` of the last four weeks."""
    values: dict[str, Any] = {"pool": POOL, "verdict": "pass", "judgement": "approved"} | changes
    made = [
        JudgedDraft(
            question_id=f"T0SANDBOX-C0HELP-1.{n:06}/1",
            draft_id=f"T0SANDBOX-C0HELP-1.{n:06}/1",
            at=T0 - timedelta(days=1 + n % 27),
            **values,
        )
        for n in range(number)
    ]
    return [each.model_dump(mode="json") | {"by": OPERATOR} for each in made]


class Channel:
    """Slack's history: the question as it was sent, and what stands below it."""

    def __init__(self) -> None:
        self.first: dict[str, Any] | None = FIRST
        self.below: list[dict[str, Any]] = []

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """The first message."""
        return self.first

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """All below it."""
        return [each for each in self.below if float(each["ts"]) > float(oldest)]


class Direct(Room):
    """Slack's messages, of which each can be deleted once."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: list[str] = []
        self.breaks: list[Exception] = []

    async def delete(self, *, channel: str, ts: str) -> None:
        """Delete it, or break as the test said."""
        if self.breaks:
            raise self.breaks.pop(0)
        if ts in self.deleted:
            raise Refused("chat.delete", code="message_not_found")
        self.deleted.append(ts)

    async def find_in_channel(self, *, nonce: str, **place: Any) -> str | None:
        """The post with this nonce in that direct message."""
        posts = zip(self.sent, self.posted, strict=True)
        return next(
            (str(at["ts"]) for said, at in posts if (said["channel"], at["nonce"]) == (place["channel"], nonce)), None
        )

    async def is_barred(self, user: str) -> bool:
        """Nobody is."""
        return False


@dataclass
class Draft:
    """What has changed since a draft was made."""

    events: list[ThreadEvent] = field(default_factory=list)

    async def changes(self, _: Thread) -> AsyncIterator[ThreadEvent]:
        """Each of them."""
        for event in self.events:
            yield event


@dataclass
class Home:
    """What outlives a process: documents, journals, files, and Slack."""

    store: MemoryStore = field(default_factory=MemoryStore)
    judged: MemoryJournal = field(default_factory=MemoryJournal)
    words: MemoryJournal = field(default_factory=MemoryJournal)
    posted: MemoryJournal = field(default_factory=MemoryJournal)
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    consents: MemoryKept = field(default_factory=MemoryKept)
    replies: MemoryKept = field(default_factory=MemoryKept)
    gates: MemoryKept = field(default_factory=MemoryKept)
    slack: Direct = field(default_factory=Direct)


class Desk:
    """A bot whose drafts begin to wait, and the people around it; a second one on the same home is its next start."""

    def __init__(self, home: Home | None = None, *, lines: list[dict[str, Any]] | None = None) -> None:
        self.home = home or Home()
        self.store, self.audit, self.slack = self.home.store, self.home.audit, self.home.slack
        self.channel, self.clock, self.fresh = Channel(), HandClock(), Draft()
        if lines is not None:
            self.home.judged.kept = lines
        self.effects: list[Any] = []
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={CHANNEL: "live"})
        self.orchestrator = orchestrator(self.store, run=self._run, controls=self.controls)
        self.book = AutoReplyBook(
            consents_file=self.home.consents, replies_file=self.home.replies, gates_file=self.home.gates
        )
        judged = JudgedDrafts(journal=self.home.judged, feedback=self.home.words)
        self.gates = MaturityGates(
            judged=judged,
            book=self.book,
            chat=self.slack,  # type: ignore[arg-type]  # the fake has what is called
            members=self.slack,
            people=(OPERATOR, ADMIN),
            clock=self.clock,
        )
        self.notices = AutoReplyNotices(
            book=self.book,
            judged=judged,
            chat=self.slack,  # type: ignore[arg-type]  # the fake has what is called
            history=self.channel,  # type: ignore[arg-type]  # it has what is called
            members=self.slack,
            replies=self.home.posted,
            words=self.home.words,
            others=(ADMIN,),
            bot_user_id=BOT,
            url="https://acme.slack.com/",
            clock=self.clock,
        )
        self.replies = AutoReplies(
            orchestrator=self.orchestrator,
            judged=judged,
            gates=self.gates,
            book=self.book,
            notices=self.notices,
            freshness=self.fresh,  # type: ignore[arg-type]  # the same
            history=self.channel,  # type: ignore[arg-type]  # the same
            controls=self.controls,
            audit=self.audit,
            clock=self.clock,
            hours=HOURS,
            bot_user_id=BOT,
        )
        self.orchestrator.followers.each.append(self.replies)
        self.presses = AutoReplyPresses(
            notices=self.notices,
            gates=self.gates,
            operators=operators(OPERATOR),
            store=self.store,
            chat=self.slack,  # type: ignore[arg-type]  # the fake has what is called
            audit=self.audit,
            clock=self.clock,
        )

    async def _run(self, thread: Thread, effect: Any) -> None:
        self.effects.append(type(effect).__name__)

    async def begin(self) -> None:
        """Start on what is saved."""
        await self.book.load()
        await self.orchestrator.start()
        await self.replies.resume()
        await settle()

    async def draft(self, text: str = TEXT) -> Thread:
        """Have a draft begin to wait; return its thread after all that comes of it."""
        thread = passed(text)
        earlier = thread.evolve(
            status="awaiting-validation", run_id="run1", judged=(), verdict=None, validator_return=None, revision=3
        )
        saved = await self.store.save(earlier)
        event = validated(saved, check(), validator_return=validator(), run_id="run1")
        await self.orchestrator.submit(saved.thread_id, event)
        return await self.now(saved.thread_id)

    async def now(self, thread_id: str) -> Thread:
        """The thread after all that is under way."""
        for _ in range(5):
            await settle()
        thread = await self.store.load(thread_id)
        assert thread
        return thread

    async def post(self, thread: Thread, ts: str = "200.000001") -> Thread:
        """Let the reply be posted."""
        assert thread.draft_pending
        record = {"draft_id": thread.draft_pending.draft_id, "posted_message_id": ts, "is_automatic": True}
        await self.home.posted.append(record)
        await self.orchestrator.submit(thread.thread_id, Posted(at=at(20), fresh=fresh(), ts=ts))
        return await self.now(thread.thread_id)

    async def press(self, thread: Thread, action: str = "take_back", by: str = OPERATOR) -> str:
        """Press a button of the notice; return what the person is told."""
        assert thread.draft_pending
        before = len(self.slack.notices)
        press = AutoReplyPress(
            interaction_id=fresh(),
            team_id=TEAM,
            user_id=by,
            channel_id="D0OPS",
            action=action,
            thread_id=thread.thread_id,
            draft_id=thread.draft_pending.draft_id,
        )
        await self.presses.handle_press(press)
        for _ in range(5):
            await settle()
        return "".join(self.slack.notices[before:])


async def earned(lines: list[dict[str, Any]] | None = None) -> Desk:
    """A desk with an open gate and an admin's consent."""
    desk = Desk(lines=judgements() if lines is None else lines)
    await desk.begin()
    await desk.book.switch(CHANNEL, CONSENT)
    return desk


async def test_an_earned_reply_is_approved_with_all_its_figures() -> None:
    """By the bot, through the same effect; the audit has the counts and the consent."""
    desk = await earned()
    thread = await desk.draft()
    assert thread.decision
    assert (thread.status, thread.decision.action, thread.decision.by) == ("approved", "auto_reply", BOT)
    assert desk.effects == ["PostReply"]
    (line,) = desk.audit.kept
    assert (line["figures"]["cases"], line["figures"]["false_passes"], line["consent"]["by"]) == (160, 0, ADMIN)
    assert "0 of 160" in thread.decision.reason


QUOTED = {
    "type": "rich_text",
    "elements": [{"type": "rich_text_quote", "elements": [{"type": "user", "user_id": BOT}]}],
}
FIRST: dict[str, Any] = {"ts": "100.000001", "user": ASKER, "text": f"<@{BOT}> {TEXT}"}


class PausedProject:
    """Projects, one of which a command has paused."""

    def why_waits(self, _: Thread) -> str:
        """Say so."""
        return "the project is paused"


CHANGES: dict[str, tuple[str, Any]] = {
    "paused": ("controls.state", "paused"),
    "stopped": ("controls.state", "stopped"),
    "muted": ("controls.muted", {f"{TEAM}-{CHANNEL}-100.000001": T0}),
    "practice": ("controls.modes", {CHANNEL: "preview"}),
    "away": ("controls.away", {CHANNEL}),
    "off": ("book.consents", {}),
    "two approvers": ("orchestrator.limits", replace(LIMITS, second_approver=True)),
    "project paused": ("orchestrator.projects", PausedProject()),
    "ending": ("replies._is_ending", True),
    "night": ("replies.hours", WorkingHours(days=frozenset({"sun"}), opens=0, closes=60, zone="UTC")),
    "no hours": ("replies.hours", None),
    "stale": ("fresh.events", [ThreadUnread(at=at(5), fresh=fresh())]),
    "answered": ("channel.below", [{"ts": "101.000001", "user": "U0BEN", "text": "it is 3"}]),
    "no mention": ("channel.first", FIRST | {"text": TEXT}),
    "a quoted mention": ("channel.first", FIRST | {"text": f"&gt; <@{BOT}>\n{TEXT}", "blocks": [QUOTED]}),
    "deleted": ("channel.first", None),
    "edited": ("channel.first", FIRST | {"edited": {"user": ASKER, "ts": "101.000001"}}),
}
"""One thing around a draft, each of which leaves it to a person: the attribute of a desk, and its value."""


def _of(change: str, desk: Desk) -> None:
    """Change one thing."""
    path, value = CHANGES[change]
    owner, _, name = path.rpartition(".")
    setattr(operator.attrgetter(owner)(desk), name, value)


@pytest.mark.parametrize("change", CHANGES)
async def test_a_person_decides_where_anything_stands_against_it(change: str) -> None:
    """Each alone; nothing is posted, and nothing is left in the book."""
    desk = await earned()
    _of(change, desk)
    thread = await desk.draft()
    assert thread.status == "pending-user"
    assert (desk.effects, desk.book.replies, desk.audit.kept) == ([], {}, [])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="a model that passes everything, judged by nobody"),
        pytest.param(judgements(148), id="one too few"),
        pytest.param(judgements(1) * 500, id="one question, recorded 500 times"),
        pytest.param(judgements(judgement="dismissed"), id="dismissals"),
        pytest.param(
            judgements(pool=Pool(project="triage", kind="technical_qa", validator="other")), id="another model"
        ),
        pytest.param(judgements(pool=Pool(project="other", kind="technical_qa", validator="scripted")), id="project"),
        pytest.param([{"judgement": "approved", "at": T0.isoformat()}] * 500, id="lines of another form"),
    ],
)
async def test_nothing_opens_a_gate_but_the_counts(lines: list[dict[str, Any]]) -> None:
    """Confidence and passes of a hostile model are no cases."""
    desk = await earned(lines)
    assert (await desk.draft()).status == "pending-user"


WRONG = json.dumps(judgements(1, judgement="bounced")[0])
OLD = json.dumps(judgements(1)[0] | {"at": (T0 - timedelta(days=91)).isoformat()})


@pytest.mark.parametrize(
    ("first", "last", "damaged"),
    [
        pytest.param("", "", 0, id="sound"),
        pytest.param("", WRONG[:90], 1, id="cut"),
        pytest.param("", WRONG.replace("bounced", "bo\x00nced"), 1, id="a byte"),
        pytest.param("", WRONG.replace("bounced", "bXunced"), 1, id="a letter"),
        pytest.param(f"{WRONG[:90]}\n{WRONG}{WRONG}", "", 2, id="before the others"),
        pytest.param(f"{WRONG[:90]}\n{OLD}", "", 0, id="too old to count"),
    ],
)
async def test_a_damaged_judgement_closes_the_gate_and_says_so(
    tmp_path: Path, first: str, last: str, damaged: int
) -> None:
    """It may have said that a draft was wrong; one that was removed closes nothing."""
    lines = "".join(f"{json.dumps(each)}\n" for each in judgements())
    (tmp_path / "judgements.ndjson").write_text(f"{first}\n{lines}{last}")
    desk = await earned()
    desk.gates.judged = JudgedDrafts(
        journal=NdjsonJournal(tmp_path / "judgements.ndjson", stop=None), feedback=desk.home.words
    )
    maturity = await desk.gates.judge(POOL)
    ((_, same),) = await desk.gates.judge_all()
    assert (maturity.is_open, same) == (not damaged, maturity)
    does = f"{damaged} line{' does' if damaged == 1 else 's do'} not parse in judgements.ndjson"
    assert maturity.reason.startswith(does) is bool(damaged)


async def test_thumbs_and_thanks_of_members_open_nothing() -> None:
    """However many there are, for however many drafts."""
    desk = await earned(judgements(140))
    for n in range(300):
        vote = {"vote": "up", "draft_id": f"T0SANDBOX-C0HELP-1.{n:06}/1", "by": f"U{n}", "at": T0.isoformat()}
        await desk.home.words.append(vote | {"reason": None, "text": ""})
    assert (await desk.draft()).status == "pending-user"


async def test_judgements_are_recorded_with_the_decision_once() -> None:
    """A press that is repeated, also by a replay, adds no case."""
    desk = Desk(lines=[])
    await desk.begin()
    thread = await desk.draft()
    ids = thread.press_ids
    for _ in range(3):
        await desk.orchestrator.submit(thread.thread_id, Approve(at=at(9), fresh=fresh(), by=OPERATOR, **ids))
    (line,) = desk.home.judged.kept
    assert (line["judgement"], line["by"], line["question_id"]) == ("approved", OPERATOR, f"{thread.thread_id}/1")


async def test_a_bounce_is_recorded_when_it_is_pressed() -> None:
    """The next draft of the question adds nothing to it."""
    desk = Desk(lines=[])
    await desk.begin()
    thread = await desk.draft()
    ids = thread.press_ids
    bounce = Bounce(at=at(9), fresh=fresh(), by=OPERATOR, code="wrong", **ids)
    thread = (await desk.orchestrator.submit(thread.thread_id, bounce)).thread or thread
    await desk.orchestrator.submit(thread.thread_id, found(thread, "It is in `bot/b.py:1`."))
    thread = await desk.now(thread.thread_id)
    await desk.orchestrator.submit(thread.thread_id, validated(thread, check(), validator_return=validator()))
    thread = await desk.now(thread.thread_id)
    ids = thread.press_ids
    await desk.orchestrator.submit(thread.thread_id, Approve(at=at(30), fresh=fresh(), by=OPERATOR, **ids))
    assert [line["judgement"] for line in desk.home.judged.kept] == ["bounced"]


async def test_the_operator_is_told_once_also_over_a_crash() -> None:
    """The notice is looked for before it is posted again."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    assert [post["nonce"] for post in desk.slack.posted] == [
        f"auto-{thread.draft_pending and thread.draft_pending.draft_id}"
    ]
    assert "Take Back" in str(desk.slack.sent[0]["blocks"])
    (name, kept), *_ = desk.home.replies.said.items()
    desk.home.replies.said = {name: kept | {"notice": ""}}
    again = Desk(desk.home)
    await again.begin()
    assert sum(post["nonce"].startswith("auto-") for post in desk.slack.posted) == 1
    assert again.book.replies[name].notice


@pytest.mark.parametrize(("action", "count"), [("auto_reply", 1), ("approve", 0)])
async def test_a_reply_that_a_person_approved_is_announced_as_no_automatic_one(action: Any, count: int) -> None:
    """Also if the book still has it, since it could not be written."""
    desk = await earned()
    approved = await desk.draft()
    assert approved.decision
    decided = approved.evolve(decision=approved.decision.evolve(action=action))
    desk.replies.follow(decided, decided.evolve(status="closed", posted_message_id="900.000001"))
    await asyncio.gather(*desk.replies._tasks)
    assert len(desk.slack.posted) == count


async def test_a_reply_that_a_crash_kept_from_its_approval_is_forgotten() -> None:
    """It was in the book already; its draft waits for a person."""
    desk = await earned()
    thread = await desk.draft()
    (name,) = desk.book.replies
    waiting = thread.evolve(status="pending-user", decision=None)
    desk.store.saved[thread.thread_id] = waiting
    desk.audit.kept.clear()
    desk.home.replies.said[name] |= {"is_audited": False}
    again = Desk(desk.home)
    await again.begin()
    assert (again.book.replies, again.effects) == ({}, [])
    assert (await again.now(thread.thread_id)).status == "pending-user"


async def test_an_approval_that_a_crash_kept_from_the_audit_is_written_at_the_start() -> None:
    """And its reply is looked for before it is posted."""
    desk = await earned()
    await desk.draft()
    (name,) = desk.book.replies
    desk.audit.kept.clear()
    desk.home.replies.said[name] |= {"is_audited": False}
    again = Desk(desk.home)
    await again.begin()
    assert [line["draft_id"] for line in again.audit.kept] == [name]
    assert again.effects == ["PostReply"]


async def test_an_approval_of_an_older_document_is_void() -> None:
    """Nothing of it stays in the book."""
    desk = await earned()
    _of("paused", desk)
    thread = await desk.draft()
    desk.controls.state = "running"
    assert not await desk.replies._approve(thread.evolve(version=99))
    assert desk.book.replies == {}


async def test_an_empty_journal_begins_with_the_documents() -> None:
    """Decisions of the time before it, once."""
    desk = Desk(lines=[])
    await desk.begin()
    thread = await desk.draft()
    await desk.orchestrator.submit(thread.thread_id, Approve(at=at(9), fresh=fresh(), by=OPERATOR, **thread.press_ids))
    desk.home.judged.kept = []
    for _ in range(2):
        await desk.replies.judged.fill(desk.store, T0 - timedelta(days=30_000))
    assert [line["judgement"] for line in desk.home.judged.kept] == ["approved"]
    desk.home.judged.kept = []
    await desk.replies.judged.fill(desk.store, T0)  # it is older
    assert desk.home.judged.kept == []


async def test_a_refused_reply_is_left_to_a_person() -> None:
    """Slack refused it: the card is stale, and the book has nothing of it."""
    desk = await earned()
    thread = await desk.draft()
    await desk.orchestrator.submit(thread.thread_id, PostFailed(at=at(20), fresh=fresh(), reason="It was refused."))
    thread = await desk.now(thread.thread_id)
    assert (thread.status, desk.book.replies) == ("pending-user", {})


def fates(thread: Thread) -> dict[str, list[ThreadEvent]]:
    """Ways to end a question whose automatic reply has no message that anybody could take back."""
    lost = NotFound(at=at(21), fresh=fresh(), is_unread=True)
    return {
        "muted before it was posted": [Mute(at=at(20), fresh=fresh()), lost],
        "a person says that it is there": [
            lost,
            WasPosted(at=at(23), fresh=fresh(), by=OPERATOR, **thread.press_ids),
        ],
        "muted in doubt": [lost, Mute(at=at(24), fresh=fresh())],
    }


@pytest.mark.parametrize("is_crash", [False, True])
@pytest.mark.parametrize("fate", fates(passed(TEXT)))
async def test_a_reply_without_a_known_message_leaves_nothing_in_the_book(fate: str, is_crash: bool) -> None:
    """Also if a crash came before the book was written."""
    desk = await earned()
    thread = await desk.draft()
    kept = dict(desk.home.replies.said)
    for event in fates(thread)[fate]:
        await desk.orchestrator.submit(thread.thread_id, event)
    assert (await desk.now(thread.thread_id)).status == "closed"
    if is_crash:
        desk.home.replies.said = kept
        desk = Desk(desk.home)
        await desk.begin()
    assert (desk.book.replies, desk.home.replies.said) == ({}, {})
    assert len(desk.audit.kept) == 1


class FullFile(MemoryKept):
    """A file that takes no entry, only the lack of one."""

    async def write(self, content: dict[str, Any]) -> None:
        """Refuse it."""
        if content:
            raise RetryLater("no space left")
        await super().write(content)


async def test_a_reply_that_cannot_be_saved_is_neither_approved_nor_kept() -> None:
    """Its draft waits for a person."""
    desk = await earned()
    desk.book.replies_file = FullFile()
    thread = await desk.draft()
    assert (thread.status, desk.book.replies, desk.effects) == ("pending-user", {}, [])


async def test_take_back_deletes_the_reply_counts_once_and_closes_the_gate() -> None:
    """Operators and admins are told of the closing once, also over a start; only judgements open it again."""
    desk = await earned()
    await desk.gates.check()
    thread = await desk.post(await desk.draft())
    assert await desk.press(thread) == ""
    assert desk.slack.deleted == ["200.000001"]
    assert await desk.press(thread) == JUDGED
    assert [line["judgement"] for line in desk.home.judged.kept[160:]] == ["taken_back"]
    assert [line["vote"] for line in desk.home.words.kept] == ["bounced"]
    again = Desk(desk.home)
    await again.begin()
    await again.gates.check()
    told = [post["channel"] for post in desk.slack.sent if "has closed" in post["text"]]
    assert told == ["D0OPS", "D0ADMIN"]
    assert not (await again.gates.judge(POOL)).is_open


async def test_a_reply_with_messages_below_is_corrected() -> None:
    """Those who wrote there would else answer nothing."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    desk.channel.below = [{"ts": "201.000001", "user": "U0BEN", "text": "hm"}]
    await desk.press(thread)
    assert desk.slack.deleted == []
    assert [each["ts"] for each in desk.slack.updates][:1] == ["200.000001"]
    assert "taken it back" in desk.slack.updates[0]["text"]


@pytest.mark.parametrize("how", ["press", "start"])
async def test_a_take_back_that_broke_is_gone_on_with(how: str) -> None:
    """By the next press, and by the next start."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    desk.slack.breaks = [RetryLater("Slack is away")]
    assert "did not work" in await desk.press(thread)
    if how == "press":
        assert await desk.press(thread) == ""
    else:
        await Desk(desk.home).begin()
    assert desk.slack.deleted == ["200.000001"]
    counted = {line["question_id"] for line in desk.home.judged.kept if line["judgement"] == "taken_back"}
    assert len(counted) == 1


async def test_a_reply_that_slack_does_not_let_go_is_corrected() -> None:
    """Some workspaces let no bot delete."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    desk.slack.breaks = [Refused("chat.delete", code="cant_delete_message")]
    assert await desk.press(thread) == ""
    assert "taken it back" in desk.slack.updates[0]["text"]


async def test_after_a_reply_that_was_taken_back_a_person_decides_in_its_thread() -> None:
    """Also where the gate is still open; and so below a reply that did not help."""
    desk = await earned(judgements(400))
    thread = await desk.post(await desk.draft())
    assert await desk.press(thread) == ""
    assert (await desk.gates.judge(POOL)).is_open
    desk.store.saved.clear()
    assert (await desk.draft()).status == "pending-user"
    denial = Denial(at=T0, by=ASKER, message_id="101.000001", reply="100.000009", question_round=1)
    assert desk.replies._why_person_decides(thread.evolve(denied=(denial,)))


async def test_a_confirmed_reply_is_a_case_and_may_be_taken_back_later() -> None:
    """The worse judgement counts then."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    await desk.press(thread, "is_right")
    assert (await desk.gates.judge(POOL)).weeks[-1].cases == 1
    await desk.press(thread, "take_back")
    present = (await desk.gates.judge(POOL)).weeks[-1]
    assert (present.cases, present.false_passes) == (1, 1)


async def test_an_admin_takes_a_reply_back_and_a_guest_who_is_named_as_one_does_not() -> None:
    """Whoever allows automatic replies may end them."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    town = Town()
    town.guests = {"U0GUEST"}
    people = operators(OPERATOR, town=town)
    people.admins = frozenset({ADMIN, "U0GUEST"})
    desk.presses = replace(desk.presses, operators=people)
    assert "Only an operator" in await desk.press(thread, by="U0GUEST")
    assert await desk.press(thread, by=ADMIN) == ""
    assert desk.slack.deleted == ["200.000001"]


async def test_only_people_who_may_approve_take_a_reply_back() -> None:
    """A member is refused, and nothing happens."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    assert "Only an operator" in await desk.press(thread, by=ASKER)
    assert desk.slack.deleted == []
    desk.book.replies = {}
    assert await desk.press(thread) == UNKNOWN


async def test_wrong_answer_of_anybody_closes_the_gate() -> None:
    """A reader's thumb down with a reason on an automatic reply that nobody else judged."""
    desk = await earned()
    await desk.gates.check()
    thread = await desk.post(await desk.draft())
    assert thread.draft_pending
    word = {"vote": "down", "reason": "wrong_answer", "text": "", "by": ASKER, "at": T0.isoformat()}
    await desk.home.words.append(word | {"draft_id": thread.draft_pending.draft_id})
    await desk.gates.check()
    assert [post["channel"] for post in desk.slack.sent if "has closed" in post["text"]] == ["D0OPS", "D0ADMIN"]
    desk.home.words.kept = []
    assert not (await desk.gates.judge(POOL)).is_open
    await desk.gates.check()
    (saved,) = [line for line in desk.home.judged.kept if line["judgement"] == "unhelpful"]
    assert ASKER not in saved.values()


async def test_each_opening_and_closing_of_a_gate_is_told_once() -> None:
    """To operators and admins, and to nobody before a channel is on."""
    desk = await earned()
    await desk.gates.check()
    for n in range(2):
        wrong = judgements(1, judgement="edited")[0] | {"question_id": f"T-C-9.{n}/1", "at": T0.isoformat()}
        desk.home.judged.kept = [*judgements(), wrong]
        await desk.gates.check()
        desk.home.judged.kept = judgements()
        await desk.clock.move(1)
        await desk.gates.check()
    assert sum("has closed" in post["text"] for post in desk.slack.sent) == 4
    assert sum("is open" in post["text"] for post in desk.slack.sent) == 6


async def test_two_presses_at_once_count_once() -> None:
    """The second is told so."""
    desk = await earned()
    thread = await desk.post(await desk.draft())
    await asyncio.gather(desk.press(thread), desk.press(thread))
    assert desk.slack.deleted == ["200.000001"]
    assert step(thread, Posted(at=at(40), fresh=fresh(), ts="1.1")).accepted is False
