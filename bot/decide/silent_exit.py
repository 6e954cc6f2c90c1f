"""Silent exit of a chat agent: the follow-up of a turn without an answer (spec 4). Pure.

A call of `respond` ends the loop. Without one, the agent gets one retry prompt. Before an alarm, the thread itself is
read: its messages count for more than the turn's own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Truth = Literal["unasked", "yes", "no", "unknown"]
"""State of the thread: whether the bot has written in it since the request; `unknown` if Slack could not be read."""

UNREAD = "Slack could not be read, so an answer may be there all the same"
RESPOND = "respond"
"""Name of the tool."""
SILENT_END = "silent_end"
"""`kind` of a silent exit in the audit log."""
_LONGEST = 1_500


@dataclass(frozen=True, kw_only=True)
class TurnEnd:
    """State of an ended turn, including its retry."""

    responded: bool = False
    """True if `respond` posted something, or started a question for triage."""
    in_doubt: bool = False
    """True if `respond` tried to post, with unknown result."""
    posted_otherwise: bool = False
    """True if the turn posted something else to the asker: a button, or a refusal."""
    reported: bool = False
    """True if code has reported what was done."""
    final_text: str = ""
    """Agent's last text, which was not posted."""
    actions: tuple[str, ...] = ()
    """Names of the called tools, in order."""
    failure: str = ""
    """Reason why the turn could not go on, in plain words; a retry would end in the same way."""
    is_retried: bool = False
    truth: Truth = "unasked"


@dataclass(frozen=True)
class LoopClosed:
    """End of the loop. `why` is for the log."""

    why: str


@dataclass(frozen=True)
class ReadThread:
    """Request to read the thread, and then decide again."""


@dataclass(frozen=True)
class RetryPrompt:
    """Request to run the agent again with this prompt."""

    text: str


@dataclass(frozen=True)
class Alarm:
    """Alarm for the operator. `why` is a plain clause; `unread` is true where Slack could not be read."""

    why: str
    is_unread: bool


def decide_follow_up(turn: TurnEnd) -> LoopClosed | ReadThread | RetryPrompt | Alarm:
    """Return the next step. With the agent's own messages the asker gets at most two, never three."""
    match turn:
        case TurnEnd(responded=True):
            return LoopClosed("it responded")
        case TurnEnd(reported=True):
            return LoopClosed("code said what was done")
        case TurnEnd(posted_otherwise=True):
            return LoopClosed("the asker was given something else")
        case TurnEnd(truth="yes"):
            return LoopClosed("the thread shows what the bot said")
        case TurnEnd(in_doubt=True, truth="unasked"):
            return ReadThread()
        case TurnEnd(is_retried=False, failure="", truth="unasked" | "no"):
            return RetryPrompt(build_retry_prompt(turn))
        case TurnEnd(truth="unasked"):
            return ReadThread()
        case _:
            return Alarm(_explain_end(turn), is_unread=turn.truth == "unknown")


def build_retry_prompt(turn: TurnEnd) -> str:
    """Return the prompt for the retry."""
    work = counted(tuple(name for name in turn.actions if name != RESPOND))
    done = f" You have called {work}; do not do that again." if work else ""
    wrote = f" You wrote, and nobody has read it:\n{turn.final_text[:_LONGEST]}" if turn.final_text.strip() else ""
    return (
        "You ended without `respond`, so the asker has read nothing. Call `respond` now, once, with what came of "
        f"it in a few plain sentences, or with why nothing did.{done}{wrote}"
    )


def counted(actions: tuple[str, ...]) -> str:
    """Return the distinct names in order, with their counts: `list_tasks, get_task (2 times)`."""
    names = {name: actions.count(name) for name in actions}
    return ", ".join(f"{name} ({count} times)" if count > 1 else name for name, count in names.items())


def _explain_end(turn: TurnEnd) -> str:
    if turn.failure:
        return turn.failure
    if turn.in_doubt:
        return "Slack did not say whether it took the answer"
    return "the model ended twice without an answer" if turn.is_retried else "the model ended without an answer"
