"""Response URLs: accept the app's answers to an interaction, five times within thirty minutes.

An ephemeral message can only be changed this way.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

from sandbox import markup, seed
from sandbox.blockkit import checked_blocks
from sandbox.models import Json, Message, Refused
from sandbox.workspace import Workspace

LIFE = 30 * 60
MOST_USES = 5


@dataclass(slots=True)
class Permit:
    """Permission of one response_url: its user, message, expiry and uses."""

    user: str
    channel: str
    message: Message | None
    is_ephemeral: bool
    expires_at: float
    uses: int = 0


class ResponseUrls:
    """Response URLs of all interactions; `link` turns a key into a URL."""

    def __init__(self, *, workspace: Workspace, link: Callable[[str], str]) -> None:
        self._workspace = workspace
        self._link = link
        self._permits: dict[str, Permit] = {}

    def grant(self, user: str, channel: str, message: Message | None = None, *, ephemeral: bool = False) -> str:
        now = self._workspace.clock()
        self._permits = {key: each for key, each in self._permits.items() if each.expires_at > now}
        key = secrets.token_urlsafe(18)
        self._permits[key] = Permit(user, channel, message, ephemeral, now + LIFE)
        return self._link(key)

    async def handle(self, request: web.Request) -> web.Response:
        permit = self._permits.get(request.match_info["key"])
        if permit is None or self._workspace.clock() > permit.expires_at:
            return web.json_response({"ok": False, "error": "expired_url"}, status=404)
        if permit.uses == MOST_USES:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        permit.uses += 1
        try:
            answer = await request.json()
            if not isinstance(answer, dict):
                raise ValueError("not an object")
            self._answer(answer, permit)
        except ValueError:
            return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
        except Refused as refused:
            return web.json_response({"ok": False, "error": refused.error}, status=404)
        return web.json_response({"ok": True})

    def say(self, answer: Json, user: str, channel: str) -> None:
        """Show a new message: to this person only, unless the answer is for the channel."""
        text, blocks = answer.get("text") or "", _blocks(answer)
        if not text and not blocks:
            raise Refused("no_text")
        thread_ts = answer.get("thread_ts")
        if answer.get("response_type") == "in_channel":
            self._workspace.post(channel, text, user=seed.BOT_USER, blocks=blocks, thread_ts=thread_ts, invited=True)
        else:
            self._workspace.whisper(channel, text, user=user, blocks=blocks, thread_ts=thread_ts, invited=True)

    def _answer(self, answer: Json, permit: Permit) -> None:
        message = permit.message
        if message is not None and answer.get("delete_original"):
            self._delete(message, permit)
        elif message is not None and answer.get("replace_original"):
            self._replace(message, answer, permit)
        else:
            self.say(answer, permit.user, permit.channel)

    def _delete(self, message: Message, permit: Permit) -> None:
        if permit.is_ephemeral:
            self._workspace.ephemerals.remove(permit.user, message.ts)
            self._workspace.refresh()
        else:
            self._workspace.delete(message.channel, message.ts, user=seed.BOT_USER)

    def _replace(self, message: Message, answer: Json, permit: Permit) -> None:
        text, blocks = answer.get("text"), _blocks(answer)
        if not permit.is_ephemeral:
            self._workspace.edit(message.channel, message.ts, user=seed.BOT_USER, text=text, blocks=blocks)
            return
        stored = markup.escape_app_text(text or "")
        new_blocks = blocks or [markup.rich_text(stored)]
        self._workspace.ephemerals.change(permit.user, message.ts, text=stored, blocks=new_blocks)
        self._workspace.refresh()


def _blocks(answer: Json) -> list[Json] | None:
    blocks = answer.get("blocks")
    return checked_blocks(blocks) if blocks else None
