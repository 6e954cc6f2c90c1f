"""Every test asserts something: itself, or by a helper that says what it saw instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.patterns.sources import list_nodes

TESTS = Path(__file__).resolve().parents[1]
ASSERTING = {"expect", "fail", "raises", "warns"}
"""Playwright's and pytest's own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[Path, Function]]:
    """Yield every function and method of the tests."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in list_nodes(ast.parse(path.read_text())):
            if isinstance(node, Function):
                yield path, node


def calls(function: Function) -> set[str]:
    """Return the names of everything that a function calls."""
    called = (node.func for node in list_nodes(function) if isinstance(node, ast.Call))
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in called}


def asserts(function: Function) -> bool:
    """Return whether a function fails by itself: by an assertion, or by what stands in `ASSERTING`."""
    lines = list_nodes(function)
    is_raised = any(isinstance(node, ast.Assert) or "AssertionError" in _raised(node) for node in lines)
    return is_raised or not calls(function).isdisjoint(ASSERTING)


def _raised(node: ast.AST) -> str:
    return ast.unparse(node.exc) if isinstance(node, ast.Raise) and node.exc else ""


def test_every_test_asserts_something() -> None:
    """A helper counts by its name."""
    every = list(functions())
    helpers = {node.name for _, node in every if not node.name.startswith("test_") and asserts(node)}
    tests = ((path, node) for path, node in every if node.name.startswith("test_"))
    silent = [(path, node) for path, node in tests if not asserts(node) and calls(node).isdisjoint(helpers)]
    assert [f"{path.relative_to(TESTS)}: {node.name}" for path, node in silent] == []
