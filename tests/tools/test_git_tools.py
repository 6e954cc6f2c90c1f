"""`git_log`, `git_show`, `git_blame`: commits of the project, and nothing that a hostile repository or model adds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bot.agents.investigator import find_unopened
from bot.errors import ToolError
from bot.tools.git_tools import GitBlame, GitLog, GitShow, GitTools
from bot.tools.read_log import ReadLog
from tests.builders import findings, reference
from tests.tools.conftest import LOADED, TOKEN, commit, git, make_guard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

HOSTILE = (
    *("--output=TRIP", "-c", "HEAD..HEAD", "--open-files-in-pager=TRIP", "HEAD^{/x}", "@{-1}", "a b", ":/x", ""),
    *("HEAD@{1}", "HEAD^{tree}", "HEAD~1..HEAD", "HEAD:a.py", "HEAD~1:a.py", "HEAD^@", "HEAD^!", "HEAD^-", "~1"),
    *("^HEAD", "HEAD~1 --all", "HEAD~-1", "HEAD~99999", "HEAD~1\n", "HEAD^{commit}^{/x}", "HEAD" + "~1" * 9, "HEAD~"),
)

_started: list[str] = []


def _note(event: str, about: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append(str(about[0]))


sys.addaudithook(_note)


@contextmanager
def programs(most: int) -> Iterator[None]:
    """No more than `most` programs are started inside."""
    before = len(_started)
    yield
    assert len(_started) - before == most, _started[before:]


def historian(root: Path) -> GitTools:
    return GitTools(root=root, guard=make_guard(), read_log=ReadLog())


async def test_the_log_knows_the_project_only(project: Path) -> None:
    """A commit that touches only the rest of the repository is not told."""
    first = commit(project, "Set the limit", a_py="limit = 3\n")
    commit(project.parent, "Other business", b_py="x = 1\n")
    said = await historian(project).git_log(GitLog())
    assert f"{first[:12]}  2026-01-05  Ana  Set the limit" in said
    assert "Other business" not in said


async def test_the_log_of_a_path_and_of_words(project: Path) -> None:
    """Both narrow it."""
    commit(project, "Set the limit", a_py="limit = 3\n")
    commit(project, "Add (notes)", notes_md="x\n")
    desk = historian(project)
    assert "notes" not in await desk.git_log(GitLog(path="a.py"))
    assert "Add (notes)" in await desk.git_log(GitLog(words="(NOTES)"))
    assert await desk.git_log(GitLog(words="nowhere")) == "No such commit."


async def test_a_commit_is_shown_without_what_lies_outside(project: Path) -> None:
    """Message and diff; files outside the project, and those that hold secrets by their name, are left out."""
    commit(project, "Start", a_py="limit = 3\n", dot_env=f"A={LOADED}\n")
    sha = commit(project.parent, "Raise it", app__a_py="limit = 4\n", other_py="outside = 1\n", app__dot_env="B=5\n")
    said = await historian(project).git_show(GitShow(ref="main"))
    assert f'commit="{sha}"' in said
    assert "-limit = 3\n+limit = 4" in said
    assert "M  .env" in said
    assert "1 files may hold secrets" in said
    assert "B=5" not in said
    assert "outside" not in said
    first = await historian(project).git_show(GitShow(ref="main~1"))
    assert "Start" in first
    assert LOADED not in first


async def test_a_commit_of_elsewhere_is_not_shown(project: Path) -> None:
    """Its message is not the project's business."""
    commit(project, "Start", a_py="limit = 3\n")
    sha = commit(project.parent, "Other business", b_py="x = 1\n")
    with pytest.raises(ToolError, match="changes nothing there") as raised:
        await historian(project).git_show(GitShow(ref=sha))
    assert "business" not in str(raised.value)


async def test_blame_gives_lines_that_can_be_cited(project: Path) -> None:
    """Each line with its number and commit, noted as opened in that commit."""
    first = commit(project, "Start", a_py="limit = 3\nburst = 9\n")
    second = commit(project, "Raise it", a_py="limit = 4\nburst = 9\n")
    desk = historian(project)
    said = await desk.git_blame(GitBlame(path="a.py", first=1))
    assert f"1  {second[:12]}  2026-01-05  Ana\tlimit = 4\n2  {first[:12]}  2026-01-05  Ana\tburst = 9" in said
    assert desk.read_log.covers("a.py", 1, 2, second)
    assert desk.read_log.covers("a.py", 1, 2, second[:8])
    assert not desk.read_log.covers("a.py", 1, 2)


async def test_secrets_in_history_are_redacted(project: Path) -> None:
    """In a message, a diff and a blamed line."""
    commit(project, f"Use {TOKEN}", a_py=f"key = '{LOADED}'\n")
    desk = historian(project)
    answers = [
        await desk.git_log(GitLog()),
        await desk.git_show(GitShow(ref="HEAD")),
        await desk.git_blame(GitBlame(path="a.py", first=1)),
    ]
    assert all("[redacted]" in said and TOKEN not in said and LOADED not in said for said in answers)


@pytest.mark.parametrize("guess", [TOKEN, TOKEN[:9]])
async def test_a_secret_in_a_message_cannot_be_guessed(project: Path, guess: str) -> None:
    """A right guess finds as little as a wrong one; the rest of the message is found."""
    commit(project, f"Use {TOKEN} for the mirror", a_py="limit = 3\n")
    assert await historian(project).git_log(GitLog(words=guess)) == "No such commit."
    assert "[redacted] for the mirror" in await historian(project).git_log(GitLog(words="the mirror"))


async def test_a_hidden_message_takes_nobodys_place(project: Path) -> None:
    """A right guess at what is redacted lists as many other commits as a wrong one."""
    commit(project, "A guess: a1B2", a_py="limit = 3\n")
    commit(project, f"Use {TOKEN}", a_py="limit = 4\n")
    said = await historian(project).git_log(GitLog(words="a1B2", count=1))
    assert "A guess: a1B2" in said


async def test_commits_that_were_shown_are_on_record(project: Path) -> None:
    """By their SHA, or the beginning of one; a branch is none, and the rest of the history is not."""
    shas = [commit(project, f"Set {n}", a_py=f"limit = {n}\n", **{f"b{n}_py": "x\n"}) for n in range(4)]
    desk = historian(project)
    await desk.git_log(GitLog(count=1))
    await desk.git_show(GitShow(ref=shas[2]))
    await desk.git_blame(GitBlame(path="b1.py", first=1))
    assert [desk.read_log.covers_commit(sha) for sha in shas] == [False, True, True, True]
    assert desk.read_log.covers_commit(shas[3][:7].upper())
    assert not any(map(desk.read_log.covers_commit, ("main", "HEAD", "", shas[3][:6])))
    cited = [reference(kind="git_commit", ref=ref, quote=None) for ref in (shas[0], shas[3], "main", "HEAD~1")]
    assert find_unopened(findings(evidence_refs=tuple(cited)), desk.read_log) == (shas[0], "main", "HEAD~1")


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("HEAD", "Third"),
        ("HEAD~1", "Second"),
        ("main^", "Second"),
        ("main~2", "First"),
        ("main^^", "First"),
        ("HEAD~1^1", "First"),
        ("v1~0", "Second"),
        ("v1^{commit}", "Second"),
        ("v1^{}", "Second"),
    ],
)
async def test_ancestors_are_commits(project: Path, ref: str, message: str) -> None:
    """Each tool takes them, and shows the commit's full SHA."""
    shas = {message: commit(project, message, a_py=f"{message}\n") for message in ("First", "Second", "Third")}
    git(project, "tag", "-a", "v1", "-m", "One", shas["Second"])
    desk = historian(project)
    assert f'commit="{shas[message]}"' in await desk.git_show(GitShow(ref=ref))
    assert f"{shas[message][:12]}  " in (await desk.git_log(GitLog(ref=ref, count=1)))
    assert f"\t{message}\n" in await desk.git_blame(GitBlame(ref=ref, path="a.py", first=1))
    assert desk.read_log.covers("a.py", 1, 1, shas[message])


@pytest.mark.parametrize("word", HOSTILE)
async def test_no_ref_becomes_an_option(project: Path, word: str) -> None:
    """Whatever is no name of a commit ends there, and leaves nothing behind."""
    commit(project, "Start", a_py="limit = 3\n")
    before = sorted(path.name for path in project.iterdir())
    desk = historian(project)
    for work in (
        desk.git_log(GitLog.model_construct(ref=word, path="", words="", count=5)),
        desk.git_show(GitShow.model_construct(ref=word, path="")),
        desk.git_blame(GitBlame.model_construct(ref=word, path="a.py", first=1, count=5)),
    ):
        with pytest.raises(ToolError):
            await work
    assert sorted(path.name for path in project.iterdir()) == before


@pytest.mark.parametrize("path", ["../other.py", "/etc/passwd", "--output=TRIP", ":(top)other.py", "a\0b", "*", ".env"])
async def test_no_path_leads_out(project: Path, path: str) -> None:
    """Pathspec magic, options and dots find nothing."""
    commit(project.parent, "Start", app__a_py="limit = 3\n", other_py="outside = 1\n", app__dot_env="outside = 2\n")
    desk = historian(project)
    said = []
    calls: tuple[Callable[[], Awaitable[str]], ...] = (
        lambda: desk.git_log(GitLog(path=path, words="nowhere")),
        lambda: desk.git_show(GitShow(ref="HEAD", path=path)),
        lambda: desk.git_blame(GitBlame(path=path, first=1)),
    )
    for make in calls:
        try:
            said.append(await make())
        except ToolError as problem:
            said.append(str(problem))
    assert not any("outside" in answer for answer in said)
    assert not (project / "TRIP").exists()


@pytest.mark.parametrize("words", ["--output=TRIP", "-x", "[", "a\nb"])
async def test_no_words_become_an_option(project: Path, words: str) -> None:
    """They are looked for as they are."""
    commit(project, "Start", a_py="limit = 3\n")
    assert await historian(project).git_log(GitLog(words=words)) == "No such commit."
    assert not (project / "TRIP").exists()


async def test_a_hostile_configuration_runs_nothing(project: Path) -> None:
    """Filters, external diffs, signature programs and hooks of the repository itself stay where they are."""
    commit(project, "Start", a_py="limit = 3\n")
    sha = commit(project, "Raise", a_py="limit = 4\n")
    trip = project.parent / "tripped"
    run = f"touch {trip}; cat"
    for key, value in {
        "log.showSignature": "true",
        **dict.fromkeys(("diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "core.pager"), run),
        **dict.fromkeys(("core.fsmonitor", "gpg.program", "core.sshCommand"), run),
    }.items():
        git(project, "config", key, value)
    (project / ".gitattributes").write_text("*.py diff=x filter=x\n")
    desk = historian(project)
    assert "Raise" in await desk.git_log(GitLog())
    assert "+limit = 4" in await desk.git_show(GitShow(ref=sha))
    assert "limit = 4" in await desk.git_blame(GitBlame(path="a.py", first=1))
    assert not trip.exists()


async def test_a_folder_without_git_is_told(tmp_path: Path) -> None:
    """In a plain sentence."""
    with pytest.raises(ToolError):
        await historian(tmp_path).git_log(GitLog())


async def test_a_call_starts_as_few_programs_as_git_allows(project: Path) -> None:
    """Starting one costs more than what it does here; the diff needs one of its own, since some files are left out."""
    commit(project, "Start", a_py="limit = 3\n")
    desk = historian(project)
    with programs(1):
        await desk.git_log(GitLog(path="a.py", words="start"))
    with programs(2):
        await desk.git_show(GitShow(ref="HEAD", path="a.py"))
    with programs(2):
        await desk.git_blame(GitBlame(path="a.py", first=1))


async def test_a_merge_is_shown_against_its_first_parent(project: Path) -> None:
    """What it brought in, and not what it was brought into."""
    commit(project, "Start", a_py="limit = 3\n")
    git(project, "checkout", "--quiet", "-b", "side")
    commit(project, "Beside", b_py="burst = 9\n")
    git(project, "checkout", "--quiet", "main")
    commit(project, "Raise it", a_py="limit = 4\n")
    git(project, "merge", "--quiet", "--no-ff", "--message", "Bring it in", "side")
    said = await historian(project).git_show(GitShow(ref="HEAD"))
    assert "Bring it in\n\nA  b.py\n" in said
    assert "+burst = 9" in said
    assert "limit" not in said


@pytest.mark.parametrize("path", ["a.py\nHEAD:./other.py", "a.py\r", "folder", "nowhere"])
async def test_what_is_no_file_of_a_commit_is_not_blamed(project: Path, path: str) -> None:
    """Nor does a line break in a path ask for a second object."""
    commit(project, "Start", a_py="limit = 3\n", folder__b_py="x = 1\n")
    with pytest.raises(ToolError):
        await historian(project).git_blame(GitBlame(path=path, first=1))
