"""Failures of a call: a pause requested by Slack, a refusal, or a missing answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from bot.errors import Refused, RetryLater, Uncertain

if TYPE_CHECKING:
    from slack_sdk.errors import SlackApiError

NOTHING_TO_DO = frozenset({"already_reacted", "no_reaction", "message_not_found"})
"""Slack's error codes for a reaction that exists already, one that does not, and a deleted message."""

_PASSING = ("internal_error", "fatal_error", "service_unavailable", "request_timeout")


def pause(error: SlackApiError) -> float | None:
    """Return the seconds to wait if the rate limit was hit."""
    status, code, _ = _read_error(error)
    if status == 429 or code == "ratelimited":
        return _seconds(error.response.headers.get("Retry-After"))
    return None


def refused(name: str, error: SlackApiError, broken: type[RetryLater] | type[Uncertain]) -> NoReturn:
    """Raise `Refused` with Slack's error code, or `broken` if the failure may be temporary."""
    status, code, data = _read_error(error)
    if status >= 500 or code in _PASSING or not data:
        raise broken(f"{name}: Slack answered {code}") from error
    detail = "; ".join((data.get("response_metadata") or {}).get("messages") or [])
    message = f"{name}: {code}{f' ({detail})' if detail else ''}"
    raise Refused(message, code=code, needed=str(data.get("needed") or "")) from error


def _seconds(header: object) -> float:
    """Parse `Retry-After`; one second if it is not a number."""
    text = str(header)
    return float(text) if text.isdecimal() else 1.0


def _read_error(error: SlackApiError) -> tuple[int, str, dict[str, Any]]:
    """Return status, error code and the whole answer."""
    answer = error.response
    status = int(getattr(answer, "status_code", 0) or getattr(answer, "status", 0))
    data = answer.data if isinstance(getattr(answer, "data", None), dict) else {}
    return status, str(data.get("error", "")) or f"http_{status}", data
