"""Who commands in these tests, and a handler whose parts are in memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, CommandSpec, SealedRequest, build_catalogue
from bot.commands.confirmations import Confirmations
from bot.commands.handler import CommandHandler
from bot.commands.permission import Permission
from bot.commands.registry import Command
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused
from bot.models.fact import Fact
from bot.models.interaction import TypedCommand
from bot.models.person import Person
from bot.triage.membership import Membership
from tests.builders import CHANNEL, TEAM
from tests.fakes import HandClock, MemoryJournal, MemoryKept, operators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.command import Preview, Run
    from bot.errors import TriageError

OPERATOR, ADMIN, GUEST, FOREIGNER, MEMBER = "U0OPS", "U0ADMIN", "U0GUEST", "U0FAR", "U0ANA"


@dataclass
class Crew:
    """`People` of one workspace, with a guest and somebody from another one."""

    failure: TriageError | None = None
    asked: list[str] = field(default_factory=list)

    async def person(self, user: str) -> Person:
        """What is known of them, or the failure that the test wants."""
        self.asked.append(user)
        if self.failure:
            raise self.failure
        if user not in (OPERATOR, ADMIN, GUEST, FOREIGNER, MEMBER, "U0BOT"):
            raise Refused("users.info: user_not_found", code="user_not_found")
        team = "T0OTHER" if user == FOREIGNER else TEAM
        return Person(user_id=user, team_id=team, is_guest=user == GUEST, is_bot=user == "U0BOT")


def command(text: str = "", **changes: Any) -> TypedCommand:
    """`/triage text` by the admin."""
    values: dict[str, Any] = {
        "interaction_id": "i1",
        "team_id": TEAM,
        "user_id": ADMIN,
        "channel_id": CHANNEL,
        "via": "slash",
        "text": text,
    }
    return TypedCommand(**(values | changes))


@dataclass
class About:
    """What a conversation is about: a `ProjectOverview` with this one call."""

    project: str | None = None
    reader: str = ""
    """The only one whose conversations it is about; everyone without it."""

    def find_conversation_project(self, asker: Any) -> str | None:
        """The project."""
        return self.project if self.reader in ("", asker.user_id) else None


def permission(people: Crew | None = None) -> Permission:
    """Guest and foreigner are named as admins too: they may not all the same."""
    return Permission(
        operators=operators(OPERATOR),
        admins=frozenset({ADMIN, GUEST, FOREIGNER, "U0BOT", "U0NOBODY"}),
        members=Membership(team_id=TEAM, people=people or Crew(), clock=HandClock()),
    )


SEALED: dict[str, Any] = {
    "task": "shop",
    "thread_id": "T0SANDBOX-C0HELP-1700000000.000100",
    "draft_id": "T0SANDBOX-C0HELP-1700000000.000100/1",
    "nonce": "n1",
    "confirmed": "",
    "anyway": False,
    "command": "run-tests",
    "project": "shop",
    "branch": "",
    "values": {},
    "argv": ("true",),
    "folder": "/nowhere",
    "timeout_s": 60,
    "writes": False,
    "channel": "C0HELP",
    "figures": (),
    "is_isolated": True,
    "run_id": "run1",
    "at": "2026-01-05T09:00:00Z",
}
"""A value for each field of a sealed input."""
_BRANCH: dict[str, Any] = {"repository": "shop", "slug": "fix", "sha": "a" * 40, "commits": 1, "files": 1}
_REPOSITORY: dict[str, Any] = {"name": "shop/api", "project": "shop", "kind": "init"}
PLANS: dict[str, dict[str, Any]] = {
    "git_push": {**_BRANCH, "remote": "https://example.com/shop", "remote_sha": ""},
    "git_merge": {**_BRANCH, "target": "main", "target_sha": "b" * 40},
    "git_create_pr": {
        **{name: _BRANCH[name] for name in ("repository", "slug", "sha")},
        "remote": "https://example.com/shop",
        "target": "main",
        "text": {"title": "Mend it", "body": ""},
    },
}
"""The plan in the sealed input of a command."""


def sealing(spec: CommandSpec) -> Preview | None:
    """A preview that seals an example, for a command that does what it showed."""
    form = spec.sealed
    if form is None:
        return None

    async def show(*_: Any) -> SealedRequest:
        values = {**SEALED, "plan": PLANS.get(spec.name), "repository": _REPOSITORY, "losses": ()}
        request = form.model_validate({name: values[name] for name in form.model_fields})
        return SealedRequest(
            request=request,
            brief="It is shown.",
            shown="The whole of it.",
            typed_again="shop#1",
            is_typed=spec.name in TYPED,
        )

    return show


TYPED = {"delete_task"}
"""Sealed commands whose name is typed in Slack, too."""


async def echo(asked: Any, _: Any) -> CommandAnswer:
    """Says what came in."""
    return CommandAnswer(line=f"{type(asked).__name__} {asked.model_dump(mode='json')}")


class Booth:
    """A `Chat` that keeps whom it showed what, which dialogs it opened, and what it put in place of buttons."""

    def __init__(self) -> None:
        self.notices: list[dict[str, Any]] = []
        self.posted: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.replaced: list[dict[str, Any]] = []
        self.said: list[str] = []
        """All that people read of it but for what was posted, in order."""
        self.fail: Exception | None = None

    async def post_ephemeral(self, **said: Any) -> None:
        """Keep it."""
        self.notices.append(said)
        self.said.append(said["text"])

    async def post(self, **said: Any) -> str:
        """Keep it."""
        self.posted.append(said)
        return "900.000001"

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open, or fail as the test said."""
        if self.fail:
            raise self.fail
        self.views.append(view)

    async def update(self, **said: Any) -> None:
        """Put something in a message's place, or fail as the test said."""
        if self.fail:
            raise self.fail
        self.replaced.append(said)
        self.said.append(said["text"])

    async def find_in_channel(self, **said: Any) -> str | None:
        """Look among what was posted there."""
        nonces = [each["metadata"]["event_payload"].get("nonce") for each in self.posted]
        return "900.000001" if said["nonce"] in nonces else None

    async def respond(self, **said: Any) -> None:
        """Put something in a message's place, or fail as the test said."""
        if self.fail:
            raise self.fail
        self.replaced.append(said)
        self.said.append(said["text"])

    async def open_dm(self, user: str) -> str:
        """A direct message."""
        return f"D{user}"


class Named(Fact):
    """A thing by its name, and a remark."""

    name: str
    remark: str = ""


class Noted(Fact):
    """A title, perhaps a project, and all that follows."""

    title: str
    project: str = "shop"
    content: str


class Sold(Fact):
    """A thing of a project; without one, that of the conversation."""

    name: str
    project: str = ""


SMALL = build_catalogue(
    CommandSpec(name="look", summary="looks at it", input=Named, role="operator", tier="read", also=("get_look",)),
    CommandSpec(name="turn", summary="turns it", input=Named, role="operator", tier="reversible"),
    CommandSpec(
        name="drop", summary="drops it", input=Named, role="admin", tier="irreversible", names="name", also=("drop_it",)
    ),
    CommandSpec(name="burn", summary="burns all", input=Named, role="admin", tier="irreversible"),
    CommandSpec(name="note", summary="notes it", input=Noted, role="operator", tier="reversible", rest=True),
    CommandSpec(name="swap", summary="swaps it", input=Named, role="operator", tier="reversible", always_asks=True),
    CommandSpec(name="sell", summary="sells it", input=Sold, role="admin", tier="irreversible", names="name"),
)
"""A catalogue with every tier in it."""


def handler(
    *,
    catalogue: Mapping[str, CommandSpec] = CATALOGUE,
    clock: HandClock | None = None,
    kept: MemoryKept | None = None,
    chat: Booth | None = None,
    people: Crew | None = None,
    runs: Mapping[str, Run] = MappingProxyType({}),
    redactor: Redactor | None = None,
) -> CommandHandler:
    """Build a handler in which each command without a run echoes its input."""
    time, numbers, booth = clock or HandClock(), itertools.count(1), chat or Booth()
    time.new_id = lambda: f"{next(numbers):08x}"
    return CommandHandler(
        commands={
            name: Command(spec=spec, run=runs.get(name, echo), preview=sealing(spec))
            for name, spec in catalogue.items()
        },
        permission=permission(people),
        audit=MemoryJournal(),
        clock=time,
        redactor=redactor or Redactor(),
        confirmations=Confirmations(file=kept or MemoryKept(), clock=time),
        chat=booth,  # type: ignore[arg-type]  # of a chat, what shows and opens
    )
