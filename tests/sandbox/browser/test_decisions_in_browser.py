"""Each decision beside Approve and Edit in a real browser, as a person makes it, with the real bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from bot.models.findings import ProposedTriageFile
from sandbox.server import Sandbox
from tests.fakes import HeldEngine
from tests.line.conftest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

QUESTION = "how often is a payment tried again?"
MISSED = "FYI: RETRY_LIMIT puzzles me a little"


@pytest_asyncio.fixture(loop_scope="session")
async def line(line: Line) -> Line:
    """The workspace with the manifest of Triage, and so with its shortcut."""
    await line.workspace.close()
    line.workspace = await Sandbox.start(manifest=MANIFEST)
    return line


async def test_bounce_delegate_and_take_over(line: Line, window: Opening) -> None:
    """Olu sends the draft back by a reason alone and hands the next one to Ada, who answers herself."""
    async with line.bot(chat="operators: [U0OPS, U0ADMIN]"):
        ana, olu = await window("U0ANA"), await window("U0OPS")
        await ana.say(QUESTION)
        await olu.go("Triage")
        await olu.press("Bounce", await olu.sees(olu.message("Evidence checked")))
        await olu.press("Bounce", olu.dialog)
        await olu.sees(olu.dialog.get_by_text("Choose a reason or write what is wrong."))
        await olu.dialog.get_by_label("Outdated").check()
        await olu.press("Bounce", olu.dialog)
        await olu.misses(olu.dialog)
        card = await olu.sees(olu.message("this repeats round 1, which was bounced"))
        await olu.press("More options", card)
        await olu.page.get_by_role("menuitem", name="Delegate").click()
        await olu.dialog.get_by_label("Hand the question to").select_option("U0ADMIN")
        await olu.press("Delegate", olu.dialog)
        await olu.sees(olu.message("No action is needed here"))
        ada = await window("U0ADMIN")
        await ada.go("Triage")
        card = await ada.sees(ada.message("Handed over"))
        await ada.press("Take Over", card)
        await ada.sees(ada.message("Taken over"))
        await ada.misses(ada.button("Approve", ada.message("Taken over")))


async def test_dismiss_with_its_reason(line: Line, window: Opening) -> None:
    """The dialog is as good as submitted when it opens; a duplicate needs its link."""
    async with line.bot():
        ana, olu = await window("U0ANA"), await window("U0OPS")
        await ana.say(QUESTION)
        await olu.go("Triage")
        await olu.press("Dismiss", await olu.sees(olu.message("Evidence checked")))
        await olu.sees(olu.dialog.get_by_label("No reply needed"))
        assert await olu.dialog.get_by_label("No reply needed").is_checked()
        await olu.dialog.get_by_label("Duplicate").check()
        await olu.press("Dismiss", olu.dialog)
        await olu.sees(olu.dialog.get_by_text("A duplicate needs the link of the question that it repeats."))
        await olu.dialog.get_by_label("Not for us").check()
        await olu.press("Dismiss", olu.dialog)
        await olu.sees(olu.message("not for us. Nothing was posted."))


async def test_missed_this_then_answer_then_a_note_then_a_thumb(line: Line, window: Opening) -> None:
    """Olu takes a message up, looks behind its card, answers, keeps a note, pauses; Ana says what it is worth."""
    (line.folder / "shop" / "notes").mkdir()
    engine, note = HeldEngine(), ProposedTriageFile(filename="retries.md", content="A payment is tried three times.")
    engine.answer(MISSED, "Three times.", open_questions=("Which shop is meant?",), proposed_triage_file=note)
    project = f"knowledge: [{line.folder / 'shop' / 'notes'}]"
    async with line.bot(engine=engine, project=project, more="admins: [U0OPS]"):
        ana, olu = await window("U0ANA"), await window("U0OPS")
        await ana.say(MISSED)
        await olu.act("Missed this", olu.message(MISSED))
        await olu.sees(olu.message("Its investigation starts."))
        await olu.go("Triage")
        card = await olu.sees(olu.message("It asks you"))
        await olu.press("Show Evidence", card)
        await olu.sees(olu.dialog.get_by_role("heading", name="Evidence"))
        await olu.page.keyboard.press("Escape")
        await olu.press("Answer", card)
        await olu.sees(olu.dialog.get_by_text("Which shop is meant?"))
        await olu.dialog.get_by_role("textbox").fill("The small one.")
        first = await card.locator("a[href*='/archives/D0OPS/p']").first.get_attribute("href")
        await olu.press("Answer", olu.dialog)
        await olu.misses(olu.page.locator(f"#messages a[href='{first}']"))
        await olu.press("Approve and Save Note", await olu.sees(olu.message("Three times.")))
        await olu.sees(olu.message("The note is kept in notes/retries.md"))
        await ana.act("Reply in thread", ana.message(MISSED))
        reply = await ana.sees(ana.replied("Three times."))
        await ana.press("This reply was not helpful", reply)
        await ana.dialog.get_by_label("Outdated").check()
        await ana.press("Send Feedback", ana.dialog)
        await ana.misses(ana.dialog)
        await olu.sees(olu.message("The note is kept in").get_by_role("button", name="2 replies"))
        await olu.page.get_by_role("link", name="Home", exact=True).click()
        home = olu.page.get_by_role("region", name="App Home")
        await olu.press("Pause", home)
        await olu.sees(home.get_by_text("Paused since"))
        await olu.press("Resume", home)
        await olu.sees(home.get_by_role("button", name="Pause"))
