"""Which of somebody's own questions a text names and settles, by table: a false closing is worse than a missed one."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.decide.addressing.named_question import find_named_question
from bot.decide.classify.settlement import settling_words
from bot.decide.orders import OrderContext, order_parser
from bot.models.named_question import OwnQuestion

KNOWN = OrderContext(projects=("petclinic",), commands=CATALOGUE.keys())
QUESTIONS = [
    OwnQuestion(home="vets", text="where does petclinic configure the vets cache?"),
    OwnQuestion(home="gzip", text="how does GzipMiddleware decide on minimum_size?"),
    OwnQuestion(home="order", text="how is an order cancelled?"),
    OwnQuestion(home="cache", text="wo wird der Zwischenspeicher für Tierärzte eingestellt?"),
    OwnQuestion(home="retry", text="リトライの上限はどこで設定しますか"),
]

NAMED = [
    ("the vets one is solved, thanks", "vets"),
    ("close my question about the vets cache", "vets"),
    ("you can close the gzip question", "gzip"),
    ("cancel the one about minimum_size please", "gzip"),
    ("cancel my question about orders", "order"),
    ("never mind the vets cache", "vets"),
    ("nvm the gzip thing, found it", "gzip"),
    ("ok vets cache: solved", "vets"),
    ("I no longer need an answer about gzip", "gzip"),
    ("meine Frage zu den Tierärzten hat sich erledigt", "cache"),
    ("schließ meine Frage zum Zwischenspeicher", "cache"),
    ("ma question sur le cache vets est résolue, merci", "vets"),
    ("mi pregunta sobre gzip ya está resuelta", "gzip"),
    ("feche minha pergunta sobre o vets cache", "vets"),
    ("batalkan pertanyaan saya tentang vets cache", "vets"),
    ("リトライの質問は解決しました", "retry"),
    ("سوال من درباره vets رو ببند", "vets"),
    ("the vets one is not solved", None),
    ("the vets one still fails", None),
    ("is the vets one solved?", None),
    ("thanks for the vets cache answer", None),
    ("close my question about the moon", None),
    ("the deploy problem is solved, thanks", None),
    ("the gzip and the vets ones are solved", None),
    ("solved, thanks", None),
    ("how is the vets one?", None),
]


def ends(text: str) -> bool:
    """As intake has it: by the words that settle, or by an order."""
    order = order_parser().parse(text, KNOWN)
    return settling_words().settles(text) == "closes" or bool(order and order.settles and not order.about)


def test_the_question_that_its_words_name_is_settled_and_no_other() -> None:
    """In each language; who takes it back, asks, thanks, or speaks of something else settles none by name."""
    found = {said: find_named_question(said, QUESTIONS, ends) for said, _ in NAMED}
    assert [(said, one.home if one else None) for said, one in found.items()] == NAMED


@pytest.mark.parametrize(
    ("said", "about", "of_all"),
    [
        ("withdraw all my questions", "", True),
        ("please forget everything I asked you", "", True),
        ("schließ bitte alle meine Fragen", "", True),
        ("ferme toutes mes questions", "", True),
        ("forget what I asked", "", False),
        ("close my question about the moon", "the moon", False),
        ("cierra mi pregunta sobre la luna", "la luna", False),
    ],
)
def test_an_order_to_close_says_which_or_all(said: str, about: str, of_all: bool) -> None:  # a column
    """What it is about is none of the command's input."""
    order = order_parser().parse(said, KNOWN)
    assert order is not None
    assert (order.settles, order.about, order.of_all, order.arguments) == (True, about, of_all, {})


def test_what_is_solved_and_unknown_is_no_thanks() -> None:
    """Its author is asked which question is meant; what is not solved, or asks, is none of that."""
    words = settling_words()
    assert [
        said for said in ("the deploy is sorted, thanks", "das Thema ist erledigt") if not words.speaks_of_it(said)
    ] == []
    not_so = ("thanks a lot", "the deploy is not solved", "is it solved?", "sorted lists, how?")
    assert [said for said in not_so if words.speaks_of_it(said)] == []


def test_a_long_text_or_one_of_many_likely_names_settles_nothing() -> None:
    """Nobody closes a question in a letter, and where every word is of some question none is meant."""
    assert find_named_question("the vets one is solved " * 40, QUESTIONS, ends) is None
    assert find_named_question("the vets one is solved", [], ends) is None
    words = "consumer producer gateway ledger invoice courier parcel"
    many = [OwnQuestion(home="all", text=f"where is {words}?")]
    assert find_named_question(f"{words} is solved", many, ends) is None
