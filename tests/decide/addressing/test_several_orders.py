"""Several things in one text, by table: each is found, or none is done."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.decide.addressing.several_orders import read_several, speaks_of
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.features import feature_names
from bot.decide.classify.text import clean_text
from bot.decide.orders import OrderContext, OrderParser

PARSER = OrderParser()
KNOWN = OrderContext(projects=("shop",), commands=CATALOGUE.keys(), channels=("help-platform",), here="C0HELP")
RULES = compile_rules(bot_id="U0TRIAGE")

SEVERAL = [
    ("status and pause please", ["status", "pause"], "", []),
    ("resume, then show me the queue", ["resume", "queue"], "", []),
    ("how is my question? and where is Walk defined in chi?", ["mine"], "where is Walk defined in chi?", []),
    ("where is Walk defined and how is my question?", ["mine"], "where is Walk defined", []),
    ("Status. What waits? Thanks!", ["status", "queue"], "", []),
    ("pausiere shop und zeig mir die Warteschlange", ["pause_project", "queue"], "", []),
    ("muestra la cola y pausa shop", ["queue", "pause_project"], "", []),
    ("وضعیت و صف", ["status", "queue"], "", []),
    ("pause shop & list the notes of shop", ["pause_project", "list_notes"], "", []),
    ("status and frobnicate the flux", ["status"], "", ["frobnicate the flux"]),
    ("status. don't pause shop", ["status"], "", ["don't pause shop"]),
]
ONE = [
    "where does express set the status and help text?",
    "how do pause and resume work in the consumer?",
    "where is Walk defined, and is it tested?",
    "what do stop and halt do in main.go?",
    "thanks and hello",
    "frobnicate the flux. polish the moon.",
]


def judged(said: str) -> bool:
    """Return whether it opens as a question does, and says more than orders do."""
    return not PARSER.has_only_their_words(said, KNOWN) and "question_opening" in feature_names(
        RULES.extractor.extract(clean_text(said))
    )


@pytest.mark.parametrize(("said", "commands", "question", "left"), SEVERAL)
def test_each_thing_of_a_text_is_found(said: str, commands: list[str], question: str, left: list[str]) -> None:
    """In their order, with the question beside them and with what nobody understands."""
    several = read_several(
        said,
        parse=lambda part: PARSER.parse(part, KNOWN),
        asks=judged,
        is_polite=lambda part: RULES.classify_text(part).is_ack,
    )
    assert several is not None
    assert ([order.command for order in several.orders], several.question, [*several.left]) == (
        commands,
        question,
        left,
    )


@pytest.mark.parametrize("said", ONE)
def test_a_question_that_names_orders_is_one_thing(said: str) -> None:
    """Words of orders stand in questions, too."""
    several = read_several(
        said,
        parse=lambda part: PARSER.parse(part, KNOWN),
        asks=judged,
        is_polite=lambda part: RULES.classify_text(part).is_ack,
    )
    assert several is None


@pytest.mark.parametrize(
    ("content", "is_it"),
    [
        ("@U0OPS did @U0TRIAGE answer you?", True),
        ("@U0OPS, can you ask @U0TRIAGE about that?", True),
        ("@U0TRIAGE did @U0OPS answer you?", False),
        ("@U0OPS @U0TRIAGE status please", False),
        ("@U0OPS look, @U0TRIAGE where is Walk defined?", False),
        ("@U0OPS and @U0TRIAGE where is Walk defined?", False),
        ("@U0OPS see above. @U0TRIAGE where is Walk defined?", False),
        ("where is Walk defined @U0TRIAGE", False),
    ],
)
def test_who_only_names_the_bot_speaks_to_somebody_else(content: str, is_it: bool) -> None:
    """Somebody else's mention begins it, and the bot's stands within a sentence."""
    assert speaks_of(content, "U0TRIAGE") is is_it


def test_a_text_of_many_sentences_has_no_orders() -> None:
    """It is a report, and one word in it may look like an order."""
    assert (
        read_several(
            "status. " * 30,
            parse=lambda part: PARSER.parse(part, KNOWN),
            asks=judged,
            is_polite=lambda part: RULES.classify_text(part).is_ack,
        )
        is None
    )
