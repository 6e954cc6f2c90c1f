"""Projects made at run time, on a real disk: what may be one, and what becomes of a file that cannot be read."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.home import Home
from bot.adapters.json_file import DiskJsonFile
from bot.cli.banner import banner
from bot.config.settings import CHECKOUTS, Settings, load
from bot.decide.project_reach import ProjectReach
from bot.errors import Misconfigured
from bot.triage.created_projects import CREATED_FOLDER, load_projects, locate_project, owned_projects
from tests.builders import T0


def settings(folder: Path, projects: str = "shop: {root: ./shop}") -> Settings:
    """With one project."""
    (folder / "shop").mkdir(exist_ok=True)
    path = folder / "triage.yml"
    path.write_text(f"projects: {{{projects}}}\nprojects_below: [.]\nrepository_hosts: [x.test]\n")
    return load(path, folder / "home")


def reach(folder: Path) -> ProjectReach:
    """What the settings above let a command reach."""
    return ProjectReach(below=(folder,), hosts=frozenset({"x.test"}))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"root": "{folder}/missing"}, "root: expected an existing folder"),
        ({"root": "{folder}/file"}, "root: expected an existing folder"),
        ({"root": "shop"}, "root: expected the whole path of a folder"),
        (
            {"root": "~nobody-of-that-name/shop"},
            "root: expected the whole path of a folder, such as /srv/shop, got ~nob",
        ),
        ({"root": "~root"}, "root: expected the whole path of a folder, such as /srv/shop, got ~root"),
        ({"repository": "~root/shop"}, "repository: expected the whole path of a folder"),
        ({"root": "{folder}/bare"}, "got a repository without any: give it as repository="),
        ({"root": "{folder}/shop/.git"}, "it is git's own folder; name the folder around it"),
        ({"repository": "file://{folder}/shop/.git/"}, "name the folder around it"),
        ({"repository": "file://{folder}/shop%2f..%2f.kube"}, ".kube holds secrets"),
        ({"root": "{folder}/shop\n"}, "root: expected a path without control characters"),
        ({"root": "{folder}/sh\u202eop"}, "root: expected a path without control characters"),
        ({"root": "{folder}/sh\u2028op"}, "root: expected a path without control characters"),
        ({"root": "/" + "x" * 5_000}, "root: expected an existing folder"),
        ({"root": "/a\0b"}, "root: expected a path without control characters"),
        ({"root": "/"}, "none of Triage's own state in or around it"),
        ({"root": "{folder}"}, "none of Triage's own state in or around it"),
        ({"root": "{folder}/home"}, "none of Triage's own state in or around it"),
        ({"root": "{folder}/home/tasks"}, "none of Triage's own state in or around it"),
        ({"root": "{folder}/shop/../home/tasks"}, "none of Triage's own state in or around it"),
        ({"root": "{folder}/link"}, "none of Triage's own state in or around it"),
        ({"root": "/proc"}, "root: expected a folder of files, got /proc"),
        ({"root": "/proc/self"}, "root: expected a folder of files, got /proc/self"),
        ({"root": "/dev"}, "root: expected a folder of files, got /dev"),
        ({"root": "{folder}/.kube"}, ".kube holds secrets by its name; name a folder outside of it"),
        ({"root": "{folder}/.kube/cache"}, "root: expected a folder that may be read"),
        ({"root": "{folder}/linked"}, ".kube holds secrets"),
        ({"root": "{folder}/shop/../.KUBE"}, "expected an existing folder"),
        ({"repository": "{folder}/.kube"}, "repository: expected a folder that may be read"),
        ({"repository": "file://{folder}/.kube/cache"}, ".kube holds secrets"),
        ({"repository": "{folder}/home/tasks"}, "none of Triage's own state in or around it"),
        ({"repository": "file://{folder}/home/tasks"}, "none of Triage's own state in or around it"),
        ({"repository": "http://x.test/shop"}, "repository: expected https://, ssh:// or file://"),
        ({"repository": f"https://me:{'word'}@x.test/shop"}, "expected no name and no password"),
        ({"repository": "ext::sh -c true"}, "without blanks"),
        ({"repository": "git@x.test:team/shop"}, "expected ssh://git@x.test/team/shop instead of git@x.test:team/shop"),
        ({"repository": "https://x.test/shop", "branch": "--upload-pack=x"}, "branch: "),
        ({"root": "{folder}/shop", "repository": "https://x.test/shop"}, "expected one of root and repository"),
        ({"root": "{folder}/shop", "web_url": "javascript:x"}, "web_url: "),
        ({"root": "{folder}/shop", "token_env": "ANTHROPIC_API_KEY"}, "expected no token_env: triage.yml can have it"),
        ({"root": "{folder}/shop", "operators": "U0MALLORY"}, "expected no operators"),
        ({}, "expected one of root and repository"),
    ],
)
def test_what_may_not_be_a_project(tmp_path: Path, keys: dict[str, str], words: str) -> None:
    """The rules of the settings, and no way to the bot's own state or to the process's secrets."""
    (tmp_path / "home" / "tasks").mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    for part in ("objects", "refs"):
        (tmp_path / "bare" / part).mkdir(parents=True)
    for file in ("bare/HEAD", "file"):
        (tmp_path / file).touch()
    (tmp_path / ".kube" / "cache").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / ".kube" / "cache")
    (tmp_path / "link").symlink_to(tmp_path / "home" / "tasks")
    everywhere = ProjectReach(below=(Path("/"),), hosts=frozenset({"x.test"}))
    given = {key: value.replace("{folder}", str(tmp_path)) for key, value in keys.items()}
    with pytest.raises(Misconfigured) as raised:
        locate_project("parcels", given, home=tmp_path / "home", reach=everywhere)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"root": "/usr"}, "expected a folder below "),
        ({"root": "/not/there"}, "expected a folder below "),
        ({"root": "{folder}/../other"}, "expected a folder below "),
        ({"root": "{folder}/out"}, "expected a folder below "),
        ({"repository": "/usr"}, "repository: expected a folder below "),
        ({"repository": "file:///usr"}, "repository: expected a folder below "),
        ({"repository": "https://other.test/shop"}, "expected one of the hosts x.test, which repository_hosts"),
        ({"repository": "https://x.test.other.test/shop"}, "expected one of the hosts x.test"),
        ({"repository": "ssh://git@127.0.0.1/shop"}, "this machine's own addresses"),
    ],
)
def test_what_is_out_of_reach_may_not_be_a_project(tmp_path: Path, keys: dict[str, str], words: str) -> None:
    """Folders and hosts are the settings' to name, links followed; of others nobody hears whether they are there."""
    (tmp_path / "out").symlink_to("/usr")
    given = {key: value.replace("{folder}", str(tmp_path)) for key, value in keys.items()}
    with pytest.raises(Misconfigured) as raised:
        locate_project("parcels", given, home=tmp_path / "home", reach=reach(tmp_path))
    assert words in str(raised.value)


def test_a_folder_is_taken_as_it_is_and_a_repository_lies_in_the_home(tmp_path: Path) -> None:
    """By its address, so that nothing is read of another one that had the name."""
    (tmp_path / "shop").mkdir()
    within: dict[str, Any] = {"home": tmp_path / "home", "reach": reach(tmp_path)}
    (folder,) = locate_project("a", {"root": str(tmp_path / "shop"), "description": "So."}, **within)
    assert (folder.root, folder.description) == (tmp_path / "shop", "So.")
    (one,) = locate_project("a", {"repository": "https://x.test/one"}, **within)
    (two,) = locate_project("a", {"repository": "https://x.test/two"}, **within)
    assert one.root.parent.parent == two.root.parent.parent == tmp_path / "home" / CHECKOUTS / CREATED_FOLDER
    assert one.root != two.root


async def test_what_was_made_is_there_for_the_next_process(tmp_path: Path) -> None:
    """From the file, which is its owner's alone; the banner names it, and what was fetched of no project is gone."""
    known, home = settings(tmp_path), Home(tmp_path / "home")
    (tmp_path / "parcels").mkdir()
    left = tmp_path / "home" / CHECKOUTS / CREATED_FOLDER / "gone-0123"
    left.mkdir(parents=True)
    projects = await owned_projects(known, home.path, DiskJsonFile(home.projects))
    await projects.create("parcels", {"root": str(tmp_path / "parcels")}, at=T0, notify="U0ADMIN")
    await projects.pause("shop", T0)
    again = await owned_projects(known, home.path, DiskJsonFile(home.projects))
    assert again.names == ("shop", "parcels")
    assert home.projects.stat().st_mode & 0o777 == 0o600
    assert not left.exists()
    lines = banner(known, again)
    assert "  projects created by commands: parcels" in lines
    assert "  paused: shop; resume_project starts it again" in lines


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"schema_version": 2}', b'{"projects": {"../x": {}}}', b'{"paused": {"shop": "soon"}}', b"\xff"],
)
async def test_a_file_that_cannot_be_read_is_set_aside_and_that_is_said(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever only looks leaves it; nothing of it is lost."""
    known, home = settings(tmp_path), Home(tmp_path / "home")
    home.projects.write_bytes(content)
    _, problem = await load_projects(known, home.path, DiskJsonFile(home.projects))
    assert problem is not None
    assert "projects.json" in problem
    assert home.projects.exists()
    with caplog.at_level(logging.ERROR):
        projects = await owned_projects(known, home.path, DiskJsonFile(home.projects))
    (aside,) = (tmp_path / "home" / "quarantine").iterdir()
    assert (projects.names, aside.read_bytes(), home.projects.exists()) == (("shop",), content, False)
    assert aside.name in caplog.text


async def test_a_name_that_the_settings_take_is_said_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The settings' own counts, and the banner says so too."""
    home = Home(tmp_path / "home")
    made = {"parcels": {"given": {"root": os.fspath(tmp_path)}, "made_at": T0.isoformat()}}
    home.projects.write_text(json.dumps({"projects": made}))
    known = settings(tmp_path, "parcels: {root: ./shop}")
    with caplog.at_level(logging.WARNING):
        projects = await owned_projects(known, home.path, DiskJsonFile(home.projects))
    assert projects.roots_of("parcels")[0].root == tmp_path / "shop"
    assert "the project parcels, created by a command, is not available" in caplog.text
    assert any("project parcels cannot be used" in line for line in banner(known, projects))
