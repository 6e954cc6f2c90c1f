"""Read log of an agent's run: lines of files, commits, and answers of other servers that it was shown.

Reading tools fill it, one log for each run; the evidence check looks up cited places in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST_OF_A_SHA = 7
"""Minimum characters of an abbreviated SHA."""


@dataclass(frozen=True, slots=True)
class OpenedLines:
    """Lines `first` to `last` of `path`, both included; `commit` is a full SHA, or `None` for the file on disk."""

    path: str
    first: int
    last: int
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """Answer of another server's tool, as shown to the agent."""

    tool: str
    text: str


@dataclass
class ReadLog:
    """Read log of one run."""

    spans: list[OpenedLines] = field(default_factory=list)
    answers: list[ServerAnswer] = field(default_factory=list)
    """Answers of other servers' tools, without errors."""
    commits: set[str] = field(default_factory=set)
    """Full SHAs of the shown commits."""

    def note(self, path: str, first: int, last: int, commit: str | None = None) -> None:
        """Record lines that were shown."""
        self.spans.append(OpenedLines(_normalise_path(path), first, last, commit))

    def note_answer(self, tool: str, text: str) -> None:
        """Record the answer of another server's tool."""
        self.answers.append(ServerAnswer(tool, text))

    def note_commits(self, shas: Iterable[str]) -> None:
        """Record commits that were shown."""
        self.commits.update(shas)

    def covers_commit(self, ref: str) -> bool:
        """Return whether the commit with this SHA, or abbreviated SHA, was shown; other names never match."""
        return len(ref) >= FEWEST_OF_A_SHA and any(sha.startswith(ref.lower()) for sha in self.commits)

    def covers(self, path: str, first: int, last: int, commit: str | None = None) -> bool:
        """Return whether each of these lines was shown; `commit` may be an abbreviated SHA."""
        place = _normalise_path(path)
        ranges = sorted((s.first, s.last) for s in self.spans if s.path == place and _is_same_commit(s.commit, commit))
        wanted = first
        for start, end in ranges:
            if start <= wanted <= end:
                wanted = end + 1
        return wanted > last


def _is_same_commit(read_commit: str | None, cited: str | None) -> bool:
    return read_commit == cited or bool(
        read_commit and cited and len(cited) >= FEWEST_OF_A_SHA and read_commit.startswith(cited)
    )


def _normalise_path(path: str) -> str:
    """Normalize a path without resolving `..`, which may lead elsewhere after a link."""
    return ("/" if path.startswith("/") else "") + "/".join(part for part in path.split("/") if part not in ("", "."))
