"""Tools that change files of one folder: `edit_file`, `write_file` and `delete_file`, with a record of their changes.

They reach no file that `read_file` would not, nothing outside of the folder, and nothing through a link
(`tools/edited_files`). Only UTF-8 text is written, and no file that git would ignore. A file that anything
else has changed meanwhile is not touched.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.decide.redaction.redactor import REDACTED
from bot.decide.retrieval.path_patterns import fits
from bot.decide.unified_diff import format_patch
from bot.errors import ToolError
from bot.models.workspace import FileChange
from bot.tools.edited_files import (
    MAX_FILE_BYTES,
    check_path,
    create_file,
    overwrite_file,
    read_file,
    remove_file,
)
from bot.tools.search import is_ignored
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

    from bot.tools.guard import Guard

MAX_FILES = 20
"""Maximum number of files that one fix changes."""
MAX_TEXT_CHARS = 60_000
"""Maximum characters of a text in one call."""

FilePath = Annotated[str, Field(min_length=1, max_length=1_000, description="Relative to the project's folder.")]
Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]


class _Input(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EditFile(_Input):
    """Input of `edit_file`."""

    path: FilePath
    old: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_TEXT_CHARS,
            description="Text that is in the file exactly once, without line numbers; whole lines are best.",
        ),
    ]
    new: Annotated[Text, Field(description="Text in its place.")]


class WriteFile(_Input):
    """Input of `write_file`."""

    path: FilePath
    content: Text


class DeleteFile(_Input):
    """Input of `delete_file`."""

    path: FilePath


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A changed file: its content before the first change and now, `None` where there is none."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def change(self) -> FileChange:
        """Return the kind of its change."""
        if self.before is None:
            return FileChange(status="added", path=self.path)
        return FileChange(status="deleted" if self.after is None else "modified", path=self.path)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of its content now; empty for a deleted file."""
        return "" if self.after is None else hashlib.sha256(self.after).hexdigest()

    @property
    def texts(self) -> tuple[str, str]:
        """Return its content before and now, empty where there is none."""
        return _decode(self.before) or "", _decode(self.after) or ""

    @property
    def patch(self) -> str:
        """Return its patch."""
        return format_patch(self.path, _decode(self.before), _decode(self.after))


@dataclass(kw_only=True)
class EditTools:
    """Tools of one run in one folder."""

    root: Path
    guard: Guard
    ignore: tuple[str, ...] = ()
    """Patterns of files that the project excludes."""
    links: tuple[str, ...] = ()
    """Paths of the repository's symbolic links, which are plain files in the folder of a workspace."""
    _files: dict[str, EditedFile] = field(default_factory=dict)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the three tools."""
        return (
            Tool(
                name="edit_file",
                description="Replace a text of a file that occurs in it exactly once.",
                input=EditFile,
                run=self.edit_file,
                is_read_only=False,
            ),
            Tool(
                name="write_file",
                description="Create a text file with this content; the file must not exist.",
                input=WriteFile,
                run=self.write_file,
                is_read_only=False,
            ),
            Tool(
                name="delete_file",
                description="Delete a file.",
                input=DeleteFile,
                run=self.delete_file,
                is_read_only=False,
            ),
        )

    @property
    def changes(self) -> tuple[EditedFile, ...]:
        """Return the files whose content differs from that before the first change, by path."""
        return tuple(file for _, file in sorted(self._files.items()) if file.before != file.after)

    @property
    def patch(self) -> str:
        """Return the patch of all changes."""
        return "".join(file.patch for file in self.changes)

    async def edit_file(self, request: EditFile) -> str:
        """Replace a text in a file."""
        return await asyncio.to_thread(self._edit, request)

    async def write_file(self, request: WriteFile) -> str:
        """Create a file, unless git would ignore it, since no commit would have it."""
        file, said = await asyncio.to_thread(self._write, request)
        with suppress(ToolError):  # too many files to tell: the comparison before the commit finds it
            if file.before is None and await is_ignored(self.root, file.path):
                await asyncio.to_thread(self._put, file, None)
                said = ""
        if not said:
            why = "no commit would have it, so it is not made"
            raise ToolError(f"The repository ignores {file.path} (.gitignore): {why}.")
        return said

    async def delete_file(self, request: DeleteFile) -> str:
        """Delete a file."""
        return await asyncio.to_thread(self._delete, request)

    def _edit(self, request: EditFile) -> str:
        file = self._open(request.path)
        text = _decode(file.after)
        if text is None:
            raise ToolError(f"{request.path} does not exist: write_file creates a file.")
        old, new = request.old, request.new
        if "\r\n" in text and "\r" not in old:
            old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
        _check_placeholder(new, old)
        count = text.count(old)
        if count != 1:
            found = "does not occur" if not count else f"occurs {count} times"
            raise ToolError(f"`old` {found} in {request.path}: read the file, and give a text that occurs once.")
        at = text.index(old)
        self._put(file, (text[:at] + new + text[at + len(old) :]).encode())
        first = text.count("\n", 0, at) + 1
        return (
            f"Changed line {first} of {file.path}, now {new.count(chr(10)) + 1} in place of {old.count(chr(10)) + 1}."
        )

    def _write(self, request: WriteFile) -> tuple[EditedFile, str]:
        file = self._open(request.path)
        if file.after is not None:
            raise ToolError(f"{request.path} exists: edit_file changes it.")
        _check_placeholder(request.content, "")
        file = self._put(file, request.content.encode())
        return file, f"Created {file.path}."

    def _delete(self, request: DeleteFile) -> str:
        file = self._open(request.path)
        if file.after is None:
            raise ToolError(f"{request.path} does not exist.")
        self._put(file, None)
        return f"Deleted {file.path}."

    def _open(self, path: str) -> EditedFile:
        """Return a file as it is now. Raises `ToolError` if it may not be changed."""
        plain = check_path(path)
        if pattern := next((pattern for pattern in self.ignore if fits(pattern, plain)), None):
            raise ToolError(f"{path} is left out of this project: its settings ignore {pattern}.")
        if plain in self.links:
            raise ToolError(f"{path} is a symbolic link of the repository, here a plain file, and is never changed.")
        content = read_file(self.root, plain)
        known = self._files.get(plain)
        if known is None:
            if len({file.path for file in self.changes} | {plain}) > MAX_FILES:
                raise ToolError(f"A fix changes at most {MAX_FILES} files. Change what the defect needs, and no more.")
            known = EditedFile(plain, content, content)
        if known.after != content:
            raise ToolError(f"{path} was changed by something else, and is not touched.")
        _decode(content, path)
        return known

    def _put(self, file: EditedFile, content: bytes | None) -> EditedFile:
        if content is not None and (len(content) > MAX_FILE_BYTES or b"\0" in content):
            raise ToolError(f"{file.path} would be larger than {MAX_FILE_BYTES:,} bytes, or binary.")
        if content is None:
            remove_file(self.root, file.path)
        elif file.after is None:
            create_file(self.root, file.path, content)
        else:
            overwrite_file(self.root, file.path, content)
        changed = self._files[file.path] = EditedFile(file.path, file.before, content)
        return changed


def _decode(content: bytes | None, path: str = "") -> str | None:
    if content is None:
        return None
    if b"\0" in content:
        raise ToolError(f"{path} is a binary file.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{path} is no UTF-8 text, and is not changed.") from None


def _check_placeholder(new: str, old: str) -> None:
    """Raise `ToolError` for a text that would put the mark of a hidden secret into a file."""
    if new.count(REDACTED) > old.count(REDACTED):
        raise ToolError(f"{REDACTED} stands for a secret that you cannot see: leave its line as it is.")
