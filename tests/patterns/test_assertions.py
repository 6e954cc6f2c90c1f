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
    """Yield every function and method of the tests, but for those inside another one."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            for each in node.body if isinstance(node, ast.ClassDef) else (node,):
                if isinstance(each, Function):
                    yield path, each


def calls(nodes: list[ast.AST]) -> set[str]:
    """Return the names of everything that is called."""
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in called}


def asserts(function: Function) -> bool:
    """Return whether a function fails by itself: by an assertion, or by what stands in `ASSERTING`."""
    if any(isinstance(statement, ast.Assert) for statement in function.body):
        return True  # most tests; the rest of their tree need not be read
    nodes = list_nodes(function)
    is_raised = any(isinstance(node, ast.Assert) or "AssertionError" in _raised(node) for node in nodes)
    return is_raised or not calls(nodes).isdisjoint(ASSERTING)


def _raised(node: ast.AST) -> str:
    return ast.unparse(node.exc) if isinstance(node, ast.Raise) and node.exc else ""


def test_every_test_asserts_something() -> None:
    """A helper counts by its name."""
    helpers: set[str] = set()
    unsure: list[tuple[Path, Function]] = []
    for path, node in functions():
        is_test, is_asserting = node.name.startswith("test_"), asserts(node)
        if is_asserting and not is_test:
            helpers.add(node.name)
        elif is_test and not is_asserting:
            unsure.append((path, node))
    silent = [(path, node) for path, node in unsure if calls(list_nodes(node)).isdisjoint(helpers)]
    assert [f"{path.relative_to(TESTS)}: {node.name}" for path, node in silent] == []
