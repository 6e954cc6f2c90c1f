"""Order: a command given to the bot in plain words, and the places where one can be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from bot.models.fact import Fact

if TYPE_CHECKING:
    from bot.models.status import Mode

Place = Literal["watched", "silent", "unwatched", "direct"]
"""Place of a message to the bot: a watched channel, a recording-only one, another one, a direct message."""

HERE = "here"
"""Channel name for the channel in which an order is given; Slack reserves the word."""


def place_of(mode: Mode | None) -> Place:
    """Return the place for a channel of this mode; `None` means not watched."""
    return "unwatched" if mode is None else "silent" if mode == "silent" else "watched"


class Order(Fact):
    """A command and its input; the command is `None` if none matches the order."""

    command: str | None
    arguments: dict[str, str] = Field(default_factory=dict)
    of_members: str | None = None
    """The command if a member gives the order, if different: `any news?`."""
    decides: bool = False
    """True if it decides on a draft, which only buttons may do: `approve the vets question`."""
    is_small_talk: bool = False
    """True if it is also a greeting: `are you there?`."""
    settles: bool = False
    """True if it ends an open question of its author: `cancel my question`."""
    about: str = ""
    """The subject of that question, if the order names it."""
    of_all: bool = False
    """True if it ends all of them."""
