"""The catalogue: every command there is, by subject.

What a command does is a function in the module of its subject; `wiring/commands` brings both together.
"""

from __future__ import annotations

from bot.commands.catalogue import general, notes, projects, tasks
from bot.commands.command import by_name

CATALOGUE = by_name(*general.SPECS, *projects.SPECS, *tasks.SPECS, *notes.SPECS)
"""All of them by name, in the order in which `help` lists them."""
