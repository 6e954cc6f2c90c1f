"""Reactions: changes of a message, and Slack's errors."""

from dataclasses import replace

from sandbox.emoji_names import is_known
from sandbox.models import Message, Refused


def with_reaction(message: Message, name: str, *, user: str) -> Message:
    """Return the message with this person's reaction added."""
    users = message.reactions.get(name, [])
    if user in users:
        raise Refused("already_reacted")
    return replace(message, reactions={**message.reactions, name: [*users, user]})


def without_reaction(message: Message, name: str, *, user: str) -> Message:
    """Return the message with this person's reaction removed."""
    users = message.reactions.get(name, [])
    if user not in users:
        raise Refused("no_reaction")
    left = {**message.reactions, name: [other for other in users if other != user]}
    return replace(message, reactions={key: value for key, value in left.items() if value})


def checked_name(name: str) -> str:
    """Return an emoji's name without its colons; unknown ones are refused."""
    bare = name.strip(":")
    if not is_known(bare):
        raise Refused("invalid_name")
    return bare
