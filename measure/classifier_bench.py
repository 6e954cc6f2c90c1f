"""How fast tier 0 is, and what share of a real channel it finds worth attention: run by `make bench`.

One core, one message after the other, the mix of the stream in the data folder; a made-up mix where there is none.
Beside it the standard library's `re` runs the same patterns one by one, as a bot without a set would.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.text import clean_text
from bot.decide.classify.thread_context import ThreadContext
from measure import labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bot.decide.classify.classifier import Classifier
    from bot.models.classification import Classification
    from bot.models.message import Message

ROUNDS = 5
MADE_UP = ("where is the limit set?", "thanks!", "deployed v3 to staging", "the api is down", "did you restart it?")
HOSTILE = {
    "100 KB": "where? " * 15_000,
    "100,000 NULs": "\x00" * 100_000,
    "lone surrogates": "\ud800" * 50_000,
    "bidi marks": "\u202e\u2066" * 30_000,
    "10,000 emoji": "\U0001f600" * 10_000,
    "backticks": "`" * 100_000,
}


def messages() -> list[Message]:
    """The stream, or a made-up one."""
    if problem := labelled.missing(labelled.STREAM):
        print(f"a made-up mix is measured: {problem}")  # noqa: T201  # the output
        row = {"ts": "2026-01-05 09:00:00", "author": "U0ANA"}
        return [labelled.as_message({**row, "text": MADE_UP[n % len(MADE_UP)]}) for n in range(5_000)]
    return labelled.stream()


def best(work: Callable[[], object], count: int) -> float:
    """Messages a second in the best of some rounds, by processor time, so that a busy machine changes little."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return count / min(times)


def with_re(patterns: Iterable[tuple[str, str]]) -> list[re.Pattern[str]]:
    """The same patterns for the standard library."""
    written = []
    for _, pattern in patterns:
        told = re.sub(r"\\x\{([0-9a-f]+)\}", lambda m: f"\\U{int(m[1], 16):08x}", pattern)
        written.append(re.compile(told.replace(r"\pL\pN", r"\w").replace(r"\pL", r"\w")))
    return written


def main() -> None:
    """Measure and print."""
    said, at = messages(), datetime.now(UTC)
    rules = compile_rules(bot_id="U0TRIAGE")
    began = time.process_time()
    judge_all(rules, said, [at] * len(said))
    cold = len(said) / (time.process_time() - began)
    times = [at + timedelta(seconds=n) for n in range(len(said))]
    warm = best(lambda: judge_all(rules, said, times), len(said))
    alone = 1e6 / best(lambda: known_around(said), len(said))
    same = best(lambda: [rules.classify(m, thread_is_open=False, at=at) for m in said], len(said))
    judged = best(lambda: [rules.classify_text(m.content) for m in said], len(said))
    patterns, proses = with_re(rules.extractor.patterns), [clean_text(m.content) for m in said[:300]]
    began = time.process_time()
    for text in proses:
        for pattern in patterns:
            pattern.search(text)
    plain = len(proses) / (time.process_time() - began)
    rows = {
        "classify, the first time through, with surroundings": (cold, None),
        "classify, each at its own moment, with surroundings": (warm, 80_000.0),
        "classify, all at one moment": (same, 80_000.0),
        "judge": (judged, 80_000.0),
        "the same patterns with re, nothing else done": (plain, None),
    }
    for name, (value, bar) in rows.items():
        verdict = "" if bar is None else f"  bar {bar:,.0f}/s  {'met' if value >= bar else 'MISSED'}"
        print(f"{name:55} {value:10,.0f} messages/s{verdict}")  # noqa: T201  # the output
    for name, text in HOSTILE.items():
        began = time.process_time()
        rules.classify_text(text)
        spent = 1_000 * (time.process_time() - began)
        print(f"{name:55} {spent:10.2f} ms  bar 10 ms  {'met' if spent < 10 else 'MISSED'}")  # noqa: T201  # the output
    print(f"{'what is known around a message':55} {alone:10.2f} \u00b5s")  # noqa: T201  # the output
    for purpose in ("discussion", "help"):
        _print_share(judge_all(compile_rules(bot_id="U0TRIAGE", purposes={"C0DATA": purpose}), said, times), purpose)


def judge_all(rules: Classifier, said: list[Message], times: list[datetime]) -> list[Classification]:
    """What the bot says of each, with what was said before in mind."""
    around, made = ThreadContext(), []
    for message, at in zip(said, times, strict=True):
        judged = rules.classify(message, thread_is_open=False, at=at, context=around.context_of(message))
        if not judged.is_ack_or_emoji:
            around.learn(message, asks=judged.wants, actionable=judged.classification == "actionable")
        made.append(judged)
    return made


def known_around(said: list[Message]) -> None:
    """Read and learn what stands around each, and nothing else."""
    around = ThreadContext()
    for message in said:
        around.context_of(message)
        around.learn(message, asks=False)


def _print_share(made: list[Classification], purpose: str) -> None:
    found = [judged.classification == "actionable" for judged in made]
    window = min(1_000, len(found))
    worst = max(sum(found[start : start + window]) for start in range(len(found) - window + 1)) / window
    verdict = "met" if sum(found) < 0.4 * len(found) else "MISSED"
    told = f"{sum(found) / len(found):10.1%}  worst {window:,} messages {worst:.1%}  bar 40 %  {verdict}"
    print(f"{f'actionable, for {purpose}':55} {told}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
