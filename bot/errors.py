"""Errors, named by what the caller does next.

TriageError ├── Misconfigured refuse to start: the message says which key or variable, and what was expected ├──
RetryLater nothing happened outside; do the same again after `after` seconds │ ├── RateLimited the same: nothing is
wrong but the pace │ └── Crowded the same, before Slack was asked ├── Uncertain it may or may not have happened outside;
look before doing it again ├── Refused it did not happen and will not; tell a person why ├── Conflict somebody saved
first; load, decide again, save again ├── Unreadable a file on disk does not parse; the message names it ├── Unreachable
the model gives no usable answer; the keyword engine answers, and the card says why │ └── Stalled nothing came from it
for so long that the run was ended; the same ├── Stopped code ended an agent's run; tell a person why ├── OverCap the
money or the credit is used up; the same, until the next day or an admin's word ├── NoKey there is no key, or it is not
accepted; the same, and an admin mends the key └── ToolError an agent's tool failed; an observation for the agent, not
the end of its run
"""

from __future__ import annotations

from typing import Literal


class TriageError(Exception):
    """Anything that Triage raises on purpose."""


class Misconfigured(TriageError):
    """The settings, the home or the environment do not let the command start. Exit code 2."""


class RetryLater(TriageError):
    """The call had no effect outside and may succeed later."""

    def __init__(self, message: str, *, after: float = 1.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds to wait before the next try."""


class RateLimited(RetryLater):
    """Slack was asked too often, and says for how long nothing helps."""


class Crowded(RetryLater):
    """Slack's rates leave no room for the call now; nothing was sent."""


class Uncertain(TriageError):
    """The call may have had its effect outside: a timeout, a cut connection or a 5xx after sending."""


class Refused(TriageError):
    """The other side said no for good. `code` is its own word for why, such as `channel_not_found`; `needed` names the
    scopes that are missing where it is `missing_scope`."""

    def __init__(self, message: str, *, code: str, needed: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.needed = needed


class Conflict(TriageError):
    """A save named a version that is no longer the newest."""


class Unreadable(TriageError):
    """A document on disk does not parse or breaks its schema."""


class Unreachable(TriageError):
    """The model's server does not answer, answers too late, or answers with something that is no turn.

    `billed` says whether the call may have cost money all the same.
    """

    def __init__(self, message: str, *, billed: bool = False) -> None:
        super().__init__(message)
        self.billed = billed


class Stalled(Unreachable):
    """Nobody answered for as long as a run may stand still; `what` says who was silent."""

    def __init__(self, what: str, *, seconds: float, billed: bool = False) -> None:
        minutes = "a minute" if seconds == 60 else f"{seconds / 60:.3g} minutes"
        few = "a second" if seconds == 1 else f"{seconds:.3g} seconds"
        long = few if seconds < 60 else minutes
        super().__init__(f"there was no progress for {long}: {what}", billed=billed)


class Stopped(TriageError):
    """A guard ended the run of an agent; `why` is its reason as `models/task.Abort` has it."""

    def __init__(self, message: str, *, why: str) -> None:
        super().__init__(message)
        self.why = why


class OverCap(TriageError):
    """A cap in money is reached, or the account at the model's server has no credit.

    `limit` says which: the day's, which an admin raises by a command, that of one run, or the account's.
    """

    def __init__(self, message: str, *, limit: Literal["day", "run", "account"] = "run") -> None:
        super().__init__(message)
        self.limit = limit


class NoKey(TriageError):
    """There is no key for the model, or its server does not accept it."""


class ToolError(TriageError):
    """A tool could not do what an agent asked of it."""
