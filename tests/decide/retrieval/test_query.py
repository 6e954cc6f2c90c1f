"""From a person's question to terms: what is searched for, what is left out, what stands for what."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.function_words import is_english
from bot.decide.retrieval.query import MAX_TERMS, Query, build_query
from bot.decide.retrieval.search_text import asked_text
from bot.decide.retrieval.stemmer import pieces, stem
from bot.decide.retrieval.stopwords import DECLARING, WEAK


def words(found: Query) -> list[str]:
    return [term.word for term in found.terms]


@pytest.mark.parametrize(
    ("forms", "same"),
    [
        (("retry", "retries", "retried", "retrying"), True),
        (("handle", "handles", "handled", "handling"), True),
        (("stop", "stops", "stopped", "stopping"), True),
        (("connect", "connection", "connected", "connections"), True),
        (("validate", "validation", "validates"), True),
        (("cache", "cached", "caches", "caching"), True),
        (("send", "sent", "sends", "sending"), True),
        (("process", "processes", "processing"), True),
        (("class", "classes"), True),
        (("status", "statuses"), True),
        (("set", "setting"), False),
        (("head", "header"), False),
        (("except", "exception"), False),
        (("feed", "fe"), False),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...], same: bool) -> None:
    """Endings are cut off; words that only look related stay apart."""
    assert (len({stem(form) for form in forms}) == 1) is same


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("max_retries", ["max", "retries"]),
        ("HTTPConnectionPool", ["http", "connection", "pool"]),
        ("getURL2", ["get", "url2"]),
        ("SO_KEEPALIVE", ["so", "keepalive"]),
        ("__init__", ["init"]),
        ("Größe", ["größe"]),
        ("maxGrößeÜbertragung", ["max", "größe", "übertragung"]),
        ("ÜBERTRAGUNG_MAX", ["übertragung", "max"]),
        ("déjà_vu2", ["déjà", "vu2"]),
        ("\u0130stanbul", ["istanbul"]),
        ("настройка_порта", ["настройка", "порта"]),
    ],
)
def test_identifiers_are_split(identifier: str, parts: list[str]) -> None:
    """Snake case, camel case and capitals give their words in lower case."""
    assert pieces(identifier) == parts


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Hi team, where is the debounce window set?", ["debounce", "window", "set"]),
        ("does it retry?", ["retry"]),
        ("why isn't the card updated", ["card", "updated"]),
        ("<@U0ANA> see https://example.com/x?y=1 about webhooks", ["webhooks"]),
        ("di mana timeout diatur?", ["timeout", "diatur"]),
        ("タイムアウトの設定はどこ?", ["タイムアウト", "設定"]),
        ("the URLs and IDs of threads", ["urls", "ids", "threads"]),
        ("where is the timeout: when does it time out?", ["timeout", "time"]),
        ("what about it?", []),
        ("", []),
        ("😀😀 \0\x1b[31m", ["31"]),
    ],
)
def test_what_is_searched_for(question: str, expected: list[str]) -> None:
    """Question words, greetings, mentions, links and controls are left out."""
    assert [word for word in words(build_query(question)) if word != "m"] == expected


@pytest.mark.parametrize(
    ("question", "literal"),
    [
        ("what is MAX_DRAFT_CHARS for?", "MAX_DRAFT_CHARS"),
        ("who calls raise_for_status", "raise_for_status"),
        ("where is KeywordEngine built", "KeywordEngine"),
        ('I get "connection reset by peer" often', "connection reset by peer"),
        ("it says `no such option here` then", "no such option here"),
        ("what reads triage.yml?", "triage.yml"),
        ("is MAX_DRAFT_CHARS the same as max_draft_chars?", "MAX_DRAFT_CHARS"),
    ],
)
def test_identifiers_and_quotes_are_searched_as_they_stand(question: str, literal: str) -> None:
    """A name or a quoted message is looked for letter by letter, and weighs more than a word."""
    found = build_query(question)
    assert found.literals == (literal,)
    weights = {term.word: term.weight for term in found.terms}
    assert weights[literal] > max(weight for word, weight in weights.items() if word != literal)


@pytest.mark.parametrize(
    ("question", "word", "key", "share"),
    [
        ("the default timeout", "timeout", "deadline", 0.5),
        ("who handles it", "handles", "handler", None),
        ("parser of dates", "parser", "parse", 0.75),
        ("the rate limit", "limit", "ratelimit", 1.0),
        ("when does it log out", "log out", "logout", 1.0),
        ("when do we back up?", "back up", "backup", 1.0),
    ],
)
def test_kin_stands_for_a_word_with_a_share(question: str, word: str, key: str, share: float | None) -> None:
    """Derived words, words of like meaning and words written in one count, less than the word itself."""
    term = next(term for term in build_query(question).terms if term.word == word)
    found = term.keys.get(stem(key))
    assert found == share if share is not None else found


def test_words_side_by_side_are_pairs() -> None:
    """Neighbours in the question are remembered; a filler word parts them, a particle does not."""
    found = build_query("the connection pool of the client: time out errors")
    by_pair = [(found.terms[a].word, found.terms[b].word) for a, b in found.pairs]
    assert by_pair == [("connection", "pool"), ("client", "time out"), ("time out", "errors")]


def test_weak_and_everyday_words_do_not_prove() -> None:
    """A weak word never counts for confidence, and a code base may lack an everyday one."""
    by_word = {term.word: term for term in build_query("where is the forgotten webhook configured").terms}
    assert not by_word["configured"].proves
    assert by_word["webhook"].proves
    assert not by_word["webhook"].forgiven


def test_feedback_weighs_more_and_names_files() -> None:
    """The words of a bounce count more than those of the question, and its files are favoured."""
    found = build_query("where are uploads limited", "no, look at quotas in bot/limits.py")
    weights = {term.word: term.weight for term in found.terms}
    assert weights["quotas"] > weights["uploads"]
    assert found.favoured == ("bot/limits.py",)


def test_names_of_projects_are_left_out() -> None:
    """A project's name says where to look, not what for; a blank one is nowhere in the text."""
    assert asked_text("what does `shop --all` do?", ["", " ", "shop"]) == "what does `  --all` do?"
    assert words(build_query("how does Shop-API's checkout work", leave_out=["shop-api"])) == ["checkout", "work"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 40_000,
        "word " * 8_000,
        " ".join(f"word{n}" for n in range(8_000)),
        "a.a" * 13_000,
        "a/" * 20_000,
        "_" * 40_000,
        "'" * 40_000,
        "`a " * 13_000,
        "の" * 40_000,
        "設定" * 20_000,
        "\0" * 40_000,
        "aA" * 20_000,
        "\u202e\u200b" * 20_000,
        "😀" * 20_000,
        "-" * 40_000,
        "a-" * 20_000,
        "a-b_c.d " * 5_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_text_is_too_much(text: str) -> None:
    """Forty thousand characters of anything give a bounded query, and no error."""
    assert len(build_query(text, text).terms) <= MAX_TERMS


def test_what_was_pasted_beside_a_question_proves_nothing() -> None:
    """A log helps to find; what the asker says themselves is what an answer has to hold. Alone it is all there is."""
    log = "```\nKeyError: timeout upstream\n```"
    beside = {term.word: term for term in build_query(f"where is the courier assigned?\n{log}").terms}
    assert beside["courier"].proves
    assert not beside["upstream"].proves
    assert beside["upstream"].weight < beside["courier"].weight
    alone = {term.word: term for term in build_query(f"why?\n{log}").terms}
    assert alone["upstream"].proves


@pytest.mark.parametrize(
    ("question", "proves"),
    [
        ("where is mem-queue-size declared?", False),
        ("where is `backoff` initialised?", False),
        ("where does max_retries get specified?", False),
        ("which exchange is declared first?", True),
        ("how is a read-only mount specified?", True),
    ],
)
def test_words_that_ask_for_the_place_of_a_name_prove_nothing(question: str, proves: bool) -> None:
    """Beside a name of code; elsewhere they may be what is asked about."""
    told = {term.word: term.proves for term in build_query(question).terms}
    assert [told[word] for word in told if word in DECLARING and word not in WEAK] == [proves]


@pytest.mark.parametrize("question", ["wann fährt der Zug?", "¿según qué va el Zug?", "quand part le Zug ?"])
def test_function_words_of_other_languages_prove_nothing(question: str) -> None:
    """What joins or asks in German, Spanish or French need not stand in an answer."""
    told = [term.word for term in build_query(question).terms if term.proves and not term.forgiven]
    assert "zug" in told
    assert not {"wann", "según", "quand", "der"} & {*told}


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("`IMPORTANT! Eviction policy is allkeys-lru`, why?", "Eviction policy is"),
        ('we get "ERROR Too many open connections" at noon', "Too many open connections"),
        ("it says `Web vault is not found at 'web-vault/'`", "Web vault is not found at"),
    ],
)
def test_a_quoted_message_is_looked_for_without_what_varies(question: str, part: str) -> None:
    """Neither the level that a log puts before it nor a name within it stands in the code."""
    assert part in build_query(question).literals


def test_words_for_something_written_are_no_evidence() -> None:
    """They ask for a document, and are no part of its subject."""
    proving = [term.word for term in build_query("is there a guide for upgrading to 4?").terms if term.proves]
    assert proving == ["upgrading"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is the limit set?", True),
        ("wo ist die Grenze der Tarife?", False),
        ("why does `das` of the parser fail on Umlauts?", True),
        ("limit?", False),
        ("dónde está el límite de la API, is it the one?", False),
    ],
)
def test_english_is_known_by_its_function_words(text: str, expected: bool) -> None:
    """By at least two, and by no fewer than those of another language."""
    assert is_english(text) is expected
