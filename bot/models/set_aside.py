"""Question that was set aside: an outage comes before it, and it is taken up as the next question of its thread."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.models.external import External
from bot.models.fact import Fact
from bot.models.message import Ts


class SetAside(Fact):
    """The messages of such a question, or of several, oldest first."""

    messages: Annotated[tuple[Ts, ...], Field(min_length=1)]
    external: External | None = None
    """The people of another company around it."""
