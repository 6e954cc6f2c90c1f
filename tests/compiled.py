"""What every bot compiles when it starts, compiled on import: before the forks, so that none of them does it again."""

from __future__ import annotations

from bot.decide.classifier import compile_rules
from bot.decide.orders import order_parser
from bot.decide.question import normaliser

order_parser()
normaliser(("Triage",), ())
compile_rules(bot_id="U0TRIAGE")
