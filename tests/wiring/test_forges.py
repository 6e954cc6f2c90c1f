"""Webhooks of forges as the settings have them."""

from __future__ import annotations

import pytest

from bot.adapters.listeners.forge_webhooks import SIGNING_PREFIX
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


@pytest.mark.parametrize(
    ("kind", "rest", "is_usable"),
    [
        pytest.param("gitlab", "c2VjcmV0LWtleQ==", True, id="whole"),
        pytest.param("gitlab", "abcde", False, id="cut off"),
        pytest.param("gitlab", "c2VjcmV0LWtleQ== ", False, id="a blank behind it"),
        pytest.param("gitlab", "", False, id="nothing"),
        pytest.param("github", "abcde", True, id="GitHub takes any words"),
    ],
)
def test_a_signing_token_that_cannot_be_read_forbids_the_start(kind: str, rest: str, is_usable: bool) -> None:
    """It would break each request, also for the other secrets."""
    forge = {"kind": kind, "token_env": "A_TOKEN", "webhook_secret_env": "A_SECRET"}
    settings = Settings.model_validate({"forges": [forge]})
    environment = {"A_SECRET": f"{SIGNING_PREFIX}{rest}"}
    if is_usable:
        assert len(find_webhook_secrets(settings, environment)) == 1
        return
    with pytest.raises(Misconfigured, match="A_SECRET begins like a signing token"):
        find_webhook_secrets(settings, environment)
