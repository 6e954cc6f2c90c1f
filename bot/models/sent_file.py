"""A text file that was sent with a message: where it lies in Slack, and what it says once somebody has read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = 100 * 1024
"""Bytes of a file that is read."""
MOST_FILES = 3
"""Files of a message that are read."""
MOST_READ = 8_000
"""Characters of a file that become part of the question."""

_TEXTS = frozenset({"text", "json", "yaml", "log", "diff", "post", "markdown", "csv", "xml", "sql", "shell"})
_CODE = frozenset({"python", "javascript", "typescript", "go", "rust", "java", "kotlin", "ruby", "php", "c", "cpp"})
_CODE_TOO = frozenset({"csharp", "scala", "swift", "html", "css", "dockerfile", "powershell", "perl", "lua", "haskell"})


class SentFile(Fact):
    """A file as Slack describes it; `text` and `problem` are empty until somebody has tried to read it."""

    id: str
    name: str
    called: str = ""
    """The name that the message's list of unread files has for it."""
    mimetype: str = ""
    filetype: str = ""
    size: int = 0
    """Bytes; 0 where Slack does not tell."""
    url: str = ""
    """Where Slack gives it out to a token with `files:read`."""
    is_unchecked: bool = False
    """True if the event only names it, as in a channel shared with another company: `files.info` knows more."""
    text: str | None = None
    """What it says, cut at `MOST_READ` characters and without secrets."""
    is_cut: bool = False
    problem: str = ""
    """Why it could not be read, in a plain clause."""

    @property
    def is_text(self) -> bool:
        """Return whether Slack takes it for text."""
        kinds = _TEXTS | _CODE | _CODE_TOO
        return self.mimetype.startswith("text/") or self.filetype in kinds

    @property
    def is_tried(self) -> bool:
        """Return whether somebody has tried to read it."""
        return self.text is not None or bool(self.problem)

    def same_as(self, known: SentFile) -> bool:
        """Return whether it is what another message, or this one before an edit, described as `known`."""
        tells = 0 in (self.size, known.size) or self.size == known.size  # an edited snippet has another size
        return self.id == known.id and tells

    @property
    def unread(self) -> str | None:
        """How people are told what of it nobody has read; `None` where all was."""
        if self.text is None:
            return f"{self.name} ({self.problem})" if self.problem else self.called
        return f"{self.name}, but for its first {MOST_READ:,} characters" if self.is_cut else None


def sent_file(shape: dict[str, Any], called: str) -> SentFile | None:
    """Read Slack's description of a file; `None` for what is no text, and for what breaks that shape."""
    known = {key: shape.get(key) for key in ("id", "name", "title", "mimetype", "filetype", "url_private")}
    said = {key: value if isinstance(value, str) else "" for key, value in known.items()}
    size = shape.get("size")
    file = SentFile(
        id=said["id"],
        name=(said["name"] or said["title"] or called)[:80],
        called=called,
        mimetype=said["mimetype"],
        filetype=said["filetype"],
        size=size if isinstance(size, int) else 0,
        url=said["url_private"],
        is_unchecked=shape.get("file_access") == "check_file_info",
    )
    return file if file.id and (file.is_text or file.is_unchecked) else None


def with_known(files: Iterable[SentFile], known: Iterable[SentFile]) -> tuple[SentFile, ...]:
    """The files of a message with what is known of those that stand there as they did."""
    by_id = {file.id: file for file in known}
    return tuple(by_id[file.id] if file.id in by_id and file.same_as(by_id[file.id]) else file for file in files)


def why_unread(file: SentFile) -> str:
    """Say why a file is not to be opened, by what Slack says of it; empty where it may be."""
    if not file.is_text:
        return "it is no text"
    if file.size > LARGEST:
        return f"it is larger than {LARGEST // 1024} KB"
    return "" if file.url else "Slack gives no address for it"
