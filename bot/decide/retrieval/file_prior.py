"""File prior: likelihood that a file contains the answer, by its path and the kind of question. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.retrieval.test_files import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.retrieval.query import Query

_DOCUMENTS = {"": 0.8, "way": 1.0, "option": 0.95, "calls": 0.6, "owner": 0.9}
"""Weight of documents relative to code, by the kind of question."""
_OPTION = 1.15
"""Factor for files of settings and defaults, if one is asked for."""
_PORT = 0.45
"""Weight of a port in another language relative to the main code."""
_NOTE = 1.5
"""Weight of a note that people saved as an answer."""

_SAMPLES = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|tutorials?|benchmarks?|bench|measure|evals?|experiments?|scripts"
    r"|fixtures?|mock_?data|contrib|t)(?:/|$)"
)
_HISTORY = re.compile(
    r"(?:^|/)(?:change(?:s|log)|history|news|release[-_]?notes?|releases|authors|contributors|licen[cs]e|copying|notice)(?:[.\-_/]|$)"
    r"|(?:^|/)docs?/(?:conf\.py|make\.bat|makefile)$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:_build|build|dist|vendor(?:ed)?|third[-_]party|site-packages|static/(?:[^/]+/){0,6}lib|_static|_vendor|generated|locales?|lang|i18n|l10n|translations?)(?:/|$)|_pb2(?:_grpc)?\.pyi?$|\.pb\.\w+$|\.pb\.gw\.go$|(?:^|/)(?:mvnw|gradlew)(?:\.\w+)?$|\.(?:css|scss|less|svg)$"
)
_LANGUAGES = re.compile(
    r"(?:^|/)(?:languages?|locales?|translations?|dictionar(?:y|ies)|word_?lists?|stop_?words)/"
    r"|(?:^|/|[_.-])[a-z]{2}(?:[-_][a-z]{2})?\.(?:ya?ml|json|properties|arb|strings|resx|ftl)$"
    r"|(?:stop_?words|word_?list|vocabulary)[^/]{0,100}$"
)
"""Word lists of languages, which contain most words of most questions."""
_OWNERS = re.compile(r"(?:^|/)(?:codeowners|owners|owners_aliases|maintainers)(?:\.\w+)?$")
_NO_EVIDENCE = 0.02
_KINDS = {"generated": 0.3, "history": 0.35, "test": 0.45, "sample": 0.6, "page": 0.6, "": 1.0}
"""Weights of the other kinds of files."""
_DOCUMENT = re.compile(r"\.(?:mdx?|markdown|rst|txt|adoc)$")
_PAGE = re.compile(r"\.(?:html?|json|xml|sql|tmpl|j2|jinja2?|hbs|mustache|ejs|erb|twig)$")
_BY_A_TOOL = re.compile(
    r"\b(?:auto-?(?:matically)?[- ]?)?generated\b.{0,200}\bdo not (?:edit|modify)\b"
    r"|\bdo not (?:edit|modify) (?:manually|by hand|this file)\b"
    r"|\bthis file (?:is|was|has been) (?:auto-?(?:matically)?[- ]?)?generated\b|(?:^|\s)@generated\b",
    re.IGNORECASE,
)
_FIRST = 12
_MAX_LINE_LENGTH = 200
_SETTINGS = re.compile(
    r"(?:config|settings?|options?|defaults?|conf|const)[^/]{0,100}$"
    r"|\.(?:ini|cfg|conf|properties|toml|ya?ml)(?:\.\w+)?$"
)


def file_prior(query: Query, path: str, *, is_note: bool = False) -> float:
    """Return the likelihood that a file contains the answer, including files that the asker named."""
    lowered = path.lower()
    value = _NOTE if is_note else _by_kind(query, path)
    if path in query.generated:
        value = min(value, _KINDS["generated"])
    if query.asks == "option" and _SETTINGS.search(lowered):
        value *= _OPTION
    if query.port_folders and path.startswith(query.port_folders):
        value *= _PORT
    if mentions(query.favoured, path):
        value *= 2.5
    elif mentions(query.files, path):
        value *= 2.0
    return value


def _by_kind(query: Query, path: str) -> float:
    """Return the likelihood for a file's kind."""
    match _kind(path):
        case "owners":
            return 1.0 if query.asks == "owner" else _NO_EVIDENCE
        case "test":
            return 1.0 if query.asks_tests else _KINDS["test"]
        case "document":
            return _DOCUMENTS[query.asks]
        case kind:
            return _KINDS[kind]


@lru_cache(maxsize=65_536)
def _kind(path: str) -> str:
    """Return the kind of a file by its path; the more specific of two."""
    lowered = path.lower()
    if _OWNERS.search(lowered):
        return "owners"
    if _LANGUAGES.search(lowered) or _GENERATED.search(lowered):
        return "generated"
    if _HISTORY.search(lowered):
        return "history"
    if is_test(path):
        return "test"
    if _SAMPLES.search(lowered):
        return "sample"
    if _DOCUMENT.search(lowered):
        return "document"
    return "page" if _PAGE.search(lowered) else ""


def is_generated(lines: Sequence[str]) -> bool:
    """Return whether the first lines of a file say that it is generated."""
    return any(_BY_A_TOOL.search(line[:_MAX_LINE_LENGTH]) for line in lines[:_FIRST])


def is_aside(query: Query, path: str) -> bool:
    """Return whether a file is a test or a port that the question does not ask for."""
    return (is_test(path) and not query.asks_tests) or (
        bool(query.port_folders) and path.startswith(query.port_folders)
    )


def mentions(names: Iterable[str], path: str) -> bool:
    """Return whether one of the names, with or without folders, is the file's."""
    return any(path == name or path.endswith(f"/{name}") or PurePosixPath(path).name == name for name in names)
