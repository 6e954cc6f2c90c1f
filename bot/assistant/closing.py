"""What the chat agent says where the model closes without words of its own (spec 2, 3). Pure; for `assistant/chat`.

Only what a tool called done is named as done: a press that is waited for, or a refusal, is said as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.session import Outcome

_STOPPED: dict[Outcome, str] = {
    "refused": "The model would not answer this.",
    "loop": "I went in circles and stopped.",
    "stalled": "Something did not come back, and I stopped.",
    "unusable": "My answer became too long, and I stopped.",
}
_NOT_BEGUN = "This took more than I may use for one answer (`chat` in the settings); nothing was done."


BEGUN = "begun"


@dataclass
class Called:
    """A tool that was called. `outcome` is as `Answer.outcome` has it once it is known."""

    name: str
    outcome: str = BEGUN


def closing(outcome: Outcome, called: Sequence[Called]) -> str:
    """A line for a run that ended like this, after these calls."""
    done = _names(one for one in called if one.outcome == "done")
    waits = _names(one for one in called if one.outcome == "asked")
    begun = _names(one for one in called if one.outcome == BEGUN)
    rest = _names(one for one in called if one.outcome not in ("done", "asked", BEGUN))
    said = [_STOPPED[outcome]] if outcome in _STOPPED else []
    if done:
        said.append(f"{'' if said else 'Done. '}Actions taken: {done}.")
    if waits:
        said.append(f"Waiting for your press: {waits}.")
    if begun:
        said.append(f"Begun, and not known to be done: {begun}.")
    if rest:
        said.append(f"Not done: {rest}.")
    if said:
        return " ".join(said)
    return "Done." if outcome == "answered" else _NOT_BEGUN


def gave_up(said: str) -> str:
    """The sentence of ours that this begins with, of a run that could not go on; empty where there is none.

    Nothing else of `said`: a model can imitate it, and what stands behind may rest on text of others.
    """
    return next((sentence for sentence in (*_STOPPED.values(), _NOT_BEGUN) if said.startswith(sentence)), "")


def _names(called: Iterable[Called]) -> str:
    return ", ".join(dict.fromkeys(one.name for one in called))
