"""Context of runs: files, searches, commits and pages, by real files and git; and files that fetches change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.adapters.web_pages import MAX_BYTES, HttpPages
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.hooks.context import HookContext
from bot.models.hook import Hook
from bot.models.hook_record import HookCause, HookRun
from bot.models.project import Project, Repository
from bot.tools.guard import Guard
from tests.builders import T0, fresh
from tests.fakes import projects
from tests.hooks.bench import Bench, Pages
from tests.tools.conftest import commit, git

RUN = HookRun(run_id="run1", cause=HookCause(kind="schedule", at=T0), started_at=T0)
SECRET = "ghp" + "_" + "a1B2" * 9


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project in git."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "docs").mkdir()
    (root / "docs" / "limits.md").write_text(f"The limit is 7.\ntoken: {SECRET}\n")
    (root / "app.py").write_text("limit = 7\n")
    commit(root, "Set the limit")
    return root


def context(root: Path, pages: Any = None) -> HookContext:
    """A context of one project."""
    guard = Guard(redactor=Redactor(), new_nonce=fresh)
    known = projects(Project(name="shop", root=root))
    nothing: Any = None
    return HookContext(
        projects=known, guard=guard, pages=pages or Pages(), urls={"status": "https://status.test"}, programs=nothing
    )


def hook(*steps: str, project: str | None = "shop") -> Hook:
    """A hook with these steps."""
    parts = [{"verb": step.partition(" ")[0], "argument": step.partition(" ")[2]} for step in steps]
    values = {"name": "h", "trigger": {"kind": "task"}, "prompt": "Look.", "owner": "U0ADMIN", "changed_at": T0}
    return Hook.model_validate({**values, "steps": parts, "project": project})


async def test_steps_read_what_agents_may_read(shop: Path) -> None:
    """In order, without secrets."""
    steps = hook("read docs/limits.md", "search limit", "log app.py", "fetch status", "search nowhere")
    read, search, log, page, nothing = await context(shop).gather(steps, RUN)
    assert read.startswith("The limit is 7.\ntoken: ")
    assert SECRET not in read
    assert {"app.py:1: limit = 7", "docs/limits.md:1: The limit is 7."} <= {*search.split("\n")}
    assert log.endswith("Set the limit")
    assert (page, nothing) == ("up", "")


@pytest.mark.parametrize(
    ("step", "project", "reason"),
    [
        ("read docs/none.md", "shop", "docs/none.md"),
        ("read ../other/file", "shop", "file"),
        ("read .env", "shop", "env"),
        ("log ../x", "shop", "not a path inside the project"),
        ("log --output=x", "shop", "not a path inside the project"),
        ("read app.py", "web", "no project web"),
        ("read app.py", None, "has no project"),
        ("fetch other", "shop", "has no address other"),
    ],
)
async def test_a_step_that_fails_says_why(shop: Path, step: str, project: str | None, reason: str) -> None:
    """Its run has failed, and nothing outside was read or written."""
    (shop / ".env").write_text("KEY=1")
    (shop.parent / "other").mkdir()
    (shop.parent / "other" / "file").write_text("no")
    with pytest.raises(ToolError, match=reason):
        await context(shop).gather(hook(step, project=project), RUN)
    assert not (shop / "x").exists()


async def test_a_file_that_a_fetch_changes_begins_one_run(shop: Path, tmp_path: Path) -> None:
    """From the commit on at which the hook has begun; others, and a commit that is gone, begin none."""
    folder = tmp_path / "checkout"
    (folder / "trees").mkdir(parents=True)

    def fetch(sha: str) -> None:
        tree = folder / "trees" / sha
        git(shop, "worktree", "add", "--quiet", "--detach", str(tree), sha)
        (folder / "current").unlink(missing_ok=True)
        (folder / "current").symlink_to(f"trees/{sha}")

    fetch(git(shop, "rev-parse", "HEAD"))
    root = Project(name="shop", root=folder / "current", repository=Repository(url=str(shop)))
    bench = await Bench(tmp_path / "home", roots=(root,)).start()
    trigger = {"kind": "file", "pattern": "docs/**"}
    await bench.add(trigger, project="shop", prompt="{{event}}", cooldown_min=1)
    await bench.settle()
    (shop / "app.py").write_text("limit = 8\n")
    fetch(commit(shop, "Raise the limit"))
    await bench.pass_time(minutes=3)
    assert bench.runs() == []
    (shop / "docs" / "limits.md").write_text("The limit is 8.\n")
    fetch(commit(shop, "Say so"))
    await bench.settle()
    await bench.restart()
    await bench.pass_time(minutes=3)
    ((_, description),) = bench.actions.tasks.values()
    assert "> Changed files:\n> docs/limits.md" in description
    book = bench.scheduler.book
    book.change("h", commits={"shop": "0" * 40})
    await bench.pass_time(minutes=3)
    assert bench.outcomes() == ["created"]
    assert bench.record().commits == {"shop": git(shop, "rev-parse", "HEAD")}
    await bench.stop()


async def test_pages_are_read_over_http() -> None:
    """Once, as text; redirects, other answers, long and binary ones are refused with the reason."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.StreamResponse:
        match request.path:
            case "/ok":
                return web.Response(text="grün", charset="latin-1")
            case "/moved":
                raise web.HTTPFound("/ok")
            case "/long":
                return web.Response(body=b"x" * (MAX_BYTES + 1))
            case "/binary":
                return web.Response(body=b"a\0b")
            case _:
                raise web.HTTPServiceUnavailable

    app = web.Application()
    app.router.add_get("/{name}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    pages = HttpPages(timeout_s=5)
    try:
        assert await pages.fetch(f"http://127.0.0.1:{port}/ok") == "grün"
        reasons = {
            "moved": "redirects are not followed",
            "long": "more than",
            "binary": "no text",
            "down": "answered 503",
        }
        for path, reason in reasons.items():
            with pytest.raises(ToolError, match=reason):
                await pages.fetch(f"http://127.0.0.1:{port}/{path}")
    finally:
        await runner.cleanup()
    with pytest.raises(ToolError, match="nothing answers at the address"):
        await pages.fetch(f"http://127.0.0.1:{port}/ok")
