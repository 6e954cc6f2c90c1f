"""Strings that would be a script, in messages, names, cards, dialogs and the App Home: none runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measure.attack import page

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.mark.asyncio(loop_scope="session")
async def test_no_string_is_a_script(browser: Browser) -> None:
    """Some of them on one page; `make attack` has twenty pages."""
    found = await page.look(browser, 20)
    assert found.tries == 20
    assert found.effects == ()


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.long
async def test_a_script_that_ran_would_be_seen(browser: Browser) -> None:
    """What the attack asks of a page finds what it looks for."""
    context = await browser.new_context()
    shown = await context.new_page()
    await shown.set_content(
        "<img src=x onerror='window.ran=1'><a href='javascript:1'>x</a><script>window.ran=2</script>"
    )
    await shown.wait_for_timeout(50)
    found = " ".join(await shown.evaluate(page.STRANGE))
    await context.close()
    assert all(each in found for each in ("scripts ran", "IMG onerror", "href javascript:", "a SCRIPT"))
