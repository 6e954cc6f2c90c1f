"""What a call's failure means: a pause that Slack asks for, a refusal, or an answer that did not arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from bot.errors import Refused, RetryLater, Uncertain

if TYPE_CHECKING:
    from slack_sdk.errors import SlackApiError

NOTHING_TO_DO = frozenset({"already_reacted", "no_reaction", "message_not_found"})
"""What Slack says of a reaction that stands, of one that does not, and of a message that is gone."""

_PASSING = ("internal_error", "fatal_error", "service_unavailable", "request_timeout")


def pause(error: SlackApiError) -> float | None:
    """How many seconds Slack asks to wait, where it was asked too often."""
    status, code, _ = _said(error)
    if status == 429 or code == "ratelimited":
        return _seconds(error.response.headers.get("Retry-After"))
    return None


def refused(name: str, error: SlackApiError, broken: type[RetryLater] | type[Uncertain]) -> NoReturn:
    """Raise `Refused` with Slack's own word, or `broken` where its answer says nothing for good."""
    status, code, data = _said(error)
    if status >= 500 or code in _PASSING or not data:
        raise broken(f"{name}: Slack answered {code}") from error
    detail = "; ".join((data.get("response_metadata") or {}).get("messages") or [])
    told = f"{name}: {code}{f' ({detail})' if detail else ''}"
    raise Refused(told, code=code, needed=str(data.get("needed") or "")) from error


def _seconds(said: object) -> float:
    """`Retry-After`, or a second where it is no number."""
    text = str(said)
    return float(text) if text.isdecimal() else 1.0


def _said(error: SlackApiError) -> tuple[int, str, dict[str, Any]]:
    """Status, Slack's own word and the whole answer."""
    answer = error.response
    status = int(getattr(answer, "status_code", 0) or getattr(answer, "status", 0))
    data = answer.data if isinstance(getattr(answer, "data", None), dict) else {}
    return status, str(data.get("error", "")) or f"http_{status}", data
