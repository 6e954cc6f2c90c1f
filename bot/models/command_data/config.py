"""Data of `config`."""

from __future__ import annotations

from typing import Any

from bot.models.fact import Fact


class ConfigData(Fact):
    """Settings as they were read at the start."""

    settings: dict[str, Any]
    """The keys of `triage.yml` with their values and defaults; of a section only its own."""
    changes: tuple[str, ...]
    """Settings that commands have changed since, each as a sentence."""
