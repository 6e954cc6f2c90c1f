"""Repository of the demonstration of an escalation: its history holds the answer, its files no longer do."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CONTRACT = "docs/bank-contract.md"
BEFORE, AFTER = "RETRY_LIMIT = 5\n", "RETRY_LIMIT = 3\n"
HEAD = '"""Orders of the shop."""\n\n'
CLAUSE = "From 1 September 2025 a card is blocked after four failed tries in a day.\n"
_WHO = {"NAME": "Ana Weber", "EMAIL": "ana@example.com"}


@dataclass(frozen=True, kw_only=True)
class History:
    """A repository with a history, and the commit that holds the answer."""

    root: Path
    limit_commit: str
    removal_commit: str


def write_history(root: Path) -> History:
    """Create the repository: the limit was changed for a contract, which was removed since."""
    root.mkdir(parents=True)
    _git(root, "init", "-q", "-b", "main")
    _commit(root, "2025-03-03", "Add orders and payments", {"orders.py": HEAD + BEFORE})
    _commit(root, "2025-04-14", "Give the money back within two days", {"refunds.py": "DAYS = 2\n"})
    limit = _commit(
        root,
        "2025-08-28",
        f"Try a payment three times\n\nThe bank's new contract asks for it, see {CONTRACT}.",
        {"orders.py": HEAD + AFTER, CONTRACT: f"# Contract with the bank\n\n{CLAUSE}"},
    )
    _git(root, "rm", "-q", CONTRACT)
    removal = _commit(root, "2026-01-12", "Move contracts to the archive", {"README.md": "Contracts: the archive.\n"})
    _commit(root, "2026-03-02", "Round amounts to cents", {"amounts.py": "CENTS = 2\n"})
    return History(root=root, limit_commit=limit, removal_commit=removal)


def _commit(root: Path, day: str, message: str, files: dict[str, str]) -> str:
    for name, content in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(content)
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", message, day=day)
    return _git(root, "rev-parse", "HEAD")


def _git(root: Path, *words: str, day: str = "2025-01-01") -> str:
    moment = {"GIT_AUTHOR_DATE": f"{day}T10:00:00Z", "GIT_COMMITTER_DATE": f"{day}T10:00:00Z"}
    people = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in _WHO.items()}
    environment = {**os.environ, **people, **moment, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *words], cwd=root, env=environment, check=True, capture_output=True)  # noqa: S607  # the developer's own
    return done.stdout.decode().strip()
