"""Paths as people write them, resolved in a project: from its root, after its name, from a folder, or by their ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.agents.evidence import cited_lines
from bot.decide.grounding.citation_lines import LINES
from bot.decide.retrieval.function_words import FUNCTION_WORDS
from bot.decide.retrieval.stopwords import STOP
from bot.errors import ToolError
from bot.tools import git
from bot.tools.denied_paths import is_denied
from bot.tools.search import find_text, list_files

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from bot.decide.grounding.mention import Mention
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project

_SHORT = 3
"""Letters of a word that joins others, as in `and/or/`."""
_WITH_LINES = re.compile(rf"{LINES}$")


def as_ref(path: str, first: int | None, last: int | None) -> str:
    """Return the reference of lines of a file, or of the file alone."""
    if first is None:
        return path
    return f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"


class CitedPaths:
    """Path lookup in one project; its files are listed once, and only where a path is not found directly."""

    def __init__(self, project: Project, folder: str) -> None:
        self._project = project
        self._folder = folder
        self._tree: tuple[str, ...] | None = None
        self._top: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that people put before a path: of the project, its folder and its repository."""
        project = self._project
        page = project.web_url.partition("{")[0].rstrip("/").removesuffix(".git").rpartition("/")[2]
        names = (project.name, project.belongs_to, project.name.rpartition("/")[2], project.root.name, page)
        return tuple(dict.fromkeys(name for name in names if name))

    async def readings(self, mention: Mention) -> AsyncIterator[str]:
        """Yield the possible paths of a mention, relative to the project's root, each once."""
        yielded: set[str] = set()
        is_address = mention.text.startswith("http")
        for path in [candidate async for candidate in self._below_top(mention)] if is_address else mention.paths:
            for variant in self._variants(path):
                if variant and variant not in yielded:
                    yielded.add(variant)
                    yield variant

    async def _below_top(self, mention: Mention) -> AsyncIterator[str]:
        """Yield the paths of a web address, which start at the repository's top."""
        if self._top is None:
            try:
                prefix, _ = await git.run(self._project.root, "rev-parse", "--show-prefix")
                self._top = prefix.decode("utf-8", "replace").strip()
            except ToolError:
                self._top = ""
        for path in mention.paths:
            yield path.removeprefix(self._top)

    def _variants(self, path: str) -> Iterator[str]:
        plain, is_rooted = path, path.startswith(("/", "~"))
        while plain.startswith("../"):
            plain = plain.removeprefix("../")
        for root in (self._project.root.as_posix(), self._project.root.resolve().as_posix()):
            plain = plain.removeprefix(f"{root}/")
        plain = plain.lstrip("/")
        yield plain
        if self._folder != ".":
            yield f"{self._folder}/{plain}"
        for name in self.names:
            if plain.startswith(f"{name}/"):
                yield plain.removeprefix(f"{name}/")
            elif is_rooted and f"/{name}/" in plain:  # a person's own checkout
                yield plain.rpartition(f"/{name}/")[2]

    def reference_to_missing(self, mention: Mention, *, is_outside: bool) -> str:
        """Return the reference of a missing file: as written, or without the project's name before it."""
        path = mention.paths[0]
        names = [name for name in self.names if path.startswith(f"{name}/")]
        if is_outside and not mention.words:
            path = _WITH_LINES.sub("", mention.text)
        elif names and not self.has_folder([path]):
            path = path.removeprefix(f"{names[0]}/")
        return as_ref(path, mention.first, mention.last)

    async def is_suffix(self, name: str) -> bool:
        """Return whether file names end with `name`, such as `_test.go`."""
        return name.startswith(("_", ".", "-")) and any(file.endswith(name) for file in await self._list_files())

    async def find_similar(self, paths: Sequence[str], before: Sequence[EvidenceRef]) -> list[str]:
        """Return the files whose paths end like one of `paths`, those that the findings cite where there are any."""
        wanted = tuple(f"/{path}" for path in paths if "/" in path or "." in path)
        likely = [path for path in await self._list_files() if f"/{path}".endswith(wanted)] if wanted else []
        cited = {place[0] for reference in before if (place := cited_lines(reference.ref))}
        return [path for path in likely if path in cited] or likely

    async def leads_outside(self, path: str) -> bool:
        """Return whether a path is absolute, or leads out of the project to names that it does not have."""
        if not path.startswith("../"):
            return path.startswith(("/", "~"))
        plain = re.sub(r"^(?:\.\./)+", "", path).rstrip("/")
        heads = (f"/{plain}", f"/{plain.partition('/')[0]}/")
        return not any(head in f"/{file}" for file in await self._list_files() for head in heads)

    async def may_be_folder(self, path: str) -> bool:
        """Return whether a path may be a folder of the project, plain language or a web address."""
        words = path.lower().rstrip("/").split("/")
        plain = all(word in FUNCTION_WORDS or (word in STOP and len(word) <= _SHORT) for word in words)
        if plain or self._is_folder(path) or path.startswith("/"):
            return True
        if self.has_folder([path]) or path.startswith("../"):
            return False
        if any(f"/{path}" in f"/{file}" for file in await self._list_files()):
            return True
        try:
            return bool((await find_text(self._project.root, [path], self._project.ignore)).files)
        except ToolError:
            return True

    async def _list_files(self) -> Sequence[str]:
        """Return the project's files, listed once."""
        if self._tree is None:
            try:
                self._tree = await list_files(self._project.root, self._project.ignore)
            except ToolError:
                self._tree = ()
        return self._tree

    def _is_folder(self, path: str) -> bool:
        """Return whether a path in any of its variants is a folder of the project."""
        return any(
            not is_denied(variant) and (self._project.root / variant).is_dir() for variant in self._variants(path)
        )

    def has_folder(self, paths: Sequence[str]) -> bool:
        """Return whether a path begins with a folder of the project, and so was meant for the project."""
        heads = {path.partition("/")[0] for path in paths if "/" in path}
        return any(not is_denied(head) and (self._project.root / head).is_dir() for head in heads)
