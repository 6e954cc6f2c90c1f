"""Words by which the bot knows that it is meant, by table; languages without spaces are read inside the text."""

from __future__ import annotations

from collections.abc import Callable

from bot.decide.addressing.unbacked_claims import ClaimWords, claim_words
from bot.decide.addressing.words import AddressingWords, load_addressing_words
from tests.tables import each_row

WORDS = AddressingWords()


@each_row(
    ("rule", "said", "expected"),
    [
        (WORDS.is_order, "プロジェクトを停止して", True),
        (WORDS.is_order, "停止して", False),
        (WORDS.is_order, "pause the project my-shop", True),
        (WORDS.is_order, "pause project shop for all the others", True),
        (WORDS.is_order, "pause project shop", True),
        (WORDS.is_order, "pause the status codes of the app", False),
        (WORDS.proposes, "始めましょうか", True),
        (WORDS.proposes, "エラーです", False),
        (WORDS.is_about_bot, "停止", True),
        (WORDS.is_about_bot, "ヘルプ。", True),
        (WORDS.is_about_bot, "status", True),
        (WORDS.is_about_bot, "i wonder", False),
        (WORDS.is_greeting, "hello", True),
        (WORDS.is_greeting, "hello " * 100, False),
        (WORDS.names_all, "すべて", True),
        (WORDS.names_all, "stop Triage please", True),
        (WORDS.names_all, "stop the consumer", False),
    ],
)
def test_each_rule_reads_words_as_its_language_writes_them(
    rule: Callable[[str], bool], said: str, expected: bool
) -> None:
    """A word of the bot's, or of something else."""
    assert rule(said) is expected


def test_the_words_of_a_language_are_built_once() -> None:
    """They are the same object for each who asks."""
    assert load_addressing_words(("en",)) is load_addressing_words(("en",))
    assert isinstance(load_addressing_words(("en",)), AddressingWords)
    assert claim_words(("en",)) is claim_words(("en",))
    assert isinstance(claim_words(("en",)), ClaimWords)
