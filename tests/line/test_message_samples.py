"""Once a week an operator looks through messages that the bot left alone, and says what it missed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.line.human import cards, until
from tests.line.test_commands import ADMINS
from tests.line.test_reports import at_six
from tests.line.test_straight_line import records

if TYPE_CHECKING:
    from tests.line.conftest import Line, TriageTime

MISSED = "FYI: RETRY_LIMIT puzzles me a little"
IDLE = ("thanks, that did it", "lunch at noon", "I pushed the fix to main")


def samples(view: dict[str, Any]) -> list[dict[str, Any]]:
    """The weekly samples that a person sees."""
    return [message for message in cards(view) if "Did Triage miss anything?" in message["text"]]


def weekly(clock: TriageTime) -> str:
    """The setting of reports: only the weekly ones, today at eight."""
    return f"{{brief_at: off, end_of_day_at: off, weekly_at: '{clock.now():%a} 08:00'}}".lower()


def find_value(sample: dict[str, Any], words: str) -> str:
    """The value of the buttons below the message with these words."""
    blocks = sample["blocks"]
    [at] = [number for number, block in enumerate(blocks) if words in json.dumps(block)]
    return str(blocks[at + 1]["elements"][0]["value"])


async def test_a_sample_is_posted_once_and_judged(line: Line) -> None:
    """Over a restart: *Missed* starts an investigation, *Fine* none; both are labels, and each counts once."""
    clock = at_six(line)
    settings: dict[str, Any] = {"clock": clock, "more": ADMINS, "reports": weekly(clock)}
    async with line.bot(**settings):
        for words in (MISSED, *IDLE):
            await line.ana.say(words)
        await until(lambda: len(records(line.home / "events-classified.ndjson")) >= 4)
        clock.move(2.1)
        [sample] = await line.olu.sees(samples)
        assert all(words in json.dumps(sample["blocks"]) for words in (MISSED, *IDLE))
        fine = find_value(sample, IDLE[1])
        await line.olu.press("fine", sample, value=fine)
        await line.olu.sees(lambda view: [each for each in samples(view) if "*Fine*, by <@U0OPS>" in str(each)])
        assert cards(await line.ana.now()) == []
    schedule = line.home / "schedule.json"
    schedule.write_text(json.dumps(json.loads(schedule.read_text()) | {"sample": []}))
    async with line.bot(**settings):
        [sample] = samples(await line.olu.now())
        await line.olu.press("missed", sample, value=find_value(sample, MISSED))
        assert await line.olu.card(MISSED, "Take Over")
        await line.olu.sees(lambda view: [each for each in samples(view) if "Its investigation starts" in str(each)])
        assert len(samples(await line.olu.now())) == 1
    said = {
        (label["message"]["content"], label["label"], label["why"]) for label in records(line.home / "labels.ndjson")
    }
    assert said == {(IDLE[1], "ambient", "sampled"), (MISSED, "actionable", "missed_this")}
    [stored] = json.loads((line.home / "samples.json").read_text()).values()
    assert sorted(filter(None, (each["judgement"] for each in stored["rows"]))) == ["fine", "missed"]
    assert not any(words in json.dumps(stored) for words in (MISSED, *IDLE))
