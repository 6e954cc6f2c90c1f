"""Methods files.*: the bot's uploads, and people's files that it may read."""

from typing import Any

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.blockkit import checked_blocks
from sandbox.files import File, Files
from sandbox.methods import Method
from sandbox.methods.paging import paginate
from sandbox.models import Json, Refused
from sandbox.sharing import Sharing
from sandbox.workspace import Workspace


class FileMethods:
    """Files, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, files: Files, sharing: Sharing) -> None:
        self._workspace = workspace
        self._files = files
        self._sharing = sharing

    def methods(self) -> dict[str, Method]:
        return {
            "files.getUploadURLExternal": self.announce,
            "files.completeUploadExternal": self.complete,
            "files.info": self.info,
            "files.list": self.list_files,
            "files.delete": self.delete,
        }

    def announce(self, arguments: Arguments) -> Json:
        name, size = arguments.required("filename"), arguments.required("length")
        if not size.isdigit():
            raise Refused("invalid_arguments", "[ERROR] must be a number [json-pointer:/length]")
        snippet = arguments.text("snippet_type") or ""
        file, url = self._files.announce(name, int(size), user=seed.BOT_USER, team=seed.TEAM_ID, snippet_type=snippet)
        return {"upload_url": url, "file_id": file.id}

    def complete(self, arguments: Arguments) -> Json:
        """Complete uploads, and share them in the given channels."""
        files = [self._set_title(wish) for wish in _parse_files(arguments.structure("files"))]
        blocks = arguments.structure("blocks")
        for channel in _channels(arguments):
            self._sharing.share(
                files,
                channel,
                user=seed.BOT_USER,
                text=arguments.text("initial_comment") or "",
                thread_ts=arguments.text("thread_ts"),
                blocks=checked_blocks(blocks) if blocks else None,
            )
        return {"files": [self._files.shape(file) for file in files]}

    def info(self, arguments: Arguments) -> Json:
        file = self._readable(arguments.required("file"))
        return {"file": self._files.shape(file), "comments": [], "response_metadata": {"next_cursor": ""}}

    def list_files(self, arguments: Arguments) -> Json:
        channel = arguments.text("channel")
        files = [
            self._files.shape(file)
            for file in self._files.all()
            if self._sharing.may_read(file, seed.BOT_USER)
            and (channel is None or channel in [place for place, _ in file.shares])
        ]
        page, _ = paginate(files, arguments, default=100)
        return {"files": page, "paging": {"count": len(page), "total": len(files), "page": 1, "pages": 1}}

    def delete(self, arguments: Arguments) -> Json:
        file = self._readable(arguments.required("file"))
        if file.user != seed.BOT_USER:
            raise Refused("cant_delete_file")
        self._files.forget(file.id)
        return {}

    def _readable(self, file_id: str) -> File:
        file = self._files.uploaded(file_id)
        if not self._sharing.may_read(file, seed.BOT_USER):
            raise Refused("file_not_found")
        return file

    def _set_title(self, wish: Json) -> File:
        file = self._files.uploaded(str(wish["id"]))
        file.title = str(wish.get("title") or file.name)
        return file


def _parse_files(value: Any) -> list[Json]:
    if not isinstance(value, list) or not all(isinstance(each, dict) and "id" in each for each in value) or not value:
        raise Refused("invalid_arguments", "[ERROR] must provide files with an id [json-pointer:/files]")
    return value


def _channels(arguments: Arguments) -> list[str]:
    channels = arguments.text("channels") or arguments.text("channel_id") or ""
    return [channel.strip() for channel in channels.split(",") if channel.strip()]
