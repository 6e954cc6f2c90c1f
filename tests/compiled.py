"""What every bot compiles when it starts, or for its first question, compiled on import: before the forks."""

from __future__ import annotations

from bot.decide.addressing.unbacked_claims import claim_words
from bot.decide.addressing.words import load_addressing_words
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.settlement import settling_words
from bot.decide.orders import OrderContext, order_parser
from bot.decide.retrieval.normalised_question import normaliser

normaliser(("triage",), ())  # as the workspace calls the app
rules = compile_rules(bot_id="U0TRIAGE")
for made in (load_addressing_words, claim_words, settling_words):
    made()
for question in ("Where is the limit set?", "How often is a payment tried again?"):
    order_parser().parse(question, OrderContext())
    rules.classify_text(question)
