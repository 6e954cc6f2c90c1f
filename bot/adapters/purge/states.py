"""Purge of small state, in files of one JSON object."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from bot.adapters.purge.lines import write_anew

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_STATES = (
    *("watched", "muted", "active-projects", "reminders", "access", "services", "incidents", "orders"),
    *("auto-reply-channels", "auto-replies", "auto-reply-gates"),
)
"""Small state whose entries about a purged person, channel or thread are forgotten, each a `.json`."""


def forget_states(home: Path, takes: Callable[[bytes], bool]) -> None:
    """Forget what `takes` says of an entry's JSON."""
    for name in _STATES:
        _forget_points(home / f"{name}.json", takes)
    _forget_rows(home / "samples.json", takes)


def _forget_points(path: Path, takes: Callable[[bytes], bool]) -> None:
    """Drop entries that name a removed channel or message; such a channel is read from the next start on."""
    with contextlib.suppress(FileNotFoundError, ValueError, AttributeError):
        points = json.loads(path.read_bytes())
        remaining = {name: value for name, value in points.items() if not takes(json.dumps({name: value}).encode())}
        write_anew(path, [json.dumps(remaining).encode()])


def _forget_rows(path: Path, takes: Callable[[bytes], bool]) -> None:
    """Drop the rows of weekly samples that name a removed channel, message or person; the others stay as judged."""
    with contextlib.suppress(FileNotFoundError, ValueError, AttributeError, KeyError, TypeError):
        samples = json.loads(path.read_bytes())
        for sample in samples.values():
            sample["rows"] = [row for row in sample["rows"] if not takes(json.dumps(row).encode())]
        kept = {
            day: sample
            for day, sample in samples.items()
            if sample["rows"] and not takes(json.dumps(sample | {"rows": []}).encode())
        }
        write_anew(path, [json.dumps(kept).encode()])
