"""Settings of hooks: the addresses that their steps may fetch."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from bot.config.sections.base import Section
from bot.config.sections.secret_free import SecretFree

UrlName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]


def _is_plain(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"expected an address such as https://status.example.com/summary, got {parts.scheme}:…")
    if parts.username is not None or parts.password is not None:
        raise ValueError("expected an address without user and password: secrets never stand in the settings")
    return url


class HooksSection(Section):
    """Settings of hooks."""

    urls: Annotated[dict[UrlName, Annotated[SecretFree, AfterValidator(_is_plain)]], Field(max_length=50)] = Field(
        default_factory=dict
    )
    """Addresses that hooks may fetch, by name; no other is fetched."""
