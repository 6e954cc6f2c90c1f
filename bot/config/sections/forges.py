"""Settings of forges: where merge requests are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from bot.config.sections.base import HostName, Section, VariableName
from bot.models.address import safe
from bot.models.merge_request import ForgeKind, ForgeSite

_PUBLIC_HOSTS = {"github": "github.com", "gitlab": "gitlab.com"}


def _check_api_url(url: str) -> str:
    if url:
        safe(url, example="https://git.example.com/api/v4")
    return url.rstrip("/")


class ForgeSection(Section):
    """Forge, by the remotes that it serves."""

    kind: ForgeKind
    """Kind of its API."""
    host: HostName | None = None
    """Host of the repositories' addresses, with its port if that is not 443; by default github.com or gitlab.com."""
    folder: Path | None = None
    """Instead of a host: a folder of this machine whose bare repositories it serves, as `team/shop.git` in it."""
    token_env: VariableName
    """Variable of the environment that holds the token of its API; that of a repository is another setting."""
    api_url: Annotated[str, AfterValidator(_check_api_url)] = ""
    """Address of its API; by default that of its host."""
    webhook_secret_env: VariableName | None = None
    """Variable of the environment that holds the secret of its webhook, for hooks and HTTP mode."""

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        if self.folder is not None:
            if self.host or not self.api_url:
                raise ValueError("expected with folder an api_url, and no host")
            if not self.folder.expanduser().is_absolute():
                raise ValueError(
                    f"expected the whole path of a folder, such as /srv/git, got the relative {self.folder}"
                )
        return self

    @property
    def place(self) -> str:
        """Return the host or the folder."""
        return str(self.folder.expanduser()) if self.folder else self.host or _PUBLIC_HOSTS[self.kind]

    def as_site(self) -> ForgeSite:
        """Return the forge as a plain value."""
        place = {"folder": Path(self.place)} if self.folder else {"host": self.place}
        return ForgeSite.model_validate(
            {"kind": self.kind, "token_env": self.token_env, "api_url": self.api_url or self._find_api(), **place}
        )

    def _find_api(self) -> str:
        if self.kind == "gitlab":
            return f"https://{self.place}/api/v4"
        return "https://api.github.com" if self.place == "github.com" else f"https://{self.place}/api/v3"
