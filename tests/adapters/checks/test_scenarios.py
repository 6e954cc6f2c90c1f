"""Scenarios of spec 3 where checks are tier 1, from real servers on loopback to the handoff.

Web servers, a name server and PostgreSQL are real; docker and systemctl are stand-ins, which are marked as such.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import trustme

from bot.adapters.checks import Checks
from bot.config.sections.health import HealthSection
from bot.decide.redaction.redactor import Redactor
from bot.escalation.handoffs import build_handoff
from bot.models.handoff import WatchHandoff
from tests.adapters.checks.name_server import serve_names
from tests.adapters.checks.standins import standin_docker, standin_systemctl
from tests.adapters.checks.web_server import serve, whole
from tests.fakes import HandClock
from tests.health.service_bench import Bench

ACTIVE = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "Result": "success"}
FAILED = {"LoadState": "loaded", "ActiveState": "failed", "SubState": "failed", "Result": "exit-code"}


@dataclass
class Target:
    """A server, the check of it, and what breaks and repairs it."""

    check: dict[str, Any]
    break_it: Callable[[], object]
    repair: Callable[[], object]
    environment: dict[str, str] = field(default_factory=dict)


@asynccontextmanager
async def wrong_status(folder: Path, address: str) -> AsyncIterator[Target]:
    """A web server that answers with an error."""
    answers = [whole()]

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(answers[-1])

    async with serve(answer) as web:
        check = {"type": "http", "url": f"http://127.0.0.1:{web.port}/health"}
        yield Target(check, lambda: answers.append(whole(status="503 Busy")), lambda: answers.append(whole()))


@asynccontextmanager
async def slow_answer(folder: Path, address: str) -> AsyncIterator[Target]:
    """A web server that takes longer than the time limit."""
    ready = asyncio.Event()
    ready.set()

    async def answer(writer: asyncio.StreamWriter) -> None:
        await ready.wait()
        writer.write(whole())

    async with serve(answer) as web:
        yield Target({"type": "http", "url": f"http://127.0.0.1:{web.port}/"}, ready.clear, ready.set)


@asynccontextmanager
async def expired_certificate(folder: Path, address: str) -> AsyncIterator[Target]:
    """A web server whose certificate has expired."""
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.cert_pem.write_to_path(folder / "ca.pem")

    def certify(days: float) -> None:
        end = datetime.now(UTC) + timedelta(days=days)
        authority.issue_cert("127.0.0.1", not_before=end - timedelta(days=90), not_after=end).configure_cert(tls)

    certify(60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
        async with serve(whole(), tls) as web:
            check = {"type": "http", "url": f"https://127.0.0.1:{web.port}/"}
            yield Target(check, lambda: certify(-2), lambda: certify(60))


@asynccontextmanager
async def lost_name(folder: Path, address: str) -> AsyncIterator[Target]:
    """A name server that no longer has the name."""
    key = ("shop.example", "A")
    records = {key: ["192.0.2.1"]}
    async with serve_names(records, codes={}) as (server, _):
        check = {"type": "dns", "name": "shop.example", "expected": ["192.0.2.1"], "server": server}
        yield Target(check, lambda: records.update({key: ["192.0.2.9"]}), lambda: records.update({key: ["192.0.2.1"]}))


@asynccontextmanager
async def full_queue(folder: Path, address: str) -> AsyncIterator[Target]:
    """A database with more waiting orders than it should have."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create table waiting_orders (id int)")
        try:
            check = {
                "type": "database",
                "url_env": "SHOP_DB",
                "query": "select count(*) from waiting_orders",
                "expected": "0",
            }
            yield Target(
                check,
                lambda: connection.execute("insert into waiting_orders values (1), (2)"),
                lambda: connection.execute("delete from waiting_orders"),
                {"SHOP_DB": address},
            )
        finally:
            connection.execute("drop table waiting_orders")


@asynccontextmanager
async def exited_container(folder: Path, address: str) -> AsyncIterator[Target]:
    """A stand-in for docker, whose container has exited."""

    def show(**state: object) -> dict[str, str]:
        return standin_docker(folder, {"shop": state})

    yield Target(
        {"type": "container", "name": "shop"},
        lambda: show(Status="exited", ExitCode=137, OOMKilled=True),
        lambda: show(Status="running"),
        show(Status="running"),
    )


@asynccontextmanager
async def failed_unit(folder: Path, address: str) -> AsyncIterator[Target]:
    """A stand-in for systemctl, whose unit has failed."""

    def show(state: dict[str, str]) -> dict[str, str]:
        return standin_systemctl(folder, {"shop.service": state})

    yield Target({"type": "service", "unit": "shop.service"}, lambda: show(FAILED), lambda: show(ACTIVE), show(ACTIVE))


@asynccontextmanager
async def bench(folder: Path, target: Target) -> AsyncIterator[Bench]:
    """A bot that checks the target."""
    services = [{"name": "shop", "checks": [target.check]}]
    section = HealthSection.model_validate({"services": services, "timeout_s": 0.5})
    checks = Checks(
        {service.name: service.targets for service in section.services},
        timeout_s=section.timeout_s,
        clock=HandClock(start=datetime.now(UTC)),
        redact=Redactor().redact,
        environment=target.environment,
    )
    made = Bench(folder / "home", section, checks=checks)  # type: ignore[arg-type]  # real ones, not a test's
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


async def run(made: Bench, times: int) -> None:
    """Check the shop so many times, once a minute."""
    for _ in range(times):
        await made.services.check("shop")
        await made.settle()
        await made.clock.move(60)


async def hand_over(made: Bench) -> WatchHandoff:
    """The handoff to tier 2 that the bot's code builds from the thread."""
    handoff = build_handoff(await made.thread(), 2)
    assert isinstance(handoff, WatchHandoff)
    return handoff


@pytest.mark.parametrize(
    ("server", "error"),
    [
        (wrong_status, "answered 503, expected 200"),
        (slow_answer, "no answer within 0.5 s"),
        (expired_certificate, "its certificate has expired"),
        (lost_name, 'expected "192.0.2.1" for A of shop.example, got "192.0.2.9"'),
        (full_queue, 'the query returns "2", expected "0"'),
        (exited_container, "the container is exited with exit code 137, out of memory"),
        (failed_unit, "the unit is failed, last result: exit-code"),
    ],
)
async def test_checks_lead_to_a_handoff(server: Any, error: str, tmp_path: Path, postgresql: str) -> None:
    """Scenarios "Handoff file not written when all services healthy", "Tier 1 writes handoff for Tier 2",
    "Check result object structure", "Tier 1 session has no parent" and "Tier 1 cost recorded independently"."""
    async with server(tmp_path, postgresql) as target, bench(tmp_path, target) as made:
        await run(made, 2)
        assert (await made.documents(), await made.sessions(), made.channel.posted) == ([], [], [])
        target.break_it()
        await run(made, 2)
        handoff = await hand_over(made)
        (result,) = handoff.check_results
        assert (handoff.schema_version, handoff.recommended_tier, handoff.services_affected) == (1, 2, ("shop",))
        assert (result.service, result.check_type, result.status) == ("shop", target.check["type"], "down")
        assert result.error == error
        assert isinstance(result.response_time_ms, int)
        assert handoff.cooldown_state["shop"]["state"] == "failing"
        target.repair()
        await run(made, 2)
        incident = (await made.thread()).incident
        assert incident
        assert incident.is_over
        (session,) = await made.sessions()
        assert (session.tier, session.parent_session_id, session.cost_usd, session.outcome) == (1, None, 0, "answered")


async def test_a_cooldown_is_in_the_handoff(tmp_path: Path) -> None:
    """Scenario "Tier 1 writes handoff for Tier 2", its `cooldown_state`: a service that fails again within its cooldown
    continues one thread, and the next tier reads how often it has failed in that time."""
    async with wrong_status(tmp_path, "") as target, bench(tmp_path, target) as made:
        for outages in (1, 2):
            target.break_it()
            await run(made, 2)
            state = (await hand_over(made)).cooldown_state["shop"]
            assert state == {"state": "failing", "until": None, "outages_in_cooldown": outages, "cooldown_min": 30}
            target.repair()
            await run(made, 2)
        assert len(made.channel.posted) == 1
        (shop,) = made.services.list_states()
        assert shop.cooldown_until == made.clock.now() - timedelta(minutes=1) + timedelta(minutes=30)
        await made.clock.move(1_900)
        target.break_it()
        await run(made, 2)
        assert len(made.channel.posted) == 2


async def test_a_single_failure_is_a_session_alone(tmp_path: Path) -> None:
    """Scenario "No handoff file after session exit": its record is finished, and the schedule goes on."""
    async with wrong_status(tmp_path, "") as target, bench(tmp_path, target) as made:
        target.break_it()
        await run(made, 1)
        target.repair()
        await run(made, 2)
        (session,) = await made.sessions()
        assert (session.outcome, await made.documents(), made.channel.posted) == ("answered", [], [])
