"""One line of the report of `triage doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One line of the report. `ok` is `None` where there is something to know but nothing wrong."""

    name: str
    ok: bool | None
    detail: str
