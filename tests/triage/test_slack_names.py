"""Names for ids: asked of Slack for a short while, learned by the document, read by people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.models.markup import SOMEBODY
from bot.models.message import Message, normalise
from bot.models.thread_event import Due, Edited, MessageAdded, RunFailed
from bot.triage.slack_names import NamedThreads
from tests.builders import added, at, fresh, moved
from tests.fakes import PhoneBook, naming

if TYPE_CHECKING:
    from bot.models.thread_event import Deleted, Overheard

TEXT = "<@U0BEN> and <@U0ZOE|zoe>: in <#C0DEPLOY|> or <#C0SECRET|>, where is the limit set?"


def said(text: str = TEXT) -> Message:
    """A message as Slack writes it."""
    event = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": "100.000001", "text": text}
    made = normalise({"team_id": "T0SANDBOX", "event": event}, chat_names={})
    assert isinstance(made, Message)
    return made


class Kept:
    """`Threads` that keep what they are handed."""

    def __init__(self) -> None:
        self.handed: list[MessageAdded | Overheard | Edited | Deleted] = []

    def is_open(self, _: str) -> bool:
        """None is."""
        return False

    def is_asker(self, *_: str) -> bool:
        """Nobody."""
        return False

    def find_thread(self, *_: str) -> None:
        """Nowhere."""

    async def add(self, _: str, message: MessageAdded | Overheard) -> bool:
        """Keep it."""
        self.handed.append(message)
        return True

    async def revise(self, _: str, revision: Edited | Deleted) -> bool:
        """Keep it."""
        self.handed.append(revision)
        return True


@pytest.fixture
def book() -> PhoneBook:
    """Three people and two channels, one of them private."""
    book = PhoneBook(U0ANA="Ana Weber", U0BEN="Ben", C0DEPLOY="deploys", C0SECRET="layoffs")
    book.private.add("C0SECRET")
    return book


async def test_a_question_is_read_with_names(book: PhoneBook) -> None:
    """Of people, of public channels; what its markup tells is not asked. A private channel's name stays in it."""
    kept = Kept()
    threads = NamedThreads(threads=kept, naming=naming(book))
    assert await threads.add("thread", replace(added(), message=said()))
    assert sorted(book.asked) == ["C0DEPLOY", "C0SECRET", "U0ANA", "U0BEN"]
    thread = moved(None, kept.handed[0])
    assert thread.question == "@Ben and @zoe: in #deploys or #a-channel, where is the limit set?"
    assert thread.original_sender_name == "Ana Weber"
    assert thread.search_text == "and : in or , where is the limit set?"
    assert "U0BEN" in thread.model_dump_json()  # purging a person finds it


async def test_who_has_no_name_is_somebody_until_a_run_knows_better(book: PhoneBook) -> None:
    """Slack does not answer: the message waits for a moment, and no id is shown; a run without a draft tells names."""
    book.silent = True
    kept, asks = Kept(), naming(book, seconds=0.0)
    await NamedThreads(threads=kept, naming=asks).add("thread", replace(added(), message=said()))
    thread = moved(None, kept.handed[0])
    assert thread.question == "@someone and @zoe: in #a-channel or #a-channel, where is the limit set?"
    assert thread.original_sender_name == SOMEBODY
    book.silent = False
    known = await naming(book).thread(thread)
    running = moved(thread, Due(at=at(5), fresh=fresh()))
    failed = RunFailed(at=at(9), fresh=fresh(), run_id=running.run_id or "", reason="no time", names=known.names)
    ended = moved(running, failed)
    assert ended.status == "pending-user"
    assert (ended.question, ended.original_sender_name) == (known.question, "Ana Weber")
    assert ended.question.startswith("@Ben and @zoe: in #deploys")


async def test_an_edit_brings_its_names(book: PhoneBook) -> None:
    """A colleague who is mentioned later is named, too."""
    kept = Kept()
    threads = NamedThreads(threads=kept, naming=naming(book))
    thread = moved(None, replace(added(), message=said("where is the limit set?")))
    await threads.revise("thread", Edited(at=at(1), fresh=fresh(), message=said("<@U0BEN> where is it set?")))
    edited = moved(thread, kept.handed[0])
    assert (edited.question, edited.search_text) == ("@Ben where is it set?", "where is it set?")
