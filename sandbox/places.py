"""Lookup of conversations, with their visibility to people."""

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.founding import InitialWorkspace
from sandbox.models import Person, Refused
from sandbox.roster import Roster


class Places:
    """People and conversations by name; Slack's errors for those that a person cannot see."""

    def __init__(self, founding: InitialWorkspace) -> None:
        self.roster = Roster(founding.teams, founding.people)
        self.conversations: dict[str, Conversation] = founding.conversations

    def conversation(self, name: str, *, member: str) -> Conversation:
        """Return a conversation by id, #name, or user id for direct messages; `member` must be in it."""
        room = self.visible(name, to=member)
        if member not in room.members:
            raise Refused("not_in_channel")
        return room

    def visible(self, name: str, *, to: str) -> Conversation:
        """Return a conversation that a person can see: a public channel, or one that they are in."""
        if name.startswith("#"):
            name = self.rooms().get(name[1:].lower(), name)
        elif name.startswith("U"):
            name = self._direct(name, to=to)
        room = self.conversations.get(name)
        if room is None or (to not in room.members and not self._is_open_to(room, to)):
            raise Refused("channel_not_found")
        return room

    def _direct(self, user: str, *, to: str) -> str:
        """Return the id of the direct messages between two people, one of them the app's bot."""
        partner = to if user == seed.BOT_USER else user
        if (partner_user := self.roster.people.get(partner)) and partner_user.is_bot:
            raise Refused("cannot_dm_bot")
        if partner_user and self.is_stranger(partner):
            raise Refused("channel_not_found")
        return seed.direct_channel(partner)

    def _is_open_to(self, conversation: Conversation, user: str) -> bool:
        """Return whether this person could join: a public channel of their own team."""
        return not (conversation.is_im or conversation.is_private) and self.person(user).team in conversation.teams

    def rooms(self) -> dict[str, str]:
        """Return channel ids by name."""
        return {each.name: each.id for each in self.conversations.values() if not each.is_im}

    def person(self, user: str) -> Person:
        return self.roster.person(user)

    def seen_by(self, user: str) -> list[Conversation]:
        mine = [conversation for conversation in self.conversations.values() if user in conversation.members]
        return [each for each in mine if not (each.is_im and self.is_stranger(user))]

    def is_stranger(self, user: str) -> bool:
        """Return whether this person is external, and in no channel with the app."""
        return self.roster.is_external(user) and not any(
            user in each.members and seed.BOT_USER in each.members for each in self.conversations.values() if each.name
        )
