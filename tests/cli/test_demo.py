"""The demo as a person starts it: one command, a page, a bot that comes back when it is killed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest

import bot
from bot.adapters.home import Home
from bot.cli.demo_guide import suggest_questions
from bot.cli.demo_judgements import write_judgements
from bot.cli.demo_model import find_model_fault
from bot.cli.demo_projects import QUESTIONS, write_demo
from bot.config.settings import load
from bot.errors import Misconfigured
from tests.forks import CLEAN, ROOT, triage
from tests.line.conftest import SHOP
from tests.line.human import Human, cards, replies, shows
from tests.line.play import Play
from tests.model_server import Answer, Body, ModelServer, hang, raw, says, status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

PATIENCE = 20.0


@asynccontextmanager
async def demo(
    home: Path, *more: str, until: str = r"Stop "
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str, int]]:
    """A demo on a free port: its process, the address of its page and the bot's process id, 0 where none runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo", "--port", "0", "--home", str(home), *more),
        cwd=ROOT,
        env=CLEAN,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        said = await heard(process, until)
        url = re.search(r"http://127\.0\.0\.1:\d+", said)
        pid = re.search(r"process (\d+)", said)
        assert url is not None
        yield process, url[0], int(pid[1]) if pid else 0
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def heard(process: asyncio.subprocess.Process, pattern: str, patience: float = PATIENCE) -> str:
    """What the process says up to a line that matches."""
    assert process.stdout is not None
    said = ""
    async with asyncio.timeout(patience):
        while not re.search(pattern, said):
            line = await process.stdout.readline()
            assert line, said
            said += line.decode()
    return said


@pytest.mark.long
async def test_each_of_the_demos_projects_answers_its_own_questions(tmp_path: Path) -> None:
    """One is about its own source, in the sections of the settings. A rule takes the other; its evidence names a commit
    of the small repository, and asked again it is answered before."""
    async with demo(tmp_path / "home") as (_, url, _):
        ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
        first, second = QUESTIONS
        await ana.say(first)
        card = await olu.card("bot/config/sections/slack.py", '"approve"')
        await olu.evidence(card, "as Triage Dev")
        asked = await ana.say(second)
        card = await olu.card("parcels/tracking.py", '"approve"')
        await olu.evidence(card, "as Parcels Dev", "rule 1", "from parcels at `")
        await olu.press("approve", card)
        assert len(await ana.replies(asked)) == 1
        await ana.say(f"Hi, {second}")
        assert await olu.card("Answered before", "parcels/tracking.py", '"approve"')


@pytest.mark.long
async def test_a_reply_goes_out_without_a_press_once_the_admin_allows_it(tmp_path: Path) -> None:
    """On judgements that are made up for the demo; they are not written over those of people."""
    async with demo(tmp_path / "home", until="made up(.|\n)*Stop ") as (_, url, _):
        ana, olu, ada = Human(url, "U0ANA"), Human(url, "U0OPS"), Human(url, "U0ADMIN")
        await ada.command("autoreply on #help-platform")
        await ada.press("command_confirm", await ada.card("0 of 160 judged first drafts were wrong"))
        await ada.card("are on in <#C0HELP>")
        asked = await ana.say(f"<@U0TRIAGE> {QUESTIONS[0]}")
        (reply,) = await ana.replies(asked)
        assert shows(reply, "no person has read this answer before")
        assert await olu.card("Answered without a press", "Take Back")
    path = tmp_path / "home" / "judgements.ndjson"
    path.write_text("")
    write_judgements(path, "triage", "any")
    assert path.read_text() == ""


def test_a_demo_whose_home_lies_in_its_own_source_has_one_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder must lie in one project alone."""
    monkeypatch.setattr(bot, "__file__", str(tmp_path / "bot" / "__init__.py"))
    (tmp_path / "bot").mkdir()
    (tmp_path / "pyproject.toml").touch()
    settings = load(write_demo(tmp_path / "home" / "demo"))
    assert (list(settings.projects), settings.routing) == (["triage"], None)


def test_a_models_server_on_this_machine_makes_the_demo_talk(tmp_path: Path) -> None:
    """One elsewhere is refused, since no key is handed on; so is one beside settings of one's own."""
    settings = load(write_demo(tmp_path / "demo", "http://127.0.0.1:11434"))
    assert (settings.engine, settings.model.base_url) == ("claude", "http://127.0.0.1:11434")
    for options in (
        ["--model-url", "http://models.example:80"],
        ["--config", "x.yml", "--model-url", "http://localhost"],
        ["--model", "qwen3-coder"],
        ["--config", "x.yml", "--model", "qwen3-coder"],
    ):
        done = triage("demo", "--home", str(tmp_path / "home"), *options)
        assert (done.returncode, "--model-url" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", ["qwen3-coder", "library/llama3.3:70b", "007", None])
def test_the_demos_model_is_that_of_all_agents(tmp_path: Path, name: str | None) -> None:
    """By the name that its server has for it."""
    settings = load(write_demo(tmp_path / "demo", "http://127.0.0.1:11434", name))
    models = {settings.investigator.model, settings.validator_model, settings.chat_model}
    assert models == {name or "claude-opus-5-5"}


def only(known: str) -> Callable[[Body], Answer]:
    """A server that has one model."""
    return lambda body: (
        says("pong") if body["model"] == known else status(404, said=f"model '{body['model']}' not found")
    )


async def test_the_demo_says_that_its_server_lacks_the_model() -> None:
    """With the next step; a server that has it brings no line."""
    async with ModelServer(only("qwen3-coder")) as server:
        fault = await find_model_fault(server.url, "claude-opus-5-5")
        assert await find_model_fault(server.url, "qwen3-coder") == ""
    assert fault.startswith(
        f"The model claude-opus-5-5 at {server.url} cannot be used: the model's server knows no model"
    )
    assert "model 'claude-opus-5-5' not found" in fault
    assert "`--model`" in fault
    assert "\n" not in fault


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(401), "wants a key (401), and there is none; set ANTHROPIC_API_KEY"),
        (status(500, said="no\nmemory"), "is broken (500)"),
        (raw("<html>hello</html>", content_type="text/html"), "model.base_url may be wrong"),
        (hang, "the model did not answer"),
    ],
)
async def test_the_demo_says_that_its_server_fails(fault: Answer, said: str) -> None:
    """In one line, within its time."""
    async with ModelServer([fault] * 4) as server:
        line = await find_model_fault(server.url, "qwen3-coder", seconds=0.5)
    assert said in line
    assert "\n" not in line


async def test_the_demo_says_that_nothing_listens() -> None:
    """At a wrong port, for example."""
    async with ModelServer([]) as server:
        url = server.url
    assert "cannot be reached" in await find_model_fault(url, "qwen3-coder", seconds=5)


def test_the_second_project_is_copied_once(tmp_path: Path) -> None:
    """What somebody changed in it stays, so that they see what becomes of the evidence."""
    write_demo(tmp_path)
    changed = tmp_path / "parcels" / "parcels" / "couriers.py"
    changed.write_text("COURIER_RETRIES = 5\n")
    settings = load(write_demo(tmp_path))
    assert changed.read_text() == "COURIER_RETRIES = 5\n"
    assert settings.routes is not None
    assert settings.routes.router.route(QUESTIONS[1], "C0HELP").project == "parcels"
    assert settings.routes.router.route(QUESTIONS[0], "C0HELP").project == "triage"


@pytest.mark.parametrize(
    ("git", "expected"),
    [("", "git is not installed"), ("#!/bin/sh\necho no room >&2; exit 1\n", "parcels.new: git cannot .*: no room$")],
)
def test_a_demo_without_a_git_that_works_says_why(
    git: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a bare Debian git is not there."""
    (tmp_path / "bin").mkdir()
    if git:
        (tmp_path / "bin" / "git").write_text(git)
        (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Misconfigured, match=expected):
        write_demo(tmp_path / "demo")


@pytest.mark.long
async def test_the_demo_takes_other_settings(tmp_path: Path) -> None:
    """With `--config` it answers from the code that the file names, in a home that does not exist yet."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text("RETRY_LIMIT = 3  # how often a payment is tried again\n")
    config = tmp_path / "triage.yml"
    chat = "{chat_id: C0HELP, name: help-platform, mode: live}"
    config.write_text(f"watched_chats: [{chat}]\noperators: [U0OPS]\nprojects: {{shop: {{root: shop}}}}\n")
    async with demo(tmp_path / "home", "--config", str(config)) as (_, url, _):
        await Human(url, "U0ANA").say("how often is a payment tried again?")
        assert await Human(url, "U0OPS").card("orders.py:1", '"approve"')


@pytest.mark.long
async def test_the_demo_runs_the_agents_on_a_model_of_its_settings_over_a_kill_of_its_bot(
    tmp_path: Path,
) -> None:
    """`engine: claude` with a `model.base_url` of this machine; no key is needed, and none is handed on. The page
    stands; the bot is killed and started again, and the card that stood before is still good."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text(SHOP)
    config = tmp_path / "triage.yml"
    chat = "{chat_id: C0HELP, name: help-platform, mode: live}"
    async with ModelServer(Play()) as server:
        config.write_text(
            f"watched_chats: [{chat}]\noperators: [U0OPS]\nprojects: {{shop: {{root: shop}}}}\n"
            f"engine: claude\nmodel: {{base_url: '{server.url}'}}\n"
        )
        async with demo(tmp_path / "home", "--config", str(config)) as (process, url, pid):
            async with aiohttp.ClientSession() as session, session.get(url) as page:
                assert page.status == 200
            ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
            asked = await ana.say("how often is a payment tried again?")
            async with asyncio.timeout(PATIENCE):
                await server.arrived.wait()
            await olu.card("Three times", "✓ validated", '"approve"')
            os.kill(pid, signal.SIGKILL)
            await heard(process, "The bot is back")
            await olu.press("approve", await olu.card("Three times", '"approve"'))
            assert len(await ana.replies(asked)) == 1
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(PATIENCE):
                assert await process.wait() == 0


@pytest.mark.long
async def test_a_killed_demo_shows_the_same_workspace_again(tmp_path: Path) -> None:
    """Messages and cards are kept, the bot of the dead demo has ended, and the decision can be made."""
    async with demo(tmp_path / "home") as (process, url, _):
        asked = await Human(url, "U0ANA").say("where is debounce_ms set?")
        await Human(url, "U0OPS").card('"approve"')
        process.kill()
        await process.wait()
    async with demo(tmp_path / "home") as (_, url, _):
        ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
        await olu.press("approve", await olu.card('"approve"'))
        assert len(await ana.replies(asked)) == 1
        assert len(cards(await olu.now())) == 1
        assert len(replies(await ana.now(), asked)) == 1


@pytest.mark.long
@pytest.mark.parametrize("place", [".", "replica-2"])
async def test_a_home_on_which_a_bot_runs_is_refused(tmp_path: Path, place: str) -> None:
    """Also that of a replica, before any of its files is written anew."""
    home = Home(tmp_path / place)
    await home.lock()
    try:
        done = await asyncio.to_thread(triage, "demo", "--home", str(tmp_path), "--port", "0")
    finally:
        home.unlock()
    assert done.returncode == 2
    assert "runs on it; stop that demo, or name another with --home" in done.stderr
    assert not (tmp_path / "demo").exists()


async def test_a_demo_outlives_its_app(tmp_path: Path) -> None:
    """The page stays, and the bot is back after the install."""
    async with demo(tmp_path / "home") as (process, url, _):
        await to_app(url, "revoke")
        await heard(process, r"not installed.*token_revoked")
        await to_app(url, "install")
        await heard(process, "The bot is back")


@pytest.mark.long
async def test_a_demo_outlives_an_uninstalled_app_over_its_own_restart(tmp_path: Path) -> None:
    """It begins without the app, and has a bot once the app is installed."""
    async with demo(tmp_path / "home") as (process, url, _):
        await to_app(url, "uninstall")
        await heard(process, r"not installed.*account_inactive")
        await to_app(url, "install")
        await heard(process, "The bot is back")
        await to_app(url, "revoke")
        await heard(process, "Install it again")
    async with demo(tmp_path / "home", until="Install it again") as (process, url, _):
        await to_app(url, "install")
        await heard(process, "Triage demo is ready")


async def to_app(url: str, deed: str) -> None:
    """Install the app, or take it out."""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{url}/human/{deed}", json={}) as answer:
            assert answer.status == 200


def test_only_what_the_settings_have_is_suggested(tmp_path: Path) -> None:
    """The demo's own questions for its own projects; for others their names and their channel."""
    own = suggest_questions(load(write_demo(tmp_path / "home" / "demo")))
    assert all(question in own for question in QUESTIONS)
    config = tmp_path / "triage.yml"
    config.write_text("watched_chats: [{chat_id: C0SHOP, name: shop}]\nprojects: {chi: {root: .}, docs: {root: .}}\n")
    others = suggest_questions(load(config))
    assert not any(question in others for question in QUESTIONS)
    assert "in #shop about chi, docs" in others
