"""Parsing of a model's answer into the requested form. A server may ignore the form."""

from __future__ import annotations

from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from bot.agents.answer_text import find_object, has_call, strip_thoughts

Form = TypeVar("Form", bound=BaseModel)

CALL_AS_TEXT = "it has a tool call written as text, which is not run"
_MAX_ERRORS_SHOWN = 5


class Prose(BaseModel):
    """Answer in plain text, possibly empty; no form is requested from the server."""

    text: str


class InvalidAnswer(Exception):
    """Invalid answer. The message tells the model what is wrong, without repeating its text."""


def is_prose(form: type[BaseModel]) -> bool:
    """Return whether any text is a valid answer."""
    return form is Prose


def response_form(form: type[BaseModel]) -> type[BaseModel] | None:
    """Return the form to request from the server, if any."""
    return None if is_prose(form) else form


def parse_answer(form: type[Form], text: str) -> Form:
    """Parse the answer in `text`, which may be surrounded by prose or code fences. Raises `InvalidAnswer`."""
    text = strip_thoughts(text)
    if is_prose(form):
        if has_call(text):
            raise InvalidAnswer(CALL_AS_TEXT)
        return cast("Form", Prose(text=text))
    found = find_object(text)
    if not found:
        raise InvalidAnswer(CALL_AS_TEXT if has_call(text) else "it has no JSON object" if text else "it is empty")
    try:
        return form.model_validate_json(found)
    except ValidationError as problem:
        if has_call(text):
            raise InvalidAnswer(CALL_AS_TEXT) from None
        errors = problem.errors(include_input=False, include_url=False)
        messages = [
            f"{'.'.join(map(str, error['loc'])) or 'the whole'}: {error['msg']}" for error in errors[:_MAX_ERRORS_SHOWN]
        ]
        remainder = f"; and {len(errors) - _MAX_ERRORS_SHOWN} more" if len(errors) > _MAX_ERRORS_SHOWN else ""
        raise InvalidAnswer("; ".join(messages) + remainder) from None


def correction(form: type[BaseModel], problem: InvalidAnswer) -> str:
    """Return the request for another answer in place of an invalid one."""
    wanted = "in plain text" if is_prose(form) else "with one JSON object of the form asked for"
    return f"Your answer does not fit: {problem}. Answer again {wanted}."
