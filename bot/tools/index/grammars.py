"""Grammars of programming languages: where the definitions of a file begin and end, and what they are called.

Each language is a wheel of its own that holds its grammar; nothing is fetched. A file is parsed within bounds of size
and time, and without a grammar, or beyond the bounds, it is cut by its lines (`decide/retrieval/passages`). The tree is
walked by hand: a query takes time that grows with the square of a hostile file's depth.
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
"""The largest file that is parsed."""
MOST_SECONDS = 0.5
_DEEPEST = 60
"""Nodes inside one another below which nobody defines anything."""
_EXPRESSIONS = """
    comment line_comment block_comment string string_literal template_string raw_string_literal heredoc_body regex
    parameters formal_parameters parameter_list method_parameters type_parameters type_arguments type_annotation
    argument_list attribute member_expression field_expression selector_expression binary_expression
    boolean_operator comparison_operator unary_expression import_statement import_from_statement import_declaration
    use_declaration preproc_include dictionary list tuple array hash interpreted_string_literal
    identifier subscript method_invocation literal_value composite_literal macro_invocation
"""
_CLOSED = frozenset(_EXPRESSIONS.split())
"""Nodes in which nobody defines what others look for: expressions, texts, arguments."""
_LOOKED_AT = 512
"""Nodes between two looks at the clock."""
_PIECES = (*range(64), *(2**power for power in range(6, 17)))
"""Lengths in which a content is handed to the parser: what is left where that is little, so that no letter is cut."""
_BUFFERS = [bytearray(length) for length in _PIECES]
"""One for each length, used again and again: tree-sitter 0.26 never lets go of what a callback gives it."""
_parsing = Lock()
"""Parsers and buffers are those of the whole process."""

_C_NAMES = 4
"""Declarators inside one another: a pointer to a pointer to a function."""
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
"""Nodes that define something only where they hold one of `_FUNCTIONS`, by this field."""
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
    """A definition: its name, its first and last line, and how many others enclose it."""

    name: str
    first: int
    last: int
    depth: int


def language_of(path: str) -> str:
    """The language by whose grammar a file is parsed; empty where there is none, or where it is not installed."""
    language = _ENDINGS.get(path.rpartition(".")[2].lower(), "")
    return language if language and _is_installed(language) else ""


@cache
def _is_installed(language: str) -> bool:
    return all(importlib.util.find_spec(module) for module in ("tree_sitter", _LANGUAGES[language][0]))


def definitions_in(language: str, content: bytes, clock: Callable[[], float] = time.monotonic) -> list[Defined] | None:
    """The definitions of a file in their order, outer ones first; `None` beyond the bounds of size and time."""
    if len(content) > MOST_BYTES:
        return None
    until = clock() + MOST_SECONDS
    parser, names = _parser(language)
    with _parsing:
        try:
            tree = parser.parse(lambda at, _: _piece(content, at), progress_callback=lambda *_: clock() > until)
        except ValueError:  # it was called off
            parser.reset()
            return None
    found = []
    for at, (node, depth) in enumerate(_defining(tree.root_node, names)):
        if at % _LOOKED_AT == 0 and clock() > until:
            return None
        if node is not None and (name := _name(node, names[node.type], content)):
            found.append(Defined(name, node.start_point.row + 1, node.end_point.row + 1, depth))
    return found


def _piece(content: bytes, at: int) -> bytearray:
    """What comes next in a content, in one of the buffers; empty at its end."""
    number = bisect_right(_PIECES, len(content) - at) - 1
    buffer = _BUFFERS[max(number, 0)]
    buffer[:] = content[at : at + len(buffer)]
    return buffer


def _defining(root: Node, names: Mapping[str, str]) -> Iterator[tuple[Node | None, int]]:
    """Each node that may define something, with the number of those around it; `None` for each other node."""
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
    """The name that a node defines; empty where it only uses one."""
    value = _VALUES.get(node.type)
    if value and ((held := node.child_by_field_name(value)) is None or held.type not in _FUNCTIONS):
        return ""
    if node.type in ("struct_specifier", "enum_specifier") and node.child_by_field_name("body") is None:
        return ""
    name = node.child_by_field_name(field)
    for _ in range(_C_NAMES if field == "declarator" else 0):
        name = (name.child_by_field_name("declarator") or name) if name else None
    return content[name.start_byte : name.end_byte].decode("utf-8", "replace").strip() if name else ""


@cache
def _parser(language: str) -> tuple[Parser, Mapping[str, str]]:
    from tree_sitter import Language, Parser  # a platform without wheels does without

    module, factory, names = _LANGUAGES[language]
    return Parser(Language(getattr(importlib.import_module(module), factory)())), names
