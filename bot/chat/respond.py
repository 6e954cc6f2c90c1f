"""`respond`: the tool by which the chat agent answers its asker; its call ends the agent loop.

A turn posts one answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field

from blocks.formatting_warnings import find_style_warnings
from blocks.markdown_repairs import repair_markdown
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
    """Function that posts a text to the asker. Raises `RetryLater`, `Uncertain` and `Refused` as the port
    `Chat` does."""

MAX_ANSWER_CHARS = 12_000
"""Characters of an answer; a longer one than a message holds is posted as several."""

_DESCRIPTION = (
    "Answer the asker. Nobody reads anything else that you write; in a channel only the asker sees it, and code says "
    "there what was changed. Call it once, last, when the work is done: one answer is posted, what you say later is "
    "not. Write plain text as Slack has it: *bold*, _italic_, `code`, lists with -. Say what was done or what you "
    "found; no opening such as Sure!, no labels in capitals."
)
_CLOSED = "The asker has it; the loop is closed."
THREAD_NOT_FOUND = "thread_not_found"
"""Slack's error code for a thread whose first message was deleted."""
_MESSAGE_DELETED = "Not posted: the message that asked was deleted. The loop is closed; code says what was done."
_TO_TRIAGE = (
    "Not posted: this turn has read code or notes, and what rests on them is not posted in a channel. It was handed on "
    "as a question for triage, whose answer a person approves, and the asker is told so. The loop is closed; do not "
    "respond again."
)


class RespondInput(Fact):
    """Input from the model."""

    text: str = Field(max_length=MAX_ANSWER_CHARS, description="The text for the asker.")


@dataclass(kw_only=True)
class RespondCalls:
    """Outcome of the `respond` calls of one turn."""

    called: bool = False
    """True if it was called with a text, whatever the outcome."""
    posted: list[str] = field(default_factory=list)
    """Texts that the asker has received."""
    handed_to_triage: bool = False
    """True if the message became a question for triage instead of a post."""
    in_doubt: bool = False
    """True if it is uncertain whether a post arrived."""
    refused: str = ""
    """Reason of Slack's refusal, in its own words."""

    @property
    def closed(self) -> bool:
        """Return whether the asker was answered."""
        return bool(self.posted) or self.handed_to_triage

    def clear_doubt(self) -> None:
        """Clear the doubt: the text was searched for and is not posted, so it may be sent again."""
        self.in_doubt = False


def build_respond_tool(
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
    responding = _RespondHandler(
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
        is_read_only=False,
        is_closing=True,
    )


@dataclass(frozen=True, kw_only=True)
class _RespondHandler:
    post: Post
    calls: RespondCalls
    rests_on: Callable[[], Untrusted | None]
    in_public: bool
    show: Post
    ask_triage: Post
    redactor: Redactor

    async def run(self, arguments: RespondInput) -> str:
        shaped = repair_markdown(clean(arguments.text)).strip()
        text = without_own_marks(shaped)
        self._check(text)
        self.calls.called = True
        if text in self.calls.posted:
            return f"That is posted already. {_CLOSED}"
        rests_on = self.rests_on() if self.in_public else None
        if rests_on == "code":
            await self._deliver(self.ask_triage, text)
            self.calls.handed_to_triage = True
            return _TO_TRIAGE
        if not await self._deliver(self.show if rests_on else self.post, text):
            return _MESSAGE_DELETED
        self.calls.posted.append(text)
        changed = " Headings and rules were put into Slack's form." if shaped != arguments.text.strip() else ""
        warnings = find_style_warnings(text)
        style_warning = f" For the next time: {'; '.join(warnings)}, which people do not write." if warnings else ""
        done = "Shown to the asker alone: it may repeat what people wrote elsewhere." if rests_on else "Posted."
        return f"{done} {_CLOSED}{changed}{style_warning}"

    def _check(self, text: str) -> None:
        """Raise `ToolError` if the text must not be posted."""
        rendered = reply(text)
        if all(map(is_blank, _find_texts(rendered["blocks"]))):
            raise ToolError("There is nothing to post: give the text that the asker is to read.")
        if self.calls.in_doubt:
            raise ToolError(
                "Nobody knows yet whether the last text was posted. It is looked for; do not respond again."
            )
        if self.calls.handed_to_triage:
            raise ToolError("It was handed on to triage already; nothing more is posted in this turn.")
        if self.calls.posted and text not in self.calls.posted:
            raise ToolError(f"Not posted: your answer is posted already, and a turn posts one. {_CLOSED}")
        if kinds := secrets_in(json.dumps(rendered), self.redactor):
            secret_warning = f"it holds what looks like {', '.join(kinds)}"
            raise ToolError(f"Not posted: {secret_warning}. Leave it out, and name its place instead.")

    async def _deliver(self, put: Post, text: str) -> bool:
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
            if problem.code == THREAD_NOT_FOUND:
                return False
            raise ToolError(f"Not posted, and it will not be: {refusal_in_words(problem)}.") from problem
        except Uncertain as problem:
            message = "Slack did not say whether it was posted. It is looked for; do not respond again."
            raise ToolError(message) from problem
        self.calls.in_doubt, self.calls.refused = False, ""
        return True


def _find_texts(blocks: Any) -> Iterator[str]:
    """Yield the texts in blocks."""
    match blocks:
        case {"text": str(text)}:
            yield text
        case dict() | list():
            for each in blocks.values() if isinstance(blocks, dict) else blocks:
                yield from _find_texts(each)
