"""Conversations: saved whole, read back, and one that does not parse costs no other its turn."""

from __future__ import annotations

from bot.models.conversation_record import ConversationRecord, TurnRecord
from tests.adapters.contracts.backends import Backend
from tests.builders import at, message

ONE = "T0SANDBOX-D0ANA-100.000001"
TWO = "T0SANDBOX-C0HELP-100.000001"


async def test_conversations_are_read_back_as_they_were_saved(backend: Backend) -> None:
    """The last one at the end, its open turns with all that they hold."""
    conversations = backend.storage.conversations
    turn = TurnRecord(message=message("pause", mentions=("U0TRIAGE",)), door="an order", began_at=at(3))
    newer = ConversationRecord(conversation=ONE, saved_at=at(9), turns=(turn,), tainted=True, refused=("U0GUEST",))
    older = ConversationRecord(conversation=TWO, saved_at=at(1), done=("C0HELP-1-1",), answered=True)
    for talk in (newer, older.evolve(answered=False), older):
        await conversations.save(talk)
    assert await backend.reopen().conversations.list_all() == [older, newer]


async def test_one_that_does_not_parse_is_left_out(backend: Backend) -> None:
    """The others are there."""
    conversations = backend.storage.conversations
    await conversations.save(ConversationRecord(conversation=ONE, saved_at=at(0)))
    backend.damage("conversations", TWO, "{")
    assert [talk.conversation for talk in await conversations.list_all()] == [ONE]
