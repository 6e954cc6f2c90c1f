"""The guard: what every text of others passes before an agent has it. Redacted, stripped, bounded, in an envelope.

Made by `app`, one for all; used by each tool beside this module and by the agents for the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prompts.envelope import envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.decide.redact import Redactor

MAX_CHARS = 30_000
"""Characters of one answer that an agent gets."""

MAX_LINE = 1_000
"""Characters of one line of it."""


@dataclass(frozen=True, kw_only=True)
class Guard:
    """`new_nonce` gives a random word that nobody can guess, a new one each time."""

    redactor: Redactor
    new_nonce: Callable[[], str]

    def lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """The lines of a whole text, redacted together: a key over many lines is one secret. As many as before."""
        return tuple(self.redactor.redact("\n".join(lines)).split("\n")) if lines else ()

    def words(self, text: str) -> str:
        """A short text of the bot's own that may repeat words of others: redacted, not in an envelope."""
        return self.redactor.redact(text)

    def shown(self, text: str, *, source: str, **about: str) -> str:
        """`text` as an agent may read it."""
        redacted = self.redactor.redact(text)
        short = "\n".join(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…" for line in redacted.split("\n"))
        cut = len(short) > MAX_CHARS
        inside = f"{short[:MAX_CHARS].rpartition(chr(10))[0]}\n…" if cut else short
        about = {name: self.redactor.redact(value) for name, value in about.items()}
        if cut:
            about["cut"] = f"after {MAX_CHARS:,} characters; ask for less"
        return envelope(inside, nonce=self.new_nonce(), source=source, **about)


def fitting(rows: Sequence[str]) -> list[str]:
    """As many of the rows as one answer holds, at least one."""
    room, kept = MAX_CHARS, 0
    for row in rows:
        room -= min(len(row), MAX_LINE + 1) + 1
        if room < 0 and kept:
            break
        kept += 1
    return list(rows[:kept])
