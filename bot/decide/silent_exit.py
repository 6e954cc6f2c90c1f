"""What follows the end of a chat agent's turn: nothing, a nudge, or an alarm for the operator (spec 4). Pure.

The call of `respond` closes the loop, whatever work stands before or after it. A turn without one is nudged once.
Before anybody is alarmed the thread itself is read, and what stands there counts for more than what the turn knows of
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Truth = Literal["unasked", "yes", "no", "unknown"]
"""Whether the bot has spoken in the thread since it was asked; `unknown` where Slack could not be read."""

UNREAD = "Slack could not be read, so an answer may stand there all the same"
RESPOND = "respond"
"""The tool's name."""
SILENT_END = "silent_end"
"""`kind` of a silent end's line in the audit."""
_LONGEST = 1_500


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What is known of a turn that has ended, its nudge included."""

    responded: bool = False
    """`respond` posted something, or made a question for triage of it."""
    in_doubt: bool = False
    """`respond` tried to post, and nobody knows whether it did."""
    posted_otherwise: bool = False
    """The turn put something else before whoever asked: a button to press, a plain refusal."""
    reported: bool = False
    """Code has said what was done in it."""
    said: str = ""
    """The agent's own last words, which nobody has read."""
    actions: tuple[str, ...] = ()
    """The names of the tools that it called, in order."""
    failure: str = ""
    """Why it could not go on, in plain words: another try would end in the same way."""
    nudged: bool = False
    truth: Truth = "unasked"


@dataclass(frozen=True)
class LoopClosed:
    """The loop is closed. `why` is for the log."""

    why: str


@dataclass(frozen=True)
class ReadThread:
    """Read the thread, then decide again."""


@dataclass(frozen=True)
class RetryPrompt:
    """Let the agent run once more, on these words."""

    text: str


@dataclass(frozen=True)
class Alarm:
    """Tell the operator. `why` is a plain clause; `unread` where Slack could not be read."""

    why: str
    unread: bool


def follows(ended: Ended) -> LoopClosed | ReadThread | RetryPrompt | Alarm:
    """What is to happen next. Together with what the agent posted these are two messages at most, never three."""
    match ended:
        case Ended(responded=True):
            return LoopClosed("it responded")
        case Ended(reported=True):
            return LoopClosed("code said what was done")
        case Ended(posted_otherwise=True):
            return LoopClosed("whoever asked was given something else")
        case Ended(truth="yes"):
            return LoopClosed("the thread shows what the bot said")
        case Ended(in_doubt=True, truth="unasked"):
            return ReadThread()
        case Ended(nudged=False, failure="", truth="unasked" | "no"):
            return RetryPrompt(nudge(ended))
        case Ended(truth="unasked"):
            return ReadThread()
        case _:
            return Alarm(_why(ended), unread=ended.truth == "unknown")


def nudge(ended: Ended) -> str:
    """The words that an agent is reminded with."""
    work = counted(tuple(name for name in ended.actions if name != RESPOND))
    done = f" You have called {work}; do not do that again." if work else ""
    wrote = f" You wrote, and nobody has read it:\n{ended.said[:_LONGEST]}" if ended.said.strip() else ""
    return (
        "You ended without `respond`, so whoever asked has read nothing. Call `respond` now, once, with what came of "
        f"it in a few plain sentences, or with why nothing did.{done}{wrote}"
    )


def counted(actions: tuple[str, ...]) -> str:
    """Names in their order, each once, with how often: `list_tasks, get_task (2 times)`."""
    names = {name: actions.count(name) for name in actions}
    return ", ".join(f"{name} ({count} times)" if count > 1 else name for name, count in names.items())


def _why(ended: Ended) -> str:
    if ended.failure:
        return ended.failure
    if ended.in_doubt:
        return "Slack did not say whether it took the answer"
    return "the model ended twice without an answer" if ended.nudged else "the model ended without an answer"
