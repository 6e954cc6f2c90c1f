"""Webhooks of forges over a socket: what is not signed leaves a status, what is signed is recorded before its ack."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from bot.adapters.listeners.forge_webhooks import FORGE_PATH, ForgeSignature, ForgeWebhooks, WebhookSecret
from bot.adapters.listeners.signed import SignedRequestServer, SignedRoute
from bot.models.address import ListenAddress
from bot.models.opened_merge_request import OpenedMergeRequest, read_opened_merge_request
from bot.runtime.acks import PendingAcks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.models.received_payload import ReceivedPayload

GITHUB_SECRET, GITLAB_SECRET = "-".join(("hub", "secret", "1")), "-".join(("lab", "secret", "1"))
KEY = b"k" * 32
SIGNING = "whsec_" + base64.b64encode(KEY).decode()
AT = "2026-01-05T09:00:00Z"
GITHUB_BODY: dict[str, Any] = {
    "action": "opened",
    "number": 12,
    "pull_request": {
        "number": 12,
        "html_url": "https://github.com/team/shop/pull/12",
        "title": "Close the\u202e flyout\non blur",
        "user": {"login": "ana"},
        "head": {"ref": "fix-flyout"},
        "base": {"ref": "main"},
        "draft": False,
        "created_at": AT,
    },
    "repository": {"full_name": "team/shop"},
}
GITLAB_BODY: dict[str, Any] = {
    "object_kind": "merge_request",
    "user": {"username": "ana"},
    "project": {"path_with_namespace": "group/team/shop"},
    "object_attributes": {
        "iid": 7,
        "url": "https://gitlab.com/group/team/shop/-/merge_requests/7",
        "title": "Draft: Close the flyout",
        "action": "open",
        "source_branch": "fix-flyout",
        "target_branch": "main",
        "draft": True,
        "created_at": "2026-01-05 09:00:00 UTC",
    },
}


class Payloads:
    """A dispatcher with a memory."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.bodies: list[dict[str, Any]] = []

    def begin(self, body: dict[str, Any]) -> Any:
        """No frames come here."""
        raise AssertionError(body)

    async def record(self, body: dict[str, Any]) -> Any:
        """Record it."""
        self.seen.append("recorded")
        self.bodies.append(body)

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        """Handle it."""
        self.seen.append("handled")
        return {}


class Nobody:
    """The handler of Slack's requests."""

    async def answer(self, *_: object) -> Any:
        """Nothing of Slack comes here."""
        raise AssertionError


class Door:
    """A server, and what it took."""

    def __init__(self, *secrets: WebhookSecret) -> None:
        self.payloads = Payloads()
        route = SignedRoute(ForgeSignature(secrets), ForgeWebhooks(payloads=self.payloads, acks=PendingAcks()))
        self.server = SignedRequestServer(
            secret=GITHUB_SECRET, address=ListenAddress(0), handler=Nobody(), routes={FORGE_PATH: route}
        )

    async def send(self, headers: dict[str, str], body: bytes, **form: str) -> int:
        """Send a request; return the status."""
        url = f"http://127.0.0.1:{self.server.port}{FORGE_PATH}"
        typed = {"Content-Type": form.get("type", "application/json"), **headers}
        async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=typed) as response:
            return response.status


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """One for both forges."""
    door = Door(
        WebhookSecret("github", "another"),
        WebhookSecret("github", GITHUB_SECRET),
        WebhookSecret("gitlab", GITLAB_SECRET),
    )
    await door.server.open()
    yield door
    await door.server.close()


def hub(body: bytes, *, secret: str = GITHUB_SECRET, event: str = "pull_request") -> dict[str, str]:
    """Headers of GitHub."""
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-GitHub-Event": event, "X-GitHub-Delivery": "d1", "X-Hub-Signature-256": f"sha256={signature}"}


def lab(token: str = GITLAB_SECRET) -> dict[str, str]:
    """Headers of GitLab with a secret token."""
    return {"X-Gitlab-Event": "Merge Request Hook", "X-Gitlab-Token": token}


def standard(body: bytes, *, key: bytes = KEY, at: int = 0) -> dict[str, str]:
    """Headers of GitLab with a signing token, sent `at` seconds from now."""
    sent_at = str(int(time.time()) + at)
    digest = hmac.new(key, f"id1.{sent_at}.".encode() + body, hashlib.sha256).digest()
    signed = f"v1,{base64.b64encode(digest).decode()}"
    ids = {"webhook-id": "id1", "webhook-timestamp": sent_at, "webhook-signature": f"v1,AAAA {signed}"}
    return {"X-Gitlab-Event": "Merge Request Hook", **ids}


async def test_an_opened_request_is_recorded_before_its_ack(door: Door) -> None:
    """Of GitHub and GitLab; its texts are one line each."""
    raw = json.dumps(GITHUB_BODY).encode()
    assert await door.send(hub(raw), raw) == 200
    assert await door.send(lab(), json.dumps(GITLAB_BODY).encode()) == 200
    assert door.payloads.seen == ["recorded", "handled"] * 2
    first, second = map(read_opened_merge_request, door.payloads.bodies)
    common = {"author": "ana", "branch": "fix-flyout", "target": "main", "opened_at": AT}
    assert first == OpenedMergeRequest.model_validate(
        {
            **common,
            "forge": "github",
            "project": "team/shop",
            "number": 12,
            "url": "https://github.com/team/shop/pull/12",
            "title": "Close the flyout on blur",
            "is_draft": False,
        }
    )
    assert second == OpenedMergeRequest.model_validate(
        {
            **common,
            "forge": "gitlab",
            "project": "group/team/shop",
            "number": 7,
            "url": "https://gitlab.com/group/team/shop/-/merge_requests/7",
            "title": "Draft: Close the flyout",
            "is_draft": True,
        }
    )


async def test_what_no_forge_signed_leaves_a_status(door: Door) -> None:
    """Wrong, missing, foreign and mixed signatures, a changed body."""
    raw = json.dumps(GITHUB_BODY).encode()
    for headers in (
        {},
        {"X-GitHub-Event": "pull_request"},
        hub(raw, secret=GITHUB_SECRET[:-1]),
        {**hub(raw), "X-Hub-Signature-256": "sha256=\xe9"},
        {"X-GitHub-Event": "pull_request", "X-Hub-Signature-256": ""},
        hub(raw + b" "),
        hub(raw, secret=GITLAB_SECRET),
        {**lab(), "X-GitHub-Event": "pull_request"},
        lab("wrong"),
        lab(""),
        lab(GITHUB_SECRET),
        {"X-Gitlab-Event": "Merge Request Hook"},
        standard(raw),
    ):
        assert await door.send(headers, raw) == 401, headers
    assert door.payloads.seen == []


async def test_a_signing_token_covers_the_time() -> None:
    """So an old request is none; the plain token is not accepted beside it."""
    raw = json.dumps(GITLAB_BODY).encode()
    door = Door(WebhookSecret("gitlab", SIGNING))
    await door.server.open()
    try:
        assert await door.send(standard(raw), raw) == 200
        for headers in (
            standard(raw, at=-301),
            standard(raw, at=301),
            standard(raw, key=b"x"),
            lab(SIGNING),
            {**standard(raw), "webhook-id": "id2"},
            {**standard(raw), "webhook-timestamp": "x"},
        ):
            assert await door.send(headers, raw) == 401
        assert door.payloads.seen == ["recorded", "handled"]
    finally:
        await door.server.close()


async def test_other_signed_requests_are_not_recorded(door: Door) -> None:
    """Other events and actions are acknowledged; another form is refused."""
    for event, body, status in (
        ("ping", b'{"zen": "x"}', 200),
        ("issues", b'{"action": "opened"}', 200),
        ("pull_request", json.dumps({**GITHUB_BODY, "action": "closed"}).encode(), 200),
        ("pull_request", b"{}", 400),
        ("pull_request", b"[" * 90_000, 400),
        ("pull_request", b"payload=%7B", 400),
    ):
        assert await door.send(hub(body, event=event), body) == status
    raw = json.dumps(GITHUB_BODY).encode()
    assert await door.send(hub(raw), raw, type="application/x-www-form-urlencoded") == 415
    changed = {**GITLAB_BODY, "object_attributes": {**GITLAB_BODY["object_attributes"], "action": "update"}}
    assert await door.send(lab(), json.dumps(changed).encode()) == 200
    assert await door.send(lab(), b'"text"') == 400
    assert door.payloads.seen == []


def test_a_secret_is_in_no_text() -> None:
    """Of a log or an error."""
    assert GITHUB_SECRET not in repr(ForgeSignature((WebhookSecret("github", GITHUB_SECRET),)))
