"""A person's browser window at the workspace: what they see and do, by roles and labels, as a person finds them."""

from __future__ import annotations

import re

from playwright.async_api import ConsoleMessage, Locator, Page, expect

PATIENCE = 30_000
"""Milliseconds after which something that should be seen counts as missing, on a machine that does much else."""

expect.set_options(timeout=PATIENCE)


class Window:
    """One window, in which one person is at work.

    Errors of the page's own scripts, and what its content policy refused, are kept in `errors`.
    """

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._told)

    async def open(self, user: str, *, channel: str = "C0HELP", more: str = "") -> None:
        """Go to a conversation as this person, and wait until the workspace has told what is in it."""
        await self.page.goto(f"{self.url}/archives/{channel}?as={user}{more}")
        await expect(self.page.locator("#title")).not_to_be_empty()

    def _told(self, line: ConsoleMessage) -> None:
        if "Content Security Policy" in line.text:
            self.errors.append(line.text)

    @property
    def composer(self) -> Locator:
        """Where a message is written."""
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def reply(self) -> Locator:
        """Where a reply is written."""
        return self.page.get_by_role("textbox", name="Reply", exact=True)

    @property
    def dialog(self) -> Locator:
        """The app's dialog that is open."""
        return self.page.locator("#dialog[open]")

    def message(self, text: str) -> Locator:
        """The newest message of the conversation that shows this text."""
        return self.page.locator("#messages li.message").filter(has_text=text).last

    def replied(self, text: str) -> Locator:
        """The newest message of the open thread that shows this text."""
        return self.page.locator("#replies li.message").filter(has_text=text).last

    def place(self, name: str) -> Locator:
        """A conversation's entry at the side."""
        return self.page.locator("#places a").filter(has_text=name)

    async def go(self, name: str) -> None:
        """Open a conversation from the side."""
        await self.place(name).click()
        await expect(self.place(name)).to_have_attribute("aria-current", "page")

    async def say(self, text: str) -> None:
        """Write a message and send it."""
        await self.composer.fill(text)
        await self.composer.press("Enter")

    async def press(self, name: str, within: Locator) -> None:
        """Press the button of this name."""
        await self.button(name, within).click()

    def button(self, name: str, within: Locator) -> Locator:
        """The button of this name, or with these words on it: to a screen reader it may say more than they."""
        words = re.compile(rf"^\s*{re.escape(name)}\s*$")
        buttons = within.get_by_role("button")
        return within.get_by_role("button", name=name, exact=True).or_(buttons.filter(has_text=words))

    async def act(self, name: str, message: Locator) -> None:
        """Do something to a message: by its toolbar, or by what is under More actions."""
        await message.hover()
        tool = message.get_by_role("button", name=name, exact=True)
        if not await tool.count():
            await self.press("More actions", message)
            tool = self.page.get_by_role("menuitem", name=name)
        await tool.click()

    async def tab_to(self, name: str, *, key: str = "Shift+Tab") -> None:
        """Press Tab until the focus is on the control of this name."""
        focused = self.page.locator(":focus")
        for _ in range(40):
            await self.page.keyboard.press(key)
            if await focused.and_(self.page.get_by_role("button", name=name)).count():
                return
        raise AssertionError(f"Tab never came to {name}")

    async def sees(self, what: Locator) -> Locator:
        """Wait until this is seen."""
        await expect(what).to_be_visible()
        return what

    async def misses(self, what: Locator) -> None:
        """Wait until this is seen no more."""
        await expect(what).to_be_hidden()

    async def counts(self, what: Locator, number: int) -> None:
        """Wait until this is there so many times."""
        await expect(what).to_have_count(number)
