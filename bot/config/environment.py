"""Secrets and addresses from the environment. It holds no settings, and no value is ever printed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlunsplit

from pydantic import SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.decide.redaction.loaded_secrets import find_passwords
from bot.errors import Misconfigured
from bot.models.address import safe

PREFIXES = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}
"""Beginnings of Slack's tokens, by variable."""
DATABASE_URL = "TRIAGE_DATABASE_URL"
_NAMED = "ANTHROPIC_API_KEY="
_ASSIGNED = re.compile(r"[A-Z_]+=.")


class Environment(BaseSettings):
    """Variables of the environment, mostly secrets. Printing one shows asterisks."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    anthropic_api_key: SecretStr | None = None
    anthropic_api_key_file: Path | None = None
    """File that holds that key, instead of the variable; a replaced file is used without a restart."""
    anthropic_base_url: str | None = None
    """Address of the model's server, unless `model.base_url` in the settings names one."""
    triage_database_url: SecretStr | None = None
    """Address of the database, with its password, for `storage: postgresql`."""
    slack_api_url: str | None = None
    """Address of another Slack API, such as the local workspace."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no log, prompt, card or post may show."""
        tokens = (self.slack_bot_token, self.slack_app_token, self.slack_signing_secret, self.anthropic_api_key)
        values = [secret.get_secret_value() for secret in (*tokens, self.triage_database_url) if secret]
        return (*values, *(find_passwords(self.database_address) if self.database_address else ()))

    @property
    def database_address(self) -> str | None:
        """Address of the database; a secret."""
        return self.triage_database_url.get_secret_value() if self.triage_database_url else None

    @field_validator("slack_bot_token", "slack_app_token")
    @classmethod
    def _has_its_prefix(cls, token: SecretStr | None, info: Any) -> SecretStr | None:
        prefix = PREFIXES[str(info.field_name).upper()]
        if token is not None and not token.get_secret_value().startswith(prefix):
            raise ValueError(f"expected a token that starts with {prefix}")
        return token

    @field_validator("slack_api_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = safe(url, example="http://127.0.0.1:8833/api/")
        path = parts.path.rstrip("/") or "/api"
        return urlunsplit((parts.scheme, parts.netloc, f"{path}/", "", ""))

    @field_validator("anthropic_base_url")
    @classmethod
    def _is_safe(cls, url: str | None) -> str | None:
        if url is not None:
            safe(url, example="http://127.0.0.1:11434")
        return url


def read_environment() -> Environment:
    """Read the environment. Raises `Misconfigured`, which never repeats a value."""
    variables, problems = read_valid_environment()
    if problems:
        raise Misconfigured(problems[0])
    return variables


def read_valid_environment() -> tuple[Environment, tuple[str, ...]]:
    """Read the valid variables of the environment; return them with the problems of the rest, which repeat no value."""
    problems: list[str] = []
    left_out: dict[str, Any] = {}
    try:
        variables = Environment()
    except ValidationError as error:
        for each in error.errors():
            name = str(each["loc"][0]).lower()
            left_out[name] = None
            problems.append(f"{name.upper()}: {each['msg'].removeprefix('Value error, ')}")
        variables = Environment(**left_out)
    try:
        if variables.anthropic_api_key_file is not None:
            variables = Environment(**left_out | {"anthropic_api_key": read_model_key(variables)})
    except Misconfigured as problem:
        problems.append(str(problem))
    return variables, tuple(problems)


def read_model_key(variables: Environment) -> SecretStr | None:
    """Return the model's current key: from the file, else the variable, else the value read at the start.

    The file holds the key alone, or a line `ANTHROPIC_API_KEY=…` among others. Raises `Misconfigured` for a file
    without one.
    """
    path = variables.anthropic_api_key_file
    if path is None:
        now = os.environ.get("ANTHROPIC_API_KEY")  # removed in a running bot: `forget_secrets`
        return SecretStr(now) if now else variables.anthropic_api_key
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"ANTHROPIC_API_KEY_FILE: {path} cannot be read ({type(problem).__name__})") from None
    lines = [line.removeprefix("export ") for line in lines if line and not line.startswith("#")]
    keys = [line.removeprefix(_NAMED) for line in lines if line.startswith(_NAMED)]
    if not keys and len(lines) == 1 and not _ASSIGNED.match(lines[0]):
        keys = lines
    key = keys[-1].strip("\"' ") if keys else ""
    if not key:
        raise Misconfigured(f"ANTHROPIC_API_KEY_FILE: {path} holds no key; expected it alone, or {_NAMED}…")
    return SecretStr(key)


def forget_secrets() -> None:
    """Remove the secrets from this process's environment, so that no child process and no library finds them there."""
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY", DATABASE_URL):
        os.environ.pop(name, None)
