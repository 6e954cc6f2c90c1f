"""Commit of a fix: exactly the files that the agent changed, as they were checked, once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bot.adapters.checkouts.workspaces import GitWorkspaces
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.escalation.fix_commit import FixCommitter
from bot.models.fix import FixProposal
from bot.models.fix_task import FixReturn, FixTask
from bot.models.workspace import Branches, Diff, FileChange, WorkRepository
from bot.runtime.workspace_lock import hold_workspace
from bot.tools.denied_paths import is_denied
from tests.adapters.workspace_bench import ANA, git
from tests.escalation.fix_bench import BAD, CODE, FILES, GOOD, FixBench, Play, edits, gives, judges
from tests.fakes import PhoneBook, naming
from tests.model_server import calls

NOTES = calls(("write_file", {"path": "notes/why.txt", "content": "Sums.\n"}))


async def commit(bench: FixBench, returned: FixReturn, workspaces: GitWorkspaces | None = None) -> FixProposal:
    """Commit the draft of a run, as a new bot does."""
    task = bench.folder.read_record(bench.folder.task, FixTask)
    assert task
    assert returned.draft
    committer = FixCommitter(
        workspaces=workspaces or bench.build_workspaces(),
        naming=naming(PhoneBook(U0OPS="Olga Ops")),
        redactor=Redactor(),
    )
    return await committer.propose(bench.thread, bench.order, bench.repository, task, returned.draft)


def drafted() -> Play:
    """A script whose change has two files."""
    return Play(fixer=[edits(), NOTES, gives()], validator=[judges()])


async def test_a_commit_is_made_once(fix_bench: FixBench) -> None:
    """After a crash between commit and record it is found; somebody else's commit after it is not taken."""
    returned = await fix_bench.run(drafted())
    proposal = await commit(fix_bench, returned)
    assert proposal.files == (
        FileChange(status="added", path="notes/why.txt"),
        FileChange(status="modified", path="total.py"),
    )
    assert await commit(fix_bench, returned) == proposal
    assert git(fix_bench.tree, "rev-list", "--count", f"{proposal.base}..triage/fix-total") == "1"
    (fix_bench.tree / "total.py").write_text("x\n")
    with pytest.raises(ToolError, match="somebody else has changed"):
        await commit(fix_bench, returned)
    workspaces: GitWorkspaces = fix_bench.build_workspaces()
    await workspaces.commit(fix_bench.repository, "fix-total", "mine", author=ANA)
    with pytest.raises(ToolError, match="somebody else has changed"):
        await commit(fix_bench, returned)


class Watched(GitWorkspaces):
    """Workspaces that note at each call if a program could begin to write in one."""

    could_write: list[bool]

    async def diff(self, repository: WorkRepository, slug: str, *, base: str = "", path: str = "") -> Diff:
        """Note it after the comparison with the report, before the card's text is read."""
        await self._note(self._worktree(self._clone(repository), slug).folder)
        return await super().diff(repository, slug, base=base, path=path)

    async def branches(self, repository: WorkRepository, *, afresh: bool = False) -> Branches:
        """Note it after the commit, before the files are marked."""
        await self._note(self._worktree(self._clone(repository), "fix-total").folder)
        return await super().branches(repository, afresh=afresh)

    async def _note(self, folder: Path) -> None:
        with suppress(ToolError):
            async with hold_workspace(folder, alone=True):
                self.could_write.append(True)
                return
        self.could_write.append(False)


async def test_no_program_writes_from_the_comparison_to_the_commit(fix_bench: FixBench) -> None:
    """A program that already works there is left to its work, and nothing is committed."""
    returned = await fix_bench.run(drafted())
    built = fix_bench.build_workspaces()
    watched = Watched(
        folder=built.folder, clock=built.clock, source=built.source, token=built.token, withholds=is_denied
    )
    watched.could_write = []
    async with hold_workspace(fix_bench.tree, alone=True):
        with pytest.raises(ToolError, match="a program or git works in the workspace"):
            await commit(fix_bench, returned, watched)
    assert watched.could_write == []
    await commit(fix_bench, returned, watched)
    assert watched.could_write == [False, False]


Change = Callable[[FixBench], object]
CHANGES: list[tuple[Change, str]] = [
    (lambda b: (b.tree / "evil.py").write_text("x"), "something else than the agent changed evil.py"),
    (lambda b: (b.tree / "check.py").write_text("x"), "something else than the agent changed check.py"),
    (lambda b: (b.tree / "check.py").unlink(), "something else than the agent changed check.py"),
    (lambda b: (b.tree / ".env").write_text("x"), "something else than the agent changed .env"),
    (lambda b: (b.tree / "total.py").write_text(f"{CODE}# more\n"), "total.py has another content"),
    (lambda b: (b.tree / "total.py").write_text(CODE), "git takes no change of total.py"),
    (lambda b: (b.tree / "total.py").chmod(0o755), "something else than the agent changed the mode"),
]


@pytest.mark.parametrize(("change", "reason"), CHANGES, ids=[str(number) for number in range(len(CHANGES))])
async def test_a_workspace_that_something_else_changed_is_not_committed(
    fix_bench: FixBench, change: Change, reason: str
) -> None:
    """Such as a check that was not isolated."""
    returned = await fix_bench.run(drafted())
    change(fix_bench)
    with pytest.raises(ToolError, match=reason):
        await commit(fix_bench, returned)
    assert git(fix_bench.tree, "rev-parse", "triage/fix-total") == git(fix_bench.remote, "rev-parse", "main")


async def test_a_file_that_git_ignores_is_no_part_of_a_fix(fix_bench: FixBench) -> None:
    """The check has seen it, and nobody else would."""
    (fix_bench.path / "other").mkdir()
    bench = FixBench(fix_bench.path / "other", files=FILES | {".gitignore": "x\n"})
    ignores = edits("x", "notes", ".gitignore")
    returned = await bench.run(Play(fixer=[edits(), NOTES, ignores, gives()], validator=[judges()]))
    with pytest.raises(ToolError, match=r"git takes no change of notes/why\.txt"):
        await commit(bench, returned)


@pytest.mark.parametrize("deletes", [False, True])
async def test_a_link_of_the_repository_is_no_part_of_a_fix(fix_bench: FixBench, deletes: bool) -> None:
    """Also where the process that drafted it does not know of the link, or says otherwise."""
    people = fix_bench.path / "origin" / "people"
    (people / "link").symlink_to("total.py")
    git(people, "add", "link")
    git(people, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "link")
    git(people, "push", "-q", "origin", "main")
    change = calls(("delete_file", {"path": "link"})) if deletes else edits("total.py", "/etc", "link")
    returned = await fix_bench.run(Play(fixer=[edits(), change, gives()], validator=[judges()]))
    assert returned.draft
    assert await fix_bench.build_workspaces().list_links(fix_bench.repository, "fix-total") == ("link",)
    with pytest.raises(ToolError, match="has a symbolic link"):
        await commit(fix_bench, returned)


async def test_the_diff_is_redacted(fix_bench: FixBench) -> None:
    """A secret near a changed line is on no card."""
    key = f"sk-ant-{'a1B2' * 12}"
    (fix_bench.path / "other").mkdir()
    bench = FixBench(fix_bench.path / "other", files=FILES | {"total.py": f"KEY = '{key}'\n{CODE}"})
    returned = await bench.run(Play(fixer=[edits(), gives()], validator=[judges()]))
    proposal = await commit(bench, returned)
    assert key not in proposal.diff
    assert f"-{BAD}+{GOOD}" in proposal.diff
    assert key in (bench.tree / "total.py").read_text()
