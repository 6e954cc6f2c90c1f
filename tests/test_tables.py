"""Tables within one test."""

from __future__ import annotations

import pytest

from tests.tables import each_row


def test_every_row_is_tried_and_each_failure_names_its_row() -> None:
    """Tables may stand on each other, as parameters do, and fixtures are left to pytest."""
    tried: list[tuple[str, str, int]] = []

    @each_row("word", ["a", pytest.param("b", id="second")])
    @each_row(("one", "two"), [(1, 1), (2, 3), (4, 5)], ids=["equal", None, "more"])
    def check(tmp_path: str, word: str, one: int, two: int) -> None:
        tried.append((tmp_path, word, one))
        assert one == two

    with pytest.raises(ExceptionGroup, match="2 of 2 rows failed") as seen:
        check(tmp_path="t")
    assert tried == [("t", word, one) for word in "ab" for one in (1, 2, 4)]
    first, second = seen.value.exceptions
    assert (first.__notes__, second.__notes__) == (["row: 'a'"], ["row: 'b'"])
    assert isinstance(first, ExceptionGroup)
    assert [each.__notes__ for each in first.exceptions] == [["row: 2, 3"], ["row: more"]]


def test_a_row_with_marks_is_no_row() -> None:
    """Nor is a table empty: it would test nothing."""
    for rows in ([pytest.param(1, marks=pytest.mark.long)], []):
        with pytest.raises(ValueError, match="row"):
            each_row("one", rows)
