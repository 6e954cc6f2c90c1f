"""The list of tasks: what fits, in which order, what a row tells, and how little is read for it."""

from __future__ import annotations

import pytest

from bot.commands.inputs_work import ListTasks
from bot.commands.task_lists import MAX_DOCUMENTS
from bot.decide.redaction.redactor import Redactor
from bot.models.route import Route
from bot.models.thread import Thread
from tests.builders import CHANNEL
from tests.chat.crew import command
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
    elsewhere = asked(7_000).evolve(route=ROUTE, chat_id="C0GENERAL", thread_id="T0-C0GENERAL-7000.000001")
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
    assert f"Compare *them*, priority 100, waits for `{first.task}`, which is READY (<" in row
    answer = await made.does("list_tasks", status="READY")
    assert "Count the parcels, priority 5 (" in answer.rows[0]
    assert answer.data
    (task,) = answer.data.model_dump(mode="json")["tasks"]
    assert (task["task_status"], task["order"]["priority"], task["order"]["depends_on"]) == ("READY", 5, [])
    (blocked,) = ((await made.does("list_tasks", status="BLOCKED")).data or answer.data).model_dump()["tasks"]
    assert blocked["order"]["depends_on"][0]["task"] == first.task


LONG = "where is the limit of parcels set that couriers bring to " * 9


def many(number: int) -> House:
    """A house with so many questions, numbered from the newest, in two projects by turns."""
    projects = ("parcels", "shop")
    return house(
        *(
            asked(1_700_000_000 - n, f"{n:03} {LONG}").evolve(route=ROUTE.evolve(project=projects[n % 2]))
            for n in range(1, number + 1)
        )
    )


@pytest.mark.parametrize(
    ("given", "line", "shown", "more"),
    [
        ({}, "23 tasks, open ones first: 1 to 10.", (1, 10), "list_tasks first=11"),
        ({"first": 11}, "23 tasks, open ones first: 11 to 20.", (11, 20), "list_tasks first=21"),
        ({"first": 21}, "23 tasks, open ones first: 21 to 23.", (21, 23), None),
        ({"limit": 2}, "23 tasks, open ones first: 1 to 2.", (1, 2), "list_tasks first=3 limit=2"),
        (
            {"status": "in progress", "limit": 3},
            "23 IN_PROGRESS tasks, the newest first: 1 to 3.",
            (1, 3),
            "list_tasks status=IN_PROGRESS first=4 limit=3",
        ),
        (
            {"status": "open", "channel": "<#C0HELP>", "first": 5, "limit": 1},
            "23 open tasks in <#C0HELP>, the newest first: 5 to 5.",
            (5, 5),
            "list_tasks status=open channel=help-platform first=6 limit=1",
        ),
        (
            {"project": "PARCELS", "first": 3, "limit": 1},
            "11 tasks of `parcels`, open ones first: 3 to 3.",
            (6, 6),
            "list_tasks project=parcels first=4 limit=1",
        ),
    ],
)
async def test_all_are_counted_and_a_part_is_listed(
    given: dict[str, str], line: str, shown: tuple[int, int], more: str | None
) -> None:
    """With the call that lists what follows."""
    answer = await many(23).does("list_tasks", **given)
    assert answer.line == line
    rows = [row for row in answer.rows if row.startswith("`")]
    assert tuple(int(row.partition(" UTC>: ")[2][:3]) for row in (rows[0], rows[-1])) == shown
    assert answer.rows[len(rows) :] == ((f"There are more: `{more}`",) if more else ())
    assert answer.data
    data = answer.data.model_dump()
    assert (data["total"], data["omitted"]) == (int(line.split()[0]), int(line.split()[0]) - len(rows))


async def test_an_answer_has_room_for_its_rows() -> None:
    """However many are wanted; in a terminal all of them."""
    answer = await many(60).does("list_tasks", limit=50)
    number = len(answer.rows) - 1
    assert 10 <= number < 50
    assert answer.line == f"60 tasks, open ones first: 1 to {number}."
    assert answer.rows[-1] == f"There are more: `list_tasks first={number + 1} limit=50`"
    answer = await many(60).handler.execute("list_tasks", {"limit": 50}, command(via="cli"))
    assert len(answer.rows) == 51


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"first": 24}, "There is no task 24: 23 tasks."),
        ({"first": 99, "status": "failed"}, "There is no task 99: 0 failed tasks."),
        ({"first": 0}, "`first`: expected a whole number from 1 to 1,000,000"),
        ({"limit": 101}, "`limit`: expected a whole number from 1 to 100"),
    ],
)
async def test_a_number_that_no_task_has_is_named(given: dict[str, str], says: str) -> None:
    """With the number of those that there are."""
    answer = await many(23).does("list_tasks", **given)
    assert (answer.outcome, says in answer.line) == ("invalid", True), answer.line


class Counting(MemoryStore):
    """A store that counts how many documents were read."""

    loaded = 0

    async def load(self, thread_id: str) -> Thread | None:
        """One more."""
        self.loaded += 1
        return await super().load(thread_id)


@pytest.mark.parametrize(
    ("given", "read", "line"),
    [
        ({}, 10, f"{MAX_DOCUMENTS + 5} tasks, open ones first: 1 to 10."),
        (
            {"status": "FAILED"},
            MAX_DOCUMENTS,
            "0 FAILED tasks; 5 older ones were not read, a channel narrows the list.",
        ),
    ],
)
async def test_no_more_documents_are_read_than_it_takes(given: dict[str, str], read: int, line: str) -> None:
    """Those to list, where memory knows the others; else no more than said."""
    made = house(*(drafted(1_000 + n) for n in range(MAX_DOCUMENTS + 5)))
    store = made.orchestrator.store = Counting()
    store.saved = made.store.saved
    answer = await made.does("list_tasks", **given)
    assert (answer.line, store.loaded) == (line, read)


async def test_no_secret_of_a_question_is_in_its_row() -> None:
    """Whatever the asker pasted."""
    secret = "-".join(("xoxb", "1" * 12, "2" * 12, "a" * 24))
    assert secret not in (await house(asked(7_000, f"is {secret} old?")).does("list_tasks")).text
    assert Redactor().kinds(secret)
