"""Marks of changed files, by table."""

from __future__ import annotations

import pytest

from bot.decide.file_marks import is_test, mark_file


@pytest.mark.parametrize(
    ("path", "marks"),
    [
        ("src/cart.js", ""),
        ("bot/contest.py", ""),
        ("src/latest.py", ""),
        ("src/attestation.go", ""),
        ("tests/a.py", "test"),
        ("shop/test_cart.py", "test"),
        ("cart_test.go", "test"),
        ("src/cart.spec.ts", "test"),
        ("src/CartTest.java", "test"),
        ("conftest.py", "test, check"),
        (".github/workflows/ci.yml", "CI"),
        (".gitlab-ci.yml", "CI"),
        ("Jenkinsfile", "CI"),
        ("Makefile", "check"),
        ("web/package.json", "check"),
        ("tools/verify.py", "check"),
        ("run.sh", "executable"),
        ("tests/run.sh", "test, executable"),
    ],
)
def test_files_that_need_a_second_look_are_marked(path: str, marks: str) -> None:
    """Tests, the check's own files, settings of continuous integration, and executables."""
    assert mark_file(path, ("python3", "./tools/verify.py"), is_executable=False) == marks
    executable = [*filter(None, [marks.removesuffix("executable").rstrip(", "), "executable"])]
    assert mark_file(path, ("python3", "./tools/verify.py"), is_executable=True) == ", ".join(executable)


@pytest.mark.parametrize(
    ("path", "text", "holds"),
    [
        ("src/lib.rs", "fn a() {}\n#[cfg(test)]\nmod tests {}", True),
        ("src/lib.rs", "fn a() {}", False),
        ("a.py", "#[test]", False),
    ],
)
def test_tests_beside_the_code_count(path: str, text: str, holds: bool) -> None:
    """As those of Rust."""
    assert is_test(path, text) is holds
