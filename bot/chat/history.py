"""What was said before, as the chat agent takes it: the newest messages word for word, those before them summed up.

Summaries stay in memory: after a restart one call of the model makes a lost one anew, and no words of a conversation
lie on disk twice.
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
"""Messages of a conversation that are read at most."""
THRESHOLD = 20
"""Messages that are taken word for word; with one more, those before the last `KEPT` are summed up."""
KEPT = 14
"""The newest messages, which are always taken word for word."""

LONGEST = 6_000
"""Characters of one message."""
LONGEST_OLDER = 800
"""Characters of one message of a transcript, so that all of it is read by whoever sums it up."""
LONGEST_NAME = 60
CONVERSATIONS = 500
"""Conversations whose summary is remembered; the one that has waited longest is forgotten first."""

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
"""The history of a conversation that could not be read."""

_OURS = re.compile(
    r"[\[\uff3b](?=\s*(?:(?:from|context|conversation summary|the conversation|not delivered)\b"
    r"|`[^`\n]*`\s*,\s*(?:(?:waits for|after) a press|by rule|outside of this thread)\b))",
    re.IGNORECASE,
)
"""How a line begins that only code may write."""
_ENVELOPE = str.maketrans("⟦⟧", "()")


@dataclass(kw_only=True)
class Summaries:
    """The summary of each conversation, with the ts of the last message that it covers."""

    _known: OrderedDict[str, tuple[str, str]] = field(default_factory=OrderedDict)

    def of(self, conversation: str) -> tuple[str, str] | None:
        """Until when, and what; `None` where there is none."""
        return self._known.get(conversation)

    def keep(self, conversation: str, until: str, summary: str) -> None:
        """Remember it in place of the one before."""
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
    """The history for `ChatAgent.chat`: what was said before the message that is answered now, roles in turn.

    `summarize` is `ChatAgent.summarize`. When it has no summary the older messages are left out, and the agent is told.
    """
    older, recent = split(in_order(messages))
    if not older:
        return lines(recent)
    if known := summaries.of(conversation):
        until, summary = known
        newer = [one for one in (*older, *recent) if _moment(one.ts) > _moment(until)]
        if len(newer) <= THRESHOLD:  # else what it does not cover is too much, and is summed up anew
            return lines(newer if len(newer) > KEPT else recent, summary=summary)
    made = await summarize(transcript(older))
    if made:
        summaries.keep(conversation, older[-1].ts, made)
    return lines(recent, summary=made, left_out=len(older))


def in_order(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The newest ones, oldest first; those without a word are left out."""
    return sorted((one for one in messages if one.text.strip()), key=lambda one: _moment(one.ts))[-FETCHED:]


def split(ordered: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """Those to sum up, and those to take word for word."""
    if len(ordered) <= THRESHOLD:
        return [], [*ordered]
    return [*ordered[:-KEPT]], [*ordered[-KEPT:]]


def transcript(older: Iterable[ChatMessage]) -> str:
    """Messages as plain text, a line or more each."""
    said = ((BOT if one.is_bot else named(one.author_name), flat(one.text, limit=LONGEST_OLDER)) for one in older)
    return "\n".join(f"{name}: {text}" for name, text in said)


def lines(recent: Iterable[ChatMessage], *, summary: str | None = None, left_out: int = 0) -> list[ChatLine]:
    """The lines of a history, a user's first: the summary, or how many messages are missing, then the messages."""
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
    """The same with roles in turn: what one role says twice in a row is one line, joined by a line break."""
    done: list[ChatLine] = []
    for line in said:
        if done and done[-1].role == line.role:
            done[-1] = ChatLine(role=line.role, content=f"{done[-1].content}\n{line.content}")
        else:
            done.append(line)
    return done


def spoken(name: str, text: str, *, limit: int = LONGEST) -> str:
    """`[from Ana]: …`, as nobody else can write it: further lines are indented, and marks of ours in it are none."""
    return f"[from {named(name)}]: {flat(text, limit=limit)}"


def named(name: str) -> str:
    """A person's name that can end no bracket and no line."""
    return clip(" ".join(re.sub(r"[\[\]⟦⟧:]", " ", clean(name)).split()), LONGEST_NAME) or "somebody"


def without_marks(text: str) -> str:
    """Somebody's words, or a model's, in which nothing looks like what only code writes into a history."""
    return _OURS.sub("(", text).translate(_ENVELOPE)


def flat(text: str, *, limit: int = LONGEST) -> str:
    """Somebody's words: all lines but the first begin with two spaces, none with a mark that only code writes."""
    return "\n  ".join(without_marks(_words(text, limit)).splitlines())


def _words(text: str, limit: int = LONGEST) -> str:
    return clip(clean(text).strip(), limit)


def _moment(ts: str) -> tuple[int, str]:
    """Slack's ts, comparable whatever its length."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds) if seconds.isdigit() else 0, rest)


def _user(content: str) -> ChatLine:
    return ChatLine(role="user", content=content)


def _assistant(content: str) -> ChatLine:
    return ChatLine(role="assistant", content=content)
