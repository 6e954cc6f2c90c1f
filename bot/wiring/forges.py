"""Forges of the settings, with their tokens in the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.adapters.forge import Forges
from bot.adapters.listeners import WebhookSecret
from bot.adapters.listeners.forge_webhooks import is_usable_secret
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.settings import Settings
    from bot.models.merge_request import ForgeKind


def build_forges(settings: Settings) -> Forges:
    """Build the forges."""
    return Forges(sites=tuple(forge.as_site() for forge in settings.forges), variables=os.environ)


def find_webhook_secrets(settings: Settings, environment: Mapping[str, str]) -> tuple[WebhookSecret, ...]:
    """Return the secrets of the forges' webhooks. Raises `Misconfigured` if one is missing or malformed."""
    named = [(forge.kind, forge.webhook_secret_env) for forge in settings.forges if forge.webhook_secret_env]
    if missing := [variable for _, variable in named if not environment.get(variable)]:
        raise Misconfigured(f"forges: the environment has no {missing[0]}, the secret of a webhook")
    for kind, variable in named:
        if fault := find_secret_fault(kind, variable, environment[variable]):
            raise Misconfigured(f"forges: {fault}")
    return tuple(WebhookSecret(kind, environment[variable]) for kind, variable in named)


def find_secret_fault(kind: ForgeKind, variable: str, secret: str) -> str:
    """Return the reason why the secret of a webhook in a variable cannot be used; empty if it can."""
    if is_usable_secret(kind, secret):
        return ""
    return f"{variable} begins like a signing token of GitLab, and no whole base64 follows; copy it again"


def find_webhook_fault(settings: Settings, *, is_http: bool) -> str:
    """Return the reason why no forge reports to Triage; empty if one does."""
    if not is_http:
        return "a forge reports pull requests over HTTP only, and this Triage runs over Socket Mode (docs/hooks.md)"
    if not any(forge.webhook_secret_env for forge in settings.forges):
        return "no forge of the settings has a webhook_secret_env, without which none is believed (docs/hooks.md)"
    return ""
