"""A draft: what an operator decides on, sealed as it will be posted."""

from __future__ import annotations

from bot.models.advice import Advice
from bot.models.fact import Fact


class Draft(Fact):
    """A reply that waits for a decision. What the card shows and what is posted are both `payload`."""

    draft_id: str
    """`<thread_id>/<n>`, n counting the drafts of the thread."""
    nonce: str
    """Renewed whenever what the operator should see has changed; a press with an older one settles nothing."""
    text: str
    payload: str
    """JSON of the arguments `text` and `blocks` of `chat.postMessage`, byte for byte what is posted."""
    sha256: str
    """Hex digest of `payload`; checked again before posting."""
    edited_by: str | None = None
    drafted: str | None = None
    """Where somebody edited it: the text as it was drafted."""
    withheld: str | None = None
    """What kinds of secrets stood in the text as it was written; they are taken out, and it cannot be posted."""

    advises: tuple[Advice, ...] = ()
    """What the text advises that a person must have read by name; as code finds it, whoever wrote the text."""

    @property
    def is_edited(self) -> bool:
        """Return whether an operator of this question has written another text for it."""
        return bool(self.edited_by and self.drafted)
