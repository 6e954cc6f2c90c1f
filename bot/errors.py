"""Errors, named by what the caller does next.

TriageError
├── Misconfigured    refuse to start: the message names the key or variable, and the expected value
├── RetryLater       no effect outside: repeat the call after `after` seconds
│   ├── RateLimited  the same: Slack's rate limit was hit
│   └── Crowded      the same: the call was not sent, since the rate limit leaves no room
├── Uncertain        perhaps an effect outside: look for it before repeating the call
├── Refused          no effect, and none will follow: tell a person the reason
├── Conflict         another save came first: load, decide and save again
├── Fenced           another replica leads: this process must end, and save and post nothing more
├── NotHere          another replica may do it: leave the job to it
├── Unreadable       a file on disk does not parse: report its name
├── Unreachable      the model gives no usable answer: use the keyword engine, and note it on the card
│   └── Stalled      the same: the run made no progress for too long and was ended
├── Stopped          a guard ended an agent's run: tell a person the reason
├── OverCap          the budget or the credit is used up: as Unreachable, until the next day or an admin's command
├── NoKey            the model's key is missing or not accepted: as Unreachable, until an admin replaces the key
└── ToolError        an agent's tool failed: an observation for the agent, not the end of its run
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bot.models.turn import Usage


class TriageError(Exception):
    """Base of all errors that Triage raises on purpose."""

    unchecked_notes: str = ""
    """Best text of the agent's run that it ended, checked by nothing; people may read it."""


class Misconfigured(TriageError):
    """The settings, the home or the environment do not let the command start. Exit code 2."""


class RetryLater(TriageError):
    """The call had no effect outside and may succeed later."""

    def __init__(self, message: str, *, after: float = 1.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds to wait before the next try."""


class RateLimited(RetryLater):
    """Slack's rate limit was hit; `after` tells when calls work again."""


class Crowded(RetryLater):
    """The rate limit leaves no room for the call now; nothing was sent."""


class Uncertain(TriageError):
    """The call may have had its effect outside: a timeout, a cut connection or a 5xx after sending."""


class Refused(TriageError):
    """The other side refused the call permanently. `code` is its error code, such as `channel_not_found`; `needed`
    names the missing scopes if the code is `missing_scope`."""

    def __init__(self, message: str, *, code: str, needed: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.needed = needed


class Conflict(TriageError):
    """A save was based on a version that is no longer the newest."""


class Fenced(TriageError):
    """Another replica leads; nothing that this process saves is taken any more."""


class NotHere(TriageError):
    """This replica lacks what a job needs. Another one may have it: leave the job to that."""


class Unreadable(TriageError):
    """A document on disk does not parse or breaks its schema."""


class Unreachable(TriageError):
    """The model's server does not answer, answers too late, or with something that is not a turn."""

    def __init__(
        self,
        message: str,
        *,
        billed: bool = False,
        temporary: bool = False,
        after: float | None = None,
        at_most: Usage | None = None,
        passing: str = "",
    ) -> None:
        super().__init__(message)
        self.billed = billed
        """True if the call may have cost money nevertheless."""
        self.temporary = temporary
        """True if the same call may succeed later."""
        self.after = after
        """Seconds to wait before the next try, if the server named them."""
        self.passing = passing
        """Message of the same failure after good answers of the same server: then it may pass; empty for others."""
        self.at_most = at_most
        """Maximum use of a billed call, if the server reported what it read; `None`: unknown."""


class Stalled(Unreachable):
    """A run made no progress for its maximum time; `what` names the silent part."""

    def __init__(
        self,
        what: str,
        *,
        seconds: float,
        billed: bool = False,
        temporary: bool = False,
        at_most: Usage | None = None,
    ) -> None:
        minutes = "a minute" if seconds == 60 else f"{seconds / 60:.3g} minutes"
        few = "a second" if seconds == 1 else f"{seconds:.3g} seconds"
        long = few if seconds < 60 else minutes
        message = f"there was no progress for {long}: {what}"
        super().__init__(message, billed=billed, temporary=temporary, at_most=at_most)


class Stopped(TriageError):
    """A guard ended the run of an agent; `why` is its reason, as in `models/task.Abort`."""

    def __init__(self, message: str, *, why: str) -> None:
        super().__init__(message)
        self.why = why


class OverCap(TriageError):
    """A cost cap is reached, or the account at the model's server has no credit.

    `limit` names the cap: the day's, which an admin raises by a command, that of one run, or the account's.
    """

    def __init__(self, message: str, *, limit: Literal["day", "run", "account"] = "run") -> None:
        super().__init__(message)
        self.limit = limit


class NoKey(TriageError):
    """The model's key is missing, or its server does not accept it."""

    def __init__(self, message: str, *, key_number: int = 0) -> None:
        super().__init__(message)
        self.key_number = key_number
        """Number of the key among those of this process, in the order of their use."""


class ToolError(TriageError):
    """A tool could not do the requested work."""


class NothingCommitted(ToolError):
    """A branch has no commit to push."""


class Outdated(ToolError):
    """What a person was shown is no longer so; the same press cannot succeed."""
