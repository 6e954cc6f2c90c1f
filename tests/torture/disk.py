"""What a disk may do: be full, be read-only, fail to sync, and give back other bytes than were written."""

from __future__ import annotations

import random

from tests.line.human import Human
from tests.torture.faults import Order
from tests.torture.invariants import Tally, examine
from tests.torture.lane import lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator
from tests.torture.points import full_line

POINTS = {
    "documents.open": ("ENOSPC", "EROFS"),
    "documents.write": ("ENOSPC", "EIO"),
    "documents.sync": ("EIO",),
    "documents.rename": ("EROFS", "EIO"),
    "documents.sync_folder": ("EIO",),
    "journal.open": ("ENOSPC", "EROFS"),
    "journal.write events.ndjson": ("ENOSPC", "EIO"),
    "journal.write events-classified.ndjson": ("ENOSPC", "EIO"),
    "journal.write replies.ndjson": ("ENOSPC", "EIO"),
    "journal.write audit.ndjson": ("ENOSPC", "EIO"),
    "journal.sync": ("EIO",),
    "journal.sync_folder": ("EIO",),
    "home.open": ("ENOSPC", "EROFS"),
    "home.write": ("ENOSPC", "EROFS"),
    "documents.read": ("EIO",),
    "journal.read": ("EIO",),
    "journal.set_aside": ("EROFS",),
    "journal.compress": ("ENOSPC", "EIO"),
    "journal.sync_part": ("EIO",),
    "logs.write": ("ENOSPC",),
}
DAMAGES = ("zero length", "a flipped bit", "a leftover tmp", "a torn journal line", "truncated")


async def failing(nursery: Nursery, at: str, error: str, nth: int, times: int = 2) -> Tally:
    """One operation fails at its `nth` passage, and at the next ones."""
    async with lane(nursery) as made:
        order = Order("fail", at=at, nth=nth, times=times, error=error)
        return await full_line(made, [order], name=f"{error} at {at} #{nth}, {times} times")


async def damaged(nursery: Nursery, damage: str, seed: int) -> Tally:
    """A file is found damaged at the next start, while a draft waits for its decision."""
    chance = random.Random(seed)  # seeded chance is what a run is repeated by
    acked = Acked()
    async with lane(nursery) as made:
        made.start()
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        await Human(made.workspace.url, "U0OPS").card('"approve"')
        await made.stop()
        (state,) = (made.home / "state").glob("*.json")
        content = state.read_bytes()
        match damage:
            case "zero length":
                state.write_bytes(b"")
            case "a flipped bit":
                place = chance.randrange(len(content))
                flipped = content[place] ^ (1 << chance.randrange(8))
                state.write_bytes(content[:place] + bytes([flipped]) + content[place + 1 :])
            case "a leftover tmp":
                state.with_name(f"{state.name}.tmp").write_bytes(content[: chance.randrange(len(content))])
            case "a torn journal line":
                for name in ("events.ndjson", "events-classified.ndjson"):
                    with (made.home / name).open("ab") as file:
                        file.write(b'{"kind":"mess')
            case "truncated":
                state.write_bytes(content[: chance.randrange(len(content))])
        made.start()
        finished = await Operator(made, asked, acked, edits=False).decide() and await made.ended_in_peace()
        name = f"{damage}, seed {seed}"
        return await examine(made, acked, rounds={asked: 1}, name=name, finished=finished)
