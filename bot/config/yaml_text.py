"""YAML writer for settings: in block style, in their order, so that it can be read back and shown in a code block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCE = "```"
_WIDTH = 100
_ID_LINE = re.compile(r"^(?!\s*timezone: )\s*(?:- )*(?:[\w.-]+: )?([UWCS][A-Z0-9]+)$")
"""Line whose whole value is an id of Slack; the time zone UTC is none."""


class _Dumper(yaml.SafeDumper):
    """Dumper that quotes texts which would end a code block."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _FENCE in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write_yaml(content: dict[str, Any]) -> str:
    """Write a JSON object as YAML."""
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return str(text).replace(_FENCE, "\\x60\\x60\\x60")


def find_ids(text: str) -> list[str]:
    """Return the ids of Slack that are the whole value of a line."""
    return [match[1] for line in text.split("\n") if (match := _ID_LINE.match(line))]


def comment_ids(text: str, names: Mapping[str, str]) -> str:
    """Add each id's name as a comment; the text is returned unchanged where that would change its content."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _ID_LINE.match(line)
        if match and (name := names.get(match[1])):
            lines[number] = f"{line}  # {' '.join(clean(name).split())}"
    text_with_names = "\n".join(lines)
    return text_with_names if yaml.safe_load(text_with_names) == yaml.safe_load(text) else text
