"""Status and queue: what is told from memory, and what of a thread that cannot be read."""

from __future__ import annotations

from dataclasses import replace

from bot.assistant.commands.inputs import Nothing
from bot.assistant.commands.threads import SHOWN, Overview
from bot.decide.redact import Redactor
from bot.errors import Unreadable
from bot.models.happening import Due
from bot.models.thread import Thread
from bot.triage.controls import Controls
from bot.triage.orchestrator import Orchestrator
from tests.assistant.crew import command
from tests.builders import LIMITS, added, at, found, fresh, moved, validated
from tests.fakes import MemoryKept, MemoryStore


class Locked(MemoryStore):
    """A store in which no document can be read."""

    async def load(self, thread_id: str) -> Thread | None:
        """Nobody gets one."""
        raise Unreadable(f"{thread_id}: locked")


async def yes() -> bool:
    """Slack can come in."""
    return True


def overview(store: MemoryStore, count: int) -> Overview:
    """So many questions wait for a decision."""

    async def nothing(*_: object) -> None:
        return None

    orchestrator = Orchestrator(
        store=store,
        limits=LIMITS,
        run_effect=nothing,
        redraw=lambda thread, look_up=False: None,
        rebuild=store.load,
        tell_operator=nothing,
    )
    for number in range(count):
        thread = moved(None, added(f"question {number}?", ts=f"{100 + number}.000001"))
        thread = moved(thread, Due(at=at(2), fresh=fresh()))
        thread = moved(thread, found(thread))
        thread = moved(thread, validated(thread))
        store.saved[thread.thread_id] = thread
        orchestrator.open_threads.note(thread)
    return Overview(
        orchestrator=orchestrator,
        controls=Controls(kept=MemoryKept(), kept_mutes=MemoryKept(), modes={"C0HELP": "live"}),
        url="https://acme.slack.com/",
        engine="keyword",
        connected=yes,
        cost_today=lambda: 0.256,
        now=lambda: at(60),
    )


async def test_status_reads_no_thread() -> None:
    """However many there are on disk, it is answered from memory."""
    answer = await overview(Locked(), 3).status(Nothing(), command())
    assert answer.line == (
        "*Running*, connected to Slack; 3 questions for a decision, 0 runs, 0 held, 0 waiting for their turn; "
        "engine keyword, cost today $0.26."
    )
    assert answer.rows == ("Channels: <#C0HELP> live.", "Open: 3 pending-user. Muted threads: 0.")


async def test_queue_shows_the_oldest_and_says_how_many_more_there_are() -> None:
    """It reads no more documents than it shows."""
    answer = await overview(MemoryStore(), SHOWN + 2).queue(Nothing(), command())
    assert answer.line == f"{SHOWN + 2} questions wait for a decision."
    assert "https://acme.slack.com/archives/C0HELP/p100000001" in answer.rows[0]
    assert answer.rows[-1] == "… and 2 more."
    buttons = [block["accessory"] for block in answer.blocks if "accessory" in block]
    assert [button["action_id"] for button in buttons] == ["show_card"] * SHOWN
    assert len({button["value"] for button in buttons}) == SHOWN


async def test_no_half_of_a_secret_stands_in_the_queue() -> None:
    """A question is cut where its line ends, after what is secret was taken out of it."""
    secret = "a-loaded" + "-secret-0815"
    told = replace(overview(store := MemoryStore(), 1), redactor=Redactor([secret]))
    (thread,) = store.saved.values()
    said = thread.messages[0].evolve(content=f"{'why ' * 18}{secret} {'not ' * 14}{secret}?")
    store.saved[thread.thread_id] = thread.evolve(messages=(said,))
    answer = await told.queue(Nothing(), command())
    shown = f"{answer.rows} {answer.blocks}"
    assert secret[:6] not in shown
    assert "[redacted" in shown


async def test_queue_names_a_thread_that_cannot_be_read() -> None:
    """And goes on with the next."""
    answer = await overview(Locked(), 2).queue(Nothing(), command())
    assert [row.endswith("makes it anew.") for row in answer.rows] == [True, True]
