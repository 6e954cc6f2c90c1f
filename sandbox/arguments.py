"""Arguments of a call, in any of Slack's encodings: JSON, form, or query string.

Any method takes any of them. In a form or a query everything is text: nested values are JSON, flags are 1 or 0.
"""

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from sandbox.models import Json, Refused


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments by name; missing or malformed ones are refused with `invalid_arguments`."""

    values: Json

    def text(self, name: str) -> str | None:
        """Return a text, None if absent or empty."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, dict | list):
            raise Refused("invalid_arguments", f"[ERROR] must be a string [json-pointer:/{name}]")
        return str(value)

    def required(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise Refused("invalid_arguments", f"[ERROR] missing required field: {name}")
        return value

    def flag(self, name: str) -> bool:
        return str(self.values.get(name, "")).lower() in ("1", "true")

    def count(self, name: str, default: int, *, maximum: int) -> int:
        value = self.text(name)
        if value is None:
            return default
        if not value.isdigit() or int(value) == 0:
            raise Refused("invalid_limit")
        return min(int(value), maximum)

    def structure(self, name: str) -> Any:
        """Return a list or an object, None if absent; forms carry it as JSON text."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise Refused("invalid_arguments", f"[ERROR] must be valid JSON [json-pointer:/{name}]") from None


async def read(request: web.Request) -> Json:
    """Return all arguments of a request; the body overrides the query."""
    values: Json = dict(request.query)
    if request.content_type == "application/json":
        return values | await _json_body(request)
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        form = await request.post()
        return values | {
            name: value for name, value in form.items() if isinstance(value, str)
        }  # files are not used here
    return values


async def _json_body(request: web.Request) -> Json:
    body = await request.read()
    if not body:
        return {}
    try:
        value = json.loads(body)
    except ValueError:
        raise Refused("invalid_json") from None
    if not isinstance(value, dict):
        raise Refused("json_not_object")
    return value
