"""Scopes that Slack requires of a bot: by method of the Web API, by event, for commands and for sockets. Data only.

From the "Scopes" and "Required Scopes" of Slack's reference, docs.slack.dev/reference/methods and /reference/events,
as of August 2026. The events of archived channels have no page there any more: theirs are from
github.com/slackapi/slack-api-specs. `assistant.threads.setStatus` is listed with `chat:write`, and accepts
`assistant:write` for the time being: docs.slack.dev/changelog/2026/03/05/set-status-scope-update.
"""

COMMANDS_SCOPE = "commands"
"""Scope of slash commands and shortcuts."""
CONNECTIONS_SCOPE = "connections:write"
"""Scope of the app-level token, for `apps.connections.open`; no manifest names it."""

SCOPES_OF_METHOD: dict[str, tuple[str, ...]] = {
    "agents.sessions.setStatus": ("chat:write",),
    "api.test": (),
    "apps.connections.open": (),
    "assistant.threads.setStatus": ("chat:write", "assistant:write"),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "assistant.threads.setTitle": ("assistant:write",),
    "auth.revoke": (),
    "auth.test": (),
    "blocks.validate": (),
    "bookmarks.list": ("bookmarks:read",),
    "bots.info": ("users:read",),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.deleteScheduledMessage": ("chat:write",),
    "chat.getPermalink": (),
    "chat.meMessage": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.scheduleMessage": ("chat:write",),
    "chat.scheduledMessages.list": (),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.unfurl": ("links:write",),
    "chat.update": ("chat:write",),
    "conversations.join": ("channels:join",),
    "dialog.open": (),
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
    "views.open": (),
    "views.publish": (),
    "views.push": (),
    "views.update": (),
}
"""Scopes by method, any one of which suffices; none where the reference names none."""

ByKind = dict[str, tuple[str, ...]]

_MANAGED: ByKind = {"channel": ("channels:manage",), "group": ("groups:write",)}
_READ: ByKind = {"channel": ("channels:read",), "group": ("groups:read",), "im": ("im:read",)}
_HISTORY: ByKind = {"channel": ("channels:history",), "group": ("groups:history",), "im": ("im:history",)}


def _managed_or(part: str) -> ByKind:
    """Return the scopes for managing channels, or only this part of them."""
    return {"channel": ("channels:manage", f"channels:write.{part}"), "group": ("groups:write", f"groups:write.{part}")}


BY_CONVERSATION: dict[str, ByKind] = {
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

SCOPE_OF_EVENT: dict[str, str | None] = {
    "agent_session_stopped": "chat:write",
    "app_home_opened": None,
    "app_mention": "app_mentions:read",
    "app_context_changed": "assistant:write",
    "app_uninstalled": None,
    "assistant_thread_context_changed": None,
    "assistant_thread_started": None,
    "channel_archive": "channels:read",
    "channel_created": "channels:read",
    "channel_deleted": "channels:read",
    "channel_left": "channels:read",
    "channel_rename": "channels:read",
    "channel_shared": "channels:read",
    "channel_unarchive": "channels:read",
    "channel_unshared": "channels:read",
    "file_shared": "files:read",
    "group_archive": "groups:read",
    "group_deleted": "groups:read",
    "group_left": "groups:read",
    "group_rename": "groups:read",
    "group_unarchive": "groups:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "team_join": "users:read",
    "tokens_revoked": None,
    "user_change": "users:read",
}
"""Scope that an event needs, by its name in a manifest; `None` if none. For private channels the scope of groups."""


def all_scopes(by_kind: ByKind) -> tuple[str, ...]:
    return tuple(scope for scopes in by_kind.values() for scope in scopes)
