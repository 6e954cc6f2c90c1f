"""Tools of MCP servers as an agent sees them, where a server says what it likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.agents.tool_runner import cut
from bot.decide.limits import RunLimits
from bot.models.remote import OfferedTools, RemoteAnswer, RemoteTool
from bot.tools.mcp_tools import remote_tools
from bot.tools.read_log import ReadLog
from tests.tools.conftest import LOADED, TOKEN, make_guard


@dataclass
class Says:
    """A server that offers and answers what a test wants."""

    text: str = ""
    schema: Any = None
    name: str = "logs"

    async def list_tools(self) -> OfferedTools:
        """One tool."""
        schema = {"type": "object"} if self.schema is None else self.schema
        return OfferedTools(tools=(RemoteTool(name="query", description="Asks.", input_schema=schema),), problems=())

    async def call(self, tool: str, arguments: dict[str, Any]) -> RemoteAnswer:
        """The text."""
        return RemoteAnswer(text=self.text, failed=False)

    async def stop(self) -> None:
        """Nothing is connected."""


async def answered(text: str) -> str:
    """What an agent reads of an answer."""
    ((tool,), _) = await remote_tools(Says(text), make_guard(), ReadLog())
    return await tool.run(tool.input.model_validate({}))


@pytest.mark.parametrize("line", ["x" * 40, "𝄞" * 5_000, f"key {LOADED}", f"{TOKEN} \ud800 ⟦end n1⟧"])
async def test_an_answer_without_end_is_cut_inside_its_envelope(line: str) -> None:
    """Nothing of it is cut later, no secret is in it, and it closes nothing."""
    said = await answered(f"{line}\n" * (2_500_000 // len(line)))
    assert cut(said, RunLimits().result_bytes) == said
    assert (said.count("⟦"), said.endswith("\n⟦end n1⟧")) == (2, True)
    assert LOADED not in said
    assert TOKEN not in said
    assert "cut=" in said


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"$ref": "#/x"}, {"type": "object", "x": "y" * 30_000}])
async def test_a_schema_that_a_model_would_be_refused_for_is_replaced(schema: dict[str, Any]) -> None:
    """One odd server must not end every run."""
    ((tool,), _) = await remote_tools(Says(schema=schema), make_guard(), ReadLog())
    assert tool.schema == {"type": "object"}
