"""Ports of a project in other languages, beside its main code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.decide.retrieval.file_prior import file_prior
from bot.decide.retrieval.language_ports import find_ports, select_unnamed_ports
from bot.decide.retrieval.query import build_query

_TREE = (
    "package.json",
    "src/queue.ts",
    "src/worker.ts",
    "python/bullmq/queue.py",
    "dotnet/src/Queue.cs",
    "docs/python/intro.md",
    "elixir/lib/queue.ex",
)


@pytest.mark.parametrize(
    ("question", "counting"),
    [
        ("how long does a lock last?", ()),
        ("how long does a lock last in the python client?", ("python/", "docs/python/")),
        ("is there a c# version of queue events?", ("dotnet/",)),
        ("how do I start it from Elixir?", ("elixir/",)),
    ],
)
def test_a_port_counts_less_unless_its_language_is_named(question: str, counting: tuple[str, ...]) -> None:
    """The language may be named as its folder is, or as people say it."""
    folders = find_ports(_TREE)
    unnamed = select_unnamed_ports(folders, question)
    assert set(folders) - set(unnamed) == set(counting)
    query = replace(build_query(question), port_folders=tuple(unnamed))
    is_lower = {path: file_prior(query, path) < file_prior(build_query(question), path) for path in _TREE}
    assert is_lower == {path: path.startswith(tuple(unnamed)) for path in _TREE}


@pytest.mark.parametrize(
    "tree",
    [
        ("build.gradle.kts", "core/src/main/java/A.java", "core/src/main/kotlin/B.kt", "kotlin/C.kt"),
        ("queue.ts", "python/queue.py"),
        ("go.mod", "main.go", "ui/static/js/app.js", "web/package.json", "web/menu.tsx"),
    ],
)
def test_no_port_is_seen_where_nothing_tells(tree: tuple[str, ...]) -> None:
    """A kindred language, a tree without a manifest and a page's scripts are no ports."""
    assert find_ports(tree) == {}
