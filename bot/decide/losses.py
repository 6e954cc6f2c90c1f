"""Losses: channels and people that the bot can no longer reach, and the remedy for each. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.information_flow import is_shared_externally
from bot.models.loss import UNHEARD_LOSSES, UNNAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.loss import ChannelLoss, Loss

_TOLD_ALREADY = {("unseen", "left"), ("unseen", "deleted"), ("left", "unseen"), ("deleted", "unseen")}
"""Pairs of previous and current loss that are the same one, with more or less known about it."""
_STRONGEST = ("deleted", "archived", "left")
"""Channel events by precedence: the last in a channel's life comes first."""
_MARKUP = re.compile(r"<([#@])([A-Z0-9]+)>|[*`]")


def hint_of(before: str, change: str) -> str:
    """Return the most final of several events of a channel: those in `before`, and one more."""
    changes = {before, change}
    return next((each for each in _STRONGEST if each in changes), "")


def lost_of(
    channel: dict[str, Any] | None,
    *,
    hint: str,
    named: str,
    last_name: str,
    before: Loss | None,
    has_cards: bool = False,
) -> ChannelLoss | None:
    """Return the reason why the bot cannot work in a channel, or its renaming; `None` for neither.

    `channel` is Slack's description, `None` where Slack does not show it: then the `hint` from events decides. `named`
    is its name in the settings, `before` its previous loss. A channel that `has_cards` must be private.
    """
    if channel is None:
        return "deleted" if hint == "deleted" else "left" if hint == "left" else "unseen"
    if channel.get("is_frozen"):
        return "frozen"
    if channel.get("is_archived"):
        return "archived"
    if not channel.get("is_member"):
        return "left"
    if has_cards and not channel.get("is_private"):
        return "public"
    if has_cards and is_shared_externally(channel):
        return "shared"
    now = str(channel.get("name") or "")
    if not named or now in ("", named):
        return None
    stays = before is not None and before.kind == "renamed" and before.name == now
    return "renamed" if stays or last_name not in ("", now) else None


def is_same(before: Loss | None, after: Loss | None) -> bool:
    """Return whether there is nothing new to report."""
    if before is None or after is None:
        return before is after
    if before.kind == after.kind:
        return before.kind != "renamed" or before.name == after.name
    return (before.kind, after.kind) in _TOLD_ALREADY


def is_told_by_change(before: Loss, after: Loss) -> bool:
    """Return whether the previous notices are updated in place: the channel was and is unusable, and its readers know
    it."""
    return {before.kind, after.kind} <= UNHEARD_LOSSES


def in_words(loss: Loss, keys: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """Return the notice of a loss with its remedy, as mrkdwn.

    `keys` are the settings that name the channel or the person, none for a channel that a command created; `others`
    the operators who can still be reached.
    """
    match loss.kind:
        case "scope":
            scope = "a scope" if loss.subject == UNNAMED else f"the scope `{loss.subject}`"
            return (
                f"*The app lacks {scope}* (Slack: missing_scope, {loss.code}). "
                "Update it with what `triage manifest` prints, and install it again: api.slack.com/apps, App Manifest, "
                "Install App."
            )
        case "person":
            why = f"Slack: {loss.code}" if loss.code else "deactivated, a guest, or no member of this workspace"
            passed = _format_passed(others, _name_settings(keys))
            return f"*<@{loss.subject}> cannot be given questions any more* ({why}). {passed}"
        case kind:
            return _describe_channel(loss, kind, keys)


def _describe_channel(loss: Loss, kind: ChannelLoss, keys: Sequence[str]) -> str:
    """Return the notice of a channel in which the bot cannot work, or not as before."""
    named, where = _name_settings(keys), f"<#{loss.subject}>"
    or_leave = f", or take it out of {named}" if keys else ""
    match kind:
        case "left":
            return (
                f"*Triage was taken out of {where}.* It can neither read nor post there. "
                f"Write `/invite @Triage` in it{or_leave}."
            )
        case "archived":
            return f"*{where} was archived.* Nothing can be posted there. Unarchive it{or_leave}."
        case "frozen":
            why = "its connection with another company was cut, and nothing can be posted there"
            return f"*{where} is frozen:* {why}.{f' Take it out of {named}.' if keys else ''}"
        case "deleted":
            channel = f"#{loss.name} (`{loss.subject}`)" if loss.name else f"`{loss.subject}`"
            leave = f"Take it out of {named}, and start Triage again." if keys else "It is no longer watched."
            return f"*The channel {channel} was deleted.* {leave}"
        case "unseen":
            return (
                f"*Slack does not show {where} (`{loss.subject}`) to Triage.* It was deleted, or it is private and "
                f"Triage is not in it. Write `/invite @Triage` in it{or_leave}."
            )
        case "renamed":
            return (
                f"*The channel `{loss.subject}` was renamed to #{loss.name}.* Triage still reads and answers there. "
                f"Write `name: {loss.name}` for `{loss.subject}` in {named}, and start Triage again."
            )
        case "shared" | "public":
            who = "another company" if kind == "shared" else "everybody of this workspace"
            mend = "End the sharing" if kind == "shared" else "Make it private again"
            return (
                f"*{where} can be read by {who}.* Triage now sends its cards to direct messages, and removes those "
                f"in the channel, since nobody has approved their content. {mend}, or name another channel in {named}."
            )
        case _:
            assert_never(kind)


def _name_settings(keys: Sequence[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys) or "the settings"


def _format_passed(others: Sequence[str], named: str) -> str:
    left = ", ".join(f"<@{user}>" for user in others[:5])
    if not left:
        return f"Nobody is left who could decide: name somebody else in {named}, and start Triage again."
    return f"Their open questions go to the other operators: {left}. Name somebody else in {named}."


def over_in_words(words: str) -> str:
    """Return the first words of a notice, for a loss that is over."""
    return words.split("*")[1]


def on_card(loss: Loss) -> str:
    """Return a card's line on why an answer cannot be posted for now; empty where it can."""
    match loss.kind:
        case "left" | "unseen":
            return f"*Not in the channel:* Triage is not in <#{loss.subject}>. Write `/invite @Triage` there first."
        case "archived":
            return f"*Archived:* nothing can be posted in <#{loss.subject}> until somebody unarchives it."
        case "frozen":
            return f"*Frozen:* the connection of <#{loss.subject}> was cut, and nothing can be posted there any more."
        case "deleted":
            return "*Deleted:* the channel of this question is gone, and nothing can be posted there."
        case _:
            return ""


def in_plain_words(mrkdwn: str, names: dict[str, str]) -> str:
    """Return the text without markup for a terminal or a file: channels by their `names`, people by their ids."""

    def plain(match: re.Match[str]) -> str:
        sigil, subject = match[1], match[2]
        return f"{sigil}{names.get(subject, subject)}" if sigil else ""

    return _MARKUP.sub(plain, mrkdwn)
