"""Refusals by Slack in plain words: the meaning of an error code, and a remedy. Pure.

The codes are those in Slack's reference for the methods that `adapters/slack` uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import Refused

if TYPE_CHECKING:
    from bot.errors import TriageError

OWN = frozenset({"holds_a_secret", "draft_changed", "no_draft", "silenced", "not_watched"})
"""Codes defined by Triage, not by Slack."""

TOKEN = frozenset({"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"})
"""Codes for an invalid token."""
CHANNEL = frozenset({"not_in_channel", "channel_not_found", "is_archived", "channel_is_archived", "is_inactive"})
"""Codes for a channel that the bot cannot read or write."""
ACCESS = (
    CHANNEL | TOKEN | {"missing_scope", "no_permission", "restricted_action", "rate_limited", "message_limit_exceeded"}
)
"""Codes for what somebody may give back: what matters is tried again after them."""
PERSON = CHANNEL | {
    "user_disabled",
    "user_not_found",
    "users_not_found",
    "user_not_visible",
    "cannot_dm_bot",
    "not_a_user",
    "invalid_user_combination",
}
"""Codes for a person whom a direct message cannot reach."""
UNKNOWN_PERSON = frozenset({"user_not_found", "users_not_found", "user_not_visible"})
"""Codes of `users.info` for a person who is not a member; other codes do not tell."""
EXPIRED_TRIGGER = frozenset({"expired_trigger_id", "trigger_expired", "invalid_trigger_id"})
"""Codes for a dialog that was opened too long after its press: only the press helps."""
TOO_LARGE = frozenset({"msg_blocks_too_long", "msg_too_long", "invalid_blocks", "invalid_blocks_format"})
"""Codes for a message that a shorter one can replace."""

_NOT_MEMBER = "Triage is not in the channel: invite it there with `/invite @Triage`"
_HIDDEN = "Slack shows no such channel to Triage: it was deleted, or it is private and Triage is not in it"
_ARCHIVED = "the channel is archived, or frozen: nothing can be posted there until somebody opens it again"
_CHANNEL = "the channel's or the workspace's settings do not let an app post there: its owner may change that"
_TOKEN = "Slack does not accept the bot's token any more: see `triage doctor`"  # noqa: S105  # text, no secret
_MESSAGE_DELETED = "the message that it answers was deleted"
_PERSON = "their account is deactivated, or nobody has it: name somebody else in the settings"
_LONG = "it is longer than Slack allows: shorten it with Edit"
_SHAPE = "Slack does not accept its format: change its text with Edit"
_SCOPE = "the app lacks a scope: update it with what `triage manifest` prints, and install it again"
_WORKSPACE = "the workspace's administrators do not let the app do this: ask them"
_WORDS = {
    # channels and threads
    "is_archived": _ARCHIVED,
    "channel_is_archived": _ARCHIVED,
    "is_inactive": "the channel is frozen: its owner may open it again",
    "not_in_channel": _NOT_MEMBER,
    "channel_not_found": _HIDDEN,
    "user_not_in_channel": "the person to read it is not in the channel",
    "restricted_action": _CHANNEL,
    "restricted_action_read_only_channel": _CHANNEL,
    "restricted_action_thread_only_channel": _CHANNEL,
    "restricted_action_non_threadable_channel": "the channel has no threads",
    "restricted_action_thread_locked": "the thread is locked",
    "posting_to_general_channel_denied": "the workspace's settings do not let an app post in its general channel",
    "thread_not_found": _MESSAGE_DELETED,
    "cannot_reply_to_message": _MESSAGE_DELETED,
    "message_not_found": _MESSAGE_DELETED,
    # messages and cards
    "msg_too_long": _LONG,
    "msg_blocks_too_long": _LONG,
    "invalid_blocks": _SHAPE,
    "invalid_blocks_format": _SHAPE,
    "no_text": _SHAPE,
    "markdown_text_conflict": _SHAPE,
    "metadata_too_large": _SHAPE,
    "rate_limited": "Slack accepts no more messages there at the moment: try again in a few minutes",
    "message_limit_exceeded": "the workspace has used up the messages that Slack accepts from it this month",
    "cant_update_message": "the message is not Triage's own, so it stays as it is",
    "cant_delete_message": "the message is not Triage's own, so it stays as it is",
    "edit_window_closed": "the workspace's settings do not let messages be changed so late",
    "messages_tab_disabled": "the app's Messages tab is switched off: `manifest.yml` switches it on",
    # people
    "user_disabled": _PERSON,
    "user_not_found": _PERSON,
    "users_not_found": _PERSON,
    "user_not_visible": "Triage may not see them: a guest sees and is seen in their own channels alone",
    "cannot_dm_bot": "that is a bot, and an app cannot write to it: name a person in the settings",
    "no_such_subteam": "nobody has this user group: name another in the settings",
    # dialogs and the App Home
    "exchanged_trigger_id": "this press has already opened a dialog: press again",
    "push_limit_reached": "three dialogs are open already: close one, and press again",
    "view_too_large": "it is larger than Slack allows in a dialog",
    "not_enabled": "the app's Home tab is switched off: `manifest.yml` switches it on",
    "hash_conflict": "it has changed meanwhile: open it again",
    # reactions
    "invalid_name": "the workspace has no emoji of this name: choose another in `slack.reactions`",
    "too_many_emoji": "the message has as many emoji as Slack allows",
    "too_many_reactions": "the message has as many emoji as Slack allows",
    "not_reactable": "nobody can put an emoji under this message",
    # files
    "file_not_found": "the file was deleted",
    "file_deleted": "the file was deleted",
    "files_disabled": "the workspace takes no files",
    "access_denied": _WORKSPACE,
    # the app and its token
    "missing_scope": _SCOPE,
    "no_permission": _SCOPE,
    "not_allowed_token_type": "the token is of another kind: SLACK_BOT_TOKEN begins with xoxb-",
    "ekm_access_denied": _WORKSPACE,
    "org_login_required": _WORKSPACE,
    "team_access_not_granted": _WORKSPACE,
    "team_added_to_org": "the workspace is being moved into an organisation: try again later",
    **dict.fromkeys(TOKEN, _TOKEN),
}

_ADMINISTRATION = {
    "name_taken": "another channel has this name, perhaps an archived one: choose another name",
    "restricted_action": (
        "the workspace does not let an app create or archive channels: ask its administrators, or do it yourself"
    ),
    "missing_scope": "the app lacks the scope `channels:manage`: docs/install.md says how to add it",
    "user_is_restricted": "a guest cannot be invited by an app",
}
"""Words for creating, archiving and inviting, where a code means something else than for a post."""


def administration_refusal(problem: Refused) -> str:
    """Return half a sentence on why a channel was not created or archived, or a person not invited."""
    if problem.code.startswith("invalid_name"):
        return f"Slack does not accept the name (Slack: {problem.code})"
    words = _ADMINISTRATION.get(problem.code)
    return f"{words} (Slack: {problem.code})" if words else refusal_in_words(problem)


def why_not(problem: TriageError) -> str:
    """Return the reason of any failure; temporary ones have their own words."""
    return refusal_in_words(problem) if isinstance(problem, Refused) else str(problem)


def describe_unopened(problem: TriageError) -> str:
    """Return the text for a person whose dialog did not open."""
    if isinstance(problem, Refused) and problem.code not in EXPIRED_TRIGGER:
        return f"The dialog did not open: {refusal_in_words(problem)}. Nothing was changed."
    return "The dialog did not open in time. Please press the button again."


def refusal_in_words(problem: Refused) -> str:
    """Return half a sentence on why something was not posted, with Slack's own words for unknown codes."""
    if problem.code in OWN:
        return str(problem)
    if words := _WORDS.get(problem.code):
        return f"{words} (Slack: {problem.code})"
    return f"Slack refused it: {problem}"
