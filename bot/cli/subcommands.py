"""Subcommands of `triage`, grouped by need. Each is a module in `bot/cli/`, imported when it is used."""

from __future__ import annotations

import gc
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    import argparse


class SubcommandModule(Protocol):
    """Interface of the modules in `bot/cli/`."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""

    def main(self, options: argparse.Namespace) -> int:
        """Run the command and return its exit code."""


@dataclass(frozen=True)
class Subcommand:
    """Subcommand with its line in the list."""

    module: str
    summary: str
    piped: str = ""
    """Example of a shell's line, for a command that takes its input from stdin and no words."""

    def load(self) -> SubcommandModule:
        """Import the module, without looking for garbage meanwhile: an import makes none."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return cast("SubcommandModule", importlib.import_module(f"bot.cli.{self.module}"))
        finally:
            if was_enabled:
                gc.enable()


GROUPS = {
    "Try it": {
        "demo": Subcommand("demo", "start a local Slack workspace and the bot in it; no account, no key"),
        "selftest": Subcommand("selftest", "try AC-07 to AC-09 here by one long run; no Slack, no model, no cost"),
        "replay": Subcommand("replay", "classify a Slack export or an events file: shares, samples, cost"),
    },
    "Set it up": {
        "init": Subcommand("init", "ask for a channel, an operator and a project; write triage.yml and .env"),
        "manifest": Subcommand(
            "manifest", "print the manifest of the Slack app, with the scopes that the settings need"
        ),
        "doctor": Subcommand(
            "doctor", "check settings, tokens, Slack, projects and state; exit 1 when something is wrong"
        ),
        "route": Subcommand("route", "show the rule, the role and the project for a question"),
    },
    "Run it": {
        "run": Subcommand("run", "run the bot over Socket Mode or HTTP"),
        "command": Subcommand("command", "run a /triage command on the running bot: pause, queue, help and the others"),
        "attach": Subcommand("attach", "watch a run of tier 2 or 3: its tmux session, or its transcript"),
        "alive": Subcommand(
            "alive", "exit 0 if the bot of this home is connected to Slack: the health check of a container"
        ),
        "db": Subcommand("db", "prepare the PostgreSQL database that several replicas share"),
        "purge": Subcommand(
            "purge", "remove messages, drafts and replies from the state, by age, thread, channel or user"
        ),
    },
    "Measure it": {
        "metrics": Subcommand("metrics", "count messages, cards, decisions and replies of the last days"),
        "report": Subcommand("report", "measure the acceptance criteria by the records of the home"),
        "eval": Subcommand("evaluate", "ask engines and models the same questions, and judge their answers"),
        "drill": Subcommand("drill", "test the validator with faulty and sound drafts"),
        "retrain": Subcommand("retrain", "refit the classifier's weights on the team's labels"),
    },
    "For programs": {
        "classify": Subcommand(
            "classify",
            "classify events or texts (JSON lines on stdin)",
            """echo '{"text": "where is the limit set?"}' | triage classify --explain""",
        ),
        "check-evidence": Subcommand(
            "check_evidence",
            "check references (JSON lines on stdin) against a folder",
            """echo '{"ref": "README.md:1", "quote": "# Shop"}' | triage check-evidence --root .""",
        ),
        "headless": Subcommand("headless", "run one question of tier 2 or 3 to its end; the bot starts it"),
    },
}
"""Subcommands by name in each group, in the order of the list."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
