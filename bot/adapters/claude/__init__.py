"""The port `Model` over the Messages API: Anthropic's own, and any server that implements it (docs/models.md).

Only this package imports `anthropic`. The library takes seconds to import, so the first call does it, in a thread. All
its errors are translated here; `create` is used, never `parse`, so that a refused or truncated answer keeps its usage.
The fixed prefix (tools, then the prompt) carries cache markers, and so does the newest entry, since a history only
grows.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from bot.adapters.claude.form import MessagesResponse, ToolUse, request
from bot.errors import NoKey, OverCap, Refused, Stalled, TriageError, Unreachable
from bot.models.address import is_loopback
from bot.models.turn import Call, Entry, Stop, ToolForm, Turn
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anthropic import AsyncAnthropic

ANTHROPIC = "https://api.anthropic.com"

LARGEST = 4_000_000
"""Bytes of one answer; the longest turn is far below."""

_STOPS: dict[str, Stop] = {
    "end_turn": "answered",
    "stop_sequence": "answered",
    "tool_use": "calls",
    "max_tokens": "cut",
    "pause_turn": "paused",
    "refusal": "refused",
    "model_context_window_exceeded": "full",
}
_HALF = re.compile(rb"\\u[dD][89abAB]", re.ASCII)
log = logging.getLogger(__name__)

_until: ContextVar[float] = ContextVar("until")
"""Deadline of the running call, in the loop's time."""


class Server:
    """One server and one key, shared by all models on it.

    Without `key` Anthropic's own server is not called; others may need none. `timeout` is the limit of one call in
    seconds.
    """

    def __init__(self, *, key: str | None, base_url: str | None, max_retries: int, timeout: float) -> None:
        self.address = base_url or ANTHROPIC
        self.timeout = timeout
        self._key = key
        self._max_retries = max_retries
        self._client: AsyncAnthropic | None = None
        self._past: list[AsyncAnthropic] = []
        self._opening = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    @property
    def host(self) -> str:
        """Return the server's name, for the log only."""
        return urlsplit(self.address).netloc

    @property
    def may_be_asked(self) -> bool:
        """Return whether there is a key, or a server that may need none."""
        return self._key is not None or not self.host.endswith("anthropic.com")

    def renew(self, key: str | None) -> None:
        """Use this key from the next call on; running calls end with the previous one."""
        if key != self._key and self._client is not None:
            self._past.append(self._client)
            self._client = None
        self._key = key

    async def client(self) -> AsyncAnthropic:
        """Return the client, created at the first call. Raises `NoKey`."""
        if not self.may_be_asked:
            raise NoKey("there is no key for the model; set ANTHROPIC_API_KEY")
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
        return self._client

    def model(self, name: str, *, max_output: int) -> ClaudeModel:
        """Return a model of this server."""
        return ClaudeModel(self, name, max_output=max_output)

    def warm_up(self) -> None:
        """Import the library in the background, so that the first question need not wait for it."""
        self._warming = asyncio.create_task(self._warm(), name="model")

    async def _warm(self) -> None:
        with contextlib.suppress(NoKey):  # the first call reports it
            await self.client()

    def _open(self) -> AsyncAnthropic:
        import anthropic

        return anthropic.AsyncAnthropic(
            api_key=self._key or "none",
            base_url=self.address,
            max_retries=self._max_retries,
            timeout=self.timeout,
            open_telemetry=False,
            middleware=[_no_long_wait],
            http_client=anthropic.DefaultAsyncHttpxClient(
                base_url=self.address,
                follow_redirects=False,  # a redirect could lead to an address that the settings would refuse
                trust_env=not is_loopback(self.address),  # no proxy for this machine itself
            ),
        )

    def without_key(self, text: str) -> str:
        """Return a server's text, short, printable and without the key."""
        plain = "".join(char if char.isprintable() else " " for char in text[:1000])
        return (plain.replace(self._key, "[redacted]") if self._key else plain)[:200]

    async def close(self) -> None:
        """Close the connections."""
        if self._warming is not None:
            await self._warming
        for client in (*self._past, *([self._client] if self._client else [])):
            await client.close()


class ClaudeModel:
    """One model of one server (`Model`)."""

    def __init__(self, server: Server, name: str, *, max_output: int = 8_192) -> None:
        self.name = name
        self.max_output = max_output
        self._server = server

    async def reply(
        self, messages: Sequence[Entry], tools: Sequence[ToolForm], schema: type[BaseModel] | None, deadline: float
    ) -> Turn:
        """Request the next turn; see `Model.reply` for the errors."""
        seconds = min(deadline, self._server.timeout)
        client = await self._server.client()  # the first import must not count towards the server's time
        try:
            async with asyncio.timeout(seconds):
                _until.set(asyncio.get_running_loop().time() + seconds)
                with passing("model.call", self.name):
                    raw = await client.messages.with_raw_response.create(
                        model=self.name,
                        max_tokens=self.max_output,
                        timeout=seconds,
                        **request(messages, tools, schema),
                    )
                    content = await _content(raw)
                    if len(content) > LARGEST:
                        raise self._malformed_answer_error("with more than a turn can hold")
                    body = _read(content)
        except TriageError:
            raise
        except TimeoutError:
            log.warning("the model at %s did not answer within %g s", self._server.host, seconds)
            raise Stalled("the model did not answer", seconds=seconds, billed=True) from None
        except Exception as problem:
            translated = self._translated(problem, seconds)
            log.warning("the model's server at %s: %s", self._server.host, translated)
            raise translated from problem
        return self._turn(body)

    def _turn(self, body: Any) -> Turn:
        try:
            answer = MessagesResponse.model_validate(body)
            tool_uses = [ToolUse.model_validate(block) for block in answer.content if block.get("type") == "tool_use"]
            calls = tuple(Call(call_id=call.id, tool=call.name, input=call.input) for call in tool_uses)
        except ValidationError as problem:
            raise self._malformed_answer_error("with something that is not a message") from problem
        if answer.stop_reason not in _STOPS:
            raise self._malformed_answer_error(f"and stops for no known reason ({str(answer.stop_reason)[:40]!r})")
        stop = _STOPS[answer.stop_reason]
        if stop in ("answered", "calls"):  # other servers mix these two up
            stop = "calls" if calls else "answered"
        texts = [str(block.get("text", "")) for block in answer.content if block.get("type") == "text"]
        return Turn(
            text="\n".join(texts),
            calls=calls,
            stop=stop,
            usage=answer.usage.to_usage(),
            content=tuple(answer.content),
            model=answer.model or "",
        )

    def _malformed_answer_error(self, how: str) -> Unreachable:
        return Unreachable(f"the model's server answers {how}", billed=True)

    def _translated(self, problem: Exception, seconds: float) -> Exception:
        """Translate a foreign error; errors that do not come from the server are returned unchanged."""
        import anthropic
        import httpx2

        match problem:
            case anthropic.APIStatusError():
                return self._status(problem.status_code, problem.type or "", problem.api_message or "")
            case anthropic.APITimeoutError():
                never_sent = isinstance(problem.__cause__, (httpx2.ConnectTimeout, httpx2.PoolTimeout))
                return Stalled("the model did not answer", seconds=seconds, billed=not never_sent)
            case anthropic.APIConnectionError() if isinstance(problem.__cause__, httpx2.ConnectError):
                return Unreachable("the model's server cannot be reached")
            case anthropic.APIConnectionError() | httpx2.HTTPError():
                return Unreachable("the connection to the model's server broke", billed=True)
            case ValueError() | RecursionError():
                return self._malformed_answer_error("with something that is not JSON")
            case anthropic.AnthropicError():
                return self._malformed_answer_error(f"in a way that cannot be read ({type(problem).__name__})")
            case _:
                return problem

    def _status(self, status: int, kind: str, detail: str) -> TriageError:
        match status:
            case 401 | 403:
                return NoKey(f"the model's server does not accept the key ({status}); see ANTHROPIC_API_KEY")
            case 402:
                return OverCap("the account at the model's server has no credit left", limit="account")
            case 404:
                return Unreachable(f"the model's server knows no model {self.name}, or speaks no Messages API (404)")
            case 429:
                return Unreachable("the model's server allows no more calls now (429)")
            case 529:
                return Unreachable("the model's server is overloaded (529)")
            case _ if status < 400:
                return Unreachable(f"the model's server redirects ({status}); set model.base_url")
            case 408 | 409:
                return Unreachable(f"the model's server could not answer ({status})")
            case _ if status < 500:
                reason = self._server.without_key(detail) or kind
                return Refused(f"the model's server refuses the request ({status}): {reason}", code=kind or str(status))
            case _:
                return Unreachable(f"the model's server is broken ({status})")


async def _content(raw: Any) -> bytes:
    content: bytes = await raw.http_response.aread()
    return content


def _read(content: bytes) -> Any:
    """Parse the JSON of an answer. Half a surrogate pair, which is invalid in text, becomes a question mark."""
    body = json.loads(content)
    if _HALF.search(content):
        body = json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
    return body


async def _no_long_wait(request: Any, call_next: Any) -> Any:
    """Give up immediately if the server requests a longer pause than the call has time for."""
    response = await call_next(request)
    try:
        pause = float(response.headers.get("retry-after", 0))
    except ValueError:
        return response
    if response.status_code >= 400 and pause > _until.get() - asyncio.get_running_loop().time():
        raise Unreachable(
            f"the model's server asks to wait {pause:g} s ({response.status_code}), longer than a call may take"
        )
    return response
