"""Files that a run read: their contents go to the message that sent them, as long as it is the same file."""

from __future__ import annotations

from dataclasses import replace

from bot.models.sent_file import SentFile
from bot.models.thread_event import RunFailed
from tests.builders import LIMITS, added, at, fresh, moved
from tests.decide.test_workflow import investigating

LOG = SentFile(id="F0LOG", name="app.log", mimetype="text/plain", filetype="text", size=10, url="https://x.example/l")
READ = LOG.evolve(text="Error: limit reached")
READING = replace(LIMITS, reads_files=True)


def test_what_was_read_is_kept_with_its_message() -> None:
    """Another message keeps what it has, and another file's text is not taken."""
    thread = investigating()
    first = thread.messages[0].evolve(files=(LOG,))
    second = thread.messages[0].evolve(message_id="100.000002", files=(LOG.evolve(id="F0OTHER"),))
    third = second.evolve(message_id="100.000003")
    running = thread.evolve(messages=(first, second, third))
    files = {first.message_id: (READ,), second.message_id: (READ,), "999.000001": (READ,)}
    ended = RunFailed(at=at(9), fresh=fresh(), run_id=str(thread.run_id), reason="it broke", files=files)
    after = moved(running, ended)
    assert [message.files for message in after.messages] == [(READ,), second.files, third.files]


def test_files_are_kept_only_where_they_are_read() -> None:
    """Elsewhere the question is its text alone."""
    assert moved(None, added(files=(LOG,)), READING).messages[0].files == (LOG,)
    assert moved(None, added(files=(LOG,)), LIMITS).messages[0].files == ()
