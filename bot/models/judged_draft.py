"""Judged draft: a first draft, the validator's verdict on it, and a person's judgement of it.

People's judgements of drafts that the validator passed are the data on which automatic replies open (spec 1, 7).
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Literal

from pydantic import AwareDatetime

from bot.models.fact import Fact
from bot.models.feedback import Reason
from bot.models.reasons import BounceCode, DismissCode
from bot.models.status import QuestionType
from bot.models.verdict import Verdict

Judgement = Literal["approved", "edited", "bounced", "dismissed", "unhelpful", "taken_back"]
"""A person's judgement of one draft.

`approved`: posted by an operator as it was, or with a change that left its substance; for an automatic reply, confirmed
as right. `edited`: changed in substance. `bounced`, `dismissed`: by an operator. `unhelpful`: marked so by a reader.
`taken_back`: an automatic reply that an operator deleted or corrected.
"""

WRONG_BOUNCES: frozenset[BounceCode | None] = frozenset({"wrong", "incomplete", "wrong_place", "outdated", None})
"""Reasons of a bounce that say that the draft was wrong; so does a bounce in words alone. `tone` does not."""


COUNTED = timedelta(weeks=5)
"""Longest time in which a gate counts a judgement: four whole weeks and the present one."""
_DIGEST = "sha256:"


class Pool(Fact):
    """Drafts that are counted together: those of one project and kind of question, passed by one validator.

    Drafts of all channels count together, since one channel has too few. Another model of the validator is another
    validator, about which nothing is known yet.
    """

    project: str
    kind: QuestionType
    validator: str
    """The validator's model."""


class JudgedDraft(Fact):
    """One judgement of one first draft. A draft may have several, and each may be recorded more than once."""

    question_id: str
    """`<thread_id>/<round>` of the question that it answers, the first round of one that was started again; a digest
    after a purge."""
    draft_id: str = ""
    """The draft by the name that readers' feedback has; empty where it is not known."""
    pool: Pool
    at: AwareDatetime
    """Time of the judgement."""
    verdict: Verdict
    """The validator's verdict on it in the question's first round."""
    judgement: Judgement
    reason: BounceCode | DismissCode | Reason | None = None
    """The code that the person chose."""
    has_words: bool = False
    """True if a reader gave words of their own as the reason."""
    touches_production: bool = False
    """True if code found advice in it to change what runs, or its question is about an incident."""

    @property
    def question_key(self) -> str:
        """Return the digest of the question's id, by which its judgements are joined, also after a purge."""
        if self.question_id.startswith(_DIGEST):
            return self.question_id
        return _DIGEST + hashlib.sha256(self.question_id.encode()).hexdigest()[:32]

    def without_ids(self) -> JudgedDraft:
        """Return the same judgement without the ids of its thread and draft."""
        return self.evolve(question_id=self.question_key, draft_id="")

    @property
    def is_false_pass(self) -> bool:
        """Return whether the validator passed it and this judgement says that it was wrong."""
        return self.verdict == "pass" and _is_wrong(self)

    @property
    def is_right_pass(self) -> bool:
        """Return whether the validator passed it and this judgement confirms it."""
        return self.verdict == "pass" and self.judgement == "approved"


def _is_wrong(draft: JudgedDraft) -> bool:
    """Return whether a judgement says that the draft was wrong. A thumb down without a reason says nothing; a
    dismissal for another reason than a wrong draft says that no reply was wanted."""
    match draft.judgement:
        case "edited" | "taken_back":
            return True
        case "bounced":
            return draft.reason in WRONG_BOUNCES
        case "unhelpful":
            return draft.reason is not None or draft.has_words
        case "dismissed":
            return draft.reason == "wrong"
        case "approved":
            return False
