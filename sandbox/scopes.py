"""Checks of an app's scopes before its calls; the scopes themselves are in `required_scopes`."""

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.manifest import Manifest
from sandbox.models import Refused
from sandbox.required_scopes import BY_CONVERSATION, CONNECTIONS_SCOPE, SCOPES_OF_METHOD, all_scopes
from sandbox.workspace import Workspace

_TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im"}


class MissingScope(Refused):
    """Error `missing_scope`, with the needed and the granted scopes."""

    def __init__(self, needed: tuple[str, ...], provided: frozenset[str]) -> None:
        super().__init__("missing_scope", details={"needed": ",".join(needed), "provided": ",".join(sorted(provided))})


class Scopes:
    """Checker of scopes; without a manifest everything is granted."""

    def __init__(self, manifest: Manifest | None, workspace: Workspace, app_token: frozenset[str]) -> None:
        self._granted = manifest.scopes if manifest else None
        self._app_token = app_token
        self._workspace = workspace

    def check(self, method: str, arguments: Arguments) -> None:
        if method == "apps.connections.open" and CONNECTIONS_SCOPE not in self._app_token:
            raise MissingScope((CONNECTIONS_SCOPE,), self._app_token)
        if self._granted is None:
            return
        for needed in self._needed_scopes(method, arguments):
            if not self._granted.intersection(needed):
                raise MissingScope(needed, self._granted)

    def has(self, scope: str) -> bool:
        return self._granted is None or scope in self._granted

    def headers(self, method: str) -> dict[str, str]:
        """Return Slack's scope headers for an answer."""
        if self._granted is None:
            return {}
        accepted = SCOPES_OF_METHOD.get(method) or all_scopes(BY_CONVERSATION.get(method, {}))
        return {"X-OAuth-Scopes": ",".join(sorted(self._granted)), "X-Accepted-OAuth-Scopes": ",".join(accepted)}

    def _needed_scopes(self, method: str, arguments: Arguments) -> list[tuple[str, ...]]:
        """Return sets of scopes; one of each set is needed."""
        if needed := SCOPES_OF_METHOD.get(method):
            return [needed]
        by_kind = BY_CONVERSATION.get(method)
        if by_kind is None:
            return []
        return [by_kind.get(kind) or all_scopes(by_kind) for kind in self._kinds(method, arguments)]

    def _kinds(self, method: str, arguments: Arguments) -> list[str]:
        if method in ("conversations.list", "users.conversations"):
            types = (arguments.text("types") or "public_channel").split(",")
            return [_TYPES.get(each.strip(), "") for each in types]
        if method == "conversations.create":
            return ["group" if arguments.flag("is_private") else "channel"]
        try:
            return [self._workspace.visible(arguments.text("channel") or "", to=seed.BOT_USER).kind]
        except Refused:
            return [""]  # any scope suffices; the method itself answers channel_not_found
