"""Settings of declared commands and of projects' checks: what is refused, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.settings import load
from bot.errors import Misconfigured
from bot.models.declared_command import DeclaredCheck

_GOOD = """\
projects:
  shop:
    root: .
    check: {argv: [pytest, -q], timeout_s: 30, reads: [/usr]}
commands:
  - name: count
    argv: [wc, -l, --, "{path}", "{times}"]
    parameters:
      path: {type: path}
      times: {type: integer, min: 1, max: 3}
    projects: [shop]
    timeout_s: 5
    role: admin
    reads: [~/data]
"""


def write(folder: Path, text: str) -> Path:
    """A settings file."""
    path = folder / "triage.yml"
    path.write_text(text)
    return path


def test_a_command_and_a_check_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As plain values, with the home in place of its sign."""
    monkeypatch.setenv("HOME", "/home/triage")
    settings = load(write(tmp_path, _GOOD))
    command = settings.commands[0].as_command()
    assert (command.name, command.role, command.timeout_s, command.writes) == ("count", "admin", 5, False)
    assert [*command.parameters] == ["path", "times"]
    assert command.reads == (Path("/home/triage/data"),)
    (project,) = settings.project_list
    assert project.check == DeclaredCheck(argv=("pytest", "-q"), timeout_s=30, reads=(Path("/usr"),))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("name: count", "name: Count", ":6: commands.0.name: expected a name of at most 64 letters a-z"),
        ("{type: path}", "{type: file}", ":9: commands.0.parameters.path: expected a type: string, choice, integer"),
        ("min: 1, max: 3", "min: 4, max: 3", ":10: commands.0.parameters.times.integer: expected min to be at most"),
        ("min: 1, max: 3", "min: x, max: 3", ":10: commands.0.parameters.times.integer.min: expected a whole number"),
        ("path: {type: path}", "path: {type: string, pattern: 'a('}", "expected a pattern of re2: missing )"),
        ("path: {type: path}", "path: {type: choice, choices: []}", "path.choice.choices: expected at least 1"),
        ("times: {", "Times: {", "commands.0.parameters.Times: expected a parameter's name: lower-case letters"),
        ("times: {", "project: {", "expected another name than project, which run_command takes itself"),
        ("projects: [shop]", "projects: [toys]", ":11: commands.0.projects.0: expected one of shop"),
        ("timeout_s: 5", "timeout_s: 0", ":12: commands.0.timeout_s: expected greater than 0"),
        ("timeout_s: 5", "timeout: 5", ":12: commands.0.timeout: expected a known key, perhaps timeout_s"),
        ("role: admin", "role: member", ":13: commands.0.role: expected 'operator' or 'admin'"),
        ("reads: [~/data]", "reads: [data]", ":14: commands.0.reads: expected absolute paths of folders and files"),
        ("reads: [~/data]", "reads: [/]", ":14: commands.0.reads: expected absolute paths of folders and files"),
        ('--, "{path}"', '"-x{path}"', ":7: commands.0.argv: expected `=` before the placeholder of an option"),
        ('--, "{path}"', '"{pat}"', ":7: commands.0.argv: unknown placeholder {pat}; parameters are path, times"),
        ("[wc, -l", "[./wc, -l", ":7: commands.0.argv: expected a program in PATH or an absolute path"),
        ("[wc, -l", "[wc, xo" + "xb-123456789012-123456789012-abcdefghijklmnopqrstuvwx", "expected no secret, found"),
        ("[pytest, -q]", "[]", ":4: projects.shop.check.argv: expected at least 1, found 0"),
        (
            "[pytest, -q]",
            '[pytest, "{path}"]',
            ":4: projects.shop.check.argv: unknown placeholder {path}; there are no",
        ),
        ("timeout_s: 30", "timeout_s: 9999", ":4: projects.shop.check.timeout_s: expected at most 3600"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    """And what would be right."""
    assert old in _GOOD
    with pytest.raises(Misconfigured) as refused:
        load(write(tmp_path, _GOOD.replace(old, new, 1)))
    assert complaint in str(refused.value)


def test_two_commands_of_one_name_are_refused(tmp_path: Path) -> None:
    """`run_command` would not know which one is meant."""
    with pytest.raises(Misconfigured, match=r":15: commands.1.name: expected each command once"):
        load(write(tmp_path, _GOOD + "  - {name: count, argv: [ls]}\n"))
