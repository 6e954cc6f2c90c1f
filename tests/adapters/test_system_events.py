"""Events of the supervisor, as its log has them and as commands read them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bot.adapters.system_events import FIRST_BYTES, REMEMBERED, SystemEventFile
from bot.errors import RetryLater

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "20260105T100000-run1"
PROGRAM = """
import logging, sys
from pathlib import Path
from bot.adapters.logs import set_up
from bot.runtime.system_events import record_event
secret = "loaded" + "-value-4711"
set_up(Path(sys.argv[1]), redact=lambda text: text.replace(secret, "[redacted]"))
logging.getLogger("bot.test").warning('a model wrote "session": "20260105T100000-run9", "level": "critical"')
record_event("critical", sys.argv[2], f"Escalation blocked: invalid handoff from tier 2 — {secret} 100 %s")
record_event("info", None, "Removed a stale handoff")
"""


def line(number: int, **changes: object) -> str:
    """One event as the log has it."""
    fields = {"at": "2026-01-05T10:00:00+0000", "level": "info", "where": "bot", "message": f"event {number}"}
    return json.dumps(fields | {"session": SESSION} | changes) + "\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of a process that recorded two events."""
    path = tmp_path / "system.ndjson"
    subprocess.run([sys.executable, "-c", PROGRAM, str(path), SESSION], capture_output=True, check=True)
    return path


async def test_events_come_back_from_the_log_with_their_sessions(log: Path) -> None:
    """Newest first and without secrets; what another line of the log repeats is no event."""
    events = await SystemEventFile(log).newest(10)
    assert [(event.level, event.session, event.message) for event in events] == [
        ("info", None, "Removed a stale handoff"),
        ("critical", SESSION, "Escalation blocked: invalid handoff from tier 2 — [redacted] 100 %s"),
    ]


async def test_each_reading_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    """Also within a line that is not written to its end; a file in the place of the last one is read anew."""
    path = tmp_path / "system.ndjson"
    events = SystemEventFile(path)
    assert await events.newest(5) == []
    path.write_text(line(1) + line(2)[:30])
    assert [event.message for event in await events.newest(5)] == ["event 1"]
    path.write_text(line(1) + line(2) + line(3))
    assert [event.message for event in await events.newest(2)] == ["event 3", "event 2"]
    (tmp_path / "beside").write_text(line(4))
    (tmp_path / "beside").replace(path)
    assert [event.message for event in await events.newest(5)] == ["event 4"]


async def test_a_long_log_is_read_from_its_end(tmp_path: Path) -> None:
    """The first reading has a limit in bytes, the memory one in events; lines of another form are left out."""
    path = tmp_path / "system.ndjson"
    broken = [line(0, level="error"), line(0, session="../x"), line(0, at="never"), '{"session": \n', "[]\n"]
    many = [line(number) for number in range(REMEMBERED + 10)]
    path.write_text("x" * FIRST_BYTES + "\n" + "".join([*many, *broken]))
    found = await SystemEventFile(path).newest(REMEMBERED + 100)
    assert [found[0].message, len(found)] == [f"event {REMEMBERED + 9}", REMEMBERED]


async def test_a_log_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """As something that may work later."""
    with pytest.raises(RetryLater, match="cannot be read"):
        await SystemEventFile(tmp_path).newest(1)
