"""`triage doctor` against a workspace: who may not decide is named, and no finding hides the next one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.slack.identity import Identity
from bot.cli.doctor_check import failed_check
from bot.cli.doctor_people import check_people
from bot.cli.doctor_slack import scopes_check
from bot.config.app_scopes import FILES_SCOPE, NEEDED_SCOPES
from bot.config.settings import Settings
from bot.errors import RateLimited, Refused, RetryLater, TriageError
from bot.models.person import Person
from tests.builders import TEAM
from tests.fakes import Town
from tests.forks import triage

OWN = Identity(user_id="U0TRIAGE", bot_id="B0TRIAGE", team_id=TEAM, team="", url="")

if TYPE_CHECKING:
    import subprocess

    from tests.line.conftest import Line

ABOUT = "operators: [U0OPS]"
RULES = """
routing:
  default: shop
  rules:
    - {pattern: a, role: shop, channel: C0HELP}
    - {pattern: b, role: shop, channel: C0NADA}
    - {pattern: c, role: shop, channel: D0ANA}
"""
ROLE = "---\nname: shop\ndisplayName: Shop\ncategory: coding\ncwd: ./shop\n---\nYou know it.\n"


@pytest.mark.parametrize(
    ("without", "reads_files", "told"),
    [
        ((), True, "enough"),
        (
            (),
            False,
            "enough; without channels:manage create_project creates no channels; more than these settings need",
        ),
        (("files:read",), False, "enough"),
        (("files:read",), True, "missing files:read; install the app again with the manifest of `triage manifest`"),
        (("chat:write", "files:read"), True, "missing chat:write, files:read; install"),
    ],
)
def test_a_scope_that_the_settings_need_is_named(without: tuple[str, ...], told: str, *, reads_files: bool) -> None:
    """The one of text files only where they are read."""
    settings = Settings(classifier={"team_members": ["S0ONCALL"]}, slack={"read_files": reads_files})
    check = scopes_check((NEEDED_SCOPES | {FILES_SCOPE}) - {*without}, settings)
    assert check.detail.startswith(told)
    assert check.ok is told.startswith("enough")


@pytest.mark.parametrize(
    ("problem", "ok", "told"),
    [
        (RateLimited("apps.connections.open: rate limited", after=30), None, "rate limited; try again in 30 s"),
        (RetryLater("apps.connections.open: Slack cannot be reached"), False, "Slack cannot be reached, so none"),
        (Refused("apps.connections.open: invalid_auth", code="invalid_auth"), False, "invalid_auth, so none"),
    ],
)
def test_too_many_calls_are_no_fault(problem: TriageError, ok: bool | None, told: str) -> None:  # of the table
    """Whatever else keeps Slack from answering is one."""
    check = failed_check("socket mode", problem, ", so none")
    assert (check.ok, check.detail.endswith(told)) == (ok, True), check


async def doctor(line: Line, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Its report on the line's settings and home."""
    paths = ("--config", str(line.config), "--home", str(line.home))
    return await asyncio.to_thread(lambda: triage("doctor", *paths, *options, variables=line.variables | variables))


def marked(done: subprocess.CompletedProcess[str], mark: str) -> list[str]:
    """The lines of the report with this mark, without it."""
    return [said.removeprefix(mark).strip() for said in done.stdout.splitlines() if said.startswith(mark)]


async def test_operators_and_admins_who_may_not_decide_are_named(line: Line) -> None:
    """A bot, the bot itself, somebody whom Slack does not know: each is wrong, with the next step."""
    line.config.write_text(
        line.config.read_text()
        .replace(ABOUT, "operators: [U0OPS, U0ALERTS]\nadmins: [U0ADMIN, U0TRIAGE, U0NOBODY]")
        .replace("weekly_at: off", "weekly_at: off, channel: C0NADA")
        + RULES
    )
    (line.config.parent / "roles").mkdir()
    (line.config.parent / "roles" / "shop.md").write_text(ROLE)
    done = await doctor(line)
    assert done.returncode == 1
    reports, bot, itself, unknown = marked(done, "WRONG")
    assert reports.startswith("reports.channel C0NADA: ")
    assert bot == "operator U0ALERTS: Alerts is a bot, and may not decide: name a member"
    assert itself == "admin U0TRIAGE: Triage is a bot, and may not decide: name a member"
    assert unknown.startswith("admin U0NOBODY:")
    assert "user_not_found" in unknown
    assert {"operator U0OPS: Olu", "admin U0ADMIN: Ada"} <= set(marked(done, "ok"))
    (idle,) = [said for said in marked(done, "note") if said.startswith("routing: ")]
    assert "routing.rules.1.channel: C0NADA is not watched, so this rule never applies" in idle


class Directory(Town):
    """A town of which bots, leavers and strangers are known, too."""

    async def person(self, user: str) -> Person:
        """Everybody is what the id says."""
        if user == "U0NOBODY":
            raise Refused("users.info: user_not_found", code="user_not_found")
        team = "T0OTHER" if "STRANGER" in user else TEAM
        return Person(
            user_id=user, team_id=team, is_guest="GUEST" in user, is_bot="BOT" in user, is_gone="GONE" in user
        )

    async def user_name(self, user: str) -> str:
        """The name of somebody who is known."""
        return (await self.person(user)).user_id.removeprefix("U0").title()


GROUPS = {"S0CREW": ("U0ANN", "U0BEN"), "S0MIXED": ("U0ANN", "U0GUEST"), "S0GUESTS": ("U0GUEST",), "S0EMPTY": ()}


@pytest.mark.parametrize(
    ("role", "name", "ok", "words"),
    [
        ("operator", "U0ANN", True, "Ann"),
        ("operator", "U0GUEST", False, "Guest is a guest, and may not decide"),
        ("operator", "U0GONE", False, "a deactivated account"),
        ("operator", "U0STRANGER", False, "of another workspace"),
        ("admin", "U0GUEST", False, "Guest is a guest"),
        ("operator", "S0CREW", True, "U0ANN, U0BEN"),
        ("operator", "S0MIXED", None, "U0GUEST is a guest"),
        ("operator", "S0GUESTS", False, "U0GUEST is a guest"),
        ("operator", "S0EMPTY", False, "the user group is empty"),
        ("operator", "S0NONE", False, "no such group"),
        ("owner", "S0CREW", True, "U0ANN, U0BEN"),
        ("owner", "U0GUEST", True, "Guest"),
        ("owner", "S0EMPTY", False, "nobody could be asked"),
        ("owner", "U0NOBODY", False, "user_not_found"),
    ],
)
async def test_people_and_user_groups_are_looked_up(role: str, name: str, ok: bool | None, words: str) -> None:
    """A group of which some may decide is a note; one of which nobody may is wrong."""
    tables: dict[str, dict[str, Any]] = {
        "operator": {"watched_chats": [{"chat_id": "C0HELP", "operators": [name]}]},
        "admin": {"admins": [name]},
        "owner": {"owners": {"@api": name}},
    }
    chat: Any = Directory(**GROUPS)
    (found,) = [
        check
        async for check in check_people(
            chat,
            Settings(**tables[role]),
            Identity(user_id="U0TRIAGE", bot_id="B0TRIAGE", team_id=TEAM, team="", url=""),
        )
    ]
    assert (found.name, found.ok, words in found.detail) == (f"{role} {name}", ok, True), found


async def test_nothing_that_is_found_hides_the_rest(line: Line) -> None:
    """Two tokens of the wrong kind, five wrong values, a home that is a file: all of it is in one report."""
    line.home.write_text("")
    wrong = "".join(f"wrong_{number}: 1\n" for number in range(5))
    line.config.write_text(line.config.read_text() + wrong)
    done = await doctor(line, SLACK_BOT_TOKEN="no", SLACK_APP_TOKEN="no")  # noqa: S106  # no token at all
    assert (done.returncode, done.stderr) == (1, "")
    report = "\n".join(marked(done, "WRONG"))
    for words in ("starts with xoxb-", "starts with xapp-", *(f"wrong_{number}" for number in range(5))):
        assert words in report
    assert any(said.startswith("git:") for said in marked(done, "ok"))


async def test_slack_that_refuses_hides_nothing_of_this_machine(line: Line) -> None:
    """The projects and the home stand behind it in the report."""
    line.home.mkdir(mode=0o755)
    line.home.chmod(0o755)
    done = await doctor(line, SLACK_BOT_TOKEN="-".join(("xoxb", "unknown")))
    wrong = marked(done, "WRONG")
    assert any(said.startswith("slack:") and "invalid_auth" in said for said in wrong)
    assert any("chmod 700" in said for said in wrong)
    assert any(said.startswith("project shop:") for said in marked(done, "ok"))


async def test_a_bot_that_does_not_run_is_wrong_for_a_monitor_only(line: Line) -> None:
    """A note for a person, exit 1 with `--running` and `--watch`; well again while one runs."""
    assert (await doctor(line)).returncode == 0
    for option in ("--running", "--watch"):
        done = await doctor(line, option)
        assert (done.returncode, len(marked(done, "WRONG"))) == (1, 1), done.stdout
    done = await doctor(line, SLACK_BOT_TOKEN="", SLACK_APP_TOKEN="")
    assert [said.partition(":")[0] for said in marked(done, "WRONG")] == ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]
    over_http = await doctor(line, SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET="-".join(("no", "secret")))
    assert (marked(over_http, "WRONG"), over_http.returncode) == ([], 0)
    async with line.bot():
        done = await doctor(line, "--running")
        assert done.returncode == 0, done.stdout
    done = await doctor(line, "--running")
    assert done.returncode == 1
    assert marked(done, "WRONG") == ["watcher: no bot runs on this home"]
