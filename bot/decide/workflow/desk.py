"""How a question passes from one operator to another: by a colleague's hand, or because time has passed.

The new operator gets a card of their own; the one before says to whom it went, and its buttons settle nothing any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.steps import Step, changed
from bot.models.card import Card, HandOver

if TYPE_CHECKING:
    from bot.models.happening import CardRetired, Happening
    from bot.models.thread import Thread

_SENT = ("approved", "in-doubt", "closed")
"""Where the draft's nonce names a reply that may stand in the thread, or nothing is left to decide."""


def handed_over(
    thread: Thread, happening: Happening, *, to: str, by: str | None = None, for_second: bool = False
) -> Step | None:
    """The question is `to`'s from now on; `by` is who said so, `None` where nobody had acted in time.

    `None` where it is theirs already, or where there is nothing to hand over.
    """
    if thread.status in _SENT or to == thread.operator:
        return None
    line = HandOver(at=happening.at, by=by, before=thread.operator, to=to, card=thread.card, for_second=for_second)
    return changed(
        thread,
        happening,
        operator=to,
        card=Card(nonce=happening.fresh, number=thread.card.number + 1),
        draft_pending=thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh),
        hand_overs=(*thread.hand_overs, line),
    )


def card_retired(thread: Thread, happening: CardRetired) -> Step | None:
    """A card of before is gone, or says who has the question now."""
    if any(card.nonce == happening.nonce for card in thread.replaced):
        return Step(thread.evolve(replaced=tuple(card for card in thread.replaced if card.nonce != happening.nonce)))
    if not any(one.card.nonce == happening.nonce and not one.is_shown for one in thread.hand_overs):
        return None
    shown = tuple(one.evolve(is_shown=True) if one.card.nonce == happening.nonce else one for one in thread.hand_overs)
    return Step(thread.evolve(hand_overs=shown))
