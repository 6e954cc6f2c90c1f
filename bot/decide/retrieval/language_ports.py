"""Ports of a project to other languages, in folders named after them next to the main code. Pure.

Answers come from the main code, unless the question names the other language.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from bot.decide.retrieval.code_languages import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FAMILIES = {
    "javascript": "js", "typescript": "js", "java": "jvm", "kotlin": "jvm", "scala": "jvm", "clojure": "jvm",
    "c": "c", "c++": "c", "elixir": "beam", "erlang": "beam", "c#": "dotnet",
}  # fmt: skip
"""Families of languages that are used together in one project."""
_FOLDERS = {
    "python": "python", "py": "python", "elixir": "beam", "erlang": "beam", "php": "php", "rust": "rust",
    "dotnet": "dotnet", "csharp": "dotnet", "java": "jvm", "kotlin": "jvm", "scala": "jvm", "ruby": "ruby",
    "golang": "go", "go": "go", "swift": "swift", "dart": "dart", "nodejs": "js", "typescript": "js",
    "haskell": "haskell",
}  # fmt: skip
"""Folder names of ports, with the family of the language."""
_MANIFESTS = {
    "package.json": "js", "go.mod": "go", "Cargo.toml": "rust", "pyproject.toml": "python", "setup.py": "python",
    "pom.xml": "jvm", "build.gradle": "jvm", "build.gradle.kts": "jvm", "Gemfile": "ruby", "composer.json": "php",
    "mix.exs": "beam", "Package.swift": "swift", "pubspec.yaml": "dart", "stack.yaml": "haskell",
}  # fmt: skip
_WORDS = {
    "dotnet": ("c#", ".net", "dotnet", "csharp"),
    "beam": ("elixir", "erlang"),
    "js": ("node", "javascript", "typescript"),
}
_ENDINGS = {ending: _FAMILIES.get(name, name) for name, endings in EXTENSIONS.items() for ending in endings}
_DEEPEST = 3
"""Maximum depth of a port's folder; deeper ones follow that language's own layout."""
_SOURCE = ("main", "test", "src")


def find_ports(paths: Iterable[str]) -> dict[str, str]:
    """Return the folders with a port and the family of its language; empty if the main language is unknown."""
    counts: Counter[str] = Counter()
    folders: dict[str, str] = {}
    main: set[str] = set()
    for path in paths:
        if family := _ENDINGS.get(path.rpartition(".")[2].lower()):
            counts[family] += 1
        parts = path.split("/")
        if len(parts) == 1 and path in _MANIFESTS:
            main.add(_MANIFESTS[path])
        for at, part in enumerate(parts[:-1][:_DEEPEST]):
            if (family := _FOLDERS.get(part.lower())) and not (at and parts[at - 1] in _SOURCE):
                folders["/".join(parts[: at + 1]) + "/"] = family
    if not main:
        return {}
    main |= {family for family, _ in counts.most_common(1)}
    return {folder: family for folder, family in folders.items() if family not in main}


def select_unnamed_ports(folders: Mapping[str, str], question: str) -> tuple[str, ...]:
    """Return the folders with a port whose language the question does not name."""
    text = question.lower()
    return tuple(folder for folder, family in sorted(folders.items()) if not _names(text, folder, family))


def _names(text: str, folder: str, family: str) -> bool:
    words = (folder.rstrip("/").rpartition("/")[2].lower(), *_WORDS.get(family, (family,)))
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)
