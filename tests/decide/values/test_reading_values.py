"""Reading of values: settings, quantities, and how well a definition fits, by table."""

from __future__ import annotations

import pytest

from bot.decide.values.definition import Definition, _grade
from bot.decide.values.definitions import definitions
from bot.decide.values.extents import extent
from bot.decide.values.fallbacks import fallbacks
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
    assert find_option_default('help="the default is 5"', ["nothing here"]) is None
    assert find_option_default('help="the default is 5"', ['"--limit",', "nothing here"]) == ("limit", "5")


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
        ("shop.cart.limit", found(1, scope=("shop", "page")), True),
        ("shop.mail.limit", found(1, scope=("shop", "page")), False),
    ],
)
def test_a_definition_is_of_a_setting_by_its_whole_name(name: str, definition: Definition, fits: bool) -> None:
    """One letter is no name; the words before it are an enclosing block's or the file's."""
    assert bool(names_setting(name, definition, "conf/cart.py")) is fits


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


LONG_BLOCK = "".join(f"        'more_{number}': {number},\n" for number in range(30))


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        (f"options = {{\n    'retry': {{\n        'default': 3,\n{LONG_BLOCK}    }},\n}}", "default", (2, 3)),
        (f"options = {{\n    'retry': {{\n{LONG_BLOCK}        'default': 3,\n    }},\n}}", "default", (33, 33)),
        ("def connect(\n    host,\n    timeout=5,\n):\n    return host\n\nx = 1", "connect", (1, 5)),
        ("connect(\n    host,\n    timeout=5,\n)\nx = 1", "timeout", (1, 4)),
    ],
)
def test_the_extent_of_a_definition_in_a_long_block_or_over_lines(text: str, name: str, lines: tuple[int, int]) -> None:
    """A near head names what is only called a default; a body belongs to its signature of several lines."""
    file_lines = text.split("\n")
    definition = next(each for each in definitions("a.py", file_lines) if each.name == name)
    assert extent("a.py", file_lines, definition) == lines


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "# default: 5\n# for each try\nTIMEOUT = 30", [("TIMEOUT", "5", ()), ("TIMEOUT", "30", ())]),
        (
            "a.go",
            "type A struct {\n// default: 5\npublic int retries\n}",
            [("A", "struct {", ()), ("retries", "5", ())],
        ),
        ("a.go", "// default: 5\n)\nretries", [("", "5", ())]),
        ("a.go", "// default: 5\n\n", [("", "5", ())]),
        ("a.rb", "class Shop\n  LIMIT = 3\nend", [("Shop", "", ()), ("LIMIT", "3", ("Shop",))]),
    ],
)
def test_a_stated_default_and_an_indented_block_have_their_names(
    path: str, text: str, expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    """That of the field below the comment, none if there is none; that of the line above the indent."""
    assert [(each.name, each.value, each.scope) for each in definitions(path, text.split("\n"))] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#[arg(long, default_value = "5")]\n#[serde(skip)]\nretries: u32,', [("retries", '"5"')]),
        ("@Value(default = 5)\n@NotNull\nprivate int retries;", [("retries", "5")]),
        ("def default_retries():\n    # of one call\n    return 5", [("retries", "5")]),
        ("def default_retries():\n    # of one call\n\n", []),
        ("def default_retries():\n    compute()\n    return 5", []),
    ],
)
def test_a_default_is_that_of_the_field_below_or_of_a_short_function(
    text: str, expected: list[tuple[str, str]]
) -> None:
    """Past other attributes; a function that computes something has none."""
    assert list(fallbacks(text.split("\n"), 1)) == expected


@pytest.mark.parametrize(
    ("head", "context"), [("class Shop(\n    Base,\n):", "class"), ("def shop(\n    base,\n):", "body")]
)
def test_lines_below_a_head_of_several_lines_are_of_its_kind(head: str, context: str) -> None:
    """With the name of the class or the function around them."""
    limit = definitions("a.py", f"{head}\n    limit = 3".split("\n"))[-1]
    assert (limit.name, limit.context, [each.lower() for each in limit.scope]) == ("limit", context, ["shop"])


def test_values_of_one_name_are_shown_once_and_neighbours_together() -> None:
    """The best keeps its score and takes the lines of the others."""

    def value(line: int, name: str, path: str = "a.py", score: float = 1.0) -> Value:
        return Value(score=score, path=path, definition=found(line, name=name), start=line, end=line)

    values = [value(3, "limit", score=2.0), value(9, "limit"), value(4, "retry"), value(4, "other", path="b.py")]
    assert [(each.path, each.start, each.end, each.score) for each in merge_values(values)] == [
        ("a.py", 3, 4, 2.0),
        ("b.py", 4, 4, 1.0),
    ]
