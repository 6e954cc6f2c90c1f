"""Rows of servers that fail: status codes, overload, broken and silent streams, keys and caps."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from measure.battery.row import Row, row
from tests.builders import T0
from tests.model_server import calls, cut_body, hang, raw, reset, status
from tests.model_stream import (
    cut_stream,
    dripping_stream,
    ended_stream,
    error_in_stream,
    pinging_stream,
    spoiled_stream,
    stream_events,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measure.battery.play import Behaviour, Play
    from tests.model_server import Answer
    from tests.model_stream import Body, Fault

CODES = (400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 429, 500, 501, 502, 503, 504, 529)
SHORT: dict[str, Any] = {"model": {"timeout_s": 0.3}, "minutes": 0.5}
"""Settings of rows whose silence takes real time."""
EVENTS = ("message_start", "content_block_start", "content_block_delta", "content_block_stop")
STREAMS: dict[str, Callable[..., Fault]] = {
    "torn": cut_stream,
    "ended": ended_stream,
    "error event": error_in_stream,
    "not JSON": spoiled_stream,
}
BROKEN = r"broke|ends in its middle|overloaded \(529\)|not JSON"


def rows() -> Iterator[Row]:
    """Yield all rows."""
    yield from _codes()
    yield from _overload()
    yield from _streams()
    yield from _silence()
    yield from _caps()


def always(answer: Answer) -> Behaviour:
    """Return a behaviour that never changes."""
    return lambda play: answer


def once(behave: Behaviour) -> Behaviour:
    """Return a behaviour of the first try alone."""
    return lambda play: behave(play) if play.tries == 1 else play.good()


def until(seconds: float, answer: Answer) -> Behaviour:
    """Return a behaviour of so many seconds."""
    return lambda play: answer if play.clock.now() < T0 + timedelta(seconds=seconds) else play.good()


def streamed(make: Callable[..., Fault], after: int | str) -> Behaviour:
    """Return a good turn whose stream goes wrong after an event; its text counts as sent."""

    def behave(play: Play) -> Answer:
        message = play.good()
        for block in message["content"]:
            if block["type"] == "text":
                block["text"] = f"At first I saw it otherwise. {block['text']}"
        types = [event["type"] for event in stream_events({"usage": {}, **message})]
        number = after if isinstance(after, int) else types.index(after) + 1
        play.note(message, number)
        if number == 0 and make is error_in_stream:  # refused before it began, so not billed
            play.unbilled.add(id(play.body))
        return make(message, number)

    return behave


def _named(code: int) -> str:
    return "no credit" if code == 402 else rf"\({code}\)"


def _codes() -> Iterator[Row]:
    for code in CODES:
        for moment in ("first turn", "mid-run", "answer", "validator"):
            ends = ("notes",) if moment in ("mid-run", "answer") else ("reason",)
            yield row("status codes", f"{code} for ever", moment, always(status(code)), *ends, reason=_named(code))
    for code in (408, 409, 429, 500, 502, 503, 504, 529):
        for moment in ("first turn", "answer", "verdict"):
            yield row("status codes", f"{code} once", moment, once(always(status(code))))
    page, bad = (raw("<html>Bad gateway</html>", content_type="text/html", number=number) for number in (200, 502))
    yield row("status codes", "a web page", "first turn", always(page), "reason", reason="base_url may be wrong")
    for name, fault in (("a web page", page), ("a web page with 502", bad), ("an empty answer", raw(""))):
        for moment in ("mid-run", "answer", "verdict"):
            yield row("status codes", f"{name} once", moment, once(always(fault)))
    yield row(
        "status codes", "a web page for ever", "mid-run", always(page), "notes", reason="web page, .* times in a row"
    )
    yield row("status codes", "a redirect", "first turn", always(status(302)), "reason", reason=r"redirects \(302\)")


def _overload() -> Iterator[Row]:
    for code in (429, 500, 529):
        for seconds in (5, 30, 120):
            yield row("overload", f"{code} for {seconds} s", "mid-run", until(seconds, status(code)))
    for moment in ("first turn", "answer", "validator", "verdict"):
        yield row("overload", "529 for 120 s", moment, until(120, status(529)))
    yield row("overload", "retry after 37 s", "mid-run", once(always(status(429, retry_after=37))))
    late = always(status(429, retry_after=3600))
    yield row("overload", "retry after an hour", "mid-run", late, "notes", reason=r"\(429\)")


def _streams() -> Iterator[Row]:
    for name, make in STREAMS.items():
        for event in EVENTS:
            yield row("broken streams", f"{name} after {event}, once", "answer", once(streamed(make, event)))
        yield row("broken streams", f"{name} at first, once", "answer", once(streamed(make, 0)))
        yield row("broken streams", f"{name} in its middle, once", "verdict", once(streamed(make, 8)))
        yield row("broken streams", f"{name} in its middle, once", "mid-run", once(streamed(make, 5)))
        for moment in ("answer", "verdict"):
            broken = streamed(make, 8)
            yield row("broken streams", f"{name} in its middle, always", moment, broken, "notes", reason=BROKEN)
    yield row("broken streams", "no word, once", "first turn", once(always(reset)))
    yield row("broken streams", "no word, always", "first turn", always(reset), "reason", reason="broke")
    yield row("broken streams", "half a body, once", "answer", once(always(cut_body)))


def _silence() -> Iterator[Row]:
    silent = "no progress|did not answer|stopped in the middle|not complete"
    for moment in ("first turn", "answer", "verdict"):
        yield row("silence", "once", moment, once(always(hang)), **SHORT)
        ends = ("notes",) if moment == "answer" else ("reason",)
        yield row("silence", "always", moment, always(hang), *ends, reason=silent, **SHORT)
        yield row("silence", "pings alone, once", moment, once(streamed(pinging_stream, 6)), **SHORT)
    stopping = streamed(pinging_stream, 6)
    yield row("silence", "pings alone, always", "answer", stopping, "notes", reason=silent, **SHORT)
    slow: dict[str, Any] = {"minutes": 0.05}
    dripping = streamed(dripping_stream, 6)
    yield row("silence", "byte by byte", "answer", dripping, "notes", reason=f"{silent}|took longer", **slow)


def _many(play: Play) -> Body:
    return calls(("search", {"text": f"word{play.turn}"}), said=f"I look for word {play.turn}.")


def _wordy(play: Play) -> Body:
    return calls(("search", {"text": f"word{play.turn}"}), said=f"I look for word {play.turn}. " * 300)


def _caps() -> Iterator[Row]:
    everywhere = {("investigator", 0): _many}
    yield Row(
        kind="caps", name="no key", turns={}, ends=frozenset(["reason"]), reason="ANTHROPIC_API_KEY", has_key=False
    )
    refused = always(status(401))
    yield row("caps", "key refused", "verdict", refused, "reason", reason="does not accept the key")
    dear = {("investigator", 0): _wordy}
    day, run = "cost .* today", r"a run may cost|limits \(\$"
    for name, usd, ends, reason in (
        ("day used up before a run", {"max_usd_per_day": 0.01}, "reason", day),
        ("run used up before a run", {"max_usd_per_run": 0.01}, "reason", run),
        ("day used up in the run", {"max_usd_per_day": 0.3}, "notes", f"{day}|money of the day"),
        ("run used up in the run", {"max_usd_per_run": 0.3}, "notes", run),
    ):
        yield Row(kind="caps", name=name, turns=dear, ends=frozenset([ends]), reason=reason, model=usd)
    yield Row(kind="caps", name="never answers", turns=everywhere, ends=frozenset(["notes"]), reason="24 turns")
    answers = {("investigator", number): _many for number in range(1, 24)}
    answers |= {("investigator", 3): lambda play: calls(("read_file", {"path": "orders.py"}))}
    yield Row(kind="caps", name="answers in its last turn", turns=answers, ends=frozenset(["draft"]))
    impatient: dict[str, Any] = {"max_retries": 0}
    yield row("caps", "no retries", "answer", always(status(529)), "notes", reason="529", model=impatient)
