"""What a command imports before it does anything: each module is time at its start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "needless"),
    [
        ("doctor", ("anthropic", "slack_bolt", "bot.decide.workflow", "bot.wiring.app")),
        (
            "demo",
            (
                "anthropic",
                "slack_bolt",
                "bot.adapters.claude",
                "bot.cli.run",
                "bot.models.judged_draft",
                "bot.wiring.app",
            ),
        ),
        ("run", ("anthropic", "slack_bolt", "bot.decide.workflow", "bot.wiring.app")),
        ("classify", ("anthropic", "slack_bolt", "bot.decide.workflow", "bot.wiring")),
        ("replay", ("anthropic", "slack_bolt", "bot.decide.workflow", "bot.wiring")),
    ],
)
def test_a_command_imports_nothing_that_only_others_need(command: str, needless: tuple[str, ...]) -> None:
    """A module that comes back here makes each start slower."""
    program = f"import sys, bot.cli.{command}; print(*({set(needless)!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
