"""Meant questions: those of its author that a message in the channel means without standing in their thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.intake.incoming_message import shows_failure

if TYPE_CHECKING:
    from bot.decide.classify.settlement import SettlingWords
    from bot.intake.classification import MessageClassifier
    from bot.intake.debounce import Debouncer
    from bot.intake.incoming_message import IncomingMessage
    from bot.models.message import Message
    from bot.ports.inbound import Threads


@dataclass(frozen=True)
class MeantQuestions:
    """Finder of these questions."""

    debouncer: Debouncer
    threads: Threads
    message_classifier: MessageClassifier
    settling: SettlingWords | None

    def find_settled(self, incoming: IncomingMessage) -> str | None:
        """Return the open question that its asker settles, or adds code or a failure to, with their next message there.

        The lookup comes first because it is cheap; few messages are then parsed.
        """
        home = self.debouncer.question_before(incoming.message)
        if home is None or not self.threads.is_open(home):
            return None
        is_settled = self.settling is not None and self.settling.settles(incoming.message.content) == "closes"
        return (
            home
            if is_settled or (incoming.record.get("classification") == "ambient" and shows_failure(incoming))
            else None
        )

    def find_thanked(self, message: Message) -> str | None:
        """Return the question that an acknowledgement in the channel must mean: its author's only one, just
        answered."""
        home = self.debouncer.only_question_before(message)
        is_answered = home and not self.threads.is_open(home) and self.threads.is_asker(home, message.sender.id)
        return home if home and is_answered and self.message_classifier.has_just_replied(home, message) else None
