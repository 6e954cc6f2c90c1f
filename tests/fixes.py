"""Fixes of tests: threads whose findings name a defect, proposals, and presses on them."""

from __future__ import annotations

import asyncio
from typing import Any

from bot.models.fix import Fix, FixOrder, FixProposal, FixResult, FixRound, NamedDefect
from bot.models.fix_event import FixDiscarded, FixEnded, FixPressed, MergeRequestOpened, MergeRequestPressed
from bot.models.merge_request import MergeRequest
from bot.models.thread import Thread
from bot.models.thread_event import Due
from bot.models.workspace import FileChange, PushPlan
from tests.builders import OPERATOR, added, at, found, fresh, moved, validated

DEFECT = NamedDefect(summary="The limit is 3 where the docs promise 5.", ref="bot/a.py:1")
HEAD, BASE = "a" * 40, "b" * 40
REMOTE = "https://git.example.com/shop.git"
DIFF = "--- a/bot/a.py\n+++ b/bot/a.py\n@@ -1 +1 @@\n-limit = 3\n+limit = 5\n"
REQUEST = MergeRequest(
    kind="gitlab",
    number=7,
    url="https://git.example.com/shop/-/merge_requests/7",
    title="Raise the limit",
    branch="triage/fix-x",
    target="main",
    head_sha=HEAD,
    is_draft=True,
    is_open=True,
)


def with_defect(**changes: Any) -> Thread:
    """A draft that waits, whose findings name a defect at the place that code opened."""
    thread = moved(moved(None, added(**changes)), Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread, defect=DEFECT))
    return moved(thread, validated(thread))


def proposing(thread: Thread, **changes: Any) -> FixPressed:
    """The press on *Propose a Fix*, on the card as it is now."""
    draft = thread.draft_pending
    assert draft is not None
    values: dict[str, Any] = {
        "at": at(20),
        "fresh": fresh(),
        "by": OPERATOR,
        "draft_id": draft.draft_id,
        "nonce": draft.nonce,
        "repository": "shop",
    }
    return FixPressed(**(values | changes))


def drafting(thread: Thread | None = None) -> Thread:
    """A thread whose fix is being drafted."""
    thread = thread or with_defect()
    return moved(thread, proposing(thread))


def proposal(thread: Thread, **changes: Any) -> FixProposal:
    """The change that the process of a thread's fix made."""
    values: dict[str, Any] = {
        "repository": "shop",
        "slug": fix_of(thread).order.slug,
        "base": BASE,
        "head": HEAD,
        "target": "main",
        "files": (FileChange(status="modified", path="bot/a.py"),),
        "diff": DIFF,
        "title": "Raise the limit to 5",
        "description": "The docs promise five tries.",
    }
    return FixProposal(**(values | changes))


def plan(thread: Thread, **changes: Any) -> PushPlan:
    """The push of that change."""
    values: dict[str, Any] = {
        "repository": "shop",
        "slug": fix_of(thread).order.slug,
        "sha": HEAD,
        "remote": REMOTE,
        "remote_sha": "",
        "commits": 1,
        "files": 1,
    }
    return PushPlan(**(values | changes))


def ended(thread: Thread, **changes: Any) -> FixEnded:
    """The end of its process with a proposal."""
    result = FixResult(rounds=(FixRound(number=1),), proposal=proposal(thread), cost_usd=0.12, duration_ms=61_000)
    values: dict[str, Any] = {
        "at": at(80),
        "fresh": fresh(),
        "run_id": fix_of(thread).order.run_id,
        "result": result,
        "plan": plan(thread),
    }
    return FixEnded(**(values | changes))


def proposed(thread: Thread | None = None) -> Thread:
    """A thread whose fix waits for a decision."""
    thread = drafting(thread)
    return moved(thread, ended(thread))


def pressed(kind: type[Any], thread: Thread, **changes: Any) -> Any:
    """A press on the fix as it is shown now."""
    fix = fix_of(thread)
    values: dict[str, Any] = {
        "at": at(90),
        "fresh": fresh(),
        "by": OPERATOR,
        "number": fix.number,
        "nonce": fix.nonce,
    }
    if kind is MergeRequestPressed:
        values["sha"] = HEAD
    return kind(**(values | changes))


def opening(thread: Thread | None = None) -> Thread:
    """A thread whose merge request is being opened."""
    thread = proposed(thread)
    return moved(thread, pressed(MergeRequestPressed, thread))


def is_open(thread: Thread, **changes: Any) -> MergeRequestOpened:
    """The end of the opening."""
    values: dict[str, Any] = {"at": at(95), "fresh": fresh(), "run_id": fix_of(thread).opening_id, "request": REQUEST}
    return MergeRequestOpened(**(values | changes))


def opened(thread: Thread | None = None) -> Thread:
    """A thread whose merge request is open."""
    thread = opening(thread)
    return moved(thread, is_open(thread))


def failed() -> Thread:
    """A thread whose fix came to nothing."""
    thread = drafting()
    return moved(thread, ended(thread, result=FixResult(problem="No change passed the check."), plan=None))


def discarded() -> Thread:
    """A thread whose proposed fix was discarded."""
    thread = proposed()
    return moved(thread, pressed(FixDiscarded, thread))


def stopping() -> Thread:
    """A thread whose fix was discarded while it was drafted."""
    thread = drafting()
    return moved(thread, pressed(FixDiscarded, thread))


def fix_of(thread: Thread) -> Fix:
    """The fix of a thread that has one."""
    assert thread.fix is not None
    return thread.fix


class Drafter:
    """Drafts whose ends a test sets (`FixDrafter`)."""

    def __init__(self) -> None:
        self.refusal: str | None = None
        self.repository: str | None = "shop"
        self.started: list[str] = []
        self.stopped: list[str] = []
        self.result: FixResult | Exception = FixResult(problem="No change passed the check.")
        self.ends = asyncio.Event()

    def find_refusal(self, thread: Thread) -> str | None:
        """Return what the test says."""
        return self.refusal

    def find_repository(self, thread: Thread) -> str | None:
        """Return what the test says."""
        return self.repository

    def is_started(self, run_id: str) -> bool:
        """Return whether a run was started."""
        return run_id in self.started

    async def draft(self, thread: Thread, order: FixOrder) -> FixResult:
        """Wait until the test lets the run end."""
        if order.run_id not in self.started:
            self.started.append(order.run_id)
        await self.ends.wait()
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    async def stop(self, run_id: str) -> None:
        """End a run."""
        self.stopped.append(run_id)
        self.ends.set()
