"""What was read of a message's text files, after an edit of that message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.models.sent_file import SentFile
from bot.models.thread_event import Edited
from tests.builders import LIMITS, added, at, found, fresh, message, moved

LOG = SentFile(id="F0LOG", name="run.log", called="run.log", mimetype="text/plain", size=10)
READ = LOG.evolve(text="step 9 failed")
READING = replace(LIMITS, reads_files=True)
ROOT = "100.000001"


@pytest.mark.parametrize(
    ("files", "texts"),
    [
        pytest.param((LOG,), ["step 9 failed"], id="the words alone"),
        pytest.param((LOG.evolve(size=11),), [None], id="the snippet, too"),
        pytest.param((LOG.evolve(id="F0OTHER"),), [None], id="another file"),
        pytest.param((LOG.evolve(id="F0OTHER"), LOG), [None, "step 9 failed"], id="a file more"),
        pytest.param((), [], id="no file any more"),
    ],
)
@pytest.mark.parametrize("is_running", [True, False], ids=["while it is read", "after the draft"])
def test_what_was_read_stays_as_long_as_the_file_does(
    files: tuple[SentFile, ...], texts: list[str | None], *, is_running: bool
) -> None:
    """Whether its run ends before the edit or after it; what is not known yet the next run reads."""
    thread = moved(None, replace(added(ts=ROOT), message=message(ts=ROOT, files=(LOG,))), READING)
    thread = thread.evolve(status="investigating", run_id="run1", due_at=None)
    ended = replace(found(thread), files={ROOT: (READ,)})
    edit = Edited(at=at(9), fresh=fresh(), message=message("Where is the limit set, please?", ts=ROOT, files=files))
    if is_running:
        thread = moved(thread, edit, READING)
        thread = moved(thread, replace(ended, run_id=str(thread.run_id)), READING)
    else:
        thread = moved(moved(thread, ended, READING), edit, READING)
    assert [file.text for file in thread.question_messages[0].files] == texts
