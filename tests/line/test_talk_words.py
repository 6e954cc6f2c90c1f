"""Names and times of a talk on the line: the model reads words, people read elements, and nobody reads an id."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.line.agents import agents
from tests.line.test_talk import ADMIN, DM, answered, tools, turn
from tests.model_server import calls, says, status

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

TABLE = "| who | state |\\n|---|---|\\n| @Ana | waits |".replace("\\n", "\n")
RAW = re.compile(r"<@|<#|<!|U0ANA|[^/]C0HELP")


async def test_people_channels_and_times_are_words_for_the_model_and_elements_for_people(line: Line) -> None:
    """In the results of commands and in what was said; a table and a link of Markdown are Slack's own."""
    told: list[str] = []

    def play(body: Body) -> Answer:
        if "respond" not in tools(body):  # the investigator's, who finds nothing
            return status(500)
        if "write a table" in json.dumps(body["messages"][-1]):
            told.append(json.dumps(body["messages"], ensure_ascii=False))
            link = f"[the question]({line.workspace.url}/archives/C0HELP/p1)"
            bare = "U0OPS, U0GHOST, C0HELP, 1795360112.597981, 2026-11-22T15:00:00Z, `U0OPS 15:00 UTC`"
            return says(f"{TABLE}\n\n@Ana in {bare}, <@U0OPS>, see [it](https://evil.example/x?y) or {link}.")
        if turn(body) == 0:
            return calls(("list_tasks", {}))
        told.append(json.dumps(body["messages"], ensure_ascii=False))
        return calls(("respond", {"text": "@Ana has asked in #help-platform."})) if turn(body) == 1 else says("Done.")

    async with agents(line, play, more=f"{ADMIN}\ntimezone: Asia/Tokyo") as bot:  # type: ignore[arg-type]  # it is asked as a play is
        await line.ana.say("where is the limit of RETRY_LIMIT set?")
        await line.ada.sees(lambda _: bot.surfaces.homes.handler and list((line.home / "state").glob("*.json")))
        ts = await line.ada.say("I am back from lunch", channel=DM)
        reply = await answered(line.ada, ts, '"user_id": "U0ANA"', '"channel_id": "C0HELP"')
        assert "Taken as" not in json.dumps(reply)
        await line.ada.say("and now write a table", thread_ts=ts, channel=DM)
        reply = await answered(line.ada, ts, '"type": "table"', '"user_id": "U0ANA"', "someone")
    results, history = told[0], told[-1]
    assert "@Ana in #help-platform" in results
    assert not RAW.search(results.partition("tool_result")[2])
    assert "@Ana has asked in #help-platform." in history
    shown = json.dumps(reply["blocks"])
    assert not re.search(r"U0GHOST|C0HELP, |<@U0OPS|1795360112\\.5|U0OPS,", shown)
    assert shown.count("@Olu") == 2
    assert shown.count('"type": "date"') == 2
    assert "U0OPS 15:00 UTC" in shown
    assert "evil.example" in shown
    assert '"url": "https://evil' not in shown
    assert f'"url": "{line.workspace.url}/archives/C0HELP/p1"' in shown
