"""Hints: checked when written, read and posted; what cannot be asked permits nothing."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import pytest

from bot.errors import RetryLater
from bot.models.hint import SUMMARY, Visibility, summary
from bot.models.staleness import HintsWithdrawn
from bot.models.thread import Thread
from bot.triage.hints import MOST_REPLIES, ChannelLook, Hints
from bot.triage.open_threads import OpenThreads
from tests.builders import added, at, check, fresh, moved
from tests.decide.test_workflow import pending
from tests.fakes import MemoryJournal, MemoryStore

ABOUT: dict[str, dict[str, Any]] = {
    "public": {"is_channel": True, "is_private": False},
    "private": {"is_channel": True, "is_private": True},
    "direct": {"is_im": True},
    "group": {"is_mpim": True, "is_private": True},
    "shared": {"is_channel": True, "is_private": False, "is_ext_shared": True},
}
POSTED = "The limit is three.\nIt stands in `bot/a.py:1`."


class Slack:
    """Knows the readers of some channels and which replies stand; silent about other channels."""

    def __init__(self, *, deleted: bool = False, **channels: str) -> None:
        self.channels = channels
        self.deleted = deleted
        self.asked: list[str] = []

    async def channel(self, channel: str) -> dict[str, Any]:
        """Its description."""
        self.asked.append(channel)
        if channel not in self.channels:
            raise RetryLater("no answer")
        return ABOUT[self.channels[channel]]

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """A posted reply."""
        self.asked.append(f"{channel} {ts}")
        return None if self.deleted else {"ts": ts}

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """Nothing."""
        return []

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Nothing."""
        return []


def other(written: Visibility | None = "public", *, project: str = "triage", number: int = 1, **keys: Any) -> Thread:
    """A question in C0OTHER with a draft; its words must not leave it."""
    thread = pending().evolve(visibility=written, evidence_checks=(check(), check("failed", "b.py:1")), project=project)
    return thread.evolve(thread_id=f"T0SANDBOX-C0OTHER-50.{number:06}", chat_id="C0OTHER", **keys)


def answered(number: int = 1, **keys: Any) -> Thread:
    """The same, closed by a posted reply."""
    return other(number=number, status="closed", outcome="replied", **keys)


def asked() -> Thread:
    """The question that is investigated now, in C0HELP."""
    return moved(None, added("another question?", ts="60.000001"))


async def hints(slack: Slack, *threads: Thread) -> Hints:
    """Hints of a store with these threads, of which the closed ones have a posted reply."""
    store, replies = MemoryStore(), MemoryJournal()
    for thread in threads:
        await store.save(thread)
        if not thread.is_open:
            record = {"thread_id": thread.thread_id, "chat_id": thread.chat_id, "project": thread.project}
            await replies.append(record | {"posted_message_id": thread.root_ts, "reply_text": POSTED})
    open_threads = OpenThreads()
    for thread in threads:
        open_threads.note(thread)
    return Hints(store=store, channels=slack, recent=slack, history=slack, replies=replies, open_threads=open_threads)


async def lines(slack: Slack, *threads: Thread, project: str | None = "triage") -> list[str]:
    """What the agents of a question about `project` are told."""
    found = await hints(slack, *threads)
    return [hint.line for hint in await found.list_for(asked(), project, found.look())]


async def test_a_hint_of_an_open_question_holds_closed_fields_only() -> None:
    """Which thread, which kind, which project, how sure, which files: not a word of question, draft or name."""
    about = "technical_qa about triage, pending-user, confidence medium, cites bot/a.py"
    told = await lines(Slack(C0OTHER="public", C0HELP="public"), other())
    assert told == [f"- T0SANDBOX-C0OTHER-50.000001: {about}"]


async def test_an_answered_question_is_told_with_the_reply_that_was_posted() -> None:
    """On one line, beside the fields; a reply that was deleted since is not told of, nor is its question."""
    about = "technical_qa about triage, answered, confidence medium, cites bot/a.py"
    said = "the reply posted there: The limit is three. It stands in `bot/a.py:1`."
    public: dict[str, Any] = {"C0OTHER": "public", "C0HELP": "public"}
    assert await lines(Slack(**public), answered()) == [f"- T0SANDBOX-C0OTHER-50.000001: {about}; {said}"]
    assert await lines(Slack(deleted=True, **public), answered()) == []


async def test_replies_are_told_of_few_questions_and_shortened() -> None:
    """Each is looked for first, so the newest three count; a long one is cut after a word."""
    slack = Slack(C0OTHER="public", C0HELP="public")
    assert len(await lines(slack, *(answered(number) for number in range(1, 9)))) == MOST_REPLIES
    assert summary("word " * 200) == ("word " * (SUMMARY // 5)).strip() + " …"
    assert summary("x" * 400) == "x" * SUMMARY + " …"


READERS = ["public", "private", "direct", "group", "shared", None]


@pytest.mark.parametrize("is_answered", [False, True])
@pytest.mark.parametrize("written", ["public", "private", "direct", "shared", None])
async def test_what_may_not_flow_is_not_told(written: Visibility | None, *, is_answered: bool) -> None:
    """What the other channel was, what it is, and what this one is: all public, or nothing; `None` is not known."""
    thread = answered(visibility=written) if is_answered else other(written)
    for now, here in product(READERS, READERS):
        channels: dict[str, Any] = {name: seen for name, seen in (("C0OTHER", now), ("C0HELP", here)) if seen}
        flows = written == now == here == "public"
        assert bool(await lines(Slack(**channels), thread)) is flows, (now, here)


@pytest.mark.parametrize("is_answered", [False, True])
@pytest.mark.parametrize(
    ("theirs", "ours", "flows"),
    [
        ("shop", "shop", True),
        ("shop/api", "shop", True),
        ("shop", "shopping", False),
        ("shopping", "shop", False),
        ("bank", "shop", False),
        ("shop", None, False),
        (None, "shop", False),
    ],
)
async def test_nothing_flows_between_projects(
    theirs: str | None, ours: str | None, *, is_answered: bool, flows: bool
) -> None:
    """One project and its roots; a question whose project is not known gets and gives nothing."""
    thread = answered(project=theirs) if is_answered else other(project=theirs)  # type: ignore[arg-type]  # none at all
    assert bool(await lines(Slack(C0OTHER="public", C0HELP="public"), thread, project=ours)) is flows


@pytest.mark.parametrize("is_answered", [False, True])
async def test_nothing_flows_between_workspaces(*, is_answered: bool) -> None:
    """The same ids in another workspace are other channels."""
    thread = (answered if is_answered else other)(team_id="T2").evolve(thread_id="T2-C0OTHER-50.000001")
    assert await lines(Slack(C0OTHER="public", C0HELP="public"), thread) == []


@pytest.mark.parametrize(("now", "told"), [("public", 10), ("private", 0)])
async def test_a_run_asks_of_each_channel_once_however_many_threads_it_has(now: str, told: int) -> None:
    """Investigation, the readers that are kept, and the validator's look: two calls for 100 threads."""
    slack = Slack(C0OTHER=now, C0HELP="public")
    found = await hints(slack, *(other(number=number) for number in range(1, 101)))
    look, thread = found.look(), asked()
    assert len(await found.list_for(thread, "triage", look)) == told
    assert await found.seen_by(thread, look) == "public"
    assert len(await found.list_for(thread, "triage", look)) == told
    assert slack.asked == ["C0HELP", "C0OTHER"]


async def test_threads_that_may_not_be_told_of_cost_no_call() -> None:
    """Their documents say so: of a private channel, or of another project."""
    slack = Slack(C0OTHER="public", C0HELP="public")
    threads = (other("private", number=1), other(project="bank", number=2), other(None, number=3))
    assert await lines(slack, *threads) == []
    assert slack.asked == ["C0HELP"]


async def test_a_slack_that_does_not_answer_holds_up_no_draft() -> None:
    """After its patience the run goes on without hints, and asks no more."""

    class Silent(Slack):
        async def channel(self, channel: str) -> dict[str, Any]:
            self.asked.append(channel)
            await asyncio.Event().wait()
            return {}

    slack = Silent()
    found = await hints(slack, other())
    look = ChannelLook(channels=slack, history=slack, patience=0.01)
    assert await found.list_for(asked(), "triage", look) == ()
    assert await found.seen_by(asked(), look) is None
    assert slack.asked == ["C0HELP"]


async def test_at_approve_a_hint_that_may_flow_no_longer_makes_the_draft_stale() -> None:
    """The other channel has become private since; the operator decides again."""
    thread = pending().evolve(hinted=("T0SANDBOX-C0OTHER-50.000001",))
    assert await (await hints(Slack(C0OTHER="public", C0HELP="public"), other())).list_withdrawn(thread) == ()
    gone = await (await hints(Slack(C0OTHER="private", C0HELP="public"), other())).list_withdrawn(thread)
    assert gone == thread.hinted
    stale = moved(thread, HintsWithdrawn(at=at(9), fresh=fresh(), thread_ids=gone))
    assert "may no longer know of: T0SANDBOX-C0OTHER-50.000001" in (stale.stale or "")
    assert stale.draft_pending
    assert thread.draft_pending
    assert stale.draft_pending.nonce != thread.draft_pending.nonce


async def test_who_reads_a_direct_message_is_known_without_asking() -> None:
    """Asking takes a scope that the app does not have."""
    slack = Slack(C0OTHER="public")
    found = await hints(slack)
    assert await found.seen_by(asked().evolve(chat_id="D0OPS"), found.look()) == "direct"
    assert slack.asked == []
