"""Labelled messages and streams for the measurements of tier 0: what `measure/train.py` and the bench read.

The data is no part of the project. It is looked for in `../shared/data`, or in the folder that `TRIAGE_DATA` names: a
file of JSON lines with `text`, `label` (`actionable`, `ambient`, `ack`), `source` and, where they are known, `author`
and `ts`.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.decide.surroundings import Surroundings  # noqa: E402  # the path is set above
from bot.models.context import Context  # noqa: E402  # as above
from bot.models.message import Message, Sender  # noqa: E402  # as above

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(os.environ.get("TRIAGE_DATA", ROOT.parent / "shared" / "data"))
LABELLED, STREAM = "classifier_dev.jsonl", "stream_dev.jsonl"


@dataclass(frozen=True)
class Labelled:
    """A message that a person has judged, with what was known around it."""

    text: str
    label: str
    source: str
    context: Context
    clarifying: bool = False


def missing(name: str) -> str | None:
    """What to say when a file is not there."""
    path = DATA / name
    said = f"{name} is not in {DATA}: put labelled messages there, or name their folder in TRIAGE_DATA"
    return None if path.is_file() else said


def labelled(name: str = LABELLED) -> list[Labelled]:
    """The judged messages, in their order."""
    rows = list(_rows(name))
    around = {source: Surroundings() for source in {row["source"] for row in rows}}
    return [
        Labelled(
            text=row["text"],
            label=row["label"],
            source=row["source"],
            context=around[row["source"]].context_of(as_message(row)) if row.get("author") else Context(),
            clarifying=bool(row.get("clarifying_question")),
        )
        for row in rows
    ]


def stream(name: str = STREAM) -> list[Message]:
    """The messages of a channel, in their order."""
    return [as_message(row) for row in _rows(name)]


def as_message(row: dict[str, Any]) -> Message:
    """A row as a message in a channel; the text is plain already."""
    moment = datetime.fromisoformat(f"{row['ts']}+00:00")
    return Message(
        team_id="T0DATA",
        chat_id="C0DATA",
        chat_name="data",
        message_id=f"{moment.timestamp():.6f}",
        create_time=moment,
        msg_type="text",
        content=row["text"],
        thread_id=None,
        sender=Sender(id=row["author"], type="user"),
    )


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
