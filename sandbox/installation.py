"""Whether the app is installed, and Slack's answer to its bot token when it is not."""

import asyncio

from sandbox.models import InstallationChanged
from sandbox.workspace import Workspace

ERRORS = {"installed": None, "revoked": "token_revoked", "uninstalled": "account_inactive"}
"""By state, the error of every call with the bot token."""


class Installation:
    """The app in the workspace: `installed`, its tokens `revoked`, or `uninstalled`."""

    def __init__(self, workspace: Workspace, state: str = "installed") -> None:
        self._workspace = workspace
        self.state = state
        self.endings = 0
        """How often the app was taken out."""
        self._back = asyncio.Event()

    @property
    def error(self) -> str | None:
        return ERRORS[self.state]

    @property
    def is_installed(self) -> bool:
        return self.state == "installed"

    async def installed(self) -> None:
        """Return once the app is installed."""
        if not self.is_installed:
            await self._back.wait()

    def change(self, state: str) -> None:
        """Go over to another state and tell the listeners; the same state again is no change."""
        if state != self.state:
            self.endings += self.is_installed
            self.state = state
            if self.is_installed:
                self._back.set()
            else:
                self._back.clear()
            self._workspace.tell(InstallationChanged(state))
