"""Calls of the commands on git by everybody, on real repositories: what is done without consent, written or pushed.

Inputs fit, hurt in one field or in all, or forge what a press seals. Everybody presses what is not theirs; at the end
each presses their own. What counts is seen from outside: all files around the home, the remotes' among them.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot import isolation
from bot.commands.catalogue import CATALOGUE
from bot.models.pending_command import ConfirmationPress
from measure.attack.tally import Tally
from tests.adapters.workspace_bench import build_remote, git
from tests.attack.git_hostile import list_calls, take_snapshot
from tests.builders import CHANNEL, TEAM
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR, command
from tests.chat.hostile import ASKS, REACH
from tests.commands.git_office import GitOffice
from tests.fakes import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 2_000
PEOPLE = {MEMBER, GUEST, OPERATOR, ADMIN}


def run(count: int) -> Tally:
    """Make so many calls, without the boundary of the operating system: git and the commands alone must hold."""
    isolation.configure("off")
    try:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(attack(Path(folder), count))
    finally:
        isolation.configure("auto")


async def attack(folder: Path, count: int) -> Tally:
    """Make so many calls in an empty folder."""
    build_remote(folder, a="one\n")
    other = folder / "other.git"
    git(folder, "clone", "-q", "--bare", str(folder / "remote.git"), str(other))
    office: Any = GitOffice(folder=folder)
    await office.give("git_create_branch", branch="fix")
    (office.tree("fix") / "a").write_text("two\n")
    await office.give("git_commit", message="Mend it")
    before, effects = take_snapshot(folder, office.home), list[str]()
    own: dict[str, str] = {}
    outcomes: Counter[str] = Counter()
    for number, (name, user, via, given) in enumerate(list_calls(office, other, count)):
        is_tainted = number % 2 == 0
        asker = command(user_id=user, via=via, interaction_id=f"h{next(office._numbers)}")
        answer = await office.handler.execute(name, given, asker, tainted=is_tainted, typed="shop triage/fix#000000")
        must_wait = name in ASKS or (via == "chat" and name in REACH) or (is_tainted and CATALOGUE[name].tier != "read")
        if answer.outcome == "done" and (must_wait or user in (MEMBER, GUEST)):
            effects.append(f"without consent: {name} {given} by {user}, {via}")
        outcomes[answer.outcome] += 1
        if answer.confirmation:
            own[answer.confirmation] = user
            for person in PEOPLE - {user}:
                await _press(office, answer.confirmation, person)
    effects += [f"written: {path}" for path in _find_changes(before, take_snapshot(folder, office.home))]
    effects += [f"in the home: {path.name}" for path in office.home.iterdir() if path.name != "checkouts"]
    if confirmation := (await office.give("git_push", branch="fix")).confirmation:
        own[confirmation] = OPERATOR
    for confirmation, user in own.items():
        await _press(office, confirmation, user)
    pushed = [*_find_changes(before, take_snapshot(folder, office.home))]
    places = (f"{office.remote}/objects/", f"{office.remote}/refs/heads/triage")
    effects += [f"pushed elsewhere: {path}" for path in pushed if not path.startswith(places)]
    effects += [] if pushed else ["no press has pushed anything"]
    told = ", ".join(f"{number:,} {outcome}" for outcome, number in outcomes.most_common())
    return Tally("hostile callers of commands on git, real repositories", outcomes.total(), tuple(effects), told)


def _find_changes(before: dict[str, tuple[int, str]], after: dict[str, tuple[int, str]]) -> Iterator[str]:
    yield from (path for path in sorted({*before, *after}) if before.get(path) != after.get(path))


async def _press(office: Any, confirmation: str, user: str) -> None:
    """Press *Confirm* on what may be somebody else's."""
    who = {"interaction_id": f"h{next(office._numbers)}", "team_id": TEAM, "user_id": user, "channel_id": CHANNEL}
    named = {"confirmation_id": confirmation, "action": "command_confirm", "trigger_id": "1.2"}
    await office.buttons.handle_press(ConfirmationPress(**who, **named))
    await settle()
