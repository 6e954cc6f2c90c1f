"""Guard of untrusted text: redacts, shortens and wraps every text before an agent sees it.

All tools use it for their results, and the agents for the question itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.tools.shown_lines import cut_line, show_lines
from prompts.envelope import envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.decide.redaction.redactor import Redactor

MAX_CHARS = 30_000
"""Maximum characters of a text for an agent."""

ANSWER_BYTES = 17_500
"""Maximum bytes of a tool's answer, without its envelope: with it the answer is below `RunLimits.result_bytes`. So
nothing cuts it later, its envelope stays closed, and the read log matches the lines that the agent has seen."""
_ENVELOPE = 2_500
"""Bytes of a result that its envelope may take."""


@dataclass(frozen=True, slots=True)
class _Room:
    """Maximum bytes of an answer, without its envelope. `is_budget`: the run has no money or tokens for more."""

    size: int = ANSWER_BYTES
    is_budget: bool = False


_WHOLE = _Room()
_room: ContextVar[_Room] = ContextVar("room", default=_WHOLE)


@contextmanager
def limit_answers(result_bytes: int, *, is_budget: bool) -> Iterator[None]:
    """Limit the answers of the tools that are run inside, so that each is a result of at most so many bytes."""
    content = max(result_bytes // 2, result_bytes - _ENVELOPE)
    token = _room.set(_Room(min(ANSWER_BYTES, content), is_budget))
    try:
        yield
    finally:
        _room.reset(token)


def get_room() -> int:
    """Return the maximum bytes of an answer here, without its envelope."""
    return _room.get().size


def explain_budget(shown: int) -> str:
    """Return the reason of a cut by the run's budget, for the agent."""
    return f"cut to {shown:,} characters: the run's budget; read a narrower range"


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Guard with a redactor; `new_nonce` returns a new unguessable word for each envelope."""

    redactor: Redactor
    new_nonce: Callable[[], str]

    def lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Redact the lines of a whole text together, since a key may span lines; their number stays the same."""
        return tuple(self.redactor.redact("\n".join(lines)).split("\n")) if lines else ()

    def show_lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the lines of a whole text as `wrap_rows` shows them; their number stays the same."""
        return show_lines(lines, self.redactor)

    def redact_words(self, text: str) -> str:
        """Redact a short text of the bot that may repeat untrusted words; it gets no envelope."""
        return self.redactor.redact(text)

    def wrap(self, text: str, *, source: str, max_chars: int = MAX_CHARS, **about: str) -> str:
        """Redact and wrap a text for an agent."""
        short = self._short(text)
        if len(short) > max_chars:
            short = f"{short[:max_chars].rpartition(chr(10))[0]}\n…"
            about["cut"] = f"after {max_chars:,} characters; ask for less"
        return self._put_in_envelope(short, source, about)

    def answer(self, text: str, *, source: str, room: int = ANSWER_BYTES, **about: str) -> str:
        """Redact and wrap a tool's answer: at most `room` bytes, cut at a line break if there is one."""
        short = self._short(text)
        content = short.encode("utf-8", "replace")
        room = min(get_room(), room)
        if len(content) > room:
            head = content[:room].decode("utf-8", "ignore")
            head = head.rpartition("\n")[0] or head
            short = f"{head}\n…"
            about["cut"] = f"after {room:,} of {len(content):,} bytes; ask for less per call"
            if _room.get().is_budget:
                about["cut"] = explain_budget(len(head))
        return self._put_in_envelope(short, source, about)

    def wrap_rows(self, rows: Sequence[str], *, of: int, source: str, **about: str) -> str:
        """Wrap rows of lines from `show_lines`, which `fit_rows` has limited; there were `of`."""
        text = "\n".join(rows)
        if len(rows) < of and _room.get().is_budget:
            about["cut"] = explain_budget(len(text))
        return self._put_in_envelope(text, source, about)

    def _short(self, text: str) -> str:
        return "\n".join(map(cut_line, self.redactor.redact(text).split("\n")))

    def _put_in_envelope(self, inside: str, source: str, about: dict[str, str]) -> str:
        attributes = {name: self.redactor.redact(value) for name, value in about.items()}
        return envelope(inside, nonce=self.new_nonce(), source=source, **attributes)


def fit_rows(rows: Sequence[str]) -> list[str]:
    """Return as many rows as fit into one answer, at least the beginning of one."""
    room, count = get_room(), 0
    if rows and len(first := rows[0].encode("utf-8", "replace")) > room:
        return [f"{first[:room].decode('utf-8', 'ignore')}…"]
    for row in rows:
        room -= len(row.encode("utf-8", "replace")) + 1
        if room < 0 and count:
            break
        count += 1
    return list(rows[:count])
