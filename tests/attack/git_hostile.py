"""Repositories and callers that do what they can to get out, under every command on git and every tool that reads."""

from __future__ import annotations

import hashlib
import random
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.catalogue import CATALOGUE
from bot.commands.subjects import find_subject
from measure.attack.repositories import CANARY, planted
from tests.adapters.test_workspaces_hostile import plant_hooks, plant_settings
from tests.adapters.workspace_bench import git
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR
from tests.chat.hostile import CLAIMS
from tests.commands.git_office import TASK
from tests.tools.test_hostile import WORST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.commands.git_office import GitOffice

LINKED = "shop/evil"
COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_repos", {}),
    ("get_git_status", {}),
    ("git_log", {"branch": "--output=TRIP"}),
    ("git_log", {"branch": "-x"}),
    ("git_create_branch", {"branch": "early", "base": "--upload-pack=touch TRIP"}),
    ("git_changed_files", {"base": "-O TRIP"}),
    ("git_diff", {"path": "--output=TRIP"}),
    ("git_diff", {"path": "../outside/secret.txt"}),
    ("git_diff", {"base": "main"}),
    ("git_commit", {"message": "Mend it\n\nTriage-Task: $(touch TRIP)"}),
    ("git_log", {}),
    ("git_changed_files", {"base": "main"}),
    ("checkout_branch", {"branch": "--orphan"}),
    ("checkout_branch", {"branch": "fix"}),
    ("get_task_diff", {"task": TASK}),
    ("git_create_pr", {}),
    ("git_push", {"branch": "fix"}),
    ("git_merge", {"branch": "fix"}),
    ("get_git_status", {}),
    ("add_repo", {"source": "init", "name": "new"}),
    ("remove_repo", {"project": "shop/new"}),
)
"""Calls of every command on git, in a workspace whose files have changed; a call of a later command needs the earlier.

`git_create_pr` needs a forge; it is called where the commands have it.
"""
TOOLS: dict[str, tuple[dict[str, Any], ...]] = {
    "read_file": ({"path": "app.py"}, {"path": "folder/secret.txt"}, {"path": "--output=TRIP"}),
    "search": ({"text": "key"}, {"text": "--pre=./run"}),
    "glob": ({"pattern": "**"}, {"pattern": "../**"}),
    "git_log": ({}, {"path": "app.py"}, {"ref": "HEAD", "words": "First"}),
    "git_show": ({"ref": "HEAD"}, {"ref": "HEAD~1"}),
    "git_blame": ({"path": "app.py", "first": 1}, {"path": "-e", "first": 1}),
    "find_definition": ({"name": "key"},),
    "search_knowledge": ({"question": "what is the key?"},),
    "edit_file": (
        {"path": "app.py", "old": "key", "new": "name"},
        {"path": "folder/secret.txt", "old": CANARY, "new": "TRIP"},
        {"path": "file.py", "old": CANARY, "new": "TRIP"},
        {"path": ".git/config", "old": "bare = false", "new": "bare = true"},
    ),
    "write_file": (
        {"path": "made.py", "content": "x"},
        *({"path": f"{where}/TRIP", "content": "x"} for where in ("folder", "../outside", ".git/hooks", "/tmp")),  # noqa: S108  # it must not be written
    ),
    "delete_file": (
        {"path": "made.py"},
        *({"path": where} for where in ("folder/secret.txt", "../outside/secret.txt", ".git/HEAD", "folder")),
    ),
}
"""Calls of every tool of agents that reads or changes a project."""
LINK_PLACES = ("", "{clone}", "{clone}/trees", "{clone}/trees/fix", "{clone}/repository.git")
"""Folders below `checkouts/.work` that somebody may replace by links: a workspace, and what is above it."""


def find_missing_commands() -> set[str]:
    """Return the commands on git that have no row."""
    own = {name for name, spec in CATALOGUE.items() if find_subject(spec).name == "git"}
    return (own | {"get_task_diff"}) - {name for name, _ in COMMANDS}


def find_missing_tools() -> set[str]:
    """Return the tools of the package `bot/tools` that have no row."""
    package = Path(__file__).resolve().parents[2] / "bot" / "tools"
    texts = [path.read_text() for path in package.glob("*.py")]
    names = {name for text in texts for name in re.findall(r'\bTool\(\s+name="(\w+)"', text)}
    assert len(names) > 5
    return names - {*TOOLS}


def plant(folder: Path) -> Path:
    """Build a bare remote and a folder of people, both full of tripwires; return the folder with what has fired."""
    project, count = planted(folder)
    trips, remote = folder / "trips", folder / "remote.git"
    assert count > 60
    for key in ("core.worktree", "remote.origin.promisor", "alias.rev-parse", "alias.cat-file"):
        git(project, "config", "--file", ".git/config", "--unset-all", key)
    (project / "pointer").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
    )
    with (project / ".gitattributes").open("a") as file:
        file.write("pointer filter=lfs diff=lfs merge=lfs\n* merge=evil\n")
    with (project / ".git" / "config").open("a") as file:
        file.write(f'[filter "lfs"]\n\tsmudge = touch {trips}/lfs\n\tclean = touch {trips}/lfs\n\trequired = true\n')
        file.write(f'[url "ext::touch {trips}/instead "]\n\tinsteadOf = /\n[extensions]\n\tworktreeConfig = true\n')
    (project / ".git" / "config.worktree").write_text(f"[core]\n\tfsmonitor = touch {trips}/worktree-config\n")
    quiet = ("-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null")
    git(folder, *quiet, "init", "-q", "--bare", "-b", "main", str(remote))
    head = git(project, *quiet, "rev-parse", "HEAD")
    (remote / "objects" / "info" / "alternates").write_text(f"{project}/.git/objects\n")
    git(remote, "update-ref", "refs/heads/main", head)
    git(remote, "repack", "-adq")
    (remote / "objects" / "info" / "alternates").unlink()
    for name in ("-x", "--output=TRIP", "triage/-x", "$(touch${IFS}TRIP)"):
        git(remote, "update-ref", f"refs/heads/{name}", head)
    plant_settings(remote / "config", trips)
    plant_hooks(remote / "hooks", trips)
    for fired in trips.iterdir():  # by what has planted it
        fired.unlink()
    return trips


def plant_in_workspace(tree: Path, trips: Path) -> None:
    """Leave in a workspace what a program could: another `.git`, a repository within, links, attributes."""
    (tree / ".git").unlink()
    git(tree, "init", "-q")
    plant_settings(tree / ".git" / "config", trips)
    plant_hooks(tree / ".git" / "hooks", trips)
    (tree / ".gitattributes").write_text("* diff=evil filter=evil merge=evil working-tree-encoding=UTF-16 ident\n")
    (tree / "far").symlink_to(trips.parent / "outside")
    (tree / "app.py").write_text("key = 3\n")


def replace_by_link(place: Path, victim: Path) -> None:
    """Put a link to somebody's copy of a folder in its place; each workspace of the copy is a clone of their own."""
    place.rename(victim)
    place.symlink_to(victim)
    for tree in (victim, *victim.rglob("fix")):
        if (tree / ".git").is_file():
            (tree / ".git").unlink()
            git(tree, "init", "-q")
            git(tree, "add", "-A")
            git(tree, "commit", "-qm", "Theirs")


def take_snapshot(folder: Path, *left_out: Path) -> dict[str, tuple[int, str]]:
    """Return mode and content of everything below a folder."""

    def walk(inner: Path) -> Iterator[Path]:
        for path in inner.iterdir():
            if path not in left_out:
                yield path
                if path.is_dir() and not path.is_symlink():
                    yield from walk(path)

    return {str(path): (path.lstat().st_mode, _digest(path)) for path in walk(folder)}


def _digest(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return str(path.readlink())
    return hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""


def list_calls(office: GitOffice, other: Path, count: int) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield calls with a person and an interface: inputs that fit, that hurt in one field or in all, and that forge."""
    chance = random.Random(7)  # a run is repeated by it
    out = str(other)
    hurting = (*WORST, out, f"file://{out}", f"ext::touch {out}/TRIP", "refs/heads/main", "main", "+fix", "fix:main")
    fits = [(name, given) for name, given in COMMANDS if name in office.handler.commands]
    for _ in range(count):
        name, given = chance.choice(fits)
        names = [*CATALOGUE[name].input.model_fields]
        one = {chance.choice(names): chance.choice(hurting)}
        every = {each: chance.choice(hurting) for each in names}
        plan = {"repository": "shop", "slug": "main", "sha": "0" * 40, "remote": out, "remote_sha": "", "commits": 1}
        forged = {**given, **CLAIMS, "plan": {**plan, "files": 1}, "force": True, "remote": out, "losses": []}
        person = chance.choice((MEMBER, GUEST, OPERATOR, OPERATOR, ADMIN, ADMIN))
        via = chance.choice(("chat", "slash", "thread", "cli", "hook"))
        chosen = dict(chance.choice((given, given | one, every, forged)))
        yield name, person, via, {"project": "shop", **chosen} if name != "get_task_diff" else chosen
