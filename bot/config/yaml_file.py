"""YAML reader that keeps the line of every key for error messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1_000_000
MOST_LEVELS = 50
"""Maximum nesting of lists and mappings; the C parser has no limit."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class KeyLines:
    """Line numbers of the keys of a file."""

    by_key: dict[tuple[int | str, ...], int]

    def line_of(self, key: tuple[int | str, ...]) -> int:
        """Return the line (from 1) of `key`, or of its nearest parent. Parts without a key in the file are skipped."""
        known: tuple[int | str, ...] = ()
        for part in key:
            known = (*known, part) if (*known, part) in self.by_key else known
        return self.by_key.get(known, 1)


def read_mapping(path: Path) -> tuple[dict[str, Any], KeyLines]:
    """Read the mapping in a YAML file; an empty file is an empty mapping. Raises `Misconfigured`."""
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        remedy = "`triage init` writes one, or copy triage.example.yml; --config names another"
        raise Misconfigured(f"{path}: expected a settings file; {remedy}") from None
    return mapping(text, path)


def read_text(path: Path, max_bytes: int) -> str:
    """Read a UTF-8 file of at most `max_bytes` bytes. Raises `Misconfigured`, and `FileNotFoundError` for a missing
    file."""
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise Misconfigured(f"{path}: expected a file of at most {max_bytes:,} bytes")
        return content.decode()
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"{path}: expected a readable UTF-8 file: {problem}") from None


def mapping(text: str, path: Path) -> tuple[dict[str, Any], KeyLines]:
    """Parse a mapping in YAML text from the beginning of the file `path`. Raises `Misconfigured`."""
    try:
        _check_structure(text, path)
        loader = _LOADER(text)
        tree = loader.get_single_node()
        by_key: dict[tuple[int | str, ...], int] = {}
        data: Any = None
        if tree is not None:
            _walk(tree, (), by_key, path)
            data = loader.construct_document(tree)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise Misconfigured(f"{path}{line}: expected YAML: {getattr(problem, 'problem', None) or problem}") from None
    except ValueError as problem:  # such as 30 February
        raise Misconfigured(f"{path}: expected values that exist: {problem}") from None
    if data is None:
        data = {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise Misconfigured(f"{path}:1: expected keys with values, such as `operators: [U0123ABCD]`")
    return data, KeyLines(by_key)


def _check_structure(text: str, path: Path) -> None:
    """Refuse aliases, since a few nested ones would exhaust the memory, and excessive nesting."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise Misconfigured(f"{path}:{line}: expected no alias (*{event.anchor})")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
            raise Misconfigured(f"{path}:{line}: expected at most {MOST_LEVELS} levels")


def _walk(node: yaml.Node, key: tuple[int | str, ...], by_key: dict[tuple[int | str, ...], int], path: Path) -> None:
    by_key.setdefault(key, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            inner = (*key, str(name.value))
            line = name.start_mark.line + 1
            if inner in by_key:
                where = ".".join(map(str, inner))
                raise Misconfigured(f"{path}:{line}: {where}: expected once, first seen in line {by_key[inner]}")
            by_key[inner] = line
            _walk(value, inner, by_key, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*key, index), by_key, path)
