"""Forges of the settings, with their tokens in the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.adapters.forge import Forges

if TYPE_CHECKING:
    from bot.config.settings import Settings


def build_forges(settings: Settings) -> Forges:
    """Build the forges."""
    return Forges(sites=tuple(forge.as_site() for forge in settings.forges), variables=os.environ)
