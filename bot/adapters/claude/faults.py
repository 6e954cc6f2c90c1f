"""Translation of the library's errors, and of those that a server reports, into the project's own."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from bot.adapters.claude.stream import EndedStream, ErrorEvent, MalformedAnswer
from bot.errors import NoKey, OverCap, Refused, TriageError, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx2

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""HTTP status of each kind of error that comes in a stream; any other kind is a broken server."""


_TOO_LARGE = ("request_too_large", "exceed_context_size_error")
"""Kinds of errors of requests that do not fit: Anthropic's, and llama.cpp's for its context window."""


UNRECORDED = "not_recorded_error"
"""Kind of the error of a server of recorded answers that has none to the request."""


_ANOTHER = "name another in `investigator.model`, or with `--model` of the demo"
"""Next step where the server does not serve a model."""


class TooLarge(Refused):
    """The request does not fit, and fewer parameters make it no shorter."""


class Unrecorded(Refused):
    """The server plays recorded answers, and fewer parameters bring no further one."""


class NoServer(Unreachable):
    """Nothing listens at the address, or it cannot be found."""


class NotOffered(Unreachable):
    """The address offers no such call; perhaps one without a stream."""


class Unfinished(Unreachable):
    """The answer came on, and was not complete within the time of its run."""


def translate(problem: Exception, *, begun: bool, model: str, has_key: bool, clean: Callable[[str], str]) -> Exception:
    """Translate a foreign error; errors that do not come from the server are returned unchanged.

    `begun`: the server had begun a message, so the same call may bring a whole one. `clean` makes a server's text short
    and printable, without the key.
    """
    import anthropic
    import httpx2

    match problem:
        case MalformedAnswer():
            return malformed(str(problem), temporary=begun or isinstance(problem, EndedStream), passing=str(problem))
        case ErrorEvent(kind=kind, detail=detail):
            status, reason = _STATUS.get(kind, 500), clean(detail) or clean(kind)
            return status_error(status, model=model, has_key=has_key, reason=reason, kind=kind)
        case anthropic.APIStatusError():
            kind = problem.type or ""
            return status_error(
                problem.status_code,
                model=model,
                has_key=has_key,
                reason=clean(_reason(problem.body)) or clean(kind),
                kind=kind,
                after=read_pause(problem.response),
            )
        case anthropic.APIConnectionError() if is_unsent(problem):
            return NoServer("the model's server cannot be reached", temporary=True)
        case anthropic.APIConnectionError() | httpx2.HTTPError():
            return broken_connection()
        case ValueError() | RecursionError():
            if not begun and isinstance(problem, json.JSONDecodeError) and problem.doc.lstrip().startswith("<"):
                hint = "a web page, so model.base_url may be wrong: it is not JSON"
                return malformed(f"with {hint}", passing="with a web page", billed=False)  # no model wrote it
            what = "with something that is not JSON"
            return malformed(what, temporary=begun, passing=what)
        case anthropic.AnthropicError():
            return malformed(f"in a way that cannot be read ({type(problem).__name__})")
        case _:
            return problem


def _reason(body: object) -> str:
    """Return the reason in the body of an error: in the documented form, in another one, or as plain text."""
    match body:
        case {"error": {"message": str() as reason}} | {"error": str() as reason} | {"message": str() as reason}:
            return reason
        case {"detail": str() as reason}:
            return reason
        case str() if body.lstrip().startswith("<"):
            return "with a web page"
        case str():
            return body
        case _:
            return ""


def is_unsent(problem: Exception) -> bool:
    """Return whether a connection failed before the request was sent."""
    import httpx2

    return isinstance(problem.__cause__, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout))


def broken_connection() -> Unreachable:
    """Return the error of a connection that broke after the request was sent."""
    return Unreachable("the connection to the model's server broke", billed=True, temporary=True)


def malformed(how: str, *, temporary: bool = False, passing: str = "", billed: bool = True) -> Unreachable:
    """Return the error of an answer that is not a turn; `passing` describes it after good answers, if it may pass."""
    text = f"the model's server answers {passing}" if passing else ""
    return Unreachable(f"the model's server answers {how}", billed=billed, temporary=temporary, passing=text)


def read_pause(response: httpx2.Response) -> float | None:
    """Return the seconds that a server asks to wait, given as seconds or as a date, if it does."""
    value = response.headers.get("retry-after", "")
    try:
        pause = float(value)
    except ValueError:
        try:
            pause = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return pause if pause > 0 else None  # a number that is none compares as false


def _not_offered(status: int, model: str, told: str) -> NotOffered:
    if status != 404:
        return NotOffered(f"the model's server offers no such call ({status}){told}")
    why = f"knows no model {model}, or speaks no Messages API (404){told}"
    return NotOffered(f"the model's server {why}; {_ANOTHER}")


def _no_access(status: int, kind: str, model: str, told: str, *, has_key: bool) -> TriageError:
    if (status, kind) == (403, "permission_error"):  # the key is right
        return Unreachable(f"the model's server does not permit the model {model} (403){told}; {_ANOTHER}")
    if not has_key:
        return NoKey(f"the model's server wants a key ({status}), and there is none; set ANTHROPIC_API_KEY")
    return NoKey(f"the model's server does not accept the key ({status}); see ANTHROPIC_API_KEY")


def _refused(status: int, kind: str, reason: str, told: str) -> Refused:
    if status == 413 or kind in _TOO_LARGE:
        return TooLarge(f"the model's server refuses the request as too large ({status}){told}", code=str(status))
    if kind == UNRECORDED:
        return Unrecorded(reason or "the model's server has no recorded answer", code=str(status))
    return Refused(f"the model's server refuses the request ({status}){told}", code=str(status))


def status_error(
    status: int, *, model: str, has_key: bool, reason: str = "", kind: str = "", after: float | None = None
) -> TriageError:
    """Return the error of an HTTP status. The server chooses no code of the error: others act on codes of Slack."""
    told = f": {reason}" if reason else ""
    match status:
        case 401 | 403:
            return _no_access(status, kind, model, told, has_key=has_key)
        case 402:
            return OverCap(
                "the account at the model's server has no credit left (402); add credit there", limit="account"
            )
        case 404 | 405 | 501:
            return _not_offered(status, model, told)
        case 429:
            return Unreachable("the model's server allows no more calls now (429)", temporary=True, after=after)
        case 529:
            return Unreachable("the model's server is overloaded (529)", temporary=True, after=after)
        case _ if status < 400:
            return Unreachable(f"the model's server redirects ({status}); set model.base_url")
        case 408 | 409:
            return Unreachable(f"the model's server could not answer ({status})", temporary=True, after=after)
        case _ if status < 500 or kind in _TOO_LARGE:
            return _refused(status, kind, reason, told)
        case _:
            return Unreachable(f"the model's server is broken ({status}){told}", temporary=True, after=after)
