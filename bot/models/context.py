"""What tier 0 knows around a message besides its text: made by `decide/classify/thread_context` and
`intake/watcher`."""

from __future__ import annotations

from typing import NamedTuple


class MessageContext(NamedTuple):
    """Where a message stands and who wrote it. What is not known stays false, and then decides nothing."""

    mention: bool = False
    """It mentions the bot."""
    is_reply: bool = False
    """It stands in a thread and did not open it."""
    by_asker: bool = False
    """Its author opened this thread."""
    asker_wrote_before: bool = False
    """Its author also wrote the message before, in the same thread or channel, a short while ago."""
    by_team: bool = False
    """Its author is one of those who answer (`classifier.team_members`)."""
    by_bot: bool = False
    """A program wrote it."""
    by_alert_bot: bool = False
    """A program wrote it that may open threads (`classifier.alert_bots`)."""
    open_investigation: bool = False
    """Its thread has work outstanding."""
    follows_up: bool = False
    """Its author asked the question that Triage took up in this thread, whether that is open or closed."""
    opens: bool = False
    """It stands in a channel and begins something: its author was away, or nobody else's talk goes on there."""
    is_away: bool = False
    """Its author has written none of the last 60 messages of its channel, as far as is known."""
    spoke_lately: bool = False
    """Its author wrote one of the last three messages of its channel."""
    is_new: bool = False
    """Its author has not written in its channel before, of which more is known than that."""
    own_talk: bool = False
    """Its author began the talk that goes on in its channel, outside of threads."""
    anothers_talk: bool = False
    """Somebody else began that talk."""
    by_answerer: bool = False
    """Its author answers in other people's threads and talks there, and hardly asks."""
    for_help: bool = False
    """Its channel is one where people ask for help (`watched_chats[].purpose`)."""
    asked_nothing: bool = False
    """Its author opened this thread with what asks for nothing, as far as was seen."""
