"""Reading the files of a question before its run, by table."""

from __future__ import annotations

import asyncio

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.sent_file import MOST_FILES, MOST_READ, SentFile
from bot.models.thread import Thread
from bot.triage.sent_files import NO_ANSWER, TRIES, SentFiles
from tests.builders import added, moved
from tests.fakes import HandClock

LOG = SentFile(id="F0A", name="a.log", called="a.log", mimetype="text/plain")
KEY = "".join(("xo", "xb-", "1234567890-", "abcdefghijklmnop"))


class Slack:
    """Answers each reading as it is told; the last answer goes on for ever, `None` is none at all."""

    def __init__(self, *answers: SentFile | Exception | None) -> None:
        self._answers = list(answers)
        self.asked: list[SentFile] = []

    async def read(self, file: SentFile) -> SentFile:
        """The file as Slack has it."""
        self.asked.append(file)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return file.evolve(text=answer.text, problem=answer.problem) if answer else file


class Clock(HandClock):
    """One on which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        await self.move(seconds)


def asking(*files: SentFile) -> Thread:
    """A question with these files."""
    thread = moved(None, added())
    return thread.evolve(messages=tuple(message.evolve(files=files) for message in thread.messages))


BUSY = RetryLater("url_private: 429", after=7)
READ = LOG.evolve(text="all of it")


@pytest.mark.parametrize(
    ("known", "answers", "calls", "text", "problem"),
    [
        pytest.param(LOG, [READ], 1, "all of it", "", id="read"),
        pytest.param(READ, [LOG], 0, "all of it", "", id="read before"),
        pytest.param(LOG.evolve(problem=NO_ANSWER), [READ], 1, "all of it", "", id="not read by the run before"),
        pytest.param(LOG, [BUSY, RetryLater("503"), READ], 3, "all of it", "", id="a failure that passes"),
        pytest.param(LOG, [BUSY], TRIES, None, NO_ANSWER, id="a failure that stays"),
        pytest.param(LOG, [LOG.evolve(problem="it is not text")], 1, None, "it is not text", id="none for good"),
        pytest.param(LOG, [None], 1, None, NO_ANSWER, id="silence"),
        pytest.param(LOG, [KeyError("file")], 1, None, "reading it failed", id="what nobody foresaw"),
        pytest.param(LOG, [LOG.evolve(text=f"key {KEY}")], 1, "key [redacted]", "", id="a secret"),
        pytest.param(LOG, [LOG.evolve(text="a" * 9_000)], 1, "a" * MOST_READ, "", id="a long one"),
    ],
)
async def test_a_file_is_read_once_and_tried_again_as_long_as_that_may_help(
    known: SentFile, answers: list[SentFile | Exception | None], calls: int, text: str | None, problem: str
) -> None:
    """A document that a restart has left without the text is read again by its next run."""
    slack = Slack(*answers)
    files = SentFiles(files=slack, redactor=Redactor(), clock=Clock(), patience=0.05)
    thread, _ = await files.thread(asking(known), seconds=600)
    (file,) = thread.question_messages[0].files
    assert (len(slack.asked), file.text, file.problem) == (calls, text, problem)


async def test_reading_counts_against_the_time_of_the_run() -> None:
    """What Slack asks to wait, and twice that, is gone from it."""
    files = SentFiles(files=Slack(BUSY, BUSY, READ), redactor=Redactor(), clock=Clock())
    _, left = await files.thread(asking(LOG), seconds=600)
    assert left == 600 - 7 - 14


async def test_of_many_files_the_first_ones_are_read() -> None:
    """The others say why not."""
    names = [LOG.evolve(id=f"F{number}") for number in range(MOST_FILES + 1)]
    thread, _ = await SentFiles(files=Slack(READ), redactor=Redactor(), clock=Clock()).thread(asking(*names), seconds=9)
    read = [file.text is not None for file in thread.question_messages[0].files]
    assert read == [True] * MOST_FILES + [False]
    assert "files of a message are read" in thread.question_messages[0].files[-1].problem
