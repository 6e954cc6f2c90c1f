"""The port `Model` over the Messages API: Anthropic's own, and any server that implements it (docs/models.md).

Only this package imports `anthropic`. The library takes seconds to import, so the first call does it, in a thread. All
its errors are translated in `faults`; `create` is used, never `parse`, so that a refused or truncated answer keeps its
usage, and its stream is read in `stream`, so that progress is known. The fixed prefix (tools, then the prompt) carries
cache markers, and so do the two newest messages of the user, since a history only grows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot.adapters.claude.dialects import read_calls, read_stop, repair_message
from bot.adapters.claude.faults import NotOffered, TooLarge, Unfinished, Unrecorded, malformed, translate
from bot.adapters.claude.form import MessagesResponse, build_body
from bot.adapters.claude.stream import Answer
from bot.errors import NoKey, Refused, Stalled, TriageError, Unreachable
from bot.models.address import is_loopback
from bot.models.turn import Turn
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from bot.models.model_parameters import ModelParameters
    from bot.models.model_request import ModelRequest
    from bot.models.turn import Entry

ANTHROPIC = "https://api.anthropic.com"

CONNECT_SECONDS = 10.0
"""Timeout of a connection, so that a server that is off is not waited for like one that thinks."""

log = logging.getLogger(__name__)


class Server:
    """One server and one key, shared by all models on it.

    Without `key` Anthropic's own server is not called; others may need none. `timeout` is the limit of silence in
    seconds: before an answer begins, and between two events of it. No call is repeated here.
    """

    def __init__(self, *, key: str | None, base_url: str | None, timeout: float) -> None:
        self.address = base_url or ANTHROPIC
        self.timeout = timeout
        self.key_number = 1
        self._key = key
        self._client: AsyncAnthropic | None = None
        self._past: list[AsyncAnthropic] = []
        self._opening = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    @property
    def host(self) -> str:
        """Return the server's name, for the log only."""
        return urlsplit(self.address).netloc

    @property
    def has_key(self) -> bool:
        """Return whether there is a key."""
        return self._key is not None

    @property
    def may_be_asked(self) -> bool:
        """Return whether there is a key, or a server that may need none."""
        return self.has_key or not self.is_anthropic

    @property
    def is_anthropic(self) -> bool:
        """Return whether this is Anthropic's own server, which offers all that is documented."""
        return self.host.endswith("anthropic.com")

    def renew(self, key: str | None) -> None:
        """Use this key from the next call on; running calls end with the previous one."""
        if key == self._key:
            return
        if self._client is not None:
            self._past.append(self._client)
            self._client = None
        self._key = key
        self.key_number += 1

    async def client(self) -> AsyncAnthropic:
        """Return the client, created at the first call. Raises `NoKey`."""
        if not self.may_be_asked:
            raise NoKey("there is no key for the model; set ANTHROPIC_API_KEY", key_number=self.key_number)
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
        return self._client

    def model(self, name: str, parameters: ModelParameters) -> ClaudeModel:
        """Return a model of this server."""
        return ClaudeModel(self, name, parameters)

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
            max_retries=0,  # the agents' loop waits and tries again, while its run has time
            timeout=self.timeout,
            open_telemetry=False,
            http_client=anthropic.DefaultAsyncHttpxClient(
                base_url=self.address,
                follow_redirects=False,  # a redirect could lead to an address that the settings would refuse
                trust_env=not is_loopback(self.address),  # no proxy for this machine itself
                # to an address without TLS: no certificates, which take time and memory to load
                verify=self.address.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
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

    def __init__(self, server: Server, name: str, parameters: ModelParameters) -> None:
        self.name = name
        self.max_output = parameters.max_tokens
        self._server = server
        self._is_foreign = not server.is_anthropic
        self._choices = _choices(parameters, plain=self._is_foreign)
        self._accepted: dict[tuple[str, ...], ModelParameters] = {}
        self._probed: dict[tuple[str, ...], tuple[int, Entry]] = {}

    async def reply(self, request: ModelRequest) -> Turn:
        """Request the next turn; see `Model.reply` for the errors.

        A server that refuses the request is asked again with fewer parameters; those that it accepts for these tools
        are kept. Each run begins with one try of more parameters, since a refusal may have been a passing one.
        """
        clock, names = asyncio.get_running_loop().time, tuple(tool.name for tool in request.tools)
        most, seconds = min(self.max_output, request.max_output or self.max_output), request.seconds
        accepted = self._accepted.get(names)
        choices = self._choices_from(accepted)
        if probe := self._choose_probe(names, accepted, request):
            choices.insert(0, probe)
        while True:
            parameters, began = choices.pop(0), clock()
            try:
                sized = replace(parameters, max_tokens=most)
                turn = await self._ask(replace(request, seconds=seconds), sized)
            except (Refused, NotOffered) as problem:
                is_billed = isinstance(problem, NotOffered) and problem.billed
                if isinstance(problem, NotOffered) and parameters is not probe:
                    may_be_offered = parameters.streams and self._is_foreign
                    choices = [replace(parameters, streams=False)] if may_be_offered else []
                if not choices or is_billed or isinstance(problem, (TooLarge, Unrecorded)):
                    raise
                log.warning("the request is repeated with fewer parameters than %s: %s", parameters, problem)
                seconds -= clock() - began
            else:  # a server that has streamed before was only disturbed
                has_streamed = accepted is not None and accepted.streams
                self._accepted[names] = replace(parameters, streams=parameters.streams or has_streamed)
                return turn

    def _choose_probe(
        self, names: tuple[str, ...], accepted: ModelParameters | None, request: ModelRequest
    ) -> ModelParameters | None:
        """Return more parameters than the accepted ones for the first try of a run, in turn; `None` within a run."""
        run = request.history[0]
        number, probed_run = self._probed.setdefault(names, (0, run))
        if accepted is None or run is probed_run or any(isinstance(entry, Turn) for entry in request.history):
            return None
        fewer = self._choices.index(replace(accepted, streams=True))
        richer = [*self._choices[:fewer]]
        if not accepted.streams:
            plain = [replace(parameters, streams=False) for parameters in richer]
            richer = [*self._choices[: fewer + 1], *plain]
        if not richer:
            return None
        self._probed[names] = (number + 1, run)
        return richer[number % len(richer)]

    def _choices_from(self, accepted: ModelParameters | None) -> list[ModelParameters]:
        """Return the parameters to try, in order, beginning with those that were accepted last."""
        if accepted is None:
            return [*self._choices]
        rest = self._choices[self._choices.index(replace(accepted, streams=True)) :]
        return [replace(parameters, streams=accepted.streams) for parameters in rest]

    async def _ask(self, request: ModelRequest, parameters: ModelParameters) -> Turn:
        """Send one request, and return its turn."""
        client = await self._server.client()  # its first import takes a second, in a thread
        body = {**build_body(request, parameters), "stream": parameters.streams}
        answer, deadline, idle = Answer(), request.seconds, min(request.idle_seconds, self._server.timeout)
        whole, silence = asyncio.timeout(deadline), asyncio.timeout(min(idle, deadline))
        try:
            async with whole, silence:
                with passing("model.call", self.name):
                    await self._receive(client, body, answer, silence, idle)
            has = {"has_tools": bool(request.tools), "has_form": request.form is not None}
            sent = parameters.name_sent(**has)
            left_out = tuple(name for name in self._choices[0].name_sent(**has) if name not in sent)
            return replace(self._turn(answer.to_message()), figures=answer.figures(sent=sent, left_out=left_out))
        except TimeoutError:
            if silence.expired() or not answer.has_begun:
                silent = "stopped in the middle of its answer" if answer.has_begun else "did not answer"
                limit = min(idle, deadline)
                problem: Exception = Stalled(f"the model {silent}", seconds=limit, billed=True, temporary=True)
            else:
                problem = Unfinished(
                    f"the model's answer was not complete after {round(deadline, 1) or deadline:g} s", billed=True
                )
        except Exception as raised:
            server = self._server
            problem = translate(
                raised, begun=answer.has_begun, model=self.name, has_key=server.has_key, clean=server.without_key
            )
        if answer.has_begun and isinstance(problem, TriageError) and not isinstance(problem, Unreachable):
            problem = Unreachable(str(problem))
        if isinstance(problem, NoKey):
            problem.key_number = self._server.key_number
        if isinstance(problem, Unreachable):
            problem.billed |= answer.has_begun
            problem.at_most = answer.max_usage(parameters.max_tokens) if problem.billed else None
            problem.unchecked_notes = answer.text
        level = logging.INFO if isinstance(problem, Unrecorded) else logging.WARNING
        log.log(level, "the model's server at %s: %s", self._server.host, problem)
        try:
            raise problem
        finally:
            del problem  # the error and this frame would refer to each other

    async def _receive(
        self, client: AsyncAnthropic, body: dict[str, Any], answer: Answer, silence: asyncio.Timeout, idle: float
    ) -> None:
        """Send a request and read its answer; each event with content begins the time of silence again."""
        from httpx2 import Timeout

        loop = asyncio.get_running_loop()
        limits = Timeout(None, connect=CONNECT_SECONDS)
        async with client.messages.with_streaming_response.create(model=self.name, timeout=limits, **body) as response:
            silence.reschedule(loop.time() + idle)
            await answer.receive(response.http_response, lambda: silence.reschedule(loop.time() + idle))

    def _turn(self, body: dict[str, Any]) -> Turn:
        try:
            answer = MessagesResponse.model_validate(repair_message(body))
            calls, content = read_calls(answer.content)
        except ValueError as problem:
            raise malformed("with something that is not a message") from problem
        stop = read_stop(answer.stop_reason, has_calls=bool(calls))
        if stop is None:
            raise malformed(f"and stops for no known reason ({str(answer.stop_reason)[:40]!r})")
        texts = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
        return Turn(
            text="\n".join(texts),
            calls=calls,
            stop=stop,
            usage=answer.usage.to_usage(),
            content=content,
            model=answer.model or "",
        )


def _choices(parameters: ModelParameters, *, plain: bool) -> tuple[ModelParameters, ...]:
    """Return the parameters to try, in order: all, those without strict tools, the size alone, the oldest fields."""
    loose = replace(parameters, strict=False)
    size = replace(loose, effort=None, thinks=False)
    return tuple(dict.fromkeys((parameters, loose, size, *([replace(size, plain=True)] if plain else []))))
