"""Which files and passages come first, how sure that is, and which lines are quoted."""

from __future__ import annotations

import re

import pytest

from bot.decide.retrieval.confidence import ENOUGH, compute_confidence
from bot.decide.retrieval.index import SearchIndex
from bot.decide.retrieval.passages import Passage, split_passages
from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.ranking import Ranking, Rated
from bot.decide.retrieval.snippets import quotable, quote
from bot.decide.retrieval.word_keys import WordFinder

CLIENT = """\
import time

DEFAULT_TIMEOUT = 30


class Client:
    def connect(self, host):
        \"\"\"Open a connection to the host.\"\"\"
        return open_socket(host)

    def close(self):
        self.socket.close()
"""
OTHER = """\
def paint(canvas):
    # the timeout of the client is not used here
    canvas.fill("red")
"""
FILES = {
    "shop/client.py": CLIENT,
    "shop/paint.py": OTHER,
    "tests/test_client.py": CLIENT,
    "docs/guide.md": "# Guide\n\nThe client waits for the timeout.\n\n## Colours\n\nRed.\n",
    "CHANGELOG.md": "- the default timeout of the client is 30\n",
}


def words_of(text: str) -> tuple[list[int], list[str]]:
    lines, words = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        for word in re.findall(r"[a-z]+", line.lower()):
            lines.append(number)
            words.append(word)
    return lines, words


def ground_of(question: str, files: dict[str, str], **options: str) -> SearchIndex:
    found = {path: [words_of(text)] for path, text in files.items()}
    return SearchIndex(build_query(question, **options), found, sorted(files))


def best(question: str, files: dict[str, str], **options: str) -> list[Rated]:
    ground = ground_of(question, files, **options)
    ranking = Ranking(ground)
    rated = []
    for path in ground.best_files(10):
        lines = files[path].split("\n")
        rated += ranking.rate(path, lines, split_passages(path, lines))
    return sorted(rated, key=lambda one: (-one.score, one.path))


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("what is the default timeout of the client?", "shop/client.py"),
        ("how do we connect to a host", "shop/client.py"),
        ("where is the canvas filled", "shop/paint.py"),
        ("which test covers the client's connection?", "tests/test_client.py"),
        ("what does paint.py fill", "shop/paint.py"),
        ("colours of the guide", "docs/guide.md"),
    ],
)
def test_the_file_that_answers_comes_first(question: str, path: str) -> None:
    """Code and docs stand above tests and changelogs, unless those are asked for."""
    assert best(question, FILES)[0].path == path


def test_a_file_named_in_feedback_comes_first() -> None:
    """What an operator points at outranks what fits better by words."""
    assert best("default timeout of the client", FILES, feedback="see shop/paint.py")[0].path == "shop/paint.py"


def test_the_order_does_not_depend_on_the_input_order() -> None:
    """The same tree gives the same ranking."""
    backwards = dict(reversed(FILES.items()))
    question = "timeout of the client"
    assert [(r.path, r.passage, r.score) for r in best(question, FILES)] == [
        (r.path, r.passage, r.score) for r in best(question, backwards)
    ]


def test_reading_few_files_takes_the_first_of_many() -> None:
    """The early end of the rough look gives the same files as looking at all, by files and by lines."""
    files = {f"m{n:02}.py": "timeout\n" * (n % 7) + "client\n" * (n % 3) + "\n" * 60 for n in range(40)}
    ground = ground_of("client timeout", files)
    assert ground.best_files(5) == ground.best_files(40)[:5]
    assert ground.densest_files(5) == ground.densest_files(40)[:5]


@pytest.mark.parametrize(
    ("question", "good", "nowhere"),
    [
        ("what is the default timeout?", True, ()),
        ("where do we open the connection to a host?", True, ()),
        ("how are kafka partitions balanced?", False, ("kafka", "partitions", "balanced")),
        ("what is the timeout of the webhook?", False, ("webhook",)),
        ("how does the canvas close its socket connection?", False, ()),
        ("how does it work?", False, ()),
    ],
)
def test_a_passage_is_good_when_it_holds_the_rare_words(question: str, good: bool, nowhere: tuple[str, ...]) -> None:
    """A word that stands nowhere, or words that only stand far apart, make the answer unsure."""
    ground = ground_of(question, FILES)
    rated = best(question, FILES)
    sure = compute_confidence(ground, Ranking(ground), rated[0] if rated else None)
    assert (sure.share >= ENOUGH and not sure.nowhere) is good
    assert sure.nowhere == nowhere


def test_an_everyday_word_may_be_missing() -> None:
    """A word that nobody writes in code does not spoil the answer."""
    ground = ground_of("where is the default timeout thrown away", FILES)
    rated = best("where is the default timeout thrown away", FILES)
    assert compute_confidence(ground, Ranking(ground), rated[0]).share >= ENOUGH


@pytest.mark.parametrize(
    ("message", "nowhere"),
    [("Web vault is not found at 'web-vault/'", ()), ("Door lock is not closed at 'web-vault/'", ("door", "lock"))],
)
def test_the_constant_part_of_a_message_represents_it(message: str, nowhere: tuple[str, ...]) -> None:
    """The code has no value in its message; the words of another message are missing."""
    code = ['raise Error(f"Web vault is not found at {path}")']
    query = build_query(f"it says `{message}`, why?")
    search_index = SearchIndex(query, {"a.py": [WordFinder(query.stems, query.literals).find(code)]}, ["a.py", "b.py"])
    ranking = Ranking(search_index)
    best_passage = next(iter(ranking.rate("a.py", code, split_passages("a.py", code))))
    confidence = compute_confidence(search_index, ranking, best_passage)
    assert confidence.nowhere == nowhere
    assert (message in confidence.lacking) is bool(nowhere)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.py",
            "import os\n\nclass A:\n    x = 1\n\n    # why\n    @wraps\n    def b(self):\n        pass\n",
            [(1, 2, ()), (3, 5, ("A",)), (6, 10, ("A", "b"))],
        ),
        (
            "a.md",
            "intro\n# One\ntext\n## Two\n```\n# not a heading\n```\n# Three\n",
            [(1, 1, ()), (2, 3, ("One",)), (4, 7, ("One", "Two")), (8, 9, ("Three",))],
        ),
        ("a.rst", "Title\n=====\n\nPart\n----\ntext", [(1, 3, ("Title",)), (4, 6, ("Title", "Part"))]),
        (
            "a.rst",
            "Title\n=====\n\nPart\n----\n\nOther\n-----\ntext",
            [(1, 3, ("Title",)), (4, 6, ("Title", "Part")), (7, 9, ("Title", "Other"))],
        ),
        ("a.go", "package a\nfunc (s *S) Run(x int) {\n}", [(1, 1, ()), (2, 3, ("Run",))]),
        ("a.toml", "[tool.x]\na = 1", [(1, 2, ("tool.x",))]),
        ("a.txt", "", [(1, 1, ())]),
    ],
)
def test_a_file_is_cut_where_a_person_would(path: str, text: str, expected: list[tuple[int, int, object]]) -> None:
    """Definitions take their comments and decorators with them; headings nest; fenced text has no headings."""
    assert [(part.start, part.end, part.names) for part in split_passages(path, text.split("\n"))] == expected


def test_a_comment_above_an_empty_line_belongs_to_the_definition() -> None:
    """One that ends with its own sign, in a file whose definitions a parser provided."""
    lines = ["package a", "/* Connects to the host.", " */", "", "func connect() {", "}"]
    assert split_passages("a.go", lines, [(5, 6, 0, "connect")]) == [Passage(1, 1), Passage(2, 6, ("connect",))]


def test_passages_cover_every_line_once() -> None:
    """A long stretch is cut at empty lines, and nothing is lost or doubled."""
    lines = [("" if n % 9 == 0 else f"x{n} = {n}") for n in range(500)]
    parts = split_passages("a.py", lines)
    assert [n for part in parts for n in range(part.start, part.end + 1)] == list(range(1, 501))
    assert max(part.end - part.start + 1 for part in parts) <= 60


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        ("    return x", True),
        ("\treturn x", True),
        ("", True),
        ("größer = 1  # ok", True),
        ("設定 = 1", True),
        ("x" * 181, False),
        ("```python", False),
        ("a\x1b[31mb", False),
        ("a\rb", False),
        ("a\u202eb", False),
        ("a\u2028b", False),
        ("a\x0cb", False),
    ],
)
def test_some_lines_are_never_quoted(line: str, fits: bool) -> None:
    """Fences, controls, direction marks and endless lines stay out of a reply."""
    assert quotable(line) is fits


@pytest.mark.parametrize(
    ("worth", "most", "expected"),
    [
        ({3: {0: 2.0}, 4: {1: 2.0}}, 8, (2, 5)),
        ({1: {0: 1.0}, 9: {0: 3.0}}, 8, (8, 9)),
        ({2: {0: 2.0}, 9: {1: 2.1}}, 8, (2, 9)),
        ({2: {0: 2.0}, 9: {1: 2.1}}, 4, (8, 9)),
        ({6: {0: 2.0}}, 8, None),
        ({}, 8, None),
    ],
)
def test_the_quote_holds_most_in_fewest_lines(
    worth: dict[int, dict[int, float]], most: int, expected: tuple[int, int] | None
) -> None:
    """Lines that add nothing are not quoted but for a few around it, and no quote begins or ends with an empty line."""
    lines = ["one", "two", "three", "four", "five", "```", "", "eight", "nine", ""]
    found = quote(
        lines if most == 4 or 9 not in worth else [*lines[:5], "six", *lines[6:]], Passage(1, 10), worth, most
    )
    assert (found and (found.start, found.end)) == expected


def test_the_comment_above_comes_before_the_lines_below() -> None:
    """A short quote is extended by it first."""
    lines = ["limit = 2", "", "// The limit of each try.", "limit = 3", "a = 1", "b = 2", "c = 3"]
    best_lines = quote(lines, Passage(1, 7), {4: {0: 2.0}})
    assert best_lines is not None
    assert (best_lines.start, best_lines.end) == (3, 6)
