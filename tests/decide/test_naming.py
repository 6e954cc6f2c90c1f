"""Names and files that come with an event: those of an event that changes nothing are not saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.decide.workflow import Transition
from bot.models.sent_file import SentFile
from bot.models.thread import Thread
from tests.builders import ASKER, added, found, moved, step
from tests.decide.test_workflow import collecting, investigating, replied

BEN = "U0BEN"
LOG = SentFile(id="F0LOG", name="app.log", filetype="text", size=10)


def unchanged(thread: Thread) -> Transition:
    """A step that changes nothing."""
    return Transition(thread, accepted=False)


def test_findings_bring_names_and_the_files_that_were_read() -> None:
    """The reply and the card show both."""
    thread = investigating()
    thread = thread.evolve(messages=tuple(each.evolve(files=(LOG,)) for each in thread.messages))
    read = (LOG.evolve(text="Error: limit reached"),)
    event = replace(found(thread), names={BEN: "Ben"}, files={thread.original_message_id: read})
    after = moved(thread, event)
    assert (after.names[BEN], after.messages[0].files) == ("Ben", read)
    late: Any = replace(event, run_id="another run")
    assert step(thread, late) == unchanged(thread)


def test_a_known_message_brings_no_names() -> None:
    """It was delivered again."""
    thread = collecting()
    assert step(thread, added(names={ASKER: "Ana"})) == unchanged(thread)


def test_the_next_asker_is_called_by_a_known_name() -> None:
    """Nothing else about the names is new."""
    thread = replied().evolve(names={BEN: "Ben"})
    event = added("and on arm?", ts="300.000001", root="100.000001", sender=BEN, names={BEN: "Ben"}, mentioned=True)
    assert moved(thread, event).original_sender_name == "Ben"
