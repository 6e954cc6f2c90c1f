"""Installation of the app, and Slack's errors for its bot token while it is not installed."""

import asyncio

from sandbox.models import InstallationChanged
from sandbox.workspace import Workspace

ERRORS = {"installed": None, "revoked": "token_revoked", "uninstalled": "account_inactive"}
"""Error of every call with the bot token, by state."""


class Installation:
    """Installation state: `installed`, `revoked` or `uninstalled`."""

    def __init__(self, workspace: Workspace, state: str = "installed") -> None:
        self._workspace = workspace
        self.state = state
        self.endings = 0
        """Number of revocations and uninstallations."""
        self._back = asyncio.Event()

    @property
    def error(self) -> str | None:
        return ERRORS[self.state]

    @property
    def is_installed(self) -> bool:
        return self.state == "installed"

    async def installed(self) -> None:
        """Wait until the app is installed."""
        if not self.is_installed:
            await self._back.wait()

    def change(self, state: str) -> None:
        """Set the state and tell the listeners if it changed."""
        if state != self.state:
            self.endings += self.is_installed
            self.state = state
            if self.is_installed:
                self._back.set()
            else:
                self._back.clear()
            self._workspace.tell(InstallationChanged(state))
