"""Up to where each watched channel counts as read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.intake.read_cursors import ReadCursors, SavedCursors
from bot.intake.watched import Watched
from bot.models.status import Mode
from tests.builders import T0
from tests.fakes import HandClock, MemoryKept

NOW = f"{T0.timestamp():.6f}"
BEHIND = {"behind": True}
EARLIER, LATER = "1767000000.000100", "1767000000.000200"


def point(mode: str, read_to: str) -> dict[str, Any]:
    """What is kept of a channel."""
    return {"mode": mode, "read_to": read_to}


@pytest.mark.parametrize(
    ("kept", "recovered", "mode", "read_to"),
    [
        pytest.param(None, None, "live", NOW, id="a new channel is watched from now on"),
        pytest.param(None, EARLIER, "live", EARLIER, id="a home from before this was kept"),
        pytest.param(point("live", EARLIER), None, "live", EARLIER, id="one in which nothing was heard of late"),
        pytest.param(point("live", EARLIER), LATER, "live", LATER, id="the journal knows of a newer message"),
        pytest.param(point("live", LATER), EARLIER, "live", LATER, id="the journal's end knows only of an older one"),
        pytest.param(point("silent", EARLIER), LATER, "live", NOW, id="its silent time is not judged backwards"),
        pytest.param(point("silent", EARLIER), None, "preview", NOW, id="nor for practice"),
        pytest.param(point("silent", EARLIER), None, "silent", EARLIER, id="it stays silent"),
        pytest.param(point("preview", EARLIER), None, "live", EARLIER, id="from practice to live"),
        pytest.param("else", None, "live", NOW, id="what is kept is damaged"),
        pytest.param({"mode": "live"}, None, "live", NOW, id="half of it is missing"),
        pytest.param(point("live", "yesterday"), EARLIER, "live", EARLIER, id="it is no ts, and later than any"),
        pytest.param(
            point("live", EARLIER) | BEHIND, LATER, "live", EARLIER, id="something was missed before the newer one"
        ),
        pytest.param(point("silent", EARLIER) | BEHIND, None, "live", NOW, id="it was missed in its silent time"),
        pytest.param(point("live", "9.1"), None, "live", NOW, id="nor is this one in the order of texts"),
    ],
)
async def test_where_a_channel_is_read_from(kept: Any, recovered: str | None, mode: Mode, read_to: str) -> None:
    """From the newest point that is known, else from now on; and that is kept immediately."""
    book = MemoryKept(C0HELP=kept, C0GONE=point("live", EARLIER))
    cursors = ReadCursors(points={"C0HELP": recovered} if recovered else {})
    watching = SavedCursors(watched={"C0HELP": Watched("help", mode)}, cursors=cursors, file=book, clock=HandClock())
    await watching.begin()
    assert cursors.points == {"C0HELP": read_to}
    is_behind = read_to != NOW and kept == kept | BEHIND if isinstance(kept, dict) else False
    assert book.said == {"C0HELP": point(mode, read_to) | (BEHIND if is_behind else {})}


async def test_what_was_heard_since_is_kept() -> None:
    """The watcher moves the point on."""
    book, cursors = MemoryKept(), ReadCursors()
    watching = SavedCursors(watched={"C0HELP": Watched("help", "live")}, cursors=cursors, file=book, clock=HandClock())
    await watching.begin()
    cursors.advance("C0HELP", "1999999999.000001")
    await watching.save()
    assert book.said == {"C0HELP": point("live", "1999999999.000001")}
