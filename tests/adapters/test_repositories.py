"""The repositories of the settings: what a start needs of them, and what becomes of one that is out of reach."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.adapters.checkouts.repositories import Repositories, repositories
from bot.cli.doctor import main
from bot.config.settings import load
from bot.decide.project_reach import ProjectReach
from bot.errors import Misconfigured
from bot.models.markup import named_time
from bot.tools.git_folder import source_folder
from bot.triage.created_projects import locate_project
from tests.adapters.test_checkouts import commit, git
from tests.builders import T0
from tests.fakes import HandClock, ignore

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.project import Fetched


def made(tmp_path: Path, project: str) -> Repositories:
    """From a settings file with one project."""
    path = tmp_path / "triage.yml"
    path.write_text(f"projects: {{shop: {{{project}}}}}\n")
    projects = load(path, tmp_path / "home").project_list
    return repositories(projects, {}, HandClock(), longest_run=timedelta(hours=1), source=source_folder)


async def test_a_start_without_any_code_is_refused(tmp_path: Path) -> None:
    """With the address and the reason."""
    (tmp_path / "shop").mkdir()
    with pytest.raises(Misconfigured, match=r"projects: shop: .*/shop cannot be fetched: there is no git repo"):
        await made(tmp_path, "repository: ./shop").begin(ignore)


async def test_a_start_has_what_was_fetched_and_says_what_it_fetches(tmp_path: Path) -> None:
    """The first clone tells of itself; the next start needs no server."""
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q", "-b", "main")
    commit(shop, a="one\n")
    heard: list[str] = []
    await made(tmp_path, "repository: ./shop").begin(heard.append)
    assert heard[0].endswith("/shop for the first time")
    git(shop, "branch", "-m", "other")
    again = made(tmp_path, "repository: ./shop, refresh_min: 5")
    await again.begin(heard.append)
    assert again.old_since("shop") is None
    assert again.intervals == {"shop": timedelta(minutes=5)}
    (shop / ".git").rename(tmp_path / "gone")
    await again.fetch("shop")
    assert again.old_since("shop") == HandClock().now()


@pytest.mark.parametrize("project", ["repository: ./other", "repository: ./shop, branch: next"])
async def test_a_start_never_answers_from_what_the_settings_named_before(tmp_path: Path, project: str) -> None:
    """Another address or branch is fetched first; where it cannot be, there is no code."""
    for name in ("shop", "other"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q", "-b", "main")
        commit(tmp_path / name, a=f"{name}\n")
    git(tmp_path / "shop", "branch", "next")
    await made(tmp_path, "repository: ./shop").begin(ignore)
    heard: list[str] = []
    await made(tmp_path, project).begin(heard.append)
    assert heard[0].endswith("for the first time")
    with pytest.raises(Misconfigured, match="cannot be fetched"):
        await made(tmp_path, "repository: ./shop, branch: nowhere").begin(ignore)


async def test_one_that_comes_later_holds_up_nothing_and_tells_until_it_is_there(tmp_path: Path) -> None:
    """Of its first fetches, each; what was fetched is there immediately for the next process, until it is dropped."""
    heard: list[tuple[str, bool]] = []

    class Hearing:
        """Keeps what it is told."""

        async def report_fetch(self, name: str, state: Fetched) -> None:
            """Keep it."""
            heard.append((name, bool(state.commit)))

    def anew() -> Repositories:
        every = repositories((), {}, HandClock(), longest_run=timedelta(hours=1), source=source_folder)
        every.observer = Hearing()
        return every

    (tmp_path / "shop").mkdir()
    reach = ProjectReach(below=(tmp_path,))
    (project,) = locate_project("parcels", {"repository": str(tmp_path / "shop")}, home=tmp_path / "home", reach=reach)
    fetching = anew()
    await fetching.add(project)
    assert fetching.missing_reason("parcels") == "it is being fetched for the first time"
    await fetching.fetch("parcels")
    assert "it cannot be fetched: " in (fetching.missing_reason("parcels") or "")
    git(tmp_path / "shop", "init", "-q", "-b", "main")
    commit(tmp_path / "shop", a="one\n")
    for _ in range(2):
        await fetching.fetch("parcels")
    assert heard == [("parcels", False), ("parcels", True)]
    assert fetching.missing_reason("parcels") is None
    assert [*fetching.intervals] == ["parcels"]
    assert (project.root / "a").read_text() == "one\n"
    again = anew()
    await again.add(project)
    assert again.missing_reason("parcels") is None
    again.drop("parcels")
    assert (again.intervals, again.folder("parcels")) == ({}, None)
    assert (project.root / "a").exists()
    await again.add(project)
    for _ in range(2):
        await again.discard("parcels")
    assert (again.folder("parcels"), project.root.parent.exists()) == (None, False)
    assert (tmp_path / "shop" / "a").exists()


def test_doctor_knows_what_commands_have_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is in both places is wrong, a pause a note; nothing is set aside by looking."""
    for name in ("shop", "parcels"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").touch()
    (tmp_path / "triage.yml").write_text(
        "timezone: Asia/Kolkata\nprojects_below: [.]\nprojects: {shop: {root: ./shop}}\n"
    )
    (tmp_path / "home").mkdir()
    kept = tmp_path / "home" / "projects.json"
    made = {name: {"given": {"root": str(tmp_path / "parcels")}, "made_at": T0.isoformat()} for name in ("shop", "p")}
    kept.write_text(json.dumps({"projects": made, "paused": {"p": T0.isoformat()}}))
    options = Namespace(
        config=tmp_path / "triage.yml",
        home=tmp_path / "home",
        post=None,
        json=False,
        running=False,
        model=False,
        env_file=None,
    )
    assert main(options) == 1
    said = capsys.readouterr().out
    assert f"ok     project p: {tmp_path / 'parcels'}, 1 entry" in said
    assert "WRONG  project shop: created by a command, cannot be used: triage.yml has a project of this name" in said
    assert "note   project p: paused since 5 Jan 2026, 14:30 IST;" in said
    kept.write_text("{")
    assert main(options) == 1
    assert "WRONG  projects.json" in capsys.readouterr().out
    assert kept.read_text() == "{"


def test_the_variable_of_a_token_must_be_set(tmp_path: Path) -> None:
    """The settings name it; its value is nowhere else."""
    with pytest.raises(Misconfigured, match=r"SHOP_TOKEN: expected the token for https://x\.test/shop"):
        made(tmp_path, "repository: 'https://x.test/shop', token_env: SHOP_TOKEN")


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("description: nothing", "projects.shop: expected one of root, repository and roots"),
        ("root: ., repository: .", "projects.shop: expected one of root, repository and roots"),
        (
            f"repository: 'https://ana:{'word'}@x.test/shop'",
            "projects.shop.repository: expected no name and no password",
        ),
        ("repository: 'http://x.test/shop'", "projects.shop.repository: expected https://, ssh:// or file://"),
        ("repository: 'git@x.test:shop'", "projects.shop.repository: expected ssh://git@x.test/shop instead"),
        ("repository: 'ext::sh -c x'", "projects.shop.repository: expected an address or a path without blanks"),
        ("repository: '--upload-pack=x'", "projects.shop.repository: expected an address"),
        ("repository: ./nowhere", "projects.shop.repository: expected a folder that exists, found none at"),
        ("root: ~nobody-here/x", "projects.shop.root: expected a folder that exists"),
        ('root: "a\\0b"', "projects.shop.root: expected a folder that exists"),
        ("repository: ., branch: -x", "projects.shop.branch: expected"),
        ("root: ., token_env: SHOP", "projects.shop: expected token_env beside an https:// repository only"),
        ("root: ., languages: [cobol]", "projects.shop.languages.0: expected one of c, "),
        ("root: ., ignore: ['!a']", "projects.shop.ignore.0: expected"),
        ("roots: [{name: a, root: .}, {name: a, root: .}]", "projects.shop: expected another name for each of roots"),
        ("roots: [{name: a}]", "projects.shop.roots.0: expected either root or repository"),
        ("roots: [{name: a, root: ./nowhere}]", "projects.shop.roots.0.root: expected a folder that exists"),
    ],
)
def test_a_wrong_place_is_named_with_its_key(tmp_path: Path, project: str, said: str) -> None:
    """Before anything is fetched."""
    with pytest.raises(Misconfigured) as refused:
        made(tmp_path, project)
    assert f"triage.yml:1: {said}" in str(refused.value)


def test_each_root_is_a_place_to_answer_from(tmp_path: Path) -> None:
    """Its page is its own or the project's, its patterns are both; a repository's place is in the home."""
    (tmp_path / "api").mkdir()
    path = tmp_path / "triage.yml"
    path.write_text(
        "projects:\n  shop:\n    web_url: https://x.test/shop\n    ignore: [a]\n    roots:\n"
        "      - {name: api, root: ./api, ignore: [b]}\n"
        "      - {name: web, repository: 'https://x.test/web', web_url: 'https://x.test/w'}\n"
    )
    api, web = load(path, tmp_path / "home").project_list
    assert (api.name, api.root, api.web_url, api.ignore) == (
        "shop/api",
        tmp_path / "api",
        "https://x.test/shop",
        ("a", "b"),
    )
    assert (web.name, web.web_url, web.belongs_to) == ("shop/web", "https://x.test/w", "shop")
    assert web.root == tmp_path / "home" / "checkouts" / "shop-web" / "current"


def test_doctor_says_of_when_the_code_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Never fetched is a note; what could not be fetched since is wrong, with commit, time and reason."""
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q", "-b", "main")
    first = commit(shop, a="one\n")

    def doctor() -> dict[str, object]:
        options = Namespace(
            config=tmp_path / "triage.yml",
            home=tmp_path / "home",
            post=None,
            json=True,
            running=False,
            model=False,
            env_file=None,
        )
        main(options)
        checks: list[dict[str, object]] = json.loads(capsys.readouterr().out)["checks"]
        return next(check for check in checks if check["name"] == "project shop")

    found = made(tmp_path, "repository: ./shop")
    (tmp_path / "triage.yml").write_text(
        "watched_chats: [{chat_id: C0HELP, mode: live}]\noperators: [U0OPS]\nprojects: {shop: {repository: ./shop}}\n"
    )
    assert doctor()["ok"] is None
    asyncio.run(found.begin(ignore))
    assert doctor()["ok"] is True
    (shop / ".git").rename(tmp_path / "gone")
    asyncio.run(found.fetch("shop"))
    said = doctor()
    assert said["ok"] is False
    assert f"at {first[:12]}, fetched {named_time(HandClock().now(), UTC)}, 1 entry; not since: " in str(said["detail"])
