"""Grammars of programming languages: extents and names of the definitions in a file.

Each grammar is an installed wheel; nothing is fetched. A file is parsed within limits of size and time; without a
grammar, or beyond the limits, it is split by lines (`decide/retrieval/passages`). The tree is walked by hand, since a
query takes time quadratic in a hostile file's depth.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tree_sitter import Node, Parser

MOST_BYTES = 400_000
"""Maximum bytes of a parsed file."""
MOST_SECONDS = 0.5
_DEEPEST = 60
"""Maximum depth of nodes that are searched for definitions."""
_EXPRESSIONS = """
    comment line_comment block_comment string string_literal template_string raw_string_literal heredoc_body regex
    parameters formal_parameters parameter_list method_parameters type_parameters type_arguments type_annotation
    argument_list attribute member_expression field_expression selector_expression binary_expression
    boolean_operator comparison_operator unary_expression import_statement import_from_statement import_declaration
    use_declaration preproc_include dictionary list tuple array hash interpreted_string_literal
    identifier subscript method_invocation literal_value composite_literal macro_invocation
"""
_CLOSED = frozenset(_EXPRESSIONS.split())
"""Node types that are not searched for definitions: expressions, texts, arguments."""
_LOOKED_AT = 512
"""Number of nodes between two checks of the time limit."""
_PIECES = (*range(64), *(2**power for power in range(6, 17)))
"""Lengths of the pieces passed to the parser; short ones fit the rest exactly, so that no character is cut."""
_BUFFERS = [bytearray(length) for length in _PIECES]
"""Reused buffers, one for each length: tree-sitter 0.26 never releases the buffers that a callback returns."""
_parsing = Lock()
"""Lock of the parsers and buffers, which the process shares."""

_C_NAMES = 4
"""Maximum nesting of C declarators: a pointer to a pointer to a function."""
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "class", "generator_function"})
_JAVASCRIPT = {
    **dict.fromkeys(
        ("function_declaration", "generator_function_declaration", "class_declaration", "method_definition"), "name"
    ),
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
}
_VALUES = {"variable_declarator": "value", "assignment_expression": "right", "pair": "value"}
"""Node types that define something only if this field holds one of `_FUNCTIONS`."""
_TYPESCRIPT = _JAVASCRIPT | dict.fromkeys(
    (
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "abstract_class_declaration",
        "internal_module",
    ),
    "name",
)
_LANGUAGES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "python": (
        "tree_sitter_python",
        "language",
        dict.fromkeys(("function_definition", "class_definition"), "name"),
    ),
    "javascript": ("tree_sitter_javascript", "language", _JAVASCRIPT),
    "typescript": ("tree_sitter_typescript", "language_typescript", _TYPESCRIPT),
    "tsx": ("tree_sitter_typescript", "language_tsx", _TYPESCRIPT),
    "go": (
        "tree_sitter_go",
        "language",
        dict.fromkeys(("function_declaration", "method_declaration", "type_spec"), "name"),
    ),
    "rust": (
        "tree_sitter_rust",
        "language",
        {
            **dict.fromkeys(
                (
                    "function_item",
                    "function_signature_item",
                    "struct_item",
                    "enum_item",
                    "trait_item",
                    "mod_item",
                    "macro_definition",
                ),
                "name",
            ),
            "impl_item": "type",
        },
    ),
    "java": (
        "tree_sitter_java",
        "language",
        dict.fromkeys(
            (
                "class_declaration",
                "interface_declaration",
                "enum_declaration",
                "record_declaration",
                "annotation_type_declaration",
                "method_declaration",
                "constructor_declaration",
            ),
            "name",
        ),
    ),
    "ruby": (
        "tree_sitter_ruby",
        "language",
        dict.fromkeys(("method", "singleton_method", "class", "module"), "name"),
    ),
    "c": (
        "tree_sitter_c",
        "language",
        {
            "function_definition": "declarator",
            "type_definition": "declarator",
            "struct_specifier": "name",
            "enum_specifier": "name",
            "preproc_function_def": "name",
        },
    ),
}
_ENDINGS = {
    ending: language
    for language, endings in {
        "python": "py pyi",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "ruby": "rb rake gemspec",
        "c": "c h",
    }.items()
    for ending in endings.split()
}


@dataclass(frozen=True, slots=True)
class Defined:
    """Definition: name, first and last line, and number of enclosing definitions."""

    name: str
    first: int
    last: int
    depth: int


def language_of(path: str) -> str:
    """Return the language whose grammar parses a file; empty without an installed grammar."""
    language = _ENDINGS.get(path.rpartition(".")[2].lower(), "")
    return language if language and _is_installed(language) else ""


@cache
def _is_installed(language: str) -> bool:
    return all(importlib.util.find_spec(module) for module in ("tree_sitter", _LANGUAGES[language][0]))


def definitions_in(language: str, content: bytes, clock: Callable[[], float] = time.monotonic) -> list[Defined] | None:
    """Parse the definitions of a file, in order, outer ones first; `None` beyond the limits of size and time."""
    if len(content) > MOST_BYTES:
        return None
    until = clock() + MOST_SECONDS
    parser, names = _parser(language)
    with _parsing:
        try:
            tree = parser.parse(lambda at, _: _piece(content, at), progress_callback=lambda *_: clock() > until)
        except ValueError:  # cancelled by the time limit
            parser.reset()
            return None
    definitions = []
    for at, (node, depth) in enumerate(_find_defining(tree.root_node, names)):
        if at % _LOOKED_AT == 0 and clock() > until:
            return None
        if node is not None and (name := _name(node, names[node.type], content)):
            definitions.append(Defined(name, node.start_point.row + 1, node.end_point.row + 1, depth))
    return definitions


def _piece(content: bytes, at: int) -> bytearray:
    """Return the next piece of a content, in one of the buffers; empty at its end."""
    number = bisect_right(_PIECES, len(content) - at) - 1
    buffer = _BUFFERS[max(number, 0)]
    buffer[:] = content[at : at + len(buffer)]
    return buffer


def _find_defining(root: Node, names: Mapping[str, str]) -> Iterator[tuple[Node | None, int]]:
    """Yield each node that may define something, with the number of enclosing ones; `None` for each other node."""
    cursor = root.walk()
    around = [False]
    while True:
        node = cursor.node
        kind = node.type if node else ""
        defines = kind in names
        yield (node, sum(around)) if defines else (None, 0)
        if kind not in _CLOSED and len(around) < _DEEPEST and cursor.goto_first_child():
            around.append(defines)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            around.pop()
        if len(around) < 2:
            return


def _name(node: Node, field: str, content: bytes) -> str:
    """Return the name that a node defines; empty if it only uses one."""
    value = _VALUES.get(node.type)
    if value and ((value_node := node.child_by_field_name(value)) is None or value_node.type not in _FUNCTIONS):
        return ""
    if node.type in ("struct_specifier", "enum_specifier") and node.child_by_field_name("body") is None:
        return ""
    name = node.child_by_field_name(field)
    for _ in range(_C_NAMES if field == "declarator" else 0):
        name = (name.child_by_field_name("declarator") or name) if name else None
    return content[name.start_byte : name.end_byte].decode("utf-8", "replace").strip() if name else ""


@cache
def _parser(language: str) -> tuple[Parser, Mapping[str, str]]:
    from tree_sitter import Language, Parser  # missing on platforms without wheels

    module, factory, names = _LANGUAGES[language]
    return Parser(Language(getattr(importlib.import_module(module), factory)())), names
