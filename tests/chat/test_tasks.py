"""Commands of tasks: which one is meant, what is told of it, and what is done with it by which happening."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.commands.active_project import ActiveProjects
from bot.commands.inputs_work import OfTask, SetTaskStatus
from bot.commands.projects import ProjectOverview
from bot.commands.search import TaskFinder
from bot.commands.sessions import SessionCommands
from bot.commands.task_lists import TaskLists
from bot.commands.task_views import TaskViews
from bot.commands.tasks import TaskCommands
from bot.errors import RetryLater
from bot.models.thread_event import Approve, Dismiss, Due, Posted, RunFailed, TakeOver
from bot.triage.controls import Controls
from bot.triage.task_states import TaskStates
from tests.builders import TEAM, added, at, found, fresh, moved, ran, validated
from tests.chat.crew import OPERATOR, command
from tests.decide import ordered
from tests.decide.test_workflow import press
from tests.fakes import FixedHolds, HandClock, MemoryKept, MemorySessions, MemoryStore, settle
from tests.fakes import orchestrator as build_orchestrator
from tests.triage.test_projects import registry, said

if TYPE_CHECKING:
    from bot.models.interaction import Asker
    from bot.models.thread import Thread

URL = "https://acme.slack.com/"


async def nothing(*_: object) -> None:
    """No effect, no notice, nobody refused."""


class Desk:
    """Tasks over a store in memory, and the threads of a test."""

    def __init__(self, *threads: Thread, folders: tuple[str, ...] = (), mode: str | None = "live") -> None:
        self.store = MemoryStore()
        self.orchestrator = build_orchestrator(self.store)
        for thread in threads:
            self.store.saved[thread.thread_id] = thread
            self.orchestrator.open_threads.note(thread)
        self.refused: str | None = None
        self.schedule = FixedHolds()
        self.folders = list(folders) or [thread.task or "" for thread in threads]
        self.tasks = TaskCommands(
            finder=TaskFinder(
                store=self.store,
                tasks=self,
                orchestrator=self.orchestrator,
                team_id=TEAM,
                url=URL,
            ),
            states=TaskStates(store=self.store, index=self.orchestrator.open_threads.tasks, schedule=self.schedule),
            controls=Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={"C0HELP": mode} if mode else {}),  # type: ignore[dict-item]  # tables hand in words
            clock=HandClock(),
            operators=self,  # type: ignore[arg-type]  # it has what the commands call
            chat=self,  # type: ignore[arg-type]  # as above
        )
        active = ActiveProjects(file=MemoryKept(), projects=registry(said()))
        overview = self.overview = ProjectOverview(
            projects=registry(said()),
            active=active,
            orchestrator=self.orchestrator,
            controls=self.tasks.controls,
            channel_names={},
        )
        self.saved = MemorySessions()
        sessions = SessionCommands(saved=self.saved, finder=self.tasks.finder, clock=HandClock())
        finder, states = self.tasks.finder, self.tasks.states
        self.views = TaskViews(finder=finder, states=states, sessions=sessions, url=URL)
        self.lists = TaskLists(overview=overview, states=states, url=URL)

    async def names(self) -> list[str]:
        """The tasks that have a folder."""
        return self.folders

    async def user_name(self, user: str) -> str:
        """A name, or none yet."""
        if user == "U0ADMIN":
            raise RetryLater("later")
        return "Olu <!channel>"

    def first_operator(self, *_: str) -> str:
        """The one operator."""
        return OPERATOR

    async def task_refusal(self, _: Asker, __: Thread) -> str | None:
        """As the test says."""
        return self.refused


def asked(number: int = 100, text: str = "where is the limit set?") -> Thread:
    """A question whose run is alive."""
    return moved(moved(None, added(text, ts=f"{number}.000001")), Due(at=at(2), fresh=fresh()))


def drafted(number: int = 100) -> Thread:
    """One whose draft waits."""
    thread = asked(number)
    thread = moved(thread, found(thread))
    return moved(thread, validated(thread))


def failed(number: int = 100) -> Thread:
    """One whose run failed."""
    thread = asked(number)
    assert thread.run_id is not None
    reason = "the day's money is used up"
    return moved(thread, RunFailed(at=at(9), fresh=fresh(), run_id=thread.run_id, reason=reason, why="over-cap"))


def dismissed(number: int = 100) -> Thread:
    """One that was dismissed."""
    return moved(thread := drafted(number), press(Dismiss, thread))


def of(task: object = None) -> OfTask:
    """The input."""
    return OfTask.model_validate({} if task is None else {"task": task})


async def test_a_task_is_found_by_its_name_by_a_link_and_by_where_it_is_said() -> None:
    """A name as people copy it, the link of a message that joined the thread, the thread of `!triage`."""
    thread = moved(first := drafted(), added("please?", ts="105.000001", root="100.000001", seconds=30))
    assert first.task is not None
    desk = Desk(thread, drafted(200))
    link = "https://acme.slack.com/archives/C0HELP/p{}000001"
    meant = [thread.task, f" `{first.task.upper()}` ", link.format(100), link.format(105), thread.thread_id]
    for name in meant:
        answer = await desk.views.get(of(name), command())
        assert answer.outcome == "done", name
        assert f"Task `{thread.task}`" in answer.text
    assert thread.task in (await desk.views.get(of(), command(thread_id=thread.thread_id))).text
    assert "Which task?" in (await desk.views.get(of(), command())).line


async def test_a_question_in_a_direct_message_is_about_the_last_task_of_its_writer() -> None:
    """Created in any place, or asked there; only what reads takes it, and nobody else's."""
    created = ordered.replied()
    elsewhere, direct = asked(900), asked(50).evolve(chat_id="D0ANA")
    desk = Desk(created, elsewhere)
    dm = command(user_id="U0ANA", channel_id="D0ANA", thread_id="T0SANDBOX-D0ANA-950.000001", via="thread")
    for read in (desk.views.get, desk.views.result, desk.views.error):
        answer = await read(of(), dm)
        assert f"`{created.task}`" in answer.text
        for other in (dm.evolve(channel_id="C0HELP"), dm.evolve(user_id=OPERATOR)):
            assert "Which task?" in (await read(of(), other)).line
    for act in (desk.tasks.stop, desk.tasks.restart, desk.tasks.skip):
        assert "Which task?" in (await act(of(), dm)).line
    assert "Which task?" in (await Desk(elsewhere).views.get(of(), dm)).line
    assert f"`{direct.task}`" in (await Desk(elsewhere, direct).views.get(of(), dm)).text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("limit-sett-0101-0001-jyvbhi", "The nearest is `limit-set-0101-0001-"),
        ("nonsense", "There is no task `nonsense`. `list_tasks`"),
        ("T0SANDBOX-C0HELP-999.000001", "There is no task"),
        ("https://other.slack.com/archives/C0HELP/p1700000000000100", "another workspace"),
        ("https://acme.slack.com/archives/C0HELP/p1700000000000100", "No question is known"),
    ],
)
async def test_a_task_that_is_not_there_has_a_nearest_one(name: str, words: str) -> None:
    """Nothing is done with that one, be it meant or not."""
    desk = Desk(asked(), asked(200, "how do parcels get lost?"))
    for run in (desk.views.get, desk.tasks.stop):
        answer = await run(of(name), command())
        assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line


async def test_a_model_hears_no_words_of_others_from_a_command_that_acts() -> None:
    """The nearest name is made of somebody's question; a person who types sees it."""
    desk = Desk(asked(text="delete all parcels"))
    for via, is_told in (("chat", False), ("slash", True)):
        answer = await desk.tasks.stop(of("delete-all-parcel"), command(via=via))
        assert ("delete-parcels-" in answer.line) == is_told
        assert "delete-parcels-" in (await desk.views.get(of("delete-all-parcel"), command(via=via))).line


async def test_a_result_tells_what_it_came_to() -> None:
    """Summary, draft, references as code found them, money; what people wrote means nothing in it."""
    thread = drafted().evolve(runs=(ran(), ran(2, "validator", cost_usd=None)))
    answer = await Desk(thread).views.result(of(thread.task), command())
    assert answer.rows == (
        "Summary: The limit is set in one place. Confidence medium.",
        "Draft:",
        "> It is set in `bot/a.py:1`.",
        "Files: `bot/a.py`",
        "• `bot/a.py:1` ok: It is set there.",
        "2 runs, 18,000 tokens, $0.0202, and 1 run of unknown cost.",
    )
    approved = moved(thread, press(Approve, thread))
    replied = moved(approved, Posted(at=at(20), fresh=fresh(), ts="300.000001"))
    answer = await Desk(replied).views.result(of(replied.task), command())
    assert f"<{URL}archives/C0HELP/p300000001|Replied>:" in answer.rows
    hostile = asked(text="<!channel> is *this* <https://evil.example|ours>?")
    answer = await Desk(hostile).views.get(of(hostile.task), command())
    assert "<!channel>" not in answer.text
    assert "<https://evil" not in answer.text


async def test_an_error_comes_with_what_may_help() -> None:
    """The sentence of the last run that ended without findings."""
    answer = await Desk(thread := failed()).views.error(of(thread.task), command())
    assert answer.line == f"`{thread.task}`: *over-cap*: the day's money is used up"
    assert answer.rows[0].endswith("aborted: over-cap (`investigator.md`)")
    assert "`allow` lets the agents cost more" in answer.rows[-1]
    answer = await Desk(thread := drafted()).views.error(of(thread.task), command())
    assert answer.line.endswith("nothing has gone wrong.")


async def test_a_stopped_run_is_over_and_its_card_says_by_whom() -> None:
    """By name where Slack knows it; twice is nothing twice."""
    desk = Desk(thread := asked())
    answer = await desk.tasks.stop(of(thread.task), command(user_id=OPERATOR))
    assert answer.line.startswith(f"Stopped: `{thread.task}` is blocked")
    after = desk.store.saved[thread.thread_id]
    assert (after.status, after.failure) == ("pending-user", "Olu <!channel> stopped the investigation")
    assert after.stopped_by == OPERATOR
    again = await desk.tasks.stop(of(thread.task), command())
    assert (again.outcome, again.line.startswith("Nothing runs here.")) == ("invalid", True)
    desk = Desk(thread := asked())
    await desk.tasks.stop(of(thread.task), command(user_id="U0ADMIN"))
    assert desk.store.saved[thread.thread_id].failure == "U0ADMIN stopped the investigation"


@pytest.mark.parametrize(
    ("thread", "outcome", "status", "words"),
    [
        (failed(), "done", "investigating", "is investigated again"),
        (dismissed(), "done", "collecting", "is investigated again"),
        (drafted().evolve(fallback="no key"), "done", "investigating", "is investigated again"),
        (drafted(), "invalid", "pending-user", "A draft waits"),
        (asked(), "invalid", "investigating", "No second run"),
        (moved(None, added()), "invalid", "collecting", "No second run"),
        (moved(one := drafted(), press(TakeOver, one)), "invalid", "closed", "a mention of Triage"),
    ],
)
async def test_what_is_restarted_and_what_is_not(thread: Thread, outcome: str, status: str, words: str) -> None:
    """Never a second run beside one, nor one instead of a draft that waits."""
    desk = Desk(thread)
    answer = await desk.tasks.restart(of(thread.task), command())
    assert (answer.outcome, words in answer.line) == (outcome, True), answer.line
    assert desk.store.saved[thread.thread_id].status == status
    await settle()


@pytest.mark.parametrize(("mode", "words"), [("silent", "is silent"), (None, "not watched")])
async def test_nothing_begins_where_triage_is_to_be_silent(mode: str | None, words: str) -> None:
    """A restart is no way around a channel's mode."""
    desk = Desk(thread := dismissed(), mode=mode)
    assert words in (await desk.tasks.restart(of(thread.task), command())).line
    assert desk.store.saved[thread.thread_id].status == "closed"


async def test_a_muted_thread_is_not_restarted() -> None:
    """Until somebody unmutes it."""
    desk = Desk(thread := dismissed())
    await desk.tasks.controls.mute(thread.thread_id, at())
    assert "`unmute` first" in (await desk.tasks.restart(of(thread.task), command())).line


async def test_whoever_may_not_decide_on_a_thread_stops_and_restarts_nothing() -> None:
    """An operator of another channel."""
    desk = Desk(thread := asked())
    desk.refused = "Only an operator of this channel can decide this."
    status = SetTaskStatus.model_validate({"task": thread.task, "status": "dismissed"})
    answers = [
        await desk.tasks.stop(of(thread.task), command()),
        await desk.tasks.restart(of(thread.task), command()),
        await desk.tasks.set_status(status, command()),
    ]
    assert [answer.outcome for answer in answers] == ["refused"] * 3
    assert desk.store.saved[thread.thread_id] is thread
