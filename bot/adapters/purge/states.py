"""Purge of small state, in files of one JSON object."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from bot.adapters.purge.lines import write_anew
from bot.models.purged_records import FORGETTING, forget_entries, forget_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any


def forget_states(home: Path, takes: Callable[[bytes], bool]) -> None:
    """Forget what `takes` says of an entry's JSON."""
    for name in FORGETTING:
        _rewrite(home / f"{name}.json", lambda entries: forget_entries(entries, takes))
    _rewrite(home / "samples.json", lambda samples: forget_rows(samples, takes))


def _rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    with contextlib.suppress(FileNotFoundError, ValueError, AttributeError, KeyError, TypeError):
        write_anew(path, [json.dumps(change(json.loads(path.read_bytes()))).encode()])
