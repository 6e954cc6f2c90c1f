"""What Triage itself says where the chat agent cannot: each a plain sentence or two. Used by `assistant/talking`."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
SILENT = "This ended without an answer. An operator was told; please say it again, or use a command: `/triage help`."
TO_TRIAGE = "The answer rests on code or notes, so a draft of it goes to an operator first."
FOR_TRIAGE = "Taken as a question about the code: a draft goes to an operator first."
OVER = "You have said more to me than I take at once, so this was not taken. Say it again in a moment."

_COMMANDS = "Commands work without a model: `/triage help` lists them."


def failed(problem: Exception | None, actions: Sequence[str]) -> str:
    """Why a turn could not go on, and what was done before."""
    match problem:
        case OverCap():
            said = f"The money for the model is used up: {problem}. An admin's `/triage allow` allows more. {_COMMANDS}"
        case Unreachable():
            said = f"The model cannot be reached at the moment: {problem}. Please say it again later. {_COMMANDS}"
        case NoKey():
            said = f"The model's server takes no key of mine: {problem}. {NO_MODEL}"
        case None:
            said = f"This broke, and the log says why. {_COMMANDS}"
        case _:
            said = f"This did not work: {problem}. {_COMMANDS}"
    done = ", ".join(f"`{name}`" for name in dict.fromkeys(actions) if name != "respond")
    return f"{said} Called until then: {done}." if done else said


def restarted(done: Sequence[str]) -> str:
    """What is said of a turn that a restart cut off; `done` has a line for each command that ran."""
    rows = "\n".join(f"- {line}" for line in done)
    what = f"Done until then:\n{rows}\n" if rows else "No command of it had run. "
    return f"I was restarted in the middle of this, and do not go on by myself. {what}Say it again if it still counts."
