"""Writes docs/commands.md from the catalogue of commands; with `--check` it only says whether the page is behind."""

from __future__ import annotations

import sys
from pathlib import Path

from bot.assistant.commands.about import EFFECTS
from bot.assistant.commands.catalogue import CATALOGUE

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"

_WHOSE = {"member": "any member", "operator": "operators and admins", "admin": "admins"}

_HEAD = """\
# Commands

Type `/triage` and a command in any channel, or `!triage` and a command in a thread, where Slack offers no slash
commands. Only you see the answer. A word that is no command gets the nearest right one.

| command | what it does | who may | effect |
|---|---|---|---|
"""

_TAIL = """
`operators`, those of channels and projects, and `admins` in `triage.yml` name who may. Guests, bots and people of other
workspaces never may, whatever the settings say; Slack is asked who somebody is. Every command is recorded in
`audit.ndjson`: who, what, when, and what came of it. A message that begins with `!triage` is never taken for a
question; it is acted on within five minutes or not at all.

An answer comes within three seconds; what takes longer is answered later, in the same place. A link is what Slack
copies: *More actions*, *Copy link*, of a message of this workspace.

This page is written by `scripts/commands_page.py`.
"""


def page() -> str:
    """The page as it should be."""
    rows = [
        f"| `{spec.usage}` | {spec.summary} | {_WHOSE[spec.role]} | {EFFECTS[spec.tier]} |\n"
        for spec in CATALOGUE.values()
    ]
    return _HEAD + "".join(rows) + _TAIL


def main() -> int:
    """Write the page; with `--check` compare it, and 1 when it is behind."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
        return 0
    if PAGE.read_text() == page():
        return 0
    sys.stderr.write("docs/commands.md is behind the catalogue: make format writes it\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
