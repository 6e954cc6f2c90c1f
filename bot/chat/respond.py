"""`respond`: the tool by which the chat agent answers its asker; its call ends the agent loop.

A turn posts one answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field

from blocks.formatting_warnings import oddities
from blocks.markdown_repairs import repaired
from blocks.reply import reply
from bot.decide.own_marks import without_own_marks
from bot.decide.refusals import refusal_in_words
from bot.decide.silent_exit import RESPOND
from bot.errors import Refused, RetryLater, ToolError, Uncertain
from bot.models.fact import Fact
from bot.models.visible import clean, is_blank
from bot.surfaces.draft_payload import secrets_in
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from bot.commands.command import Untrusted
    from bot.decide.redaction.redactor import Redactor

    Post = Callable[[str], Awaitable[None]]
    """Function that posts a text to the asker. Raises `RetryLater`, `Uncertain` and `Refused` as `slack_ports.Chat`
    does."""

LONGEST = 12_000
"""Characters of an answer; a longer one than a message holds is posted as several."""

_DESCRIPTION = (
    "Answer the asker. Nobody reads anything else that you write; in a channel only the asker sees it, and code says "
    "there what was changed. Call it once, last, when the work is done: one answer is posted, what you say later is "
    "not. Write plain text as Slack has it: *bold*, _italic_, `code`, lists with -. Say what was done or what you "
    "found; no opening such as Sure!, no labels in capitals."
)
_CLOSED = "The asker has it; the loop is closed."
GONE = "thread_not_found"
"""Slack's error code for a thread whose first message was deleted."""
_NOBODY = "Not posted: the message that asked was deleted. The loop is closed; code says what was done."
_TO_TRIAGE = (
    "Not posted: this turn has read code or notes, and what rests on them is not posted in a channel. It was handed on "
    "as a question for triage, whose answer a person approves, and the asker is told so. The loop is closed; do not "
    "respond again."
)


class RespondInput(Fact):
    """Input from the model."""

    text: str = Field(max_length=LONGEST, description="The text for the asker.")


@dataclass(kw_only=True)
class RespondCalls:
    """Outcome of the `respond` calls of one turn."""

    called: bool = False
    """True if it was called with a text, whatever the outcome."""
    posted: list[str] = field(default_factory=list)
    """Texts that the asker has received."""
    to_triage: bool = False
    """True if the message became a question for triage instead of a post."""
    in_doubt: bool = False
    """True if it is uncertain whether a post arrived."""
    refused: str = ""
    """Reason of Slack's refusal, in its own words."""

    @property
    def closed(self) -> bool:
        """Return whether the asker was answered."""
        return bool(self.posted) or self.to_triage

    def not_there(self) -> None:
        """Clear the doubt: the text was searched for and is not posted, so it may be sent again."""
        self.in_doubt = False


def respond_tool(
    post: Post,
    *,
    calls: RespondCalls,
    rests_on: Callable[[], Untrusted | None],
    in_public: bool,
    show: Post,
    ask_triage: Post,
    redactor: Redactor,
) -> Tool:
    """Build the tool of one turn. It updates `calls`; `rests_on` returns the untrusted source that a text may contain.

    A text that must not be posted where others read is redirected: people's words through `show` to the asker alone;
    code or notes through `ask_triage`, which turns the message into a question for triage.
    """
    responding = _Responding(
        post=post,
        calls=calls,
        rests_on=rests_on,
        in_public=in_public,
        show=show,
        ask_triage=ask_triage,
        redactor=redactor,
    )
    return Tool(
        name=RESPOND,
        description=_DESCRIPTION,
        input=RespondInput,
        run=responding.run,
        read_only=False,
        closes=True,
    )


@dataclass(frozen=True, kw_only=True)
class _Responding:
    post: Post
    calls: RespondCalls
    rests_on: Callable[[], Untrusted | None]
    in_public: bool
    show: Post
    ask_triage: Post
    redactor: Redactor

    async def run(self, given: RespondInput) -> str:
        shaped = repaired(clean(given.text)).strip()
        text = without_own_marks(shaped)
        self._permit(text)
        self.calls.called = True
        if text in self.calls.posted:
            return f"That is posted already. {_CLOSED}"
        rests_on = self.rests_on() if self.in_public else None
        if rests_on == "code":
            await self._put(self.ask_triage, text)
            self.calls.to_triage = True
            return _TO_TRIAGE
        if not await self._put(self.show if rests_on else self.post, text):
            return _NOBODY
        self.calls.posted.append(text)
        changed = " Headings and rules were put into Slack's form." if shaped != given.text.strip() else ""
        odd = oddities(text)
        manner = f" For the next time: {'; '.join(odd)}, which people do not write." if odd else ""
        done = "Shown to the asker alone: it may repeat what people wrote elsewhere." if rests_on else "Posted."
        return f"{done} {_CLOSED}{changed}{manner}"

    def _permit(self, text: str) -> None:
        """Raise `ToolError` if the text must not be posted."""
        shown = reply(text)
        if all(map(is_blank, _texts(shown["blocks"]))):
            raise ToolError("There is nothing to post: give the text that the asker is to read.")
        if self.calls.in_doubt:
            raise ToolError(
                "Nobody knows yet whether the last text was posted. It is looked for; do not respond again."
            )
        if self.calls.to_triage:
            raise ToolError("It was handed on to triage already; nothing more is posted in this turn.")
        if self.calls.posted and text not in self.calls.posted:
            raise ToolError(f"Not posted: your answer is posted already, and a turn posts one. {_CLOSED}")
        if kinds := secrets_in(json.dumps(shown), self.redactor):
            held = f"it holds what looks like {', '.join(kinds)}"
            raise ToolError(f"Not posted: {held}. Leave it out, and name its place instead.")

    async def _put(self, put: Post, text: str) -> bool:
        """Deliver a text; return false if its thread is deleted. A call interrupted in between leaves a doubt."""
        self.calls.in_doubt = True
        try:
            await put(text)
        except RetryLater as problem:
            self.calls.in_doubt = False
            raise ToolError(
                f"Not posted, Slack takes nothing just now ({problem}). Call it again with it."
            ) from problem
        except Refused as problem:
            self.calls.in_doubt = False
            self.calls.refused = refusal_in_words(problem)
            if problem.code == GONE:
                return False
            raise ToolError(f"Not posted, and it will not be: {refusal_in_words(problem)}.") from problem
        except Uncertain as problem:
            said = "Slack did not say whether it was posted. It is looked for; do not respond again."
            raise ToolError(said) from problem
        self.calls.in_doubt, self.calls.refused = False, ""
        return True


def _texts(shown: Any) -> Iterator[str]:
    """Yield the texts in blocks."""
    match shown:
        case {"text": str(text)}:
            yield text
        case dict() | list():
            for each in shown.values() if isinstance(shown, dict) else shown:
                yield from _texts(each)
