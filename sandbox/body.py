"""JSON bodies of the human side and of the controls, checked field by field; errors are JSON too."""

from typing import Any

from aiohttp import web

from sandbox import seed
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace

_NOT_THERE = ("not_found", "not_in_channel")


class Body:
    """Fields of a request; the error names a missing or malformed one."""

    def __init__(self, fields: Json, workspace: Workspace) -> None:
        self._fields = fields
        self._workspace = workspace

    @property
    def user(self) -> str:
        """Return the acting person; bots act over the Web API."""
        person = self._workspace.person(self.text("user"))
        if person.is_bot:
            raise Refused("user_is_a_bot")
        if person.is_deactivated:
            raise Refused("account_inactive")
        return person.id

    @property
    def speaker(self) -> str:
        """Return the author: a person, or the bot of another app, which can only post this way."""
        return seed.OTHER_BOT if self.text("user") == seed.OTHER_BOT else self.user

    def text(self, name: str) -> str:
        value = self.optional(name)
        if value is None or value == "":
            raise Refused(f"missing_field: {name}")
        return value

    def optional(self, name: str) -> str | None:
        value = self._fields.get(name)
        if value is not None and not isinstance(value, str):
            raise Refused(f"not_a_text: {name}")
        return value

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        value = self._fields.get(name, default)
        if not isinstance(value, bool):
            raise Refused(f"not_a_flag: {name}")
        return value

    def structure(self, name: str) -> Json:
        value = self._fields.get(name, {})
        if not isinstance(value, dict):
            raise Refused(f"not_an_object: {name}")
        return value

    def objects(self, name: str) -> list[Json] | None:
        value = self._fields.get(name)
        if value is not None and not (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
            raise Refused(f"not_a_list_of_objects: {name}")
        return value

    def anything(self, name: str) -> Any:
        return self._fields.get(name)


async def body_of(request: web.Request) -> Json:
    """Return the body as a JSON object, whatever its content type."""
    try:
        body = await request.json()
    except ValueError:
        raise Refused("invalid_json") from None
    if not isinstance(body, dict):
        raise Refused("json_not_object")
    return body


def refusal(refused: Refused) -> web.Response:
    """Return 404 for objects that this person cannot see, 400 for invalid requests."""
    body: Json = {"ok": False, "error": refused.error}
    if refused.messages:
        body["messages"] = list(refused.messages)
    return web.json_response(body, status=404 if refused.error.endswith(_NOT_THERE) else 400)
