"""Reading a model's answer into the form that was asked for. A server may ignore the form."""

from __future__ import annotations

from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

Form = TypeVar("Form", bound=BaseModel)

_SHOWN = 5


class Prose(BaseModel):
    """An answer that is words, whatever they are, perhaps none; the server is asked for no form."""

    text: str


class Unfit(Exception):
    """The answer does not fit; the message tells the model what is wrong, without repeating what it said."""


def is_prose(form: type[BaseModel]) -> bool:
    """Return whether any words are an answer."""
    return form is Prose


def asked_for(form: type[BaseModel]) -> type[BaseModel] | None:
    """The form that the server is asked for, if any."""
    return None if is_prose(form) else form


def read(form: type[Form], text: str) -> Form:
    """The answer in `text`, which may stand between prose or code fences. Raises `Unfit`."""
    if is_prose(form):
        return cast("Form", Prose(text=text.strip()))
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Unfit("it holds no JSON object" if text.strip() else "it is empty")
    try:
        return form.model_validate_json(text[start : end + 1])
    except ValidationError as problem:
        errors = problem.errors(include_input=False, include_url=False)
        said = [f"{'.'.join(map(str, error['loc'])) or 'the whole'}: {error['msg']}" for error in errors[:_SHOWN]]
        more = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
        raise Unfit("; ".join(said) + more) from None
