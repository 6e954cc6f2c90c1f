"""Webhooks of forges as the settings have them."""

from __future__ import annotations

import pytest

from bot.config.settings import Settings
from bot.errors import Misconfigured
from bot.wiring.forges import find_webhook_secrets


def test_each_webhook_has_its_secret() -> None:
    """One that is missing forbids the start, by the name of its variable."""
    forges = [
        {"kind": "github", "token_env": "A_TOKEN", "webhook_secret_env": "A_SECRET"},
        {"kind": "gitlab", "token_env": "B_TOKEN"},
    ]
    settings = Settings.model_validate({"forges": forges})
    assert settings.secret_variables == ("A_TOKEN", "A_SECRET", "B_TOKEN")
    (known,) = find_webhook_secrets(settings, {"A_SECRET": "x" * 20})
    assert (known.kind, known.secret) == ("github", "x" * 20)
    for environment in ({}, {"A_SECRET": ""}):
        with pytest.raises(Misconfigured, match="the environment has no A_SECRET"):
            find_webhook_secrets(settings, environment)
