"""Offered runbooks: those of the settings for unhealthy services, with the reason why one may not be proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bot.config.sections.health import RunbookSection
    from bot.models.runbook import RunbookProposal


def list_runbooks(
    runbooks: Iterable[RunbookSection],
    services: Sequence[str],
    tier: int,
    *,
    is_back: Callable[[str], bool],
    find_rest: Callable[[RunbookSection], str],
) -> Iterator[tuple[RunbookProposal, str]]:
    """Yield the runbooks for these services, each with the reason why an agent of a tier may not propose it now.

    The reason is a clause, empty where it may. One healthy run is no recovery, so that it withholds no runbook.
    """
    for runbook in runbooks:
        names = [name for name in runbook.services if name in services]
        if not names:
            continue
        if tier not in runbook.tiers:
            why = f"the settings do not let tier {tier} propose it"
        elif all(map(is_back, names)):
            why = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not failing at the moment"
        else:
            rest = find_rest(runbook)
            why = (rest[:1].lower() + rest[1:]).rstrip(".")
        yield runbook.as_proposal(), why
