"""The list of tasks: what fits, in which order, what a row tells, and how little is read for it."""

from __future__ import annotations

import pytest

from bot.commands.inputs_work import ListTasks
from bot.commands.task_lists import MAX_DOCUMENTS, MAX_LISTED
from bot.decide.redaction.redactor import Redactor
from bot.models.route import Route
from bot.models.thread import Thread
from tests.builders import CHANNEL
from tests.chat.test_projects import House
from tests.chat.test_task_changes import task as ordered
from tests.chat.test_tasks import asked, dismissed, drafted, failed
from tests.fakes import MemoryStore

ROUTE = Route(role="investigator", role_name="Investigator", project="parcels", why="so")


def house(*threads: Thread) -> House:
    """A house with these threads."""
    made = House()
    for thread in threads:
        made.store.saved[thread.thread_id] = thread
        made.orchestrator.open_threads.note(thread)
    return made


def states(rows: tuple[str, ...]) -> list[str]:
    """What each row says of its task."""
    return [row.split("*")[1] for row in rows]


async def test_open_tasks_come_first_each_kind_the_newest_first() -> None:
    """With name, state, asker, channel, project, question and link."""
    about = asked(7_000, "where is <!here> set?").evolve(route=ROUTE)
    rows = (await house(dismissed(9_000), drafted(1_000), failed(5_000), about).does("list_tasks")).rows
    assert states(rows) == ["investigating", "failed", "waiting for a decision", "dismissed"]
    for part in (
        f"`{about.task}`",
        "<@U0ANA> in <#C0HELP>, parcels",
        "where is &lt;!here&gt; set?",
        "p7000000001|thread",
    ):
        assert part in rows[0]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"status": "all"}, 4),
        ({"status": ""}, 4),
        ({"status": "open"}, 3),
        ({"status": "failed"}, 1),
        ({"status": "pending-user"}, 2),
        ({"status": "waiting for a decision"}, 2),
        ({"status": "investigating"}, 1),
        ({"status": "dismissed"}, 1),
        ({"status": "closed"}, 1),
        ({"status": "IN_PROGRESS"}, 1),
        ({"status": "in progress"}, 1),
        ({"status": "AWAITING_APPROVAL"}, 1),
        ({"status": "FAILED"}, 2),
        ({"status": "completed"}, 0),
        ({"status": "READY"}, 0),
        ({"project": "PARCELS"}, 1),
        ({"project": "api"}, 0),
        ({"channel": CHANNEL}, 3),
        ({"channel": "#general"}, 1),
        ({"status": "open", "channel": "general", "project": "parcels"}, 1),
    ],
)
async def test_the_list_is_narrowed_down(given: dict[str, str], found: int) -> None:
    """By a status, an ending or a failure, by project and by channel, in any mixture."""
    elsewhere = asked(7_000).evolve(route=ROUTE, chat_id="C0GENERAL")
    answer = await house(drafted(1_000), failed(5_000), dismissed(6_000), elsewhere).does("list_tasks", **given)
    assert (answer.outcome, len(answer.rows)) == ("done", found), answer.text


def test_a_status_that_is_none_has_a_nearest_one() -> None:
    """Also for a model, which gets the list of them."""
    with pytest.raises(ValueError, match="nearest is pending-user"):
        ListTasks(status="pendin-user")


async def test_created_tasks_show_title_priority_and_dependencies() -> None:
    """One that waits for another is blocked; that one is ready, and neither is the other's."""
    first = ordered(400, title="Count the parcels", priority=5)
    second = ordered(500, title="Compare *them*", depends_on=(first.thread_id,))
    made = house(first, second)
    (row,) = (await made.does("list_tasks", status="blocked")).rows
    assert row.startswith(f"`{second.task}` *BLOCKED* <@U0ANA> in <#C0HELP>")
    assert f"Compare *them*, priority 100, after `{first.task}` (READY)" in row
    answer = await made.does("list_tasks", status="READY")
    assert "Count the parcels, priority 5 (" in answer.rows[0]
    assert answer.data
    (task,) = answer.data.model_dump(mode="json")["tasks"]
    assert (task["task_status"], task["order"]["priority"], task["order"]["depends_on"]) == ("READY", 5, [])
    (blocked,) = ((await made.does("list_tasks", status="BLOCKED")).data or answer.data).model_dump()["tasks"]
    assert blocked["order"]["depends_on"][0]["task"] == first.task


async def test_what_is_counted_is_shown() -> None:
    """An answer has room for every row, however long the words; the line says what was left out."""
    long = "where is the limit of parcels set that couriers bring to " * 9
    many = [asked(1_700_000_000 + n, long).evolve(route=ROUTE.evolve(project="p" * 40)) for n in range(MAX_LISTED + 3)]
    answer = await house(*many).does("list_threads")
    assert answer.line.startswith(f"{MAX_LISTED} tasks, open ones first; 3 more are not shown")
    assert [row[:1] for row in answer.rows] == ["`"] * MAX_LISTED


class Counting(MemoryStore):
    """A store that counts how many documents were read."""

    loaded = 0

    async def load(self, thread_id: str) -> Thread | None:
        """One more."""
        self.loaded += 1
        return await super().load(thread_id)


async def test_no_more_documents_are_read_than_said() -> None:
    """However many do not fit; nothing of a question's secrets stands in a row."""
    made = house(*(drafted(1_000 + n) for n in range(MAX_DOCUMENTS + 5)))
    store = made.orchestrator.store = Counting()
    store.saved = made.store.saved
    answer = await made.does("list_tasks", channel="general")
    assert answer.line.startswith("0 tasks in <#C0GENERAL>; 5 more are not shown")
    assert store.loaded == MAX_DOCUMENTS
    secret = "-".join(("xoxb", "1" * 12, "2" * 12, "a" * 24))
    assert secret not in (await house(asked(7_000, f"is {secret} old?")).does("list_tasks")).text
    assert Redactor().kinds(secret)
