"""Labels for screen readers: each button says what it does, and to which question."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import blocks
from blocks import confirmation as confirming
from blocks.card import build_card
from blocks.feedback import thumbs
from blocks.home import build_operator_home
from blocks.queue_view import queue_card, queue_list
from blocks.reminder import build_reminder
from blocks.text import LABEL, button, escape, shorten_line
from bot.models.interaction import Asker
from bot.models.pending_command import Confirmation
from bot.models.queue import QueueView
from bot.models.thread import Thread
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.scripts import SCRIPTS, text
from tests.blocks.test_home import LINK, URL, in_script, picture
from tests.builders import CHANNEL, OPERATOR, TEAM, at
from tests.decide import test_workflow as story
from tests.tables import each_row
from tests.triage.test_buttons import STATES

WAITING = [story.pending(), story.failed(), story.in_doubt()]


def queue(order: str, start: int) -> list[dict[str, Any]]:
    """A page in the middle of the queue."""
    view = QueueView(order, at=start)  # type: ignore[arg-type]  # one of its orders
    return queue_list(WAITING, view, of=60, page=5, room=9_000, url=URL, now=at(9_000))


def card(make: Callable[[], Thread]) -> list[dict[str, Any]]:
    """Return the blocks of the card of a thread."""
    blocks: list[dict[str, Any]] = build_card(make(), link=LINK)["blocks"]
    return blocks


def confirmation(said: str = "Deletes the project *shop* in <#C0HELP>.") -> list[dict[str, Any]]:
    """The buttons of a command that waits for a press."""
    asker = Asker(team_id=TEAM, channel_id=CHANNEL, user_id=OPERATOR, interaction_id="1", via="slash")
    given: dict[str, Any] = {"command": "delete_project", "given": {}, "asker": asker, "said": said}
    return confirming.question(Confirmation(**given, confirmation_id="0" * 8, typed_again="shop", until=at(0)))


SURFACES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    **{f"card, {state}": partial(card, make) for state, make in STATES.items()},
    "queue": lambda: queue("oldest", 5),
    "queue, most certain first": lambda: queue("certain", 0),
    "queue, card by card": lambda: queue_card(
        build_card(WAITING[0], link=LINK)["blocks"], QueueView("oldest", "card", 1, "b"), ["a", "b", "c"]
    ),
    "Home, running": lambda: build_operator_home(picture(WAITING, [story.investigating()]))["blocks"],
    "Home, paused": lambda: build_operator_home(picture([], [], state="paused"))["blocks"],
    "reminder": lambda: build_reminder(WAITING, of=9, url=URL, now=at(9_000))["blocks"],
    "confirmation": confirmation,
    "reply": lambda: [thumbs("C1-1/0")],
}


def pressable(shown: Any) -> Iterator[dict[str, Any]]:
    """Everything with a text that can be pressed, wherever it stands."""
    if isinstance(shown, dict):
        if shown.get("type") == "button" or shown.keys() >= {"text", "value", "accessibility_label"}:
            yield shown
        shown = [*shown.values()]
    for inner in shown if isinstance(shown, list) else ():
        yield from pressable(inner)


@each_row("surface", SURFACES)
def test_every_button_has_a_label_of_its_own(surface: str) -> None:
    """It begins with what stands on the button, goes on, and Slack takes it; no two of a surface are confused."""
    shown = SURFACES[surface]()
    assert checked_blocks(shown)
    found = [*pressable(shown)]
    assert found
    for each in found:
        label = each["accessibility_label"]
        assert 1 <= len(label) <= LABEL
        assert surface == "reply" or label.startswith(f"{each['text']['text']} "), label


def test_a_label_names_the_question() -> None:
    """Whose it is, and how it begins."""
    thread = story.pending(text="how often is a payment that failed tried again by the nightly job?")
    found = [*pressable(build_card(thread, link=LINK)["blocks"])]
    (approve,) = (each for each in found if each["action_id"] == "approve")
    name = thread.original_sender_name
    assert approve["accessibility_label"].startswith(f"Approve the reply to {name}: how often is a payment")
    assert approve["accessibility_label"].endswith("…")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_label_of_any_text_fits(script: str) -> None:
    """Names of 200 characters, words without end, lines, directions, emoji and markup."""
    chance = random.Random(script)
    for length in (1, 80, 2_999):
        shown = build_card(in_script(story.pending(), script, length, chance), link=LINK)["blocks"]
        for each in pressable(shown):
            assert 1 <= len(each["accessibility_label"]) <= LABEL
            assert "\n" not in each["accessibility_label"]


@pytest.mark.parametrize("script", [*SCRIPTS, "a long word"])
def test_slack_takes_every_surface_of_names_without_end(script: str) -> None:
    """Of 3,000 characters: an asker's, a typed command's, and what would happen by it."""
    name = text(script, 3_000, random.Random(script)) if script in SCRIPTS else "a" * 3_000
    (pending, failed, doubt) = (thread.evolve(original_sender_name=name) for thread in WAITING)
    running = story.investigating().evolve(original_sender_name=name)
    view = QueueView()
    surfaces = [
        *(build_card(each, link=LINK)["blocks"] for each in (pending, failed, doubt, running)),
        queue_list([pending, failed, doubt], view, of=3, page=5, room=9_000, url=URL, now=at(9_000)),
        build_reminder([pending, failed, doubt], of=9, url=URL, now=at(9_000))["blocks"],
        confirmation(f"Deletes *{escape(name)}*."),
        confirming.outcome(escape(name)),
    ]
    for shown in surfaces:
        assert checked_blocks(shown)
    home = {"waiting": surfaces[4], "message": escape(name), "problems": (escape(name),)}
    assert checked_view(build_operator_home(picture([pending], [running], **home)), kind="home")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("one two th", "one two th"),
        ("one  two\nth", "one two th"),
        ("one two three", "one two…"),
        ("one seven eight", "one seven…"),
        ("one incomprehensibility", "one incom…"),
        ("<!here> it", "!here it"),
    ],
)
def test_a_long_label_is_cut_between_words(given: str, label: str) -> None:
    """A word is cut itself only if the label would be nearly empty without it."""
    assert shorten_line(given, 10) == label


def test_buttons_are_built_in_one_module() -> None:
    """`blocks/text.py` alone writes the element, and its function takes no button without a label."""
    folder = Path(blocks.__file__).parent
    made = [path.name for path in folder.rglob("*.py") if '"type": "button"' in path.read_text()]
    assert made == ["text.py"]
    with pytest.raises(TypeError):
        button("Edit", "edit", "v")  # type: ignore[call-arg]  # this is what must fail
