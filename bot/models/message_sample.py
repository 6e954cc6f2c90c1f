"""Weekly sample of messages that Triage left alone, which an operator looks through (spec 1, AC-11).

It names messages only; their words stay in `events-classified.ndjson`.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError

from bot.models.button_press import read_button_press
from bot.models.fact import Fact
from bot.models.message import SlackId, Ts

Judgement = Literal["fine", "missed"]
_VALUE = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2}) (?P<number>\d{1,2})")


class SampledMessage(Fact):
    """One message of a sample, and an operator's judgement of it."""

    chat_id: SlackId
    message_id: Ts
    classification: Literal["ambient", "ack"]
    stratum: str
    """Channel and closeness to the threshold."""
    weight: PositiveFloat
    """Number of the week's messages that it stands for."""
    judgement: Judgement | None = None
    by: str | None = None
    """The person who judged."""
    at: datetime | None = None
    said: str = ""
    """What Triage answered to the judgement, as mrkdwn."""
    is_void: bool = False
    """True if it was edited or deleted after the draw, so that nobody can judge what was drawn."""


class MessageSample(Fact):
    """A week's sample; it is drawn and saved before it is posted."""

    day: date
    """Day of the weekly report."""
    operator: SlackId
    drawn_at: datetime
    messages: PositiveInt
    """Number of messages of the week that it is drawn from."""
    rows: tuple[SampledMessage, ...]
    channel: str = ""
    """The operator's direct message once it is posted; empty before."""
    ts: str = ""

    def void(self, number: int) -> MessageSample:
        """Return the sample without a row that was edited or deleted."""
        rows = list(self.rows)
        rows[number] = rows[number].evolve(is_void=True)
        return self.evolve(rows=tuple(rows))

    def judge(self, number: int, judgement: Judgement, *, by: str, at: datetime, said: str) -> MessageSample:
        """Return the sample with the judgement of a row."""
        rows = list(self.rows)
        rows[number] = rows[number].evolve(judgement=judgement, by=by, at=at, said=said)
        return self.evolve(rows=tuple(rows))


class SamplePress(Fact):
    """A press on a button below a message of a sample."""

    interaction_id: str
    """Identical for every delivery of it."""
    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId
    action: Judgement
    day: date
    number: Annotated[int, Field(ge=0)]
    """Index of the row."""


def read_sample_press(body: dict[str, Any]) -> SamplePress | None:
    """Parse a press in a `block_actions` payload; `None` for other buttons."""
    try:
        named = _VALUE.fullmatch(body["actions"][0]["value"])
        return named and SamplePress(**read_button_press(body), **named.groupdict())
    except (KeyError, IndexError, TypeError, ValidationError):
        return None
