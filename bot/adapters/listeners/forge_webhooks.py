"""Webhooks of forges: verified reports of opened merge requests, recorded before they are acknowledged.

GitHub's `X-Hub-Signature-256` signs the body with the secret. GitLab signs it with a signing token, which begins with
`whsec_`, together with a time; older servers send a secret token itself, as `X-Gitlab-Token`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.models.opened_merge_request import OpenedMergeRequest
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.merge_request import ForgeKind
    from bot.ports.payload_handlers import PayloadsPort
    from bot.runtime.acks import PendingAcks

FORGE_PATH = "/forge/events"
"""Path for webhooks of all forges."""
SIGNING_PREFIX = "whsec_"
"""Beginning of GitLab's signing tokens; the rest is the key in base64."""
_OLDEST_S = 300
"""Seconds by which the time of a signature may differ."""
_LONGEST = 300


@dataclass(frozen=True)
class WebhookSecret:
    """Secret that a forge proves to know."""

    kind: ForgeKind
    secret: str = field(repr=False)


def is_usable_secret(kind: ForgeKind, secret: str) -> bool:
    """Return whether a secret can be checked: after the beginning of a signing token of GitLab comes base64."""
    if kind != "gitlab" or not secret.startswith(SIGNING_PREFIX):
        return True
    try:
        return bool(base64.b64decode(secret.removeprefix(SIGNING_PREFIX), validate=True))
    except ValueError:
        return False


@dataclass(frozen=True)
class ForgeSignature:
    """Check of a request by the secrets of the settings; it takes the same time for a near miss."""

    secrets: tuple[WebhookSecret, ...]

    def may_be_signed(self, headers: Mapping[str, str]) -> bool:
        """Return whether the headers are those of a forge with a secret."""
        if "X-GitHub-Event" in headers:
            return "X-Hub-Signature-256" in headers
        return "X-Gitlab-Event" in headers and ("X-Gitlab-Token" in headers or "webhook-signature" in headers)

    def matches(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Return whether a forge with one of the secrets has sent the body."""
        kind = "github" if "X-GitHub-Event" in headers else "gitlab"
        return any(_knows(each, headers, body) for each in self.secrets if each.kind == kind)


def _knows(known: WebhookSecret, headers: Mapping[str, str], body: bytes) -> bool:
    if known.kind == "github":
        signed = hmac.new(known.secret.encode(), body, hashlib.sha256).hexdigest()
        return _is_equal(f"sha256={signed}", headers["X-Hub-Signature-256"])
    if not known.secret.startswith(SIGNING_PREFIX):
        return _is_equal(known.secret, headers.get("X-Gitlab-Token", ""))
    sent_at = headers.get("webhook-timestamp", "")
    if not (sent_at.isdecimal() and len(sent_at) <= 12 and abs(time.time() - int(sent_at)) <= _OLDEST_S):
        return False
    key = base64.b64decode(known.secret.removeprefix(SIGNING_PREFIX))
    text = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    signed = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return any(_is_equal(signed, each) for each in headers.get("webhook-signature", "").split(" ")[:5])


def _is_equal(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, kw_only=True)
class ForgeWebhooks:
    """Handler of signed requests of forges."""

    payloads: PayloadsPort
    acks: PendingAcks

    async def answer(self, request: web.BaseRequest, body: str) -> web.Response:
        """Record an opened merge request, and acknowledge it; other events are acknowledged alone."""
        if request.content_type != "application/json":
            return web.Response(status=415, text="expected a webhook with the content type application/json")
        try:
            event = read_event(request.headers, body)
        except (ValueError, ValidationError, RecursionError):
            return web.Response(status=400, text="expected a body that a forge would send")
        if event is None:
            return web.Response(text="nothing to do")
        with self.acks.track():
            received = await self.payloads.record(event.as_payload())
        await self.payloads.handle(received)
        return web.Response(text="taken")


class _Named(BaseModel):
    login: str = ""
    username: str = ""


class _Ref(BaseModel):
    ref: str


class _GitHubRequest(BaseModel):
    number: int
    html_url: str
    title: str
    user: _Named
    head: _Ref
    base: _Ref
    draft: bool = False
    created_at: datetime


class _GitHubRepository(BaseModel):
    full_name: str


class _GitHubEvent(BaseModel):
    action: str
    pull_request: _GitHubRequest
    repository: _GitHubRepository


class _GitLabRequest(BaseModel):
    iid: int
    url: str
    title: str
    action: str = ""
    source_branch: str
    target_branch: str
    draft: bool = False
    created_at: datetime


class _GitLabProject(BaseModel):
    path_with_namespace: str


class _GitLabEvent(BaseModel):
    object_attributes: _GitLabRequest
    project: _GitLabProject
    user: _Named


def read_event(headers: Mapping[str, str], body: str) -> OpenedMergeRequest | None:
    """Return the merge request that an event opens; `None` for other events. Raises `ValueError` for another form."""
    if headers.get("X-GitHub-Event") == "pull_request":
        return _read_github(_GitHubEvent.model_validate_json(body))
    if headers.get("X-Gitlab-Event") == "Merge Request Hook" and "X-GitHub-Event" not in headers:
        content: Any = json.loads(body)
        return _read_gitlab(_GitLabEvent.model_validate(_with_utc(content)))
    return None


def _read_github(event: _GitHubEvent) -> OpenedMergeRequest | None:
    if event.action != "opened":
        return None
    found = event.pull_request
    return OpenedMergeRequest(
        forge="github",
        project=_shorten(event.repository.full_name),
        number=found.number,
        url=clean(found.html_url),
        title=_shorten(found.title),
        author=_shorten(found.user.login),
        branch=_shorten(found.head.ref),
        target=_shorten(found.base.ref),
        is_draft=found.draft,
        opened_at=found.created_at,
    )


def _read_gitlab(event: _GitLabEvent) -> OpenedMergeRequest | None:
    found = event.object_attributes
    if found.action != "open":
        return None
    return OpenedMergeRequest(
        forge="gitlab",
        project=_shorten(event.project.path_with_namespace),
        number=found.iid,
        url=clean(found.url),
        title=_shorten(found.title),
        author=_shorten(event.user.username),
        branch=_shorten(found.source_branch),
        target=_shorten(found.target_branch),
        is_draft=found.draft,
        opened_at=found.created_at,
    )


def _with_utc(content: Any) -> Any:
    """Return GitLab's event with its time as ISO 8601 has it: older servers write `2026-01-05 09:00:00 UTC`."""
    match content:
        case {"object_attributes": {"created_at": str(at)} as attributes, **rest} if at.endswith(" UTC"):
            return {**rest, "object_attributes": {**attributes, "created_at": f"{at.removesuffix(' UTC')}+00:00"}}
    return content


def _shorten(text: str) -> str:
    return " ".join(clean(text).split())[:_LONGEST]
