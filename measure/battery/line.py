"""Rows on the whole line: one question in a channel of the local workspace, and nobody presses anything.

The card must come, and the bot must post nothing in any channel, whatever the model says or calls.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure.battery.play import Play, write_project
from measure.battery.row import Outcome
from sandbox.server import Sandbox
from tests.line.agents import QUESTION, document, sessions
from tests.line.conftest import MANIFEST, Line
from tests.line.human import shows
from tests.line.test_straight_line import calls
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measure.battery.row import Ending, Row

KIND = "on the whole line"
SENTENCE = "On the whole line, {posts} posts in channels without a press."
NAMES = (
    "refuses, mid-run",
    "the same call, investigator",
    "a call as text, always, answer",
    "prose, always, answer",
    "wrong, always",
    "another agent's command, mid-run",
    "40 calls, mid-run",
    "400 for ever, mid-run",
)
"""Rows that are run here, besides all hostile answers."""
POSTS = (
    "chat.postMessage",
    "chat.postEphemeral",
    "chat.scheduleMessage",
    "chat.update",
    "files.completeUploadExternal",
)
"""Methods of Slack that put text into a channel."""


def choose_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are run on the whole line, too."""
    return [replace(row, kind=KIND) for row in rows if row.kind == "hostile answers" or row.name in NAMES]


async def run_on_line(row: Row) -> tuple[Outcome, int]:
    """Run a row in a local workspace; return its outcome, and the number of posts in channels."""
    ended: Ending = "reason"
    posts, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder) / "shop")
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        line = Line(workspace, Path(folder))
        try:
            ended, faults = await _ask(line, row)
            posts = await count_posts(line)
        except AssertionError as problem:
            faults = [f"no card: {problem}"]
        finally:
            await workspace.close()
    if ended not in row.ends:
        faults.append(f"ended with {ended}, not {' or '.join(sorted(row.ends))}")
    if posts:
        faults.append(f"{posts} posts in channels without a press")
    seconds = time.monotonic() - began
    return Outcome(row=row, ended=ended, reason="", seconds=seconds, deviation=None, faults=tuple(faults)), posts


async def count_posts(line: Line) -> int:
    """Return the number of calls of Slack that put text into a channel."""
    posts = [post for method in POSTS for post in await calls(line, method)]
    return sum(map(_is_channel, posts))


async def _ask(line: Line, row: Row) -> tuple[Ending, list[str]]:
    """Ask the question, and wait for its card; return the ending, and everything that must hold and does not."""
    play = Play(row.turns)
    async with ModelServer(play) as server:
        model = ", ".join([f"base_url: '{server.url}'", *(f"{key}: {value}" for key, value in row.model.items())])
        async with line.bot(more=f"engine: claude\nmodel: {{{model}}}"):
            await line.ana.say(QUESTION)
            card = await line.olu.card(QUESTION, '"approve"')
    faults = [f"{one['agent']} is running" for one in sessions(line) if one["outcome"] == "running"]
    faults += [] if play.was_reached else ["the behaviour was not reached"]
    return _find_ending(document(line), card), faults


def _find_ending(thread: dict[str, Any], card: dict[str, Any]) -> Ending:
    """Return the ending as the operator sees it."""
    if not (shows(card, "Without the model") or shows(card, "No validator")):
        return "draft"
    return "notes" if thread["unchecked_notes"] else "reason"


def _is_channel(post: dict[str, Any]) -> bool:
    return str(post.get("channel") or post.get("channel_id") or "")[:1] in ("C", "G")
