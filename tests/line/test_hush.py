"""A thread is muted from within: by a word, by an emoji. A mention brings the bot back."""

from __future__ import annotations

from tests.fakes import HeldEngine
from tests.line.conftest import Line
from tests.line.human import Human, cards

QUESTION = "how often is a payment tried again?"


async def test_a_word_and_an_emoji_silence_the_bot_in_a_thread(line: Line) -> None:
    """What runs ends, by whoever takes part; taking the emoji away, or a mention, brings the bot back."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        asked = await line.ana.say(QUESTION)
        await engine.arrived.wait()
        await line.ana.whispered(
            line.ana.say("Triage, be quiet", thread_ts=asked), "Muted. The work in this thread has"
        )
        assert bot.core.orchestrator.running == 0
        await line.ana.say("and how is an order cancelled?", thread_ts=asked)
        engine.answer("@Triage how is an order cancelled?", "Within two days.")
        await line.ana.say("<@U0TRIAGE> how is an order cancelled?", thread_ts=asked)
        await line.olu.card("Within two days.", "Approve")
        await line.ana.whispered(line.ana.react(asked, "mute"), "Muted. The work in this thread has")
        await line.olu.card("how is an order cancelled?", "*Muted*")
        await line.ana.whispered(line.ana.react(asked, "mute", remove=True), "listens to this thread")
    assert [q.question for q in engine.asked] == [QUESTION, "@Triage how is an order cancelled?"]
    assert len(cards(await line.olu.now())) == 1


async def test_an_operator_of_the_channel_silences_a_thread_that_they_took_no_part_in(line: Line) -> None:
    """Whoever the settings name for a channel works at the desk, too."""
    engine = HeldEngine()
    async with line.bot(engine=engine, chat="operators: [U0ADMIN]"):
        asked = await line.ana.say(QUESTION)
        await engine.arrived.wait()
        ada = Human(line.workspace.url, "U0ADMIN")
        await ada.whispered(ada.react(asked, "mute"), "Muted. The work in this thread has")
