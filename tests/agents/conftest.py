"""Tests of agents are about answers: their searches start without the boundary, which `tests/isolation` is about."""

from __future__ import annotations

import pytest

from bot.isolation import Boundary


@pytest.fixture(autouse=True)
def _without_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search finds the same without it, sooner."""
    monkeypatch.setattr("bot.isolation.in_force._boundary", Boundary(problem="off in these tests"))
