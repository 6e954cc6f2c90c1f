"""Names in the docstrings exist: a renamed function, parameter or setting leaves no old name behind."""

from __future__ import annotations

import ast
import re

from tests.patterns.sources import ROOT, nodes_by_file

EXAMPLES = {
    *(
        "MaxAge",
        "MySQL",
        "_test",
        "acao",
        "can",
        "configur",
        "configurat",
        "consistent",
        "groesse",
        "grosse",
        "handl",
        "instal",
        "lost_after_days",
    ),
    *("max_age", "max_retry", "otherrepo", "pool2", "query_logs", "retr", "retries", "shop", "son", "sudo", "war"),
}
"""Words of texts that a docstring quotes: what people write, stems, names of other projects."""
LIBRARIES = {"procrastinate_jobs", "pydantic", "select_stalled_jobs_by_heartbeat"}

_NAME = re.compile(r"`([A-Za-z_][\w.]*)`")
_WORD = re.compile(r"_?[a-z\d]+(?:_[a-z\d]+)*|_?[A-Z][a-z]+(?:[A-Z]\w*)?")
"""Shape of a function, a parameter or a class; constants and names of Slack in capitals are left out."""
_PLAIN = re.compile(r"[\w./-]+")
_SEPARATOR = re.compile(r"\W+")


def names_of(node: ast.AST) -> list[str]:
    """The names that a node defines or uses; a constant string may be a key of data or a setting."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
            return [name]
        case ast.alias(name=name):
            return name.split(".")
        case ast.Constant(value=str(text)) if _PLAIN.fullmatch(text):
            return [text, *_SEPARATOR.split(text)]
        case _:
            return []


def test_each_name_in_a_docstring_exists() -> None:
    """As a module, definition, parameter, attribute or key somewhere in the product."""
    known, mentions = EXAMPLES | LIBRARIES, []
    for schema in (ROOT / "bot").rglob("*.sql"):
        known.update(_SEPARATOR.split(schema.read_text("utf-8")))
    for path, nodes in nodes_by_file().items():
        place = path.relative_to(ROOT)
        known.update(place.with_suffix("").parts)
        for node in nodes:
            known.update(names_of(node))
            match node:  # a docstring, that of a field or a constant too
                case ast.Expr(value=ast.Constant(value=str(text)), lineno=line):
                    mentions += [(place, line, name) for name in _NAME.findall(text)]
    missing = [
        f"{place}:{line}: {name}"
        for place, line, name in mentions
        if any(_WORD.fullmatch(part) and part not in known for part in name.split("."))
    ]
    assert missing == [], "\n".join(missing)
