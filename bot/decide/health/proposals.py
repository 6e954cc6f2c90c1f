"""Proposals of agents to run a runbook: code agrees, or refuses with the reason. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.incident import ProposedRunbook, Remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime
    from typing import Literal

    from bot.models.incident import Incident
    from bot.models.runbook import RunbookProposal


_RUN_ALREADY = "it was run in this outage already"


def judge_proposal(
    incident: Incident,
    proposed: ProposedRunbook,
    *,
    tier: Literal[1, 2, 3],
    offered: Sequence[RunbookProposal],
    at: datetime,
) -> Remedy:
    """Return the remedy for a person to decide on, or refused. The program is that of the settings, never an agent's.

    `offered` are the runbooks that the tier may propose now.
    """
    runbook = next((each for each in offered if each.name == proposed.name), None)
    why = _find_refusal(incident, proposed.name, tier, is_offered=runbook is not None)
    return Remedy(
        runbook=proposed.name,
        argv=runbook.argv if runbook else (),
        reason=proposed.reason,
        tier=tier,
        timeout_s=runbook.timeout_s if runbook else 0,
        proposed_at=at,
        state="refused" if why else "proposed",
        decided_at=at if why else None,
        why=why,
    )


def find_withheld(
    incident: Incident,
    *,
    tier: Literal[1, 2, 3],
    offered: Sequence[RunbookProposal],
    withheld: Sequence[tuple[RunbookProposal, str]],
    at: datetime,
) -> Remedy | None:
    """Return the first runbook for the services as refused, with the reason, where a run could propose none.

    `withheld` are the runbooks that the tier may not propose now, each with the reason.
    """
    if incident.is_over or incident.is_remedied or any(not incident.was_started(each.name) for each in offered):
        return None
    others = [(each, why) for each, why in withheld if not incident.was_started(each.name)]
    run = [each for each in (*offered, *(each for each, _ in withheld)) if incident.was_started(each.name)]
    chosen = next(iter([*others, *((each, _RUN_ALREADY) for each in run)]), None)
    if chosen is None:
        return None
    runbook, why = chosen
    reason = propose_first(incident.services, [runbook])
    return Remedy(
        runbook=runbook.name,
        argv=runbook.argv,
        reason=reason.reason if reason else "",
        tier=tier,
        timeout_s=runbook.timeout_s,
        proposed_at=at,
        state="refused",
        decided_at=at,
        why=why,
    )


def propose_first(services: Sequence[str], offered: Sequence[RunbookProposal]) -> ProposedRunbook | None:
    """Propose the first runbook that the settings name for one of these services; `None` without any."""
    for runbook in offered:
        if names := [name for name in services if name in runbook.services]:
            return ProposedRunbook(name=runbook.name, reason=f"The settings name it for {', '.join(names)}."[:500])
    return None


def describe_change(
    remedy: Remedy, runbook: RunbookProposal | None, services: Sequence[str], tiers: Collection[int]
) -> str:
    """Return in a sentence how a runbook of the settings differs from its proposal; empty if it does not."""
    name = f"`{remedy.runbook}`"
    if runbook is None:
        return f"The settings no longer have the runbook {name}."
    if runbook.argv != remedy.argv:
        return f"The settings were changed after the proposal: {name} is another program now."
    if runbook.timeout_s != remedy.timeout_s:
        limits = f"{runbook.timeout_s:g} s, not {remedy.timeout_s:g} s"
        return f"The settings were changed after the proposal: the time limit of {name} is {limits}."
    if not {*runbook.services} & {*services}:
        return f"The settings no longer name {name} for {', '.join(services)}."
    return "" if remedy.tier in tiers else f"The settings no longer let tier {remedy.tier} propose {name}."


def describe_health(runbook: RunbookProposal, is_failing: Callable[[str], bool]) -> str:
    """Return in a sentence that no service of a runbook is failing now; empty if one is."""
    if any(map(is_failing, runbook.services)):
        return ""
    verb = "is" if len(runbook.services) == 1 else "are"
    return f"By their last checks, {', '.join(runbook.services)} {verb} not failing at the moment."


def _find_refusal(incident: Incident, name: str, tier: int, *, is_offered: bool) -> str:
    """Return the reason as a clause; empty without one."""
    if incident.is_over:
        return "the incident is over"
    if incident.proposal and incident.is_remedied:
        is_same = incident.proposal.runbook == name
        return "it runs at the moment" if is_same else "another runbook runs at the moment"
    if incident.was_started(name):
        return _RUN_ALREADY
    if is_offered:
        return ""
    return f"the settings give tier {tier} no such runbook for services that are failing at the moment"
