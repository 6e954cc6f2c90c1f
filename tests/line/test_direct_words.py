"""The line of a direct word: orders in people's own words, thanks and the bot's name alone, as anybody, anywhere."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from bot.assistant.commands.catalogue import CATALOGUE
from tests.decide.test_orders import FURTHER, ORDERS
from tests.line.agents import agents
from tests.line.test_straight_line import calls as made
from tests.line.test_straight_line import records
from tests.model_server import calls, says

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from tests.line.conftest import Line
    from tests.line.human import Human
    from tests.model_server import Answer, Body

MORE = "admins: [U0ADMIN]\nfloods: {per_user: {per_minute: 600, burst: 10000}}"
RANK = {"member": 0, "operator": 1, "admin": 2}
PEOPLE = {"member": "U0ANA", "operator": "U0OPS", "admin": "U0ADMIN"}
ROLES = {user: role for role, user in PEOPLE.items()}


@dataclass
class Crowd:
    """Everybody, in every place, and what became of what they said."""

    line: Line
    elsewhere: str
    """A channel that is not watched."""
    said: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Text, role and place by `interaction_id`."""

    def human(self, role: str) -> Human:
        """One of them."""
        return {"member": self.line.ana, "operator": self.line.olu, "admin": self.line.ada}[role]

    async def says(self, text: str, role: str, place: str) -> str:
        """Say it to the bot, and return once it is known what became of it; the answer is that, from the audit."""
        channel = {"watched": "C0HELP", "unwatched": self.elsewhere, "direct": f"D{PEOPLE[role][1:]}"}[place]
        words = text if place == "direct" else f"<@U0TRIAGE> {text}"
        ts = await self.human(role).say(words, channel=channel)
        self.said[name := f"{channel}-{ts}"] = (text, role, place)
        async with asyncio.timeout(20):
            while not (found := [r for r in records(self.line.home / "audit.ndjson") if _is_of(r, name)]):  # noqa: ASYNC110  # it is a file
                await asyncio.sleep(0.01)
        return _what(found[-1])

    async def lines(self, expected: int) -> tuple[Counter[str], list[dict[str, Any]]]:
        """How many lines each person got in each place, and what was posted in channels."""
        async with asyncio.timeout(20):
            while True:
                shown = await made(self.line, "chat.postEphemeral")
                posted = await made(self.line, "chat.postMessage")
                direct = [said for said in posted if said["channel"].startswith("D") and said.get("thread_ts")]
                if len(shown) + len(direct) >= expected:
                    break
                await asyncio.sleep(0.05)
        counted = Counter(f"{said['user']} {said['channel']}" for said in shown)
        counted += Counter(f"U{said['channel'][1:]} {said['channel']}" for said in direct)
        return counted, [said for said in posted if said["channel"].startswith("C")]

    def expected(self) -> Counter[str]:
        """One line for each thing said."""
        return Counter(f"{PEOPLE[role]} {name.partition('-')[0]}" for name, (_, role, _) in self.said.items())


def _is_of(record: dict[str, Any], name: str) -> bool:
    return bool(record.get("interaction_id") == name)


def _what(record: dict[str, Any]) -> str:
    """The command and its outcome, or how it was met otherwise."""
    if record["kind"] == "command":
        return f"{record['action']} {record['outcome']}"
    return f"{record['kind']} {record['result']}"


@asynccontextmanager
async def crowd(line: Line, *, model: bool) -> AsyncIterator[tuple[Crowd, list[Body]]]:
    """A bot with or without a model, in two watched channels and another one; the list has what the model was asked."""
    asked: list[Body] = []
    elsewhere = await line.ana.makes_channel("random", "U0OPS", "U0ADMIN", "U0TRIAGE", is_private=False)

    def play(body: Body) -> Answer:
        asked.append(body)
        is_new = "tool_result" not in json.dumps(body["messages"][-1]["content"])
        return calls(("respond", {"text": "The model speaks."})) if is_new else says("Done.")

    if model:
        async with agents(line, play, more=MORE):  # type: ignore[arg-type]  # it is asked as a play is
            yield Crowd(line, elsewhere), asked
    else:
        async with line.bot(more=MORE):
            yield Crowd(line, elsewhere), asked


PLACES = ("watched", "unwatched", "direct")


async def _give(people: Crowd, orders: Sequence[tuple[str, str]], roles: Sequence[str]) -> None:
    """Give each order as each role in each place, and see it done, waiting for a press, refused or met by a line."""
    for text, command in orders:
        for role in roles:
            for place in PLACES:
                what = await people.says(text, role, place)
                name, _, outcome = what.partition(" ")
                if name in ("direct", "conversation"):
                    assert role == "member", (text, role, place, what)  # small talk, to which a refusal is no answer
                    continue
                if name == "mine":
                    assert role == "member", (text, what)
                    continue
                assert name == command, (text, role, place, what)
                is_refused = RANK[role] < RANK[CATALOGUE[command].role]
                assert (outcome == "refused") is is_refused, (text, role, place, what)
                needs_press = CATALOGUE[command].tier == "irreversible" and not is_refused
                assert outcome in (("asked", "invalid") if needs_press else ("done", "invalid", "refused", "failed")), (
                    what
                )


async def _held(people: Crowd, asked: list[Body]) -> None:
    """No question came of it, each got one line, and the public saw nothing but what code made."""
    counted, public = await people.lines(len(people.said))
    assert counted == people.expected()
    assert [said for said in public if "The model speaks" not in json.dumps(said)] == []
    assert not list((people.line.home / "state").glob("*.json"))


SHORT = [ORDERS[12], ORDERS[31], ORDERS[35], ORDERS[52], ORDERS[58], ORDERS[60]]


@pytest.mark.parametrize("model", [False, True])
async def test_orders_in_peoples_own_words_are_done_refused_or_met_by_one_line(line: Line, *, model: bool) -> None:
    """As each role, in a watched channel, another one and a direct message, with a model and without."""
    async with crowd(line, model=model) as (people, asked):
        roles = ("member", "admin") if model else tuple(PEOPLE)
        await _give(people, SHORT[:3] if model else SHORT, roles)
        await _held(people, asked)
        assert not asked


@pytest.mark.long
@pytest.mark.parametrize("model", [False, True])
async def test_all_orders_as_everybody_everywhere(line: Line, *, model: bool) -> None:
    """The whole table, and its further half."""
    async with crowd(line, model=model) as (people, asked):
        orders = [order for order in [*ORDERS, *FURTHER] if order[1] != "help" or not model]
        await _give(people, orders, tuple(PEOPLE))
        if not model:
            await _held(people, asked)
