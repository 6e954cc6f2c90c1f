"""The definition that a first draft leads with."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.decide.bounce.correction import Correction
from bot.decide.retrieval.index import SearchIndex
from bot.decide.retrieval.query import build_query
from bot.decide.values.definition import Definition
from bot.decide.values.leading_value import choose_leading
from bot.decide.values.place_question import asks_for_place
from bot.decide.values.shown_value import holds_value
from bot.decide.values.value import Value
from bot.decide.values.value_ranking import ValueRanking

TIMEOUTS = """\
CONNECT_TIMEOUT = 3
READ_TIMEOUT = 4
TIMEOUT = 5
"""
HEADERS = """\
MAX_CHUNK_HEADER_SIZE = 4096
MAX_HEADER = 65536
"""
WAITS = """\
PERSISTENT_TIMEOUT = 65
WRITE_TIMEOUT = 10
"""
PEERS = """\
DEFAULT_RECONNECT_INTERVAL_S = 10
DEFAULT_RECONNECT_TIMEOUT_S = 60
"""
ALIVE = """\
TIMEOUT = 5
KEEP_ALIVE_SECONDS = 15
"""
BODY = """\
JsonBody = dict(
    buf=8192,
)
"""
AGES = """\
cors = {
    "max_age": 86400,
}
hsts = {
    "include": 1,
}
"""
OPTIONS = """\
TIMEOUT = 0
READ_TIMEOUT = 'read_timeout'
"""


def led(question: str, text: str) -> list[str]:
    """The names that lead for a question to a project of one file of settings."""
    lines = tuple(text.splitlines())
    wanted = build_query(question)
    numbers, words = zip(*_words(lines), strict=True)
    found = {"app/options.py": [(numbers, words)], "app/a.py": [((1, 1), ("max", "age"))]}
    ground = SearchIndex(wanted, found, ["app/options.py", "app/a.py", "app/b.py"])
    values = ValueRanking(
        search_index=ground, correction=Correction(demotes=True, asks_value=True, is_guessed=True), question=question
    )
    return [one.definition.name for one in choose_leading(values.rate({"app/options.py": lines}), question, wanted, ())]


def led_among(question: str, texts: dict[str, str]) -> list[str]:
    """The files whose definition leads."""
    wanted = build_query(question)
    files = {path: tuple(text.splitlines()) for path, text in texts.items()}
    found = {path: [_columns(lines)] for path, lines in files.items()}
    ground = SearchIndex(wanted, found, [*files, "app/y.go", "app/z.go"])
    values = ValueRanking(
        search_index=ground, correction=Correction(demotes=True, asks_value=True, is_guessed=True), question=question
    )
    return [one.path for one in choose_leading(values.rate(files), question, wanted, ())]


def _columns(lines: tuple[str, ...]) -> tuple[list[int], list[str]]:
    words = _words(lines)
    return [number for number, _ in words], [word for _, word in words]


def _words(lines: tuple[str, ...]) -> list[tuple[int, str]]:
    return [(number, word.lower()) for number, line in enumerate(lines, 1) for word in _split(line)]


def _split(line: str) -> list[str]:
    return "".join(char if char.isalpha() else " " for char in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line)).split()


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("what's the default timeout of a request", TIMEOUTS, "TIMEOUT"),
        ("what is the connect timeout?", TIMEOUTS, "CONNECT_TIMEOUT"),
        ("how big may a request header get", HEADERS, "MAX_HEADER"),
        ("how big may a chunk header get", HEADERS, "MAX_CHUNK_HEADER_SIZE"),
        ("what is the write timeout?", WAITS, "WRITE_TIMEOUT"),
    ],
)
def test_the_plainest_name_leads_that_holds_what_is_asked(question: str, text: str, name: str) -> None:
    """A word of a name that nobody asked for is held against it, and one that was asked for is not."""
    assert led(question, text) == [name]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how long does it try to reconnect?", PEERS),
        ("what is the default keep-alive timeout?", ALIVE),
        ("how large may a json body be?", BODY),
        ("what is the default hsts max age?", AGES),
        ("what is the read timeout of a stream?", OPTIONS),
    ],
)
def test_none_leads_where_the_choice_is_doubtful(question: str, text: str) -> None:
    """Names with as good a claim, a better name without a value, and values without the word that tells most."""
    assert led(question, text) == []


SECTION = """\
print("retry_limit", retry_limit=other.retry_limit)
retry_limit: Annotated[int, Field(ge=0, le=9)] = 3
"""


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("where is retry_limit set?", True),
        ("where do we define retry_limit", True),
        ("which file sets retry_limit?", True),
        ("wo wird retry_limit festgelegt?", True),
        ("\u00bfd\u00f3nde se configura retry_limit?", True),
        ("o\u00f9 est d\u00e9fini retry_limit ?", True),
        ("retry_limit \u306f\u3069\u3053\u3067\u8a2d\u5b9a\u3057\u307e\u3059\u304b", True),
        ("where is retry_limit read?", False),
        ("how do I set retry_limit?", False),
        ("where do I set the alarm?", True),
    ],
)
def test_a_question_for_a_place_leads_with_the_definition(question: str, *, leads: bool) -> None:
    """Of what it names, past lines that use it."""
    assert asks_for_place(question) is leads
    assert led(question, SECTION) == (["retry_limit"] if "retry_limit" in question else [])


SAMPLE = "max_age: 77\n"
CODE = "defaultMaxAge = 5\nmaxTurns = 9\n"


@pytest.mark.parametrize(
    "question", ["max_age default?", "what is the default max age?", "\u00bfcu\u00e1l es el max_age por defecto?"]
)
@pytest.mark.parametrize("path", ["example_config.yaml", "conf/app.yaml.dist", "contrib/a.yaml", "config.example.yml"])
def test_the_default_of_the_code_leads_before_an_example(path: str, question: str) -> None:
    """However the question spells the setting."""
    assert led_among(question, {"app/a.go": CODE, path: SAMPLE}) == ["app/a.go"]


def test_an_example_is_shown_where_nothing_states_a_default() -> None:
    """It leads, and is never offered as an answer; a question for no default is answered by it."""
    assert led_among("max_age default?", {"example_config.yaml": SAMPLE, "app/b.go": "maxTurns = 9\n"}) == [
        "example_config.yaml"
    ]
    assert not holds_value("max_age default?", "example_config.yaml", ("max_age: 77",), 1, 1, sets=True)
    assert holds_value("how long is max_age?", "example_config.yaml", ("max_age: 77",), 1, 1, sets=True)


@pytest.mark.parametrize(("is_default", "leads"), [(False, True), (True, False)])
def test_a_stated_default_nearly_as_good_is_a_rival(*, is_default: bool, leads: bool) -> None:
    """Another value of the same words makes the choice doubtful only if it is said to be the default."""
    question = "how long does a read take at most?"
    best = Value(1.0, "a.py", Definition(1, "READ_WAIT", "5"), 1, 1, held_terms=frozenset({0}), named=frozenset({0}))
    other = replace(best, score=0.9, definition=Definition(2, "READ_DELAY", "7", is_default=is_default))
    assert choose_leading([best, other], question, build_query(question), ()) == ([best] if leads else [])


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("def start(options):\n    body_limit = 5\n", "def start(options):\n    options.body_limit = 5\n"),
        ("class TestCart:\n    body_limit = 5\n", "class NextCart:\n    body_limit = 5\n"),
    ],
)
def test_a_field_precedes_a_variable_and_code_precedes_its_test(lower: str, higher: str) -> None:
    """In the score of a definition, with all else equal."""
    assert score_of("what is the body limit?", lower) < score_of("what is the body limit?", higher)


def test_a_word_of_size_says_nothing_about_a_name() -> None:
    """Next to *how*, where a quantity is asked for."""
    text = "body_limit = 5\nlarge = 6\n"
    assert score_of("how large is the body limit?", text) == score_of("what is the size of the body limit?", text)


def score_of(question: str, text: str) -> float:
    """Return the best score of a definition of `body_limit`."""
    lines = tuple(text.splitlines())
    search_index = SearchIndex(build_query(question), {"a.py": [_columns(lines)]}, ["a.py", "b.py"])
    ranking = ValueRanking(search_index=search_index, correction=Correction(asks_value=True), question=question)
    return max(value.score for value in ranking.rate({"a.py": lines}) if "body_limit" in value.definition.name)
