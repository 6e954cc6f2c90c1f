"""Chains of sessions: the same one from each of its members, also over links that are broken (spec 3)."""

from __future__ import annotations

import pytest

from bot.decide.session_chains import SessionChains
from bot.models.session_chain import SessionLink

THREAD = "T0TEAM-C0HELP-100.000001"


def link(number: int, tier: int = 1, parent: int | None = None, thread_id: str | None = THREAD) -> SessionLink:
    """The link of session number `number`."""
    return SessionLink(name(number), tier, None if parent is None else name(parent), thread_id)


def name(number: int) -> str:
    """The id of a session, later for higher numbers."""
    return f"20260105T1000{number:02}-run"


SPECIFIED = (link(18), link(19, 2, 18), link(20, 3, 19), link(21))


@pytest.mark.parametrize("member", [18, 19, 20])
def test_the_chain_is_found_from_any_session(member: int) -> None:
    """Scenario "Full escalation chain queryable"; a session beside the chain is not part of it."""
    chain = SessionChains(reversed(SPECIFIED)).find(name(member))
    assert chain is not None
    assert [each.session_id for each in chain.members] == [name(18), name(19), name(20)]
    assert chain.is_escalated
    assert chain.problems == ()


def test_parents_and_children_are_those_of_other_tiers() -> None:
    """Scenario "Tier 1 session has no parent"; a check of the same tier is neither escalated nor led to."""
    check = link(22, 2, 19)
    chain = SessionChains([*SPECIFIED, check]).find(name(19))
    assert chain is not None
    first, second, third = SPECIFIED[:3]
    assert [each.session_id for each in chain.members] == [name(18), name(19), name(20), name(22)]
    assert (chain.parent_of(first), chain.parent_of(third), chain.parent_of(check)) == (None, second, None)
    assert (chain.children_of(first), chain.children_of(second), chain.children_of(third)) == ((second,), (third,), ())


def test_a_check_makes_no_chain_of_tiers() -> None:
    """An investigator and its validator are of one tier."""
    chain = SessionChains([link(1), link(2, 1, 1)]).find(name(2))
    assert chain is not None
    assert [each.session_id for each in chain.members] == [name(1), name(2)]
    assert not chain.is_escalated


@pytest.mark.parametrize(
    ("links", "member", "members", "problem"),
    [
        ([link(2, 2, 1), link(3, 3, 2)], 3, [2, 3], f"Session #{name(1)}, the parent of #{name(2)}, has no record."),
        ([link(1, 1, 1)], 1, [1], f"The links to the parents form a circle: #{name(1)}."),
        (
            [link(1, 1, 3), link(2, 2, 1), link(3, 3, 2), link(4, 3, 2)],
            4,
            [1, 2, 3, 4],
            f"The links to the parents form a circle: #{name(1)}, #{name(2)}, #{name(3)}.",
        ),
    ],
    ids=["a parent that is gone", "its own parent", "a circle"],
)
def test_links_that_lead_nowhere_are_told(
    links: list[SessionLink], member: int, members: list[int], problem: str
) -> None:
    """And followed once: all sessions that are linked are found, and the reason why the first one is not sure."""
    chain = SessionChains(links).find(name(member))
    assert chain is not None
    assert [each.session_id for each in chain.members] == [name(number) for number in members]
    assert chain.problems == (problem,)


def test_an_unknown_session_has_no_chain() -> None:
    """Not even one of its own."""
    assert SessionChains(SPECIFIED).find(name(30)) is None


def test_the_chains_of_a_thread_come_newest_first() -> None:
    """Each once, with sessions of no thread that are linked to it."""
    links = [*SPECIFIED, link(30, 1, None, "other"), link(31, 2, 21, None)]
    chains = SessionChains(links).of_thread(THREAD)
    assert [[each.session_id for each in chain.members] for chain in chains] == [
        [name(21), name(31)],
        [name(18), name(19), name(20)],
    ]


def test_a_long_chain_is_followed_to_both_ends() -> None:
    """A thousand sessions deep, whatever member is asked for."""
    names = [f"20260105T100000-{number:04}" for number in range(1_000)]
    links = [SessionLink(each, 1, parent, None) for each, parent in zip(names, [None, *names], strict=False)]
    chain = SessionChains(links).find(names[-1])
    assert chain is not None
    assert [each.session_id for each in chain.members] == names
