"""People of another company around a question: what its card, its Approve and its lines say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blocks.asker import describe_status
from blocks.card import build_card
from blocks.external_people import describe_outsiders
from blocks.retired_card import build_retired_card
from blocks.text import context
from bot.errors import Refused
from bot.models.card import HandOver
from bot.models.effect import Investigate
from bot.models.external import KEPT_BACK, External, has_widened
from bot.models.faults import confirmation_digest, describe_outside_readers
from bot.models.project import Project
from bot.models.queue_order import may_approve_from_list
from bot.models.route import Route
from bot.models.staleness import ReadersChanged, ReadersGone
from bot.models.thread import Thread
from bot.models.thread_event import Approve, RunFailed
from bot.triage.readable_projects import filter_readable, find_withheld, uses_withheld_project
from tests.builders import added, at, fresh, moved, step
from tests.decide.test_workflow import investigating, pending, press

RITA, CHANNEL = External(asker=True, channel=True), External(asker=False, channel=True)
LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"


def around(external: External | None, **changes: Any) -> Thread:
    """A draft that waits, with these people around it."""
    return pending().evolve(external=external, original_sender_name="Rita", **changes)


@pytest.mark.parametrize(
    ("external", "line"),
    [
        (RITA, "*Asked by Rita of another company*"),
        (CHANNEL, "*This channel is shared with another company*"),
        (None, ""),
    ],
)
def test_the_first_line_of_a_card_says_who_is_of_another_company(external: External | None, line: str) -> None:
    """Above its title, also when it is short, settled or handed over; what keeps a reply back stands below who asks."""
    thread = around(external)
    given = HandOver(at=at(9), by="U0OPS", before="U0OPS", to="U0TWO", card=thread.card)
    waiting = build_card(thread, link=LINK, unreachable_reason="*Archived*")
    settled = build_card(thread.evolve(status="closed", outcome="dismissed"), link=LINK)
    short = build_card(thread, link=LINK, is_short=True)
    for shown in (waiting, short, settled, build_retired_card(thread, given, link=LINK)):
        first = shown["blocks"][1]
        assert first == context(line) if line else first["type"] != "context"
    asker, away = waiting["blocks"][2 + bool(line) :][:2]
    assert "<@" in str(asker)
    assert "*Archived*" in str(away)


@pytest.mark.parametrize(
    ("external", "changes", "asks"),
    [
        (RITA, {}, "Rita of another company will read this reply"),
        (CHANNEL, {}, "This channel is shared with another company"),
        (RITA.evolve(policy="allow"), {}, ""),
        (CHANNEL.evolve(policy="never"), {}, "This channel is shared with another company"),
        (RITA, {"mode": "preview"}, ""),
        (None, {}, ""),
    ],
)
def test_approve_asks_once_more_where_they_read_the_reply(external: Any, changes: Any, asks: str) -> None:
    """Not in a channel for practice, and not with `slack.external: allow`; no list approves what is to be asked."""
    thread = around(external, **changes)
    assert describe_outside_readers(thread).startswith(asks)
    assert bool(describe_outside_readers(thread)) is bool(asks)
    assert may_approve_from_list(thread) is not bool(asks)


def test_a_press_that_confirmed_no_readers_approves_nothing() -> None:
    """One that did posts."""
    thread = around(RITA)
    blind = step(thread, press(Approve, thread, confirmed=""))
    assert not blind.accepted
    assert "Press Approve on the updated card to confirm" in (blind.refusal or "")
    assert step(thread, press(Approve, thread, confirmed=confirmation_digest(thread))).accepted


def test_who_asks_and_who_adds_are_told_apart() -> None:
    """A message of theirs marks the channel of a member's question; their own question is marked as theirs."""
    ours = moved(None, added())
    assert ours.external is None
    theirs = added("and in version 2?", ts="101.000001", external=RITA, root="100.000001", sender="U0RITA")
    assert moved(ours, theirs).external == CHANNEL
    assert moved(None, added(external=RITA)).external == RITA


@pytest.mark.parametrize("external", [RITA, CHANNEL, None])
def test_readers_who_are_gone_are_named_no_longer(external: External | None) -> None:
    """Nothing is to be looked at again; who asks is still of another company, and who comes back is noticed."""
    thread = around(external)
    after = step(thread, ReadersGone(at=at(9), fresh=fresh())).thread if external else thread
    assert after is not None
    assert (describe_outside_readers(after), after.stale) == ("", None)
    assert bool(describe_outsiders(after)) is (external is RITA)
    assert external is None or has_widened(after.external, external)


@pytest.mark.parametrize(("is_kept", "effect"), [(False, None), (True, Investigate)])
def test_more_readers_have_the_operator_look_again(is_kept: bool, effect: Any) -> None:
    """A draft from a project that they may not see is made anew."""
    thread = around(None)
    after = step(thread, ReadersChanged(at=at(9), fresh=fresh(), external=CHANNEL, is_kept_back=is_kept))
    assert after.thread is not None
    assert after.thread.external == CHANNEL
    assert isinstance(after.effect, effect) if effect else "People of another company" in (after.thread.stale or "")


def test_the_status_in_their_channel_names_no_role_and_no_project() -> None:
    """Members read both in a channel of their own."""
    route = Route(role="dev", role_name="Vault Dev", project="vault", why="")
    assert "Vault Dev in vault" in describe_status(investigating().evolve(route=route))
    assert describe_status(investigating().evolve(route=route, external=CHANNEL)) == "is looking this up"


def projects(*kept: str) -> list[Project]:
    """Three roots of two projects; those of the projects that are kept back say so."""
    return [
        Project(name=name, root=Path("/"), external=name.partition("/")[0] not in kept)
        for name in ("shop", "v/a", "v/b")
    ]


@pytest.mark.parametrize(
    ("external", "about", "kept", "left"),
    [
        (None, None, ("v",), ["shop", "v/a", "v/b"]),
        (CHANNEL, None, (), ["shop", "v/a", "v/b"]),
        (CHANNEL, None, ("v",), ["shop"]),
        (CHANNEL, "shop", ("v",), ["shop"]),
        (CHANNEL, "gone", ("v",), ["shop"]),
        (CHANNEL, "v", ("v",), None),
        (CHANNEL, "v/a", ("v",), None),
        (CHANNEL, None, ("v", "shop"), None),
    ],
)
def test_a_question_is_answered_from_what_all_its_readers_may_see(
    external: Any, about: str | None, kept: Any, left: Any
) -> None:
    """Where nothing is left, or not what it is about, nothing is searched."""
    route = Route(role="", role_name="", project=about, why="") if about else None
    thread, known = investigating().evolve(external=external, route=route), projects(*kept)
    if left is None:
        with pytest.raises(Refused, match="external: no"):
            filter_readable(thread, known)
        return
    assert [project.name for project in filter_readable(thread, known)] == left
    assert find_withheld(thread, known) == (kept if external and route is None else ())


def test_a_draft_of_a_project_is_kept_back_by_the_name_of_its_root() -> None:
    """Of no other one."""
    assert uses_withheld_project(pending().evolve(project="v/a"), projects("v"))
    assert not uses_withheld_project(pending().evolve(project="shop"), projects("v"))


def test_that_nothing_was_searched_is_told_to_the_operator_alone() -> None:
    """A line to the asker would say that there is such a project; any other failure is told."""
    thread = investigating().evolve(external=RITA)
    for why, is_told in ((KEPT_BACK, False), ("time", True)):
        failed = RunFailed(at=at(9), fresh=fresh(), run_id=thread.run_id or "", reason="why", why=why)
        assert (moved(thread, failed).asker_line is not None) is is_told
