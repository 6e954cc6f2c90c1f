"""Incidents: opened, joined, continued, recovered; one for each group, whatever the results are."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from bot.decide.health.incidents import end_removed, list_covered
from bot.decide.health.states import failing_since
from bot.models.incident import SEVERAL_GROUPS
from bot.models.incident_record import IncidentRecord
from tests.builders import at
from tests.decide.health.builders import Life


def shop() -> Life:
    """Two services of one group, and one beside them."""
    return Life({"api": "shop", "web": "shop", "mail": "mail"})


@pytest.mark.parametrize(
    ("runs", "opened"),
    [
        ("HHHHHH", False),
        ("HUHHUH", False),
        ("HUH" * 9, False),
        ("UU", True),
        ("UD", True),
        ("HDD", True),
        ("HUHUU", True),
    ],
)
def test_two_unhealthy_runs_in_a_row_open_an_incident(runs: str, opened: bool) -> None:
    """A healthy run never does, and neither does a single failure."""
    life = shop()
    life.story(runs, "api")
    assert bool(life.open) is opened


def test_an_incident_has_the_facts_of_its_group() -> None:
    """The first failure, its service, and the worst status of its check."""
    life = shop()
    life.story("HDU", "api")
    (record,) = life.open
    assert (record.group, record.groups, record.services) == ("shop", ("shop",), ("api",))
    assert (record.since, record.opened_at, record.worst) == (at(60), at(120), {"api http": "down"})
    assert [each.service for each in list_covered(record, life.states)] == ["api", "web"]


def test_a_further_service_of_the_group_joins() -> None:
    """Its thread learns it once; the same failure again is no news."""
    life = shop()
    life.story("UU", "api")
    life.story("UU", "web")
    (record,) = life.open
    assert (record.services, record.revision) == (("api", "web"), 2)
    life.story("UUUU", "api", "web")
    assert life.open == [record]


@pytest.mark.parametrize(
    ("runs", "told"), [("DD", 1), ("DDD", 1), ("DDU", 2), ("DDUDUDUDU", 2), ("UUD", 1), ("DDHDD", 2)]
)
def test_a_thread_learns_the_worst_status_and_each_confirmed_failure(runs: str, told: int) -> None:
    """Changes between degraded and down are told once."""
    life = shop()
    life.story(runs, "api")
    assert life.open[0].revision == told


@pytest.mark.parametrize(
    ("runs", "is_open"), [("UUH", True), ("UUHH", False), ("UUHUHH", False), ("UUHUHUH", True), ("UUHUHUHHHH", True)]
)
def test_recovery_is_confirmed_by_two_healthy_runs(runs: str, is_open: bool) -> None:
    """Of every service of the group; after three outages only by a whole cooldown."""
    life = Life({"api": "shop"})
    life.story(runs, "api")
    assert life.records[0].is_open is is_open


def test_a_group_recovers_with_its_last_service() -> None:
    """Its other services do not end the incident."""
    life = shop()
    life.story("UU", "api", "web")
    life.story("HHH", "api")
    life.story("H", "web")
    assert life.open
    life.run("H", "web")
    (record,) = life.records
    assert (record.recovered_at, record.cooldown_until) == (life.time, life.time + timedelta(minutes=30))
    life.story("HHHH", "api", "web")
    assert life.records == (record,)


def test_a_failure_within_the_cooldown_continues_the_incident() -> None:
    """Also one that is confirmed after its end; a later one opens another."""
    life = Life({"api": "shop"})
    life.story("UUHH", "api")
    life.story("H" * 29 + "UU", "api")
    (record,) = life.open
    assert (record.incident_id, record.revision) == ("incident0", 3)
    life.story("HH", "api")
    life.now += 1860
    life.story("UU", "api")
    assert [each.incident_id for each in life.open] == ["incident1"]
    assert len(life.records) == 1


def test_a_single_failure_prolongs_the_cooldown() -> None:
    """So that no pattern of flapping opens a second thread."""
    life = Life({"api": "shop"})
    life.story("UUHH" + "H" * 20 + "U" + "H" * 20 + "UU", "api")
    assert [each.incident_id for each in life.open] == ["incident0"]


def test_a_flapping_service_recovers_after_a_whole_calm_cooldown() -> None:
    """And not after two runs: that would be said again and again."""
    life = Life({"api": "shop"})
    life.story("UUHUHUU", "api")
    life.story("H" * 30, "api")
    assert life.open
    life.story("H", "api")
    assert not life.open


@pytest.mark.parametrize(("every", "cooldown"), [(1, 15), (60, 1_800), (300, 1_800)])
def test_repeated_outages_are_said_to_be_over_twice_and_at_their_end(every: float, cooldown: float) -> None:
    """Although each of them ends within the cooldown of the one before."""
    life = Life({"api": "shop"}, cooldown=timedelta(seconds=cooldown))
    ends = 0
    for _ in range(6):
        for letter in "UUHHHH":
            was_open = bool(life.open)
            life.story(letter, "api", every=every)
            ends += was_open and not life.open
    assert (ends, len(life.open)) == (2, 1)
    life.story("H" * 40, "api", every=every)
    assert (life.open, [*life.ever]) == ([], ["incident0"])


def test_a_thread_learns_that_one_of_its_services_is_healthy_again() -> None:
    """At its second healthy run, once; of a service that had not failed there is nothing to say."""
    life = Life({"api": "shop", "web": "shop", "db": "shop"})
    life.story("UU", "api", "web")
    before = life.open[0].revision
    life.story("H", "api")
    life.story("HHH", "db")
    assert life.open[0].revision == before
    life.story("HHHH", "api")
    assert (life.open[0].revision, life.open[0].services) == (before + 1, ("api", "web"))


def test_nothing_opens_while_nothing_may_be_posted() -> None:
    """What is still unhealthy afterwards opens then, with the time of its first failure."""
    life = Life({"api": "shop"}, may_open=False)
    life.story("UUUU", "api")
    assert not life.records
    life.may_open = True
    life.run("U", "api")
    assert life.open[0].since == at()


def town(count: int) -> Life:
    """As many groups of one service each, all healthy."""
    life = Life({f"s{number}": f"g{number}" for number in range(count)})
    life.story("HH")
    return life


@pytest.mark.parametrize(
    ("groups", "failing", "incidents"), [(4, 4, 4), (5, 5, 1), (9, 5, 1), (10, 5, 5), (10, 6, 1), (40, 40, 1)]
)
def test_many_groups_at_once_are_one_incident(groups: int, failing: int, incidents: int) -> None:
    """At least five, and more than half of all that are checked."""
    life = town(groups)
    life.story("UU", *[f"s{number}" for number in range(failing)])
    assert len(life.open) == incidents
    assert sorted(name for each in life.open for name in each.services) == sorted(f"s{n}" for n in range(failing))
    assert {each.group == SEVERAL_GROUPS for each in life.open} == {incidents == 1}


def test_a_late_group_joins_the_incident_of_many() -> None:
    """If it failed at the same time; a failure an hour later has its own."""
    life = town(9)
    life.story("UU", *[f"s{number}" for number in range(6)])
    life.now -= 60
    life.story("UU", "s6")
    (record,) = life.open
    assert record.services[-1] == "s6"
    assert [each.service for each in list_covered(record, life.states)] == [*record.services]
    life.now += 3600
    life.story("UU", "s7")
    assert [each.group for each in life.open] == [SEVERAL_GROUPS, "g7"]


def test_groups_with_an_incident_keep_it_when_many_fail() -> None:
    """The incident of many has the others."""
    life = town(8)
    life.story("UU", "s0")
    life.story("UUHH", "s1")
    life.story("UU", *[f"s{number}" for number in range(1, 8)])
    assert [each.group for each in life.open] == ["g0", "g1", SEVERAL_GROUPS]
    assert life.open[-1].groups == tuple(f"g{number}" for number in range(2, 8))


def test_a_group_that_failed_long_before_has_its_own_incident() -> None:
    """Its checks are rare, so that its failure is confirmed after that of the many."""
    life = town(9)
    life.run("U", "s8")
    life.now += 3600
    life.story("UU", *[f"s{number}" for number in range(6)])
    life.run("U", "s8")
    assert [each.groups[-1] for each in life.open] == ["g5", "g8"]


def test_a_group_in_its_cooldown_is_left_to_its_incident_when_many_fail() -> None:
    """Also if its failure is confirmed after theirs."""
    life = town(8)
    life.story("UUHH", "s7")
    life.story("UU", *[f"s{number}" for number in range(8)])
    assert [each.groups for each in life.open] == [("g7",), tuple(f"g{number}" for number in range(7))]


def test_an_incident_of_many_that_continues_leaves_groups_with_another_one() -> None:
    """No group has two open incidents."""
    life = town(5)
    life.story("UUHH")
    life.now += 1740
    life.run("U", "s1")
    life.now += 1900
    life.story("UU", "s0")
    life.run("U", "s1")
    assert sorted(each.groups for each in life.open) == [("g0",), ("g1", "g2", "g3", "g4")]


def test_an_incident_ends_with_the_settings_that_named_its_services() -> None:
    """One service that stays keeps it open."""
    life = shop()
    life.story("UU", "api", "web")
    life.story("UU", "mail")
    left = {name: state for name, state in life.states.items() if name != "api"}
    assert end_removed(life.records, left, life.time) == life.records
    del left["web"]
    first, second = end_removed(life.records, left, life.time)
    assert (first.recovered_at, first.cooldown_until, first.revision) == (life.time, life.time, 3)
    assert first.unchecked == ("api", "web")
    assert second.is_open
    moved = {"mail": life.states["mail"].evolve(group="post")}
    assert not end_removed((second,), moved, life.time)[0].is_open
    assert end_removed((first,), {}, at(9_000)) == (first,)


def test_a_service_that_was_removed_does_not_recover_with_the_others() -> None:
    """It is named apart, until the incident continues."""
    life = shop()
    life.story("UU", "api", "web")
    del life.states["api"]
    life.story("HH", "web")
    assert [(each.is_open, each.unchecked) for each in life.records] == [(False, ("api",))]
    life.story("UU", "web")
    assert [(each.services, each.unchecked) for each in life.open] == [(("web",), ())]


def test_a_record_stays_until_its_thread_knows_the_end() -> None:
    """An incident that never had a thread is forgotten with its cooldown."""
    life = shop()
    life.story("UUHH", "api", "api")
    life.story("HHHH", "web")
    thread = "T0TEAM-C0HELP-100.000001"
    known = life.records[0].evolve(thread_id=thread, revision=4)
    for record, stays in ((life.records[0], False), (known, True), (known.evolve(told_revision=4), False)):
        life.records = (record,)
        life.now += 7200
        life.run("H", "api")
        assert bool(life.records) is stays


def check_step(life: Life, name: str, before: dict[str, IncidentRecord]) -> None:
    """Check the rules after a run of a service; `before` are the records before it, by id."""
    state = life.states[name]
    covered = [group for record in life.open for group in record.groups]
    assert len(covered) == len({*covered})
    for record in life.records:
        old = before.get(record.incident_id)
        if record.is_open and (old is None or not old.is_open):
            assert state.unhealthy_in_row >= 2
            assert name in record.services
            assert record.revision == 1 or (old is not None and record.revision == old.revision + 1)
        if old and old.is_open and not record.is_open:
            services = [each for each in life.states.values() if each.group in record.groups]
            assert all(each.healthy_in_row >= 2 for each in services)
            assert record.revision == old.revision + 1
        if old and not old.is_open and not record.is_open:
            assert record.revision == old.revision


@pytest.mark.parametrize("seed", range(12))
def test_no_walk_breaks_the_rules(seed: int) -> None:
    """One open incident of a group at most, opened by a confirmed failure, and over once with all its services."""
    chance = random.Random(seed)
    services = {f"s{number}": f"g{number % 6}" for number in range(9)}
    life = Life(services, cooldown=timedelta(minutes=chance.choice((0, 5, 30))))
    risk = chance.choice((0.05, 0.3, 0.6))
    for _ in range(250):
        life.now += chance.choice((5, 30, 60, 60, 300))
        burst = chance.random() < 0.04
        for name in services if burst else chance.sample([*services], 3):
            before, group = {record.incident_id: record for record in life.records}, services[name]
            life.run("U" if burst or chance.random() < risk else chance.choice("HHHD"), name)
            check_step(life, name, before)
            begin = failing_since(life.states[name])
            for record in [each for each in life.open if each.incident_id not in before]:
                cooling = [each for each in life.ever.values() if each.cooldown_until and group in each.groups]
                assert begin is not None
                assert all(each.cooldown_until < begin for each in cooling if each.cooldown_until), record


@pytest.mark.parametrize("seed", range(8))
def test_flapping_of_any_pattern_is_one_incident(seed: int) -> None:
    """While no whole cooldown passes without a failure."""
    chance = random.Random(seed)
    life = Life({"api": "shop"})
    life.story("UU")
    for _ in range(60):
        life.story("H" * chance.randrange(1, 20) + "U" * chance.randrange(1, 4))
    recoveries = life.records[0].revision
    assert [*life.ever] == ["incident0"]
    life.story("H" * 70)
    assert (life.open, [*life.ever]) == ([], ["incident0"])
    assert life.ever["incident0"].revision in range(recoveries, recoveries + 3)
