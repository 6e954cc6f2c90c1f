"""Parsing of a model's answer into the requested form. A server may ignore the form.

The answer is the first JSON object with a field of the form that fits it; objects without such a field are prose, or a
wrapper whose contents are tried. Keys that the form does not have are dropped, and text that only its length breaks is
shortened; both are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError

from bot.agents.answer_text import has_call, strip_thoughts
from bot.agents.json_objects import find_objects
from bot.models.answer_change import AnswerChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pydantic_core import ErrorDetails

Form = TypeVar("Form", bound=BaseModel)

CALL_AS_TEXT = "it has a tool call written as text, which is not run"
_MAX_ERRORS_SHOWN = 5
_MAX_KEYS_NAMED = 8
_MAX_KEY_CHARS = 60
_MAX_WRAPPERS = 3


class Prose(BaseModel):
    """Answer in plain text, possibly empty; no form is requested from the server."""

    text: str


class InvalidAnswer(Exception):
    """Invalid answer. The message tells the model what is wrong, without repeating its text."""


@dataclass(frozen=True)
class Parsed(Generic[Form]):
    """Answer in its form, with the changes by code that made it fit."""

    answer: Form
    changes: tuple[AnswerChange, ...] = ()
    rivals: tuple[Form, ...] = ()
    """Other answers in the same text that fit, too, and differ from it, in order."""


def is_prose(form: type[BaseModel]) -> bool:
    """Return whether any text is a valid answer."""
    return form is Prose


def response_form(form: type[BaseModel]) -> type[BaseModel] | None:
    """Return the form to request from the server, if any."""
    return None if is_prose(form) else form


def parse_answer(
    form: type[Form], text: str, shorten: Callable[[dict[str, Any]], list[AnswerChange]] | None = None
) -> Parsed[Form]:
    """Parse the answer in `text`, which may be surrounded by prose, other objects or code fences.

    `shorten` changes a JSON object where only its length breaks the form, and returns what it did. Raises
    `InvalidAnswer`.
    """
    text = strip_thoughts(text)
    if is_prose(form):
        if has_call(text):
            raise InvalidAnswer(CALL_AS_TEXT)
        return Parsed(cast("Form", Prose(text=text)))
    fields = frozenset(form.model_fields)
    parsed: list[Parsed[Form]] = []
    faults: dict[int, InvalidAnswer] = {}
    for content in find_objects(text):
        for candidate in _find_candidates(content, fields):
            try:
                parsed.append(_validate(form, candidate, shorten))
            except InvalidAnswer as problem:
                faults.setdefault(len(fields & candidate.keys()), problem)
    if parsed:
        first = parsed[0]
        return Parsed(first.answer, first.changes, tuple(p.answer for p in parsed if p.answer != first.answer))
    if has_call(text):
        raise InvalidAnswer(CALL_AS_TEXT)
    if faults:
        raise faults[max(faults)]
    none = "it has no JSON object of the form" if "}" in text else "it has no JSON object"
    raise InvalidAnswer(none if text else "it is empty")


def choose_rival(parsed: Parsed[Form], choose: Callable[[Sequence[Form]], Form] | None) -> Parsed[Form]:
    """Return the answer that counts among several that differ, with that as a change by code."""
    if not parsed.rivals:
        return parsed
    answers = (parsed.answer, *parsed.rivals)
    chosen = choose(answers) if choose else parsed.answer
    text = f"{len(answers)} answers that differ; the {'worst' if choose else 'first'} one counts"
    return Parsed(chosen, (*parsed.changes, AnswerChange(kind="chosen", text=text)))


def correction(form: type[BaseModel], problem: InvalidAnswer) -> str:
    """Return the request for another answer in place of an invalid one."""
    wanted = "in plain text" if is_prose(form) else "with one JSON object of the form asked for"
    return f"Your answer does not fit: {problem}. Answer again {wanted}."


def _find_candidates(content: dict[str, Any], fields: frozenset[str], depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the object if it has a field of the form; else look into the objects that it wraps."""
    if fields & content.keys():
        yield content
    elif depth < _MAX_WRAPPERS:
        for value in content.values():
            if isinstance(value, dict):
                yield from _find_candidates(value, fields, depth + 1)


def _validate(
    form: type[Form], content: dict[str, Any], shorten: Callable[[dict[str, Any]], list[AnswerChange]] | None
) -> Parsed[Form]:
    """Validate one object, without the keys that the form does not have. Raises `InvalidAnswer`."""
    changes = shorten(content) if shorten else []
    try:
        return Parsed(form.model_validate(content), tuple(changes))
    except ValidationError as problem:
        errors = problem.errors(include_input=False, include_url=False)
    surplus = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
    if not surplus:
        raise _invalid(errors)
    for place in surplus:
        _drop(content, place)
    try:
        return Parsed(form.model_validate(content), (*changes, _name_dropped(surplus)))
    except ValidationError as problem:
        raise _invalid(problem.errors(include_input=False, include_url=False)) from None


def _drop(content: Any, place: tuple[int | str, ...]) -> None:
    """Remove the value at a place."""
    *parents, key = place
    for parent in parents:
        content = content[parent]
    del content[key]


def _name_dropped(places: list[tuple[int | str, ...]]) -> AnswerChange:
    """Name the dropped keys, printable and short."""
    names = list(dict.fromkeys(".".join(str(part) for part in place if isinstance(part, str)) for place in places))
    shown = ["".join(filter(str.isprintable, name))[:_MAX_KEY_CHARS] for name in names[:_MAX_KEYS_NAMED]]
    rest = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return AnswerChange(kind="dropped", text=f"Keys that the form does not have: {', '.join(shown)}{rest}")


def _invalid(errors: list[ErrorDetails]) -> InvalidAnswer:
    messages = [
        f"{'.'.join(map(str, error['loc'])) or 'the whole'}: {error['msg']}" for error in errors[:_MAX_ERRORS_SHOWN]
    ]
    remainder = f"; and {len(errors) - _MAX_ERRORS_SHOWN} more" if len(errors) > _MAX_ERRORS_SHOWN else ""
    return InvalidAnswer("; ".join(messages) + remainder)
