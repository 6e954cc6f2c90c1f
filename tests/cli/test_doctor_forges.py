"""What `triage doctor` says of forges: the token works, and may write."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from bot.adapters.listeners.forge_webhooks import SIGNING_PREFIX
from bot.cli.doctor_forges import check_forges
from bot.config.settings import Settings, load
from tests.forge_server import TOKEN, VARIABLE, ForgeServer

if TYPE_CHECKING:
    import pytest


async def rows(settings: Settings) -> list[tuple[bool | None, str]]:
    """The rows."""
    return [(check.ok, check.detail) async for check in check_forges(settings)]


async def test_each_repository_of_a_forge_has_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened; a token that fails is one row."""
    async with ForgeServer(folder=tmp_path) as server:
        api_url = server.site("gitlab").api_url
        forge = {"kind": "gitlab", "token_env": VARIABLE, "folder": str(tmp_path), "api_url": api_url}
        projects = {name: {"repository": f"file://{tmp_path}/team/{name}.git"} for name in ("shop", "web")}

        def read(**changes: Any) -> Settings:
            path = tmp_path / "triage.yml"
            path.write_text(yaml.safe_dump({"forges": [forge], "projects": projects, **changes}))
            return load(path, tmp_path / "home")

        monkeypatch.setenv(VARIABLE, TOKEN)
        good = f"the token in FORGE_TOKEN can open drafts in file://{tmp_path}/team"
        assert await rows(read()) == [(True, f"{good}/shop.git"), (True, f"{good}/web.git")]
        server.may_write = False
        assert [ok for ok, _ in await rows(read())] == [False, False]
        monkeypatch.setenv(VARIABLE, "wrong")
        ((ok, detail),) = await rows(read())
        assert (ok, "does not accept the token in FORGE_TOKEN" in detail) == (False, True)
        monkeypatch.setenv(VARIABLE, TOKEN)
        ((ok, detail),) = await rows(read(projects={}))
        assert (ok, "its token is not tried" in detail) == (None, True)
        forge |= {"webhook_secret_env": "A_SECRET"}
        ((ok, detail), _) = await rows(read(projects={}))
        assert (ok, "the environment has no A_SECRET" in detail) == (False, True)
        monkeypatch.setenv("A_SECRET", SIGNING_PREFIX + "abcde")
        ((ok, detail), _) = await rows(read(projects={}))
        assert (ok, detail.startswith("A_SECRET begins like a signing token"), "copy it again" in detail) == (
            False,
            True,
            True,
        )
        monkeypatch.setenv("A_SECRET", SIGNING_PREFIX + base64.b64encode(b"any key").decode())
        assert [ok for ok, _ in await rows(read(projects={}))] == [None]
        assert server.requests == []
