"""Marks of changed files that a person should look at twice: tests, files of the check, settings of continuous
integration, and executables. By their paths, and never by a model's word."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEST_FOLDERS = {"test", "tests", "spec", "specs", "__tests__", "testing", "e2e"}
_TEST_FILE = re.compile(
    r"(?:^|[_.-])(?:test|tests|spec)(?:[_.-]|$)|[a-z0-9](?:Test|Tests|Spec|IT)\.[a-z]+$|^conftest\.py$"
)
_TESTS_WITHIN = re.compile(r"^[ \t]*+#\[(?:cfg\(test\)|(?:\w++::)?test)", re.MULTILINE)
"""Tests of Rust, which stand in the file that they test."""
_CI = re.compile(
    r"(?i)^(?:\.github|\.gitlab|\.gitea|\.forgejo|\.circleci|\.buildkite|\.woodpecker|\.azure-pipelines|\.teamcity)/"
    r"|(?:^|/)(?:\.gitlab-ci[^/]*+|\.travis\.yml|jenkinsfile[^/]*+|azure-pipelines[^/]*+|bitbucket-pipelines\.yml|\.drone\.yml"
    r"|\.woodpecker\.ya?ml|appveyor\.yml|\.appveyor\.yml|cloudbuild\.ya?ml|\.pre-commit-config\.yaml)$"
)
_CHECK = re.compile(
    r"(?i)^(?:(?:gnu)?makefile|.*\.mk|justfile|taskfile\.ya?ml|rakefile|cmakelists\.txt|tox\.ini|noxfile\.py|pytest\.ini"
    r"|\.?coveragerc|setup\.cfg|setup\.py|pyproject\.toml|conftest\.py|mypy\.ini|\.?ruff\.toml|package\.json|tsconfig.*\.json"
    r"|(?:jest|vitest|karma|playwright|cypress|babel)\..*|\.mocharc.*|\.eslintrc.*|eslint\.config\..*|phpunit\.xml.*"
    r"|composer\.json|pom\.xml|build\.gradle.*|settings\.gradle.*|build\.sbt|mix\.exs|cargo\.toml|go\.mod|gemfile|\.rspec)$"
)


def mark_file(path: str, argv: Sequence[str], *, is_executable: bool) -> str:
    """Return the marks of a changed file, as `test, executable`; empty without any. `argv` is the project's check."""
    name, named = PurePosixPath(path).name, {str(PurePosixPath(word)) for word in argv}
    marks = {
        "test": is_test(path),
        "CI": bool(_CI.search(path)),
        "check": path in named or bool(_CHECK.match(name)),
        "executable": is_executable or name.endswith((".sh", ".bash")),
    }
    return ", ".join(mark for mark, holds in marks.items() if holds)


def is_test(path: str, text: str = "") -> bool:
    """Return whether a file holds tests, by its path, or by its text where the language keeps them beside the code."""
    place = PurePosixPath(path)
    in_folder = any(part.lower() in _TEST_FOLDERS for part in place.parts[:-1])
    return (
        in_folder or bool(_TEST_FILE.search(place.name)) or (place.suffix == ".rs" and bool(_TESTS_WITHIN.search(text)))
    )
