"""Renderer for the templates of this folder: fills in `{{names}}`, strict both ways.

A value is inserted as it is and never searched for placeholders, so a question that contains `{{name}}` stays a
question.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_NAME = re.compile(r"[a-z0-9_]+")


class PromptMismatch(ValueError):
    """The template is missing, or its placeholders do not match the given values."""


def render(name: str, /, **values: str) -> str:
    """Render `prompts/<name>.md` with each placeholder replaced, without the final newline.

    Raises `PromptMismatch` for an unknown template, a placeholder without a value and a value without a placeholder.
    """
    template = _template(name)
    wanted = set(_PLACEHOLDER.findall(template))
    if missing := sorted(wanted - values.keys()):
        raise PromptMismatch(f"prompts/{name}.md needs a value for: {', '.join(missing)}")
    if surplus := sorted(values.keys() - wanted):
        raise PromptMismatch(f"prompts/{name}.md has no placeholder for: {', '.join(surplus)}")
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


@cache
def _template(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise PromptMismatch(f"{name!r} is not a template name")
    try:
        text = resources.files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptMismatch(f"prompts/{name}.md does not exist") from error
    return text.rstrip("\n")
