"""From an operator's press to the first change that they see, for each decision: run by `make bench`.

The bot is a process of its own, over Socket Mode in a local workspace. What is timed is what a person waits for: the
dialog that opens, the card or the Home that is another one. Each figure stands beside its bar.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure.commands_bench import started
from measure.many_settings import NAMES, write_settings
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, Line
from tests.line.human import cards

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from tests.line.human import Human, View

ROOT = Path(__file__).resolve().parent.parent
BAR = 0.5
"""Seconds from the press to the change."""
ROUNDS = 3
FAST = 20
"""Times Slack's pace: what is measured here is the bot; `burst_bench` measures at Slack's own rates."""
QUESTION = "what is the default of {}?"
DIALOGS: dict[str, dict[str, Any]] = {
    "edit": {"text": "Three times."},
    "bounce": {"reason": "incomplete"},
    "dismiss": {"reason": "not_for_us"},
    "delegate": {"to": "U0ADMIN"},
}
"""What is submitted in the dialog of each decision that has one."""
IN_MENU = ("take_over", "delegate")
DECISIONS = ("approve", "edit", "bounce", "dismiss", "take_over", "delegate")

MORE = "admins: [U0OPS]\nfloods: {per_user: {per_minute: 600, burst: 600}}"

Times = dict[str, list[float]]


async def measured() -> Times:
    """Every figure, in seconds, round by round."""
    taken: Times = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        made = Line(workspace, Path(folder))
        write_settings(made.folder / "shop")
        made.configure(pace=FAST, chat="operators: [U0OPS, U0ADMIN]", more=MORE)
        process = await started(made)
        try:
            settings = iter(NAMES)
            for _ in range(ROUNDS):
                for name in DECISIONS:
                    await _decide(made, name, next(settings), taken)
                await _pause(made.olu, taken)
        finally:
            process.terminate()
            await process.communicate()
            await workspace.close()
    return taken


async def _decide(made: Line, name: str, setting: str, taken: Times) -> None:
    olu, question = made.olu, QUESTION.format(setting)
    await made.ana.say(question)
    card = await olu.card(question, '"approve"')
    pressing = olu.chooses(name, card) if name in IN_MENU else olu.press(name, card)
    if name not in DIALOGS:
        taken[name].append(await _seconds_until(pressing, olu, lambda view: _is_other(view, card)))
        return
    taken[f"{name}: its dialog"].append(await _seconds_until(pressing, olu, lambda view: view["views"]))
    submitting = olu.submit(await olu.dialog(), **DIALOGS[name])
    taken[name].append(await _seconds_until(submitting, olu, lambda view: _is_other(view, card)))


async def _pause(olu: Human, taken: Times) -> None:
    await olu.home()
    for name in ("home_pause", "home_resume"):
        before = (await olu.now())["home"]
        taken[name].append(await _seconds_until(olu.press(name), olu, lambda view: view["home"] != before))  # noqa: B023  # used at once


async def _seconds_until(act: Awaitable[View], olu: Human, seen: Any) -> float:
    """Seconds from the beginning of `act` until this is seen on the stream of the page."""
    began = time.perf_counter()
    answer = await act
    assert answer["ok"], answer  # noqa: S101  # a refusal is no figure
    await olu.sees(seen)
    return time.perf_counter() - began


def _is_other(view: View, card: View) -> bool:
    """Return whether this card shows something else by now."""
    return any(each["ts"] == card["ts"] and each["blocks"] != card["blocks"] for each in cards(view))


def main() -> None:
    """Measure and print."""
    for name, times in asyncio.run(measured()).items():
        worst, median = max(times), sorted(times)[len(times) // 2]
        verdict = "met" if worst <= BAR else "MISSED"
        said = f"press to change, {name.replace('_', ' ')}: worst of {len(times)}"
        print(f"{said:60} {worst:6.3f} s (median {median:.3f}) bar {BAR:g} s  {verdict}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
