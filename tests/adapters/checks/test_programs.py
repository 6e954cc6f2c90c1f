"""Checks of containers and units, with stand-ins for docker and systemctl."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bot.adapters.checks import Checks
from bot.adapters.checks.containers import ARGUMENTS, PROGRAM, parse_containers
from bot.adapters.checks.programs import ProgramProbe
from bot.models.check_target import ContainerTarget, UnitTarget
from tests.adapters.checks.crew import find_fault, make_check, open_checks
from tests.adapters.checks.standins import standin_docker, standin_script, standin_systemctl, standin_that_hangs
from tests.fakes import settle
from tests.health.bench import is_gone

RUNNING = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "Result": "success"}


def calls_of(folder: Path) -> list[tuple[str, list[str], dict[str, str]]]:
    """The calls of all stand-ins."""
    return [tuple(json.loads(line)) for line in (folder / "calls").read_text().splitlines()]


@pytest.mark.parametrize(
    ("state", "status", "error"),
    [
        ({"Status": "running"}, "healthy", ""),
        ({"Status": "running", "Health": {"Status": "healthy", "Log": []}}, "healthy", ""),
        (
            {"Status": "running", "Health": {"Status": "starting", "Log": []}},
            "degraded",
            "the container's own health check has not succeeded yet",
        ),
        (
            {"Status": "running", "Health": {"Status": "unhealthy", "Log": []}},
            "down",
            "the container's own health check fails",
        ),
        (
            {"Status": "exited", "ExitCode": 137, "OOMKilled": True},
            "down",
            "the container is exited with exit code 137, out of memory",
        ),
        ({"Status": "restarting"}, "down", "the container is restarting"),
        ({"Status": "paused"}, "down", "the container is paused"),
    ],
)
async def test_the_state_of_a_container(tmp_path: Path, state: dict[str, object], status: str, error: str) -> None:
    """A container that runs is healthy, unless its own health check says otherwise."""
    environment = standin_docker(tmp_path, {"shop-1": state, "shop": {"Status": "dead"}})
    result = await make_check(ContainerTarget(name="shop-1"), environment=environment)
    assert (result.check_type, result.status, result.error) == ("container", status, error)


@pytest.mark.parametrize(
    ("state", "status", "error"),
    [
        (RUNNING, "healthy", ""),
        (RUNNING | {"SubState": "exited"}, "healthy", ""),
        (RUNNING | {"ActiveState": "reloading", "SubState": "reload"}, "healthy", ""),
        (
            RUNNING | {"ActiveState": "activating", "SubState": "start-pre"},
            "degraded",
            "the unit is activating (start-pre)",
        ),
        (
            RUNNING | {"ActiveState": "activating", "SubState": "auto-restart", "Result": "exit-code"},
            "down",
            "the unit is activating (auto-restart), last result: exit-code",
        ),
        (
            RUNNING | {"ActiveState": "activating", "SubState": "auto-restart"},
            "down",
            "the unit is activating (auto-restart)",
        ),
        (
            RUNNING | {"ActiveState": "failed", "SubState": "failed", "Result": "oom-kill"},
            "down",
            "the unit is failed, last result: oom-kill",
        ),
        (RUNNING | {"ActiveState": "inactive", "SubState": "dead"}, "down", "the unit is inactive (dead)"),
        ({"LoadState": "masked", "ActiveState": "inactive", "SubState": "dead"}, "down", "the unit is masked"),
    ],
)
async def test_the_state_of_a_unit(tmp_path: Path, state: dict[str, str], status: str, error: str) -> None:
    """An active unit is healthy; the last result of another is named."""
    environment = standin_systemctl(tmp_path, {"shop.service": state})
    result = await make_check(UnitTarget(unit="shop.service"), environment=environment)
    assert (result.check_type, result.status, result.error) == ("service", status, error)


async def test_many_that_are_due_together_share_one_process(tmp_path: Path) -> None:
    """One process per program, which gets no secret of the bot; a missing name does not hide the others."""
    names = [f"box-{number}" for number in range(60)]
    environment = standin_docker(tmp_path, {name: {"Status": "running"} for name in names[1:]})
    standin_systemctl(tmp_path, {f"{name}.service": RUNNING for name in names[1:]})
    targets = [ContainerTarget(name=name) for name in names] + [UnitTarget(unit=f"{name}.service") for name in names]
    async with open_checks(*targets, environment=environment) as checks:
        results = await checks.check("shop")
    errors = [result.error for result in results if result.status != "healthy"]
    assert errors == ["there is no container box-0", "there is no unit box-0.service"]
    calls = calls_of(tmp_path)
    assert sorted(program for program, _, _ in calls) == ["docker", "systemctl"]
    assert not any("SLACK_BOT_TOKEN" in variables for _, _, variables in calls)


async def test_one_that_gives_up_leaves_the_answer_to_the_others(tmp_path: Path) -> None:
    """Two services may name one container; a command line has an end, so more than 500 names take two processes."""
    names = [f"box-{number}" for number in range(501)]
    environment = standin_docker(tmp_path, {name: {"Status": "running"} for name in names})
    probe = ProgramProbe(PROGRAM, ARGUMENTS, parse_containers, environment=environment, timeout_s=5)
    first, *others = [asyncio.ensure_future(probe.probe(name)) for name in (names[0], *names)]
    await settle()
    first.cancel()
    assert {outcome.status for outcome in await asyncio.gather(*others)} == {"healthy"}
    assert [len(arguments) - len(ARGUMENTS) for _, arguments, _ in calls_of(tmp_path)] == [500, 1]


async def test_an_id_names_a_container(tmp_path: Path) -> None:
    """docker prints its name, which is another."""
    states = {"4f5e6d7c8b9a": {"Status": "paused", "Name": "shop-1"}, "shop": {"Status": "running"}}
    targets = [ContainerTarget(name=name) for name in ("shop-3", "4f5e6d7c8b9a", "shop")]
    async with open_checks(*targets, environment=standin_docker(tmp_path, states)) as checks:
        results = await checks.check("shop")
    assert [result.error for result in results] == ["there is no container shop-3", "the container is paused", ""]


async def test_a_missing_program(tmp_path: Path) -> None:
    """The reason says where it was looked for; nothing is known of the service."""
    environment = {"PATH": str(tmp_path)}
    container = await find_fault(ContainerTarget(name="shop"), environment=environment)
    unit = await find_fault(UnitTarget(unit="shop.service"), environment=environment)
    assert container == "container: docker is not in the PATH of the bot"
    assert unit == "service: systemctl is not in the PATH of the bot"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (
            "print('Cannot connect to the Docker daemon', file=sys.stderr); sys.exit(1)",
            "docker: Cannot connect to the Docker daemon",
        ),
        ("print('Error: no such container \"shop\"', file=sys.stderr); sys.exit(1)", "there is no container shop"),
    ],
)
async def test_a_program_that_fails(tmp_path: Path, program: str, error: str) -> None:
    """Its own words, or the lack of them, are the reason."""
    environment = standin_script(tmp_path, "docker", program)
    result = await make_check(ContainerTarget(name="shop"), environment=environment)
    assert (result.status, result.error) == ("down", error)


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("sys.exit(3)", "docker: exit code 3"),
        ("import os; os.kill(os.getpid(), 11)", "docker: signal 11"),
        ("print('unknown flag: --format', file=sys.stderr); sys.exit(125)", "docker: unknown flag: --format"),
        ("print('nonsense')", "docker says nothing about shop"),
        ("print('x' * 50_000_000)", "docker says nothing about shop"),
        ("pass", "docker says nothing about shop"),
    ],
)
async def test_a_program_that_fails_by_itself(tmp_path: Path, program: str, fault: str) -> None:
    """A flag that it does not know, a crash or other output says nothing of the service."""
    environment = standin_script(tmp_path, "docker", program)
    assert await find_fault(ContainerTarget(name="shop"), environment=environment) == f"container: {fault}"


@pytest.mark.parametrize(
    "words",
    [
        "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
        "Got permission denied while trying to connect to the Docker daemon socket",
        "System has not been booted with systemd as init system (PID 1). Can't operate.",
        "Failed to connect to bus: Host is down",
    ],
)
async def test_a_program_that_the_bot_may_not_ask(tmp_path: Path, words: str) -> None:
    """Without the right to it nothing is known of the service."""
    script = f"print({words!r}, file=sys.stderr); sys.exit(1)"
    environment = standin_script(tmp_path, "docker", script)
    fault = await find_fault(ContainerTarget(name="shop"), environment=environment)
    assert fault == f"container: docker: {words}"


async def test_a_program_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    """At the timeout its whole process group ends, and the next check starts another."""
    environment = standin_that_hangs(tmp_path, "docker")
    async with open_checks(ContainerTarget(name="shop"), environment=environment, timeout_s=0.5) as checks:
        (result,) = await checks.check("shop")
        assert (result.status, result.error) == ("down", "no answer within 0.5 s")
        (again,) = await checks.check("shop")
        assert again.status == "down"
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) >= 2
    assert all(map(is_gone, pids))


async def test_the_end_of_the_bot_ends_the_program(tmp_path: Path) -> None:
    """Nothing that was started outlives the checks."""
    environment = standin_that_hangs(tmp_path, "systemctl")
    async with open_checks(UnitTarget(unit="shop.service"), environment=environment, timeout_s=0.4) as checks:
        assert isinstance(checks, Checks)
        await checks.check("shop")
    assert all(is_gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())
