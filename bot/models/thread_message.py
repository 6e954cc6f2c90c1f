"""Message of a thread, as stored in its document."""

from __future__ import annotations

from bot.models.excerpts import excerpt
from bot.models.fact import Fact
from bot.models.message import Ts
from bot.models.sent_file import MOST_READ, SentFile


class ThreadMessage(Fact):
    """A message by a person of this thread that belongs to the question."""

    message_id: Ts
    sender_id: str
    by_bot: bool
    content: str
    round: int
    """Number of its question in the thread: 1 for the first, and one more for each follow-up that reopens it."""
    asks: str
    """Search text: `content` without mentions, channels, emoji, greetings and the bot's name."""
    is_question: bool = False
    """True if a person asks, requests or reports something in it; false for remarks and messages of bots."""
    edited_ts: str = ""
    """Slack's `ts` of the edit that `content` comes from; empty if there was none."""
    unread: tuple[str, ...] = ()
    """The files, and parts of them, that were not read."""
    shared: tuple[str, ...] = ()
    """The authors of the messages shared in it."""
    files: tuple[SentFile, ...] = ()
    """The text files that it does not show in full; empty if files are not read."""

    @property
    def still_unread(self) -> tuple[str, ...]:
        """Return `unread` without files read since, and with the reasons for the others."""
        tried = [file for file in self.files if file.is_tried]
        missed = [name for file in tried if (name := file.unread)]
        return (*(name for name in self.unread if name not in {file.called for file in tried}), *missed)

    @property
    def read_content(self) -> str:
        """Return `content`, followed by the text of its files, each with its name."""
        return "\n".join((self.content, *map(_file_section, self._read)))

    @property
    def read_words(self) -> str:
        """Return the search text of its files."""
        return "\n".join(excerpt(file.text or "") for file in self._read)

    @property
    def _read(self) -> list[SentFile]:
        return [file for file in self.files if file.text]


def _file_section(file: SentFile) -> str:
    note = f"\n[cut: the first {MOST_READ:,} characters]" if file.is_cut else ""
    return f"[file: {file.name}]\n{file.text}{note}"
