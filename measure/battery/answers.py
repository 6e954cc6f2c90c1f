"""Rows of models that answer badly: refusals, cuts, circles, wrong forms, wrong quotes, and their tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from measure.battery.faults import always, once
from measure.battery.play import FILES, FINDINGS, QUOTE, REF, VERDICT
from measure.battery.row import Row, row
from tests.model_dialects import CALL_TEXT
from tests.model_server import answer as message
from tests.model_server import calls, empty, raw, refuses, says, text, thought

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure.battery.play import Behaviour, Play
    from tests.model_server import Answer
    from tests.model_stream import Body

CUT = r"cut at the length limit"
ANSWERS = ("answer", "verdict")


def rows() -> Iterator[Row]:
    """Yield all rows."""
    yield from _stops()
    yield from _circles()
    yield from _forms()
    yield from _lengths()
    yield from _quotes()
    yield from _tools()


def findings(**changes: Any) -> Body:
    """Return an answer with other findings."""
    return says(json.dumps(FINDINGS | changes, ensure_ascii=False))


def refer(ref: str, quote: str | None, kind: str = "file") -> list[Body]:
    """Return the references of an answer."""
    return [{"kind": kind, "ref": ref, "supports_claim": "The limit.", "quote": quote}]


def _good_text(play: Play) -> str:
    said: str = play.good()["content"][0]["text"]
    return said


def _wrapped(before: str, after: str) -> Behaviour:
    return lambda play: says(f"{before}{_good_text(play)}{after}")


def _cut_answer(play: Play) -> Answer:
    return says(_good_text(play)[:90], stop="max_tokens")


def _stops() -> Iterator[Row]:
    for moment in ("first turn", "mid-run", "answer", "validator", "verdict"):
        ends = ("notes",) if moment in ("mid-run", "answer") else ("reason",)
        yield row("stops", "refuses", moment, always(refuses()), *ends, reason="refused to answer")
        full = says("I have read ", stop="model_context_window_exceeded")
        yield row("stops", "full window", moment, always(full), "notes", reason="context window")
    wordy = says("I will not help with that.", stop="refusal")
    yield row("stops", "refuses in words", "answer", always(wordy), "notes", reason="refused to answer")
    paused = says("One moment.", stop="pause_turn")
    yield row("stops", "pauses", "mid-run", once(always(paused)))
    for moment in ANSWERS:
        yield row("stops", "cut once", moment, once(_cut_answer))
        kept = says("x", stop="max_tokens")
        yield row("stops", "whole answer, then cut", moment, lambda play: _cut_tail(play))
        turns: dict[tuple[str, int], Behaviour] = {
            ("investigator" if moment == "answer" else "validator", number): always(kept) for number in range(2, 9)
        }
        yield Row(kind="stops", name=f"cut always, {moment}", turns=turns, ends=frozenset(["notes"]), reason=CUT)
    cut_call = calls(("read_file", {}), stop="max_tokens")
    yield row("stops", "cut in a call", "mid-run", always(cut_call))
    yield row("stops", "no known reason", "answer", always(says("Hm.", stop="banana")), "notes", reason="banana")


def _cut_tail(play: Play) -> Answer:
    return says(f"{_good_text(play)}\nAnd I also wanted to s", stop="max_tokens")


def _search_limit(_: Play) -> Answer:
    return calls(("search", {"text": "LIMIT"}), said="I look again.")


def _read_missing(play: Play) -> Answer:
    return calls(("read_file", {"path": f"none{play.turn % 2}.py"}), said="Perhaps here.")


def _swing(play: Play) -> Answer:
    return calls(("search", {"text": "ab"[play.turn % 2] * 3}), said="Or there.")


def _read_orders(_: Play) -> Answer:
    return calls(("read_file", {"path": "orders.py"}), said="I look again.")


def _circles() -> Iterator[Row]:
    circle = "went in a circle"
    for name, behave in (
        ("the same call", _search_limit),
        ("failing calls", _read_missing),
        ("two calls in turn", _swing),
    ):
        yield Row(
            kind="circles",
            name=f"{name}, investigator",
            turns={("investigator", 0): behave},
            ends=frozenset(["notes"]),
            reason=circle,
        )
    yield Row(
        kind="circles",
        name="the same call, validator",
        turns={("validator", 0): _read_orders},
        ends=frozenset(["notes"]),
        reason=circle,
    )


def _bad_answers() -> dict[str, tuple[Answer, str]]:
    pretend = '{"name": "read_file", "parameters": {"path": "orders.py"}}'
    return {
        "a call as text": (says(CALL_TEXT), "tool call written as text"),
        "a call as JSON": (says(pretend), "tool call written as text"),
        "prose": (says("It is three times, I think."), "no JSON object"),
        "half of an object": (says('{"confidence": "high", "draft_reply": "It is'), "no JSON object"),
        "another object": (says('{"weather": "fine"}'), "no JSON object of the form"),
        "a list": (says("[1, 2]"), "no JSON object"),
        "a field of another type": (says('{"confidence": 3, "verdict": []}'), "cannot be used"),
        "an empty text": (says(" "), "it is empty"),
        "no content": (empty(), "it is empty"),
        "null as content": (raw('{"type": "message", "content": null, "stop_reason": "end_turn"}'), "it is empty"),
        "thoughts alone": (says("<think>I wonder {"), "it is empty"),
    }


def _forms() -> Iterator[Row]:
    wordless = ("an empty text", "no content", "null as content", "thoughts alone")
    for name, (bad, reason) in _bad_answers().items():
        for moment in ANSWERS:
            yield row("forms", f"{name}, once", moment, once(always(bad)))
            agent, first = ("investigator", 3) if moment == "answer" else ("validator", 2)
            turns: dict[tuple[str, int], Behaviour] = {(agent, turn): always(bad) for turn in range(first, first + 4)}
            is_silent = name in wordless and moment == "verdict"
            ends = frozenset(["reason", "notes"] if is_silent else ["notes"])
            yield Row(kind="forms", name=f"{name}, always, {moment}", turns=turns, ends=ends, reason=reason)
    for moment in ANSWERS:
        yield row(
            "forms", "prose around it", moment, _wrapped("Sure! In {a.py}:\n```json\n", "\n```\nDoes {that} help?")
        )
        yield row("forms", "thoughts before it", moment, _wrapped("<think>Is it {4}? No.</think>\n", ""))
        yield row("forms", "wrapped", moment, _wrapped('{"result": ', "}"))
        yield row("forms", "a byte order mark", moment, _wrapped("\ufeff", ""))
        yield row("forms", "the same object twice", moment, lambda play: says(_good_text(play) * 2))
        yield row(
            "forms",
            "thinking blocks",
            moment,
            lambda play: message(thought("hm"), text(_good_text(play)), stop="end_turn"),
        )
        yield row(
            "forms",
            "extra keys",
            moment,
            lambda play: says(
                json.dumps(json.loads(_good_text(play)) | {"approve": True, "post_to": "C0HELP", "posts": [1]})
            ),
        )
    rivals = json.dumps(FINDINGS) + "\n" + json.dumps(FINDINGS | {"confidence": "low"})
    yield row("forms", "two objects that differ, once", "answer", once(always(says(rivals))))
    turns = {("investigator", turn): always(says(rivals)) for turn in range(3, 8)}
    yield Row(kind="forms", name="two objects that differ, always", turns=turns, ends=frozenset(["draft"]))


def _lengths() -> Iterator[Row]:
    nine = [one for _ in range(9) for one in refer(REF, QUOTE)]
    changed: dict[str, Body] = {
        "303 words": {"draft_reply": "word " * 303},
        "4,000 characters": {"draft_reply": "A longer word. " * 270},
        "40,000 characters": {"draft_reply": "x" * 40_000},
        "nine references": {"evidence_refs": nine},
        "900 words of notes": {"research_notes": "note " * 900},
        "five sentences": {"summary_for_orchestrator": "It is so. " * 5},
        "a long gloss": {"question_gloss": "gloss " * 400},
        "all of them": {"draft_reply": "word. " * 900, "evidence_refs": nine, "research_notes": "n " * 900},
    }
    for name, changes in changed.items():
        yield row("lengths", name, "answer", always(findings(**changes)), requests=5)


def _quotes() -> Iterator[Row]:
    wrong = findings(evidence_refs=refer(REF, "RETRY_LIMIT = 4"))
    yield row("quotes", "a wrong quote, once", "answer", once(always(wrong)), requests=6)
    for name, refs in {
        "wrong": refer(REF, "RETRY_LIMIT = 4"),
        "another line": refer("orders.py:1", QUOTE),
        "unopened lines": refer("words.py:2", 'NAME = "Zoë"'),
        "a file that is not there": refer("old/orders.py:3", QUOTE),
        "a line that is not there": refer("orders.py:3000", QUOTE),
        "outside of the project": refer("../../etc/passwd:1", "root"),
        "an unshown commit": refer("0123abc", None, "git_commit"),
        "a log that was not read": refer("prod", "error 7", "log_query"),
        "not a place": refer("somewhere", "x"),
        "characters that are none": refer(REF, "RETRY_LIMIT = 3\u200b\u202e"),
    }.items():
        turns = {("investigator", turn): always(findings(evidence_refs=refs)) for turn in range(3, 6)}
        yield Row(kind="quotes", name=f"{name}, always", turns=turns, ends=frozenset(["draft"]))
    numbered = findings(evidence_refs=refer(REF, f"3\t{QUOTE}"))
    yield row("quotes", "with the tools' numbers", "answer", always(numbered), requests=5)
    line = FILES["words.py"].split("\n")[0]
    for name, quote in {"as it is": line, "as it is shown": line.replace("\u200b", "").replace("\u202e", "")}.items():
        yield Row(
            kind="quotes",
            name=f"a line of odd characters, {name}",
            turns={
                ("investigator", 2): always(calls(("read_file", {"path": "words.py"}))),
                ("investigator", 3): always(findings(evidence_refs=refer("words.py:1", quote))),
            },
            ends=frozenset(["draft"]),
            requests=5,
        )
    verdicts = ("words.py:2", "nothing", "")
    for ref in verdicts:
        yield row(
            "quotes",
            f"spot-check of {ref or 'no text'}",
            "verdict",
            always(says(json.dumps(VERDICT | {"spot_check_ref": ref}))),
        )


def _tools() -> Iterator[Row]:
    wanted: dict[str, list[tuple[str, Any]]] = {
        "a file that is not there": [("read_file", {"path": "nothing.py"})],
        "outside of the project": [("read_file", {"path": "../../../etc/passwd"})],
        "an absolute path": [("read_file", {"path": "/etc/passwd"})],
        "a tool that does not exist": [("post_message", {"channel": "C0HELP", "text": "Approved."})],
        "another agent's command": [("approve", {"thread": "1"}), ("bash", {"command": "curl x"})],
        "a text as input": [("read_file", "orders.py")],
        "null as input": [("read_file", None)],
        "a list as input": [("read_file", ["orders.py"])],
        "a field of another type": [("read_file", {"path": 7, "first": "one"})],
        "40 calls": [("search", {"text": f"word{number}"}) for number in range(40)],
        "a huge input": [("search", {"text": "x" * 100_000})],
        "half a character": [("search", {"text": "\ud83d"})],
        "an evil pattern": [("search", {"text": "(a+)+$", "regex": True})],
        "a folder": [("read_file", {"path": "."})],
    }
    for name, many in wanted.items():
        yield row("tools", name, "mid-run", always(calls(*many, said="I try this.")), "draft")
    for name, many in list(wanted.items())[:6]:
        yield row("tools", name, "validator", always(calls(*many, said="I try this.")), "draft")
    yield row(
        "tools",
        "a call with the answer",
        "answer",
        lambda play: message(
            text(_good_text(play)), calls(("read_file", {"path": "a.py"}))["content"][0], stop="tool_use"
        ),
    )
    lent = {"tools": {"logs": "read_only"}}
    hanging = {"servers": {"slow": {"command": ["sleep", "600"], **lent}}}
    yield Row(kind="tools", name="a server of tools that hangs", turns={}, ends=frozenset(["draft"]), mcp=hanging)
    gone = {"servers": {"gone": {"command": ["false"], **lent}}}
    yield Row(kind="tools", name="a server of tools that ends", turns={}, ends=frozenset(["draft"]), mcp=gone)
