"""Context of a message for tier 0: facts about its thread, channel and author."""

from __future__ import annotations

from typing import NamedTuple


class MessageContext(NamedTuple):
    """Facts about the place and the author of a message. An unknown fact is false, and then decides nothing."""

    mention: bool = False
    """The message mentions the bot."""
    is_reply: bool = False
    """The message replies in a thread."""
    by_asker: bool = False
    """The author opened this thread."""
    asker_wrote_before: bool = False
    """The author also wrote the previous message in this thread or channel, shortly before."""
    by_team: bool = False
    """The author is one of the team members who answer (`classifier.team_members`)."""
    by_bot: bool = False
    """The author is a bot."""
    by_alert_bot: bool = False
    """The author is a bot that may open threads (`classifier.alert_bots`)."""
    open_investigation: bool = False
    """The thread has work outstanding."""
    follows_up: bool = False
    """The author asked the question that Triage took up in this thread, open or closed."""
    opens: bool = False
    """The message starts a topic in a channel: its author was away, or no other conversation is running."""
    is_away: bool = False
    """The author wrote none of the channel's last 60 messages, as far as is known."""
    spoke_lately: bool = False
    """The author wrote one of the channel's last three messages."""
    is_new: bool = False
    """The author never wrote in this channel before, and enough of its history is known to say so."""
    own_talk: bool = False
    """The author began the conversation running in the channel, outside of threads."""
    anothers_talk: bool = False
    """Somebody else began that conversation."""
    by_answerer: bool = False
    """The author mostly answers in other people's threads, and hardly asks."""
    for_help: bool = False
    """The channel is one where people ask for help (`watched_chats[].purpose`)."""
    asked_nothing: bool = False
    """The author opened this thread with a message that asked for nothing, as far as is known."""
