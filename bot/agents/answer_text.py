"""Reading of a model's text: its thoughts, a tool call that it wrote as text, the JSON object of its answer.

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
_MOST_TRIES = 50
"""Beginnings of objects that are tried in one text."""


def strip_thoughts(text: str) -> str:
    """Return a text without the thoughts before it, as some models write them in a tag."""
    begin, end = _THOUGHTS
    stripped = text.strip()
    if end in stripped and (stripped.startswith(begin) or begin not in stripped):  # some servers drop the first tag
        return stripped.rpartition(end)[2].strip()
    return "" if stripped.startswith(begin) else stripped


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


def find_object(text: str) -> str:
    """Return the longest JSON object in a text, else everything from the first brace to the last one; may be empty."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return ""
    decoder, longest, tries, at = json.JSONDecoder(), "", 0, start
    while at >= 0 and tries < _MOST_TRIES:
        tries += 1
        try:
            _, after = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            after = at + 1
        else:
            longest = max(longest, text[at:after], key=len)
        at = text.find("{", after)
    return longest if len(longest) > 2 else text[start : end + 1]
