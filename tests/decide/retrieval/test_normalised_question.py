"""The normalised question, by table: what stands at its ends and asks nothing goes, what is asked stays."""

from __future__ import annotations

import time

import pytest

from bot.decide.retrieval.normalised_question import normaliser
from tests.tables import each_row

NAMES = ("parcel-bot",)


@pytest.mark.parametrize(
    "greeting",
    ["سلام بچه\u200cها، ", "سلام بچه ها، ", "السلام عليكم، ", "صباح الخير، "],
)
def test_a_greeting_is_known_in_any_form_of_its_letters(greeting: str) -> None:
    """As the keyboards of Arabic and Persian write them, with and without room between words."""
    assert normaliser().normalise(f"{greeting}where is it set?") == "where is it set?"


@each_row(
    ("text", "left"),
    [
        ("Hi all, where is X set?", "where is X set?"),
        ("Good morning team! where is X set?", "where is X set?"),
        ("hey Bob, where is X set?", "where is X set?"),
        ("Hi Bob Miller, where?", "where?"),
        ("Hey , where is X?", "where is X?"),
        ("Triage, where is X?", "where is X?"),
        ("triage where is X", "where is X"),
        ("hey triage where is X set", "where is X set"),
        ("Parcel-bot: where is X?", "where is X?"),
        ("where is X set, triage?", "where is X set"),
        ("where is X set? Thanks Olu!", "where is X set?"),
        ("where is X?\nBest regards\nAna", "where is X?"),
        ("Thank you! And where is Y?", "And where is Y?"),
        ("Hi! Question: where is X?", "where is X?"),
        ("Guten Morgen zusammen, wo wird X gesetzt? Vielen Dank im Voraus!", "wo wird X gesetzt?"),
        ("Olá pessoal, onde está X? Obrigada!", "onde está X?"),
        ("お疲れ様です。X はどこですか。よろしくお願いします。", "X はどこですか。"),
        ("please tell me: where is X? thank you so much in advance!!", "where is X?"),
        ("folks, where is X? thanks for any hint :)", "where is X?"),
        ("Hm, dumb question: where is X? No rush", "where is X?"),
        ("Ähm, sagt mal: wo ist X? Danke euch, eilt nicht", "wo ist X?"),
        ("desculpem, pergunta rápida: onde está X? Obrigado pela atenção", "onde está X?"),
        ("すみません、X はどこですか？ありがとうございます", "X はどこですか？"),  # another script
        ("where is X? tack på förhand", "where is X?"),
        ("سلام علی، X کجا تنظیم می\u200cشود؟ ممنون", "X کجا تنظیم می\u200cشود؟"),
    ],
)  # fmt: skip
def test_what_asks_nothing_goes(text: str, left: str) -> None:
    """Greetings, whom they name, thanks, and the bot's own names; in other languages, too."""
    assert normaliser(NAMES).normalise(text) == left


@each_row(
    "text",
    [
        "hello world example prints what?",
        "where is hello printed?",
        "morning brief when is it sent?",
        "greetings are sent where?",
        "hello people service returns 500",
        "question answering module where?",
        "how are you handling retries?",
        "is X ok? Best practice is what?",
        "where is X? thanks to the cache it is never read",
        "where is X? thanks for parcel_fee",
        "so where is X?",
        "sorry page returns 500 where?",
        "how do I run triage?",
        "triage classify reads what input?",
        "triage.yml where?",
        "hi",
        "Thanks!",
        "",
    ],
)
def test_what_is_asked_stays(text: str) -> None:
    """Words that only look like a greeting or a name; and what says nothing else."""
    assert normaliser(NAMES).normalise(text) == text


@pytest.mark.parametrize("piece", ["hi ", "hi all ", "?", ":-", "Thanks, ", "triage ", "@a.", "、", " \n", "A'"])
def test_no_text_takes_long(piece: str) -> None:
    """Whatever is repeated in it."""
    began = time.process_time()
    for text in (piece * 5_000, f"x? {piece * 5_000}!x"):
        normaliser(NAMES).normalise(text[:20_000])
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the cancel_order refund takes two days, wdyt", "the cancel_order refund takes two days"),
        ("the refund takes two days, WDYT?", "the refund takes two days?"),
        ("wdyt: is the refund too slow?", "is the refund too slow?"),
        ("wdyt about the refund", "about the refund"),
        ("where is wdyt_limit set, and `wdyt`?", "where is wdyt_limit set, and `wdyt`?"),
        ("wdyt?", "wdyt?"),
    ],
)
def test_a_teams_own_question_word_is_no_word_of_the_question(text: str, left: str) -> None:
    """It says that the message asks; a name of the code that holds it stays."""
    assert normaliser((), ("wdyt",)).normalise(text) == left
