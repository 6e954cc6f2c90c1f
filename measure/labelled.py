"""Labelled messages and streams for the measurements of tier 0: what `measure/train.py` and the bench read.

The data is no part of the project. It is looked for in `../shared/data`, or in the folder that `TRIAGE_DATA` names: a
file of JSON lines with `text`, `label` (`actionable`, `ambient`, `ack`), `source` and, where they are known, `author`
and `ts`. `measure/channels.py` finds these messages in their public channels, so that each is seen in three ways: its
text alone, in its channel, and in its channel with threads.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.thread_context import ThreadContext
from bot.models.context import MessageContext
from bot.models.message import Message, Sender, thread_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.decide.classify.classifier import Classifier

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TRIAGE_DATA", ROOT.parent / "shared" / "data"))
LABELLED, STREAM = "classifier_dev.jsonl", "stream_dev.jsonl"


CHANNELS = Path(os.environ.get("TRIAGE_CHANNELS", DATA / "channels"))
TEXT, CHANNEL, THREADS = VIEWS = ("text", "channel", "threads")
"""How much is known around a message."""


@dataclass(frozen=True)
class Labelled:
    """A message that a person has judged, with what was known around it."""

    text: str
    label: str
    source: str
    context: MessageContext
    clarifying: bool = False
    lang: str = ""
    view: str = TEXT
    share: float = 1.0
    """What it counts: all ways to see a message together count one."""


def missing(name: str) -> str | None:
    """What to say when a file is not there."""
    path = DATA / name
    said = f"{name} is not in {DATA}: put labelled messages there, or name their folder in TRIAGE_DATA"
    return None if path.is_file() else said


def no_channels() -> str | None:
    """What to say when the channels are not there."""
    return None if CHANNELS.is_dir() else f"{CHANNELS} is not there: measure/channels.py makes it"


def labelled(name: str = LABELLED) -> list[Labelled]:
    """The judged messages, in their order, each in every way that it can be seen."""
    rows = list(_rows(DATA / name))
    around: dict[str, dict[str, MessageContext]] = {TEXT: {}, CHANNEL: {}, THREADS: {}}
    if CHANNELS.is_dir():
        reader = compile_rules(bot_id="U0NOBODY")
        for path in sorted(CHANNELS.glob("*.jsonl")):
            for view in (CHANNEL, THREADS):
                around[view] |= _contexts(path, reader, threads=view == THREADS)
    seen = []
    for row in rows:
        views = {TEXT: MessageContext()} | {
            view: around[view][row["id"]] for view in VIEWS if row.get("id") in around[view]
        }
        for view, context in views.items():
            seen.append(
                Labelled(
                    text=row["text"],
                    label=row["label"],
                    source=row["source"],
                    context=context,
                    clarifying=bool(row.get("clarifying_question")),
                    lang=row.get("lang", ""),
                    view=view,
                    share=1 / len(views),
                )
            )
    return seen


def _contexts(path: Path, rules: Classifier, *, threads: bool) -> dict[str, MessageContext]:
    """What was known around each judged message of a channel; of single dialogues only what stands in them."""
    around, found = ThreadContext(), {}
    for row in _rows(path):
        message = as_message(row, in_thread=threads)
        context = around.context_of(message)
        judged = rules.classify_text(row["text"], context)
        if not judged.is_ack:
            around.learn(message, asks=judged.wants, actionable=judged.classification == "actionable")
        if row.get("id") and (threads or not row.get("dialogue")):
            found[row["id"]] = context
    return found


def stream(name: str = STREAM) -> list[Message]:
    """The messages of a channel, in their order."""
    return [as_message(row) for row in _rows(DATA / name)]


def as_message(row: dict[str, Any], *, in_thread: bool = False) -> Message:
    """A row as a message in a channel, or in a thread of it; the text is plain already."""
    moment = datetime.fromisoformat(f"{row['ts']}+00:00")
    return Message(
        team_id="T0DATA",
        chat_id="C0DATA",
        chat_name="data",
        message_id=row.get("n", f"{moment.timestamp():.6f}"),
        create_time=moment,
        msg_type="text",
        content=row["text"],
        thread_id=thread_id("T0DATA", "C0DATA", row["root"]) if in_thread and row["root"] != row["n"] else None,
        sender=Sender(id=row["author"], type="user"),
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
