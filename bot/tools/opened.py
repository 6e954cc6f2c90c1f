"""What was opened in one run of an agent: which lines of which file, as they lie on disk or in a commit.

Filled by the tools that read, one record for each run; the evidence check asks it whether a cited place was opened.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `first` to `last` of `path`, both included; `commit` is a full SHA, or `None` for the file on disk."""

    path: str
    first: int
    last: int
    commit: str | None = None


@dataclass
class Opened:
    """The record of one run."""

    spans: list[Span] = field(default_factory=list)

    def note(self, path: str, first: int, last: int, commit: str | None = None) -> None:
        """These lines were shown."""
        self.spans.append(Span(posixpath.normpath(path), first, last, commit))

    def holds(self, path: str, first: int, last: int, commit: str | None = None) -> bool:
        """Whether each of these lines was shown; `commit` may be the beginning of a SHA."""
        place = posixpath.normpath(path)
        seen = sorted((s.first, s.last) for s in self.spans if s.path == place and _same(s.commit, commit))
        wanted = first
        for start, end in seen:
            if start <= wanted <= end:
                wanted = end + 1
        return wanted > last


def _same(opened: str | None, cited: str | None) -> bool:
    return opened == cited or bool(opened and cited and len(cited) >= 7 and opened.startswith(cited))
