"""Hints: closed fields, checked when written, read and posted; whoever cannot be asked permits nothing."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import RetryLater
from bot.models.hint import Visibility
from bot.models.outdated import HintsWithdrawn
from bot.models.thread import Thread
from bot.triage.hints import Hints
from tests.builders import added, at, check, fresh, moved
from tests.decide.test_workflow import pending
from tests.fakes import MemoryStore

ABOUT: dict[str, dict[str, Any]] = {
    "public": {"is_channel": True, "is_private": False},
    "private": {"is_channel": True, "is_private": True},
    "shared": {"is_channel": True, "is_private": False, "is_ext_shared": True},
}


class Slack:
    """Knows who reads which channel; silent about the others."""

    def __init__(self, **channels: str) -> None:
        self.channels = channels
        self.asked: list[str] = []

    async def channel(self, channel: str) -> dict[str, Any]:
        """Its description."""
        self.asked.append(channel)
        if channel not in self.channels:
            raise RetryLater("no answer")
        return ABOUT[self.channels[channel]]


def other(written: Visibility | None = "public") -> Thread:
    """A question in C0OTHER with a draft; its words must not leave it."""
    thread = pending().evolve(visibility=written, evidence_checks=(check(), check("failed", "b.py:1")))
    return thread.evolve(thread_id="T0SANDBOX-C0OTHER-50.000001", chat_id="C0OTHER")


def asked() -> Thread:
    """The question that is investigated now, in C0HELP."""
    return moved(None, added("another question?", ts="60.000001"))


async def hints(there: Thread, **channels: str) -> Hints:
    """Hints of a store with this one open thread."""
    store = MemoryStore()
    await store.save(there)
    return Hints(store=store, channels=Slack(**channels), open_threads=lambda: [there.thread_id])


async def test_a_hint_holds_closed_fields_only() -> None:
    """Which thread, which kind, which project, how sure, which files: not a word of question, draft or name."""
    found = await hints(other(), C0OTHER="public", C0HELP="public")
    (hint,) = await found.of(asked())
    about = "technical_qa about triage, pending-user, confidence medium, cites bot/a.py"
    assert hint.line == f"- T0SANDBOX-C0OTHER-50.000001: {about}"


@pytest.mark.parametrize(
    ("written", "now", "here", "flows"),
    [
        ("public", "public", "public", True),
        ("public", "public", "private", True),
        ("public", "public", "shared", False),
        ("public", "private", "public", False),
        ("private", "public", "public", False),
        (None, "public", "public", False),
        ("public", None, "public", False),
        ("public", "public", None, False),
    ],
)
async def test_what_may_not_flow_is_not_read(
    written: Visibility | None, now: str | None, here: str | None, flows: bool
) -> None:
    """What the other channel was, what it is, and what this one is; `None` is what nobody knows."""
    channels = {name: seen for name, seen in (("C0OTHER", now), ("C0HELP", here)) if seen}
    found = await hints(other(written), **channels)
    assert bool(await found.of(asked())) is flows


async def test_a_channel_is_asked_once_however_many_threads_it_has() -> None:
    """Three hundred open threads of two channels cost two calls, also where the answer permits nothing."""
    store, ids = MemoryStore(), []
    for number in range(300):
        thread = other().evolve(thread_id=f"T0SANDBOX-C0OTHER-50.{number:06}")
        await store.save(thread)
        ids.append(thread.thread_id)
    for seen in ("public", "private"):
        slack = Slack(C0OTHER=seen, C0HELP="public")
        found = await Hints(store=store, channels=slack, open_threads=lambda: ids).of(asked())
        assert len(found) == (10 if seen == "public" else 0)
        assert slack.asked == ["C0HELP", "C0OTHER"]


async def test_at_approve_a_hint_that_may_flow_no_longer_makes_the_draft_stale() -> None:
    """The other channel has become private since; the operator decides again."""
    thread = pending().evolve(hinted=("T0SANDBOX-C0OTHER-50.000001",))
    assert await (await hints(other(), C0OTHER="public", C0HELP="public")).withdrawn(thread) == ()
    gone = await (await hints(other(), C0OTHER="private", C0HELP="public")).withdrawn(thread)
    assert gone == thread.hinted
    stale = moved(thread, HintsWithdrawn(at=at(9), fresh=fresh(), thread_ids=gone))
    assert "may know of no longer: T0SANDBOX-C0OTHER-50.000001" in (stale.stale or "")
    assert stale.draft_pending
    assert thread.draft_pending
    assert stale.draft_pending.nonce != thread.draft_pending.nonce
