"""Readers of another company: somebody of theirs asks, or they read along in a channel that is shared with them.

Slack calls such people external, and such channels Slack Connect. `triage/externals` says who they are.
"""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

ExternalPolicy = Literal["never", "warn", "allow"]
"""What becomes of the questions of external people: they are not taken up; taken up, and Approve asks once more; taken
up and only marked."""

LEFT_ALONE = "external"
"""What `left_alone` says in the journal of a judged message that was not taken up since its author is external."""


KEPT_BACK = "kept_back"
"""Why a run has searched nothing: they may not see what the question is about. They are not told so, since that would
name a project."""


class External(Fact):
    """The external people around one question; where there are none, a question has no such value."""

    asker: bool
    """True if who asks is one of them."""
    channel: bool
    """True if they read its channel."""
    is_cut: bool = False
    """True if they read it no longer: its connection with their company was cut since."""
    policy: ExternalPolicy = "warn"
    """`slack.external`, as it was when they were looked at."""
    kept_back: tuple[str, ...] = ()
    """The projects that were not searched, since they may not see them."""

    @property
    def asks_twice(self) -> bool:
        """Return whether Approve names them and asks once more."""
        return self.policy != "allow"

    @property
    def is_left_alone(self) -> bool:
        """Return whether no question is taken up of whoever asks."""
        return self.asker and self.policy == "never"


def widened(before: External | None, now: External | None) -> bool:
    """Return whether more external people are around a question than was known."""
    if now is None:
        return False
    return before is None or (now.asker and not before.asker) or (now.channel and not before.channel)
