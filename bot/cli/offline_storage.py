"""Shared state for commands beside a bot: the storage of the settings, without a token of Slack."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.config.env_file import load_env_file
from bot.config.environment import DATABASE_URL, read_valid_environment
from bot.config.paths import config_path, named_config
from bot.config.settings import Settings, load
from bot.wiring.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.ports.storage import Storage


def load_offline_settings(option: Path | None) -> Settings:
    """Load the named settings file, else `triage.yml` here; without a file return the defaults.

    Raises `Misconfigured`.
    """
    path = config_path(option)
    return load(path) if path.exists() or named_config(option) else Settings()


@asynccontextmanager
async def open_offline_storage(settings: Settings, home: Path) -> AsyncIterator[Storage]:
    """Open the storage of the settings; the address of a database is also read from `.env` beside them.

    Raises `Misconfigured`.
    """
    if settings.storage != "files" and settings.path:
        load_env_file(None, settings.path)
    environment, _ = read_valid_environment()
    os.environ.pop(DATABASE_URL, None)
    async with open_storage(settings, environment, home) as storage:
        yield storage
