"""Evaluation of engines: questions read from JSON lines, and answers judged by their places and values. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.models.evaluation import EvalQuestion, JudgedAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bot.models.evaluation import Fault
    from bot.models.findings import Confidence, InvestigatorReturn


NO_LINE = 10**9
"""Number above that of any line: the end of a place without lines."""


def read_questions(lines: Iterable[str]) -> tuple[dict[int, EvalQuestion], list[str]]:
    """Read the questions; return them by the number of their line, and the complaints about invalid lines."""
    questions: dict[int, EvalQuestion] = {}
    complaints: list[str] = []
    names: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = EvalQuestion.model_validate(json.loads(line))
        except (ValueError, RecursionError) as problem:
            complaints.append(f"line {number}: {_describe(problem)}")
            continue
        if question.name in names:
            complaints.append(
                f"line {number}: the same id or question as line {names[question.name]}; give it another `id`"
            )
            continue
        names[question.name] = number
        questions[number] = question
    return questions, complaints


def judge(
    question: EvalQuestion,
    findings: InvestigatorReturn,
    accepted: Sequence[str],
    *,
    seconds: float,
    usd: float | None = 0.0,
) -> JudgedAnswer:
    """Judge a draft; `accepted` are its references that the evidence check accepted, in their order."""
    refused = is_refusal(findings.confidence)
    fault: Fault = ""
    first = among_three = values = None
    if question.refuse:
        fault = "" if refused else "no refusal"
    else:
        first, among_three = rank_right(accepted, lambda ref: any(is_within(ref, place) for place in question.places))
        if question.values:
            values = all(states_value(value, findings.draft_reply) for value in question.values)
        fault = "wrong place" if not first else "wrong value" if values is False else ""
    return JudgedAnswer(
        name=question.name,
        first=first,
        among_three=among_three,
        values=values,
        refused=refused if question.refuse else None,
        fault=fault,
        places=tuple(accepted),
        confidence=findings.confidence,
        usd=usd,
        seconds=round(seconds, 3),
    )


def is_refusal(confidence: Confidence) -> bool:
    """Return whether a draft of this confidence says that it may not be an answer."""
    return confidence == "low"


def rank_right(refs: Sequence[str], is_right: Callable[[str], bool]) -> tuple[bool, bool]:
    """Return whether the first reference is right, and whether one of the first three is."""
    hits = [is_right(ref) for ref in refs[:3]]
    return any(hits[:1]), any(hits)


def is_within(ref: str, place: str) -> bool:
    """Return whether a reference shares a line with a place; a place without lines is the whole file.

    The place's path may leave out the first folders.
    """
    path, first, last = split_place(ref)
    wanted, begin, end = split_place(place)
    return is_same_file(path, wanted) and first <= end and begin <= last


def is_same_file(path: str, wanted: str) -> bool:
    """Return whether a path is that of a place, whose first folders may be left out."""
    return path == wanted or path.endswith(f"/{wanted}")


def states_value(value: str, draft: str) -> bool:
    """Return whether a draft states a value: a number in any spelling, another text as it is, except for case."""
    if find_unsupported(value, "", ()):
        return not find_unsupported(value, "", (draft,))
    words = "".join(letter if letter.isalnum() else " " for letter in draft.casefold()).split()
    wanted = "".join(letter if letter.isalnum() else " " for letter in value.casefold()).split()
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(words)} "


def split_place(place: str) -> tuple[str, int, int]:
    """Return path, first and last line of a place; without lines, those of any file."""
    path, _, lines = place.rpartition(":")
    first, _, last = lines.partition("-")
    if not path or not first.isdecimal() or (last and not last.isdecimal()):
        return place, 1, NO_LINE
    return path, int(first), int(last or first)


def _describe(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        error = problem.errors()[0]
        key = ".".join(map(str, error["loc"]))
        if error["type"] == "extra_forbidden":
            return f"{key}: no such key; expected {', '.join(EvalQuestion.model_fields)}"
        if error["type"] == "model_type":
            return "expected a JSON object, as {...}"
        expected = {"string_type": "expected text", "tuple_type": "expected a list, as [...]"}
        message = expected.get(error["type"], error["msg"].removeprefix("Value error, "))
        return f"{key}: {message}" if key else message
    if isinstance(problem, json.JSONDecodeError):
        return f"expected a JSON object: {problem.msg}"
    return "expected a JSON object"
