"""Commands that pay for models: their options and set-up, the money of the day, the confirmation, and an early end."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot import isolation
from bot.cli.options import add_config, add_env_file, add_home
from bot.config.env_file import load_env_file
from bot.config.environment import Environment, forget_secrets, read_environment
from bot.config.paths import config_path, home_path
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, TriageError
from bot.models.turn import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.models.project import Project


@dataclass(frozen=True, kw_only=True)
class PaidSetup:
    """Settings, environment, home, redactor and projects of a command that asks models."""

    settings: Settings
    env: Environment
    home: Path
    redactor: Redactor
    projects: tuple[Project, ...]


@dataclass(frozen=True, kw_only=True)
class DayMoney:
    """Money of today in US dollars: the cap with an admin's allowance, and the spending."""

    cap: float
    spent: float = 0.0

    @property
    def left(self) -> float:
        """Return the US dollars that are left."""
        return max(0.0, self.cap - self.spent)


@dataclass
class Ending:
    """End of a run: `reason` is empty unless it ended early."""

    reason: str = ""
    is_interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """Return 0 done, 1 ended early, 130 interrupted."""
        return 130 if self.is_interrupted else 1 if self.reason else 0


def add_paid_options(parser: argparse.ArgumentParser, epilog: str) -> None:
    """Add `--yes`, `--json`, `--config`, `--home` and `--env-file`."""
    parser.add_argument("--yes", action="store_true", help="ask the model, and pay for it")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_config(parser)
    add_home(parser)
    add_env_file(parser)
    parser.epilog = epilog


def number_up_to(most: int) -> Callable[[str], int]:
    """Return a parser of numbers from 1 to `most`."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a number from 1 to {most:,}")
        return int(text)

    return parse


def set_up(
    options: argparse.Namespace, load_projects: Callable[[Path], tuple[Settings, tuple[Project, ...]]]
) -> PaidSetup:
    """Read the environment, turn the isolation on, and take secrets out of the environment.

    `load_projects` takes the home, and returns settings and projects.
    """
    os.umask(0o077)
    load_env_file(options.env_file, config_path(options.config))
    env, home = read_environment(), home_path(options.home)
    settings, projects = load_projects(home)
    isolation.configure(settings.security.isolation).demand()
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables)))
    forget_secrets()
    return PaidSetup(settings=settings, env=env, home=home, redactor=redactor, projects=projects)


async def read_money(setup: PaidSetup) -> DayMoney:
    """Return the money of today. Raises `Misconfigured` while a bot runs on the home."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.home import Home
    from bot.wiring.engines import build_ledger
    from bot.wiring.storage import open_storage

    if not setup.home.exists():
        return DayMoney(cap=setup.settings.model.max_usd_per_day)
    home = Home(setup.home)
    await home.lock()
    try:
        async with open_storage(setup.settings, setup.env, setup.home) as storage:
            ledger = build_ledger(setup.settings, storage, clock=SystemClock(), tell=lambda _: None)
            await ledger.start()
            return DayMoney(cap=ledger.cap, spent=ledger.spent)
    finally:
        home.unlock()


def describe_cost(runs: Mapping[str, int], settings: Settings, money: DayMoney) -> str:
    """Describe the maximum cost of these numbers of runs by model."""
    from bot.adapters.prices import PriceTable

    prices, per_run = PriceTable(), settings.model.max_usd_per_run
    unknown = [name for name in runs if prices.cost(name, Usage(input_tokens=1)) is None]
    known = sum(number for name, number in runs.items() if name not in unknown)
    sentences = [f"{format_count(sum(runs.values()), 'run')} of {', '.join(runs)}."]
    if known:
        sentences.append(
            f"At most ${min(known * per_run, money.left):.2f}: ${per_run:.2f} a run, and ${money.left:.2f} are left of "
            f"today's ${money.cap:.2f} (model.max_usd_per_run, model.max_usd_per_day)."
        )
    if unknown:
        sentences.append(
            f"No price is known for {', '.join(unknown)}: no limit in dollars holds, and the cost is not counted."
        )
    return " ".join(sentences)


def confirm(estimate: str, *, is_agreed: bool) -> None:
    """Print the cost, and wait for a typed `y` unless it is agreed already. Raises `Misconfigured` without one."""
    note(estimate)
    if is_agreed:
        return
    if sys.stdin and sys.stdin.isatty():
        print("Ask the model? [y/N] ", end="", file=sys.stderr, flush=True)  # noqa: T201  # a question at the terminal
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise Misconfigured("No model was asked; --yes starts it.")


@contextmanager
def catch_end(ending: Ending) -> Iterator[None]:
    """End early, with the reason, at an error or at Ctrl-C, so that the results so far are kept."""
    try:
        yield
    except TriageError as problem:
        ending.reason = str(problem)
    except asyncio.CancelledError:
        ending.reason, ending.is_interrupted = "interrupted", True
        if task := asyncio.current_task():
            task.uncancel()


def say(line: str) -> None:
    """Print a line of the result."""
    print(line, flush=True)  # noqa: T201  # command-line output


def note(line: str) -> None:
    """Print a line beside the result."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # command-line output
