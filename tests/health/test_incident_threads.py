"""From results to a thread: opened once, joined, continued, ended, and never where nothing may be posted."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from blocks.incident import title_incident
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.service_state import ServiceState
from bot.models.thread_event import Mute, ServicesFailed, ServicesRecovered
from tests.builders import CHANNEL, OPERATOR, TEAM, at, fresh
from tests.health.service_bench import BOT, Bench, section


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """One service, healthy."""
    return await Bench(tmp_path / "home").start()


async def test_healthy_services_open_nothing(bench: Bench) -> None:
    """Scenario "Handoff file not written when all services healthy": no session, no message, no thread."""
    await bench.story("HHHH")
    assert (bench.channel.posted, await bench.documents(), await bench.sessions()) == ([], [], [])
    assert not [*bench.folder.rglob("handoff.json")]
    assert not (bench.folder / "incidents.json").exists()


async def test_a_check_that_cannot_be_made_opens_and_ends_nothing(bench: Bench) -> None:
    """A fault of the check says nothing about the service: no outage, no recovery; its reason is in the state."""
    bench.checks.faults = ("dns: the Python module dns is not installed",)
    await bench.story("DDD")
    assert (bench.channel.posted, await bench.sessions()) == ([], [])
    (state,) = bench.services.list_states()
    assert (state.status, state.unchecked) == (None, bench.checks.faults)
    bench.checks.faults = ()
    await bench.story("DD")
    bench.checks.faults = ("dns: the Python module dns is not installed",)
    bench.checks.is_partial = True
    await bench.story("HHH")
    (state,) = bench.services.list_states()
    assert (state.status, state.unhealthy_in_row) == ("degraded", 2)
    assert await bench.services.check_again("shop") == ()


async def test_two_failures_in_a_row_open_a_thread(bench: Bench) -> None:
    """Scenario "Tier 1 writes handoff for Tier 2": the thread has the results, the services and the cooldowns."""
    await bench.story("U")
    assert bench.channel.posted == []
    await bench.story("U")
    (message,) = bench.channel.posted
    thread = await bench.thread()
    incident = thread.incident
    assert incident is not None
    assert thread.thread_id == f"{TEAM}-{CHANNEL}-{message['ts']}"
    assert (thread.original_sender_id, thread.operator, thread.mode) == (BOT, OPERATOR, "live")
    assert (incident.services, incident.since, incident.checked_at) == (("shop",), at(), at(60))
    assert [check.error for check in incident.checks] == ["status 500, expected 200"]
    assert incident.cooldown_state["shop"]["state"] == "failing"
    assert message["metadata"]["event_payload"] == {"incident_id": incident.incident_id}
    assert "status 500" in message["text"]
    assert "status 500" in thread.messages[0].content
    (session,) = await bench.sessions()
    assert incident.session_id == session.session_id


async def test_an_outage_is_one_session_without_a_parent(bench: Bench) -> None:
    """Scenario "Tier 1 session has no parent": tier 1, no model, no cost, and its number of runs at its end."""
    await bench.story("HUUUHH")
    (session,) = await bench.sessions()
    assert (session.agent, session.tier, session.model, session.parent_session_id) == ("checks", 1, "none", None)
    assert (session.cost_usd, session.num_turns, session.duration_ms) == (0, 5, 240_000)
    assert (session.outcome, session.thread_id) == ("answered", (await bench.thread()).thread_id)


async def test_the_session_of_an_outage_has_its_own_figures(bench: Bench) -> None:
    """Scenario "Tier 1 cost recorded independently": also after a restart, which does not end an outage."""
    await bench.story("UU")
    await bench.restart()
    await bench.story("UHH")
    (session,) = await bench.sessions()
    assert (session.cost_usd, session.num_turns, session.outcome) == (0, 5, "answered")


async def test_a_single_failure_ends_as_a_session_alone(bench: Bench) -> None:
    """Scenario "No handoff file after session exit": the record is finished, and the schedule goes on."""
    await bench.story("UHUH")
    (session,) = await bench.sessions()
    assert session.outcome == "running"
    await bench.story("H")
    (session,) = await bench.sessions()
    assert (session.outcome, session.thread_id, bench.channel.posted) == ("answered", None, [])
    assert bench.services.list_states()[0].session_id is None


async def test_recovery_is_told_once(bench: Bench) -> None:
    """And a failure within the cooldown continues the thread."""
    await bench.story("UUHH")
    state = bench.services.list_states()[0]
    (record,) = bench.services.book.records
    assert (record.is_open, record.is_behind, record.recovered_at) == (False, False, at(180))
    incident = (await bench.thread()).incident
    assert incident is not None
    assert (incident.recovered_at, incident.failures) == (at(180), 1)
    assert (state.thread_id, state.cooldown_until) == ((await bench.thread()).thread_id, at(180 + 1800))
    await bench.story("HHUU")
    assert len(bench.channel.posted) == 1
    (record,) = bench.services.book.records
    assert (record.is_open, record.is_behind) == (True, False)
    again = (await bench.thread()).incident
    assert again is not None
    assert (again.recovered_at, again.failures) == (None, 2)
    assert (incident.session_id, again.session_id) == tuple(each.session_id for each in await bench.sessions())


async def test_a_group_has_one_thread(tmp_path: Path) -> None:
    """Its services join; another group has its own."""
    bench = await Bench(tmp_path / "home", section("api/shop", "web/shop", "mail")).start()
    await bench.story("UU", "api")
    await bench.story("UU", "web", "mail")
    assert len(bench.channel.posted) == 2
    services = [thread.incident.services for thread in await bench.documents() if thread.incident]
    assert sorted(services) == [("api", "web"), ("mail",)]
    assert {record.services for record in bench.services.book.records} == {("api", "web"), ("mail",)}


async def test_a_thread_shows_which_services_are_healthy_again(tmp_path: Path) -> None:
    """Those that still fail stay in its message; its draft stays fresh."""
    bench = await Bench(tmp_path / "home", section("api/shop", "web/shop")).start()
    await bench.story("UU", "api", "web")
    before = await bench.thread()
    await bench.story("H", "api")
    assert (await bench.thread()).version == before.version
    await bench.story("HHHH", "api")
    after = await bench.thread()
    assert before.incident
    assert after.incident
    assert [(each.service, each.status) for each in after.incident.checks] == [("api", "healthy"), ("web", "down")]
    assert (after.incident.revision, after.incident.failures) == (before.incident.revision + 1, 1)
    assert (after.incident.checked_at > before.incident.checked_at, after.stale) == (True, before.stale)
    assert title_incident(after.incident) == "web is down"


@pytest.mark.parametrize("held", ["pause", "stop", "silent", "preview", "no channel"])
async def test_nothing_is_posted_where_nothing_may_be(tmp_path: Path, held: str) -> None:
    """States go on; after that a service that is still unhealthy is reported."""
    bench = Bench(tmp_path / "home", chat_id=None if held == "no channel" else CHANNEL)
    bench.mode = "silent" if held == "silent" else "preview" if held == "preview" else "live"
    await bench.start()
    if held in ("pause", "stop"):
        await bench.controls.set_state("paused" if held == "pause" else "stopped", bench.clock.now())
    await bench.story("UUUU")
    assert (bench.channel.posted, await bench.documents()) == ([], [])
    assert bench.services.list_states()[0].unhealthy_in_row == 4
    await bench.controls.set_state("running", bench.clock.now())
    bench.controls.modes[CHANNEL] = "live"
    await bench.story("U")
    assert len(bench.channel.posted) == (held != "no channel")


async def test_what_recovers_while_all_is_stopped_is_never_reported(bench: Bench) -> None:
    """A message that waits for the end of the stop is dropped with its incident."""
    bench.channel.fail = [RetryLater("no network")]
    await bench.story("UU")
    await bench.controls.set_state("stopped", bench.clock.now())
    await bench.story("UHH")
    await bench.controls.set_state("running", bench.clock.now())
    await bench.settle()
    assert (bench.channel.posted, bench.services.book.records) == ([], ())


async def test_a_message_has_the_facts_of_the_time_at_which_it_may_be_posted(bench: Bench) -> None:
    """Not those of a time at which all was stopped."""
    await bench.run("U")
    await bench.services.check("shop")
    await bench.controls.set_state("stopped", bench.clock.now())
    await bench.settle()
    bench.checks.error = "status 404, expected 200"
    await bench.story("U")
    await bench.controls.set_state("running", bench.clock.now())
    await bench.story("U")
    (message,) = bench.channel.posted
    assert "status 404" in message["text"]


@pytest.mark.parametrize("is_posted", [True, False])
async def test_a_doubtful_post_is_looked_up(bench: Bench, is_posted: bool) -> None:
    """One message, if the first call had its effect or not."""
    failures = bench.channel.fail_after if is_posted else bench.channel.fail
    failures.append(Uncertain("the answer was lost"))
    await bench.story("UU")
    await bench.story("U")
    assert bench.channel.looks > 0
    assert len(bench.channel.posted) == 1
    assert (await bench.thread()).incident


async def test_a_post_that_arrives_late_is_found(bench: Bench) -> None:
    """The request of a dead bot may come to Slack after the first look: there is a second one, seconds later."""
    bench.channel.fail_after = [Uncertain("the answer was lost")]
    await bench.run("U")
    await bench.run("U", every=0)
    arrives, bench.channel.posted = bench.channel.posted, []
    move = bench.clock.move

    async def arrive(seconds: float) -> None:
        bench.channel.posted = arrives
        await move(seconds)

    bench.clock.move = arrive  # type: ignore[method-assign]  # the message comes while the bot waits
    await bench.settle()
    assert (len(bench.channel.posted), bench.channel.looks) == (1, 2)
    assert (await bench.thread()).original_message_id == arrives[0]["ts"]


async def test_a_channel_that_takes_nothing_is_told_to_an_admin_once(bench: Bench) -> None:
    """Archived, or the bot was removed; when it takes messages again the incident is reported, the notice over."""
    bench.channel.fail = [Refused("is_archived", code="is_archived") for _ in range(4)]
    await bench.story("UUUUU")
    (notice,) = bench.notices.texts.values()
    assert "shop: not healthy, and this cannot be reported in <#C0HELP>: the channel is archived" in notice
    await bench.story("U")
    assert len(bench.channel.posted) == 1
    assert bench.channel.looks == 0
    (notice,) = bench.notices.texts.values()
    assert notice.startswith("*Over* since <!date^")
    assert notice.endswith("(Slack: is_archived). It is reported there now.")


async def test_a_notice_ends_with_a_recovery_that_nobody_heard_of(bench: Bench) -> None:
    """Also after a restart."""
    bench.channel.fail = [Refused("is_archived", code="is_archived") for _ in range(20)]
    await bench.story("UU")
    await bench.restart()
    await bench.story("HH")
    (notice,) = bench.notices.texts.values()
    assert notice.startswith("*Over* since <!date^")
    assert notice.endswith("All is healthy again; nothing was reported there.")
    assert bench.services.book.records == ()


async def test_an_incident_of_a_removed_service_ends(bench: Bench) -> None:
    """Its thread learns that it is no longer checked, and not that it is healthy."""
    await bench.story("UU")
    await bench.stop()
    bench.section = section("other")
    await bench.start()
    await bench.settle()
    (record,) = bench.services.book.records
    assert not record.is_open
    incident = (await bench.thread()).incident
    assert incident is not None
    assert incident.is_over
    assert (incident.unchecked, incident.healthy_again) == (("shop",), ())
    assert [check.status for check in incident.checks] == ["down"]
    (session,) = await bench.sessions()
    assert session.outcome == "answered"


async def test_a_service_that_moves_to_another_group_has_an_incident_there(tmp_path: Path) -> None:
    """The one of its old group ends without a word of its health."""
    bench = await Bench(tmp_path / "home", section("shop/web", "mail")).start()
    await bench.story("UU", "shop")
    await bench.stop()
    bench.section = section("shop/store", "mail")
    await bench.start()
    await bench.settle()
    assert (await bench.thread()).incident.unchecked == ("shop",)  # type: ignore[union-attr]  # it has one
    await bench.story("U", "shop")
    assert [(each.group, each.is_open) for each in bench.services.book.records] == [("web", False), ("store", True)]
    assert len(bench.channel.posted) == 2


async def test_the_last_service_may_be_removed(bench: Bench) -> None:
    """Nothing is checked any more, and the thread still ends."""
    await bench.story("UU")
    await bench.stop()
    bench.section = section()
    await bench.start()
    assert bench.services.is_used
    await bench.settle()
    assert not bench.services.book.records[0].is_open


async def test_no_services_leave_no_trace(tmp_path: Path) -> None:
    """No file, and nothing to run."""
    bench = await Bench(tmp_path / "home", section()).start()
    assert not bench.services.is_used
    await bench.stop()
    assert sorted(path.name for path in bench.folder.iterdir()) == ["state"]


async def test_a_thread_that_is_gone_is_not_missed(bench: Bench) -> None:
    """Its document was removed: the incident goes on without it, and no second one is opened."""
    await bench.story("UU")
    for path in (bench.folder / "state").iterdir():
        path.unlink()
    await bench.story("UHH")
    await bench.story("UU")
    assert len(bench.channel.posted) == 1
    assert await bench.documents() == []


async def test_a_muted_thread_still_has_the_incident(bench: Bench) -> None:
    """No second message is posted beside it."""
    await bench.story("UU")
    name = (await bench.thread()).thread_id
    await bench.orchestrator.submit(name, Mute(at=bench.clock.now(), fresh=fresh()))
    await bench.story("UHHUU")
    assert len(bench.channel.posted) == 1


@pytest.mark.parametrize("name", ["services.json", "incidents.json"])
@pytest.mark.parametrize("content", ["{", "[]", '{"shop": {"service": 3}}'])
async def test_a_damaged_file_is_set_aside(bench: Bench, name: str, content: str) -> None:
    """An admin reads where it is, and the checks start again."""
    await bench.story("UU")
    await bench.stop()
    (bench.folder / name).write_text(content)
    await bench.start()
    (notice,) = bench.told
    assert "could not be read" in notice
    assert [path.read_text() for path in (bench.folder / "quarantine").iterdir()] == [content]
    await bench.story("H")
    assert bench.services.list_states()[0].status == "healthy"


@pytest.mark.parametrize("content", ["{", None])
async def test_lost_records_are_rebuilt_from_the_threads(bench: Bench, content: str | None) -> None:
    """An incident goes on in its thread, is told its recovery, and has its cooldown; also after a kill in between."""
    await bench.story("UU")
    await bench.stop()
    path = bench.folder / "incidents.json"
    path.write_text(content) if content else path.unlink()
    await bench.start()
    await bench.story("UU")
    (record,) = bench.services.book.records
    assert (len(bench.channel.posted), record.is_open, record.services) == (1, True, ("shop",))
    await bench.story("HH")
    incident = (await bench.thread()).incident
    assert incident is not None
    assert incident.is_over
    await bench.stop()
    path.write_text("{")
    await bench.start()
    (record,) = bench.services.book.records
    assert (record.is_open, record.cooldown_until) == (False, at(300 + 1800))
    await bench.story("UU")
    assert len(bench.channel.posted) == 1
    await bench.story("HHH")
    await bench.clock.move(3_600)
    await bench.stop()
    path.write_text("{")
    await bench.start()
    assert (bench.services.book.records, path.read_text()[:1]) == ((), "{")


async def test_another_response_time_is_no_change(bench: Bench) -> None:
    """After a restart the thread keeps the revision that its message shows, and the time of its last change."""
    await bench.story("UU")
    before = (await bench.thread()).incident
    assert before is not None
    same = tuple(check.evolve(response_time_ms=999) for check in before.checks)
    for checks, revision in ((same, 1), (tuple(each.evolve(error="status 502") for each in same), 2)):
        event = ServicesFailed(at=at(500), fresh=fresh(), services=("shop",), checks=checks, cooldown_state={})
        await bench.orchestrator.submit((await bench.thread()).thread_id, event)
        after = (await bench.thread()).incident
        assert after is not None
        assert (after.revision, after.checked_at) == (revision, at(60 if revision == 1 else 500))


async def test_one_healthy_run_withholds_no_runbook(bench: Bench) -> None:
    """It is no recovery; two in a row are."""
    await bench.story("UUH")
    assert (bench.services.states.is_failing("shop"), bench.services.states.is_back("shop")) == (False, False)
    await bench.story("H")
    assert bench.services.states.is_back("shop")


async def test_states_survive_a_restart(bench: Bench) -> None:
    """Rows, changes and marks; the next failure is the second in a row."""
    await bench.story("HU")
    before = bench.services.list_states()
    await bench.restart()
    assert bench.services.list_states() == before
    await bench.story("U")
    assert len(bench.channel.posted) == 1


async def test_states_are_saved_at_each_change_and_once_a_minute(bench: Bench) -> None:
    """A healthy service writes little."""
    path = bench.folder / "services.json"
    await bench.story("H", every=10)
    assert not path.exists()
    await bench.story("U", every=10)
    saved = path.read_text()
    await bench.story("UUUUU", every=10)
    assert path.read_text() == saved
    await bench.story("UU", every=10)
    assert json.loads(path.read_text())["shop"]["unhealthy_in_row"] == 7


async def test_states_that_could_not_be_saved_are_saved_with_the_next_run(bench: Bench) -> None:
    """Not a minute later."""
    path = bench.folder / "services.json"
    path.mkdir()
    await bench.story("U", every=1)
    path.rmdir()
    await bench.story("U", every=1)
    assert json.loads(path.read_text())["shop"]["unhealthy_in_row"] == 2


async def test_the_history_has_the_changes_alone(bench: Bench) -> None:
    """One line each, without times of response."""
    await bench.story("HHUUDH")
    await bench.stop()
    lines = [json.loads(line) for line in (bench.folder / "health.ndjson").read_text().splitlines()]
    assert [(line["status"], line["at"]) for line in lines] == [
        ("down", at(120).isoformat()),
        ("degraded", at(240).isoformat()),
        ("healthy", at(300).isoformat()),
    ]
    assert lines[0] == {
        "service": "shop",
        "check_type": "http",
        "status": "down",
        "error": "status 500, expected 200",
        "service_status": "down",
        "at": at(120).isoformat(),
    }


async def test_each_change_of_status_is_news(bench: Bench) -> None:
    """For the App Homes that show it; a result as before is none."""
    news: list[ServiceState] = []
    bench.services.on_change = lambda: news.extend(bench.services.list_states())
    await bench.story("HHUUDHH")
    assert [state.status for state in news] == ["healthy", "down", "degraded", "healthy"]
    await bench.stop()


async def test_a_group_is_checked_again_on_demand(tmp_path: Path) -> None:
    """All its services, at once; the results count as any others."""
    bench = await Bench(tmp_path / "home", section("api/shop", "web/shop", "mail")).start()
    bench.checks.status["web"] = "down"
    results = await bench.services.check_again("shop")
    assert [(result.service, result.status) for result in results] == [("api", "healthy"), ("web", "down")]
    assert bench.services.states.by_name["web"].unhealthy_in_row == 1
    assert await bench.services.check_again("gone") == ()


async def test_many_groups_are_checked_again_by_their_incident(tmp_path: Path) -> None:
    """The services that failed."""
    names = [f"s{number}" for number in range(7)]
    bench = await Bench(tmp_path / "home", section(*names)).start()
    await bench.story("HH")
    await bench.story("UU", *names[:6])
    assert len(bench.channel.posted) == 1
    assert "Services of several groups" in bench.channel.posted[0]["text"]
    assert len(await bench.services.check_again("several groups")) == 6
    await bench.story("HH")
    await bench.clock.move(1_900)
    last = bench.services.book.records
    await bench.story("UU", *names[:5])
    bench.services.book.replace([*last, *bench.services.book.records])  # the one before is still in its cooldown
    assert len(await bench.services.check_again("several groups")) == 5


async def test_a_restored_thread_learns_the_recovery_again(bench: Bench) -> None:
    """At the next start the state is compared with the documents."""
    await bench.story("UU")
    (path,) = (bench.folder / "state").iterdir()
    before = path.read_bytes()
    await bench.story("HH")
    await bench.stop()
    path.write_bytes(before)
    await bench.start()
    await bench.settle()
    incident = (await bench.thread()).incident
    assert incident is not None
    assert incident.is_over


async def test_a_thread_that_does_not_parse_is_told_all_the_same(bench: Bench) -> None:
    """Its queue sets the file aside; the incident goes on without it."""
    await bench.story("UU")
    (path,) = (bench.folder / "state").iterdir()
    path.write_text("{")
    await bench.story("HH")
    (record,) = bench.services.book.records
    assert (record.is_open, record.is_behind) == (False, False)


async def test_a_message_that_was_not_posted_follows_the_settings(bench: Bench) -> None:
    """It is looked up where it may be, and then posted in the channel of now."""
    bench.channel.fail = [Uncertain("the connection broke")]
    await bench.story("UU")
    await bench.stop()
    bench.chat_id = "C0ELSE"
    await bench.start()
    bench.controls.modes["C0ELSE"] = "live"
    await bench.story("U")
    assert [message["channel"] for message in bench.channel.posted] == ["C0ELSE"]
    assert (await bench.thread()).chat_id == "C0ELSE"


async def test_a_failed_step_is_tried_again_by_itself(tmp_path: Path) -> None:
    """After 30 seconds, also if nothing changes meanwhile; a fault of one incident stops nothing."""
    bench = Bench(tmp_path / "home")
    await bench.start()
    bench.channel.fail = [RetryLater("no network"), ValueError("a fault"), RetryLater("no network")]
    running = asyncio.ensure_future(bench.services.threads.run())
    await bench.services.check("shop")
    bench.checks.status["shop"] = "down"
    for _ in range(2):
        await bench.services.check("shop")
    async with asyncio.timeout(10):
        while not await bench.documents():
            await bench.clock.move(1)
    running.cancel()
    assert bench.channel.fail == []
    assert len(bench.channel.posted) == 1


async def test_a_failure_after_a_runbook_is_a_new_outage_of_the_thread(tmp_path: Path) -> None:
    """The thread has taken healthy checks as its end before two runs in a row confirmed it."""
    bench = await Bench(tmp_path / "home", section("api/shop", "web/shop")).start()
    await bench.story("UU")
    name = (await bench.thread()).thread_id
    bench.checks.status = {}
    checks = await bench.services.check_again("shop")
    event = ServicesRecovered(at=bench.clock.now(), fresh=fresh(), checks=checks)
    await bench.orchestrator.submit(name, event)
    await bench.story("UU", "web")
    incident = (await bench.thread()).incident
    assert incident is not None
    assert (incident.services, incident.failures, incident.is_over) == (("web",), 2, False)
    assert len(bench.channel.posted) == 1


async def test_many_groups_with_long_intervals_are_one_incident(tmp_path: Path) -> None:
    """Their checks are spread over the longest interval, and so are their first failures."""
    made = section(*[f"s{number}" for number in range(6)])
    slow = made.model_copy(update={"services": [each.model_copy(update={"interval_s": 300}) for each in made.services]})
    bench = await Bench(tmp_path / "home", slow).start()
    for _ in range(2):
        for number in range(6):
            await bench.run("U", f"s{number}", every=50)
    assert len(bench.channel.posted) == 1


@pytest.mark.parametrize(
    ("interval_s", "late_s", "incidents"), [(60, 69, 1), (60, 71, 2), (3_600, 609, 1), (3_600, 611, 2)]
)
async def test_groups_fail_at_once_within_an_interval_and_a_timeout(
    tmp_path: Path, interval_s: float, late_s: float, incidents: int
) -> None:
    """An interval of more than ten minutes counts as ten."""
    names = [f"s{number}" for number in range(6)]
    bench = await Bench(tmp_path / "home", section(*names, interval_s=interval_s)).start()
    await bench.run("U", *names[:5], every=late_s)
    await bench.run("U", "s5", every=0)
    await bench.story("U", *names)
    assert len(bench.channel.posted) == incidents


async def test_a_thread_whose_end_was_seen_early_is_not_told_of_healthy_services(bench: Bench) -> None:
    """The checks still wait for a calm cooldown: two healthy runs then are no outage."""
    await bench.story("UUHUHUU")
    event = ServicesRecovered(at=bench.clock.now(), fresh=fresh(), checks=())
    await bench.orchestrator.submit((await bench.thread()).thread_id, event)
    await bench.story("HHHH")
    (record,) = bench.services.book.records
    incident = (await bench.thread()).incident
    assert incident is not None
    assert (record.is_open, record.is_behind) == (True, False)
    assert (incident.is_over, incident.failures) == (True, 1)


async def test_an_outage_after_its_message_was_deleted_begins_a_new_thread(bench: Bench) -> None:
    """Within the cooldown, too: in the old thread nobody would see it; a message that is there is continued."""
    await bench.story("UUHH")
    (deleted,) = bench.channel.posted
    deleted |= {"channel": "no longer there"}
    await bench.story("UUU")
    message = bench.channel.posted[-1]
    assert [each["metadata"]["event_payload"]["incident_id"] for each in (deleted, message)] == [*bench.count_posts()]
    first, second = await bench.documents()
    assert (first.incident.is_over, second.incident.is_over) == (True, False)  # type: ignore[union-attr]  # both have one
    await bench.story("HHUU")
    assert len(bench.channel.posted) == 2
    assert (await bench.documents())[-1].incident.failures == 2  # type: ignore[union-attr]  # as above
