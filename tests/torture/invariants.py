"""What must be true after a run, seen from Slack's side and read from disk. Knows nothing of how the bot works."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from itertools import pairwise

from tests.line.human import Human, View, replies
from tests.torture.lane import Lane
from tests.torture.people import Acked, of_thread


@dataclass
class Tally:
    """Counts of what went wrong; `notes` say where."""

    runs: int = 0
    lost_events: int = 0
    lost_presses: int = 0
    lost_replies: int = 0
    double_replies: int = 0
    double_cards: int = 0
    order_violations: int = 0
    unreadable: int = 0
    not_reached: int = 0
    """Runs in which the ordered kill found no such passage: what is folded together varies a little."""
    notes: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take another tally in."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def broken(self) -> int:
        """How many promises were broken."""
        return sum(count for _, count in self.counts)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Each promise and how often it was broken."""
        others = ("runs", "not_reached", "notes")
        return [(f.name.replace("_", " "), getattr(self, f.name)) for f in fields(self) if f.name not in others]


async def examine(lane: Lane, acked: Acked, *, rounds: dict[str, int], name: str, finished: bool) -> Tally:
    """Count what is lost, doubled or out of order. `rounds` says how many replies each thread must at least have."""
    tally = Tally(runs=1)
    view = await Human(lane.workspace.url, "U0OPS").now()
    _events(lane, view, tally)
    _presses(lane, acked, tally)
    recorded = Counter(r.get("thread_id", "").rsplit("-", 1)[-1] for r in lane.records("replies.ndjson"))
    asked = {t.root_ts: t.question_round for t in lane.threads() if t}
    for root, least in rounds.items():
        count = max(least, asked.get(root, 0))  # what a follow-up opened once more is answered once more
        stand = [r for r in replies(view, root) if r["user"] == "U0TRIAGE"]
        tally.lost_replies += max(0, count - len(stand), count - recorded[root])
        tally.double_replies += max(0, len(stand) - count, recorded[root] - count)
        shown = Counter(card["metadata"]["event_payload"]["nonce"] for card in of_thread(view, root))
        tally.double_cards += sum(shown.values()) - len(shown) + max(0, len(shown) - count)
    threads = lane.threads()
    tally.unreadable += sum(thread is None for thread in threads)
    for thread in threads:
        if thread is None:
            continue
        said = [m.message_id for m in thread.messages]
        steps = thread.status_history
        broken = any(a.next != b.previous for a, b in pairwise(steps))
        tally.order_violations += said != sorted(said) or broken
    if not finished and not tally.broken:
        tally.lost_replies += 1
        tally.notes.append("never settled")
    if tally.broken:
        tally.notes = [f"{name}: {_said(tally)}{' (' + '; '.join(tally.notes) + ')' if tally.notes else ''}"]
    return tally


def _events(lane: Lane, view: View, tally: Tally) -> None:
    """Every message of a person is on record and judged, and every question and follow-up is in its thread."""
    said = [
        message["ts"]
        for channel in view["channels"]
        for root in channel["messages"]
        for message in (root, *root["replies"])
        if message["user"] != "U0TRIAGE" and not message.get("ephemeral") and not message.get("subtype")
    ]
    known = {r.get("message_id") for r in lane.records("events.ndjson") if r.get("kind") == "message"}
    judged = {r["message_id"]: r["classification"] for r in lane.records("events-classified.ndjson")}
    held = {m.message_id for thread in lane.threads() if thread for m in thread.messages}
    for ts in said:
        if ts not in known or ts not in judged or (judged[ts] == "actionable" and ts not in held):
            tally.lost_events += 1
            where = "journal" if ts not in known else "judgement" if ts not in judged else "thread"
            tally.notes.append(f"{ts} is missing in the {where}")


def _presses(lane: Lane, acked: Acked, tally: Tally) -> None:
    """Every press that Slack saw acknowledged was acted on."""
    done = Counter((r["action"], r["thread_id"]) for r in lane.records("audit.ndjson"))
    for press, count in Counter(acked.presses).items():
        if done[press] < count:
            tally.lost_presses += count - done[press]
            tally.notes.append(f"{press[0]} was not acted on")


def _said(tally: Tally) -> str:
    return ", ".join(f"{count} {name}" for name, count in tally.counts if count)
