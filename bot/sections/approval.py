"""How long an operator is waited for, and how long things are kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.sections.base import Section


class ApprovalSection(Section):
    """How long an operator's decision is waited for."""

    expire_hours: Annotated[float, Field(gt=0, le=8_760)] = 72
    """Hours from the last change of a card after which its question is closed without a reply."""
    second_approver: bool = False
    """Whether two different people must approve a reply."""
    asker_may_approve: bool = True
    """Whether an operator may approve the answer to a question of their own."""


class RetentionSection(Section):
    """How long things are kept."""

    days: Annotated[float, Field(gt=0, le=36_500)] = 365
    """The age from which records and closed threads are taken out: once a day, and by `triage purge`."""
