"""JSON as text for columns: any string of Slack, also half of a surrogate pair, as JSON's own escape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json

if TYPE_CHECKING:
    from pydantic import BaseModel


def serialise_model(model: BaseModel) -> str:
    """Return the JSON of a model."""
    try:
        return model.model_dump_json()
    except ValueError:  # half of a surrogate pair: valid as a JSON escape, but not in UTF-8
        return json.dumps(model.model_dump(mode="json"), separators=(",", ":"))


def serialise_record(record: dict[str, Any]) -> str:
    """Return the JSON of a record."""
    try:
        return to_json(record).decode()
    except ValueError:  # the same
        return json.dumps(record, separators=(",", ":"), default=str)


def parse_json(text: str) -> Any:
    """Parse JSON. Raises `ValueError`."""
    try:
        return from_json(text)  # twice as fast, but rejects halves of surrogate pairs
    except ValueError:
        return json.loads(text)
