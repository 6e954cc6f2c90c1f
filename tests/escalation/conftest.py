"""Headless runs in the process of the tests: what they set for a whole process is put back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.isolation import Boundary
from tests.escalation.bench import Bench
from tests.escalation.fix_bench import FixBench


@pytest.fixture
def fix_bench(bench: Bench, tmp_path: Path) -> Iterator[FixBench]:
    """A bench for fixes, whose processes end with it."""
    made = FixBench(tmp_path)
    yield made
    made.end_processes()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of its own."""
    monkeypatch.setattr("bot.isolation.in_force._boundary", Boundary(problem="off in these tests"))
    monkeypatch.setattr("bot.tools.roots._home", ())
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Bench(tmp_path)
