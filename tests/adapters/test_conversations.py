"""The files of conversations: written whole, read back, and one that does not parse costs no other its turn."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.conversations import ConversationFiles
from bot.models.conversation_record import ConversationRecord, TurnRecord
from tests.builders import at, message

ONE = "T0SANDBOX-D0ANA-100.000001"
TWO = "T0SANDBOX-C0HELP-100.000001"


async def test_conversations_are_read_back_as_they_were_saved(tmp_path: Path) -> None:
    """The last one at the end, its open turns with all that they hold; nobody else may read them."""
    files = ConversationFiles(tmp_path / "conversations")
    turn = TurnRecord(message=message("pause", mentions=("U0TRIAGE",)), door="an order", began_at=at(3))
    newer = ConversationRecord(conversation=ONE, saved_at=at(9), turns=(turn,), tainted=True, refused=("U0GUEST",))
    older = ConversationRecord(conversation=TWO, saved_at=at(1), done=("C0HELP-1-1",), answered=True)
    for talk in (newer, older.evolve(answered=False), older):
        await files.save(talk)
    assert await ConversationFiles(tmp_path / "conversations").list_all() == [older, newer]
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "conversations").iterdir()} == {0o600}


async def test_a_file_that_does_not_parse_is_left_out(tmp_path: Path) -> None:
    """The others are there."""
    files = ConversationFiles(tmp_path)
    await files.save(ConversationRecord(conversation=ONE, saved_at=at(0)))
    (tmp_path / f"{TWO}.json").write_text("{")
    assert [talk.conversation for talk in await files.list_all()] == [ONE]
