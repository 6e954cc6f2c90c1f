"""Every pattern of the product: where `re` is called, with what, and how its matches are asked for.

Read from the syntax trees, so that a new pattern is found by itself. What a call is given is evaluated in its module;
a value that exists only while a function runs stands for a plain name.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.patterns.sources import ROOT, nodes_by_file

if TYPE_CHECKING:
    from pathlib import Path

ROOMS = ("bot", "blocks")
FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
ASKED = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
NAME = "name"
"""What stands for a value that is not known."""


@dataclass(frozen=True)
class Use:
    """One pattern: where it stands, what it is called there, and how it is asked."""

    file: str
    line: int
    name: str
    engine: str
    pattern: Any
    flags: int
    asked: frozenset[str]
    exact: bool
    """True if all of it is known here."""

    @property
    def anchored(self) -> bool:
        """Return whether it is tried at one place only."""
        return bool(self.asked) and self.asked <= {"match", "fullmatch"}

    @property
    def whole(self) -> bool:
        """Return whether it must take all of the text."""
        return self.asked == {"fullmatch"}


@cache
def uses() -> tuple[Use, ...]:
    """All of them, in order."""
    nodes = {file: all_nodes for file, all_nodes in nodes_by_file().items() if file.relative_to(ROOT).parts[0] in ROOMS}
    asked: dict[str, set[str]] = {}
    for file, inside in nodes.items():
        for name, method in _methods(inside):
            for key in (name, f"{file}:{name}"):
                asked.setdefault(key, set()).add(method)
    return tuple(use for file, inside in nodes.items() for use in _of(file, inside, asked))


def _methods(nodes: list[ast.AST]) -> list[tuple[str, str]]:
    """How each name is asked; a name that is handed on may be asked anything."""
    found = []
    inner = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            inner.add(id(node.value))
            if node.attr in (*ASKED, "pattern"):
                found.append((node.value.id, node.attr))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inner:
            found.append((node.id, "search"))
    return [(name, method) for name, method in found if method != "pattern"]


def _of(file: Path, nodes: list[ast.AST], asked: dict[str, set[str]]) -> list[Use]:
    module = None
    named = {
        id(node.value): target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
    }
    found = []
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        engine = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        what = node.func.attr
        if engine not in ("re", "re2") or what not in ("compile", *ASKED):
            continue
        module = module or importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        known = _Known(vars(module))
        pattern = known.value(node.args[0])
        name = named.get(id(node), "")
        key = f"{file}:{name}" if name.startswith("_") else name
        how = asked.get(key, set()) if what == "compile" else {what}
        flags = next((key.value for key in node.keywords if key.arg == "flags"), None)
        at = FLAGS_AT.get(what, 2)
        flags = node.args[at] if flags is None and len(node.args) > at else flags
        number = int(known.value(flags)) if flags is not None and engine == "re" else 0
        where = str(file.relative_to(ROOT))
        found.append(Use(where, node.lineno, name, engine, pattern, number, frozenset(how), known.exact))
    return found


class _Known:
    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.exact = True

    def value(self, node: ast.expr) -> Any:
        """What an expression is; a part that is known only at run time stands for a name."""
        try:
            return eval(compile(ast.Expression(node), "", "eval"), {**self.names})  # noqa: S307  # our own source
        except NameError:
            pass
        match node:
            case ast.JoinedStr(values=values):
                return "".join(str(self.value(each)) for each in values)
            case ast.FormattedValue(value=inner):
                return self.value(inner)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.value(left) + self.value(right)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.value(left) | self.value(right)
        self.exact = False
        return NAME


def flags_of(use: Use) -> int:
    """The flags that the engine would see; bytes are read as text of the same characters."""
    return use.flags | (re.ASCII if isinstance(use.pattern, bytes) else 0)
