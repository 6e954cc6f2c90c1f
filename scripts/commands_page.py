"""Generator of docs/commands.md from the catalogue of commands; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.catalogue import CATALOGUE
from bot.commands.help import AUDIENCES, describe_risk
from bot.commands.subjects import SUBJECTS, find_subject
from scripts.written_page import write_page

if TYPE_CHECKING:
    from bot.commands.command import CommandSpec
    from bot.commands.subjects import Subject

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"

_HEAD = """\
# Commands

Type `/triage` and a command in any channel, or `!triage` and a command in a thread, where Slack offers no slash
commands. Only you see the answer. In a terminal on the bot's machine it is `triage command` and the same words.
`/triage help` shows the commands that people use first, `help projects` those of a subject, `help pause` one.

- **Two vocabularies.** Models call `pause_project`; people may also type its words, in any order, singular or plural:
  `project pause shop`, `pause project shop`. The noun alone lists or gets: `projects`, `task result`. What may mean two
  commands is refused with both.
- **One order of words.** Words fill the fields in the order of the usage; where they do not fit so, a word that is
  exactly the name of a project or of a watched channel goes to `project` or `channel`, wherever it stands:
  `read_note Deploy shop`, `read_note shop Deploy`. `name=value` names its field in any place, and a text that takes the
  rest of the line is never taken apart.
- **Unknown words** get the nearest command by meaning (`costs`, `kosten`) or letters, or none; never a command that
  changes something by its letters alone.
- The names of arguments `project_id`, `repo_id`, `repo`, `task_id`, `channel_id`, `channel_name`, `note_title`,
  `pattern`, `hook_id`, `branch_name` and `base_branch` are accepted for `project`, `task`, `channel`, `title`, `text`,
  `name`, `branch` and `base`.

[Who may](#who-may) · [Words](#words) · [Confirmation](#risk-and-confirmation) · [Terminal](#in-a-terminal)
"""

_TABLE = """
| command | what it does | who may | risk | confirmation | also as |
|---|---|---|---|---|---|
"""

_TAIL = """
## Who may

Operators are listed under `operators` in `triage.yml`, also of channels and projects, admins under `admins`. Guests,
bots and people of other workspaces never may give a command, whatever the settings say; Slack is asked for each
person's membership. Every command and try is recorded with its user, time and outcome ([audit](security.md#audit)). A
message that begins with `!triage` is never treated as a question; it is executed within five minutes or not at all.
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

## Risk and confirmation

| risk | tier | what happens |
|---|---|---|
| changes nothing | read | done immediately |
| another command takes it back | reversible | done immediately; a chat agent may need a press ([chat](chat.md)) |
| nothing takes it back | irreversible | done after a confirmation, in which you type the name of the object |

In the tables, *model* means that a chat agent's call always waits for a press, *model, tainted* that it waits once the
conversation contains text of others, *press* that every call waits for one, and *name* that the name is typed.

A command that needs a confirmation shows its effect to you alone, with *Confirm* and *Cancel*, in your direct message
with Triage. *Confirm* executes it, or opens a dialog in which you type the name, in the same case;
`approve_task`, `git_push`, `git_merge`, `git_create_pr` and [`run_command`](declared-commands.md) take a press, for
exactly what was shown. The buttons work for 15 minutes, also across a restart of the bot; then they disappear. Only the
person who gave the command may press; role and membership are checked again at the press, and so is the effect: where
it has changed since, nothing is done. The command is executed once, however often you press. If the bot stops while
executing it, it is not executed again, and you are asked to check the result; `run_command` and `git_create_pr` go on,
and the next bot tells their end. The audit has each step:
`asked`, then the outcome (with `settled: confirmed`), `cancelled`, or `expired` if nobody pressed in time; the input
is deleted then.

## In a terminal

```sh
triage command help
triage command mode help-platform live
triage command pause --as U0123ABCD --json
```

The bot must be running: the command goes to it over `control.sock` in its home, which only the home's owner can open;
`--home` names the home. `--as` names the user who gives the command; without it, it is the only one of `admins`. That
person's role counts. Options may stand between the words; words that begin with `-` come after `--`, at the end.

A command that must be confirmed asks for a name, or takes it from `--confirm NAME`. The name of an irreversible command
ends in a seal of what was shown, such as `shop#3f9a1c`: where that has changed since, nothing is done.

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
"""

_FOOT = """
This page is written by `scripts/commands_page.py`.
"""


def page() -> str:
    """Return the page's current text."""
    return "".join((_HEAD, *map(_section, SUBJECTS), _TAIL, _FOOT))


def _section(subject: Subject) -> str:
    """Return a subject's table; empty for one without commands."""
    rows = [_row(spec) for spec in CATALOGUE.values() if find_subject(spec) == subject]
    title = f"\n## {subject.name.capitalize()}\n\n{subject.about[0].upper()}{subject.about[1:]}.\n"
    return "".join((title, _TABLE, *rows)) if rows else ""


def _row(spec: CommandSpec) -> str:
    also = ", ".join(f"`{name}`" for name in spec.also)
    cells = (f"`{spec.usage}`", spec.summary, AUDIENCES[spec.role], describe_risk(spec), _confirmation(spec), also)
    return f"| {' | '.join(cells)} |\n"


def _confirmation(spec: CommandSpec) -> str:
    if spec.stands_for:
        return "as its action"
    if spec.tier == "irreversible":
        return "name"
    if spec.always_asks:
        return "press"
    if spec.needs_press:
        return "model"
    return "" if spec.tier == "read" else "model, tainted"


if __name__ == "__main__":
    sys.exit(write_page(PAGE, page()))
