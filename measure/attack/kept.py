"""Hostile strings in the settings file, and in the files of the home that a bot reads at its start."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from bot.config.settings import load
from bot.errors import TriageError
from measure.attack.hostile import hostile
from measure.attack.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = "files of the home, read at start"
SETTINGS = "settings files"
MOST_LINES = 4
"""Lines of an error of the settings."""
_ASKED = 6
"""How many of the settings files the command line itself is given."""
_KEPT = (
    "controls",
    "muted",
    "watched",
    "schedule",
    "reminders",
    "confirmations",
    "active-projects",
    "allowance",
    "health",
)


def settings(count: int, folder: Path, asked: int = _ASKED) -> Tally:
    """Read so many settings files: each is read, or refused in a few lines that show as they are."""
    path, effects, longest = folder / "triage.yml", [], 0.0
    for number, text in enumerate(hostile(count)):
        path.write_bytes(_settings(number, text).encode("utf-8", "replace"))
        began = time.thread_time()
        try:
            load(path, folder / "home")
        except TriageError as problem:
            said = str(problem)
            if len(said.splitlines()) > MOST_LINES or not all(map(str.isprintable, said.split("\n"))):
                effects.append(f"an error of {len(said.splitlines())} lines: {said[:100]!a}")
        except Exception as problem:
            effects.append(f"{type(problem).__name__}: {text[:60]!a}")
        longest = max(longest, time.thread_time() - began)
        if number < asked:
            effects += _asked(path)
    return Tally(f"hostile strings: {SETTINGS}", count, tuple(effects), f"read or refused in {longest:.1f} s at most")


def _settings(number: int, text: str) -> str:
    said = json.dumps(text)
    forms = (
        text,
        f"watched_chats:\n- {{chat_id: C0HELP, name: {said}}}",
        f"projects: {{shop: {{root: ., description: {said}}}}}",
        f"projects: {{shop: {{root: {said}}}}}",
        f"projects: {{{said}: {{root: .}}}}",
        f"{said}: 1",
        f"routing: {{rules: [{{pattern: {said}, project: shop}}]}}\nprojects: {{shop: {{root: .}}}}",
        f"model: {{base_url: {said}}}",
        f"operators: [{said}]",
        f"mcp: {{servers: {{x: {{command: [{said}]}}}}}}",
    )
    return forms[number % len(forms)]


def _asked(path: Path) -> list[str]:
    """What is wrong with the answer of `triage doctor`: it ends, tells its findings and no trace."""
    command = [sys.executable, "-m", "bot", "doctor", "--config", str(path), "--home", str(path.parent / "home")]
    asked = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    is_odd = asked.returncode not in (0, 1, 2) or "Traceback" in asked.stderr + asked.stdout
    return [f"doctor ends with {asked.returncode}: {asked.stderr[-200:]}"] if is_odd else []


def fill_home(count: int, folder: Path) -> int:
    """Fill a home with strings; how many starts it takes to have every small file read."""
    texts = list(hostile(count))
    for name in ("state", "conversations", "sessions", "tasks", "notes"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        at = f"{1_700_000_000 + number}.000001"
        for room, name in (("state", f"T0SANDBOX-C0HELP-{at}"), ("conversations", f"T0SANDBOX-D0ANA-{at}")):
            (folder / room / f"{name}.json").write_bytes(_content(number, text))
        (folder / "sessions" / f"20260101T000000Z-{number}.json").write_bytes(_content(number, text))
    for name in ("events", "events-classified", "replies", "labels", "feedback", "audit"):
        lines = b"\n".join(line for number, text in enumerate(texts) for line in _lines(number, text))
        (folder / f"{name}.ndjson").write_bytes(lines + b"\n")
    return 2


def small(number: int, text: str, folder: Path) -> None:
    """Put a string into every small file of a home."""
    for name in _KEPT:
        (folder / f"{name}.json").write_bytes(_content(number, text))


def _content(number: int, text: str) -> bytes:
    forms: tuple[Any, ...] = (text, [text], {text: text}, {"thread": {"1": {"thread_id": text, "messages": [text]}}})
    raw = text if number % 5 == 0 else json.dumps(forms[number % len(forms)])
    return raw.encode("utf-8", "replace")


def _lines(number: int, text: str) -> Iterator[bytes]:
    said = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": f"{time.time() - number:.6f}", "text": text}
    body = {"type": "event_callback", "team_id": "T0SANDBOX", "event_id": f"E{number}", "event": said}
    yield text.replace("\n", " ").encode("utf-8", "replace")
    yield json.dumps({"kind": "message", "mode": "live", "event_id": text, "raw": body}).encode()
    yield json.dumps({"kind": text, "thread_id": text, "at": text, "question": text, "chat_id": "C0HELP"}).encode()
