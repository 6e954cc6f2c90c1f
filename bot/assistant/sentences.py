"""What Triage itself says where the chat agent cannot: each a plain sentence or two. Used by `assistant/talking`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import escape
from bot.errors import NoKey, OverCap, Unreachable

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_MODEL = (
    "There is no model that I could talk with. Whoever runs Triage sets one up: `engine: claude` in `triage.yml`, and "
    "a key in `ANTHROPIC_API_KEY` or a server of their own as `model.base_url` (docs/chat.md). Commands work without "
    "one: `/triage help` lists them."
)
LATE = (
    "This has waited for more than ten minutes, and I do not act on what is that old. Say it again if it still counts."
)
CALLED_OFF = "Called off before it began, as you asked; nothing was done."
SILENT = "This ended without an answer. An operator was told; please say it again, or use a command: `/triage help`."
TO_TRIAGE = "The answer rests on code or notes, so a draft of it goes to an operator first."
FOR_TRIAGE = "Taken as a question about the code: a draft goes to an operator first."
OVER = "You have said more to me than I take at once, so this was not taken. Say it again in a moment."

_COMMANDS = "Commands work without a model: `/triage help` lists them."


def failed(problem: Exception | None) -> str:
    """Why a turn could not go on, as mrkdwn."""
    why = escape(str(problem))
    match problem:
        case OverCap():
            return f"The money for the model is used up: {why}. An admin's `/triage allow` allows more. {_COMMANDS}"
        case Unreachable():
            return f"The model cannot be reached at the moment: {why}. Please say it again later. {_COMMANDS}"
        case NoKey():
            return f"The model's server takes no key of mine: {why}. {NO_MODEL}"
        case None:
            return f"This broke, and the log says why. {_COMMANDS}"
        case _:
            return f"This did not work: {why}. {_COMMANDS}"


def with_done(said: str, done: str) -> str:
    """A sentence about an end, and what the commands had come to until then."""
    return f"{said}\n{done}" if done else f"{said} Nothing was done."


def ended_on_request(done: str) -> str:
    """What is said of a turn that its asker has called off."""
    return with_done("Stopped, as you asked.", done)


def silent(done: str) -> str:
    """What is told to somebody whose turn ended without an answer; what was done is not to be said again."""
    return f"This ended without an answer, and an operator was told.\n{done}" if done else SILENT


def restarted(done: Sequence[str]) -> str:
    """What is said of a turn that a restart cut off; `done` has a line of mrkdwn for each command that ran."""
    rows = "\n".join(f"• {line}" for line in done)
    begin = "I was restarted in the middle of this, and do not go on by myself."
    if not rows:
        return f"{begin} No command of it had run. Say it again if it still counts."
    return f"{begin} Done until then:\n{rows}\nSay again only what is missing."
