"""Syntax trees of the product, each file parsed once for all tests of its source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("bot", "blocks", "prompts", "sandbox")


@cache
def nodes_by_file() -> dict[Path, list[ast.AST]]:
    """Return every file of the product, in order, with the nodes of its syntax tree level by level."""
    files = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
    return {file: list_nodes(ast.parse(file.read_text("utf-8"))) for file in files}


def list_nodes(tree: ast.AST) -> list[ast.AST]:
    """Return what `ast.walk` yields but for the contexts of names, in less than half its time."""
    nodes = [tree]
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)
    return nodes
