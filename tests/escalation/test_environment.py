"""The environment of a process: nothing but what it needs, and never a token of Slack."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.escalation.environment import build_environment, list_secret_names

Load = Callable[..., Settings]
ENVIRON = {
    "PATH": "/usr/bin",
    "HOME": "/home/ops",
    "LC_TIME": "de_DE.UTF-8",
    "https_proxy": "http://proxy:3128",
    "SSL_CERT_FILE": "/etc/own.pem",
    "TRIAGE_HOME": "/srv/triage",
    "SLACK_BOT_TOKEN": "xoxb-" + "1" * 20,
    "SHOP_TOKEN": "t" * 20,
    "WIKI_TOKEN": "w" * 20,
    "AGENT_TOKEN": "a" * 20,
    "AWS_SECRET_ACCESS_KEY": "s" * 20,
}
PLACE = {"PATH": "/usr/bin", "HOME": "/home/ops", "LC_TIME": "de_DE.UTF-8", "TRIAGE_HOME": "/srv/triage"}
KEY = "sk-" + "k" * 20


@pytest.fixture
def load_with(tmp_path: Path) -> Callable[..., Settings]:
    """Load settings with a repository's token, a tool server's, and these sections."""

    def build(**changes: Any) -> Settings:
        shop = {"repository": "https://git.example/shop.git", "token_env": "SHOP_TOKEN"}
        wiki = {"command": ["wiki"], "env": ["WIKI_TOKEN", "SLACK_BOT_TOKEN"], "tools": {"search": "read_only"}}
        content = {"projects": {"shop": shop}, "mcp": {"servers": {"wiki": wiki}}, "operators": ["U0OPS"], **changes}
        path = tmp_path / "triage.yml"
        path.write_text(json.dumps(content))
        return load(path, tmp_path / "home")

    return build


def test_the_investigator_gets_its_key_the_network_and_what_the_settings_name(load_with: Load) -> None:
    """Other secrets of the bot's environment stay out, and Slack's even where they are named."""
    built = build_environment(load_with(), Environment(), ENVIRON, 2, key=KEY)
    network = {"https_proxy": "http://proxy:3128", "SSL_CERT_FILE": "/etc/own.pem"}
    secrets = {"SHOP_TOKEN": "t" * 20, "WIKI_TOKEN": "w" * 20, "ANTHROPIC_API_KEY": KEY}
    assert built == PLACE | network | secrets | {"TERM": "xterm-256color"}
    assert set(list_secret_names(built)) == set(secrets)


def test_a_key_in_a_file_is_passed_as_the_file(load_with: Load) -> None:
    """The process reads it itself, also after it was replaced."""
    variables = Environment(anthropic_api_key_file=Path("/run/key"), anthropic_base_url="http://127.0.0.1:11434")
    built = build_environment(load_with(), variables, {}, 3, key=KEY)
    expected = {"ANTHROPIC_API_KEY_FILE": "/run/key", "ANTHROPIC_BASE_URL": "http://127.0.0.1:11434"}
    assert built == expected | {"TERM": "xterm-256color"}


@pytest.mark.parametrize("tier", [2, 3])
def test_a_program_of_the_team_gets_the_variables_of_its_tier_alone(tier: Any, load_with: Load) -> None:
    """Neither the model's key nor the settings' secrets nor Slack's tokens reach it."""
    command = {"command": ["/usr/bin/env"], "env": ["AGENT_TOKEN"]}
    built = build_environment(load_with(tiers={str(tier): command}), Environment(), ENVIRON, tier, key=KEY)
    assert built == PLACE | {"AGENT_TOKEN": "a" * 20, "TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("storage", "tier", "command", "is_passed"),
    [
        ("postgresql", 2, None, True),
        ("files", 2, None, False),
        ("postgresql", None, None, False),
        ("postgresql", 2, ["/usr/bin/env"], False),
    ],
)
def test_only_an_investigator_gets_the_address_of_the_shared_state(
    storage: str, tier: Any, command: list[str] | None, is_passed: bool, load_with: Load
) -> None:
    """It searches earlier replies; a fix and a program of the team have no use for it."""
    address = f"postgresql://triage:{'p' * 12}@db/triage"
    section = {"command": command, "env": ["TRIAGE_DATABASE_URL"]} if command else {}
    settings = load_with(storage=storage, tiers={"2": section})
    variables = Environment(triage_database_url=address)
    built = build_environment(settings, variables, {"TRIAGE_DATABASE_URL": address}, tier, key=None)
    assert ("TRIAGE_DATABASE_URL" in built) == is_passed
    assert {address, "p" * 12} <= {*variables.secrets}
