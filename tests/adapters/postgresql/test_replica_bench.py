"""The measurement of replicas: its verdicts, its questions, and its saves on a real PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest

from measure.replicas.bench import Figure, write_questions
from measure.replicas.saves import FEW, compare_saves


@pytest.mark.parametrize(
    ("value", "bar", "is_least", "verdict"),
    [
        (2.0, 2.0, False, "bar at most 2  met"),
        (2.1, 2.0, False, "bar at most 2  MISSED"),
        (0.7, 0.7, True, "bar at least 0.7  met"),
        (0.6, 0.7, True, "bar at least 0.7  MISSED"),
    ],
)
def test_a_figure_stands_beside_its_bar(value: float, bar: float, verdict: str, *, is_least: bool) -> None:
    """A bar is an upper or a lower limit."""
    assert str(Figure("acks", value, "times", bar, is_least)).endswith(verdict)


def test_each_question_has_an_author_of_its_own(tmp_path: Path) -> None:
    """What one person writes within seconds would be one question."""
    write_questions(tmp_path / "questions.jsonl", 300)
    rows = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    assert len({row["author"] for row in rows}) == 300
    assert all("?" in row["text"] for row in rows)


async def test_saves_are_measured_in_a_small_and_a_large_table(database_address: str) -> None:
    """The copies are closed threads beside those that are saved."""
    few, many = await compare_saves(database_address, 2 * FEW, lambda _: None, saves=20)
    assert few > 0
    assert many > 0
    async with await psycopg.AsyncConnection.connect(database_address) as connection:
        row = await (await connection.execute("select count(*) from triage.threads where is_closed")).fetchone()
    assert row == (2 * FEW,)
