"""What was opened in one run of an agent: which lines of which file, which commits, what other servers answered.

Filled by the tools that read, one record for each run; the evidence check asks it whether a cited place was opened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST_OF_A_SHA = 7
"""Characters by which a commit may be named."""


@dataclass(frozen=True, slots=True)
class OpenedLines:
    """Lines `first` to `last` of `path`, both included; `commit` is a full SHA, or `None` for the file on disk."""

    path: str
    first: int
    last: int
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What a tool of another server said, as the agent was shown it."""

    tool: str
    text: str


@dataclass
class Opened:
    """The record of one run."""

    spans: list[OpenedLines] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    """What tools of other servers answered, but for their errors."""
    commits: set[str] = field(default_factory=set)
    """The full SHAs of the commits that were shown."""

    def note(self, path: str, first: int, last: int, commit: str | None = None) -> None:
        """These lines were shown."""
        self.spans.append(OpenedLines(_plain(path), first, last, commit))

    def note_answer(self, tool: str, text: str) -> None:
        """A tool of another server said this."""
        self.answers.append(Answered(tool, text))

    def note_commits(self, shas: Iterable[str]) -> None:
        """These commits were shown."""
        self.commits.update(shas)

    def holds_commit(self, ref: str) -> bool:
        """Return whether the commit was shown that this SHA, or the beginning of one, names; no other name counts."""
        return len(ref) >= FEWEST_OF_A_SHA and any(sha.startswith(ref.lower()) for sha in self.commits)

    def holds(self, path: str, first: int, last: int, commit: str | None = None) -> bool:
        """Return whether each of these lines was shown; `commit` may be the beginning of a SHA."""
        place = _plain(path)
        seen = sorted((s.first, s.last) for s in self.spans if s.path == place and _same(s.commit, commit))
        wanted = first
        for start, end in seen:
            if start <= wanted <= end:
                wanted = end + 1
        return wanted > last


def _same(opened: str | None, cited: str | None) -> bool:
    return opened == cited or bool(opened and cited and len(cited) >= FEWEST_OF_A_SHA and opened.startswith(cited))


def _plain(path: str) -> str:
    """Without what says nothing. `..` stays: behind a link it leads elsewhere than its letters say."""
    return ("/" if path.startswith("/") else "") + "/".join(part for part in path.split("/") if part not in ("", "."))
