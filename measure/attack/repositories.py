"""A repository that lies: tripwires in its configuration, its files and its names, under every tool that reads it."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.checkouts import Checkout
from bot.adapters.checkouts.sealed_git import SealedGit
from bot.models.project import Repository
from bot.tools.git import DEADLINE, has_repository
from bot.tools.git_folder import source_folder
from measure.attack.tally import Tally
from tests.tools.conftest import commit, git
from tests.tools.test_hostile import all_tools, said_by

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNT = 3_000
_LARGE = 100
"""Tries from which on large repositories are fetched, too."""
CANARY, FORGED = "canary-outside", "forged-history"

COMMANDS = (
    *("core.fsmonitor", "core.pager", "pager.log", "pager.blame", "pager.diff", "core.editor", "sequence.editor"),
    *("core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand", "diff.external", "gpg.program"),
    *("diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
    *("merge.evil.driver", "gpg.ssh.program", "gpg.x509.program", "gpg.ssh.defaultKeyCommand", "credential.helper"),
    *("interactive.diffFilter", "uploadpack.packObjectsHook", "difftool.evil.cmd", "mergetool.evil.cmd", "web.browser"),
    *("remote.origin.uploadpack", "trailer.evil.command", "trailer.evil.cmd", "browser.evil.cmd", "man.evil.cmd"),
)
"""Keys whose value git would run."""
ALIASES = ("log", "blame", "rev-parse", "cat-file", "diff-tree", "grep")
PLACES = (
    *("core.worktree", "include.path", "blame.ignoreRevsFile", "core.attributesFile", "core.excludesFile"),
    *("mailmap.file", "diff.orderFile", "commit.template", "core.hooksPath", "init.templateDir", "gc.logExpiry"),
)
"""Keys whose value git would read, or go to."""
HOOKS = (
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "fsmonitor-watchman",
    "post-merge",
)
NAMES = (
    *("--output=TRIP", "-e", "--pre=TRIP", "a\nb.py", "\x1b]0;own\x07.py", "\u202etxt.exe", "..%2f", "CON", "a" * 200),
    *(":(top)x", "*", "~root", "$(touch TRIP).py", "`touch TRIP`.py", " ", "\\..\\..\\x", "[a-z].py"),
)


def planted(home: Path) -> tuple[Path, int]:
    """A project full of tripwires, and how many; each would leave a file in `home/trips` or show a canary."""
    trips, root = home / "trips", home / "project"
    trips.mkdir()
    outside = home / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(f"{CANARY}\n")
    (outside / "config").write_text(f"[user]\n\tname = {CANARY}\n[core]\n\tfsmonitor = touch {trips}/included\n")
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    count = _files(root, trips, outside)
    commit(root, "First", app_py="key = 1\n")
    commit(root, "Second", app_py="key = 2\n")
    _history(root, outside)
    os.mkfifo(root / "pipe.py")
    (root / ".git" / "info" / "attributes").write_text("* diff=evil filter=evil working-tree-encoding=UTF-16 ident\n")
    lines = [_setting(key, f"touch {trips}/{key.replace('.', '-')}; cat") for key in COMMANDS]
    lines += [_setting(f"alias.{name}", f"!touch {trips}/alias-{name}") for name in ALIASES]
    lines += [_setting(key, str(outside / ("config" if key == "include.path" else "secret.txt"))) for key in PLACES]
    lines += [_setting("log.showSignature", "true"), _setting("remote.origin.promisor", "true")]
    lines += [_setting("remote.origin.url", f"ext::touch {trips}/promised"), _setting("protocol.ext.allow", "always")]
    with (root / ".git" / "config").open("a") as config:
        config.write("".join(lines))
    for name in HOOKS:
        hook = root / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {trips}/hook-{name}\n")
        hook.chmod(0o755)
    return root, count + len(lines) + len(HOOKS) + 4


def _setting(key: str, value: str) -> str:
    section, _, name = key.partition(".")
    inner, dot, last = name.rpartition(".")
    head = f'[{section} "{inner}"]' if dot else f"[{section}]"
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{head}\n\t{last} = "{quoted}"\n'


def _files(root: Path, trips: Path, outside: Path) -> int:
    """What a commit, an archive or a link can put into a folder."""
    (root / ".gitattributes").write_text("* diff=evil filter=evil\n")
    (root / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {trips}/submodule\n\tupdate = !touch {trips}/update\n'
    )
    (root / ".ripgreprc").write_text(f"--pre={trips}/pre\n--follow\n")
    (root / ".rgignore").write_text("!../outside\n")
    for name in NAMES:
        (root / name.replace("/", "_")).write_text("key = 3\n")
    (root / "folder").symlink_to(outside)
    (root / "file.py").symlink_to(outside / "secret.txt")
    (root / "loop").symlink_to("loop")
    bare = root / "vendored"
    bare.mkdir()
    git(bare, "init", "-q", "--bare", ".")
    made = git(bare, "commit-tree", "-m", FORGED, _tree(bare, {"app.py": _blob(bare)}))
    git(bare, "update-ref", "HEAD", made)
    (bare / "config").write_text(f"[core]\n\tbare = true\n\tfsmonitor = touch {trips}/bare\n")
    return len(NAMES) + 9


def _blob(root: Path) -> str:
    return git(root, "hash-object", "-t", "blob", "-w", str(Path(__file__)))


def _tree(root: Path, entries: Mapping[str, str], kind: str = "100644 blob") -> str:
    """A tree of these names; all of one kind."""
    listed = "".join(f"{kind} {sha}\t{name}\0" for name, sha in entries.items())
    done = subprocess.run(("git", "mktree", "-z"), cwd=root, input=listed.encode(), check=True, capture_output=True)  # noqa: S607  # as in the tests
    return done.stdout.decode().strip()


def _history(root: Path, outside: Path) -> None:
    """Replaced commits, made-up parents, notes, another's objects."""
    head, first = git(root, "rev-parse", "HEAD"), git(root, "rev-parse", "HEAD~1")
    forged = git(root, "commit-tree", "-m", FORGED, f"{head}^{{tree}}")
    git(root, "update-ref", f"refs/replace/{head}", forged)
    (root / ".git" / "info" / "grafts").write_text(f"{first} {forged}\n")
    git(root, "update-ref", "refs/notes/commits", forged)
    (outside / "revs").write_text(f"{head}\n")


async def _attack(count: int) -> list[Tally]:
    with tempfile.TemporaryDirectory() as given:
        home = Path(given)
        root, wires = planted(home)
        chance, longest, effects = random.Random(7), 0.0, list[str]()  # noqa: S311  # tries, no secret
        for where in (root, root / "vendored"):
            tools = all_tools(where)
            for _ in range(count // 2):
                began = time.monotonic()
                (said,) = await said_by(tools, chance, 1)
                longest = max(longest, time.monotonic() - began)
                effects += [f"{where.name}: {sign}" for sign in (CANARY, FORGED) if sign in said]
                effects += [f"{where.name}: an escape sequence"] if "\x1b" in said else []
        effects += [f"fired: {trip.name}" for trip in (home / "trips").iterdir()]
        effects += [f"a call took {longest:.1f} s"] if longest > DEADLINE + 1 else []
        told = Tally(f"a repository with {wires} tripwires", count, tuple(effects), f"longest call {longest:.2f} s")
        large = [await _fetched(home)] if count >= _LARGE else []
        return [told, _pointing(home), *large]


def _pointing(home: Path) -> Tally:
    """Folders that only look like a repository, or whose `.git` is somebody else's."""
    secret = home / "secret"
    secret.mkdir()
    git(secret, "init", "-q", "-b", "main")
    commit(secret, CANARY, app_py=f"{CANARY}\n")
    store = secret / ".git"
    effects = []
    tricks = (
        "file",
        "relative file",
        "link",
        "commondir",
        "alternates",
        "linked objects",
        "linked refs",
        "bare",
        "pipe",
        "huge",
    )
    for trick in tricks:
        root = home / f"trick {trick}"
        root.mkdir()
        mark = root / ".git"
        match trick:
            case "file":
                mark.write_text(f"gitdir: {store}\n")
            case "relative file":
                mark.write_text("gitdir: ../secret/.git\n")
            case "link":
                mark.symlink_to(store)
            case "bare":
                git(root, "clone", "-q", "--bare", str(secret), "x")
                for each in (root / "x").iterdir():
                    each.rename(root / each.name)
            case "pipe":
                os.mkfifo(mark)
            case "huge":
                mark.write_text("gitdir: " + "a/" * 40_000)
            case _:
                git(root, "init", "-q")
                _borrowed(mark, store, trick)
        if has_repository(root):
            effects.append(trick)
    return Tally("folders that pass for a repository", len(tricks), tuple(effects))


def _borrowed(mark: Path, store: Path, trick: str) -> None:
    if trick == "commondir":
        (mark / "commondir").write_text(f"{store}\n")
    elif trick == "alternates":
        (mark / "objects" / "info" / "alternates").write_text(f"{store / 'objects'}\n")
    else:
        name = trick.removeprefix("linked ")
        (mark / name).rename(mark / f"{name}.old")
        (mark / name).symlink_to(store / name)


async def _fetched(home: Path) -> Tally:
    """Repositories that are small to fetch and large to look at."""
    effects, longest = [], 0.0
    for name, width, depth in (("wide", 400, 2), ("deep", 40, 6)):
        root = home / name
        root.mkdir()
        git(root, "init", "-q", "-b", "main")
        made = _tree(root, dict.fromkeys((f"{number}.py" for number in range(width)), _blob(root)))
        for _ in range(depth - 1):
            made = _tree(root, dict.fromkeys((f"{number}" for number in range(width)), made), "040000 tree")
        git(root, "update-ref", "refs/heads/main", git(root, "commit-tree", "-m", name, made))
        repository = Repository(url=str(root))
        sealed = SealedGit(protocol=repository.protocol)
        checkout = Checkout(
            folder=home / "checkouts" / name,
            repository=repository,
            git=sealed,
            keep=timedelta(hours=1),
            source=source_folder,
        )
        began = time.monotonic()
        state = await checkout.fetch(datetime.now(UTC), lambda _: None)
        longest = max(longest, time.monotonic() - began)
        if state.commit or "too many to be searched" not in (state.problem or ""):
            effects.append(f"{name}: {state}")
    return Tally(
        "fetched repositories of 160,000 and 4,096,000,000 files", 2, tuple(effects), f"{longest:.1f} s until refused"
    )


def run(count: int) -> list[Tally]:
    """So many calls of every tool, and each way to pass for a repository."""
    return asyncio.run(_attack(count))
