"""The order of the whole suite, and which of its files one worker takes together."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from bot.runtime import offload
from tests.postgresql import cluster, database_address, migrated_database, postgresql  # noqa: F401  # fixtures of all

TESTS = Path(__file__).parent
BROWSER = "tests/sandbox/browser/"
"""Its files go to one worker, since each worker that has one of them starts a browser."""
PATTERNS = "tests/patterns/"
"""Its files read the syntax trees of all of the product, which one worker parses once."""
TRAINING = ("tests/cli/test_retrain.py", "tests/adapters/test_weights.py")
"""Those that load scikit-learn, which takes seconds: one worker does, that of the commands."""
LONGEST = ("tests/torture/", BROWSER, PATTERNS, "tests/attack/", "tests/agents/test_decorated.py")
FORKING = {
    f"tests/{room}/{path.name}": scope
    for room, scope in (
        ("cli", "tests/cli/"),
        ("documents", "tests/cli/"),
        ("line", "tests/line/"),
        ("escalation", "tests/line/"),
    )
    for path in (TESTS / room).glob("test_*.py")
    if any(name in path.read_text("utf-8") for name in ("tests.forks", "dying_bot"))
} | dict.fromkeys(TRAINING, "tests/cli/")
"""Files whose tests fork processes from one that has loaded the bot, which takes seconds: two workers have such a one.
They wait for most of their time, so they begin first."""
POSTGRESQL = "tests/adapters/postgresql/"
CONTRACTS = "tests/adapters/contracts/"
"""Files in both folders need the database, which one worker starts, and so do a few elsewhere."""
ON_POSTGRESQL = {f"tests/adapters/checks/test_{name}.py": POSTGRESQL for name in ("database", "scenarios")}
SHORT = tuple(f"tests/{room}/" for room in ("blocks", "decide", "intake", "models", "reports", "triage"))

for name in ("CI", "NO_COLOR"):
    os.environ.pop(name, None)  # they change what a terminal shows; a test that wants them sets them


def _renew_threads() -> None:
    """Give a forked process threads of its own: mutation testing forks one for each change, which would wait for
    those of its parent."""
    offload._THREADS = ThreadPoolExecutor(max_workers=2)


os.register_at_fork(after_in_child=_renew_threads)
gc.disable()  # what is loaded and collected stays to the end


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first and the short ones last, so that no worker is left alone at the end.

    All others stand in no order: beside each other lie tests of one kind, and all workers would wait at the same time.
    """
    items.sort(key=lambda item: _rank(item.nodeid))


def _rank(nodeid: str) -> tuple[bool, bool, bool, int]:
    scope = _scope(nodeid)
    return (
        scope not in FORKING.values(),
        not nodeid.startswith(LONGEST),
        nodeid.startswith(SHORT),
        crc32(scope.encode()),
    )


def _scope(nodeid: str) -> str:
    """Return what one worker takes as a whole: a file, or all that share something that takes long."""
    for folder in (BROWSER, PATTERNS, POSTGRESQL):
        if nodeid.startswith(folder):
            return folder
    if nodeid.startswith(CONTRACTS):
        return POSTGRESQL
    file = nodeid.partition("::")[0]
    return FORKING.get(file) or ON_POSTGRESQL.get(file, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand whole scopes to the workers, each the next one when it is done."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scopes(LoadFileScheduling):  # type: ignore[misc]  # xdist ships no types
        def _split_scope(self, nodeid: str) -> str:
            return _scope(nodeid)

    return Scopes(config, log)


def pytest_collection_finish() -> None:
    """Look from now on at what tests make, and no more at all that was loaded before them."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)
