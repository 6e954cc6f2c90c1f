"""What two hundred services every thirty seconds cost: CPU of the checking process, and lateness. Run by `make bench`.

The servers are in another process, on loopback; docker and systemctl are stand-ins, whose processes count as children
of the checking one. A database is checked if PostgreSQL is installed here. With `--down` every service is unhealthy.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trustme

from bot.adapters.checks import Checks
from bot.adapters.clock import SystemClock
from bot.config.sections.health import HealthSection
from bot.decide.redaction.redactor import Redactor
from tests.adapters.checks.name_server import serve_names
from tests.adapters.checks.standins import standin_docker, standin_systemctl
from tests.adapters.checks.web_server import serve, whole
from tests.health.service_bench import Bench
from tests.postgresql import MISSING, find_binaries, run_cluster

if TYPE_CHECKING:
    from bot.models.check_result import CheckResult
    from bot.runtime.intervals import IntervalFigures

SERVICES, EVERY_S, DURATION_S = 200, 30.0, 60.0
MAX_CPU = 0.03
"""Share of one core."""
IS_DOWN = "--down" in sys.argv
UNIT = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "Result": "success"}
if IS_DOWN:
    UNIT |= {"ActiveState": "failed", "SubState": "failed"}


async def run_servers(folder: Path) -> None:
    """Serve until the standard input ends; print the ports."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "server.pem")
    records = {("shop.example", "A"): ["192.0.2.9" if IS_DOWN else "192.0.2.1"]}
    body = whole(b'{"status": "ok"}', status="503 Busy" if IS_DOWN else "200 OK")
    async with serve(body) as web, serve(body, tls) as sealed, serve_names(records, codes={}) as (names, _):
        print(web.port, sealed.port, names, flush=True)  # noqa: T201  # for the other process
        await asyncio.to_thread(sys.stdin.read)


def build_section(ports: tuple[str, str, str], *, has_database: bool) -> HealthSection:
    """The services: of twenty, twelve on the web, three of them with TLS, three names, four programs, a database."""
    web, sealed, names = ports
    services = []
    for number in range(SERVICES):
        check: dict[str, Any]
        match number % 20:
            case 0 | 1 | 2:
                check = {"type": "http", "url": f"https://localhost:{sealed}/health", "text": '"ok"'}
            case 3 | 4 | 5:
                check = {"type": "dns", "name": "shop.example", "expected": ["192.0.2.1"], "server": names}
            case 6 | 7:
                check = {"type": "container", "name": f"box-{number}"}
            case 8 | 9:
                check = {"type": "service", "unit": f"box-{number}.service"}
            case 10 if has_database:
                check = {"type": "database", "url_env": "BENCH_DB", "expected": "2" if IS_DOWN else "1"}
            case _:
                check = {"type": "http", "url": f"http://localhost:{web}/health", "text": '"ok"'}
        services.append({"name": f"service-{number}", "group": f"group-{number % 40}", "checks": [check]})
    return HealthSection.model_validate({"interval_s": EVERY_S, "services": services})


class CountedChecks(Checks):
    """Checks whose results are counted."""

    results: Counter[str]

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """Make the checks of a service."""
        results = await super().check(service)
        self.results.update(f"{each.check_type} {each.status} {each.error}".strip() for each in results)
        return results


def cpu_s() -> float:
    """Seconds of CPU of this process and its ended children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


async def measure(
    section: HealthSection, environment: dict[str, str], home: Path, profile: cProfile.Profile | None
) -> tuple[float, IntervalFigures, Counter[str]]:
    """Run the bot's services for a while, after one interval that does not count; return the share of a core."""
    checks = CountedChecks(
        {service.name: service.targets for service in section.services},
        timeout_s=section.timeout_s,
        clock=SystemClock(),
        redact=Redactor().redact,
        environment=environment,
    )
    checks.results = Counter()
    bench = Bench(home, section, clock=SystemClock(), checks=checks)  # type: ignore[arg-type]  # real ones, not a test's
    await bench.start()
    task = asyncio.create_task(bench.services.run())
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
    await bench.stop()
    return share, bench.services.figures, checks.results


def main() -> None:
    """Print the figures; fail if a bar is missed. With `--profile`, also print the functions that cost most."""
    profile = cProfile.Profile() if "--profile" in sys.argv else None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        authority = trustme.CA()
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
        authority.cert_pem.write_to_path(folder / "ca.pem")
        os.environ["SSL_CERT_FILE"] = str(folder / "ca.pem")
        environment = standin_docker(
            folder, {f"box-{number}": {"Status": "exited" if IS_DOWN else "running"} for number in range(SERVICES)}
        )
        standin_systemctl(folder, {f"box-{number}.service": UNIT for number in range(SERVICES)})
        if binaries := find_binaries():
            environment["BENCH_DB"] = stack.enter_context(run_cluster(binaries)).address
        servers = stack.enter_context(
            subprocess.Popen(
                (sys.executable, "-m", "measure.health_bench", *(["--down"] if IS_DOWN else []), "--serve", folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        ports = (servers.stdout.readline() if servers.stdout else "").split()
        section = build_section((ports[0], ports[1], ports[2]), has_database=binaries is not None)
        share, figures, results = asyncio.run(measure(section, environment, folder, profile))
        if servers.stdin:
            servers.stdin.close()
    report(share, figures, results, note="" if binaries else f"; no database: {MISSING}")
    if profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


def report(share: float, figures: IntervalFigures, results: Counter[str], *, note: str) -> None:
    """Print the figures; exit with 1 if one misses its bar, or if a service was not as it should be."""
    wrong = sum(number for text, number in results.items() if text.endswith(" healthy") is IS_DOWN)
    bars = (
        ("CPU of the checking process and its children", share, MAX_CPU, f"{share:.2%} of a core"),
        ("latest start, as a share of the interval", figures.latest, 1.0, f"{figures.latest:.2%}"),
        ("healthy results" if IS_DOWN else "unhealthy results", float(wrong), 0.5, str(wrong)),
    )
    lines = [f"{SERVICES} services every {EVERY_S:g} s, {figures.runs} runs{note}"]
    lines += [f"  {number:4} {text}" for text, number in sorted(results.items())]
    lines += [f"{name:46}{shown:>16}  {'met' if value < bar else 'MISSED'}" for name, value, bar, shown in bars]
    print("\n".join(lines))  # noqa: T201  # the report
    if any(value >= bar for _, value, bar, _ in bars):
        sys.exit(1)


if __name__ == "__main__":
    if "--serve" in sys.argv:
        asyncio.run(run_servers(Path(sys.argv[-1])))
    else:
        main()
