"""What a turn is told of its thread: a summary of one person's words is nobody else's."""

from __future__ import annotations

from typing import Any

from bot.assistant.remembering import Remembering
from bot.models.talk import Talk, TalkTurn
from tests.assistant.talk import wording
from tests.builders import message
from tests.fakes import HandClock, RememberingChat

ROOT = "100.000001"


class Thread:
    """`History` of one thread in which two people speak in turn."""

    async def message(self, *, channel: str, ts: str) -> dict[str, Any]:
        """Its first message."""
        return {"ts": ROOT, "user": "U0ANA", "text": "U0ANA says 0"}

    async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
        """Thirty of each."""
        users = ("U0ANA", "U0BO")
        said = [(f"{200 + n}.000001", users[n % 2], n) for n in range(60)]
        return [{"ts": ts, "user": user, "text": f"{user} says {n}"} for ts, user, n in said]


async def test_a_summary_of_one_persons_words_is_not_told_to_another() -> None:
    """Though both speak in the same thread."""
    given: list[str] = []

    async def summarize(transcript: str) -> str:
        given.append(transcript)
        return f"summary {len(given)}"

    slack: Any = RememberingChat()
    thread: Any = Thread()
    remembering = Remembering(history=thread, chat=slack, bot_user_id="U0TRIAGE", clock=HandClock(), wording=wording())
    for user, other in (("U0ANA", "U0BO"), ("U0BO", "U0ANA")):
        turn = TalkTurn(message=message("and?", ts="900.000001", root=ROOT, sender=user), door="a mention")
        _, lines = await remembering.of(
            turn, Talk(conversation=turn.message.home, saved_at=turn.message.create_time), summarize
        )
        assert lines
        assert lines[0].content.endswith(f"summary {len(given)}")
        assert f"{other} says" not in "\n".join([given[-1], *(line.content for line in lines)])
    assert len(given) == 2
