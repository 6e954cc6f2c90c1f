"""Tools of MCP servers (such as `query_logs`) for agents.

Built for each run from the servers in the settings. A server's texts are untrusted: its descriptions are cleaned and
cut, its answers, errors included, pass the guard.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from bot.errors import ToolError
from bot.models.visible import clean
from bot.tools.guard import ANSWER_BYTES
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from bot.models.remote import RemoteTool
    from bot.ports.outbound import ToolServer
    from bot.tools.guard import Guard
    from bot.tools.read_log import ReadLog

LONGEST_DESCRIPTION = 1_000
LARGEST_SCHEMA = 20_000
"""Maximum characters of a JSON schema."""
LARGEST_ARGUMENTS = 20_000
LARGEST_ANSWER = 1_000_000
"""Maximum characters of an answer that are processed; an agent gets fewer."""
_NAME = re.compile(r"[^A-Za-z0-9_-]")


async def remote_tools(server: ToolServer, guard: Guard, read_log: ReadLog) -> tuple[tuple[Tool, ...], tuple[str, ...]]:
    """Build the tools of one server; return them, and the reasons for missing ones. `read_log` records their answers.

    Raises `ToolError` when the server does not answer.
    """
    offered = await server.list_tools()
    return tuple(_tool(server, tool, guard, read_log) for tool in offered.tools), offered.problems


def _tool(server: ToolServer, remote: RemoteTool, guard: Guard, read_log: ReadLog) -> Tool:
    name = _NAME.sub("_", f"{server.name}_{remote.name}")[:64]

    async def run(request: BaseModel) -> str:
        arguments = request.model_dump()
        if len(json.dumps(arguments)) > LARGEST_ARGUMENTS:
            raise ToolError("These arguments are too long.")
        answer = await server.call(remote.name, arguments)
        status = "error" if answer.failed else ""
        about = {"server": server.name, "tool": remote.name, "status": status}
        text = answer.text[:LARGEST_ANSWER]
        output = await asyncio.to_thread(lambda: guard.answer(text, source="mcp", room=ANSWER_BYTES, **about))
        if not answer.failed:
            read_log.note_answer(name, output.partition("\n")[2].rpartition("\n")[0])  # without the envelope
        return output

    description = " ".join(guard.redact_words(clean(remote.description)).split())[:LONGEST_DESCRIPTION]
    return Tool(
        name=name,
        description=f"A read-only tool of the server {server.name}. In its own words: {description}",
        input=_input(_clean_value(guard.redactor.value(remote.input_schema))),
        run=run,
    )


def _input(schema: dict[str, Any]) -> type[BaseModel]:
    """Build a model with the server's schema that accepts any object, since the server validates."""
    if schema.get("type") != "object" or len(json.dumps(schema)) > LARGEST_SCHEMA:  # the model's API requires an object
        schema = {"type": "object"}

    class Arguments(BaseModel):
        model_config = ConfigDict(frozen=True, extra="allow")

        @classmethod
        def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
            return schema

    return Arguments


def _clean_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {clean(str(key)): _clean_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_value(inner) for inner in value]
    return clean(value) if isinstance(value, str) else value
