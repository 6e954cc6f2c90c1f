"""Feedback: what is kept of a reader's word, who hears of it, and how it is read."""

from __future__ import annotations

from typing import Any

import pytest

from blocks.feedback import complaint, thumbs
from bot.approval.feedback import Feedback
from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.feedback import Complaint, Vote, read_complaint, read_vote
from bot.models.thread import Thread
from tests.builders import OPERATOR, TEAM, added, fresh, moved
from tests.fakes import HandClock, MemoryJournal, MemoryStore

DRAFT = "T0SANDBOX-C0HELP-100.000001/1"


class Chat:
    """Keeps which dialogs were opened and what was whispered."""

    def __init__(self) -> None:
        self.opened: list[dict[str, Any]] = []
        self.triggers: list[str] = []
        self.whispers: list[str] = []
        self.addressed: list[dict[str, Any]] = []
        self.fail: Exception | None = None
        self.is_silent = False

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open, or fail as the test said."""
        if self.fail:
            raise self.fail
        self.opened.append(view)
        self.triggers.append(trigger_id)

    async def post_ephemeral(self, *, text: str, **to: Any) -> None:
        """Keep it, with its channel, user and thread; or fail as the test said."""
        if self.is_silent:
            raise RetryLater("chat.postEphemeral")
        self.whispers.append(text)
        self.addressed.append(to)


class Told:
    """Keeps what the operator was told, and under which message."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, tuple[str, str] | None]] = []

    def send(self, text: str, *, under: tuple[str, str] | None = None, logged: bool = True) -> None:
        """Keep it; no reader's words go to the log."""
        assert logged is False
        self.lines.append((text, under))


class Unread(MemoryStore):
    """A store that cannot be read now."""

    async def load(self, thread_id: str) -> Thread | None:
        """Fail."""
        raise RetryLater(thread_id)


class Counter:
    """Where thumbs are counted, in memory."""

    def __init__(self, *threads: Thread) -> None:
        self.journal, self.audit, self.chat, self.told = MemoryJournal(), MemoryJournal(), Chat(), Told()
        store = MemoryStore()
        store.saved = {thread.thread_id: thread for thread in threads}
        self.feedback = Feedback(
            journal=self.journal,
            audit=self.audit,
            store=store,
            chat=self.chat,  # type: ignore[arg-type]  # the fakes have what feedback calls
            notices=self.told,  # type: ignore[arg-type]  # as above
            clock=HandClock(),
            redactor=Redactor(),
        )

    @property
    def kept(self) -> list[tuple[str, str, str | None]]:
        """By whom, which thumb, why."""
        return [(word["by"], word["vote"], word["reason"]) for word in self.journal.kept]


def vote(thumb: str = "up", by: str = "U0ANA") -> Vote:
    """A thumb under the reply."""
    read = read_vote(pressed(f"{thumb} {DRAFT}", by=by))
    assert read
    return read


def pressed(value: Any, by: str = "U0ANA") -> dict[str, Any]:
    """What Slack sends of it."""
    return {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": by},
        "channel": {"id": "C0HELP"},
        "container": {"type": "message", "message_ts": "200.000002"},
        "trigger_id": "t",
        "actions": [{"action_id": "feedback", "type": "feedback_buttons", "value": value, "action_ts": fresh()}],
    }


def submitted(reason: str | None = "outdated", text: str | None = None, **changes: Any) -> dict[str, Any]:
    """The dialog as Slack sends it."""
    option = {"selected_option": {"value": reason} if reason else None}
    view = {
        "id": "V1",
        "callback_id": "feedback",
        "private_metadata": f"{DRAFT} 200.000002",
        "state": {"values": {"reason": {"reason": option}, "text": {"text": {"value": text}}}},
    }
    return {"type": "view_submission", "team": {"id": TEAM}, "user": {"id": "U0ANA"}, "view": view | changes}


def why(reason: str | None = "outdated", text: str | None = None) -> Complaint:
    """The same, read."""
    read = read_complaint(submitted(reason, text))
    assert read
    return read


async def test_a_thumb_up_is_kept_and_thanked_for() -> None:
    """With the reply's ts and its draft's id; nobody else hears of it."""
    counter = Counter()
    await counter.feedback.record_vote(vote())
    (kept,) = counter.journal.kept
    assert (kept["posted_message_id"], kept["draft_id"]) == ("200.000002", DRAFT)
    assert counter.kept == [("U0ANA", "up", None)]
    assert (counter.told.lines, counter.chat.opened) == ([], [])
    assert "Thank you" in counter.chat.whispers[0]
    assert (counter.audit.kept[0]["action"], counter.audit.kept[0]["user_id"]) == ("feedback", "U0ANA")


async def test_a_thumb_down_counts_before_its_dialog_is_answered() -> None:
    """The operator hears of it once a person, however often it is pressed."""
    counter = Counter()
    for by in ("U0ANA", "U0ANA", "U0BEN"):
        await counter.feedback.record_vote(vote("down", by))
    assert counter.kept == [("U0ANA", "down", None), ("U0ANA", "down", None), ("U0BEN", "down", None)]
    assert len(counter.told.lines) == 2
    assert [view["private_metadata"] for view in counter.chat.opened] == [f"{DRAFT} 200.000002"] * 3


async def test_the_operator_is_told_under_the_card_of_that_draft() -> None:
    """And in the direct message where the thread has gone on to another one."""
    asked = moved(None, added())
    card = asked.card.evolve(channel="D0OPS", ts="9.9")
    drafted = Counter(asked.evolve(card=card, draft_pending=_draft(DRAFT)))
    await drafted.feedback.record_complaint(why("wrong_source", "see <!channel>"))
    assert drafted.told.lines == [
        ("Thumb down on this reply by <@U0ANA>: wrong source: see &lt;!channel&gt;", ("D0OPS", "9.9"))
    ]
    gone_on = Counter(asked.evolve(card=card, draft_pending=_draft(f"{DRAFT}1")))
    await gone_on.feedback.record_vote(vote("down"))
    assert gone_on.told.lines == [
        ("Thumb down on the reply to T0SANDBOX-C0HELP-100.000001 by <@U0ANA>.", None),
    ]


async def test_a_dialog_without_a_word_is_refused() -> None:
    """Something must be said; either is enough. Secrets are not kept."""
    counter = Counter()
    assert list(await counter.feedback.record_complaint(why(None, "  "))) == ["reason"]
    assert counter.journal.kept == []
    secret = "xoxb-" + "1234567890-abcdefghij"
    assert await counter.feedback.record_complaint(why(None, f"it leaked {secret}")) == {}
    assert counter.kept == [("U0ANA", "down", None)]
    assert secret not in counter.journal.kept[0]["text"]
    assert ("text" in counter.audit.kept[0], counter.audit.kept[0]["replayed"]) == (False, False)


async def test_a_replayed_thumb_is_kept_and_bothers_nobody() -> None:
    """No dialog opens after a restart."""
    counter = Counter()
    await counter.feedback.record_vote(vote("down"), replayed=True)
    await counter.feedback.record_vote(vote("up", OPERATOR), replayed=True)
    assert [thumb for _, thumb, _ in counter.kept] == ["down", "up"]
    assert (counter.chat.opened, counter.chat.whispers) == ([], [])


async def test_a_dialog_that_opens_too_late_costs_no_thumb() -> None:
    """Whoever pressed is told how to go on."""
    counter = Counter()
    counter.chat.fail = RetryLater("views.open")
    await counter.feedback.record_vote(vote("down"))
    assert counter.kept == [("U0ANA", "down", None)]
    assert "press it again" in counter.chat.whispers[0]


async def test_the_reader_alone_is_thanked_in_the_thread_of_the_reply() -> None:
    """In the channel in which they voted, below the question."""
    counter = Counter()
    await counter.feedback.record_vote(vote())
    assert counter.chat.addressed == [{"channel": "C0HELP", "user": "U0ANA", "thread_ts": "100.000001"}]
    await counter.feedback.record_vote(vote("down"))
    assert counter.chat.triggers == ["t"]


@pytest.mark.parametrize("replayed", [False, True])
async def test_feedback_is_kept_with_its_ids_and_audited_without_its_text(replayed: bool) -> None:
    """The audit says when and of which delivery; the trigger is nothing to keep."""
    counter = Counter()
    word, complained = vote("down"), why("outdated", "it moved")
    await counter.feedback.record_vote(word, replayed=replayed)
    await counter.feedback.record_complaint(complained, replayed=replayed)
    ids = {
        "thread_id": "T0SANDBOX-C0HELP-100.000001",
        "posted_message_id": "200.000002",
        "draft_id": DRAFT,
        "by": "U0ANA",
    }
    now = HandClock().now().isoformat()
    assert counter.journal.kept == [
        {"at": now, "interaction_id": word.interaction_id, "vote": "down", "reason": None, "text": "", **ids},
        {
            "at": now,
            "interaction_id": complained.interaction_id,
            "vote": "down",
            "reason": "outdated",
            "text": "it moved",
        }
        | ids,
    ]
    for record, of in zip(counter.audit.kept, (word, complained), strict=True):
        assert (record["at"], record["interaction_id"]) == (now, of.interaction_id)
        assert (record["result"], record["replayed"]) == ("done", replayed)
        assert not {"trigger_id", "text"} & record.keys()


async def test_a_reason_without_words_is_told_as_it_is() -> None:
    """No colon stands before nothing."""
    counter = Counter()
    await counter.feedback.record_complaint(why("outdated", None))
    assert counter.told.lines[0][0].endswith(": outdated")


async def test_the_operator_is_told_the_first_thousand_characters() -> None:
    """The journal has them all."""
    counter = Counter()
    await counter.feedback.record_complaint(why(None, "x" * 1_001))
    assert counter.told.lines[0][0].endswith(f": {'x' * 999}…")
    assert counter.journal.kept[0]["text"] == "x" * 1_001


async def test_feedback_counts_though_nobody_can_be_told() -> None:
    """Neither the reader, nor where the card is."""
    counter = Counter()
    counter.chat.is_silent = True
    counter.feedback.store = Unread()
    await counter.feedback.record_vote(vote("up", "U0BEN"))
    await counter.feedback.record_vote(vote("down"))
    assert counter.kept == [("U0BEN", "up", None), ("U0ANA", "down", None)]
    assert [under for _, under in counter.told.lines] == [None]


@pytest.mark.parametrize("value", [None, 5, "up", f"{DRAFT} up", f"sideways {DRAFT}", f"up {DRAFT} more", "up T0/1"])
def test_another_press_is_no_vote(value: Any) -> None:
    """What does not name a thumb and a draft counts for nothing."""
    assert read_vote(pressed(value)) is None


@pytest.mark.parametrize(
    "changes",
    [{"callback_id": "edit"}, {"private_metadata": DRAFT}, {"private_metadata": 5}, {"state": {"values": {}}}],
)
def test_another_dialog_is_no_complaint(changes: dict[str, Any]) -> None:
    """Those behind a card's buttons least of all."""
    assert read_complaint(submitted(**changes)) is None


def test_a_reason_that_was_never_offered_is_no_complaint() -> None:
    """Slack's payload is not trusted with more than it was given."""
    assert read_complaint(submitted("because")) is None


def test_thumbs_and_their_dialog_name_the_draft() -> None:
    """The longest ids stay within what Slack takes."""
    longest = f"T{'0' * 30}-C{'0' * 30}-{'1' * 12}.{'2' * 9}/999999"
    [buttons] = thumbs(longest)["elements"]
    halves = (buttons["positive_button"], buttons["negative_button"])
    assert [half["value"].partition(" ")[0] for half in halves] == ["up", "down"]
    for half in halves:
        read = read_vote(pressed(half["value"]))
        assert read
        assert read.draft_id == longest
    assert len(complaint(longest, f"{'1' * 12}.{'2' * 9}")["private_metadata"]) < 3_000


def _draft(draft_id: str) -> dict[str, Any]:
    return {"draft_id": draft_id, "nonce": "n", "text": "t", "payload": "{}", "sha256": "0"}
