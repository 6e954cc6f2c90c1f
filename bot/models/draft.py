"""Draft that an operator decides on, sealed as it will be posted."""

from __future__ import annotations

from bot.models.advice import Advice
from bot.models.fact import Fact


class Draft(Fact):
    """A reply awaiting a decision. The card shows, and delivery posts, its `payload`."""

    draft_id: str
    """`<thread_id>/<n>`, n counting the drafts of the thread."""
    nonce: str
    """Nonce of the operator's present view, renewed with each visible change; a press with an older one has no
    effect."""
    text: str
    payload: str
    """JSON of the arguments `text` and `blocks` of `chat.postMessage`, posted byte for byte."""
    sha256: str
    """Hex digest of `payload`; checked again before posting."""
    edited_by: str | None = None
    drafted: str | None = None
    """The text before the edit, if somebody edited it."""
    withheld: str | None = None
    """The kinds of secrets found in the original text; they are removed, and the draft cannot be posted."""

    advises: tuple[Advice, ...] = ()
    """The risky advice in the text, as found by code; a person must read it before posting."""

    @property
    def is_edited(self) -> bool:
        """Return whether an operator of this question replaced its text."""
        return bool(self.edited_by and self.drafted)
