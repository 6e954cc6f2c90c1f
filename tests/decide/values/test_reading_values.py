"""Reading of values: settings, quantities, and how well a definition fits, by table."""

from __future__ import annotations

import pytest

from bot.decide.values.definition import Definition, _grade
from bot.decide.values.extents import extent
from bot.decide.values.quantities import suits
from bot.decide.values.registered_values import find_option_default, setting
from bot.decide.values.setting_names import names_setting
from bot.decide.values.value import Value, merge_values

CODE = """\
limits = {
    "retry": 3,
}
default = (
    first
    + second
)
# default: 5
# for each try
TIMEOUT = 30
total = first + \\
    second
"""


def found(line: int, **changes: object) -> Definition:
    """A definition in a line."""
    values: dict[str, object] = {"line": line, "name": "limit", "value": "3", "scope": (), "block_start": 0}
    values |= {"kind": "value", "context": "top"}
    return Definition(**(values | changes))  # type: ignore[arg-type]  # a table hands in fields


@pytest.mark.parametrize(
    ("line", "expected"),
    [("limit = 3", ("limit", "3")), ("foo bar", ("foo", "bar")), ("# a remark about it", None), ("", None)],
)
def test_a_line_of_settings_has_a_name_and_a_value(line: str, expected: tuple[str, str] | None) -> None:
    """A remark has none."""
    assert setting(line) == expected


def test_a_default_in_a_help_text_needs_an_option() -> None:
    """The option may stand above."""
    assert find_option_default("the default is 5 seconds", ["nothing here"]) is None
    assert find_option_default("nothing to see", ["--limit"]) is None


@pytest.mark.parametrize(
    ("value", "grade"),
    [("{{ limit }}", 0.2), ("${LIMIT}", 0.2), ("[a, b]", 0.9), ("{", 0.85), ("", 0.85), ("-1", 0.7)],
)
def test_a_value_is_the_better_the_more_it_says(value: str, grade: float) -> None:
    """A placeholder says least."""
    assert _grade(value) == grade


@pytest.mark.parametrize(
    ("value", "words", "fit"),
    [("at 10:30", frozenset({"hours"}), 1.25), ("10MB", frozenset(), 0.85), ("yes", frozenset(), 1.0)],
)
def test_a_moment_fits_a_time(value: str, words: frozenset[str], fit: float) -> None:
    """A size is none."""
    assert suits("moment", words, value) == fit


@pytest.mark.parametrize(
    ("name", "definition", "fits"),
    [
        ("limit", found(1, name="x"), False),
        ("limit", found(1, name=""), False),
        ("limit", found(1), True),
        ("shop.limit", found(1, scope=("shop",)), True),
        ("shop.limit", found(1), False),
    ],
)
def test_a_definition_is_of_a_setting_by_its_whole_name(name: str, definition: Definition, fits: bool) -> None:
    """One letter is no name."""
    assert bool(names_setting(name, definition)) is fits


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        (found(8, kind="stated", name=""), (8, 8)),
        (found(8, kind="stated", name="TIMEOUT"), (8, 10)),
        (found(11, name="total"), (11, 12)),
        (found(4, name="default"), (4, 7)),
    ],
)
def test_a_definition_is_shown_whole(definition: Definition, expected: tuple[int, int]) -> None:
    """With its brackets, its second line, or the name below a remark."""
    assert extent("a.py", CODE.splitlines(), definition) == expected


def test_values_of_one_name_are_shown_once_and_neighbours_together() -> None:
    """The best keeps its score and takes the lines of the others."""

    def value(line: int, name: str, path: str = "a.py", score: float = 1.0) -> Value:
        return Value(score=score, path=path, definition=found(line, name=name), start=line, end=line)

    values = [value(3, "limit", score=2.0), value(9, "limit"), value(4, "retry"), value(4, "other", path="b.py")]
    assert [(each.path, each.start, each.end, each.score) for each in merge_values(values)] == [
        ("a.py", 3, 4, 2.0),
        ("b.py", 4, 4, 1.0),
    ]
