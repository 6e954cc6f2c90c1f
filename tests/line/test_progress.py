"""Work in progress, as operators see it: in the App Home, until there is something to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes import HeldEngine
from tests.line.conftest import TriageTime
from tests.line.human import cards, shows, until
from tests.line.test_straight_line import QUESTION, calls, records

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line


async def test_a_question_that_is_investigated_stands_in_the_home_and_on_no_card(line: Line) -> None:
    """Stop ends its run from there, and only then its operator has a card, which offers another draft."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        home = await line.olu.home()
        assert shows(home, "Investigating")
        assert shows(home, QUESTION)
        assert cards(await line.olu.now()) == []
        await line.olu.press("stop")
        card = await line.olu.card("an operator stopped the investigation", '"redraft"')
        assert card["text"].endswith("No draft: an operator stopped the investigation.")
        assert bot.core.orchestrator.running == 0
        engine.answer(QUESTION, "Three times.")
        await line.olu.press("redraft", card)
        await line.olu.card("Three times.", '"approve"')
        assert len(cards(await line.olu.now())) == 1
    assert [x["action"] for x in records(line.home / "audit.ndjson") if "action" in x][:2] == ["stop", "redraft"]


async def test_nobody_but_an_operator_ends_what_runs(line: Line) -> None:
    """A press that was made up on a Home is refused as it is on a card."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        home = await line.ana.home()
        assert not shows(home, '"stop"')
        assert not (await line.ana.press("stop"))["ok"]
        assert bot.core.orchestrator.running == 1


async def test_a_run_that_takes_long_has_one_quiet_message_which_becomes_the_thread_of_its_card(line: Line) -> None:
    """It comes once, is updated, and the card is a reply to it that stands in the direct message, too."""
    engine, clock = HeldEngine(), TriageTime()
    async with line.bot(engine=engine, clock=clock):
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        assert cards(await line.olu.now()) == []
        clock.move(hours=0.1)
        quiet = await line.olu.card("Taking longer", QUESTION, '"stop"')
        said = "It takes longer than usual; the draft follows in this thread."
        assert quiet["text"] == f"Ana in #help-platform: {QUESTION} {said}"
        clock.move(hours=1)
        engine.answer(QUESTION, "Three times.")
        card = await line.olu.card("Three times.", '"approve"')
        told = await line.olu.card("Taking longer", "the card is in this thread")
        assert (card["thread_ts"], told["ts"]) == (quiet["ts"], quiet["ts"])
        await line.olu.press("approve", card)
        await line.olu.card("Taking longer", "Settled: replied.")
    posted = [call["channel"] for call in await calls(line, "chat.postMessage")]
    assert posted.count("D0OPS") == 2


async def overdue(bot: Bot, clock: TriageTime) -> bool:
    """Return whether a question is due that the sweeper has not told yet."""
    (name,) = bot.core.orchestrator.waiting
    thread = await bot.core.orchestrator.store.load(name)
    return thread is not None and thread.due_at is not None and thread.due_at <= clock.now()


async def test_a_question_that_is_held_takes_no_longer(line: Line) -> None:
    """While all is paused nothing runs that could take long."""
    clock = TriageTime()
    async with line.bot(clock=clock, more="admins: [U0ADMIN]") as bot:
        await line.ada.command("pause")
        await line.ana.say(QUESTION)
        await until(lambda: bot.core.orchestrator.waiting)
        clock.move(hours=1)
        while await overdue(bot, clock):
            clock.move(hours=0.02)  # past the sweeper's longest wait, which may have begun after the hour
            await line.olu.now()
        await line.ada.command("resume")
        await line.olu.card(QUESTION, '"approve"')
    assert not [card for card in cards(await line.olu.now()) if shows(card, "Taking longer")]
