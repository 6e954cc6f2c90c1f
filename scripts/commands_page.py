"""Writes docs/commands.md from the catalogue of commands; with `--check` it only says whether the page is behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.catalogue import CATALOGUE
from bot.commands.help import EFFECTS

if TYPE_CHECKING:
    from bot.commands.command import CommandSpec

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"

_WHOSE = {"member": "any member", "operator": "operators and admins", "admin": "admins"}

_HEAD = """\
# Commands

Type `/triage` and a command in any channel, or `!triage` and a command in a thread, where Slack offers no slash
commands. Only you see the answer. A slip in a command's name gets the nearest one. In a terminal on the bot's
machine it is `triage command` and the same words.

| command | what it does | who may | effect | also as |
|---|---|---|---|---|
"""

_TAIL = """
`operators`, those of channels and projects, and `admins` in `triage.yml` name who may. Guests, bots and people of other
workspaces never may, whatever the settings say; Slack is asked who somebody is. Every command is recorded in
`audit.ndjson`: who, what, when, and what came of it. A message that begins with `!triage` is never taken for a
question; it is acted on within five minutes or not at all.

An answer comes within three seconds; what takes longer is answered later, in the same place. A link is what Slack
copies: *More actions*, *Copy link*, of a message of this workspace.

## Words

- `metrics` and `get_token_usage` show their figures as a table in Slack, and as lines on the command line.
- What stands in `<…>` is needed, what stands in `[…]` may be left out.
- Words in quotes are one word: `"two words"`. A quote that is never closed is a plain character.
- `name=word` or `name="two words"` gives a field by its name, in any place. Where the usage shows `[name=…]`, the field
  is given so or not at all.
- A last field that ends in `…` takes the rest of the line as it stands, quotes and line breaks included.

## Effects, and what must be confirmed

| effect | tier | what happens |
|---|---|---|
| changes nothing | read | done at once |
| another command takes it back | reversible | done at once; a chat agent may need a press ([chat](chat.md)) |
| nothing takes it back | irreversible | done at a press, when the name of what it concerns was typed |

A command that waits shows you, and you alone, what would happen, with *Confirm* and *Cancel*, in your direct message
with Triage. *Confirm* does it, or opens a dialog in which you type the name exactly. The buttons are good for 15
minutes, over a restart of the bot too; then they disappear. Only whoever asked may press; role and membership are
looked at once more at the press. It is done once, however often you press. If the bot dies while it is being done, it
is not done again, and you are told to look. The audit has each step: `asked`, and then what came of it (with
`settled: confirmed`), `cancelled`, or `expired` where nobody pressed in time; what was to be done is not kept any
longer then.

## In a terminal

```sh
triage command help
triage command mode help-platform live
triage command pause --as U0123ABCD --json
```

The bot must be running: the command goes to it over `control.sock` in its home, which only the home's owner can open;
`--home` names the home. Whose command it is says `--as`; without it, it is that of the only one of `admins`. That
person's role counts. What nothing takes back asks for the name there, or takes it from `--confirm NAME`. Exit codes:
0 it was done, 1 it was not, 2 the command line was wrong; also where the reader of the output, as `head`, ends first.

This page is written by `scripts/commands_page.py`.
"""


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(map(_row, CATALOGUE.values())) + _TAIL


def _row(spec: CommandSpec) -> str:
    also = ", ".join(f"`{name}`" for name in spec.also)
    cells = (f"`{spec.usage}`", spec.summary, _WHOSE[spec.role], EFFECTS[spec.tier], also)
    return f"| {' | '.join(cells)} |\n"


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
