"""Commands on repositories and branches: each done, refused to whom it is not for, and refused for bad input."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.models.command_data import repositories as data
from tests.adapters.workspace_bench import commit, git
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR
from tests.commands.git_office import SECRET, TASK, GitOffice

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer

GIVEN: dict[str, dict[str, Any]] = {
    "add_repo": {"source": "init"},
    "remove_repo": {"project": "shop/x"},
    "list_repos": {},
    "git_create_branch": {"branch": "other"},
    "checkout_branch": {"branch": "fix"},
    "git_commit": {"message": "Mend it"},
    "git_push": {},
    "git_merge": {},
    "git_create_pr": {},
    "git_changed_files": {},
    "get_git_status": {},
    "git_log": {},
    "git_diff": {},
    "get_task_diff": {"task": TASK},
}
"""Fitting arguments of each command."""
FOR_ADMINS = ("add_repo", "remove_repo")


@pytest.fixture
def office(tmp_path: Path) -> GitOffice:
    """The commands in an empty home."""
    return GitOffice(folder=tmp_path)


@pytest.fixture
async def branch(office: GitOffice) -> GitOffice:
    """The operator works on `triage/fix`, where a file has changed."""
    await office.give("git_create_branch", branch="fix")
    (office.tree("fix") / "a").write_text("two\n")
    return office


def test_all_commands_of_this_subject_are_here(office: GitOffice) -> None:
    """So that the tests below reach each of them."""
    assert {*office.handler.commands} == {*GIVEN}


async def test_nobody_but_operators_may(branch: GitOffice) -> None:
    """Adding and removing a repository is for admins; guests may nothing."""
    for name, arguments in GIVEN.items():
        for user in (MEMBER, GUEST, *([OPERATOR] if name in FOR_ADMINS else [])):
            answer = await branch.give(name, user=user, **arguments)
            assert answer.outcome == "refused", (name, user)
    assert (
        git(branch.tree("fix"), "for-each-ref", "--format=%(refname)", "refs/heads/triage") == "refs/heads/triage/fix"
    )


BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("add_repo", {"source": "copy"}, "expected clone, link or init"),
    ("add_repo", {"source": "clone"}, "xpected the address to clone"),
    ("add_repo", {"source": "link", "address": "shop"}, "xpected the whole path of a folder"),
    ("add_repo", {"source": "init", "address": "/srv"}, "neither address nor branch"),
    ("add_repo", {"source": "init", "name": "../x"}, "letters, digits"),
    ("remove_repo", {"project": "shop"}, "No command has added a repository to `shop`"),
    ("remove_repo", {"project": "shop/../x"}, "`add_repo` did not add `shop/../x`"),
    ("remove_repo", {"project": "nowhere/x"}, "There is no project"),
    ("list_repos", {"project": "nowhere"}, "There is no project"),
    ("git_create_branch", {"branch": "feature/x"}, "without slashes"),
    ("git_create_branch", {"branch": "--force"}, "letters, digits"),
    ("git_create_branch", {"branch": "übung"}, "letters, digits"),
    ("git_create_branch", {"branch": "fix"}, "exists already"),
    ("git_create_branch", {"branch": "x", "base": "--output=y"}, "is no name of a commit"),
    ("git_create_branch", {"branch": "x", "base": "nowhere"}, "neither a branch nor a commit"),
    ("git_create_branch", {"branch": "x", "project": "docs"}, "has no git repository"),
    ("checkout_branch", {"branch": "nowhere"}, "Triage's branches there: `fix`"),
    ("checkout_branch", {"branch": "-x"}, "has no branch `-x`"),
    ("git_commit", {"message": "..."}, "a message of words"),
    ("git_commit", {"message": f"Use {SECRET}"}, "looks like a secret"),
    ("git_commit", {"message": "x", "branch": "nowhere"}, "has no branch `triage/nowhere`"),
    ("git_push", {"branch": "main"}, "has no branch `triage/main`"),
    ("git_push", {}, "commit something first"),
    ("git_create_pr", {"branch": "nowhere"}, "has no branch"),
    ("git_create_pr", {}, "commit something first"),
    ("git_create_pr", {"project": "docs"}, "has no git repository"),
    ("git_create_pr", {"title": "t" * 201}, "title"),
    ("git_merge", {"branch": "nowhere"}, "has no branch"),
    ("git_merge", {}, "has all commits"),
    ("git_changed_files", {"base": "a..b"}, "is no name of a commit"),
    ("get_git_status", {"project": "shop/web"}, "has no repository `web`"),
    ("git_log", {"count": 0}, "count"),
    ("git_log", {"branch": "$(touch x)"}, "is no name of a commit"),
    ("git_diff", {"path": "../a"}, "is no path in the repository"),
    ("git_diff", {"branch": "nowhere"}, "has no branch"),
    ("get_task_diff", {"task": "gone-0219-1430-k7x2mq"}, "no such task"),
    ("get_task_diff", {"task": TASK}, f"has no branch `triage/{TASK}`"),
)
"""Input that is refused, and words of the answer."""


async def test_bad_input_is_answered_with_the_next_step(branch: GitOffice) -> None:
    """And changes nothing."""
    before = branch.kept.said
    for name, arguments, words in BAD:
        answer = await branch.give(name, user=ADMIN if name in FOR_ADMINS else OPERATOR, **arguments)
        assert (answer.outcome, words in answer.text) == ("invalid", True), (name, arguments, answer.text)
        assert branch.kept.said == before, (name, arguments)


async def test_a_branch_without_commits_names_what_is_not_committed(branch: GitOffice) -> None:
    """With the command that commits it; a clean branch is told nothing of files."""
    for name in ("git_push", "git_create_pr", "git_merge"):
        text = (await branch.give(name)).text
        assert "Not committed: `a`. `git_commit project=shop branch=fix <message>` commits them." in text, name
    await branch.give("git_create_branch", branch="clean")
    assert "ommitted:" not in (await branch.give("git_push", branch="clean")).text


async def test_from_a_branch_to_a_push(branch: GitOffice) -> None:
    """Status, diff, commit, log; the press pushes what was shown, once."""
    status = await branch.give("get_git_status")
    assert "You work on `triage/fix`" in status.text
    assert "Not committed: `a`." in status.text
    assert (await branch.give("git_changed_files")).rows == ("```\nM  a\n```",)
    assert "+two" in (await branch.give("git_diff")).text
    committed = await branch.give("commit_changes", message="Mend it")
    assert (committed.outcome, committed.line[:29]) == ("done", "Committed 1 file to `triage/f")
    assert (await branch.give("git_commit", message="again")).is_unchanged
    assert "Otto Ops  Mend it" in (await branch.give("git_log")).text
    assert "Otto Ops  Mend it" in (await branch.give("git_log", branch="fix")).text
    asked = await branch.give("push_branch")
    sha = git(branch.tree("fix"), "rev-parse", "HEAD")
    shown = await branch.shown(asked)
    for words in (sha, str(branch.remote), "with 1 commit that", "1 changed file", "Mend it", "a new branch there"):
        assert words in shown
    assert git(branch.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert "Pushed 1 commit to `triage/fix`" in await branch.press(asked)
    assert git(branch.remote, "rev-parse", "triage/fix") == sha
    await branch.press(asked)
    again = await branch.give("git_push")
    assert (again.outcome, "has `triage/fix`" in again.text) == ("invalid", True)
    assert "pushed" in (await branch.give("get_git_status")).text


async def test_a_confirmation_names_what_leaves_and_apart_what_does_not(branch: GitOffice) -> None:
    """Of a branch on another one that is only here, the commits and files of both; then the other one may go, too."""
    await branch.give("git_commit", message="Mend it")
    await branch.give("git_create_branch", branch="small", base="triage/fix")
    (branch.tree("small") / "open").write_text("x\n")
    push, merge = await branch.give("git_push", branch="small"), await branch.give("git_merge", branch="small")
    for asked in (push, merge):
        shown = await branch.shown(asked)
        for words in ("1 commit", "1 changed file", "Mend it", "*Files:* `a`.", "left out: `open`"):
            assert words in shown
    await branch.press(push)
    other = await branch.give("git_push", branch="fix")
    assert "which other branches there have" in await branch.shown(other)
    assert "Pushed the new branch `triage/fix`" in await branch.press(other)


async def test_a_push_and_a_merge_wait_for_a_press_from_everywhere(branch: GitOffice) -> None:
    """Whoever of those who may gives the command."""
    await branch.give("git_commit", message="Mend it")
    for name in ("git_push", "git_merge"):
        for via, user in (("slash", OPERATOR), ("chat", ADMIN), ("cli", OPERATOR), ("thread", ADMIN)):
            answer = await branch.give(name, user=user, via=via, branch="fix")
            assert answer.outcome == "asked", (name, via)
            assert (answer.confirmation is None) == (via == "cli"), (name, via)
    assert git(branch.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


async def test_a_press_does_what_was_shown_or_nothing(branch: GitOffice) -> None:
    """Another commit in between, another person, a restart, a repository that is gone."""
    await branch.give("git_commit", message="Mend it")
    asked = await branch.give("git_push")
    await branch.press(asked, user=ADMIN)
    assert git(branch.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    (branch.tree("fix") / "a").write_text("three\n")
    await branch.give("git_commit", message="More")
    assert "has changed since this was shown" in await branch.press(asked)
    assert git(branch.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    merge, push = await branch.give("git_merge"), await branch.give("git_push")
    later = await branch.again()
    assert "Pushed 2 commits" in await later.press(push)
    assert "Merged `triage/fix` into `main`" in await later.press(merge)
    await later.press(merge)
    (clone,) = (later.home / "checkouts" / ".work").glob("shop-*/repository.git")
    assert git(clone, "rev-list", "--count", "--merges", "main") == "1"
    assert git(later.remote, "log", "-1", "--format=%s", "main") == "first"


async def test_a_merge_with_conflicts_is_no_question(branch: GitOffice) -> None:
    """The answer names the files, and nothing waits for a press."""
    await branch.give("git_commit", message="Mend it")
    commit(branch.people, "theirs", a="theirs\n")
    git(branch.people, "push", "-q", "origin", "main")
    answer = await branch.give("git_merge")
    assert (answer.outcome, answer.confirmation) == ("invalid", None)
    assert "conflicts with `main` of `shop` in `a`. Nothing was merged: `git_create_branch" in answer.text


async def test_a_branch_is_chosen_by_each_person(branch: GitOffice) -> None:
    """The only one needs no choice; the default branch ends it, and it lasts over a restart."""
    assert "You work on `triage/fix`" in (await branch.give("get_git_status", user=ADMIN)).text
    await branch.give("git_create_branch", branch="other", user=ADMIN)
    later = await branch.again()
    for user, name in ((OPERATOR, "fix"), (ADMIN, "other")):
        assert f"You work on `triage/{name}`" in (await later.give("get_git_status", user=user)).text
    assert "default branch `main`" in (await later.give("checkout_branch", branch="main")).text
    later = await later.again()
    answer = await later.give("git_commit", message="x")
    assert (answer.missing, "Which branch of `shop`? There are" in answer.text) == ("branch", True)
    assert "You work on `triage/fix`" in (await later.give("checkout_branch", branch="triage/fix")).line


async def test_a_branch_of_others_is_only_a_base(branch: GitOffice) -> None:
    """Triage changes its own ones alone; one of its own at the remote is taken up."""
    commit(branch.people, "theirs", b="x\n")
    git(branch.people, "push", "-q", "origin", "HEAD:release", "HEAD:triage/older")
    await branch.bench.clock.move(120)
    answer = await branch.give("checkout_branch", branch="release")
    assert "base=release" in answer.text
    assert (await branch.give("git_create_branch", branch="next", base="release")).outcome == "done"
    assert (branch.tree("next") / "b").is_file()
    assert (await branch.give("checkout_branch", branch="older")).outcome == "done"
    assert "theirs" in (await branch.give("git_log")).text


async def test_the_branch_of_a_task_has_its_name(office: GitOffice) -> None:
    """Its commits name the task, and its diff is found by it."""
    await office.give("git_create_branch", branch=TASK)
    (office.tree(TASK) / "a").write_text("two\n")
    await office.give("git_commit", message="Mend it")
    assert f"Triage-Task: {TASK}" in git(office.tree(TASK), "log", "-1", "--format=%B")
    answer = await office.give("get_task_diff", task=TASK)
    assert (answer.outcome, "+two" in answer.text) == ("done", True)
    assert isinstance(answer.data, data.GitDiffData)


async def test_a_long_patch_is_shown_to_its_end(branch: GitOffice) -> None:
    """Answer by answer, as each says; beyond the end, the answer says how long it is."""
    lines = [f"line {number} {'x' * 60}" for number in range(400)]
    (branch.tree("fix") / "a").write_text("\n".join(lines))
    shown, first = "", 1
    while first:
        answer = await branch.give("git_diff", first=first)
        shown += answer.text
        follows = re.search(r"`git_diff branch=fix project=shop first=(\d+)` shows what follows", answer.text)
        assert follows is None or int(follows[1]) > first
        first = int(follows[1]) if follows else 0
    assert all(line in shown for line in lines)
    assert re.search(r"Lines \d+ to (\d+) of \1\.", answer.text)
    assert "The patch has 40" in (await branch.give("git_diff", first=9_999)).text


async def test_untrusted_text_is_shown_without_secrets_and_signs(branch: GitOffice) -> None:
    """Of a file, a name and a message: no control character, no end of a code block, no mention."""
    tree = branch.tree("fix")
    text = f"<!channel> ```\x1b[2J\u202e{SECRET}\n"
    (tree / "evil\x1b[2J`<!here>").write_text(text)
    git(branch.people, "commit", "-qm", f"{text}more", "--allow-empty")
    git(branch.people, "push", "-q", "origin", "main")
    await branch.bench.clock.move(120)
    answers: list[CommandAnswer] = [
        await branch.give("git_diff"),
        await branch.give("git_log", branch="main"),
        await branch.give("get_git_status"),
        await branch.give("git_changed_files"),
    ]
    await branch.give("git_commit", message="Mend it")
    shown = await branch.shown(await branch.give("git_push"))
    for written in (*(answer.text for answer in answers), shown):
        assert "<!" not in written
        assert "\x1b" not in written
        assert "\u202e" not in written
        assert SECRET not in written
    for answer in answers:
        assert answer.text.count("```") % 2 == 0
        assert answer.data is not None
        assert SECRET not in answer.data.model_dump_json()


async def test_an_empty_repository_begins_here(office: GitOffice) -> None:
    """It has no remote, and a push says so; its default branch takes the merges."""
    added = await office.give("add_repo", user=ADMIN, source="init", name="tools")
    assert (added.outcome, "`shop/tools`" in added.line) == ("done", True)
    await office.give("git_create_branch", branch="first", project="shop/tools")
    (office.tree("first", "shop/tools") / "x").write_text("x\n")
    await office.give("git_commit", message="Add x", project="shop/tools")
    push = await office.give("git_push", project="shop/tools")
    assert (push.outcome, "has no remote" in push.text) == ("invalid", True)
    merged = await office.press(await office.give("git_merge", project="shop/tools"))
    assert "Merged `triage/first` into `main` of `shop/tools`" in merged
    later = await office.again()
    listed = await later.give("list_repos")
    assert "`shop/tools` begun empty here" in listed.text
    assert isinstance(listed.data, data.RepositoriesData)
    taken = await later.give("add_repo", user=ADMIN, source="init", name="tools")
    assert (taken.outcome, "is taken" in taken.text) == ("invalid", True)


async def test_a_linked_folder_stays_as_it_is(office: GitOffice) -> None:
    """Triage works on its own clone of it, and pushes nothing there."""
    before = git(office.people, "for-each-ref"), sorted(path.name for path in office.people.iterdir())
    added = await office.give("add_repo", user=ADMIN, source="link", address=str(office.people))
    assert (added.outcome, "`shop/people`" in added.line) == ("done", True)
    await office.give("git_create_branch", branch="fix", project="shop/people")
    (office.tree("fix", "shop/people") / "a").write_text("two\n")
    await office.give("git_commit", message="x", project="shop/people")
    push = await office.give("git_push", project="shop/people")
    assert (push.outcome, "never changes" in push.text) == ("invalid", True)
    assert (git(office.people, "for-each-ref"), sorted(path.name for path in office.people.iterdir())) == before


OUT_OF_REACH = (
    ("clone", "https://evil.example/shop", "repository_hosts"),
    ("clone", "https://127.0.0.1/shop", "own addresses"),
    ("clone", "https://user:pass@git.example.com/shop", "no name and no password"),
    ("clone", "ext::touch", "expected https://"),
    ("clone", "git@git.example.com:shop", "expected ssh://"),
    ("clone", "--upload-pack=touch", "begins with no dash"),
    ("link", "/etc", "expected a folder below"),
    ("link", "{folder}/home", "own state"),
    ("link", "{folder}/plain", "no git repository"),
    ("clone", "https://git.example.com/" + SECRET, "looks like a secret"),
)
"""Source and address of repositories that may not be added, and words of the answer."""


async def test_a_repository_out_of_reach_is_not_added(office: GitOffice) -> None:
    """By the rules of created projects; nothing is left of the try."""
    (office.folder / "plain").mkdir()
    office.home.mkdir(exist_ok=True)
    for source, address, words in OUT_OF_REACH:
        given = address.format(folder=office.folder)
        answer = await office.give("add_repo", user=ADMIN, source=source, address=given, name="x")
        assert words in answer.text, address
        assert answer.outcome in ("invalid", "failed"), address
        assert not office.kept.said.get("repositories"), address
        assert [*office.home.glob("checkouts/.work/shop@x-*")] == [], address


async def test_a_model_cannot_add_a_repository_by_itself(office: GitOffice) -> None:
    """It waits for the admin's press, which shows the address."""
    asked = await office.give("add_repo", user=ADMIN, via="chat", source="link", address=str(office.people))
    assert asked.outcome == "asked"
    assert str(office.people) in await office.shown(asked)
    assert "Added `shop/people`" in await office.press(asked, user=ADMIN)


async def test_a_project_folder_that_is_a_repository_needs_no_link(office: GitOffice) -> None:
    """A folder within one has none: the project reaches no further than its folder."""
    (office.people / "inner").mkdir()
    listed = await office.repositories.list_for("docs")
    assert listed == ()
    object.__setattr__(
        office.repositories.projects,
        "settings",
        tuple(
            project.evolve(root=office.people if project.name == "docs" else project.root)
            for project in office.repositories.projects.settings
        ),
    )
    (repository,) = await office.repositories.list_for("docs")
    assert (repository.kind, repository.address) == ("link", str(office.people))


async def test_the_name_of_a_project_alone_is_no_path(branch: GitOffice) -> None:
    """As in the other views; with a project the same word is a path."""
    assert "`triage/fix` of `shop`: 1 file" in (await branch.give("git_diff", project="", path="shop")).text
    assert "`triage/fix` of `shop`: no changes" in (await branch.give("git_diff", path="shop")).text
