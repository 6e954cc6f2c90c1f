"""Reading of a model's text: its thoughts, a tool call that it wrote as text.

A call in a text is never run: only the model's server says that the model calls a tool (docs/models.md).
"""

from __future__ import annotations

import json

_THOUGHTS = ("<think>", "</think>")
_CALL_MARKS = (
    "<tool_call",
    "<tool_use",
    "<function_call",
    "<function=",
    "<invoke ",
    "<|tool_call",
    "<|python_tag|>",
    "[TOOL_CALLS]",
)
"""Beginnings of lines by which models of several families mark a call."""
_CALL_ARGUMENTS = ("arguments", "parameters", "input")


def strip_thoughts(text: str) -> str:
    """Return a text without the thoughts before it, as some models write them in a tag."""
    begin, end = _THOUGHTS
    stripped = text.strip()
    if stripped.startswith(begin):
        return stripped.partition(end)[2].strip()
    before, tag, answer = f"\n{stripped}\n".partition(f"\n{end}\n")  # some servers drop the first tag
    return answer.strip() if tag and begin not in before else stripped


def has_call(text: str) -> bool:
    """Return whether a text holds a tool call; lines within code fences do not count."""
    is_code = False
    for line in text.splitlines():
        begin = line.strip()
        if begin.startswith("```"):
            is_code = not is_code
        elif not is_code and begin.startswith(_CALL_MARKS):
            return True
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(whole, dict)
        and isinstance(whole.get("name"), str)
        and any(isinstance(whole.get(key), dict) for key in _CALL_ARGUMENTS)
    )
