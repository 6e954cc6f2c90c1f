"""`triage classify`: classify events or `{"text": …}` lines from stdin; the same lines with their class go to stdout.

A chunk of input is answered before the next is read: line by line at a terminal, thousands per chunk from files. The
output appends fields to the original line, so the line's own bytes stay unchanged.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import stat
import sys
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bot.cli.offline_classification import explain_class, list_reasons, load_offline_classifier, warn_of_groups
from bot.cli.options import add_config, add_home
from bot.cli.progress import ProgressBar
from bot.config.paths import home_path
from bot.errors import Misconfigured
from bot.models.line_message import parse_line_message

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from bot.decide.classify.stream_classifier import MessageClass, StreamClassifier
    from bot.models.classification import Class

MAX_LINE = 8_000_000
"""Maximum bytes of a line; Slack's events are far smaller."""

_CHUNK = 1_000_000
_ADDED = frozenset(
    {
        "is_bot_mention",
        "is_question",
        "is_ack_or_emoji",
        "is_internal_chatter",
        "mentions_thread_with_inflight",
        "classification",
        "classifier_confidence",
        "classifier_version",
        "classified_at",
        "reasons",
        "explanation",
    }
)
_EPILOG = """\
In, one JSON object a line: records of events.ndjson, Slack's own message events, or {"text": "…"}.
Out: the same lines, in order, with classification, classifier_confidence and the other fields of
events-classified.ndjson. An event that is not a message (a press, a join) is copied unchanged; an empty line is
skipped. A line that is not a JSON object is reported on stderr with its number, and the exit code is then 1.

The setting classifier.bot_id tells which mentions are the bot's.

example:
  echo '{"text": "where is the limit set?"}' | triage classify --explain
  triage classify < ~/.triage/events.ndjson | jq -c 'select(.classification == "actionable")'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage classify`."""
    add_config(parser)
    add_home(parser)
    parser.add_argument("--explain", action="store_true", help="add the reasons, and a sentence that explains them")
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Classify every line."""
    if sys.stdin is None or sys.stdout is None:
        raise Misconfigured("stdin: expected events, one JSON object a line")
    rules = asyncio.run(load_offline_classifier(options.config, home_path(options.home)))
    if warning := warn_of_groups(rules):
        _write(sys.stderr.fileno(), f"{warning}\n".encode())
    lines = LineClassifier(rules, explain=options.explain)
    gc.freeze()  # the rules' objects live until the end
    source = sys.stdin.fileno()
    size = None if sys.stdout.isatty() else find_size(source)
    progress = ProgressBar(sys.stderr if size else None, time.monotonic)
    try:
        for block in _blocks(source):
            output, complaints = lines.take(block, at=datetime.now(UTC))
            if complaints:
                progress.end()
            _write(sys.stdout.fileno(), output)
            _write(sys.stderr.fileno(), complaints)
            if size:
                progress.show(os.lseek(source, 0, os.SEEK_CUR), size)
    finally:
        progress.end()
    return 1 if lines.broken else 0


class LineClassifier:
    """Classifier of input lines. `broken` counts lines that could not be read as records."""

    def __init__(self, classifier: StreamClassifier, *, explain: bool) -> None:
        self.broken = 0
        self._classifier = classifier
        self._explain = explain
        self._number = 0
        self._decoder = json.JSONDecoder(parse_constant=_no_number)

    def take(self, block: list[bytes], *, at: datetime) -> tuple[bytes, bytes]:
        """Classify whole lines; return the output and the complaints about lines that are not records."""
        answers: list[str] = []
        complaints: list[str] = []
        when = at.isoformat().replace("+00:00", "Z")
        stamp = f'"classifier_version":"{self._classifier.version}","classified_at":"{when}"'
        for line in block:
            self._number += 1
            try:
                answer = self._answer(line, stamp)
            except (ValueError, RecursionError) as problem:
                self.broken += 1
                complaints.append(f"line {self._number}: {_format_problem(problem)}\n")
                continue
            if answer:
                answers.append(answer)
        return "".join(answers).encode(), "".join(complaints).encode("utf-8", "replace")

    def _answer(self, line: bytes, stamp: str) -> str | None:
        if len(line) > MAX_LINE:
            raise ValueError(f"expected a line of at most {MAX_LINE} bytes")
        text = line.decode().strip()
        if self._number == 1:
            text = text.removeprefix("\ufeff").strip()
        if not text:
            return None
        record, end = self._decoder.raw_decode(text)
        if end < len(text):
            self._decoder.decode(text)  # raises with the position of the extra text
        if not isinstance(record, dict):
            raise ValueError("expected a JSON object")
        message = parse_line_message(record)
        if message is None:
            return f"{text}\n"
        result = self._classifier.judge(message)
        if not _ADDED.isdisjoint(record):  # it was classified before
            original_fields = {key: value for key, value in record.items() if key not in _ADDED}
            text = json.dumps(original_fields, separators=(",", ":"))
        return f"{text[:-1]},{_fields(*result[:-1])},{stamp}{_explanation_fields(result) if self._explain else ''}}}\n"


@lru_cache(maxsize=20_000)
def _fields(
    is_bot_mention: bool,
    is_question: bool,
    is_ack: bool,
    is_chatter: bool,
    has_inflight: bool,
    classification: Class,
    confidence: float,
) -> str:
    """Format the fields of `MessageClass`, without the reasons, as JSON; cached, since few combinations occur."""
    return (
        f'"is_bot_mention":{_BOOL[is_bot_mention]},"is_question":{_BOOL[is_question]},'
        f'"is_ack_or_emoji":{_BOOL[is_ack]},"is_internal_chatter":{_BOOL[is_chatter]},'
        f'"mentions_thread_with_inflight":{_BOOL[has_inflight]},'
        f'"classification":"{classification}","classifier_confidence":{confidence!r}'
    )


_BOOL = ("false", "true")


def _explanation_fields(result: MessageClass) -> str:
    added = {"reasons": list_reasons(result), "explanation": explain_class(result)}
    return f",{json.dumps(added, separators=(',', ':'))[1:-1]}"


def _no_number(name: str) -> Any:
    raise ValueError(f"expected JSON, which has no {name}")


def _format_problem(problem: Exception) -> str:
    match problem:
        case json.JSONDecodeError():
            return f"expected a JSON object: {problem.msg.lower()} at character {problem.pos + 1}"
        case UnicodeDecodeError():
            return f"expected UTF-8: {problem.reason} at byte {problem.start + 1}"
        case RecursionError():
            return "expected JSON of a sensible depth"
        case _:
            return str(problem)


def find_size(source: int) -> int | None:
    """Return the bytes of a file; `None` for a pipe or a terminal, whose end is not known."""
    status = os.fstat(source)
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _blocks(source: int) -> Iterator[list[bytes]]:
    """Yield the whole lines of each read; of an overlong line only the beginning and the end."""
    rest = b""
    while chunk := os.read(source, _CHUNK):
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            if len(rest) <= MAX_LINE:
                rest += chunk
            continue
        lines = head.split(b"\n")
        lines[0] = rest + lines[0]
        rest = tail
        yield lines
    if rest:
        yield [rest]


def _write(target: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(target, view) :]
