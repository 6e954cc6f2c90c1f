"""Methods auth.* and apps.connections.open: the app's identity, and its Socket Mode URL."""

from collections.abc import Callable

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.installation import Installation
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.models import Json
from sandbox.workspace import Workspace


class App:
    """Installation, as methods of the Web API."""

    def __init__(
        self, workspace: Workspace, links: Links, *, ticket: Callable[[], str], installation: Installation
    ) -> None:
        self._workspace = workspace
        self._links = links
        self._ticket = ticket
        self._installation = installation

    def methods(self) -> dict[str, Method]:
        return {
            "auth.test": self.auth_test,
            "auth.revoke": self.revoke,
            "apps.connections.open": self.connections_open,
        }

    def auth_test(self, arguments: Arguments) -> Json:
        answer: Json = {
            "url": f"{self._links.origin}/",
            "team": seed.TEAM_NAME,
            "user": "triage",
            "team_id": seed.TEAM_ID,
            "user_id": seed.BOT_USER,
            "bot_id": seed.BOT_ID,
            "is_enterprise_install": False,
        }
        enterprise = self._workspace.roster.home.enterprise_id
        return answer | {"enterprise_id": enterprise} if enterprise else answer

    def connections_open(self, arguments: Arguments) -> Json:
        return {"url": self._links.socket(self._ticket(), seed.APP_ID)}

    def revoke(self, arguments: Arguments) -> Json:
        """Revoke the bot token; with `test` nothing is changed."""
        if arguments.flag("test"):
            return {"revoked": False}
        self._installation.change("revoked")
        return {"revoked": True}
