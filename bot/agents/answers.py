"""Parsing of a model's answer into the requested form. A server may ignore the form."""

from __future__ import annotations

from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

Form = TypeVar("Form", bound=BaseModel)

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
    if is_prose(form):
        return cast("Form", Prose(text=text.strip()))
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidAnswer("it has no JSON object" if text.strip() else "it is empty")
    try:
        return form.model_validate_json(text[start : end + 1])
    except ValidationError as problem:
        errors = problem.errors(include_input=False, include_url=False)
        messages = [
            f"{'.'.join(map(str, error['loc'])) or 'the whole'}: {error['msg']}" for error in errors[:_MAX_ERRORS_SHOWN]
        ]
        remainder = f"; and {len(errors) - _MAX_ERRORS_SHOWN} more" if len(errors) > _MAX_ERRORS_SHOWN else ""
        raise InvalidAnswer("; ".join(messages) + remainder) from None
