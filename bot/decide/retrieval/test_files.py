"""Test files of common languages, recognised by the words of their path. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.decide.retrieval.stemmer import pieces

_FOLDERS = frozenset(("test", "tests", "testing", "testdata", "testutil", "testutils", "tck"))
"""Words in names of test folders: `jvmTest`, `android-test`, `__tests__`, `testing-support`."""
_WHOLE = frozenset(("spec", "specs", "e2e"))
"""Names of test folders that consist of one word."""
_LAST = frozenset(("test", "tests", "spec", "specs"))
_HELPERS = frozenset(("case", "cases", "base", "suite", "util", "utils"))
_NAMED = re.compile(r"^(?:test_.*|.*_test|.*\.(?:test|spec)|conftest)\.\w+$")


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Return whether a file is a test or in a test folder."""
    folder, _, name = path.rpartition("/")
    return _is_of_tests(folder) or _is_named(name)


@lru_cache(maxsize=8_192)
def _is_of_tests(folder: str) -> bool:
    for part in folder.split("/"):
        words = pieces(part)
        if not _FOLDERS.isdisjoint(words) or (len(words) == 1 and words[0] in _WHOLE) or part == "e2e":
            return True
    return False


def _is_named(name: str) -> bool:
    if _NAMED.match(name.lower()):
        return True
    words = pieces(name.split(".", 1)[0])
    if len(words) < 2:  # a module named `test` may be a test library
        return False
    return words[-1] in _LAST or (len(words) > 2 and words[-2] in _LAST and words[-1] in _HELPERS)
