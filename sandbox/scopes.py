"""Scopes that methods of the Web API need, checked against the app's manifest."""

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.manifest import Manifest
from sandbox.models import Refused
from sandbox.workspace import Workspace

NEEDED: dict[str, tuple[str, ...]] = {
    "agents.sessions.setStatus": ("chat:write",),
    "assistant.threads.setStatus": ("chat:write", "assistant:write"),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "assistant.threads.setTitle": ("assistant:write",),
    "bookmarks.list": ("bookmarks:read",),
    "bots.info": ("users:read",),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.deleteScheduledMessage": ("chat:write",),
    "chat.meMessage": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.scheduleMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.unfurl": ("links:write",),
    "chat.update": ("chat:write",),
    "conversations.join": ("channels:join",),
    "emoji.list": ("emoji:read",),
    "files.completeUploadExternal": ("files:write",),
    "files.delete": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "files.info": ("files:read",),
    "files.list": ("files:read",),
    "pins.add": ("pins:write",),
    "pins.list": ("pins:read",),
    "pins.remove": ("pins:write",),
    "reactions.add": ("reactions:write",),
    "reactions.get": ("reactions:read",),
    "reactions.remove": ("reactions:write",),
    "team.info": ("team:read",),
    "usergroups.list": ("usergroups:read",),
    "usergroups.users.list": ("usergroups:read",),
    "users.getPresence": ("users:read",),
    "users.info": ("users:read",),
    "users.list": ("users:read",),
    "users.lookupByEmail": ("users:read.email",),
    "users.profile.get": ("users.profile:read",),
}
"""Scopes by method, any one of which suffices. Methods in neither table need none."""

_ByKind = dict[str, tuple[str, ...]]

_MANAGED: _ByKind = {"channel": ("channels:manage",), "group": ("groups:write",)}
_READ: _ByKind = {"channel": ("channels:read",), "group": ("groups:read",), "im": ("im:read",)}
_HISTORY: _ByKind = {"channel": ("channels:history",), "group": ("groups:history",), "im": ("im:history",)}


def _managed_or(part: str) -> _ByKind:
    """Return the scopes for managing channels, or only this part of them."""
    return {"channel": ("channels:manage", f"channels:write.{part}"), "group": ("groups:write", f"groups:write.{part}")}


BY_CONVERSATION: dict[str, _ByKind] = {
    "conversations.archive": _MANAGED,
    "conversations.create": _MANAGED,
    "conversations.history": _HISTORY,
    "conversations.info": _READ,
    "conversations.invite": _managed_or("invites"),
    "conversations.kick": _MANAGED,
    "conversations.leave": _MANAGED,
    "conversations.list": _READ,
    "conversations.mark": {**_MANAGED, "im": ("im:write",)},
    "conversations.members": _READ,
    "conversations.open": {"im": ("im:write",)},
    "conversations.rename": _MANAGED,
    "conversations.replies": _HISTORY,
    "conversations.setPurpose": _managed_or("topic"),
    "conversations.setTopic": _managed_or("topic"),
    "conversations.unarchive": _MANAGED,
    "users.conversations": _READ,
}
"""Scopes by method and kind of conversation."""

_TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im"}


class MissingScope(Refused):
    """Error `missing_scope`, with the needed and the granted scopes."""

    def __init__(self, needed: tuple[str, ...], provided: frozenset[str]) -> None:
        super().__init__("missing_scope", details={"needed": ",".join(needed), "provided": ",".join(sorted(provided))})


class Scopes:
    """Checker of scopes; without a manifest everything is granted."""

    def __init__(self, manifest: Manifest | None, workspace: Workspace) -> None:
        self._granted = manifest.scopes if manifest else None
        self._workspace = workspace

    def check(self, method: str, arguments: Arguments) -> None:
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
        accepted = NEEDED.get(method) or _all_scopes(BY_CONVERSATION.get(method, {}))
        return {"X-OAuth-Scopes": ",".join(sorted(self._granted)), "X-Accepted-OAuth-Scopes": ",".join(accepted)}

    def _needed_scopes(self, method: str, arguments: Arguments) -> list[tuple[str, ...]]:
        """Return sets of scopes; one of each set is needed."""
        if method in NEEDED:
            return [NEEDED[method]]
        by_kind = BY_CONVERSATION.get(method)
        if by_kind is None:
            return []
        return [by_kind.get(kind) or _all_scopes(by_kind) for kind in self._kinds(method, arguments)]

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


def _all_scopes(by_kind: _ByKind) -> tuple[str, ...]:
    return tuple(scope for scopes in by_kind.values() for scope in scopes)
