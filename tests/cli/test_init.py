"""`triage init` and `triage manifest` as people and scripts run them, against a workspace on loopback."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import yaml

from bot.adapters.clock import SystemClock
from bot.adapters.pace import Pacer
from bot.adapters.slack.client import web_client
from bot.adapters.slack.directory import SlackDirectory
from sandbox.seed import APP_TOKEN, BOT_TOKEN, TEAM_ID
from tests.forks import begun, terminal, triage

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.line.conftest import Line

ANSWERS = ("--yes", "--channel", "#help-platform", "--operator", "Olu", "--project")


@pytest.fixture
def folder(line: Line) -> Path:
    """An empty folder with some code beside it."""
    (line.folder / "shop").mkdir(exist_ok=True)
    (line.folder / "shop" / "orders.py").write_text("RETRY_LIMIT = 3\n")
    empty = line.folder / "setup"
    empty.mkdir()
    return empty


async def init(line: Line, folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Its report, run in this folder."""
    words = ("init", "--home", str(line.home), *options)
    return await asyncio.to_thread(lambda: triage(*words, cwd=folder, variables=line.variables | variables))


async def test_a_script_sets_everything_up(line: Line, folder: Path) -> None:
    """Names become ids, tokens go to a file for its owner only, and the doctor finds nothing wrong."""
    done = await init(line, folder, *ANSWERS, "../shop")
    assert done.returncode == 0, done.stdout + done.stderr
    assert yaml.safe_load((folder / "triage.yml").read_text()) == {
        "watched_chats": [{"chat_id": "C0HELP", "name": "help-platform", "mode": "preview"}],
        "operators": ["U0OPS"],
        "admins": ["U0OPS"],
        "projects": {"shop": {"root": str(line.folder / "shop")}},
    }
    env = folder / ".env"
    assert (folder / "triage.yml").stat().st_mode & 0o777 == 0o644
    assert env.stat().st_mode & 0o777 == 0o600
    assert f"SLACK_BOT_TOKEN={BOT_TOKEN}\nSLACK_APP_TOKEN={APP_TOKEN}\n" in env.read_text()
    assert BOT_TOKEN not in done.stdout + done.stderr + (folder / "triage.yml").read_text()
    assert f"SLACK_API_URL={line.variables['SLACK_API_URL']}\n" in env.read_text()
    assert f"Next: triage run --home {line.home}\n" in done.stderr
    doctor = ("doctor", "--home", str(line.home), "--config", "triage.yml")
    report = await asyncio.to_thread(lambda: triage(*doctor, cwd=folder))
    assert (report.returncode, "ok     env file: .env" in report.stdout) == (0, True), report.stdout
    env.chmod(0o644)
    report = await asyncio.to_thread(lambda: triage(*doctor, cwd=folder))
    assert "WRONG  env file: .env: others may open it; chmod 600 it" in report.stdout


async def test_what_is_there_is_not_replaced(line: Line, folder: Path) -> None:
    """Neither settings nor another token, unless --overwrite says so; other lines of .env always stay."""
    settings, env = folder / "triage.yml", folder / ".env"
    settings.write_text("operators: [U0ANA]\n")
    done = await init(line, folder, *ANSWERS, "../shop")
    assert (done.returncode, settings.read_text()) == (2, "operators: [U0ANA]\n")
    assert done.stderr.endswith("triage.yml is there: --overwrite replaces it\n")
    settings.unlink()
    env.write_text("GRAFANA_URL=http://127.0.0.1\nSLACK_BOT_TOKEN=xoxb-other\n")
    done = await init(line, folder, *ANSWERS, "../shop")
    assert (done.returncode, settings.exists()) == (2, False)
    assert done.stderr.endswith(".env has another SLACK_BOT_TOKEN: --overwrite replaces it\n")
    done = await init(line, folder, *ANSWERS, "../shop", "--overwrite")
    assert done.returncode == 0, done.stdout
    assert env.read_text().splitlines() == [
        "GRAFANA_URL=http://127.0.0.1",
        f"SLACK_BOT_TOKEN={BOT_TOKEN}",
        f"SLACK_APP_TOKEN={APP_TOKEN}",
        f"SLACK_API_URL={line.variables['SLACK_API_URL']}",
    ]
    assert env.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("options", "variables", "complaint"),
    [
        ((), {}, "no terminal to ask at: expected --yes with --channel, --operator and --project"),
        (("--yes",), {}, "--channel: expected with --yes"),
        (("--yes", "--channel", "nowhere"), {}, "--channel: expected a public channel, or a private one that the bot"),
        (("--yes", "--channel", "general", "--operator", "Gus"), {}, "--operator: expected a member of the workspace"),
        ((*ANSWERS, "../missing"), {}, "--project: expected a folder that exists"),
        ((*ANSWERS, "git@github.com:team/shop"), {}, "--project: expected a folder that exists"),
        ((*ANSWERS, "http://github.com/team/shop"), {}, "--project: expected https://, ssh:// or file://"),
        (("--yes",), {"SLACK_BOT_TOKEN": ""}, "SLACK_BOT_TOKEN: expected in the environment or in .env with --yes"),
        (("--yes",), {"SLACK_BOT_TOKEN": "xapp-a"}, "SLACK_BOT_TOKEN: expected a token that starts with xoxb-"),
        (("--yes",), {"SLACK_BOT_TOKEN": "xoxb-unknown"}, "auth.test: invalid_auth"),
        (("--yes", "--http"), {}, "SLACK_SIGNING_SECRET: expected in the environment or in .env with --yes"),
    ],
)
async def test_a_script_is_told_what_lacks(
    line: Line, folder: Path, options: tuple[str, ...], variables: dict[str, str], complaint: str
) -> None:
    """Nothing is written then."""
    done = await init(line, folder, *options, **variables)
    assert done.returncode in (1, 2)
    assert done.stderr.splitlines()[-1].startswith(complaint), done.stderr
    assert list(folder.iterdir()) == []


async def test_the_next_command_finds_the_same_files(line: Line, folder: Path) -> None:
    """Wherever they are, and over HTTP where the tokens are for that."""
    places = ("--config", "my bot.yml", "--env-file", "tokens")
    done = await init(line, folder, *ANSWERS, "../shop", *places, "--http", SLACK_SIGNING_SECRET="s" * 32)
    assert done.returncode == 0, done.stdout + done.stderr
    run = f"triage run --config 'my bot.yml' --env-file tokens --home {line.home} --http 3000"
    assert done.stderr.endswith(f"\nNext: {run}\n")


async def test_a_person_is_asked_until_the_answer_fits(line: Line, folder: Path) -> None:
    """A typed token is not shown; each question says what it is for."""
    (folder / ".git").mkdir()
    await asyncio.to_thread(_set_up_by_hand, line, folder)
    assert yaml.safe_load((folder / "triage.yml").read_text())["operators"] == ["U0ADMIN"]


def _set_up_by_hand(line: Line, folder: Path) -> None:
    variables = {"SLACK_API_URL": line.variables["SLACK_API_URL"]}
    with terminal() as at, begun("init", "--home", str(line.home), cwd=folder, variables=variables, at=at) as command:
        shown = at.read_until("SLACK_BOT_TOKEN (xoxb-…, not shown): ")
        at.type("typo\n")
        shown += at.read_until("not shown): ")
        at.type("xoxb-wrong\n")
        shown += at.read_until("SLACK_APP_TOKEN (xapp-…, not shown): ")
        at.type(f"{APP_TOKEN}\n")
        shown += at.read_until("not shown): ")
        at.type(f"{BOT_TOKEN}\n")
        shown += at.read_until("The bot is in")
        at.type("nowhere\n")
        shown += at.read_until("found none like this")
        at.type("https://sandbox.slack.com/archives/C0HELP\n")
        shown += at.read_until("The operator: who gets the drafts")
        at.type("Ada\n")
        shown += at.read_until("The project: the code that answers are drawn from.")
        at.type("../shop\n")
        shown += at.read_until("Next: triage run")
        command.process.join(10)
        assert command.process.exitcode == 0
        told = ("begins with xoxb-.", "Slack does not know this bot token", "Add .env to .gitignore")
        assert all(each in shown for each in told), shown
        assert not [secret for secret in (BOT_TOKEN, APP_TOKEN, "xoxb-wrong") if secret in shown]


async def test_the_directory_lists_who_may_decide(line: Line) -> None:
    """No bot, no guest, nobody of another company, and no archived channel."""
    slack = SlackDirectory(web_client(BOT_TOKEN, line.workspace.api_url), Pacer(SystemClock(), scale=100))
    assert {member.user_id for member in await slack.members(TEAM_ID)} == {"U0ANA", "U0OPS", "U0ADMIN"}
    assert {channel.name for channel in await slack.channels() if channel.is_member} >= {"general", "help-platform"}


def test_the_manifest_fits_the_settings(tmp_path: Path) -> None:
    """Without settings it has every scope that the program can use by default."""
    alone = triage("manifest", cwd=tmp_path)
    assert "usergroups:read" in alone.stdout
    (tmp_path / "triage.yml").write_text("operators: [U0OPS]\nslack: {read_files: true}\n")
    fitted = yaml.safe_load(triage("manifest", "--http", "https://triage.example.com", cwd=tmp_path).stdout)
    scopes = fitted["oauth_config"]["scopes"]["bot"]
    assert ("usergroups:read" in scopes, "files:read" in scopes) == (False, True)
    assert fitted["settings"]["event_subscriptions"]["request_url"] == "https://triage.example.com/slack/events"
    refused = triage("manifest", "--http", "http://triage.example.com", cwd=tmp_path)
    assert (refused.returncode, "expected an https address that Slack can call" in refused.stderr) == (2, True)
