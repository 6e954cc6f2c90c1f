"""Methods chat.startStream, appendStream and stopStream: the bot's streamed messages."""

from typing import Any

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.blockkit import checked_blocks
from sandbox.limits import LONGEST_MARKDOWN
from sandbox.methods import Method
from sandbox.methods.chat import metadata_of
from sandbox.models import Json, Message, Refused
from sandbox.workspace import Workspace


class Streaming:
    """Streamed messages, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace) -> None:
        self._workspace = workspace
        self._open: dict[tuple[str, str], str] = {}
        """Text so far of unfinished messages, by channel and ts."""

    def methods(self) -> dict[str, Method]:
        return {
            "chat.startStream": self.start,
            "chat.appendStream": self.append,
            "chat.stopStream": self.stop,
        }

    def start(self, arguments: Arguments) -> Json:
        """Start a streamed reply; in a channel Slack requires its recipient."""
        room = self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)
        thread_ts = arguments.required("thread_ts")
        if not room.is_im:
            for name in ("recipient_team_id", "recipient_user_id"):
                if arguments.text(name) is None:
                    raise Refused(f"missing_{name}")
        text = _text_of(arguments)
        message = self._workspace.post(room.id, text, user=seed.BOT_USER, thread_ts=thread_ts, blocks=_blocks(text))
        self._open[message.channel, message.ts] = text
        return {"channel": message.channel, "ts": message.ts}

    def append(self, arguments: Arguments) -> Json:
        place = self._message_key(arguments)
        text = _text_of(arguments)
        if not text:
            raise Refused("no_text")
        self._write(place, self._open[place] + text)
        return {"channel": place[0], "ts": place[1]}

    def stop(self, arguments: Arguments) -> Json:
        """Finish a message; blocks are added below the streamed text."""
        place = self._message_key(arguments)
        text = self._open[place] + _text_of(arguments)
        below = arguments.structure("blocks")
        metadata = metadata_of(arguments.structure("metadata"))
        message = self._write(place, text, below=checked_blocks(below) if below else [], metadata=metadata)
        del self._open[place]
        return {"channel": message.channel, "ts": message.ts}

    def _write(
        self, place: tuple[str, str], text: str, *, below: list[Json] | None = None, metadata: Json | None = None
    ) -> Message:
        blocks = [*_blocks(text), *(below or [])]
        self._open[place] = text
        channel, ts = place
        return self._workspace.edit(
            channel, ts, user=seed.BOT_USER, text=text, blocks=blocks or None, metadata=metadata
        )

    def _message_key(self, arguments: Arguments) -> tuple[str, str]:
        room = self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)
        message = room.message(arguments.required("ts"))
        if message.user != seed.BOT_USER:
            raise Refused("message_not_owned_by_app")
        if (room.id, message.ts) not in self._open:
            raise Refused("message_not_in_streaming_state")
        return room.id, message.ts


def _text_of(arguments: Arguments) -> str:
    """Return the text that a call adds: `markdown_text`, or the texts among the `chunks`."""
    text = arguments.text("markdown_text") or ""
    chunks: Any = arguments.structure("chunks")
    if chunks is not None:
        if text:
            raise Refused("cannot_provide_both_markdown_text_and_chunks")
        if not isinstance(chunks, list) or not all(isinstance(chunk, dict) for chunk in chunks):
            raise Refused("invalid_chunks")
        text = "".join(str(chunk.get("text", "")) for chunk in chunks if chunk.get("type") == "markdown_text")
    if len(text) > LONGEST_MARKDOWN:
        raise Refused("msg_too_long")
    return text


def _blocks(text: str) -> list[Json]:
    """Return the text as a markdown block; none if it is too long for one."""
    return checked_blocks([{"type": "markdown", "text": text}]) if 0 < len(text) <= LONGEST_MARKDOWN else []
