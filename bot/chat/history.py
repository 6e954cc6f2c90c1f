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

FETCHED = 50
"""Number of messages read from a conversation."""
THRESHOLD = 20
"""Number of messages kept verbatim; beyond it, those before the last `KEPT` are summarised."""
KEPT = 14
"""Number of newest messages that are always kept verbatim."""

LONGEST = 6_000
"""Characters of one message."""
LONGEST_OLDER = 800
"""Characters of one message of a transcript, so that the summarising model reads all of it."""
LONGEST_NAME = 60
CONVERSATIONS = 500
"""Number of conversations whose summary is kept; the least recently updated is dropped first."""

BOT = "Triage"
SUMMARY = "[CONVERSATION SUMMARY — earlier messages]"
UNDERSTOOD = "Understood, I have the conversation context."
LEFT_OUT = "Understood, I do not know the earlier messages."
SPOKE_FIRST = "[The conversation begins with what you said.]"

LOST = ChatLine(
    role="user",
    content=f"{SUMMARY}\nThere is none: earlier messages of this conversation are missing, since Slack could not be "
    'read. Ask what words like "it" or "yes" refer to. Whatever changes something waits for a press in this answer.',
)
"""History of a conversation that could not be read."""

_OURS = re.compile(
    r"[\[\uff3b](?=\s*(?:(?:from|context|conversation summary|the conversation|not delivered)\b"
    r"|`[^`\n]*`\s*,\s*(?:(?:waits for|after) a press|by rule|outside of this thread)\b))",
    re.IGNORECASE,
)
"""Beginnings of lines that only code may write."""
_ENVELOPE = str.maketrans("⟦⟧", "()")


@dataclass(kw_only=True)
class Summaries:
    """Summary of each conversation, with the ts of the last message that it covers."""

    _known: OrderedDict[str, tuple[str, str]] = field(default_factory=OrderedDict)

    def of(self, conversation: str) -> tuple[str, str] | None:
        """Return the last covered ts and the summary; `None` if there is none."""
        return self._known.get(conversation)

    def keep(self, conversation: str, until: str, summary: str) -> None:
        """Replace the summary of a conversation."""
        self._known[conversation] = (until, summary)
        self._known.move_to_end(conversation)
        while len(self._known) > CONVERSATIONS:
            self._known.popitem(last=False)


async def compacted(
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
    older, recent = split(in_order(messages))
    if not older:
        return lines(recent)
    if known := summaries.of(conversation):
        until, summary = known
        newer = [one for one in (*older, *recent) if _moment(one.ts) > _moment(until)]
        if len(newer) <= THRESHOLD:  # else too much is not covered, and is summarised again
            return lines(newer if len(newer) > KEPT else recent, summary=summary)
    made = await summarize(transcript(older))
    if made:
        summaries.keep(conversation, older[-1].ts, made)
    return lines(recent, summary=made, left_out=len(older))


def in_order(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the newest messages, oldest first, without empty ones."""
    return sorted((one for one in messages if one.text.strip()), key=lambda one: _moment(one.ts))[-FETCHED:]


def split(ordered: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """Split messages into those to summarise and those to keep verbatim."""
    if len(ordered) <= THRESHOLD:
        return [], [*ordered]
    return [*ordered[:-KEPT]], [*ordered[-KEPT:]]


def transcript(older: Iterable[ChatMessage]) -> str:
    """Format messages as plain text, one or more lines each."""
    said = ((BOT if one.is_bot else named(one.author_name), flat(one.text, limit=LONGEST_OLDER)) for one in older)
    return "\n".join(f"{name}: {text}" for name, text in said)


def lines(recent: Iterable[ChatMessage], *, summary: str | None = None, left_out: int = 0) -> list[ChatLine]:
    """Build the lines of a history, a user's first: summary or number of missing messages, then the messages."""
    said: list[ChatLine] = []
    if summary:
        said = [_user(f"{SUMMARY}\n{flat(summary)}"), _assistant(UNDERSTOOD)]
    elif left_out:
        said = [_user(f"{SUMMARY}\nThere is none: {left_out} earlier messages are left out."), _assistant(LEFT_OUT)]
    said += [_assistant(_words(one.text)) if one.is_bot else _user(spoken(one.author_name, one.text)) for one in recent]
    if said and said[0].role == "assistant":
        said.insert(0, _user(SPOKE_FIRST))
    return merged(said)


def merged(said: Iterable[ChatLine]) -> list[ChatLine]:
    """Join consecutive lines of one role by line breaks, so that roles alternate."""
    done: list[ChatLine] = []
    for line in said:
        if done and done[-1].role == line.role:
            done[-1] = ChatLine(role=line.role, content=f"{done[-1].content}\n{line.content}")
        else:
            done.append(line)
    return done


def spoken(name: str, text: str, *, limit: int = LONGEST) -> str:
    """Format `[from Ana]: …` so that nobody can forge it: further lines are indented, reserved marks removed."""
    return f"[from {named(name)}]: {flat(text, limit=limit)}"


def named(name: str) -> str:
    """Clean a person's name so that it can end no bracket and no line."""
    return clip(" ".join(re.sub(r"[\[\]⟦⟧:]", " ", clean(name)).split()), LONGEST_NAME) or "somebody"


def without_marks(text: str) -> str:
    """Remove from a text the marks that only code may write into a history."""
    return _OURS.sub("(", text).translate(_ENVELOPE)


def flat(text: str, *, limit: int = LONGEST) -> str:
    """Format a text: lines after the first are indented by two spaces, reserved marks removed."""
    return "\n  ".join(without_marks(_words(text, limit)).splitlines())


def _words(text: str, limit: int = LONGEST) -> str:
    return clip(clean(text).strip(), limit)


def _moment(ts: str) -> tuple[int, str]:
    """Return Slack's ts as a sortable key."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds) if seconds.isdigit() else 0, rest)


def _user(content: str) -> ChatLine:
    return ChatLine(role="user", content=content)


def _assistant(content: str) -> ChatLine:
    return ChatLine(role="assistant", content=content)
