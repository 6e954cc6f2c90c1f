"""Generator of docs/commands.md from the catalogue of commands; `--check` only compares."""

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
Operators are listed under `operators` in `triage.yml`, also of channels and projects, admins under `admins`. Guests,
bots and people of other workspaces never may give a command, whatever the settings say; Slack is asked for each
person's membership. Every command is recorded in `audit.ndjson` with its user, time and outcome. A message that begins
with `!triage` is never treated as a question; it is executed within five minutes or not at all.
Editing it after the bot has read it gives no command: send a new message.

An answer comes within three seconds; what takes longer is answered later, in the same place. A link is what Slack
copies: *More actions*, *Copy link*, of a message of this workspace.

## Words

- `metrics` and `get_token_usage` show their figures as a table.
- Words in `<…>` are required, words in `[…]` are optional.
- Words in quotes are one word: `"two words"`. A quote that is never closed is a plain character.
- A channel is its name, with or without `#`, or `here`: the channel that the command is given in.
- `name=word` or `name="two words"` gives a field by its name, in any place. Where the usage shows `[name=…]`, the field
  is given so or not at all.
- A last field that ends in `…` takes the rest of the line verbatim, quotes and line breaks included.

## Effects, and what must be confirmed

| effect | tier | what happens |
|---|---|---|
| changes nothing | read | done immediately |
| another command takes it back | reversible | done immediately; a chat agent may need a press ([chat](chat.md)) |
| nothing takes it back | irreversible | done after a confirmation, in which you type the name of the object |

A command that needs a confirmation shows its effect to you alone, with *Confirm* and *Cancel*, in your direct message
with Triage. *Confirm* executes it, or opens a dialog in which you type the name exactly; `approve_task` takes a press,
as its card does, for the draft that was shown. The buttons work for 15
minutes, also across a restart of the bot; then they disappear. Only the person who gave the command may press; role and
membership are checked again at the press. The command is executed once, however often you press. If the bot stops while
executing it, it is not executed again, and you are asked to check the result. The audit has each step: `asked`, then
the outcome (with `settled: confirmed`), `cancelled`, or `expired` if nobody pressed in time; the input is deleted
then.

## In a terminal

```sh
triage command help
triage command mode help-platform live
triage command pause --as U0123ABCD --json
```

The bot must be running: the command goes to it over `control.sock` in its home, which only the home's owner can open;
`--home` names the home. `--as` names the user who gives the command; without it, it is the only one of `admins`. That
person's role counts. A command that must be confirmed asks for the name, or takes it from `--confirm NAME`.

The answer is plain text: the same words as in Slack without its markup, with names in place of mentions, times in the
settings' `timezone`, and no colours. In a terminal its lines and tables are as wide as the terminal; in a pipe no line
is broken. `--json` prints it [as JSON with numbers](command-json.md).

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | not done: it failed, or the words or the state did not allow it |
| 2 | wrong command line, such as an unknown option |
| 3 | no bot runs on this home, or it cannot be reached |
| 4 | refused: this person may not do it, or the name that confirms it was wrong |
| 5 | not done yet: it waits for a confirmation |
| 6 | unclear: the bot gave no answer in time, and may have done it |

The code stays the same if the reader of the output, such as `head`, ends first.

This page is written by `scripts/commands_page.py`.
"""


def page() -> str:
    """Return the page's current text."""
    return _HEAD + "".join(map(_row, CATALOGUE.values())) + _TAIL


def _row(spec: CommandSpec) -> str:
    also = ", ".join(f"`{name}`" for name in spec.also)
    effect = f"{EFFECTS[spec.tier]}; asks first" if spec.always_asks else EFFECTS[spec.tier]
    cells = (f"`{spec.usage}`", spec.summary, _WHOSE[spec.role], effect, also)
    return f"| {' | '.join(cells)} |\n"


def main() -> int:
    """Write the page; with `--check` compare it, and return 1 if it is out of date."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
        return 0
    if PAGE.read_text() == page():
        return 0
    sys.stderr.write("docs/commands.md is out of date: make format writes it\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
