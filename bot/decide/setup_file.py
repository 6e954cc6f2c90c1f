"""Files that `triage init` writes: first settings, and a file of variables with tokens put in. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.directory import ListedChannel, ListedMember

_BARE = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
_WORDS_OF_YAML = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")


@dataclass(frozen=True, kw_only=True)
class SetupAnswers:
    """Answers to the questions of `triage init`. `place` is the whole path of a folder, or a repository's address."""

    channel: ListedChannel
    operator: ListedMember
    place: str
    project: str
    """Key of the project."""


def settings_text(answers: SetupAnswers) -> str:
    """Return the YAML of the settings, with a comment at each key that a person changes soon."""
    channel, operator = answers.channel, answers.operator
    where = "repository" if "://" in answers.place else "root"
    return f"""\
# Written by `triage init`. triage.example.yml explains every key; `triage doctor` checks this file.
# No secrets here: they are in .env.
watched_chats:
  - chat_id: {channel.channel_id}
    name: {_quote(channel.name)}
    mode: preview # cards as practice, nothing is posted; to begin: /triage mode #{_plain(channel.name)} live

# {_plain(operator.names[0])} gets the cards, and approves. More ids may follow.
operators: [{operator.user_id}]
# Who may pause Triage, change modes and more with /triage.
admins: [{operator.user_id}]

projects:
  {_quote(answers.project)}:
    {where}: {_quote(answers.place)}
"""


def put_variables(text: str, variables: Mapping[str, str]) -> str:
    """Return a file of variables with these in it: in place of a line of the same name, else at the end."""
    lines = text.splitlines()
    for name, value in variables.items():
        named = re.compile(rf"(?:export\s++)?{re.escape(name)}\s*+=.*")
        places = [number for number, line in enumerate(lines) if named.fullmatch(line.lstrip())]
        if places:
            lines[places[-1]] = f"{name}={value}"
        else:
            lines.append(f"{name}={value}")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Return a YAML scalar of a text: bare where it can be nothing else than text."""
    text = _plain(text)
    is_bare = _BARE.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if is_bare else json.dumps(text, ensure_ascii=False)


def _plain(text: str) -> str:
    """Return a text in one line, without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
