"""Environment of a process of tier 2 or 3, built from nothing but the variables that it needs.

Slack's tokens are never part of it. A team's own program gets neither the model's key nor the secrets of the settings,
except the variables that its tier names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.config.environment import DATABASE_URL, read_model_key
from bot.config.sections.tiers import Tier2Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.models.handoff import NextTier

_PLACE = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "TRIAGE_HOME")
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_NEVER = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", DATABASE_URL)
_TERMINAL = "xterm-256color"
_KEY = "ANTHROPIC_API_KEY"


@dataclass(frozen=True, kw_only=True)
class EnvironmentBuilder:
    """Builder of the environments of processes. `variables` are those that the bot read at its start."""

    settings: Settings
    variables: Environment

    def build(self, tier: NextTier | None) -> dict[str, str]:
        """Return the variables of a process of this tier, with the model's key as of now; `None` for one that runs no
        team's program of a tier. Raises `Misconfigured` for a file of the key that cannot be read."""
        key = read_model_key(self.variables)
        return build_environment(
            self.settings, self.variables, os.environ, tier, key=key.get_secret_value() if key else None
        )


def build_environment(
    settings: Settings, variables: Environment, environ: Mapping[str, str], tier: NextTier | None, *, key: str | None
) -> dict[str, str]:
    """Return the variables of a process of this tier; `None` for one that runs no team's program of a tier.

    `key` is the model's, as of now.
    """
    section = settings.tiers.get_tier(tier) if tier else Tier2Section()
    names = {*_PLACE, *(name for name in environ if name.startswith("LC_"))}
    if section.command is None:
        network = (*_NETWORK, *map(str.lower, _NETWORK))
        names |= {*network, *_TRUST, *settings.token_variables, *settings.mcp.variables}
    else:
        names |= {*section.env}
    own = {name: environ[name] for name in sorted(names - {*_NEVER}) if name in environ}
    own.setdefault("TERM", _TERMINAL)
    if section.command is None:
        return own | _model_variables(variables, key) | (_database_variables(settings, variables) if tier else {})
    return own | ({_KEY: key} if key and _KEY in section.env else {})  # the bot itself has forgotten it


def list_secret_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables of a built environment that others in its terminal have no use for."""
    harmless = {*_PLACE, *_NETWORK, *map(str.lower, _NETWORK), *_TRUST}
    return tuple(name for name in environment if name not in harmless and not name.startswith("LC_"))


def _database_variables(settings: Settings, variables: Environment) -> dict[str, str]:
    """Return the address of the shared state, from which an investigation has earlier replies."""
    address = variables.database_address
    return {DATABASE_URL: address} if address and settings.storage == "postgresql" else {}


def _model_variables(variables: Environment, key: str | None) -> dict[str, str]:
    """Return the source of the model's key and the address of its server."""
    file, url = variables.anthropic_api_key_file, variables.anthropic_base_url
    found = {
        "ANTHROPIC_API_KEY_FILE": str(file.absolute()) if file else None,
        _KEY: None if file else key,
        "ANTHROPIC_BASE_URL": url,
    }
    return {name: value for name, value in found.items() if value}
