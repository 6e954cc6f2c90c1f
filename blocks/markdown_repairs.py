"""Repairs of what a model writes for Slack: a heading becomes a bold line, a rule a blank one; code stays as it is.

What is a matter of taste is not rewritten: `blocks/formatting_warnings` names it. What counts as
heading, rule and code is the same as in a draft (`blocks/reply`).
"""

from __future__ import annotations

import re

from blocks.reply import FENCED, HEADING, RULE

_STARS = re.compile(r"`[^`\n]*`|\*+")


def repaired(text: str) -> str:
    """`text` with the two marks of Markdown that Slack shows as they are put into its own."""
    done, at = "", 0
    for fence in FENCED.finditer(text):
        done += f"{_prose(text[at : fence.start()])}{fence[0]}"
        at = fence.end()
    return f"{done}{_prose(text[at:])}"


def _prose(text: str) -> str:
    return "\n".join(HEADING.sub(_bold, line) for line in RULE.sub("", text).split("\n"))


def _bold(heading: re.Match[str]) -> str:
    """The heading's words in bold; marks of bold among them, outside code, would end it."""
    words = _STARS.sub(lambda found: found[0] if found[0].startswith("`") else "", heading["text"]).strip()
    return f"*{words}*" if words else ""
