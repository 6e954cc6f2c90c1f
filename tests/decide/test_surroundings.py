"""What is known around a message: who opened its thread, who wrote last, and how much is remembered."""

from __future__ import annotations

from bot.decide.surroundings import Surroundings
from bot.models.context import Context
from bot.models.message import Message
from tests.builders import at, message


def said(ts: str, sender: str, *, root: str | None = None, seconds: float = 0) -> Message:
    """A message of this sender."""
    return message(ts=ts, sender=sender, root=root, create_time=at(seconds))


def test_the_asker_is_known_in_their_thread() -> None:
    """Who opened a thread is its asker there, and nowhere else."""
    around = Surroundings()
    assert around.context_of(said("1.1", "U0ANA")) == Context(opens=True)
    assert around.context_of(said("1.2", "U0BEN", root="1.1")) == Context(is_reply=True)
    assert around.context_of(said("1.3", "U0ANA", root="1.1")) == Context(is_reply=True, by_asker=True)
    assert around.context_of(said("1.4", "U0ANA", root="0.9")) == Context(is_reply=True)


def test_the_next_message_of_an_author_belongs_to_the_one_before() -> None:
    """For ten minutes, in the same place, unless another wrote between; a thread goes on from its first message."""
    around = Surroundings()
    told = [
        around.context_of(made).asker_wrote_before
        for made in (
            said("1.1", "U0ANA"),
            said("1.2", "U0ANA", seconds=30),
            said("1.3", "U0ANA", root="1.1", seconds=40),
            said("1.4", "U0BEN", seconds=50),
            said("1.5", "U0ANA", seconds=60),
            said("1.6", "U0ANA", seconds=700),
        )
    ]
    assert told == [False, True, True, False, False, False]


def test_who_writes_into_a_quiet_channel_answers_nobody() -> None:
    """Nobody else wrote there in the last three minutes; a reply and a program never open."""
    around = Surroundings()
    told = [
        around.context_of(made).opens
        for made in (
            said("1.1", "U0ANA"),
            said("1.2", "U0ANA", seconds=30),
            said("1.3", "U0BEN", seconds=40),
            said("1.4", "U0BEN", root="1.1", seconds=50),
            said("1.5", "U0ANA", seconds=300),
        )
    ]
    assert told == [True, True, False, False, True]


def test_what_was_quiet_longest_is_forgotten() -> None:
    """The memory is bounded."""
    around = Surroundings(remembered=2)
    for ts in ("1.1", "2.1", "3.1"):
        around.context_of(said(ts, "U0ANA"))
    assert not around.context_of(said("4.1", "U0ANA", root="1.1")).by_asker
    assert around.context_of(said("4.2", "U0ANA", root="3.1")).by_asker


def test_a_program_is_known_as_one() -> None:
    """What a bot writes is marked."""
    assert Surroundings().context_of(message(sender_type="bot")).by_bot
