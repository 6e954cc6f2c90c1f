"""The message of a fix, posted once whatever Slack does; and the line with its link in a reply that waits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.fix_event import RequestLinked
from bot.models.thread import Thread
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.fix_messages import FixMessages
from bot.surfaces.request_links import RequestLinks
from tests.builders import OPERATOR, moved
from tests.fakes import HandClock, HeardEvents, MemoryStore, card_renderer, orchestrator, settle
from tests.fixes import REQUEST, Drafter, drafting, ended, failed, fix_of, is_open, opened, opening, proposed, stopping


class Direct:
    """A direct message in Slack, in which each message is found by its nonce; it fails as the test says."""

    def __init__(self, *problems: Exception) -> None:
        self.posts: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        """Messages whose address was asked for."""
        self.problems = [*problems]
        self.is_lossy = False
        """True if a problem comes after the effect."""

    async def open_dm(self, user: str) -> str:
        """Its channel."""
        return f"D{user}"

    async def permalink(self, *, channel: str, ts: str) -> str:
        """An address."""
        self.asked.append((channel, ts))
        return f"https://x.slack.com/archives/{channel}/p{ts}"

    async def post(self, **arguments: Any) -> str:
        """Keep it, or fail."""
        problem = self.problems.pop(0) if self.problems else None
        if problem is None or self.is_lossy:
            self.posts.append(arguments)
        if problem:
            raise problem
        return f"{len(self.posts)}.5"

    async def update(self, **arguments: Any) -> None:
        """Keep it, or fail."""
        if self.problems:
            raise self.problems.pop(0)
        self.updates.append(arguments)

    async def find_in_channel(self, *, nonce: str, **where: Any) -> str | None:
        """Look it up."""
        nonces = [post["metadata"]["event_payload"]["nonce"] for post in self.posts]
        return f"{nonces.index(nonce) + 1}.5" if nonce in nonces else None


class Scene:
    """The message of a saved thread."""

    def __init__(self, thread: Thread, *problems: Exception) -> None:
        self.store, self.direct, self.clock = MemoryStore(), Direct(*problems), HandClock()
        self.home = thread.thread_id
        self.store.saved[self.home] = thread
        self.queue = orchestrator(self.store)
        self.view = self.build()

    def build(self) -> FixMessages:
        """Build the view of a bot that has just started."""
        chat: Any = self.direct
        return FixMessages(
            chat=chat, clock=self.clock, pictures=card_renderer(chat), threads=self.queue, shared=CardChannel()
        )

    @property
    def thread(self) -> Thread:
        """The thread as it is saved."""
        return self.store.saved[self.home]

    async def draw(self, *, look_up: bool = False) -> None:
        """Show the saved document."""
        self.view.redraw(self.thread, look_up=look_up)
        await settle()


async def test_a_fix_has_one_message_which_is_updated() -> None:
    """To the person who asked for it, once there is something to read."""
    scene = Scene(drafting())
    await scene.draw()
    assert scene.direct.posts == []
    scene.store.saved[scene.home] = moved(scene.thread, ended(scene.thread))
    await scene.draw()
    await scene.draw()
    (post,) = scene.direct.posts
    assert (post["channel"], fix_of(scene.thread).card.ts) == (f"D{OPERATOR}", "1.5")
    assert not fix_of(scene.thread).is_behind
    fix = fix_of(scene.thread)
    scene.store.saved[scene.home] = scene.thread.evolve(fix=fix.evolve(revision=fix.revision + 1, title="Other words"))
    await scene.draw()
    assert (len(scene.direct.posts), len(scene.direct.updates)) == (1, 1)
    assert "Other words" in str(scene.direct.updates[0]["blocks"])


@pytest.mark.parametrize("problem", [Uncertain("no answer"), RetryLater("busy", after=1)])
@pytest.mark.parametrize("is_lossy", [True, False])
async def test_a_doubtful_post_is_looked_up(problem: Exception, is_lossy: bool) -> None:
    """A second one is never posted of the same fix."""
    scene = Scene(proposed(), problem)
    scene.direct.is_lossy = is_lossy and isinstance(problem, Uncertain)
    await scene.draw()
    for _ in range(3):
        await scene.clock.move(20)
        await settle()
    assert len(scene.direct.posts) == 1
    assert not fix_of(scene.thread).is_behind


@pytest.mark.parametrize("was_posted", [True, False])
async def test_a_restart_finds_the_message(was_posted: bool) -> None:
    """Also one whose post was never recorded."""
    scene = Scene(proposed())
    before = scene.thread
    if was_posted:
        await scene.draw()
        scene.store.saved[scene.home] = before
    scene.view = scene.build()
    await scene.draw(look_up=True)
    await scene.clock.move(5)
    await settle()
    assert len(scene.direct.posts) == 1
    assert fix_of(scene.thread).card.ts == "1.5"


async def test_a_message_that_was_deleted_by_hand_comes_back_with_the_next_change() -> None:
    """Its buttons are needed."""
    scene = Scene(proposed())
    await scene.draw()
    fix = fix_of(scene.thread)
    scene.store.saved[scene.home] = scene.thread.evolve(fix=fix.evolve(revision=fix.revision + 1))
    scene.direct.problems = [Refused("gone", code="message_not_found")]
    await scene.draw()
    assert len(scene.direct.posts) == 2


async def test_a_refused_message_is_left() -> None:
    """The next start tries again."""
    scene = Scene(failed(), Refused("no", code="cannot_dm_bot"))
    await scene.draw()
    assert (scene.direct.posts, fix_of(scene.thread).is_behind) == ([], True)


async def test_a_draft_that_was_stopped_has_no_message() -> None:
    """The card says it."""
    thread = stopping()
    scene = Scene(moved(thread, ended(thread)))
    await scene.draw()
    assert scene.direct.posts == []


class Told:
    """A queue that keeps what it is told (`ThreadQueue`)."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def tell(self, thread_id: str, happening: Any) -> None:
        """Keep it."""
        self.events.append(happening)

    def why_held(self, thread: Thread) -> str | None:
        """Hold nothing."""
        return None

    def state(self) -> str:
        """Run."""
        return "running"


async def test_the_link_is_added_to_a_draft_that_waits_as_it_will_be_posted() -> None:
    """Sealed with the line, and once."""
    told, thread = Told(), opened()
    links = RequestLinks(clock=HandClock(), threads=told)
    for _ in range(2):
        links.redraw(thread)
    while not told.events:
        await settle()
    (event,) = told.events
    assert isinstance(event, RequestLinked)
    after = moved(thread, event)
    assert after.draft_pending is not None
    assert after.draft_pending.text.endswith(f"\n\nMerge request !7: {REQUEST.url}")
    assert f'{{"type":"link","url":"{REQUEST.url}"' in after.draft_pending.payload
    links.redraw(after)
    links.redraw(opening())
    await links.stop()
    assert told.events == [event]


async def test_a_link_with_a_secret_is_not_added() -> None:
    """The draft stays as it is."""
    secret = "-".join(("a-loaded", "secret", "0815"))
    thread = opening()
    request = REQUEST.evolve(url=f"https://git.example.com/{secret}/1")
    thread = moved(thread, is_open(thread, request=request))
    told = Told()
    links = RequestLinks(clock=HandClock(), threads=told, redactor=Redactor([secret]))
    links.redraw(thread)
    while links._sealing:
        await settle()
    assert told.events == []


@pytest.mark.parametrize(
    ("state", "has_begun", "says"),
    [
        ("stopped", True, "*The draft of a fix was ended* by the stop"),
        ("stopped", False, "It waits: Triage is stopped."),
        ("paused", False, "It waits: Triage is paused."),
        ("paused", True, "*A fix is being drafted* for"),
    ],
)
async def test_a_card_says_of_a_draft_what_a_stop_or_a_pause_did(state: str, has_begun: bool, says: str) -> None:
    """A stop ends a draft that has begun; a pause lets it go on."""
    drafter, thread, view = Drafter(), drafting(), card_renderer(Direct())
    drafter.started = [fix_of(thread).order.run_id] if has_begun else []
    view.fixes, view.threads = drafter, HeardEvents(held=f"Triage is {state}", state=state)
    shown = json.dumps((await view.render_card(thread))["blocks"])
    assert says in shown
    assert ("It waits" in shown) is not has_begun


async def test_the_card_of_the_question_links_to_the_message_of_a_proposed_fix() -> None:
    """Once that is posted; its address is asked for once."""
    slack, thread = Direct(), proposed()
    view, fix = card_renderer(slack), fix_of(thread)
    assert "*A fix is proposed:* its message has" in json.dumps(await view.render_card(thread))
    posted = thread.evolve(fix=fix.evolve(card=fix.card.evolve(channel="D0OPS", ts="1.5")))
    for _ in range(2):
        shown = json.dumps(await view.render_card(posted))
        assert "<https://x.slack.com/archives/D0OPS/p1.5|its message> has the diff" in shown
    assert slack.asked.count(("D0OPS", "1.5")) == 1
