"""Settings of forges: what is read, and what is refused, with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.config.sections.forges import ForgeSection
from bot.config.settings import load
from bot.errors import Misconfigured


@pytest.mark.parametrize(
    ("given", "place", "api_url"),
    [
        ({"kind": "github"}, "github.com", "https://api.github.com"),
        ({"kind": "gitlab"}, "gitlab.com", "https://gitlab.com/api/v4"),
        (
            {"kind": "github", "host": "Git.example.com:8443"},
            "git.example.com:8443",
            "https://git.example.com:8443/api/v3",
        ),
        ({"kind": "gitlab", "host": "git.example.com"}, "git.example.com", "https://git.example.com/api/v4"),
        ({"kind": "gitlab", "api_url": "https://x.example/api/v4/"}, "gitlab.com", "https://x.example/api/v4"),
        (
            {"kind": "gitlab", "folder": "/srv/git", "api_url": "http://127.0.0.1:8/v4"},
            "/srv/git",
            "http://127.0.0.1:8/v4",
        ),
    ],
)
def test_a_forge_has_a_host_and_an_api(given: dict[str, Any], place: str, api_url: str) -> None:
    """Those of the public one, unless they are given."""
    section = ForgeSection.model_validate({"token_env": "T", **given})
    site = section.as_site()
    assert (section.place, site.api_url, site.token_env) == (place, api_url, "T")
    assert str(site.folder or site.host) == place


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"kind": "bitbucket"}, "'github' or 'gitlab'"),
        ({"host": "https://github.com"}, "String should match"),
        ({"host": "127.0.0.1"}, "expected a host on the network"),
        ({"api_url": "http://git.example.com/api"}, "expected an https address, or http on this machine"),
        ({"api_url": "https://me:word@git.example.com"}, "no user, password"),
        ({"folder": "/srv/git"}, "expected with folder an api_url, and no host"),
        ({"folder": "git", "api_url": "https://git.example.com"}, "expected the whole path of a folder"),
    ],
)
def test_a_forge_that_cannot_work_is_refused(given: dict[str, Any], complaint: str) -> None:
    """The complaint says what is expected."""
    with pytest.raises(ValidationError, match=complaint):
        ForgeSection.model_validate({"kind": "github", "token_env": "T", **given})


def test_a_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    """And a token is never in the settings; a host has one entry; tokens are secrets."""
    path = tmp_path / "triage.yml"
    path.write_text("forges:\n  - {kind: github, token_env: A_TOKEN}\n")
    assert load(path).secret_variables == ("A_TOKEN",)
    path.write_text("forges:\n  - {kind: github, token: x}\n")
    with pytest.raises(Misconfigured, match=r":2: forges\.0\.token: expected a known key, perhaps token_env"):
        load(path)
    path.write_text("forges:\n" + "  - {kind: github, token_env: T}\n" * 2)
    with pytest.raises(Misconfigured, match=r":1: forges: expected each host once, found github\.com twice"):
        load(path)
