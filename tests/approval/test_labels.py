"""Labels, by table: the one of each person that counts, and the records that are written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.approval.labels import Labels
from tests.builders import OPERATOR, message
from tests.fakes import HandClock, MemoryJournal

if TYPE_CHECKING:
    from bot.models.classification import Class

BEN = "U0BEN"
REPORTED = message("the invoices of May look odd")


def labels() -> Labels:
    return Labels(journal=MemoryJournal(), clock=HandClock())


async def say(given: Labels, label: Class, *, by: str = OPERATOR, text: str = REPORTED.content) -> None:
    said = REPORTED.evolve(content=text)
    await given.say(said, label, by=by, why="missed_this", interaction_id=f"{by}-{label}")


async def written(given: Labels) -> list[tuple[str, str]]:
    return [(record["by"], record["label"]) async for record in given.journal.records()]


@pytest.mark.parametrize(
    ("second", "is_written"),
    [
        pytest.param({"label": "actionable"}, False, id="the same again"),
        pytest.param({"label": "ambient"}, True, id="another label"),
        pytest.param({"label": "actionable", "text": "the invoices of June look odd"}, True, id="an edited message"),
        pytest.param({"label": "actionable", "by": BEN}, True, id="another person"),
    ],
)
async def test_a_label_is_written_once(second: dict[str, Any], is_written: bool) -> None:
    """A second press changes nothing; another label, text or person does."""
    given = labels()
    await say(given, "actionable")
    await say(given, **second)
    expected = [(OPERATOR, "actionable"), (second.get("by", OPERATOR), second["label"])]
    assert await written(given) == expected[: 1 + is_written]


async def test_the_newest_label_of_each_person_counts() -> None:
    """In the order in which they were given, of this message alone."""
    given = labels()
    for by, label in ((OPERATOR, "actionable"), (BEN, "actionable"), (OPERATOR, "ambient")):
        await say(given, label, by=by)  # type: ignore[arg-type]  # each is a class
    counting = await given.labels_of(REPORTED.chat_id, REPORTED.message_id)
    assert [(by, record["label"]) for by, record in counting.items()] == [(BEN, "actionable"), (OPERATOR, "ambient")]
    assert await given.labels_of("C0ELSE", REPORTED.message_id) == {}
    assert await given.labels_of(REPORTED.chat_id, "9.9") == {}


async def test_a_label_is_withdrawn_by_its_author_in_its_own_way() -> None:
    """A dismissal is not withdrawn by a reaction, nor the label of somebody else."""
    given = labels()
    await say(given, "actionable")
    for by, why in ((BEN, "missed_this"), (OPERATOR, "not_for_us")):
        assert not await given.take_back(REPORTED, by=by, why=why, interaction_id="i")  # type: ignore[arg-type]  # as above
    assert await given.take_back(REPORTED, by=OPERATOR, why="missed_this", interaction_id="j")
    records = [record async for record in given.journal.records()]
    assert [(record["label"], record["why"], record["interaction_id"]) for record in records] == [
        ("actionable", "missed_this", f"{OPERATOR}-actionable"),
        ("withdrawn", "missed_this", "j"),
    ]
    assert await given.labels_of(REPORTED.chat_id, REPORTED.message_id) == {}
