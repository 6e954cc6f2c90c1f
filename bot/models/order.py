"""An order that somebody gives to the bot in their own words, read by `decide/orders`; and where it may be said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from bot.models.fact import Fact

if TYPE_CHECKING:
    from bot.models.status import Mode

Place = Literal["watched", "silent", "unwatched", "direct"]
"""Where something is said to the bot: a watched channel, one where it only records, another, a direct message."""


def place_of(mode: Mode | None) -> Place:
    """Name the place that a channel of this mode is; `None` where it is not watched."""
    return "unwatched" if mode is None else "silent" if mode == "silent" else "watched"


class Order(Fact):
    """A command and its input, or no command where none does what was ordered."""

    command: str | None
    given: dict[str, str] = Field(default_factory=dict)
    of_members: str | None = None
    """The command that it is where a member says it, if that is another one: `any news?`."""
    decides: bool = False
    """True if it decides on a draft, for which there are buttons: `approve the vets question`."""
    is_small_talk: bool = False
    """True if it is how people greet each other, too: `are you there?`."""
    settles: bool = False
    """True if it ends an open question of whoever gives it: `cancel my question`."""
    about: str = ""
    """What that question is about, where the order says it."""
    of_all: bool = False
    """True if it ends all of them."""
