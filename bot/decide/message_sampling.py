"""Draw of a weekly sample, and the rate of missed messages that its judgements give. Pure.

Each stratum is a channel's messages close to the classifier's threshold, or its other ones. Close ones get half of the
places, since there are few of them and mistakes are likelier; weights put that right in the rate.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bot.models.message_sample import SampledMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

PLACES = 16
"""Messages of a sample: at most ten minutes' work, and with their buttons within the size of one message."""
CLOSE_BELOW = 0.8
"""Confidence of the classifier below which a message is close to its threshold."""
_Z = 1.959964
"""Quantile of the normal distribution for 95 %."""


class Candidate(NamedTuple):
    """A message that may be drawn."""

    chat_id: str
    message_id: str
    classification: Literal["ambient", "ack"]
    confidence: float

    @property
    def stratum(self) -> str:
        """Return its channel, and whether it is close to the threshold."""
        return f"{self.chat_id} {'close' if self.confidence < CLOSE_BELOW else 'clear'}"


@dataclass(frozen=True, kw_only=True)
class MissedRate:
    """Estimated share of missed messages. `low` and `high` bound it with 95 % confidence."""

    judged: int
    missed: int
    share: float
    low: float
    high: float


def draw_sample(candidates: Iterable[Candidate], *, seed: str, places: int = PLACES) -> tuple[SampledMessage, ...]:
    """Return a sample in the order of channels and times; the same candidates and seed always give the same."""
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for each in sorted(set(candidates)):
        strata[each.stratum].append(each)
    lot = random.Random(seed)  # noqa: S311  # a lot, not a secret
    drawn: list[SampledMessage] = []
    for stratum, quota in allot_places({name: len(rows) for name, rows in strata.items()}, places, lot).items():
        rows = strata[stratum]
        drawn.extend(
            SampledMessage(
                chat_id=each.chat_id,
                message_id=each.message_id,
                classification=each.classification,
                stratum=stratum,
                weight=len(rows) / quota,
            )
            for each in lot.sample(rows, quota)
        )
    return tuple(sorted(drawn, key=lambda row: (row.chat_id, row.message_id)))


def allot_places(sizes: Mapping[str, int], places: int, lot: random.Random) -> dict[str, int]:
    """Return the number of places of each stratum, at most its size; strata without a place are left out.

    Half of the places go to close messages, by size of the channel; where strata outnumber the places, a lot decides.
    """
    close = {name: size for name, size in sizes.items() if name.endswith(" close")}
    clear = {name: size for name, size in sizes.items() if name not in close}
    first = _share_out(close, max(places // 2, places - sum(clear.values())), lot)
    rest = _share_out(clear, places - sum(first.values()), lot)
    return first | rest


def _share_out(sizes: Mapping[str, int], places: int, lot: random.Random) -> dict[str, int]:
    """Share places out by size, each stratum at least one where there are enough."""
    names = sorted(sizes)
    lot.shuffle(names)
    quotas = dict.fromkeys(names[:places], 1)
    for _ in range(min(places, sum(sizes.values())) - len(quotas)):
        open_names = [name for name in quotas if quotas[name] < sizes[name]]
        neediest = max(open_names, key=lambda name: (sizes[name] / quotas[name], name))
        quotas[neediest] += 1
    return quotas


def estimate_rate(rows: Sequence[SampledMessage]) -> MissedRate | None:
    """Return the rate by the judged rows of one or more samples; `None` without any.

    Each row counts by its weight; the interval is Wilson's, with Kish's effective number of cases.
    """
    judged = [row for row in rows if row.judgement]
    total = sum(row.weight for row in judged)
    if not judged:
        return None
    share = sum(row.weight for row in judged if row.judgement == "missed") / total
    cases = total**2 / sum(row.weight**2 for row in judged)
    middle = (share + _Z**2 / (2 * cases)) / (1 + _Z**2 / cases)
    half = _Z / (1 + _Z**2 / cases) * math.sqrt(share * (1 - share) / cases + _Z**2 / (4 * cases**2))
    return MissedRate(
        judged=len(judged),
        missed=sum(row.judgement == "missed" for row in judged),
        share=share,
        low=max(0.0, middle - half),
        high=min(1.0, middle + half),
    )
