"""Projects with a channel: created exactly once, whatever dies or fails when, and watched from then on."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import Misconfigured, Refused, RetryLater, Uncertain
from bot.intake.read_cursors import ReadCursors, SavedCursors
from bot.intake.watched import WatchedChannels
from bot.models.created_channel import SlackChannel
from bot.models.loss import Loss
from bot.models.project import ProjectRecords
from bot.triage.channel_creation import ChannelCreation, Failed
from bot.triage.channel_watch import ChannelWatch
from bot.triage.controls import Controls
from bot.triage.projects import Projects
from tests.builders import T0
from tests.fakes import HandClock, MemoryKept, settle
from tests.triage.test_projects import registry

BOT = "U0BOT"
KEYS = {"root": "/srv/shop"}


class Died(Exception):
    """The process ended here."""


class Fate:
    """Lets the process die at the given call of those that leave something behind, before or after its effect."""

    def __init__(self, dies_at: int = 0, *, after: bool = False) -> None:
        self.left, self.after = dies_at, after

    def passes(self, *, is_done: bool) -> None:
        """Count a call once, and end the process at its turn."""
        if is_done == self.after:
            self.left -= 1
            if self.left == 0:
                raise Died


class Workspace:
    """Slack's channels, which outlive the process; `problems` are raised by the next calls, by method."""

    def __init__(self) -> None:
        self.channels: list[SlackChannel] = []
        self.invited: list[tuple[str, str]] = []
        self.problems: dict[str, list[Exception]] = {}
        self.fate = Fate()
        self.calls: list[str] = []
        self.archived: list[str] = []
        self.has_scope = True

    async def may_administer(self) -> bool:
        """Return whether the app has the scope."""
        return self.has_scope

    async def create_channel(self, name: str) -> SlackChannel:
        """A channel, unless the name is taken."""
        self._begin("create")
        if any(channel.name == name for channel in self.channels):
            raise Refused("conversations.create: name_taken", code="name_taken")
        channel = SlackChannel(channel_id=f"C0NEW{len(self.channels)}", name=name, creator=BOT, created_at=T0)
        self.channels.append(channel)
        if problem := self._next("create after"):
            raise problem
        self.fate.passes(is_done=True)
        return channel

    async def find_joined(self, name: str) -> SlackChannel | None:
        """One that the bot is in."""
        self.calls.append("find")
        return next((channel for channel in self.channels if channel.name == name), None)

    async def invite(self, *, channel: str, user: str) -> None:
        """Put a person in it."""
        self._begin("invite")
        self.invited.append((channel, user))
        self.fate.passes(is_done=True)

    async def archive(self, channel: str) -> None:
        """End a channel."""
        self._begin("archive")
        self.archived.append(channel)
        self.fate.passes(is_done=True)

    def _begin(self, method: str) -> None:
        self.calls.append(method)
        self.fate.passes(is_done=False)
        if problem := self._next(method):
            raise problem

    def _next(self, method: str) -> Exception | None:
        waiting = self.problems.get(method, [])
        return waiting.pop(0) if waiting else None


class DyingFile(MemoryKept):
    """`projects.json`, whose process may die at a save."""

    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self.fate = fate

    async def write(self, content: dict[str, Any]) -> None:
        """Save it, or die before or after."""
        self.fate.passes(is_done=False)
        await super().write(content)
        self.fate.passes(is_done=True)


class Process:
    """One process of the bot over what outlives it."""

    def __init__(self, workspace: Workspace, file: DyingFile, clock: HandClock | None = None) -> None:
        records = ProjectRecords.model_validate(file.said)
        self.projects: Projects = registry(records, kept=file)
        self.clock = clock or HandClock()
        self.told: list[str] = []
        self.names = {"C0HELP": "help", **{c: each.name for c, each in records.created_channels.items()}}
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes=dict.fromkeys(self.names, "live"))
        self.missed: list[str] = []
        self.lost = SimpleNamespace(channels=dict.fromkeys(self.names, ""))
        self.cursors = ReadCursors(points=dict.fromkeys(self.names, "1.000001"))
        catch_ups: Any = SimpleNamespace(schedule_missed=self.missed.extend)
        slack: Any = workspace
        losses: Any = self.lost
        notices: Any = SimpleNamespace(tell=self.tell)
        watched = WatchedChannels(self.names, self.controls.modes)
        cursors = SavedCursors(watched=watched, cursors=self.cursors, file=MemoryKept(), clock=self.clock)
        self.watch = ChannelWatch(
            names=self.names, controls=self.controls, cursors=cursors, catch_ups=catch_ups, losses=losses
        )
        self.creation = ChannelCreation(
            projects=self.projects, slack=slack, watch=self.watch, notices=notices, clock=self.clock, bot_user=BOT
        )

    async def tell(self, user: str, text: str) -> None:
        """Keep a notice."""
        self.told.append(f"{user} {text}")

    async def create(self, channel: str = "help-shop", name: str = "shop2") -> str | None:
        """Create a project with a channel; return the channel's id."""
        new = await self.creation.create(name, KEYS, channel=channel, by="U0ADMIN")
        return new.channel_id if new else None

    async def create_and_invite(self) -> None:
        """Do what the command does."""
        await self.creation.invite_creator(await self.create() or "")

    async def finish(self) -> None:
        """Let the background work run until it waits."""
        running = asyncio.create_task(self.creation.run())
        await settle()
        running.cancel()


async def test_a_project_is_created_with_its_channel() -> None:
    """Which is watched from then on, live, read from its creation on, and the next process watches it as well."""
    workspace, file = Workspace(), DyingFile(Fate())
    process = Process(workspace, file)
    assert await process.create() == "C0NEW0"
    assert process.projects.channels == {"C0NEW0": "shop2"}
    assert (process.names["C0NEW0"], process.controls.modes["C0NEW0"]) == ("help-shop", "live")
    assert (process.cursors.points["C0NEW0"], process.missed) == (f"{T0.timestamp():.6f}", ["C0NEW0"])
    assert await process.creation.invite_creator("C0NEW0") == ""
    await process.finish()
    assert workspace.invited == [("C0NEW0", "U0ADMIN")]
    again = Process(workspace, file)
    await again.finish()
    assert (again.names["C0NEW0"], again.projects.channels) == ("help-shop", {"C0NEW0": "shop2"})
    assert (workspace.calls, again.told) == (["create", "invite"], [])


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("dies_at", range(1, 7))
async def test_a_death_anywhere_leaves_one_channel(dies_at: int, *, after: bool) -> None:
    """The next process finishes what was begun: it takes the channel that is there, or creates it."""
    workspace = Workspace()
    workspace.fate = Fate(dies_at, after=after)
    file = DyingFile(workspace.fate)
    process = Process(workspace, file)
    with pytest.raises(Died):
        await process.create_and_invite()
    workspace.fate.left = 0
    is_ordered = bool(ProjectRecords.model_validate(file.said).channel_orders) or workspace.channels != []
    again = Process(workspace, file)
    await again.finish()
    assert [channel.name for channel in workspace.channels] == (["help-shop"] if is_ordered else [])
    assert again.projects.channels == ({"C0NEW0": "shop2"} if is_ordered else {})
    assert {*workspace.invited} == ({("C0NEW0", "U0ADMIN")} if is_ordered else set())
    records = again.projects.settings_by_command
    assert (records.channel_orders, all(each.is_settled for each in records.created_channels.values())) == ({}, True)


@pytest.mark.parametrize(
    "problems",
    [
        {"create": [RetryLater("down"), RetryLater("down")]},
        {"create": [Uncertain("cut")]},
        {"create after": [Uncertain("cut")]},
        {"create": [RetryLater("down"), Uncertain("cut")]},
    ],
)
async def test_slack_that_does_not_answer_is_asked_again(problems: dict[str, list[Exception]]) -> None:
    """Until then the name of the project is taken; then its creator is told."""
    workspace = Workspace()
    workspace.problems = problems
    process = Process(workspace, DyingFile(Fate()))
    assert await process.create() is None
    for name, channel in (("SHOP2", "other"), ("other", "help-shop")):
        with pytest.raises(Misconfigured, match=r"is taken|is being created already"):
            await process.create(channel, name)
    running = asyncio.create_task(process.creation.run())
    for _ in range(3):
        await settle()
        await process.clock.move(30)
    running.cancel()
    assert len(workspace.channels) == 1
    assert process.projects.channels == {"C0NEW0": "shop2"}
    (told,) = process.told
    assert told.startswith("U0ADMIN Created `shop2` with its channel <#C0NEW0>, which is watched, live.")


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (SlackChannel(channel_id="C0X", name="help-shop", creator="U0ANA", created_at=T0), "another channel has this"),
        (
            SlackChannel(channel_id="C0X", name="help-shop", creator=BOT, created_at=T0 - timedelta(hours=2)),
            "another channel has this name",
        ),
        ("restricted_action", "ask its administrators"),
        ("missing_scope", "lacks the scope `channels:manage`"),
        ("invalid_name_specials", "Slack does not accept the name"),
        ("unheard_of", "Slack refused it"),
    ],
)
async def test_a_refusal_creates_nothing(channel: SlackChannel | str, words: str) -> None:
    """A channel of somebody else is not taken for its own; the name of the project is free again."""
    workspace = Workspace()
    if isinstance(channel, SlackChannel):
        workspace.channels.append(channel)
    else:
        workspace.problems["create"] = [Refused(f"conversations.create: {channel}", code=channel)]
    process = Process(workspace, DyingFile(Fate()))
    with pytest.raises(Failed, match=words):
        await process.create()
    assert process.projects.settings_by_command == ProjectRecords()
    assert [*process.names] == ["C0HELP"]
    assert await process.create("other-name") is not None


async def test_a_project_that_breaks_a_rule_meanwhile_keeps_its_channel() -> None:
    """It is watched, so that the project can be given it later; a channel that is watched is not created again."""
    workspace, file = Workspace(), DyingFile(Fate())
    process = Process(workspace, file)
    with pytest.raises(Misconfigured, match="is watched already: create the project without it"):
        await process.create("help")
    workspace.fate.left, workspace.fate.after = 1, True  # dies when the channel is there
    with pytest.raises(Died):
        await process.create()
    workspace.fate.left = 0
    orders = file.said["channel_orders"]
    orders["help-shop"] |= {"given": {"root": "/gone"}, "channel": workspace.channels[0].model_dump(mode="json")}
    again = Process(workspace, file)
    await again.finish()
    assert (again.projects.names, again.projects.channels) == (("api", "shop"), {})
    assert again.names["C0NEW0"] == "help-shop"
    (told,) = again.told
    assert "root: expected an existing folder. Its channel <#C0NEW0> is there and watched" in told


async def test_a_creator_who_cannot_be_invited_is_not_invited_again() -> None:
    """The reason is told once; a Slack that does not answer is asked again."""
    workspace = Workspace()
    workspace.problems["invite"] = [RetryLater("down"), Refused("no", code="user_is_restricted")]
    process = Process(workspace, DyingFile(Fate()))
    await process.create()
    with pytest.raises(RetryLater):
        await process.creation.invite_creator("C0NEW0")
    assert "a guest cannot be invited" in await process.creation.invite_creator("C0NEW0")
    await process.finish()
    assert workspace.calls == ["create", "invite", "invite"]


@pytest.mark.parametrize(
    ("kind", "is_linked", "is_watched"),
    [("deleted", True, False), ("archived", True, True), ("archived", False, False), ("left", False, True)],
)
async def test_a_channel_that_is_gone_is_forgotten(kind: Any, *, is_linked: bool, is_watched: bool) -> None:
    """One that may come back is not."""
    process = Process(Workspace(), DyingFile(Fate()))
    await process.create()
    if not is_linked:
        await process.projects.link("C0NEW0", None)
    await process.creation.note_change(Loss(kind=kind, subject="C0NEW0", at=T0))
    assert ("C0NEW0" in process.names) is is_watched
    assert ("C0NEW0" in process.projects.settings_by_command.created_channels) is is_watched
    assert ("C0NEW0" in process.lost.channels) is is_watched
    await process.creation.note_change(Loss(kind="deleted", subject="C0HELP", at=T0))
    assert "C0HELP" in process.names
