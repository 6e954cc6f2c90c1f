"""What a bounce asks of the next search: which references go and stay, what is searched for, what is to be shown."""

from __future__ import annotations

from collections.abc import Set

import pytest

from bot.decide.bounce.clauses import without_asker
from bot.decide.bounce.correction import read_bounce
from bot.decide.bounce.places import named_places
from bot.decide.retrieval.query import build_query
from bot.decide.values.definitions import definitions
from bot.decide.values.quantities import quantity, suits
from tests.tables import each_row

REFS = ("intake/watcher.py:5-9", "triage/limits.py:1-4", "docs/intake.md:1-3")


@each_row(
    ("feedback", "code", "dropped", "kept"),
    [
        ("the second one is wrong", None, {1}, {0, 2}),
        ("the second one", "wrong_place", {1}, {0, 2}),
        ("triage/limits.py:2", "wrong_place", {1}, {0, 2}),
        ("limits.py is not it", None, {1}, {0, 2}),
        ("watcher.py, line 6: wrong", None, {0}, {1, 2}),
        ("line 2 in limits.py is the wrong one", None, {1}, {0, 2}),
        ("the watcher one", "wrong_place", {0}, {1, 2}),
        ("keep the first, the others are wrong", None, {1, 2}, {0}),
        ("only the first is right", "wrong_place", {1, 2}, {0}),
        ("the first and the last are wrong", None, {0, 2}, {1}),
        ("The docs are fine but limits.py is a test", None, {1}, {0, 2}),
        ("use orders.py instead of watcher.py", "wrong", {0}, {1, 2}),
        ("#2 is irrelevant", None, {1}, {0, 2}),
        ("die zweite Stelle ist falsch", None, {1}, {0, 2}),
        ("la segunda es errada", None, {1}, {0, 2}),
        ("all wrong", None, {0, 1, 2}, set()),
        ("pertama salah", None, {0}, {1, 2}),
        ("最初の参照は間違っています", None, {0}, {1, 2}),
        ("عدد درست نیست، خط اول غلط است", None, {0}, {1, 2}),
        ("limits.py is not the right file", None, {1}, {0, 2}),
        ("not the tests but triage/limits.py:90", "wrong_place", set(), {0, 1, 2}),
        ("she means the triage and not the watcher", "wrong_place", {0}, {1}),
        ("sie meint die Triage und nicht den Watcher", None, {0}, {1}),
        ("she means the client rather than the server", "wrong_place", set(), set()),
        ("intake/watcher.py:90 is the right place", None, set(), {0, 1, 2}),
        ("", "wrong_place", set(), set()),
        ("see orders.py", "wrong_place", set(), set()),
        ("the second attempt is what he asks about", None, set(), set()),
        ("An operator answers the open questions: The second.", None, set(), set()),
        ("show the default", None, set(), {0, 1, 2}),
        ("", "incomplete", set(), {0, 1, 2}),
    ],
)
def test_a_bounce_drops_what_it_names(feedback: str, code: object, dropped: Set[int], kept: Set[int]) -> None:
    """What is called wrong goes, the rest stays; a bounce that names nothing keeps nothing, unless it asks for more."""
    read = read_bounce(feedback, REFS, code, "Ana Silva")  # type: ignore[arg-type]  # a table of codes
    assert (read.dropped, read.kept_indexes) == (dropped, kept)


@pytest.mark.parametrize(
    ("feedback", "words"),
    [
        ("she wants the default", []),
        ("Ana meant the upload timeout, not the retry", ["upload", "timeout"]),
        ("Ana Silva asks for the number of seconds", []),
        ("the customer would like to know the queue's limit", ["queue", "limit"]),
        ("<@U1> is after `max_retries`", ["max_retries", "max", "retries"]),
        ("it is not the docs: look at billing/orders.py", []),
        ("look at src/db.rs line 300, purge_expired_keys", ["purge_expired_keys", "purge", "expired", "keys"]),
        ("look in src/db.rs, Zeile 300, bei purge()", ["purge"]),
        ("no quiero la documentación, quiero el valor por defecto del buffer", ["buffer"]),
        ("não é o teste, quero o código do cliente", ["cliente"]),
        ("je veux la valeur par défaut de l'adresse", ["adresse"]),
        ("saya mau nilai bawaan untuk cache", ["cache"]),
        ("数字が足りない、キャッシュの上限", ["キャッシュ", "上限"]),
        ("عدد درست نیست، خط اول غلط است", []),
    ],
)
def test_words_about_the_asker_are_no_search_terms(feedback: str, words: list[str]) -> None:
    """Persons, and words about the draft, are left out; names of the project stay."""
    read = read_bounce(feedback, REFS, None, "Ana Silva")
    assert [term.word for term in build_query("", read.words).terms] == words


@pytest.mark.parametrize(
    ("feedback", "value", "whole"),
    [
        ("show the default", True, False),
        ("which number is it?", True, False),
        ("zeig den Standardwert", True, False),
        ("quel est le défaut ?", True, False),
        ("デフォルトを見せて", True, False),
        ("list the allowed values", True, True),
        ("quote the whole enum", False, True),
        ("not that place", False, False),
        ("see limits.py", False, False),
    ],
)
def test_a_bounce_can_ask_for_a_value(feedback: str, value: bool, whole: bool) -> None:
    """A default or a number is a value; a list or an enum is shown whole; the name of a file asks for neither."""
    read = read_bounce(feedback, REFS)
    assert (read.asks_value, read.asks_whole) == (value, whole)


@pytest.mark.parametrize(
    ("said", "dropped"),
    [
        ("not the example", {1}),
        ("wrong place: not the example", {1}),
        ("not the test file", {2}),
        ("nicht das Beispiel, bitte", {1}),
        ("show an example", set()),
        ("CODEOWNERS has nothing to do with it", set()),
    ],
)
def test_a_kind_of_file_that_is_refused_goes(said: str, dropped: set[int]) -> None:
    """And no word of a refusal is searched for."""
    refs = ("middleware/throttle.go:30-32", "_examples/limits/main.go:6-8", "middleware/throttle_test.go:4")
    correction = read_bounce(said, refs, "wrong_place")
    assert correction.dropped == dropped
    assert "CODEOWNERS" not in correction.words


@each_row(
    ("said", "refused", "wanted"),
    [
        ("not the example", ("examples",), ()),
        ("not the test file, show the default", ("tests",), ()),
        ("CODEOWNERS has nothing to do with it", ("CODEOWNERS",), ()),
        ("middleware/throttle.go has nothing to do with it", ("middleware/throttle.go",), ()),
        ("throttle.go is wrong", ("middleware/throttle.go",), ()),
        ("throttle.go, line 31: wrong", (), ()),
        ("the second is off topic", ("_examples/limits/main.go",), ()),
        ("the second one is wrong", (), ()),
        ("she means the config file, not the code", ("code",), ("settings",)),
        ("er meint die Konfigurationsdatei", (), ("settings",)),
        ("look in the docs", (), ("documents",)),
        ("no quiero la documentación, quiero el código", ("documents",), ("code",)),
        ("não é o teste, quero o código", ("tests",), ("code",)),
        ("Ich will nicht die Doku", ("documents",), ()),
        ("ninguém pediu os testes", ("tests",), ()),
        ("nobody asked for the tests", ("tests",), ()),
        ("テストではなくコードを見せて", ("tests",), ("code",)),
        ("مستندات را نمی‌خواهم، کد را نشان بده", ("documents",), ("code",)),
        ("bukan dokumentasi, saya mau kode", ("documents",), ("code",)),
        ("docs/chi.md is outdated", ("docs/chi.md",), ()),
        ("she means the server and not the client", ("client but not server",), ()),
        ("docs no, code yes", ("documents",), ("code",)),
        ("sans la doc", ("documents",), ()),
        ("los tests no sirven", ("tests",), ()),
        ("nur Code", (), ("code",)),
        ("die Beispiele interessieren nicht", ("examples",), ()),
        ("the tests are noise", ("tests",), ()),
        ("the cookie stuff is irrelevant", ("cookie",), ()),
        ("that is not what the code does", (), ("code",)),
    ],
)
def test_a_file_or_a_kind_of_files_can_be_refused_or_wanted(
    said: str, refused: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    """A file is refused by its name alone or as off topic, not by a line or a number; a kind after *not*."""
    refs = ("middleware/throttle.go:30-32", "_examples/limits/main.go:6-8", "middleware/throttle_test.go:4")
    correction = read_bounce(said, refs, "wrong_place")
    assert (correction.refused, correction.wanted) == (refused, wanted)


@pytest.mark.parametrize(
    ("said", "code", "places"),
    [
        ("a/b.py:40 is the right place", None, [("a/b.py", 40, 40)]),
        ("look at src/db.rs line 300, purge_keys", "wrong_place", [("src/db.rs", 300, 300)]),
        ("triage/limits.py:90-95", "wrong_place", [("triage/limits.py", 90, 95)]),
        ("it is in https://git.example.com/shop/-/blob/main/a/b.py#L4-6", "wrong", [("a/b.py", 4, 6)]),
        ("schau in a/b.go, Zeile 3 bis 5, nicht in c.go:2", None, [("a/b.go", 3, 5)]),
        ("no citaste a/b.py:7", None, [("a/b.py", 7, 7)]),
        ("a/b.py is wrong", None, []),
        ("not a/b.py:40", "wrong_place", []),
        ("triage/limits.py:2", "wrong_place", []),
        ("look at `max_retries`", None, []),
    ],
)
def test_a_place_that_is_named_is_where_to_look(said: str, code: object, places: list[tuple[str, int, int]]) -> None:
    """With its lines, in words or as an address; not where it is refused, or where the draft has it already."""
    read = read_bounce(said, REFS, code)  # type: ignore[arg-type]  # a table of codes
    assert [(place.paths[0], place.first, place.last) for place in read.places] == places


@pytest.mark.parametrize(
    ("path", "text", "name", "value"),
    [
        ("app.js", "  this.set('subdomain offset', 2);", "subdomain offset", "2);"),
        ("app.rb", "  set :sessions, true", "sessions", "true"),
        ("env.rb", 'x = ENV.fetch("WEB_LIMIT", 5)', "WEB_LIMIT", "5"),
        ("main.go", 'keep = kingpin.Flag("data.keep", "How long.").Default("120h")', "data.keep", '"120h"'),
        ("cli.rb", ' opts.on("-p", "--port PORT", "use PORT (default: 9292)") { |p|', "port", "9292"),
        ("limits.h", "#define MAX_LEN 64", "MAX_LEN", "64"),
        ("conf.php", "    'max_redirects' => 5,", "max_redirects", "5,"),
        ("Options.cs", "    public int Attempts { get; set; } = 3;", "Attempts", "3;"),
        ("server.conf", "maxclients 10000", "maxclients", "10000"),
        ("server.conf", "# idle-timeout 60", "idle-timeout", "60"),
        ("options.md", "| Name | Default |\n|---|---|\n| `timeout` | 30 |", "timeout", "30"),
    ],
)
def test_a_value_is_found_where_no_assignment_gives_it(path: str, text: str, name: str, value: str) -> None:
    """By a setter, a look-up with a default, an option's default, a macro, a property, a setting, a table."""
    assert (name, value) in {(one.name, one.value) for one in definitions(path, text.split("\n"))}


@pytest.mark.parametrize(
    "text",
    ['if limit < 1 {\n\tpanic("chi/middleware: Throttle expects limit > 0")\n}', "select {\ndefault:\n\twait()\n}"],
)
def test_a_guard_and_an_arm_of_a_switch_are_no_definitions(text: str) -> None:
    """Words of a message, and what a switch does otherwise, give nothing a value."""
    assert not definitions("throttle.go", text.split("\n"))


@pytest.mark.parametrize(
    ("question", "kind", "better", "worse"),
    [
        ("how long does it wait?", "time", ("read_timeout", "30"), ("max_size", "1024 * 64")),
        ("how large may a body be?", "size", ("body_limit", "1 << 20"), ("body_timeout", "30")),
        ("how many connections are there?", "count", ("max_connections", "10"), ("max_lifetime", "minutes(30)")),
        ("how often is it tried again?", "pace", ("retries", "3"), ("greeting", "'hello'")),
        ("where is it set?", "", ("anything", "1"), ("anything", "1")),
    ],
)
def test_a_quantity_is_told_from_another(
    question: str, kind: str, better: tuple[str, str], worse: tuple[str, str]
) -> None:
    """How long asks for a time, how large for a size; a value of the other kind stands back."""
    assert quantity(question) == kind
    good, bad = (suits(quantity(question), frozenset(name.split("_")), value) for name, value in (better, worse))
    assert good > bad or not kind


@pytest.mark.parametrize(
    ("feedback", "refs", "dropped"),
    [
        ("both are wrong", ("a/one.py:1-4", "b/two.py:2-3"), {0, 1}),
        ("both are wrong", ("a/one.py:1-4", "b/two.py:2-3", "c/three.py:1"), set()),
        ("the first and the second and the third are wrong", REFS, {0, 1, 2}),
        ("docs/ is wrong", REFS, set()),
    ],
)
def test_a_verdict_reaches_back_over_the_places_before_it(
    feedback: str, refs: tuple[str, ...], dropped: set[int]
) -> None:
    """*Both* means two; a folder is no place."""
    assert dropped <= read_bounce(feedback, refs).dropped
    assert named_places("see commit abcdef1234567890, in `docs/`") == []
    assert without_asker("A B says it is retries.py", "A Bert") == "A B says it is retries.py"
