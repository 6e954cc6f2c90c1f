"""Construction of the handlers of presses and dialogs: approval, corrections and feedback."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.approval.actions import Approval
from bot.approval.ask_owner import Asking
from bot.approval.corrections import Corrections
from bot.approval.feedback import Feedback
from bot.approval.labels import Labels
from bot.approval.settled_marks import SettledMarks
from bot.approval.show_card import CardPresses
from bot.wiring.commands import new_id
from bot.wiring.workflow import named_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.approval.show_card import Showing
    from bot.models.interaction import Press
    from bot.triage.controls import Controls
    from bot.triage.externals import Externals
    from bot.triage.freshness import Freshness
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.surfaces import Surfaces


@dataclass(frozen=True, kw_only=True)
class PressHandlers:
    """Handlers of presses, dialogs, shortcuts and reactions, with Show Card."""

    cards: CardPresses
    show_card: Showing
    feedback: Feedback
    corrections: Corrections
    marks: SettledMarks


def desk(
    ground: Infrastructure,
    orchestrator: Orchestrator,
    controls: Controls,
    freshness: Freshness,
    operators: Operators,
    *,
    showing: Showing,
    shown: Surfaces,
    team: Callable[[], frozenset[str]],
) -> PressHandlers:
    """Build the handlers; `team` returns the people who answer, besides operators and admins."""
    correcting = _corrections(ground, orchestrator, controls, operators, team, freshness.externals)

    approval = Approval(
        orchestrator=orchestrator,
        chat=ground.chat,
        audit=ground.audit,
        clock=ground.clock,
        new_id=new_id,
        operators=operators,
        corrections=correcting,
        reader_clock=ground.reader_clock,
        freshness=freshness,
        redactor=ground.redactor,
        asking=Asking(
            orchestrator=orchestrator,
            chat=ground.chat,
            groups=ground.chat,
            members=operators.members,
            clock=ground.clock,
            new_id=new_id,
            redactor=ground.redactor,
            shared=shown.cards.shared,
        ),
        has_just_come=partial(_has_just_come, shown),
        is_stopped=lambda: controls.state == "stopped",
    )
    feedback = Feedback(
        journal=ground.feedback,
        audit=ground.audit,
        store=orchestrator.store,
        chat=ground.chat,
        notices=ground.to_operator,
        clock=ground.clock,
        redactor=ground.redactor,
    )

    def renew(user: str) -> None:
        shown.homes.renew_soon(user)
        shown.answers.renew_soon(user)

    return PressHandlers(
        cards=CardPresses(desk=approval, on_home=shown.homes.show, renew=renew),
        show_card=showing,
        feedback=feedback,
        corrections=correcting,
        marks=SettledMarks(orchestrator=orchestrator, audit=ground.audit, clock=ground.clock, new_id=new_id),
    )


def _has_just_come(shown: Surfaces, press: Press) -> bool:
    """Say whether a button where one steps through the queue came to its place a moment ago."""
    if press.is_on_home:
        return shown.homes.has_just_come(press)
    return press.in_queue and shown.answers.has_just_come(press)


def _corrections(
    ground: Infrastructure,
    orchestrator: Orchestrator,
    controls: Controls,
    operators: Operators,
    team: Callable[[], frozenset[str]],
    externals: Externals | None,
) -> Corrections:
    settings = ground.settings
    return Corrections(
        labels=Labels(journal=ground.labels, clock=ground.clock),
        threads=named_threads(ground, orchestrator),
        store=orchestrator.store,
        audit=ground.audit,
        chat=ground.chat,
        history=ground.chat,
        members=operators.members,
        controls=controls,
        clock=ground.clock,
        new_id=new_id,
        names=ground.channel_names,
        operator=operators.first,
        emoji=frozenset(settings.slack.missed_emoji),
        teachers=lambda: operators.everyone().union(settings.admins, team()),
        externals=externals,
    )
