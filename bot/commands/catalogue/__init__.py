"""Catalogue of all commands, by subject.

The functions that execute them are in the modules of their subjects; `wiring/commands` connects both.
"""

from __future__ import annotations

from bot.commands.catalogue import general, notes, projects, tasks
from bot.commands.command import by_name

CATALOGUE = by_name(*general.SPECS, *projects.SPECS, *tasks.SPECS, *notes.SPECS)
"""All commands by name, in the order in which `help` lists them."""
