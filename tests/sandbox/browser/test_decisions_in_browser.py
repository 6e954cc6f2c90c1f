"""Each decision beside Approve and Edit in a real browser, as a person makes it, with the real bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "how often is a payment tried again?"


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
        card = await olu.sees(olu.message("sent back by an operator"))
        await olu.press("More options", card)
        await olu.page.get_by_role("menuitem", name="Delegate").click()
        await olu.dialog.get_by_label("Hand the question to").select_option("U0ADMIN")
        await olu.press("Delegate", olu.dialog)
        await olu.sees(olu.message("Nothing is left to do here"))
        ada = await window("U0ADMIN")
        await ada.go("Triage")
        card = await ada.sees(ada.message("Handed over"))
        await ada.press("More options", card)
        await ada.page.get_by_role("menuitem", name="Take Over").click()
        await ada.sees(ada.message("Taken over"))
        await ada.misses(ada.message("Taken over").get_by_role("button", name="Approve", exact=True))


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
        await olu.sees(olu.dialog.get_by_text("A duplicate needs the link of what it repeats."))
        await olu.dialog.get_by_label("Not for us").check()
        await olu.press("Dismiss", olu.dialog)
        await olu.sees(olu.message("not for us. Nothing was posted."))
