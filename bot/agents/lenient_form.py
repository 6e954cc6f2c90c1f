"""Lenient reading of an investigator's answer: unusual spellings that have one meaning are brought into the form.

Each would otherwise cost a paid turn. Nothing is guessed: a value with no clear meaning stays as it is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, get_args

from bot.models.answer_change import AnswerChange
from bot.models.findings import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = ("evidence_refs", "open_questions", "alternatives_dropped")
_LINES = re.compile(r"[:#]L?([1-9]\d{0,8})(?: ?[-\u2013] ?L?([1-9]\d{0,8}))?$")
"""Lines at the end of a reference, as web pages of repositories and editors write them."""
_COMPARED = ("kind", "ref", "commit", "quote")
"""Fields in which equal references are equal; two claims about the same lines have one proof."""
_WITH_LINES = ["file", "memory"]
_SHOWN_CHARS = 80


def mend_form(content: dict[str, Any]) -> list[AnswerChange]:
    """Bring unusual spellings in an answer's JSON object into the form, in place; return what was done."""
    return [AnswerChange(kind="mended", field=field, text=text) for field, text in _mend(content)]


def _mend(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for field in _LISTS:
        if field in content and content[field] is None:
            content[field] = []
            yield field, f"`{field}` was null and counts as an empty list"
    confidence = content.get("confidence")
    if isinstance(confidence, str) and confidence not in get_args(Confidence):
        plain = confidence.strip().lower()
        if plain in get_args(Confidence):
            content["confidence"] = plain
            yield "confidence", f"The confidence was written otherwise and is read as {plain}"
    references = content.get("evidence_refs")
    if isinstance(references, list):
        for reference in references:
            if isinstance(reference, dict) and (text := _mend_lines(reference)):
                yield "evidence_refs", text
        if text := _drop_equal(references):
            yield "evidence_refs", text


def _mend_lines(reference: dict[str, Any]) -> str:
    """Write the lines of a reference to a file in the usual form; return what was done."""
    ref = reference.get("ref")
    if reference.get("kind") not in _WITH_LINES or not isinstance(ref, str) or (mended := mend_lines(ref)) == ref:
        return ""
    reference["ref"] = mended
    return f"The reference {_clip(ref)} is read as {_clip(mended)}"


def mend_lines(ref: str) -> str:
    """Return a reference to lines of a file in the usual form, as it is if it has no lines."""
    if not (match := _LINES.search(ref.strip())):
        return ref
    path, (first, last) = ref.strip()[: match.start()], match.groups()
    if not path or "\n" in path:
        return ref
    return f"{path}:{first}-{last}" if last else f"{path}:{first}"


def _drop_equal(references: list[Any]) -> str:
    """Keep the first of equal references; return what was done."""
    seen: set[str] = set()
    kept = []
    for reference in references:
        values = [reference.get(name) for name in _COMPARED] if isinstance(reference, dict) else []
        if values and all(value is None or isinstance(value, str) for value in values):
            key = json.dumps(values)
            if key in seen:
                continue
            seen.add(key)
        kept.append(reference)
    dropped = len(references) - len(kept)
    references[:] = kept
    return f"{dropped} of {dropped + len(kept)} references repeat another one and were left out" if dropped else ""


def _clip(text: str) -> str:
    plain = "".join(filter(str.isprintable, text))
    return plain if len(plain) <= _SHOWN_CHARS else f"{plain[:_SHOWN_CHARS]}…"
