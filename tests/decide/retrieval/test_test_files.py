"""Files of tests told by their paths, whatever the language."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.test_files import is_test


@pytest.mark.parametrize(
    "path",
    [
        "okhttp/src/jvmTest/kotlin/okhttp3/CallTest.kt",
        "app/src/androidTest/java/LoginIT.java",
        "core/src/commonTest/kotlin/a.kt",
        "okhttp-testing-support/src/main/kotlin/A.kt",
        "src/Store.Tests/QueueTests.cs",
        "lib/ParserSpec.scala",
        "internal/reader/parser/testdata/rdf.xml",
        "web/__tests__/menu.tsx",
        "spec/models/user_spec.rb",
        "pkg/queue_test.go",
        "src/queue.spec.ts",
        "tests/conftest.py",
        "lib/QueueTestCase.php",
    ],
)
def test_a_test_is_known_by_the_words_of_its_path(path: str) -> None:
    """Folders and names are split where words begin, by case too."""
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/werkzeug/test.py",
        "src/latest/contest.go",
        "starlette/testclient.py",
        "src/attestation.rs",
        "lib/specification.rb",
        "docs/protest.md",
    ],
)
def test_code_is_no_test_because_of_some_letters(path: str) -> None:
    """A word that only holds the letters, and a module that tests are written with, are code."""
    assert not is_test(path)
