"""External people around a question: one of them asks, or they read a channel shared with their company.

Slack calls these channels Slack Connect. `triage/externals` finds the people.
"""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

ExternalPolicy = Literal["never", "warn", "allow"]
"""Policy for questions of external people: ignored; accepted, with a confirmation before posting; accepted and only
marked."""

LEFT_ALONE = "external"
"""Value of `left_alone` in the journal for a message that was ignored because its author is external."""


KEPT_BACK = "kept_back"
"""Reason of a run that searched nothing because the external readers may not see the subject. They are not told so,
since that would name a project."""


class External(Fact):
    """The external people around one question; a question without any has no such value."""

    asker: bool
    """True if the asker is external."""
    channel: bool
    """True if external people read the channel."""
    is_cut: bool = False
    """True if they no longer do: the connection with their company was cut."""
    policy: ExternalPolicy = "warn"
    """`slack.external` at the time of the check."""
    kept_back: tuple[str, ...] = ()
    """The projects that were not searched because they may not see them."""

    @property
    def asks_twice(self) -> bool:
        """Return whether Approve asks for a confirmation that names them."""
        return self.policy != "allow"

    @property
    def is_left_alone(self) -> bool:
        """Return whether questions of this asker are ignored."""
        return self.asker and self.policy == "never"


def has_widened(before: External | None, now: External | None) -> bool:
    """Return whether more external people are around a question than before."""
    if now is None:
        return False
    return before is None or (now.asker and not before.asker) or (now.channel and not before.channel)
