"""Slack export for `triage replay`: the zip from Slack, or its unpacked folder.

`channels.json` and `groups.json` name the channels, `users.json` the people; each channel has a folder with one file a
day, `<channel>/<YYYY-MM-DD>.json`, a list of messages. Nothing is unpacked to disk, and sizes are counted while
reading, since an archive's own figures are not trusted. Direct messages are skipped, as in the bot.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import Unreadable
from bot.models.line_message import parse_line_message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models.line_message import LineMessage

MAX_FILE = 64_000_000
"""Bytes of one file, unpacked: a day of a channel."""
MAX_TOTAL = 20_000_000_000
"""Bytes of all files, unpacked."""
MAX_FILES = 1_000_000

_DAY = re.compile(r"([^/]+)/\d{4}-\d{2}-\d{2}\.json")
_WORKSPACE = re.compile(r"https://[a-z0-9][a-z0-9-]{0,60}(?:\.enterprise)?\.slack\.com(?=/(?:files|archives)/)")
_SLACKBOT = "USLACKBOT"


class _Tree(Protocol):
    """The files of an export: their stated sizes by path."""

    files: dict[str, int]

    def read(self, name: str) -> bytes:
        """Read a file up to `MAX_FILE` plus one byte."""


class _Zip:
    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path)
        self.files = {info.filename: info.file_size for info in self._zip.infolist() if not info.is_dir()}

    def read(self, name: str) -> bytes:
        with self._zip.open(name) as file:
            return file.read(MAX_FILE + 1)


class _Folder:
    def __init__(self, path: Path) -> None:
        self._path = path
        files = [file for depth in ("*.json", "*/*.json", "*/*/*.json") for file in path.glob(depth)]
        plain = [file for file in files if file.is_file() and not file.is_symlink()]
        self.files = {file.relative_to(path).as_posix(): file.stat().st_size for file in plain}

    def read(self, name: str) -> bytes:
        with (self._path / name).open("rb") as file:
            return file.read(MAX_FILE + 1)


class SlackExport:
    """The messages of an export, by channel and day; `None` for anything that is not a new message.

    Raises `Unreadable` if `path` is not an export.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._tree: _Tree = _Folder(path) if path.is_dir() else _Zip(path)
        except (zipfile.BadZipFile, OSError, ValueError) as problem:
            raise Unreadable(f"{path}: expected a Slack export, zip or folder ({problem})") from None
        if len(self._tree.files) > MAX_FILES:
            raise Unreadable(f"{path}: expected at most {MAX_FILES:,} files in an export")
        self._path = path
        self._find_top_folder = _find_top_folder(self._tree.files)
        self.unread: list[str] = []
        """The unreadable parts, with the reasons."""
        self.done = 0
        """Bytes read so far, unpacked."""
        self._ids = {**self._channels("groups.json"), **self._channels("channels.json")}
        users = self._table("users.json")
        self._bots = {_SLACKBOT, *(str(user.get("id")) for user in users if user.get("is_bot"))}
        self.names = {str(user.get("id")): name for user in users if (name := _name(user))}
        """The names of people, by their ids."""
        self.url = ""
        """The address of the workspace, as soon as a link in a message contains it."""
        self._days = sorted(name for name in self._tree.files if self._is_wanted(name))
        self.size = sum(self._tree.files[name] for name in self._days)
        """Bytes to read, according to the archive."""
        if not self._days:
            raise Unreadable(f"{path}: expected a Slack export, with folders such as general/2026-01-31.json in it")

    def __iter__(self) -> Iterator[LineMessage | None]:
        """Yield the messages. Raises `Unreadable` if there are far more than an export holds."""
        for name in self._days:
            folder = name.removeprefix(self._find_top_folder).partition("/")[0]
            messages = self._table(name)
            for message in sorted(messages, key=_time_of):
                yield self._parse_message(message, folder)

    def _parse_message(self, message: dict[str, Any], folder: str) -> LineMessage | None:
        if not self.url and (message.get("files") or message.get("attachments")):
            self.url = _workspace(message)
        try:
            line = parse_line_message({**message, "type": "message", "channel": self._ids.get(folder, folder)})
        except ValueError as problem:
            self.unread.append(f"{folder}, message {message.get('ts')}: {problem}")
            return None
        if line is None:
            return None
        return line._replace(channel_name=folder, by_bot=line.by_bot or line.sender in self._bots)

    def _is_wanted(self, name: str) -> bool:
        if not name.startswith(self._find_top_folder):
            return False
        day = _DAY.fullmatch(name.removeprefix(self._find_top_folder))
        return day is not None and (not self._ids or day[1] in self._ids)

    def _channels(self, name: str) -> dict[str, str]:
        table = self._table(name)
        return {str(channel["name"]): str(channel.get("id")) for channel in table if channel.get("name")}

    def _table(self, name: str) -> list[dict[str, Any]]:
        """Return the objects of one file, empty if it is missing; unreadable files are recorded."""
        name = name if name.startswith(self._find_top_folder) else self._find_top_folder + name
        if name not in self._tree.files:
            return []
        try:
            content = self._tree.read(name)
            self.done += len(content)
            if self.done > MAX_TOTAL:
                raise Unreadable(f"{self._path}: expected at most {MAX_TOTAL:,} bytes, unpacked")
            if len(content) > MAX_FILE:
                raise ValueError(f"expected at most {MAX_FILE:,} bytes")
            rows = json.loads(content)
            if not isinstance(rows, list):
                raise ValueError("expected a list")
        except (ValueError, RecursionError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as problem:
            self.unread.append(f"{name}: {problem}")
            return []
        return [row for row in rows if isinstance(row, dict)]


def _name(user: dict[str, Any]) -> str:
    """Return the display name of a user."""
    profile = user.get("profile")
    fields = profile if isinstance(profile, dict) else {}
    names = (fields.get("display_name"), user.get("real_name"), fields.get("real_name"), user.get("name"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "")


def _workspace(message: dict[str, Any]) -> str:
    """Return the address of the workspace from a link to one of its files or messages; empty if there is none."""
    lists = [message.get(key) for key in ("files", "attachments")]
    parts = [part for each in lists if isinstance(each, list) for part in each if isinstance(part, dict)]
    links = (str(part.get(key)) for part in parts for key in ("permalink", "from_url"))
    return next((match[0] for link in links if (match := _WORKSPACE.match(link))), "")


def _time_of(message: dict[str, Any]) -> tuple[float, str]:
    """Return the time of a message as a sort key; zero if it has none."""
    ts = str(message.get("ts"))
    try:
        return float(ts), ts
    except ValueError:
        return 0.0, ts


def _find_top_folder(names: dict[str, int]) -> str:
    """Return the folder around the export, with its slash; empty at the top."""
    candidates = [name for name in names if name.rpartition("/")[2] == "channels.json" and name.count("/") <= 1]
    return min(candidates, key=len).removesuffix("channels.json") if candidates else ""
