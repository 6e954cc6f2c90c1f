"""From an order to its thread: one message, in the right place, and nobody is left without a word."""

from __future__ import annotations

import asyncio
import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from bot.errors import RetryLater, Uncertain
from bot.runtime import failpoints
from bot.tasks.task_threads import EVERY
from tests.builders import CHANNEL, OPERATOR
from tests.tasks.bench import DIRECT, Bench


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """A bot without any task."""
    return await Bench(tmp_path / "home").start()


async def _make_hasty(bench: Bench) -> None:
    """Let commands wait for Slack for a moment only."""
    bench.is_hasty = True
    await bench.restart()


async def test_a_task_has_one_message_and_one_thread(bench: Bench) -> None:
    """In the direct message of its creator; its words are those of the order."""
    answer = await bench.create("List the limits", description="Say where the limit is set.", project="shop")
    (message,) = bench.slack.posted
    thread = await bench.task("List the limits")
    assert (message["channel"], thread.chat_id, thread.root_ts) == (DIRECT, DIRECT, message["ts"])
    assert message["text"].startswith(f"List the limits: a task of <@{OPERATOR}>.")
    assert "Say where" not in json.dumps(message)
    assert (thread.original_sender_id, thread.original_sender_name, thread.mode) == (OPERATOR, "Olu", "live")
    assert thread.question == "List the limits\nSay where the limit is set."
    assert thread.route
    assert thread.route.project == "shop"
    assert f"Created `{thread.task}` in your direct message. It starts now." in answer.line


async def test_a_task_in_a_channel_says_only_what_its_readers_may_know(bench: Bench) -> None:
    """Names of tasks elsewhere are made of other people's words."""
    await bench.create("Secret plan")
    await bench.create("Open plan", channel="help-platform")
    names = [(await bench.task(title)).task for title in ("Secret plan", "Open plan")]
    await bench.create("Next", channel="help-platform", depends_on=" ".join(names))
    text = bench.slack.posted[-1]["text"]
    assert f"It starts after `{names[1]}` and 1 other task." in text
    assert names[0] not in text


async def test_a_channel_that_others_read_is_known_to_the_run(bench: Bench) -> None:
    """So that it searches no project that they may not see."""
    bench.slack.shared = True
    await bench.create("A", channel="help-platform")
    external = (await bench.task("A")).external
    assert external
    assert (external.asker, external.channel) == (False, True)
    await bench.create("B")
    assert (await bench.task("B")).external is None


async def test_a_command_that_comes_twice_creates_one_task(bench: Bench) -> None:
    """Also where its task is over by then; another command creates another one."""
    await bench.create("A")
    await bench.create("A")
    await bench.settle()
    await bench.approve("A")
    await bench.restart()
    await bench.create("A")
    assert len(bench.slack.list_first_messages()) == 1
    await bench.create("A", number=2)
    assert len(bench.slack.list_first_messages()) == 2


async def test_the_book_forgets_tasks_that_are_over(bench: Bench) -> None:
    """After an hour; open ones stay."""
    for title in ("A", "B"):
        await bench.create(title)
    await bench.settle()
    await bench.approve("A")
    assert bench.threads.open_count == 1
    await bench.clock.move(3_601)
    await bench.settle()
    assert [record.order.title for record in bench.threads.book.records] == ["B"]
    await bench.restart()
    assert [record.order.title for record in bench.threads.book.records] == ["B"]


@pytest.mark.parametrize("failures", ["fail", "fail_after"])
async def test_a_doubtful_post_is_looked_up(bench: Bench, failures: str) -> None:
    """One message, whether the request had an effect or not."""
    getattr(bench.slack, failures).append(Uncertain("the connection broke"))
    await bench.create("A")
    assert len(bench.slack.posted) == 1
    assert (await bench.task("A")).root_ts == bench.slack.posted[0]["ts"]


async def test_an_answer_does_not_wait_for_slack(bench: Bench) -> None:
    """The task is saved, and created later."""
    await _make_hasty(bench)
    bench.slack.fail += [RetryLater("Slack is down")] * 10_000
    bench.commands = type(bench.commands)(**vars(bench.commands))
    from bot.commands import created_tasks

    before, created_tasks.PATIENCE = created_tasks.PATIENCE, 0.02
    try:
        answer = await bench.create("A")
    finally:
        created_tasks.PATIENCE = before
    assert answer.line.startswith("Saved: *A*. The task is created once Slack answers")
    assert bench.slack.posted == []
    bench.slack.fail.clear()
    await bench.restart()
    await bench.settle()
    assert (await bench.task("A")).status == "pending-user"


@pytest.mark.parametrize(
    ("code", "reason"),
    [("is_archived", "the channel is archived"), ("not_in_channel", "Triage is not in the channel"), ("", "not live")],
)
async def test_where_a_channel_takes_nothing_the_thread_opens_in_a_direct_message(
    bench: Bench, code: str, reason: str
) -> None:
    """Its first message says why."""
    await _make_hasty(bench)
    await bench.controls.set_state("stopped", bench.clock.now())
    await bench.create("A", channel="help-platform")
    assert bench.slack.posted == []
    if code:
        bench.slack.refused[CHANNEL] = code
    else:
        bench.controls.modes[CHANNEL] = "silent"
    await bench.controls.set_state("running", bench.clock.now())
    await bench.settle()
    (message,) = bench.slack.posted
    assert message["channel"] == DIRECT
    assert f"It was meant for <#{CHANNEL}>, but {reason}" in message["text"] or reason in message["text"]
    assert (await bench.task("A")).chat_id == DIRECT


async def test_a_creator_who_left_is_told_to_an_admin(bench: Bench) -> None:
    """Once; the order waits, and is carried out if they come back."""
    await _make_hasty(bench)
    bench.slack.refused[OPERATOR] = "user_disabled"
    await bench.create("A")
    await bench.settle()
    (notice,) = bench.notices.texts.values()
    assert f"The task *A* was created by <@{OPERATOR}>, and has no thread yet" in notice
    assert bench.slack.posted == []
    await bench.restart()
    bench.slack.refused.clear()
    await bench.settle()
    assert (await bench.task("A")).status == "pending-user"
    (notice,) = bench.notices.texts.values()
    assert notice.startswith("*Over* since")


async def test_a_full_disk_refuses_the_command(bench: Bench) -> None:
    """Nothing is posted that is not on disk."""

    def watch(point: str, subject: str) -> AbstractContextManager[None]:
        if (point, subject) == ("kept.write", "orders.json"):
            raise OSError(28, "No space left on device")
        return nullcontext()

    failpoints.arm(watch)
    try:
        with pytest.raises(RetryLater, match=r"orders\.json cannot be written"):
            await bench.create("A")
    finally:
        failpoints.arm(None)
    await bench.settle()
    assert (bench.slack.posted, bench.threads.book.records) == ([], ())


async def test_an_unreadable_book_is_set_aside_and_told(bench: Bench) -> None:
    """Tasks with a thread go on."""
    await bench.create("A")
    (bench.folder / "orders.json").write_text("[]")
    await bench.restart()
    (notice,) = bench.told
    assert notice.startswith("The orders of created tasks could not be read")
    await bench.settle()
    assert (await bench.task("A")).status == "pending-user"


async def test_a_stopped_triage_opens_threads_later(bench: Bench) -> None:
    """The answer says so; a resume wakes the opener."""
    await bench.controls.set_state("stopped", bench.clock.now())
    answer = await bench.create("A")
    assert answer.line == "Saved: *A*. Triage is stopped; `/triage resume` opens its thread."
    await bench.controls.set_state("running", bench.clock.now())
    bench.threads.book.news.clear()
    await bench.orchestrator.release()
    await bench.scheduler.start_ready()
    assert bench.threads.book.news.is_set()
    await bench.settle()
    assert (await bench.task("A")).status == "pending-user"


async def test_the_words_of_a_task_that_is_over_go_without_another_event(bench: Bench) -> None:
    """The opener wakes for that."""
    await bench.create("A")
    await bench.settle()
    await bench.approve("A")
    working = asyncio.ensure_future(bench.threads.run())
    for _ in range(40):
        await asyncio.sleep(0.002)
    assert bench.threads.book.records == ()
    assert json.loads((bench.folder / "orders.json").read_text()) == {}
    working.cancel()


async def test_it_tries_again_after_a_while(bench: Bench) -> None:
    """While something is left to do."""
    bench.slack.fail += [RetryLater("Slack is down")] * 3
    working = asyncio.ensure_future(bench.threads.run())
    await bench.create("A")
    await bench.create("B")
    working.cancel()
    assert EVERY in bench.clock.waits or len(bench.slack.posted) == 2
