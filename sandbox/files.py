"""Files shared by people and the app: their bytes, and their JSON as Slack writes it.

In memory only: after a restart messages still name their files, but the content is lost.
"""

import mimetypes
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.models import Json, Refused

LARGEST = 8 * 1024 * 1024
"""Maximum of bytes of one file here; Slack accepts a gigabyte."""
_PREVIEW_LINES = 5
_KINDS = {
    "py": ("python", "Python"),
    "txt": ("text", "Plain Text"),
    "log": ("text", "Plain Text"),
    "md": ("markdown", "Markdown"),
}
"""Slack's `filetype` and `pretty_type`, by file extension."""


@dataclass(slots=True)
class File:
    """File; without `content` it was announced but not uploaded yet."""

    id: str
    name: str
    user: str
    team: str
    created: int
    size: int
    title: str = ""
    snippet_type: str = ""
    content: bytes | None = None
    shares: list[tuple[str, str]] = field(default_factory=list)
    """Messages that share it, as channel and ts."""

    @property
    def text(self) -> str | None:
        """Return the content as text, None if it is binary."""
        try:
            return (self.content or b"").decode("utf-8")
        except UnicodeDecodeError:
            return None


class Files:
    """Files of the workspace by id; `link` turns a path into a URL."""

    def __init__(self, *, clock: Callable[[], float], link: Callable[[str], str]) -> None:
        self._clock = clock
        self._link = link
        self._files: dict[str, File] = {}
        self._tickets: dict[str, str] = {}

    def announce(self, name: str, size: int, *, user: str, team: str, snippet_type: str = "") -> tuple[File, str]:
        """Create a file, and a URL that accepts its bytes once."""
        if size > LARGEST:
            raise Refused("file_upload_size_restricted")
        file = File(f"F{secrets.token_hex(5).upper()}", name, user, team, int(self._clock()), size, name, snippet_type)
        ticket = secrets.token_urlsafe(18)
        self._files[file.id] = file
        self._tickets[ticket] = file.id
        return file, self._link(f"/upload/v1/{ticket}")

    def receive(self, ticket: str, content: bytes) -> None:
        """Store the bytes of an announced file, which must have the announced size."""
        file = self._files.get(self._tickets.pop(ticket, ""))
        if file is None:
            raise Refused("upload_url_not_found")
        if len(content) != file.size:
            raise Refused("length_mismatch")
        file.content = content

    def uploaded(self, file_id: str) -> File:
        """Return a file that was uploaded."""
        file = self._files.get(file_id)
        if file is None or file.content is None:
            raise Refused("file_not_found")
        return file

    def all(self) -> list[File]:
        """Return all uploaded files, newest first."""
        return [file for file in reversed(self._files.values()) if file.content is not None]

    def forget(self, file_id: str) -> None:
        """Delete a file; messages still name it."""
        self._files.pop(file_id, None)

    def shape(self, file: File) -> Json:
        """Return a file as files.info answers it."""
        ending = file.name.rpartition(".")[2].lower()
        filetype, pretty = _KINDS.get(ending, (ending or "binary", ending.upper() or "Binary"))
        path = f"/files-pri/{file.team}-{file.id}"
        is_snippet = bool(file.snippet_type)
        shape: Json = {
            "id": file.id,
            "created": file.created,
            "timestamp": file.created,
            "name": file.name,
            "title": file.title,
            "mimetype": mimetypes.guess_type(file.name)[0] or "text/plain",
            "filetype": file.snippet_type or filetype,
            "pretty_type": pretty,
            "user": file.user,
            "user_team": file.team,
            "editable": is_snippet,
            "size": file.size,
            "mode": "snippet" if is_snippet else "hosted",
            "is_external": False,
            "external_type": "",
            "is_public": any(channel.startswith("C") for channel, _ in file.shares),
            "public_url_shared": False,
            "display_as_bot": False,
            "username": "",
            "url_private": self._link(f"{path}/{file.name}"),
            "url_private_download": self._link(f"{path}/download/{file.name}"),
            "permalink": self._link(f"/files/{file.user}/{file.id}/{file.name}"),
            "channels": [channel for channel, _ in file.shares if channel.startswith("C")],
            "groups": [],
            "ims": [channel for channel, _ in file.shares if channel.startswith("D")],
        }
        return shape | _preview(file)


def _preview(file: File) -> Json:
    """Return the preview of a text file."""
    text = file.text
    if text is None:
        return {}
    lines = text.splitlines()
    preview = "\n".join(lines[:_PREVIEW_LINES])
    remaining = max(0, len(lines) - _PREVIEW_LINES)
    return {"preview": preview, "lines": len(lines), "lines_more": remaining, "preview_is_truncated": remaining > 0}


def strip_details(shape: Json) -> Json:
    """Return a file as in events of a channel shared with another company: the app must call files.info for it."""
    return {
        "id": shape["id"],
        "mode": "file_access",
        "file_access": "check_file_info",
        "created": 0,
        "timestamp": 0,
        "user": "",
    }
