"""A message of a thread, as its document keeps it."""

from __future__ import annotations

from bot.models.excerpts import excerpt
from bot.models.fact import Fact
from bot.models.message import Ts
from bot.models.sent_file import MOST_READ, SentFile


class ThreadMessage(Fact):
    """A message of the people of this thread that belongs to the question."""

    message_id: Ts
    sender_id: str
    by_bot: bool = False
    """True if a program wrote it; no in documents from before this was kept."""
    content: str
    round: int
    """Which question of the thread it belongs to: 1 for the first, one more each time a follow-up reopens it."""
    asks: str | None = None
    """What is searched for: `content` without mentions, channels, emoji, greetings and the bot's name; `None` in
    documents from before this was kept."""
    unread: tuple[str, ...] = ()
    """Its files, and parts of them, that nobody has read."""
    shared: tuple[str, ...] = ()
    """Whose messages were shared in it."""
    files: tuple[SentFile, ...] = ()
    """Its text files that it does not show whole; none where files are not read."""

    @property
    def still_unread(self) -> tuple[str, ...]:
        """`unread`, without the files that were read since, and with the reasons why others were not."""
        tried = [file for file in self.files if file.is_tried]
        missed = [name for file in tried if (name := file.unread)]
        return (*(name for name in self.unread if name not in {file.called for file in tried}), *missed)

    @property
    def read_content(self) -> str:
        """`content`, and below it what its files say, each with its name."""
        return "\n".join((self.content, *map(_shown, self._read)))

    @property
    def read_words(self) -> str:
        """What its files say, as far as it is searched for."""
        return "\n".join(excerpt(file.text or "") for file in self._read)

    @property
    def _read(self) -> list[SentFile]:
        return [file for file in self.files if file.text]


def _shown(file: SentFile) -> str:
    note = f"\n[cut: the first {MOST_READ:,} characters]" if file.is_cut else ""
    return f"[file: {file.name}]\n{file.text}{note}"
