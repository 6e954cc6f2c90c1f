"""All that a bot or a command loads and compiles when it starts, or at its first call of a model: before the forks.

Only the fork server imports this module, so that neither a worker nor a collection of the tests waits for it.
"""

from __future__ import annotations

import gc
import pkgutil
from importlib import import_module

import anthropic.resources.messages  # noqa: F401  # loaded before the forks

import bot.agents.keyword
import bot.cli
import bot.wiring.app  # as above
import tests.compiled  # noqa: F401  # as above

for _module in pkgutil.iter_modules(bot.cli.__path__):
    import_module(f"bot.cli.{_module.name}")

gc.freeze()  # a collection in a fork would copy every page that it shares with the others
