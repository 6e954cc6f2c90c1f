"""Text file sent with a message: its address in Slack, and its text once read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = 100 * 1024
"""Bytes of the largest file that is read."""
MOST_FILES = 3
"""Files of a message that are read."""
MOST_READ = 8_000
"""Characters of a file that become part of the question."""

_TEXTS = frozenset({"text", "json", "yaml", "log", "diff", "post", "markdown", "csv", "xml", "sql", "shell"})
_CODE = frozenset({"python", "javascript", "typescript", "go", "rust", "java", "kotlin", "ruby", "php", "c", "cpp"})
_CODE_TOO = frozenset({"csharp", "scala", "swift", "html", "css", "dockerfile", "powershell", "perl", "lua", "haskell"})


class SentFile(Fact):
    """A file as Slack describes it; `text` and `problem` are empty before the first attempt to read it."""

    id: str
    name: str
    called: str = ""
    """The name of the file in the message's list of unread files."""
    mimetype: str = ""
    filetype: str = ""
    size: int = 0
    """Bytes; 0 if Slack does not tell."""
    url: str = ""
    """The download address for a token with `files:read`."""
    is_unchecked: bool = False
    """True if the event only names the file, as in a channel shared with another company; `files.info` has the
    details."""
    text: str | None = None
    """The text, cut at `MOST_READ` characters and without secrets."""
    is_cut: bool = False
    problem: str = ""
    """The reason why it could not be read, in a plain clause."""

    @property
    def is_text(self) -> bool:
        """Return whether Slack takes it for text."""
        kinds = _TEXTS | _CODE | _CODE_TOO
        return self.mimetype.startswith("text/") or self.filetype in kinds

    @property
    def is_tried(self) -> bool:
        """Return whether an attempt was made to read it."""
        return self.text is not None or bool(self.problem)

    def same_as(self, other: SentFile) -> bool:
        """Return whether it is the same file, described by another message or before an edit."""
        tells = 0 in (self.size, other.size) or self.size == other.size  # an edited snippet has another size
        return self.id == other.id and tells

    @property
    def unread(self) -> str | None:
        """Describe the part that was not read; `None` if all was."""
        if self.text is None:
            return f"{self.name} ({self.problem})" if self.problem else self.called
        return f"{self.name}, but for its first {MOST_READ:,} characters" if self.is_cut else None


def sent_file(shape: dict[str, Any], called: str) -> SentFile | None:
    """Parse Slack's description of a file; `None` if it is not text, or malformed."""
    fields = {key: shape.get(key) for key in ("id", "name", "title", "mimetype", "filetype", "url_private")}
    texts = {key: value if isinstance(value, str) else "" for key, value in fields.items()}
    size = shape.get("size")
    file = SentFile(
        id=texts["id"],
        name=(texts["name"] or texts["title"] or called)[:80],
        called=called,
        mimetype=texts["mimetype"],
        filetype=texts["filetype"],
        size=size if isinstance(size, int) else 0,
        url=texts["url_private"],
        is_unchecked=shape.get("file_access") == "check_file_info",
    )
    return file if file.id and (file.is_text or file.is_unchecked) else None


def with_known(files: Iterable[SentFile], known_files: Iterable[SentFile]) -> tuple[SentFile, ...]:
    """Return the files of a message, with earlier results for those that are unchanged."""
    by_id = {file.id: file for file in known_files}
    return tuple(by_id[file.id] if file.id in by_id and file.same_as(by_id[file.id]) else file for file in files)


def why_unread(file: SentFile) -> str:
    """Return the reason not to open a file, by its description; empty if it may be opened."""
    if not file.is_text:
        return "it is not text"
    if file.size > LARGEST:
        return f"it is larger than {LARGEST // 1024} KB"
    return "" if file.url else "Slack gives no address for it"
