"""How fast the demo feels, and how much memory the bot takes: run by `make bench`.

It starts `triage demo` as a person would, asks, approves and holds the clock beside it. Each figure stands beside its
bar; `--json FILE` keeps them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bot.decide.redaction.redactor import Redactor
from bot.decide.router import ProjectFolder, Routed, Router, RoutingRule
from tests.line.human import Human, cards, newest

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "where is debounce_ms set?",
    "how is a draft sealed before it is posted?",
    "which setting says how long closed threads are kept?",
    "which process owns the home?",
    "where is the classifier version made?",
)
DEBOUNCE = 2.0


async def measured() -> dict[str, tuple[float, float, str]]:
    """Each figure with its bar and its unit."""
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "demo", "--keyword", "--port", "0", "--home", home),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None  # noqa: S101  # it was asked for
        said = ""
        while "Stop " not in said:
            said += (await process.stdout.readline()).decode()
        ready = time.perf_counter() - began
        url = re.search(r"http://127\.0\.0\.1:\d+", said)
        pid = re.search(r"process (\d+)", said)
        assert url  # noqa: S101  # the lines just read hold it
        assert pid  # noqa: S101  # the same
        try:
            rounds = [await _round(url[0], question) for question in QUESTIONS]
            status = await asyncio.to_thread(Path(f"/proc/{pid[1]}/status").read_text)
            peak = re.search(r"VmHWM:\s+(\d+)", status)
            resident = int(peak[1] if peak else 0) / 1024
        finally:
            process.terminate()
            await process.communicate()
    return {
        "demo ready": (ready, 2.0, "s"),
        "draft after the debounce window, worst": (max(r["draft"] for r in rounds), 1.0, "s"),
        "reply after Approve, worst": (max(r["reply"] for r in rounds), 0.5, "s"),
        "bot's memory, highest": (resident, 100.0, "MB"),
        "secrets looked for in 12,000 characters": (_redaction(), 2.0, "ms"),
        "a question through 500 rules": (_routing(), 0.2, "ms"),
    }


def _redaction() -> float:
    """Milliseconds for a card's worth of code, the median of many."""
    text = "".join(path.read_text() for path in sorted((ROOT / "bot" / "triage").glob("*.py")))[:12_000]
    redactor, taken = Redactor([f"{'value'}-{number:032}" for number in range(20)]), []
    for _ in range(200):
        began = time.perf_counter()
        redactor.redact(text)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def _routing() -> float:
    """Milliseconds until it is known that no rule but the last takes a question, the median of many."""
    rules = [RoutingRule(pattern=rf"^(word{n}|other{n}x?)\b.*thing{n}", role="dev") for n in range(499)]
    rules.append(RoutingRule(pattern="debounce", role="dev"))
    place = ProjectFolder(project="shop")
    router = Router(
        default="dev", rules=rules, roles={"dev": Routed(display_name="Dev", place=place)}, projects=["shop"]
    )
    taken = []
    for _ in range(1_000):
        began = time.perf_counter()
        router.route(QUESTIONS[0], "C0HELP")
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


async def _round(url: str, question: str) -> dict[str, float]:
    ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
    asked_at = time.perf_counter()
    asked = await ana.say(question)
    card = await olu.sees(lambda view: newest([c for c in cards(view) if _is_new(c, question)], ('"bounce"',)))
    draft_at = time.perf_counter()
    if '"approve"' in json.dumps(card["blocks"]):  # one that found nothing has none
        await olu.press("approve", card)
        await ana.replies(asked)
    return {
        "draft": draft_at - asked_at - DEBOUNCE,
        "reply": time.perf_counter() - draft_at,
    }


def _is_new(card: dict[str, Any], question: str) -> bool:
    return question in json.dumps(card["blocks"], ensure_ascii=False)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures")
    options = parser.parse_args()
    figures = asyncio.run(measured())
    for name, (value, bar, unit) in figures.items():
        print(f"{name:45} {value:8.3f} {unit:3} bar {bar:g} {unit}  {'met' if value <= bar else 'MISSED'}")  # noqa: T201  # the output
    if options.json:
        options.json.write_text(json.dumps({name: value for name, (value, _, _) in figures.items()}, indent=2))


if __name__ == "__main__":
    main()
