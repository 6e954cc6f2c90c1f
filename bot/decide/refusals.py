"""Refusals of Slack in words: what its code means, and what helps. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.errors import Refused

OWN = frozenset({"holds_a_secret", "draft_changed", "no_draft", "silenced", "not_watched"})
"""Codes of Triage's own, which Slack knows nothing of."""

_AWAY = "Triage is not in the channel, or the channel is gone: invite it there with `/invite`"
_CHANNEL = "the channel's or the workspace's settings do not let an app post there: its owner may change that"
_TOKEN = "Slack does not accept the bot's token any more: see `triage doctor`"  # noqa: S105  # a sentence
_GONE = "the message that it answers was deleted"
_WORDS = {
    "is_archived": "the channel is archived: somebody must unarchive it first",
    "not_in_channel": _AWAY,
    "channel_not_found": _AWAY,
    "user_not_in_channel": "whoever should read it is not in the channel",
    "restricted_action": _CHANNEL,
    "restricted_action_read_only_channel": _CHANNEL,
    "restricted_action_thread_only_channel": _CHANNEL,
    "restricted_action_non_threadable_channel": "the channel has no threads",
    "restricted_action_thread_locked": "the thread is locked",
    "messages_tab_disabled": "the app's Messages tab is switched off: `manifest.yml` switches it on",
    "thread_not_found": _GONE,
    "cannot_reply_to_message": _GONE,
    "message_not_found": _GONE,
    "msg_too_long": "it is longer than Slack takes: shorten it with Edit",
    "missing_scope": "the app lacks a scope: compare it with `manifest.yml`, and install it again",
    "invalid_auth": _TOKEN,
    "not_authed": _TOKEN,
    "token_revoked": _TOKEN,
    "token_expired": _TOKEN,
    "account_inactive": _TOKEN,
}


def refusal_in_words(problem: Refused) -> str:
    """Half a sentence on why something was not posted, with Slack's own words where these have no plainer ones."""
    if problem.code in OWN:
        return str(problem)
    if words := _WORDS.get(problem.code):
        return f"{words} (Slack: {problem.code})"
    return f"Slack refused it: {problem}"
