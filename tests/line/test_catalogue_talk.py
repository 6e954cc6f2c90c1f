"""A conversation that steers the bot: it creates a project, orders a task, asks for its result and reads a note."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.line.human import shows
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import records
from tests.line.test_talk import DM, answered, tools
from tests.model_server import ModelServer, calls

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

DESCRIPTION = "Say after how many days a parcel counts as lost, with the line of parcels that sets it."


class Dispatcher:
    """A model that calls the one command that a message is about, and answers with its line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.task = ""
        self.declared: list[set[str]] = []

    def __call__(self, body: Body) -> Answer:
        """Load the subject that is missing, call the command, then respond."""
        self.declared.append(tools(body))
        newest = json.dumps(body["messages"][-1]["content"])
        if "tool_result" not in newest:
            asked = newest.rpartition("[from Ada]: ")[2]
            return calls(next(call for words, call in self._plan().items() if words in asked))
        return calls(
            ("respond", {"text": "I wait for your press." if "asked" in newest else "Here it is: three days."})
        )

    def _plan(self) -> dict[str, tuple[str, dict[str, Any]]]:
        return {
            "a project": ("create_project", {"name": "parcels", "root": str(self.root)}),
            "a task": ("create_task", {"title": "Lost parcels", "project_id": "parcels", "description": DESCRIPTION}),
            "the outcome": ("get_task_result", {"task_id": self.task}),
            "Deploys": ("read_note", {"title": "Deploys", "project": "parcels"}),
        }


def _settings(root: Path, url: str) -> tuple[str, ...]:
    """A chat agent on this server, and a folder that commands may read."""
    return f"projects_below: [{root}]", "chat: {enabled: true}", f"model: {{base_url: '{url}'}}"


async def test_a_conversation_creates_a_project_and_a_task_and_reads_result_and_note(line: Line) -> None:
    """What widens reach or costs waits for Ada's press; the result reaches nobody before its operator's."""
    import anthropic  # noqa: F401  # it takes seconds, which are none of a person's patience

    root = line.folder / "parcels"
    root.mkdir()
    (root / "tracking.py").write_text("LOST_AFTER_DAYS = 3\n# days after which a parcel counts as lost\n")
    play = Dispatcher(root)
    async with (
        ModelServer(play) as server,
        line.bot(more="\n".join((ADMINS, *_settings(root, server.url)))) as bot,
    ):
        ts = await line.ada.say("please create a project from the folder of the parcels", channel=DM)
        await answered(line.ada, ts, "I wait for your press.")
        assert not bot.core.projects.is_known("parcels")
        await line.ada.press("command_confirm", await answered(line.ada, ts, str(root), "command_confirm"))
        await answered(line.ada, ts, "Created `parcels`")
        ts = await line.ada.say("create a task: when does a parcel count as lost?", channel=DM)
        await answered(line.ada, ts, "I wait for your press.")
        assert not list((line.home / "state").glob("*.json"))
        await line.ada.press("command_confirm", await answered(line.ada, ts, DESCRIPTION, "command_confirm"))
        created = await answered(line.ada, ts, "Created `")
        play.task = json.dumps(created).split("Created `")[1].split("`")[0]
        card = await line.olu.card("Lost parcels", "LOST_AFTER_DAYS", '"approve"')
        ts = await line.ada.say("and now the outcome of the task that you created for me, please", channel=DM)
        assert shows(await answered(line.ada, ts, "three days"), "three days")
        await line.olu.press("approve", card)
        await line.ada.command("write_note Deploys project=parcels never on Fridays")
        ts = await line.ada.say("remind me what your own notes of parcels say on Deploys", channel=DM)
        await answered(line.ada, ts, "Here it is")
    assert "read_note" in play.declared[-1]
    assert "read_note" not in play.declared[0]
    audit = [
        row for row in records(line.home / "audit.ndjson") if row.get("via") == "chat" and row["kind"] == "command"
    ]
    assert [(row["action"], row["outcome"]) for row in audit] == [
        ("create_project", "asked"),
        ("create_project", "done"),
        ("create_task", "asked"),
        ("create_task", "done"),
        ("get_task_result", "done"),
        ("read_note", "done"),
    ]
