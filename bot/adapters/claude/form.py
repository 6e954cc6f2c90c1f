"""Messages API formats: the request for a history, and the parsed answer."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from bot.adapters.claude.strict import strict_schemas
from bot.models.turn import CodeMessage, Prompt, Recalled, Results, ToolForm, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.model_parameters import ModelParameters
    from bot.models.model_request import ModelRequest

_FORM = "When you call no tool, answer with one JSON object and nothing else. Its JSON schema:\n"
MARKER = {"cache_control": {"type": "ephemeral"}}


def build_body(request: ModelRequest, parameters: ModelParameters) -> dict[str, Any]:
    """Build the body of a request, except the model. The prefix is identical, byte for byte, for the same tools."""
    tools = request.tools
    api_messages = _in_turn([_message(entry) for entry in request.history if not isinstance(entry, Prompt)])
    body: dict[str, Any] = {"max_tokens": parameters.max_tokens, "messages": api_messages}
    form = _as_sent(request.form) if request.form else None
    prompts = [entry.text for entry in request.history if isinstance(entry, Prompt)]
    if form and (parameters.states_form or parameters.plain):
        prompts = ["\n\n".join([*prompts[:1], _FORM + json.dumps(form)]), *prompts[1:]]
    if parameters.plain:
        return body | _plain_fields(prompts, tools, api_messages)
    _mark_newest(api_messages)
    if prompts:
        blocks = [{"type": "text", "text": text} for text in prompts]
        body["system"] = [blocks[0] | MARKER, *blocks[1:]]  # later prompts are for this run only
    if tools:
        strict = strict_schemas(tools, form) if parameters.strict else {}
        forms = [_tool(tool, strict.get(tool.name)) for tool in tools]
        body["tools"] = [*forms[:-1], forms[-1] | MARKER]
    if parameters.thinks:  # with a summary of the thoughts, so that the stream shows progress
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    if parameters.effort:
        body["output_config"] = {"effort": parameters.effort}
    if form:
        body["output_config"] = {**body.get("output_config", {}), "format": {"type": "json_schema", "schema": form}}
    return body


def _plain_fields(
    prompts: Sequence[str], tools: Sequence[ToolForm], api_messages: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the fields of a plain request; its messages lose thoughts without a signature, which some refuse."""
    for message in api_messages:
        signed = [block for block in message["content"] if block["type"] != "thinking" or block.get("signature")]
        message["content"] = signed or message["content"]
    fields: dict[str, Any] = {"system": "\n\n".join(prompts)} if prompts else {}
    return fields | ({"tools": [_tool(tool, None) for tool in tools]} if tools else {})


def _mark_newest(api_messages: Sequence[dict[str, Any]]) -> None:
    """Mark the end of the newest message of the user and of the one before it, for the cache.

    The second marker stands where the last request's newest one stood. A marker finds cached blocks among the twenty
    before it only, and a turn with sixteen calls has thirty-two blocks with its results.
    """
    if api_messages and api_messages[-1]["role"] == "user":
        for message in [message for message in api_messages if message["role"] == "user"][-2:]:
            message["content"][-1] |= MARKER


def _tool(tool: ToolForm, strict: dict[str, Any] | None) -> dict[str, Any]:
    form: dict[str, Any] = {"name": tool.name, "description": tool.description}
    return form | ({"input_schema": tool.schema} if strict is None else {"input_schema": strict, "strict": True})


@lru_cache(maxsize=64)
def _as_sent(schema: type[BaseModel]) -> dict[str, Any]:
    """Convert a schema to the API's form, once: this takes a millisecond in every turn."""
    from anthropic import transform_schema

    return transform_schema(schema)


def _in_turn(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge consecutive messages of one role, and drop empty ones, so that the roles alternate."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"] += message["content"]
        elif message["content"]:
            merged.append(message)
    return merged


def _message(entry: CodeMessage | Recalled | Turn | Results) -> dict[str, Any]:
    match entry:
        case CodeMessage(text=text):
            return {"role": "user", "content": [{"type": "text", "text": text}]}
        case Recalled(text=text):
            return {"role": "assistant", "content": [{"type": "text", "text": text}]}
        case Turn(content=content, stop=stop):
            is_cut = stop == "cut"
            return {"role": "assistant", "content": [block for block in content if _goes_back(block, is_cut=is_cut)]}
        case Results(results=results):
            blocks = [
                {"type": "tool_result", "tool_use_id": r.call_id, "content": r.text, "is_error": r.failed}
                for r in results
            ]
            return {"role": "user", "content": blocks}


def _goes_back(block: dict[str, Any], *, is_cut: bool) -> bool:
    """Return whether the API takes a block back: not a text without a word, nor a thought cut before its signature."""
    if block.get("type") == "thinking" and is_cut:
        return bool(block.get("signature"))
    return block.get("type") != "text" or bool(str(block.get("text", "")).strip())


Tokens = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""Token count; an impossibly large one is invalid, since it would use up the day's budget."""


class TokenCounts(BaseModel):
    """The token counts of one call."""

    input_tokens: Tokens | None = 0
    output_tokens: Tokens | None = 0
    cache_read_input_tokens: Tokens | None = 0
    cache_creation_input_tokens: Tokens | None = 0

    def to_usage(self) -> Usage:
        """Convert to `Usage`."""
        return Usage(
            input_tokens=self.input_tokens or 0,
            output_tokens=self.output_tokens or 0,
            cache_read_tokens=self.cache_read_input_tokens or 0,
            cache_write_tokens=self.cache_creation_input_tokens or 0,
        )


class MessagesResponse(BaseModel):
    """One answer, as far as it is read."""

    content: list[dict[str, Any]]
    stop_reason: str | None = None
    model: str | None = None
    usage: TokenCounts = TokenCounts()

    @field_validator("usage", mode="wrap")
    @classmethod
    def _read_counts(cls, counts: Any, read: ValidatorFunctionWrapHandler) -> TokenCounts:
        """Take counts that are no counts as missing: the answer is paid for, and its cost unknown."""
        try:
            return cast("TokenCounts", read({} if counts is None else counts))
        except ValidationError:
            return TokenCounts()
