"""The health port on a real socket: three paths to read, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.adapters.listeners.health_port import HealthPort
from bot.errors import Misconfigured
from bot.models.process_figures import Histogram, JobFigures, ProcessFigures
from tests.forks import ROOT

FIGURES = ProcessFigures(
    open_threads={"collecting": 1, "pending-user": 2},
    cards_waiting=2,
    waiting={"events": 0, "questions": 1},
    oldest_seconds=12.5,
    effects={("post_reply", "done"): 3, ("post_reply", "failed"): 0},
    replies_posted=3,
    acks=Histogram(bounds=(0.1, 1.0), counts=(5, 1, 1), total=4.5),
    usd_today={"investigator": 0.25, "chat": 0.0},
    usd_cap=10.0,
    connected=True,
    loop_late_seconds=0.001,
    jobs=JobFigures(waiting=4, running=2, oldest_seconds=7.5, ended={("investigation", "succeeded"): 9}),
)


@dataclass
class Answers:
    """Probes that say what a test wants."""

    fault: str = ""
    obstacle: str = ""
    figures: ProcessFigures | None = FIGURES

    def find_fault(self) -> str:
        """The fault."""
        return self.fault

    async def find_obstacle(self) -> str:
        """The obstacle."""
        return self.obstacle

    async def read_figures(self) -> ProcessFigures | None:
        """The figures."""
        return self.figures


@pytest.fixture
def answers() -> Answers:
    """What the probes say."""
    return Answers()


@pytest.fixture
async def address(answers: Answers) -> AsyncIterator[str]:
    """Where they are served."""
    server = HealthPort(answers, host="127.0.0.1", port=0)
    await server.open()
    yield f"http://127.0.0.1:{server.port}"
    await server.close()


async def ask(url: str, method: str = "GET") -> tuple[int, str]:
    """Status and text of an answer."""
    async with aiohttp.ClientSession() as session, session.request(method, url, data=b"") as answer:
        return answer.status, await answer.text()


async def test_probes_say_the_reason_in_plain_text(address: str, answers: Answers) -> None:
    """200 where all is well, 503 with the reason else."""
    assert await ask(f"{address}/healthz") == (200, "alive")
    assert await ask(f"{address}/readyz") == (200, "ready")
    answers.fault, answers.obstacle = "the event loop is 7.0 s late", "draining"
    assert await ask(f"{address}/healthz") == (503, "the event loop is 7.0 s late")
    assert await ask(f"{address}/readyz") == (503, "draining")


async def test_figures_are_metrics_that_prometheus_reads(address: str, answers: Answers) -> None:
    """Each with its labels; a bucket holds all shorter durations."""
    status, text = await ask(f"{address}/metrics")
    families = list(text_string_to_metric_families(text))
    values = {
        (sample.name, *sorted(sample.labels.values())): sample.value for family in families for sample in family.samples
    }
    assert status == 200
    assert values["triage_open_threads", "pending-user"] == 2
    assert values["triage_cards_waiting",] == 2
    assert values["triage_waiting", "questions"] == 1
    assert values["triage_oldest_waiting_seconds",] == 12.5
    assert values["triage_effects_total", "done", "post_reply"] == 3
    assert values["triage_replies_posted_total",] == 3
    assert [values["triage_ack_seconds_bucket", bound] for bound in ("0.1", "1.0", "+Inf")] == [5, 6, 7]
    assert (values["triage_ack_seconds_count",], values["triage_ack_seconds_sum",]) == (7, 4.5)
    assert values["triage_cost_today_usd", "investigator"] == 0.25
    assert values["triage_cost_cap_usd",] == 10
    assert values["triage_slack_connected",] == 1
    assert (values["triage_jobs", "waiting"], values["triage_oldest_job_seconds",]) == (4, 7.5)
    assert values["triage_jobs_ended_total", "investigation", "succeeded"] == 9
    assert values["process_open_fds",] > 0
    answers.figures = None
    assert await ask(f"{address}/metrics") == (503, "starting")


@pytest.mark.parametrize(
    ("path", "method", "status"), [("/", "GET", 404), ("/metrics/x", "GET", 404), ("/readyz", "POST", 405)]
)
async def test_nothing_else_is_there(address: str, path: str, method: str, status: int) -> None:
    """A status and no more."""
    assert (await ask(f"{address}{path}", method))[0] == status


async def test_an_address_that_is_not_to_be_had_is_named() -> None:
    """With the option and the next step."""
    first = HealthPort(Answers(), host="127.0.0.1", port=0)
    await first.open()
    with pytest.raises(Misconfigured, match=rf"--health-port: port {first.port} is taken; choose another"):
        await HealthPort(Answers(), host="127.0.0.1", port=first.port).open()
    await first.close()
    with pytest.raises(Misconfigured, match=r"--health-port: 192\.0\.2\.1 is no address of this machine"):
        await HealthPort(Answers(), host="192.0.2.1", port=0).open()


def test_without_the_option_nothing_of_it_is_imported() -> None:
    """Neither by the composition root, nor by the command."""
    program = "import sys, bot.cli.run, bot.wiring.app, bot.wiring.probes; print('prometheus_client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
