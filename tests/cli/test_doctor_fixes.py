"""What `triage doctor` says of fixes: the first thing that a project lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import isolation
from bot.cli.doctor_fixes import check_fixes
from bot.config.settings import load
from bot.isolation import Boundary, in_force

FORGE = {"kind": "gitlab", "token_env": "FORGE_TOKEN", "host": "git.example.com"}
SHOP = {"check": {"argv": ["true"]}, "repository": "https://git.example.com/team/shop.git"}


@pytest.mark.parametrize(
    ("change", "ok", "words"),
    [
        ({}, True, "an operator may press Propose a Fix"),
        ({"engine": "keyword"}, None, "no `engine: claude`"),
        ({"security": {"isolation": "auto"}}, None, "not isolated here: bwrap is missing"),
        ({"forges": []}, None, "No forge of the settings serves https://git.example.com/team/shop.git"),
        ({"forges": [FORGE | {"token_env": "OTHER"}]}, None, "no OTHER, the token of the forge git.example.com"),
        ({"projects": {"shop": SHOP | {"check": {"argv": ["nothing-there"]}}}}, None, "Its check cannot be started"),
        ({"projects": {"shop": {"repository": SHOP["repository"]}}}, None, "`projects.shop.check` declares it"),
        ({"projects": {"shop": {"check": SHOP["check"], "root": "."}}}, None, "not fetched from a repository"),
    ],
)
async def test_a_project_has_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], ok: bool | None, words: str
) -> None:
    """One without a check has none where no model is configured."""
    monkeypatch.setenv("FORGE_TOKEN", "t")
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="bwrap is missing"))
    assert isolation.boundary().problem
    content = {"engine": "claude", "security": {"isolation": "off"}, "forges": [FORGE], "projects": {"shop": SHOP}}
    path = tmp_path / "code" / "triage.yml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content | change))
    settings = load(path, tmp_path / "home")
    (row,) = [row async for row in check_fixes(settings)]
    assert (row.name, row.ok, words in row.detail) == ("fixes of shop", ok, True), row.detail
    path.write_text(yaml.safe_dump(content | {"engine": "keyword", "projects": {"shop": {"root": "."}}}))
    assert [row async for row in check_fixes(load(path, tmp_path / "home"))] == []
