"""What every bot compiles when it starts, or for its first question, compiled on import: before the forks."""

from __future__ import annotations

from bot.decide.claims import claim_words
from bot.decide.classifier import compile_rules
from bot.decide.door_words import door_words
from bot.decide.orders import Known, order_parser
from bot.decide.question import normaliser
from bot.decide.settling import settling_words

normaliser(("triage",), ())  # as the workspace calls the app
rules = compile_rules(bot_id="U0TRIAGE")
for made in (door_words, claim_words, settling_words):
    made()
for question in ("Where is the limit set?", "How often is a payment tried again?"):
    order_parser().parse(question, Known())
    rules.judge(question)
