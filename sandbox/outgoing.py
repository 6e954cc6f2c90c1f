"""HTTP mode: events, interactions and slash commands POSTed to the app's URL, signed as Slack signs them.

The URL must be on this machine. It must answer a challenge before its first event.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlencode

import aiohttp
from yarl import URL

from sandbox import seed
from sandbox.delivery import Envelope, Kind, Unacknowledged
from sandbox.door import LOOPBACK
from sandbox.models import Json
from sandbox.timing import Time

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


class Undelivered(Exception):
    """Failed attempt, with Slack's reason; `final` if the app asked for no retry."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final


class HttpMode:
    """Delivery to the app's request URL. Retries use the workspace's clock, signatures the real time."""

    def __init__(
        self,
        *,
        url: str,
        secret: str,
        time: Time,
        ack_timeout: float,
        retry_after: Sequence[float],
        on_settled: Callable[[Envelope], None],
        changed: Callable[[], None],
    ) -> None:
        if not is_loopback(url):
            raise ValueError(f"{url}: events are only sent to an address on this machine, as http://127.0.0.1:3000/")
        if not secret:
            raise ValueError("HTTP mode needs a signing secret")
        self._url = url
        self._secret = secret.encode()
        self._time = time
        self._ack_timeout = ack_timeout
        self._retry_after = retry_after
        self._settled = on_settled
        self._changed = changed
        self._verified = False
        self.app_active = False
        """True while the app's URL accepts requests."""
        self._http: aiohttp.ClientSession | None = None
        self._running: set[asyncio.Task[None]] = set()

    def publish(self, envelope: Envelope) -> None:
        """Send an event; it stays until it is acknowledged or given up."""
        task = asyncio.create_task(self._deliver(envelope))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def ask(self, kind: Kind, payload: Json) -> Json:
        """Send a person's action; return the app's answer, {} if it is empty. Raises Unacknowledged."""
        fields = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
        try:
            return _parse_answer(await self._post(urlencode(fields), _FORM))
        except Undelivered:
            raise Unacknowledged from None

    async def close(self) -> None:
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._http is not None:
            await self._http.close()

    async def _deliver(self, envelope: Envelope) -> None:
        while True:
            try:
                await self._verify()
                await self._post(json.dumps(envelope.payload), _JSON, _retry_headers(envelope))
                break
            except Undelivered as failed:
                if failed.final or envelope.attempt == len(self._retry_after):
                    break
                delay = self._retry_after[envelope.attempt]
                envelope.attempt += 1
                envelope.reason = failed.reason
                await self._time.pause(delay)
        self._settled(envelope)

    async def _verify(self) -> None:
        """Verify the URL by Slack's challenge; without a correct answer it gets no events."""
        if self._verified:
            return
        challenge = secrets.token_urlsafe(24)
        body = {"token": seed.VERIFICATION_TOKEN, "challenge": challenge, "type": "url_verification"}
        answer = await self._post(json.dumps(body), _JSON)
        if _challenge(answer) != challenge:
            raise Undelivered("http_error")
        self._verified = True

    async def _post(self, body: str, kind: str, headers: Mapping[str, str] | None = None) -> str:
        """Make one attempt; return the answer's body. Raises Undelivered, also on a timeout."""
        sending = asyncio.create_task(self._send(body.encode(), kind, headers or {}))
        try:
            if not await self._time.limited(sending, self._ack_timeout):
                raise Undelivered("http_timeout")
            text = sending.result()
        except (aiohttp.ClientError, UnicodeDecodeError) as error:
            self._set_active(active=False)
            raise Undelivered(_reason(error)) from None
        except Undelivered:
            self._set_active(active=False)
            raise
        finally:
            sending.cancel()
        self._set_active(active=True)
        return text

    def _set_active(self, *, active: bool) -> None:
        if active != self.app_active:
            self.app_active = active
            self._changed()

    async def _send(self, body: bytes, kind: str, headers: Mapping[str, str]) -> str:
        if self._http is None:
            self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        signed = {"Content-Type": kind, **self._signature(body), **headers}
        # Redirects are not followed, since they could lead away from this machine.
        async with self._http.post(self._url, data=body, headers=signed, allow_redirects=False) as answer:
            text = await answer.text()
            if 200 <= answer.status < 300:
                return text
            reason = "too_many_redirects" if 300 <= answer.status < 400 else "http_error"
            raise Undelivered(reason, final=answer.headers.get("X-Slack-No-Retry") == "1")

    def _signature(self, body: bytes) -> dict[str, str]:
        now = str(int(self._time.source()))
        digest = hmac.new(self._secret, b"v0:" + now.encode() + b":" + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": f"v0={digest}"}


def is_loopback(url: str) -> bool:
    """Return whether a URL is on this machine."""
    try:
        parsed = URL(url)
    except ValueError:
        return False
    return parsed.scheme == "http" and parsed.host in LOOPBACK


def _retry_headers(envelope: Envelope) -> dict[str, str]:
    if envelope.attempt == 0:
        return {}
    return {"X-Slack-Retry-Num": str(envelope.attempt), "X-Slack-Retry-Reason": envelope.reason}


def _reason(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectionError):
        return "connection_failed"
    return "unknown_error"


def _parse_answer(answer: str) -> Json:
    """Parse the answer to a person's action: a JSON object, plain text for a message, or nothing."""
    with suppress(ValueError):
        content: Any = json.loads(answer)
        if isinstance(content, dict):
            return content
    return {"text": answer} if answer.strip() else {}


def _challenge(answer: str) -> str:
    """Parse the challenge from plain text, a form or JSON."""
    with suppress(ValueError):
        content: Any = json.loads(answer)
        if isinstance(content, dict):
            return str(content.get("challenge", ""))
    return parse_qs(answer).get("challenge", [answer.strip()])[0]
