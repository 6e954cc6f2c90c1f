"""Injected faults between the app and the workspace, ordered over /faults."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox.models import Json, Refused

ANSWER_KINDS = ("429", "500", "503", "timeout_after_accept", "delay")
"""Faults in answers of the Web API, by method."""
REFUSED = "refused"
"""Fault of a call that is refused with a chosen error."""
EVENT_KINDS = ("duplicate", "disconnect")
"""Faults in the delivery to the app."""
GOODBYES = ("warning", "refresh_requested", "link_disabled", "too_many_websockets")
"""Reasons that Slack gives when it ends a connection; a disconnect without one just drops it."""


@dataclass(slots=True)
class Fault:
    """Ordered fault. `method` None matches any; `seconds` None is the kind's default."""

    kind: str
    method: str | None
    times: int
    seconds: float | None
    reason: str | None = None
    error: str = ""
    """Error of a refusal, such as `user_disabled`."""
    about: str | None = None
    """Argument value that a call must have to be refused; None matches any call."""


class Faults:
    """Ordered faults, applied in order."""

    def __init__(self) -> None:
        self._ordered: list[Fault] = []

    def order(self, wish: Json) -> Fault:
        kind = str(wish.get("kind", ""))
        if kind not in (*ANSWER_KINDS, *EVENT_KINDS, REFUSED):
            raise Refused("invalid_fault_kind")
        method, times, seconds = wish.get("method"), wish.get("times", 1), wish.get("seconds")
        if method is not None and not isinstance(method, str):
            raise Refused("invalid_method")
        if not isinstance(times, int) or times < 1:
            raise Refused("invalid_times")
        if seconds is not None and (not _is_number(seconds) or seconds < 0):
            raise Refused("invalid_seconds")
        reason = wish.get("reason")
        if reason is not None and reason not in GOODBYES:
            raise Refused("invalid_reason")
        error, about = wish.get("error"), wish.get("about")
        if kind == REFUSED and not (isinstance(error, str) and error):
            raise Refused("invalid_error")
        if about is not None and not isinstance(about, str):
            raise Refused("invalid_about")
        method = method if method != "*" else None
        fault = Fault(kind, method, times, seconds, reason, str(error) if kind == REFUSED else "", about)
        if kind != "disconnect":  # that one happens immediately
            self._ordered.append(fault)
        return fault

    def clear(self) -> None:
        self._ordered.clear()

    def for_answer(self, method: str) -> Fault | None:
        """Take the fault for this call's answer, if any."""
        return self._take(lambda fault: fault.kind in ANSWER_KINDS and fault.method in (None, method))

    def refusal(self, method: str, arguments: Json) -> str | None:
        """Take the error with which this call is refused, if any."""
        fault = self._take(
            lambda fault: (
                fault.kind == REFUSED
                and fault.method in (None, method)
                and fault.about in (None, *map(str, arguments.values()))
            )
        )
        return fault.error if fault else None

    def for_event(self) -> Fault | None:
        """Take the fault for this event, if any."""
        return self._take(lambda fault: fault.kind == "duplicate")

    def _take(self, fits: Callable[[Fault], bool]) -> Fault | None:
        fault = next(filter(fits, self._ordered), None)
        if fault is not None:
            fault.times -= 1
            if fault.times == 0:
                self._ordered.remove(fault)
        return fault


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
