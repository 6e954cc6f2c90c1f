"""What two hundred services every thirty seconds cost: CPU of the checking process, and lateness. Run by `make bench`.

The servers are in another process, on loopback; docker and systemctl are stand-ins, whose processes count as children
of the checking one. A database is checked if PostgreSQL is installed here.
"""

from __future__ import annotations

import asyncio
import cProfile
import os
import pstats
import resource
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trustme

from bot.adapters.checks import Checks
from bot.adapters.clock import SystemClock
from bot.decide.redaction.redactor import Redactor
from bot.models.check_target import ContainerTarget, DatabaseTarget, DnsTarget, HttpTarget, UnitTarget
from bot.runtime.intervals import IntervalFigures, IntervalJob, run_intervals
from tests.adapters.checks.name_server import serve_names
from tests.adapters.checks.standins import standin_docker, standin_systemctl
from tests.adapters.checks.web_server import serve, whole
from tests.postgresql import MISSING, find_binaries, run_postgresql

if TYPE_CHECKING:
    from bot.models.check_result import CheckResult
    from bot.models.check_target import CheckTarget

SERVICES, EVERY_S, DURATION_S = 200, 30.0, 60.0
MAX_CPU = 0.03
"""Share of one core."""
UNIT = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "Result": "success"}


async def run_servers(folder: Path) -> None:
    """Serve until the standard input ends; print the ports."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "server.pem")
    records = {("shop.example", "A"): ["192.0.2.1"]}
    body = whole(b'{"status": "ok"}')
    async with serve(body) as web, serve(body, tls) as sealed, serve_names(records, codes={}) as (names, _):
        print(web.port, sealed.port, names, flush=True)  # noqa: T201  # for the other process
        await asyncio.to_thread(sys.stdin.read)


def build_targets(ports: tuple[str, str, str], *, has_database: bool) -> dict[str, tuple[CheckTarget, ...]]:
    """The services: of twenty, twelve on the web, three of them with TLS, three names, four programs, a database."""
    web, sealed, names = ports
    targets: dict[str, tuple[CheckTarget, ...]] = {}
    for number in range(SERVICES):
        target: CheckTarget
        match number % 20:
            case 0 | 1 | 2:
                target = HttpTarget(url=f"https://localhost:{sealed}/health", text='"ok"')
            case 3 | 4 | 5:
                target = DnsTarget(name="shop.example", expected=("192.0.2.1",), server=names)
            case 6 | 7:
                target = ContainerTarget(name=f"box-{number}")
            case 8 | 9:
                target = UnitTarget(unit=f"box-{number}.service")
            case 10 if has_database:
                target = DatabaseTarget(url_env="BENCH_DB", expected="1")
            case _:
                target = HttpTarget(url=f"http://localhost:{web}/health", text='"ok"')
        targets[f"service-{number}"] = (target,)
    return targets


def build_jobs(
    checks: Checks, targets: dict[str, tuple[CheckTarget, ...]], results: list[CheckResult]
) -> list[IntervalJob]:
    """A job for each service, as the bot makes them."""

    async def check(name: str) -> None:
        results.extend(await checks.check(name))

    return [
        IntervalJob(name, EVERY_S, partial(check, name), "programs" if target.type in ("container", "service") else "")
        for name, (target,) in targets.items()
    ]


def cpu_s() -> float:
    """Seconds of CPU of this process and its ended children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


async def measure(
    targets: dict[str, tuple[CheckTarget, ...]], environment: dict[str, str], profile: cProfile.Profile | None
) -> tuple[float, IntervalFigures, list[CheckResult]]:
    """Check everything for a while, after one interval that does not count; return the share of a core."""
    figures = IntervalFigures()
    results: list[CheckResult] = []
    checks = Checks(targets, timeout_s=10, clock=SystemClock(), redact=Redactor().redact, environment=environment)
    task = asyncio.create_task(
        run_intervals(build_jobs(checks, targets, results), clock=SystemClock(), figures=figures)
    )
    await asyncio.sleep(EVERY_S)
    began, cpu = time.monotonic(), cpu_s()
    if profile:
        profile.enable()
    await asyncio.sleep(DURATION_S)
    if profile:
        profile.disable()
    share = (cpu_s() - cpu) / (time.monotonic() - began)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await checks.close()
    return share, figures, results


def main() -> None:
    """Print the figures; fail if a bar is missed. With `--profile`, also print the functions that cost most."""
    profile = cProfile.Profile() if "--profile" in sys.argv else None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        authority = trustme.CA()
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
        authority.cert_pem.write_to_path(folder / "ca.pem")
        os.environ["SSL_CERT_FILE"] = str(folder / "ca.pem")
        environment = standin_docker(folder, {f"box-{number}": {"status": "running"} for number in range(SERVICES)})
        standin_systemctl(folder, {f"box-{number}.service": UNIT for number in range(SERVICES)})
        if binaries := find_binaries():
            environment["BENCH_DB"] = stack.enter_context(run_postgresql(binaries))
        servers = stack.enter_context(
            subprocess.Popen(
                (sys.executable, "-m", "measure.health_bench", "--serve", folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        ports = (servers.stdout.readline() if servers.stdout else "").split()
        targets = build_targets((ports[0], ports[1], ports[2]), has_database=binaries is not None)
        share, figures, results = asyncio.run(measure(targets, environment, profile))
        if servers.stdin:
            servers.stdin.close()
    report(share, figures, results, note="" if binaries else f"; no database: {MISSING}")
    if profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


def report(share: float, figures: IntervalFigures, results: list[CheckResult], *, note: str) -> None:
    """Print the figures; exit with 1 if one misses its bar, or if a service was not healthy."""
    kinds = Counter(result.check_type for result in results)
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    unhealthy = Counter(f"{each.check_type}: {each.error}" for each in results if each.status != "healthy")
    bars = (
        ("CPU of the checking process and its children", share, MAX_CPU, f"{share:.2%} of a core"),
        ("latest start, as a share of the interval", figures.latest, 1.0, f"{figures.latest:.2%}"),
        ("unhealthy results", float(sum(unhealthy.values())), 0.5, str(sum(unhealthy.values()))),
    )
    lines = [f"{SERVICES} services every {EVERY_S:g} s, {figures.runs} runs ({said}){note}"]
    lines += [f"{name:46}{shown:>16}  {'met' if value < bar else 'MISSED'}" for name, value, bar, shown in bars]
    lines += [f"  {number} of {error}" for error, number in unhealthy.most_common(5)]
    print("\n".join(lines))  # noqa: T201  # the report
    if any(value >= bar for _, value, bar, _ in bars):
        sys.exit(1)


if __name__ == "__main__":
    if "--serve" in sys.argv:
        asyncio.run(run_servers(Path(sys.argv[-1])))
    else:
        main()
