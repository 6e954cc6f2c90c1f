"""What `triage doctor` says of health checks, their channel and runbooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from bot.cli.doctor_health import check_health
from bot.cli.program_places import find_program_fault
from bot.config.environment import Environment
from bot.config.settings import Settings
from tests.adapters.checks.standins import standin_docker
from tests.adapters.checks.web_server import serve, whole

if TYPE_CHECKING:
    from pathlib import Path

DOWN = {"type": "dns", "name": "shop.example", "server": "127.0.0.1:1"}
Row = tuple[str, bool | None, str]


async def rows(services: list[dict[str, Any]], **settings: Any) -> list[Row]:
    """The rows of a report."""
    health = {"services": services, "timeout_s": 0.2}
    chosen = Settings.model_validate({"health": health, **settings})
    return [(each.name, each.ok, each.detail) async for each in check_health(chosen, Environment())]


async def test_without_services_there_is_nothing_to_say() -> None:
    """No row, and no library is loaded."""
    assert await rows([]) == []


async def test_each_service_is_checked_once() -> None:
    """A healthy one with its time; one that is not is a note with its reason first, since the bot is well."""
    async with serve(whole()) as web:
        url = f"http://127.0.0.1:{web.port}/"
        report = await rows(
            [
                {"name": "web", "checks": [{"type": "http", "url": url}]},
                {"name": "shop", "checks": [{"type": "http", "url": url}, DOWN]},
            ]
        )
    assert len(web.requests) == 2
    (name, ok, detail), (other, well, reasons) = report[1:]
    assert (name, ok) == ("service web", True)
    assert detail.startswith("http healthy in ")
    assert (other, well) == ("service shop", None)
    assert reasons.startswith("dns down: ")
    assert "; http healthy in " in reasons


@pytest.mark.parametrize(
    ("mode", "watch", "row"),
    [
        ("live", {"chat_id": "C0HELP"}, ("incidents", True, "posted in C0HELP, without a press")),
        (
            "preview",
            {"chat_id": "C0HELP"},
            ("incidents", None, "posted nowhere, only states are shown: C0HELP is preview, not live"),
        ),
        (
            "live",
            {},
            ("incidents", None, "posted nowhere, only states are shown; `watch.chat_id` names their channel"),
        ),
    ],
)
async def test_the_channel_of_incidents(mode: str, watch: dict[str, str], row: Row) -> None:
    """Whether an incident is seen by anyone is said before one comes."""
    chats = [{"chat_id": "C0HELP", "mode": mode}]
    report = await rows([{"name": "shop", "checks": [DOWN]}], watched_chats=chats, watch=watch)
    assert report[0] == row


async def test_what_checks_need_and_do_not_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs, the driver and the variable of a database are named before a service is said to be down."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "psycopg", None)
    checks = [
        {"type": "container", "name": "box"},
        {"type": "service", "unit": "box.service"},
        {"type": "database", "url_env": "BOX_DB"},
    ]
    report = await rows([{"name": "box", "checks": checks}])
    assert report[-1][:2] == ("service box", False)
    assert report[-1][2].startswith("could not be checked: container: docker is not in the PATH of the bot; could not")
    assert [row for row in report[:-1] if row[1] is False] == [
        ("database checks", False, "the variable BOX_DB is not set, so they cannot be made"),
        (
            "database checks",
            False,
            "PostgreSQL's driver is not installed: pip install 'psycopg[binary]>=3.2'",
        ),
        ("container checks", False, "docker is not in the PATH of the bot"),
        ("service checks", False, "systemctl is not in the PATH of the bot"),
    ]
    environment = standin_docker(tmp_path, {"box": {"Status": "running"}})
    monkeypatch.setenv("PATH", environment["PATH"])
    report = await rows([{"name": "box", "checks": checks[:1]}])
    assert report[-1][:2] == ("service box", True)


async def test_the_program_of_a_runbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that can be started is named with its place, and is not run; another is wrong."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "restart-shop").write_text("#!/bin/sh\ntouch $0.ran\n")
    (tmp_path / "restart-shop").chmod(0o700)
    (tmp_path / "not-a-program").write_text("")
    runbooks = [
        {"name": name, "argv": [name, "shop"], "services": ["shop"]} for name in ("restart-shop", "not-a-program")
    ]
    report = await rows([{"name": "shop", "checks": [DOWN]}], runbooks=runbooks)
    assert report[1:3] == [
        (
            "runbook restart-shop",
            True,
            f"{tmp_path}/restart-shop, for shop; runs only after an operator's press",
        ),
        (
            "runbook not-a-program",
            False,
            f"runbooks.1.argv: not-a-program cannot be started: {tmp_path}/not-a-program is not executable: "
            "`chmod +x` allows it",
        ),
    ]
    assert not (tmp_path / "restart-shop.ran").exists()


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("absent", "expected a program in the PATH of the bot"),
        ("/nowhere/absent", "there is no such file"),
        ("{}/folder", "{}/folder is a folder"),
        ("plain", "{}/plain is not executable: `chmod +x` allows it"),
        ("fine", ""),
    ],
)
def test_the_fault_of_a_program_is_named(tmp_path: Path, program: str, fault: str) -> None:
    """Missing, a folder, or not executable."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    (tmp_path / "fine").write_text("#!/bin/sh")
    (tmp_path / "fine").chmod(0o700)
    assert find_program_fault(program.format(tmp_path), str(tmp_path)) == fault.format(tmp_path)


async def test_a_file_of_certificates_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable, since no https check can be made."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent")
    report = await rows([{"name": "web", "checks": [{"type": "http", "url": "https://127.0.0.1:1/"}]}])
    reason = "the variable SSL_CERT_FILE names a file that cannot be used (no such file or directory): /nonexistent"
    assert report[1:] == [
        ("https checks", False, f"{reason}; they cannot be made"),
        ("service web", False, f"could not be checked: http: {reason}"),
    ]
