"""The command `help`: what people use first, then subjects, and to each person only what their role allows."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.help import CommandHelp
from bot.commands.subjects import FIRST, SUBJECTS, find_subject, say_what_shows
from tests.chat.crew import ADMIN, MEMBER, OPERATOR, command, handler, permission

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer, Role

HELP = CommandHelp(permission=permission(), catalogue=CATALOGUE)
USERS: dict[Role, str] = {"member": MEMBER, "operator": OPERATOR, "admin": ADMIN}
ROLES = (*USERS,)
NAMES = {name for spec in CATALOGUE.values() for name in (spec.name, *spec.also)}


async def answered(text: str, user: str) -> CommandAnswer:
    """What `help` says to somebody, as they get it: not longer than an answer may be."""
    return await handler(runs={"help": HELP.help}).execute("help", {"command": text}, command(user_id=user))


def may(role: Role) -> set[str]:
    """The commands that this role may give."""
    return {spec.name for spec in CATALOGUE.values() if ROLES.index(spec.role) <= ROLES.index(role)}


def named(answer: CommandAnswer) -> set[str]:
    """The commands that an answer names, by any of their names."""
    words = {word.split()[0] for word in re.findall(r"`([^`]+)`", unescape(answer.text))}
    return {spec.name for spec in CATALOGUE.values() if words & {spec.name, *spec.also}}


@pytest.mark.parametrize("role", ROLES)
async def test_help_shows_ten_commands_and_the_subjects(role: Role) -> None:
    """Those that people use first; each subject with a sentence, and how to see it."""
    answer = await answered("", USERS[role])
    rows = [row for row in answer.rows if row.startswith("`") and not row.startswith("`help ")]
    assert len(rows) == min(10, len(may(role) - {"help"}))
    subjects = {find_subject(CATALOGUE[name]).name for name in may(role)} if len(may(role)) > 10 else set()
    assert {row.split("`")[1] for row in answer.rows if row.startswith("`help ")} >= {
        f"help {name}" for name in subjects
    }
    assert "…" not in answer.rows


def test_each_command_has_one_that_shows_how_far_it_got() -> None:
    """It only reads, and may be given by all who may give the other one."""
    for spec in CATALOGUE.values():
        if spec.tier != "read":
            name = say_what_shows(spec).split("`")[1].removeprefix("/triage ")
            assert (CATALOGUE[name].tier, name in may(spec.role)) == ("read", True), spec.name


@pytest.mark.parametrize("role", ROLES)
async def test_the_subjects_together_list_all_that_a_person_may_give(role: Role) -> None:
    """And nothing else, on any page of it."""
    listed: set[str] = set()
    for text in ("", *(subject.name for subject in SUBJECTS)):
        answer = await answered(text, USERS[role])
        assert named(answer) - {"help"} <= may(role), text
        assert answer.rows[-1:] != ("…",), text
        if answer.outcome == "done" and text:
            listed |= {row.split("`")[1].split()[0] for row in map(unescape, answer.rows) if row.startswith("`")}
    assert listed - {"help"} == (may(role) - {"help"} if len(may(role)) > 10 else listed - {"help"})


@pytest.mark.parametrize(("role", "more"), [("member", "Operators and admins"), ("operator", "Admins"), ("admin", "")])
async def test_help_says_that_others_have_more(role: Role, more: str) -> None:
    """Without the names."""
    answer = await answered("", USERS[role])
    assert answer.text.endswith(f"{more} have more commands.") is bool(more)


@pytest.mark.parametrize("role", ROLES)
async def test_a_command_is_described_to_those_who_may_give_it(role: Role) -> None:
    """To others help says who may."""
    for spec in CATALOGUE.values():
        answer = await answered(spec.name, USERS[role])
        assert answer.outcome == "done"
        assert (spec.summary in answer.text) is (spec.name in may(role))
        assert f"`{spec.name}" in answer.text


@pytest.mark.parametrize(
    ("text", "outcome", "words"),
    [
        ("project pause", "done", "`pause_project &lt;project&gt;` holds"),
        ("pause project", "done", "Also `project pause`."),
        ("pause-project", "done", "`pause_project"),
        ("`/pause`", "done", "`pause` lets"),
        ("projects", "done", "Commands on projects: "),
        ("Project", "done", "`list_projects`"),
        ("notes", "done", "`append_note"),
        ("list_projects", "done", "Also `projects`."),
        ("tasks", "done", "`get_task_result"),
        ("task result", "done", "`get_task_result [task]`"),
        ("get", "done", "`get_project"),
        ("channel project", "invalid", "may mean `get_project_channels` or `get_project_for_channel`"),
        ("wyh", "invalid", "The nearest is `why`"),
        ("kosten", "invalid", "The nearest is `get_token_usage`"),
        ("no", "invalid", "name. `help` lists them all."),
        ("`x`", "invalid", ""),
        ("<!channel>", "invalid", ""),
    ],
)
async def test_help_understands_names_phrases_and_subjects(text: str, outcome: str, words: str) -> None:
    """A slip gets the nearest one."""
    answer = await answered(text, ADMIN)
    assert (answer.outcome, words in answer.text) == (outcome, True), answer.text


async def test_a_member_is_told_of_no_command_of_others() -> None:
    """Not by an unknown word either."""
    assert (await answered("projects", MEMBER)).text == "The commands on projects are for operators and admins."
    for text in ("kosten", "halt", "projects", "wyh", "note"):
        assert named(await answered(text, MEMBER)) <= {"help", "mine"}
        answer = await handler().execute(text, {}, command(user_id=MEMBER))
        assert named(answer) <= {"help", "mine"}


def test_every_command_has_a_subject_and_the_first_ones_exist() -> None:
    """The last subject takes what no noun says, which is not most of it."""
    assert {*FIRST} <= CATALOGUE.keys()
    rest = [spec.name for spec in CATALOGUE.values() if find_subject(spec) == SUBJECTS[-1]]
    assert len(rest) < len(CATALOGUE) / 2
    for subject in SUBJECTS:
        assert {*subject.own} <= NAMES
