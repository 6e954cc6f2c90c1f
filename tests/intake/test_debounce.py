"""Which messages belong together, by table and in whatever order they are delivered."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from bot.intake.debounce import Debouncer
from tests.builders import CHANNEL, TEAM, added, message, moved
from tests.tables import each_row

if TYPE_CHECKING:
    from bot.models.message import Message


def spoken(story: str) -> list[Message]:
    """`A?1.0` is a question by A at that second, `A.1.5` something else, `A.1.5/1` a reply under the message at 1."""
    said = []
    for word in story.split():
        who, kind, seconds, root = re.fullmatch(r"([A-Z])([?.])([\d.]+)(?:/(\d+))?", word).groups()  # type: ignore[union-attr]  # the stories below match
        place = {"root": f"{100 + int(root)}.000000"} if root else {}
        said.append(message(kind, ts=f"{100 + float(seconds):.6f}", sender=f"U0{who}", **place))
    return said


def homes(windows: Debouncer, *said: Message) -> dict[str, str]:
    """By each message its question's second, for those that belong to one."""
    found = {}
    for one in said:
        seat = windows.place_message(one, {}, opens=one.content == "?")
        home = seat.joins or (one.home if seat.anchors else None)
        for each in (*(before.message for before in seat.before), *([one] if home else [])):
            found[each.message_id] = str(home or one.home)
    return {ts: home.rpartition("-")[2] for ts, home in found.items()}


def windows() -> Debouncer:
    """Of two seconds, and ten at most."""
    return Debouncer(timedelta(seconds=2), timedelta(seconds=10))


@pytest.mark.parametrize(
    ("story", "questions"),
    [
        pytest.param("A?0 A.1 A?2", {0: 0, 1: 0, 2: 0}, id="three in a breath are one"),
        pytest.param("A.0 A?1", {0: 1, 1: 1}, id="what led up to a question belongs to it"),
        pytest.param("A.0 A.1", {}, id="chatter is no question"),
        pytest.param("A?0 A?3", {0: 0, 3: 3}, id="after the window it is another one"),
        pytest.param("A?0 A.2 A.4 A?6", {0: 0, 2: 0, 4: 0, 6: 0}, id="each message keeps the window open"),
        pytest.param("A?0 B.1 A?2", {0: 0, 2: 2}, id="somebody else spoke between"),
        pytest.param("A?0 B?1", {0: 0, 1: 1}, id="two people"),
        pytest.param("A?0 A?1/0 B?1.5/0 A.2/0", {0: 0, 1: 0, 1.5: 0}, id="a thread is a place of its own"),
        pytest.param("A?0 A.1/0", {0: 0, 1: 0}, id="a reply of theirs in the breath joins"),
        pytest.param("A?0 B.1/0 A?1.5", {0: 0, 1.5: 0}, id="a reply in the thread is not between"),
    ],
)
def test_what_belongs_together(story: str, questions: dict[float, float]) -> None:
    """By author, place and time, whatever the messages say."""
    found = homes(windows(), *spoken(story))
    assert found == {f"{100 + ts:.6f}": f"{100 + home:.6f}" for ts, home in questions.items()}


@each_row("order", [*permutations(range(4))])
def test_whole_questions_that_mention_the_bot_are_each_its_own(order: tuple[int, ...]) -> None:
    """Whichever is delivered first; what is asked again in the same breath is one, and what is added joins its own."""
    texts = ("where is Mount defined?", "where is TestClient defined?", "Where is TestClient defined?", "in starlette")
    said = [message(text, ts=f"{100 + second}.000000") for second, text in enumerate(texts)]
    known, found = windows(), {}
    for one in (said[number] for number in order):
        seat = known.place_message(one, {}, opens="?" in one.content, alone="?" in one.content)
        for each in (one, *(before.message for before in seat.before)):
            found[each.content] = seat.joins or (one.home if seat.anchors else "")
    assert found[texts[0]] not in ("", found[texts[1]])
    assert found[texts[1]] == found[texts[2]]


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_any_order_of_delivery_makes_one_question(order: tuple[int, ...]) -> None:
    """The one that comes first has the thread; the others find it."""
    said = spoken("A?0 A?1 A?2")
    shuffled = [said[number] for number in order]
    known = windows()
    found = homes(known, *shuffled)
    assert found == {one.message_id: shuffled[0].message_id for one in said}


@each_row("order", [*permutations(range(4))])
def test_nothing_that_was_written_in_a_breath_is_lost_by_its_delivery(order: tuple[int, ...]) -> None:
    """What asks nothing by itself finds the question before it or after it, whichever is delivered first."""
    said = spoken("A.0 A?1.5 A.3 A.4.5")
    found = homes(windows(), *(said[number] for number in order))
    assert found == {one.message_id: said[1].message_id for one in said}


def test_a_bot_opens_no_window_and_ends_none() -> None:
    """What a program says is between nobody's messages."""
    first, last = spoken("A?0 A.2")
    alert = message("?", ts="101.000000", sender="B0", sender_type="bot")
    assert set(homes(windows(), first, alert, last)) == {first.message_id, alert.message_id, last.message_id}


def test_no_window_joins_nothing() -> None:
    """With `debounce_ms: 0` each message stands alone."""
    none = Debouncer(timedelta(), timedelta(seconds=10))
    assert homes(none, *spoken("A?0 A.0.001 A?0.002")) == {"100.000000": "100.000000", "100.002000": "100.002000"}


def test_a_start_finds_the_windows_that_documents_tell_of() -> None:
    """The next message joins as if nothing had happened."""
    thread = moved(None, added("how?", ts="100.000001"))
    known = windows()
    known.restore(thread)
    seat = known.place_message(message("?", ts="101.000000"), {}, opens=True)
    assert seat.joins == f"{TEAM}-{CHANNEL}-100.000001"
