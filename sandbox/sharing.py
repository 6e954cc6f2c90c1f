"""File sharing: upload by the app or by people, posts with files, and download by members."""

from typing import Any

from aiohttp import web

from sandbox import seed
from sandbox.body import Body
from sandbox.files import LARGEST, File, Files
from sandbox.models import Json, Message, Refused
from sandbox.publisher import Publisher
from sandbox.scopes import Scopes
from sandbox.workspace import Workspace


class Sharing:
    """Routes for uploads and downloads, and the posting of files."""

    def __init__(self, *, workspace: Workspace, files: Files, publisher: Publisher, scopes: Scopes) -> None:
        self._workspace = workspace
        self._files = files
        self._publisher = publisher
        self._scopes = scopes

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/upload/v1/{ticket}", self._receive),
            web.get("/files-pri/{file}/{name}", self._download),
            web.get("/files-pri/{file}/download/{name}", self._download),
        ]

    def share(
        self,
        files: list[File],
        channel: str,
        *,
        user: str,
        text: str = "",
        thread_ts: str | None = None,
        blocks: list[Json] | None = None,
    ) -> Message:
        """Post files as one message, with a `file_shared` event for each."""
        room = self._workspace.conversation(channel, member=user)
        shapes = [self._files.shape(file) for file in files]
        message = self._workspace.post(room.id, text, user=user, files=shapes, thread_ts=thread_ts, blocks=blocks)
        for file in files:
            file.shares.append((room.id, message.ts))
            event: Json = {"file_id": file.id, "user_id": user, "file": {"id": file.id}, "channel_id": room.id}
            self._publisher.send("file_shared", event | {"event_ts": self._workspace.next_ts()}, room.id, by=user)
        return message

    async def upload(self, body: Body) -> Json:
        """Share a person's text as a file: `name`, `content`, and the message's `text`."""
        user, content = body.speaker, body.text("content").encode()
        snippet = body.optional("snippet_type") or ""
        team = self._workspace.person(user).team
        file, url = self._files.announce(body.text("name"), len(content), user=user, team=team, snippet_type=snippet)
        self._files.receive(url.rpartition("/")[2], content)
        place = {"text": body.optional("text") or "", "thread_ts": body.optional("thread_ts")}
        message = self.share([file], body.text("channel"), user=user, **place)  # type: ignore[arg-type]  # each has its type
        return {"ok": True, "file": file.id, "ts": message.ts, "channel": message.channel}

    def may_read(self, file: File, user: str) -> bool:
        """Return whether a user may read a file: its owner, and the members of conversations that share it."""
        places = (self._workspace.conversations.get(channel) for channel, _ in file.shares)
        return file.user == user or any(place is not None and user in place.members for place in places)

    async def _receive(self, request: web.Request) -> web.Response:
        content = await _content(request)
        try:
            self._files.receive(request.match_info["ticket"], content)
        except Refused as refused:
            return web.Response(status=404 if refused.error.endswith("not_found") else 400, text=refused.error)
        return web.Response(text=f"OK - {len(content)}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Return the bytes to the app (by token) or a person (`?user=`); anybody else is redirected to the page."""
        try:
            file = self._files.uploaded(request.match_info["file"].rpartition("-")[2])
        except Refused:
            raise web.HTTPNotFound from None
        if not self.may_read(file, self._reader(request)):
            raise web.HTTPFound("/")
        headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=file.content, content_type="application/octet-stream", headers=headers)

    def _reader(self, request: web.Request) -> str:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if token == seed.BOT_TOKEN and self._scopes.has("files:read"):
            return seed.BOT_USER
        return request.query.get("user", "") if not token else ""


async def _content(request: web.Request) -> bytes:
    """Return the bytes of an upload, plain or as the only file of a form."""
    if request.content_type != "multipart/form-data":
        return (await request.read())[: LARGEST + 1]
    form = await request.post()
    parts: list[Any] = [value for value in form.values() if isinstance(value, web.FileField)]
    return bytes(parts[0].file.read()) if parts else b""
