"""The guard: what every text of others passes before an agent has it. Redacted, stripped, bounded, in an envelope.

Used by each tool beside this module and by the agents for the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prompts.envelope import envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.decide.redaction.redactor import Redactor

MAX_CHARS = 30_000
"""Characters of one text that an agent gets."""

ANSWER_BYTES = 17_500
"""Bytes of a tool's answer, its marks aside: with them it is below `Limits.result_bytes`. So nothing cuts it later, its
envelope has its end, and the lines on record as opened are those that the agent has seen."""

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
        short = self._short(text)
        if len(short) > MAX_CHARS:
            short = f"{short[:MAX_CHARS].rpartition(chr(10))[0]}\n…"
            about["cut"] = f"after {MAX_CHARS:,} characters; ask for less"
        return self._enveloped(short, source, about)

    def answer(self, text: str, *, source: str, room: int = ANSWER_BYTES, **about: str) -> str:
        """What a tool says, as an agent may read it: at most `room` bytes, whole lines where there are several."""
        short = self._short(text)
        content = short.encode("utf-8", "replace")
        if len(content) > room:
            head = content[:room].decode("utf-8", "ignore")
            short = f"{head.rpartition(chr(10))[0] or head}\n…"
            about["cut"] = f"after {room:,} of {len(content):,} bytes; ask for less at once"
        return self._enveloped(short, source, about)

    def _short(self, text: str) -> str:
        return "\n".join(map(_short_line, self.redactor.redact(text).split("\n")))

    def _enveloped(self, inside: str, source: str, about: dict[str, str]) -> str:
        said = {name: self.redactor.redact(value) for name, value in about.items()}
        return envelope(inside, nonce=self.new_nonce(), source=source, **said)


def fitting(rows: Sequence[str]) -> list[str]:
    """As many of the rows as one answer holds, at least one."""
    room, kept = ANSWER_BYTES, 0
    for row in rows:
        room -= len(_short_line(row).encode("utf-8", "replace")) + 1
        if room < 0 and kept:
            break
        kept += 1
    return list(rows[:kept])


def _short_line(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…"
