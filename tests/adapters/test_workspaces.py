"""Workspaces on real repositories: branches, commits, pushes to a bare remote, and merges."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.adapters.checkouts import sealed_git
from bot.adapters.checkouts.sealed_git import GitError
from bot.errors import RetryLater, ToolError
from bot.models.workspace import FileChange
from bot.runtime.workspace_lock import hold_workspace
from tests.adapters.workspace_bench import ANA, Bench, build_remote, commit, git, work_repository
from tests.rights import bound_by_modes

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Workspaces in an empty home."""
    return Bench(folder=tmp_path)


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository; its people work in `people`."""
    return build_remote(tmp_path)


@pytest.fixture
def not_root() -> Iterator[None]:
    """The rights of a bot that is not root, before the test starts its threads."""
    with bound_by_modes():
        yield


async def test_a_branch_begins_at_the_newest_commit_and_is_made_once(bench: Bench, remote: Path) -> None:
    """Its worktree has the files, links as plain ones; a second call changes nothing."""
    shop = work_repository(remote)
    workspace = await bench.build().prepare(shop, "fix")
    assert (workspace.branch, workspace.head, workspace.base) == (
        "triage/fix",
        git(remote, "rev-parse", "main"),
        workspace.head,
    )
    assert (workspace.folder / "a").read_text() == "one\n"
    (workspace.folder / "a").write_text("mine\n")
    commit(bench.folder / "people", b="two\n")
    git(bench.folder / "people", "push", "-q", "origin", "main")
    assert await bench.build().prepare(shop, "fix") == workspace
    assert (workspace.folder / "a").read_text() == "mine\n"
    newer = await bench.build().prepare(shop, "other")
    assert newer.head == git(remote, "rev-parse", "main") != workspace.head
    assert (await bench.build().prepare(shop, "old", base="main~1")).head == workspace.head
    assert (await bench.build().prepare(shop, "older", base=workspace.head[:10])).head == workspace.head


async def test_a_base_is_the_name_of_a_commit(bench: Bench, remote: Path) -> None:
    """Nothing else reaches git, and nothing is left of the try; without one it is the newest."""
    workspaces = bench.build()
    bad = ("--output=x", "main..x", "main^{tree}", "@{u}", ":/first", " ", "ma in", "refs/heads/../x", "nowhere")
    for base in bad:
        with pytest.raises(ToolError, match="commit"):
            await workspaces.prepare(work_repository(remote), "fix", base=base)
        assert await workspaces.find(work_repository(remote), "fix") is None, base
    assert (await workspaces.prepare(work_repository(remote), "fix", base="")).head


@pytest.mark.parametrize("slug", ["../x", "-x", ".x", "a/b", "x.lock", "a..b", "x.", "ünï", "a b", "x" * 121, ""])
async def test_a_slug_is_a_plain_name(slug: str) -> None:
    """It becomes a folder and a part of a ref."""
    from bot.models.workspace import Workspace

    with pytest.raises(ValueError, match="letters"):
        Workspace(repository="shop", slug=slug, folder=Path("/x"), head="", base="")


async def test_a_commit_takes_every_change_in_the_name_of_the_person(bench: Bench, remote: Path) -> None:
    """Odd names too; what may hold secrets and what is ignored stay out; the task is in a trailer."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / ".gitignore").write_text("ignored\n")
    for name in ("-rf", "über ☃.txt", ":(top)x", "a b\nc", "ignored", ".env", "*"):
        (workspace.folder / name).write_text("x\n")
    (workspace.folder / "a").unlink()
    (workspace.folder / b"latin-\xe9".decode("utf-8", "surrogateescape")).write_text("x\n")
    status = await workspaces.status(shop, "fix")
    assert (status.left_out, status.commits, status.remote_sha) == ((".env",), (), "")
    committed = await workspaces.commit(
        shop, "fix", "Mend it\n\nTriage-Task: forged\x1b[2J\n", author=ANA, task="shop-mend-k7x2mq"
    )
    assert committed is not None
    assert FileChange(status="deleted", path="a") in committed.files
    assert {change.path for change in committed.files} == {
        "-rf",
        "über ☃.txt",
        ":(top)x",
        "a b\nc",
        ".gitignore",
        "*",
        "a",
    } | {"latin-\ufffd"}
    shown = git(workspace.folder, "log", "-1", "--format=%an|%ae|%cn|%B", "triage/fix")
    assert shown == "Ana Müller|U0ANA@T0SANDBOX.slack.invalid|Triage|Mend it\n\nTriage-Task: shop-mend-k7x2mq"
    assert await workspaces.commit(shop, "fix", "again", author=ANA) is None
    assert [line.subject for line in (await workspaces.status(shop, "fix")).commits] == ["Mend it"]
    assert git(workspace.folder, "status", "--porcelain") == "?? .env"


async def test_a_name_that_git_would_refuse_is_replaced(bench: Bench, remote: Path) -> None:
    """By the person's id; signs of git are left out of others."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    for number, (name, expected) in enumerate([("<>\n", "U0ANA"), ("", "U0ANA"), ("A <b@c> \n", "A b@c")]):
        (workspace.folder / "a").write_text(f"{number}\n")
        await workspaces.commit(shop, "fix", "x", author=ANA.evolve(name=name))
        assert git(workspace.folder, "log", "-1", "--format=%an", "triage/fix") == expected


async def test_a_diff_shows_what_is_not_committed_and_hides_secrets(bench: Bench, tmp_path: Path) -> None:
    """Against the base, or where the branch has parted from another one; cut at a limit."""
    remote = build_remote(tmp_path / "other", a="one\n", **{".npmrc": "token=1\n"})
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    (workspace.folder / "new").write_text("three\n")
    diff = await workspaces.diff(shop, "fix")
    assert [(change.status, change.path) for change in diff.files] == [("modified", "a"), ("added", "new")]
    assert "+two" in diff.text
    assert "+three" in diff.text
    assert "Binary" not in diff.text
    assert (await workspaces.diff(shop, "fix", path="new")).files == (FileChange(status="added", path="new"),)
    assert (await workspaces.diff(shop, "fix", path=":(exclude)a")).files == ()
    with pytest.raises(ToolError, match="no path"):
        await workspaces.diff(shop, "fix", path="../x")
    git(tmp_path / "other" / "people", "rm", "-q", ".npmrc")
    commit(tmp_path / "other" / "people", "later")
    git(tmp_path / "other" / "people", "push", "-q", "origin", "main")
    await workspaces.commit(shop, "fix", "x", author=ANA)
    clock = bench.clock
    await clock.move(120)
    await workspaces.branches(shop)
    assert (await workspaces.diff(shop, "fix", base="main")).files == diff.files
    assert await workspaces.changed_files(shop, "fix", base="main") == diff.files
    (workspace.folder / "a").write_text("x" * 3_000_000)
    assert (await workspaces.diff(shop, "fix")).is_cut


async def test_files_that_may_hold_secrets_are_in_no_patch(bench: Bench, tmp_path: Path) -> None:
    """Of a change between commits, too: only their number."""
    remote = build_remote(tmp_path / "other", a="one\n", **{".npmrc": "token=1\n"})
    git(tmp_path / "other" / "people", "rm", "-q", ".npmrc")
    commit(tmp_path / "other" / "people", "later", a="two\n")
    git(tmp_path / "other" / "people", "push", "-q", "origin", "main")
    shop, workspaces = work_repository(remote), bench.build()
    await workspaces.prepare(shop, "fix", base="main")
    diff = await workspaces.diff(shop, "fix", base="main~1")
    assert (diff.withheld, len(diff.files)) == (1, 2)
    assert "token" not in diff.text


async def test_a_push_goes_to_its_own_branch_once(bench: Bench, remote: Path) -> None:
    """As it was planned; the remote's other branches stay, and a repetition finds that it is there."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    with pytest.raises(ToolError, match="commit something first"):
        await workspaces.plan_push(shop, "fix")
    committed = await workspaces.commit(shop, "fix", "Mend it", author=ANA)
    assert committed
    before = git(remote, "rev-parse", "main")
    plan = await workspaces.plan_push(shop, "fix")
    assert (plan.sha, plan.remote_sha, plan.commits, plan.files, plan.remote) == (committed.sha, "", 1, 1, str(remote))
    await workspaces.push(shop, plan)
    await workspaces.push(shop, plan)
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main\nrefs/heads/triage/fix"
    assert (git(remote, "rev-parse", "triage/fix"), git(remote, "rev-parse", "main")) == (committed.sha, before)
    assert (await workspaces.status(shop, "fix")).remote_sha == committed.sha
    assert (await workspaces.plan_push(shop, "fix")).commits == 0


async def test_only_what_was_shown_is_pushed(bench: Bench, remote: Path) -> None:
    """Another commit here or there, or another remote, refuses the push."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(shop, "fix", "x", author=ANA)
    plan = await workspaces.plan_push(shop, "fix")
    (workspace.folder / "a").write_text("three\n")
    await workspaces.commit(shop, "fix", "y", author=ANA)
    for stale in (plan, plan.evolve(remote="https://example.com/x"), plan.evolve(sha=workspace.head)):
        with pytest.raises(ToolError, match="has changed"):
            await workspaces.push(shop, stale)
    plan = await workspaces.plan_push(shop, "fix")
    git(bench.folder / "people", "push", "-q", "origin", "main:triage/fix")
    with pytest.raises(ToolError, match="has changed"):
        await workspaces.push(shop, plan)


async def test_a_push_is_never_forced(bench: Bench, remote: Path) -> None:
    """What others have pushed to the branch stays, and the answer says how to go on."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(shop, "fix", "x", author=ANA)
    people = bench.folder / "people"
    theirs = commit(people, "theirs", c="3\n")
    git(people, "push", "-q", "origin", "HEAD:triage/fix")
    with pytest.raises(ToolError, match=r"never forced.*base=triage/fix"):
        await workspaces.plan_push(shop, "fix")
    assert git(remote, "rev-parse", "triage/fix") == theirs


async def test_a_branch_of_the_remote_is_taken_up(tmp_path: Path, remote: Path) -> None:
    """As after the loss of the home: with its commits, and with the base where it began."""
    first = Bench(folder=tmp_path / "one")
    shop, workspaces = work_repository(remote), first.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    committed = await workspaces.commit(shop, "fix", "x", author=ANA)
    await workspaces.push(shop, await workspaces.plan_push(shop, "fix"))
    again = await Bench(folder=tmp_path / "two").build().prepare(shop, "fix")
    assert committed
    assert (again.head, again.base) == (committed.sha, workspace.base)


async def test_a_folder_of_people_is_never_pushed_to(bench: Bench, remote: Path) -> None:
    """Nor the default branch, nor a repository without a remote."""
    people = bench.folder / "people"
    for repository, words in (
        (work_repository(people), "people work"),
        (work_repository(people, kind="link"), "source=clone"),
        (work_repository(kind="init"), "no remote"),
    ):
        workspaces = bench.build()
        workspace = await workspaces.prepare(repository, "fix")
        (workspace.folder / "x").write_text("x\n")
        await workspaces.commit(repository, "fix", "x", author=ANA)
        with pytest.raises(ToolError, match=words):
            await workspaces.plan_push(repository, "fix")
    git(remote, "branch", "triage/main", "main")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/triage/main")
    workspaces = bench.build()
    shop = work_repository(remote)
    await workspaces.prepare(shop, "main")
    with pytest.raises(ToolError, match="the default one"):
        await workspaces.plan_push(shop, "main")
    assert git(people, "for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


async def test_a_merge_changes_the_clone_alone(bench: Bench, remote: Path) -> None:
    """Two branches after another; the remote's default branch stays, and its news are merged first."""
    shop, workspaces = work_repository(remote), bench.build()
    for slug in ("one", "two"):
        workspace = await workspaces.prepare(shop, slug)
        (workspace.folder / slug).write_text("x\n")
        await workspaces.commit(shop, slug, f"Add {slug}", author=ANA)
    before = git(remote, "rev-parse", "main")
    plan = await workspaces.plan_merge(shop, "one")
    assert (plan.target, plan.target_sha, plan.commits, plan.files, plan.conflicts) == ("main", before, 1, 1, ())
    first = await workspaces.merge(shop, plan, author=ANA)
    with pytest.raises(ToolError, match="has changed"):
        await workspaces.merge(shop, plan, author=ANA)
    commit(bench.folder / "people", "theirs", c="3\n")
    git(bench.folder / "people", "push", "-q", "origin", "main")
    second = await workspaces.merge(shop, await workspaces.plan_merge(shop, "two"), author=ANA)
    clone = next((bench.folder / "home/checkouts/.work").glob("shop-*/repository.git"))
    assert git(clone, "rev-parse", "main") == second
    assert {*git(clone, "ls-tree", "--name-only", "main").split()} == {"a", "c", "one", "two"}
    assert git(clone, "merge-base", "--is-ancestor", first, second) == ""
    assert git(clone, "log", "-1", "--format=%an %cn %s", "main") == "Ana Müller Triage Merge branch 'triage/two'"
    assert git(remote, "log", "-1", "--format=%s", "main") == "theirs"
    assert (await workspaces.plan_merge(shop, "two")).commits == 0
    branches, theirs = await workspaces.branches(shop), git(remote, "rev-parse", "main")
    assert (branches.default_sha, branches.merged_sha) == (theirs, second)


async def test_the_default_branch_has_one_meaning_after_a_merge(bench: Bench, remote: Path) -> None:
    """It is the remote's, whatever was merged here: by its name, by HEAD, and where branches begin."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "one")
    (workspace.folder / "a").write_text("x\n")
    await workspaces.commit(shop, "one", "Change it", author=ANA)
    merged = await workspaces.merge(shop, await workspaces.plan_merge(shop, "one"), author=ANA)
    main = git(remote, "rev-parse", "main")
    for ref in ("", "main", "HEAD"):
        assert [each.sha for each in await workspaces.log(shop, ref)] == [main]
    assert (await workspaces.prepare(shop, "two")).head == main
    assert (await workspaces.prepare(shop, "three", base=merged)).head == merged
    assert (await workspaces.branches(shop)).default_sha == main


async def test_a_push_outlines_exactly_the_commits_that_leave(bench: Bench, remote: Path) -> None:
    """Those of another branch below it as well, a file that was added and removed, and a merge's own changes."""
    shop, workspaces = work_repository(remote), bench.build()
    big = await workspaces.prepare(shop, "big")
    for name in ("b", "c"):
        (big.folder / name).write_text("x\n")
        await workspaces.commit(shop, "big", f"Add {name}", author=ANA)
    (big.folder / "c").unlink()
    await workspaces.commit(shop, "big", "Remove c", author=ANA)
    small = await workspaces.prepare(shop, "small", base="triage/big")
    plan = await workspaces.plan_push(shop, "small")
    (small.folder / "d").write_text("not committed\n")
    outline = await workspaces.outline(shop, plan, count=2)
    assert (plan.sha, plan.commits, plan.files) == (small.head, 3, 2)
    assert [each.subject for each in outline.commits] == ["Remove c", "Add c"]
    assert [(each.status, each.path) for each in outline.files] == [("added", "b"), ("deleted", "c")]
    merge = await workspaces.plan_merge(shop, "small")
    assert [each.path for each in (await workspaces.outline(shop, merge, count=9)).files] == ["b"]
    await workspaces.push(shop, plan)
    other = await workspaces.plan_push(shop, "big")
    assert (other.commits, other.files, other.remote_sha) == (0, 0, "")
    await workspaces.push(shop, other)
    assert git(remote, "rev-parse", "triage/big") == small.head


async def test_a_merge_with_conflicts_changes_nothing(bench: Bench) -> None:
    """The plan names the files, and doing it all the same is refused."""
    new, workspaces = work_repository(kind="init"), bench.build()
    for slug in ("one", "two"):
        workspace = await workspaces.prepare(new, slug)
        (workspace.folder / "ü a").write_text(f"{slug}\n")
        await workspaces.commit(new, slug, f"Add {slug}", author=ANA)
    await workspaces.merge(new, await workspaces.plan_merge(new, "one"), author=ANA)
    before = (await workspaces.branches(new)).default_sha
    plan = await workspaces.plan_merge(new, "two")
    assert plan.conflicts == ("ü a",)
    with pytest.raises(ToolError, match="conflicts with main in ü a"):
        await workspaces.merge(new, plan, author=ANA)
    assert (await workspaces.branches(new)).default_sha == before


async def test_merges_that_conflict_with_the_remote_are_left_out(bench: Bench, remote: Path) -> None:
    """The plan says so; the merge begins at the remote's newest commit."""
    shop, workspaces = work_repository(remote), bench.build()
    for slug, name in (("one", "a"), ("two", "b")):
        workspace = await workspaces.prepare(shop, slug)
        (workspace.folder / name).write_text(f"mine {slug}\n")
        await workspaces.commit(shop, slug, f"Change {name}", author=ANA)
    await workspaces.merge(shop, await workspaces.plan_merge(shop, "one"), author=ANA)
    theirs = commit(bench.folder / "people", "theirs", a="theirs\n")
    git(bench.folder / "people", "push", "-q", "origin", "main")
    plan = await workspaces.plan_merge(shop, "two")
    assert (plan.starts_over, plan.conflicts, plan.commits) == (True, (), 1)
    with pytest.raises(ToolError, match="has changed"):
        await workspaces.merge(shop, plan.evolve(starts_over=False), author=ANA)
    await workspaces.merge(shop, plan, author=ANA)
    (clone,) = (bench.folder / "home/checkouts/.work").glob("shop-*/repository.git")
    assert git(clone, "rev-parse", "main^1") == theirs
    assert (await workspaces.plan_merge(shop, "one")).conflicts == ("a",)


async def test_a_new_repository_begins_with_a_commit_without_files(bench: Bench) -> None:
    """So that branches can begin there; no remote is asked."""
    new, workspaces = work_repository(kind="init"), bench.build()
    branches = await workspaces.branches(new)
    assert (branches.default, branches.remote, branches.problem) == ("main", (), "")
    workspace = await workspaces.prepare(new, "first")
    assert [path.name for path in workspace.folder.iterdir()] == [".git"]
    assert [line.subject for line in await workspaces.log(new)] == ["Begin the repository"]


async def test_an_empty_remote_has_no_branches_yet(bench: Bench, tmp_path: Path) -> None:
    """A branch is refused until somebody has workspace the first commit there."""
    empty = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", str(empty))
    shop, workspaces = work_repository(empty), bench.build()
    assert (await workspaces.branches(shop)).default_sha == ""
    assert await workspaces.log(shop) == ()
    with pytest.raises(ToolError, match="make the first one at"):
        await workspaces.prepare(shop, "fix")


async def test_a_detached_head_is_where_branches_begin(bench: Bench, tmp_path: Path) -> None:
    """Nothing can be merged there, since it is no branch."""
    build_remote(tmp_path / "other")
    people = tmp_path / "other" / "people"
    first = git(people, "rev-parse", "HEAD")
    commit(people, "second", b="2\n")
    git(people, "checkout", "-q", "--detach", first)
    link, workspaces = work_repository(people, kind="link"), bench.build()
    assert (await workspaces.branches(link)).default == ""
    assert (await workspaces.prepare(link, "fix")).head == first
    with pytest.raises(ToolError, match="no default branch"):
        await workspaces.plan_merge(link, "fix")
    git(people, "checkout", "-q", "main")
    await bench.clock.move(120)
    assert (await workspaces.branches(link)).default == "main"


async def test_a_remote_that_is_gone_leaves_the_work_here(bench: Bench, remote: Path) -> None:
    """What is shown comes with the reason; what needs the remote fails and changes nothing."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    remote.rename(bench.folder / "gone")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(shop, "fix", "x", author=ANA)
    await bench.clock.move(120)
    assert (await workspaces.branches(shop)).problem
    with pytest.raises((ToolError, GitError)):
        await workspaces.plan_push(shop, "fix")
    with pytest.raises((ToolError, GitError)):
        await workspaces.prepare(shop, "other")
    assert await workspaces.find(shop, "other") is None


async def test_what_is_too_large_is_no_workspace_and_no_commit(bench: Bench, tmp_path: Path) -> None:
    """By the files as they are written."""
    big = build_remote(tmp_path / "big", a="x" * 3_000_000)
    with pytest.raises((ToolError, GitError), match="large"):
        await bench.build().prepare(work_repository(big, max_mb=2), "fix")
    small = work_repository(build_remote(tmp_path / "small"), max_mb=2)
    workspaces = bench.build()
    workspace = await workspaces.prepare(small, "fix")
    (workspace.folder / "b").write_text("x" * 3_000_000)
    with pytest.raises(ToolError, match="too large for a commit: 1 files, 3 MB"):
        await workspaces.commit(small, "fix", "x", author=ANA)


async def test_a_removed_repository_leaves_nothing(bench: Bench, remote: Path) -> None:
    """A later one of its name begins anew."""
    shop, workspaces = work_repository(remote), bench.build()
    await workspaces.prepare(shop, "fix")
    await workspaces.remove(shop)
    assert [*(bench.folder / "home/checkouts/.work").iterdir()] == []
    assert await workspaces.find(shop, "fix") is None


@pytest.mark.usefixtures("not_root")
async def test_a_workspace_with_a_read_only_folder_is_removed_whole(bench: Bench, remote: Path) -> None:
    """With its branch and with its clone, twice under the same name, by a bot that is not root."""
    shop, workspaces = work_repository(remote), bench.build()
    for part in ("branch", "clone", "branch", "clone"):
        workspace = await workspaces.prepare(shop, "fix")
        (workspace.folder / "cache").mkdir()
        (workspace.folder / "cache/file").touch()
        (workspace.folder / "cache").chmod(0o500)
        if part == "branch":
            await workspaces.drop(shop, "fix", head=workspace.head)
        else:
            await workspaces.remove(shop)
        assert not workspace.folder.exists()
    assert [*(bench.folder / "home/checkouts/.work").iterdir()] == []


@pytest.mark.usefixtures("not_root")
async def test_a_clone_that_is_not_wholly_removed_is_removed_by_the_next_try(bench: Bench, remote: Path) -> None:
    """Where it cannot be moved, and where nothing but its rest is there; the deletion of its project tries again."""
    shop, workspaces = work_repository(remote), bench.build()
    await workspaces.prepare(shop, "fix")
    home = bench.folder / "home/checkouts/.work"
    (clone,) = home.iterdir()
    for name in (clone.name, f".gone-{clone.name}"):
        clone = clone.rename(home / name)
        home.chmod(0o500)
        with pytest.raises(RetryLater, match="cannot be removed"):
            await workspaces.remove_project("shop")
        assert clone.exists()
        home.chmod(0o700)
    await workspaces.remove_project("shop")
    assert [*home.iterdir()] == []


def test_no_code_forces_a_push() -> None:
    """Neither by an option nor by a plus before what is pushed."""
    for path in Path(sealed_git.__file__).parent.glob("push*.py"):
        assert not re.search(r"--force|--mirror|--delete|\"\+|f\"\+", path.read_text())


async def test_a_branch_without_commits_is_dropped_with_its_files(bench: Bench, remote: Path) -> None:
    """A later branch of its name begins anew; one with a commit, or whose program works, is left alone."""
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "mine").write_text("x")
    async with hold_workspace(workspace.folder, alone=False):
        with pytest.raises(ToolError, match="works in the workspace"):
            await workspaces.drop(shop, "fix", head=workspace.head)
    await workspaces.drop(shop, "fix", head=workspace.head)
    await workspaces.drop(shop, "fix", head=workspace.head)
    assert not workspace.folder.exists()
    assert await workspaces.find(shop, "fix") is None
    assert not (await workspaces.prepare(shop, "fix")).folder.joinpath("mine").exists()
    (workspace.folder / "a").write_text("mine\n")
    await workspaces.commit(shop, "fix", "mine", author=ANA)
    await workspaces.drop(shop, "fix", head=workspace.head)
    assert (workspace.folder / "a").read_text() == "mine\n"
