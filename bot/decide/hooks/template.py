"""Variables of prompts: a closed list, filled in once. Pure.

A value is never searched for variables, so a message that contains `{{output}}` stays a message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = ("hook", "date", "time", "event", "output")
"""Name of the hook; day and time at which it was due or the event came, in the zone of the settings; the event; the
output of its steps."""
_VARIABLE = re.compile(r"\{\{([^{}]{0,60})\}\}")


def find_template_fault(prompt: str, *, has_steps: bool, is_schedule: bool) -> str:
    """Return the fault of a prompt, as a clause; empty if it has none."""
    names = [name.strip() for name in _VARIABLE.findall(prompt)]
    names_text = ", ".join(f"{{{{{name}}}}}" for name in VARIABLES)
    if unknown := next((name for name in names if name not in VARIABLES), None):
        return f"there is no variable {{{{{unknown}}}}}; known are {names_text}"
    if "" in names:
        return f"a variable needs a name; known are {names_text}"
    if twice := next((name for name in names if names.count(name) > 1), None):
        return f"expected each variable once, found {{{{{twice}}}}} twice"
    if "output" in names and not has_steps:
        return "{{output}} is the output of steps, and there are none"
    if "event" in names and is_schedule:
        return "{{event}} is empty where the trigger is a schedule"
    return ""


def fill_template(prompt: str, values: Mapping[str, str]) -> str:
    """Return a prompt with the values in place of its variables."""
    return _VARIABLE.sub(lambda match: values[match[1].strip()], prompt)
