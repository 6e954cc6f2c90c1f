"""Conversation history for the chat agent: the newest messages verbatim, the earlier ones summarised.

Summaries are in memory only: after a restart one call of the model rebuilds a lost one, and no conversation is on disk
twice.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import clip
from bot.models.conversation import ChatLine
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.models.conversation import ChatMessage

MAX_FETCHED = 50
"""Number of messages read from a conversation."""
THRESHOLD = 20
"""Number of messages kept verbatim; beyond it, those before the last `RECENT_MESSAGES` are summarised."""
RECENT_MESSAGES = 14
"""Number of newest messages that are always kept verbatim."""

MAX_MESSAGE_CHARS = 6_000
"""Characters of one message."""
MAX_OLDER_CHARS = 800
"""Characters of one message of a transcript, so that the summarising model reads all of it."""
MAX_NAME_CHARS = 60
MAX_SUMMARIES = 500
"""Number of conversations whose summary is kept; the least recently updated is dropped first."""

BOT = "Triage"
SUMMARY = "[CONVERSATION SUMMARY — earlier messages]"
UNDERSTOOD = "Understood, I have the conversation context."
LEFT_OUT = "Understood, I do not know the earlier messages."
SPOKE_FIRST = "[The conversation begins with what you said.]"

UNREADABLE_HISTORY = ChatLine(
    role="user",
    content=f"{SUMMARY}\nThere is none: earlier messages of this conversation are missing, since Slack could not be "
    'read. Ask what words like "it" or "yes" refer to. Whatever changes something waits for a press in this answer.',
)
"""History of a conversation that could not be read."""

_RESERVED_MARKS = re.compile(
    r"[\[\uff3b](?=\s*(?:(?:from|context|conversation summary|the conversation|not delivered)\b"
    r"|`[^`\n]*`\s*,\s*(?:(?:waits for|after) a press|by rule|outside of this thread)\b))",
    re.IGNORECASE,
)
"""Beginnings of lines that only code may write."""
_ENVELOPE = str.maketrans("⟦⟧", "()")


@dataclass(kw_only=True)
class Summaries:
    """Summary of each conversation, with the ts of the last message that it covers."""

    _by_conversation: OrderedDict[str, tuple[str, str]] = field(default_factory=OrderedDict)

    def get(self, conversation: str) -> tuple[str, str] | None:
        """Return the last covered ts and the summary; `None` if there is none."""
        return self._by_conversation.get(conversation)

    def save(self, conversation: str, until: str, summary: str) -> None:
        """Replace the summary of a conversation."""
        self._by_conversation[conversation] = (until, summary)
        self._by_conversation.move_to_end(conversation)
        while len(self._by_conversation) > MAX_SUMMARIES:
            self._by_conversation.popitem(last=False)


async def build_history(
    messages: Iterable[ChatMessage],
    *,
    conversation: str,
    summaries: Summaries,
    summarize: Callable[[str], Awaitable[str | None]],
) -> list[ChatLine]:
    """Build the history for `ChatAgent.chat`: the messages before the present one, roles alternating.

    `summarize` is `ChatAgent.summarize`. If it returns no summary, the older messages are left out and the agent is
    told.
    """
    older, recent = split_history(sort_messages(messages))
    if not older:
        return build_lines(recent)
    if stored := summaries.get(conversation):
        until, summary = stored
        newer = [message for message in (*older, *recent) if _sort_key(message.ts) > _sort_key(until)]
        if len(newer) <= THRESHOLD:  # else too much is not covered, and is summarised again
            return build_lines(newer if len(newer) > RECENT_MESSAGES else recent, summary=summary)
    new_summary = await summarize(build_transcript(older))
    if new_summary:
        summaries.save(conversation, older[-1].ts, new_summary)
    return build_lines(recent, summary=new_summary, left_out=len(older))


def sort_messages(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the newest messages, oldest first, without empty ones."""
    return sorted((message for message in messages if message.text.strip()), key=lambda message: _sort_key(message.ts))[
        -MAX_FETCHED:
    ]


def split_history(ordered: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """Split messages into those to summarise and those to keep verbatim."""
    if len(ordered) <= THRESHOLD:
        return [], [*ordered]
    return [*ordered[:-RECENT_MESSAGES]], [*ordered[-RECENT_MESSAGES:]]


def build_transcript(older: Iterable[ChatMessage]) -> str:
    """Format messages as plain text, one or more lines each."""
    names_and_texts = (
        (BOT if message.is_bot else format_name(message.author_name), format_text(message.text, limit=MAX_OLDER_CHARS))
        for message in older
    )
    return "\n".join(f"{name}: {text}" for name, text in names_and_texts)


def build_lines(recent: Iterable[ChatMessage], *, summary: str | None = None, left_out: int = 0) -> list[ChatLine]:
    """Build the lines of a history, a user's first: summary or number of missing messages, then the messages."""
    history: list[ChatLine] = []
    if summary:
        history = [_user(f"{SUMMARY}\n{format_text(summary)}"), _assistant(UNDERSTOOD)]
    elif left_out:
        history = [_user(f"{SUMMARY}\nThere is none: {left_out} earlier messages are left out."), _assistant(LEFT_OUT)]
    history += [
        _assistant(_clip_text(message.text))
        if message.is_bot
        else _user(format_line(message.author_name, message.text))
        for message in recent
    ]
    if history and history[0].role == "assistant":
        history.insert(0, _user(SPOKE_FIRST))
    return merge_roles(history)


def merge_roles(history: Iterable[ChatLine]) -> list[ChatLine]:
    """Join consecutive lines of one role by line breaks, so that roles alternate."""
    merged_lines: list[ChatLine] = []
    for line in history:
        if merged_lines and merged_lines[-1].role == line.role:
            merged_lines[-1] = ChatLine(role=line.role, content=f"{merged_lines[-1].content}\n{line.content}")
        else:
            merged_lines.append(line)
    return merged_lines


def format_line(name: str, text: str, *, limit: int = MAX_MESSAGE_CHARS) -> str:
    """Format `[from Ana]: …` so that nobody can forge it: further lines are indented, reserved marks removed."""
    return f"[from {format_name(name)}]: {format_text(text, limit=limit)}"


def format_name(name: str) -> str:
    """Clean a person's name so that it can end no bracket and no line."""
    return clip(" ".join(re.sub(r"[\[\]⟦⟧:]", " ", clean(name)).split()), MAX_NAME_CHARS) or "somebody"


def strip_marks(text: str) -> str:
    """Remove from a text the marks that only code may write into a history."""
    return _RESERVED_MARKS.sub("(", text).translate(_ENVELOPE)


def format_text(text: str, *, limit: int = MAX_MESSAGE_CHARS) -> str:
    """Format a text: lines after the first are indented by two spaces, reserved marks removed."""
    return "\n  ".join(strip_marks(_clip_text(text, limit)).splitlines())


def _clip_text(text: str, limit: int = MAX_MESSAGE_CHARS) -> str:
    return clip(clean(text).strip(), limit)


def _sort_key(ts: str) -> tuple[int, str]:
    """Return Slack's ts as a sortable key."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds) if seconds.isdigit() else 0, rest)


def _user(content: str) -> ChatLine:
    return ChatLine(role="user", content=content)


def _assistant(content: str) -> ChatLine:
    return ChatLine(role="assistant", content=content)
