"""A queue of many cards, as its operator goes through it: pages, orders, card by card, Approve from the list."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from bot.approval.answers import TOO_SOON
from bot.models.findings import EvidenceRef
from tests.fakes import HeldEngine
from tests.line.conftest import TriageTime
from tests.line.human import PATIENCE, cards, newest_whisper, replies, shows
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.line.conftest import Line
    from tests.line.human import Human, View

OTHER = "how is an order cancelled?"


def numbers(view: Any) -> list[str]:
    """Which of the questions by number it shows, in its order."""
    return list(dict.fromkeys(re.findall(r"what is (\d+)\?", str(view["blocks"]))))


def approves(view: View) -> list[View]:
    """The buttons that approve there."""
    rows = [block["elements"] for block in view["blocks"] if block["type"] == "actions"]
    return [element for row in rows for element in row if element["action_id"] == "approve"]


async def asked(line: Line, engine: HeldEngine, count: int) -> None:
    """So many questions wait, each with a draft."""
    reference = EvidenceRef(kind="file", ref="orders.py:3", supports_claim="It is set there.", quote="RETRY_LIMIT = 3")
    for number in range(count):
        engine.answer(f"what is {number}?", f"The answer is {number}.", reference)
        await line.ana.say(f"what is {number}?")
    await line.olu.sees(lambda view: sum(shows(card, '"approve"') for card in cards(view)) == count)


async def test_the_home_goes_through_thirty_cards(line: Line) -> None:
    """Page by page, and card by card: after a decision the next one stands there, out of reach of a second click."""
    engine, clock = HeldEngine(), TriageTime()
    more = "floods: {per_user: {per_minute: 1000, burst: 100}, per_channel: {per_minute: 1000, burst: 100}}"
    async with line.bot(engine=engine, more=more, clock=clock):
        await asked(line, engine, 30)
        home = await line.olu.home()
        first = numbers(home)
        assert len(first) == 12
        assert shows(home, "30 questions wait for a decision")
        await line.olu.press_on_home("queue_next")
        second = await line.olu.sees(lambda view: not {*first} & {*numbers(view["home"])} and view["home"])
        order = numbers(second)
        assert shows(second, "13 to 24 of 30.")
        await line.olu.press_on_home("queue_step")
        await line.olu.sees(lambda view: numbers(view["home"]) == order[:1])
        await line.olu.press_on_home("queue_next")
        await line.olu.sees(lambda view: shows(view["home"], "14 of 30."))
        count = len(cards(await line.olu.now()))
        clock.move(hours=0.001)
        clock.hold()  # the second click comes at once, however busy the machine is
        await line.olu.press_on_home("approve")
        await line.olu.sees(lambda view: numbers(view["home"]) == order[2:3] and shows(view["home"], "14 of 29."))
        await line.olu.press_on_home("approve")
        await line.olu.sees(
            lambda view: shows(view["home"], "appeared only a moment ago") and shows(view["home"], "14 of 29.")
        )
        await line.olu.press_on_home("dismiss")
        assert (await line.olu.submit(await line.olu.dialog()))["ok"]
        await line.olu.sees(lambda view: numbers(view["home"]) == order[3:4] and shows(view["home"], "14 of 28."))
        assert len(cards(await line.olu.now())) == count


async def test_a_draft_is_approved_from_the_list_as_it_stands_there(line: Line) -> None:
    """What is posted is what the list showed; of one that was edited since, nothing is."""
    async with line.bot():
        first = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        home = await line.olu.home()
        (button,) = approves(home)
        (drafted,) = [block["elements"] for block in home["blocks"] if block["type"] == "rich_text"]
        await line.olu.press_on_home("approve")
        (reply,) = await line.ana.replies(first)
        assert reply["blocks"][0]["elements"] == drafted
        await line.olu.sees(lambda view: shows(view["home"], "Nothing: every question"))
        second = await line.ana.say(OTHER)
        card = await line.olu.card(OTHER, '"approve"')
        before = await line.olu.home()
        await line.olu.press("edit", card)
        assert (await line.olu.submit(await line.olu.dialog(), text="Within three days."))["ok"]
        edited = await line.olu.card("Within three days.")
        old = approves(before)[0]["value"]
        await line.olu.sees(lambda view: not approves(view["home"]))
        assert old not in str(edited["blocks"])
        assert replies(await line.ana.now(), second) == []
    assert button["value"] != old


async def looked_at(olu: Human, what: Callable[[View], View | None]) -> View:
    """See something without opening a page, which would lose what this person alone sees."""
    async with asyncio.timeout(PATIENCE):
        while not (seen := what(await olu.now())):
            pass
    return seen


async def stands(olu: Human, *words: str) -> View:
    """The answer to `/triage queue` once it shows all of these words."""

    def found(view: View) -> View | None:
        answer = newest_whisper(view, ("What waits",))
        return answer if answer and all(shows(answer, word) for word in words) else None

    return await looked_at(olu, found)


async def sends(olu: Human, action_id: str, answer: View, **values: str) -> None:
    """Press a button that opens a dialog, and submit that."""
    await olu.press(action_id, answer)
    dialog = await looked_at(olu, lambda view: view["views"][-1] if view["views"] else None)
    assert (await olu.submit(dialog, **values))["ok"]


async def test_the_answer_to_queue_goes_from_decision_to_decision(line: Line) -> None:
    """An edit and a new draft stand in the same place, ready to be approved; each decision brings the next card."""
    olu = line.olu
    clock = TriageTime()
    async with line.bot(clock=clock):
        asked = {question: await line.ana.say(question) for question in (QUESTION, OTHER)}
        for question in asked:
            await olu.card(question, '"approve"')
        listed = await olu.whispered(olu.command("queue"), "2 questions wait")
        assert len(approves(listed)) == 2
        await olu.press("queue_order", listed)
        await olu.press("queue_step", await stands(olu, "Oldest First"))
        one = await stands(olu, "1 of 2.")
        first, second = (QUESTION, OTHER) if shows(one, QUESTION) else (OTHER, QUESTION)
        await sends(olu, "edit", one, text="By me, see `orders.py:3`.")
        edited = await stands(olu, first, "1 of 2.", "By me, see", "1 of 1 reference open", '"approve"')
        await sends(olu, "bounce", edited, feedback="show the whole function")
        again = await stands(olu, first, "1 of 2.", "Evidence checked", '"approve"')
        assert not shows(again, "By me, see")
        await olu.press("approve", again)
        clock.move(hours=0.001)
        await olu.press("approve", again)
        await stands(olu, second, "1 of 1.")
        await line.ana.replies(asked[first])
    done = [x["result"] for x in records(line.home / "audit.ndjson") if x.get("action") == "approve"]
    assert done == [TOO_SOON, "done"]


async def test_stepping_goes_on_after_the_first_of_two_approvals(line: Line) -> None:
    """What its reader has approved comes last and without Approve: it waits for somebody else."""
    more = "approval: {second_approver: true}"
    async with line.bot(more=more, project="operators: [U0ADMIN]"):
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say(OTHER)
        await line.olu.card(OTHER, '"approve"')
        await line.olu.home()
        await line.olu.press_on_home("queue_step")
        await line.olu.sees(lambda view: shows(view["home"], "1 of 2.") and shows(view["home"], QUESTION))
        await line.olu.press_on_home("approve")
        await line.olu.sees(lambda view: shows(view["home"], "1 of 2.") and shows(view["home"], OTHER))
        await line.olu.press_on_home("queue_next")
        last = await line.olu.sees(lambda view: shows(view["home"], "2 of 2.") and view["home"])
        assert shows(last, "waits for a second person")
        assert approves(last) == []
        seen_by_ada = await line.ada.home()
        assert len(approves(seen_by_ada)) == 2
