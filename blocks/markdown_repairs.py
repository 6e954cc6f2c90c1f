"""Markdown repairs for a model's text: a heading becomes a bold line, a rule a blank one; code stays as it is.

Questions of style are not rewritten: `blocks/formatting_warnings` reports them. Headings, rules and code are recognised
as in a draft (`blocks/reply`).
"""

from __future__ import annotations

import re

from blocks.reply import FENCED, HEADING, RULE

_STARS = re.compile(r"`[^`\n]*`|\*+")


def repair_markdown(text: str) -> str:
    """Replace headings and rules of Markdown, which Slack would show literally."""
    done, at = "", 0
    for fence in FENCED.finditer(text):
        done += f"{_prose(text[at : fence.start()])}{fence[0]}"
        at = fence.end()
    return f"{done}{_prose(text[at:])}"


def _prose(text: str) -> str:
    return "\n".join(HEADING.sub(_make_bold, line) for line in RULE.sub("", text).split("\n"))


def _make_bold(heading: re.Match[str]) -> str:
    """Make the heading's words bold, without asterisks inside, which would end the bold text."""
    words = _STARS.sub(lambda match: match[0] if match[0].startswith("`") else "", heading["text"]).strip()
    return f"*{words}*" if words else ""
