"""What `triage doctor` and a start say of declared commands and projects' checks."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from bot.cli.doctor_programs import check_programs
from bot.cli.program_places import list_lost_programs
from bot.config.settings import Settings
from bot.isolation import Boundary, in_force

LOOK: dict[str, Any] = {"name": "look", "argv": ["ls"]}
WHERE = shutil.which("ls")
NONE = "bubblewrap is not installed"
BY_ALL = "runs after a press by an operator or admin"


@pytest.mark.parametrize(
    ("boundary", "command", "row"),
    [
        (("bwrap",), LOOK, (True, f"{WHERE}, isolated, without a network; {BY_ALL}")),
        (
            ("bwrap",),
            {**LOOK, "role": "admin"},
            (True, f"{WHERE}, isolated, without a network; runs after a press by an admin"),
        ),
        (
            (),
            LOOK,
            (
                None,
                f"{WHERE}, not isolated, with all rights of this user: {NONE}; {BY_ALL}",
            ),
        ),
        (
            ("bwrap",),
            {**LOOK, "argv": ["/nowhere/x"]},
            (False, "commands.0.argv: /nowhere/x cannot be started: there is no such file"),
        ),
        (
            ("bwrap",),
            {**LOOK, "reads": ["/nowhere"]},
            (False, "commands.0.argv: /nowhere, which it may read, does not exist"),
        ),
    ],
)
async def test_each_command_has_a_row(
    monkeypatch: pytest.MonkeyPatch, boundary: tuple[str, ...], command: dict[str, Any], row: tuple[bool | None, str]
) -> None:
    """With its program, and plainly if it is not isolated."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(boundary, problem="" if boundary else NONE))
    settings = Settings.model_validate({"commands": [command]})
    assert [(each.name, each.ok, each.detail) async for each in check_programs(settings)] == [("command look", *row)]


async def test_a_check_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be started is named at the start of the bot, too."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(("bwrap",)))
    shop = {"root": "/srv/shop", "check": {"argv": ["/nowhere/check"]}}
    settings = Settings.model_validate({"projects": {"shop": shop}})
    (row,) = [each async for each in check_programs(settings)]
    assert (row.name, row.ok) == ("check of shop", False)
    assert [*list_lost_programs(settings)] == [
        "projects.shop.check.argv: /nowhere/check, for the check of shop, cannot be started: there is no such file"
    ]
    shop["check"] = {"argv": ["ls"]}
    (row,) = [each async for each in check_programs(Settings.model_validate({"projects": {"shop": shop}}))]
    assert (row.ok, row.detail) == (True, f"{WHERE}, isolated, without a network; runs in workspaces only")
