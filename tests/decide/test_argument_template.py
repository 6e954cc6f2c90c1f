"""Arguments of declared commands: templates that are refused, and values that stay in their places."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.decide.argument_template import LONGEST_VALUE, describe_parameter, fill, find_template_fault, parse_value
from bot.models.declared_command import Parameter
from tests.tables import each_row

_PARAMETER: TypeAdapter[Parameter] = TypeAdapter(Parameter)


def parameter(kind: str, **fields: Any) -> Parameter:
    """A parameter of the settings."""
    return _PARAMETER.validate_python({"type": kind, **fields})


ANY = parameter("string", pattern="(?s).*")
WORD = parameter("string", pattern="[a-z]+|x")
MOOD = parameter("choice", choices=("good", "-bad"))
COUNT = parameter("integer", min=1, max=30)
LESS = parameter("integer", min=-5, max=5)
PATH = parameter("path")


@each_row(
    ("argv", "fault"),
    [
        (["pytest", "-q", "{any}"], ""),
        (["pytest", "--", "{any}", "{path}"], ""),
        (["pytest", "--k={any}", "-n", "{count}"], ""),
        (["pytest", "--k={any}{count}"], ""),
        (["pytest", "x{less}", "--x={mood}"], ""),
        (["/usr/bin/env", "A=1", "pytest", "{any}"], ""),
        (["timeout", "5", "pytest", "{any}"], ""),
        (["sh", "-c", 'grep -- "$1" notes', "sh", "{any}"], ""),
        (["python3", "-m", "pytest", "{any}"], ""),
        (["find", ".", "-name", "{any}", "{}"], ""),
        ([], "an empty list"),
        (["./run"], "a program in PATH or an absolute path"),
        (["{any}"], "the program without a placeholder"),
        (["/opt/{any}/run"], "the program without a placeholder"),
        (["pytest", "{nobody}"], "unknown placeholder {nobody}; there are no parameters"),
        (["pytest", "a\nb"], "printable characters"),
        (["pytest", "a\0b"], "printable characters"),
        (["pytest", "```"], "three backticks"),
        (["pytest", "-k{any}"], "expected `=` before the placeholder"),
        (["pytest", "-{any}"], "expected `=` before the placeholder"),
        (["pytest", "--{any}=x"], "expected `=` before the placeholder"),
        (["pytest", "{mood}"], "no value of mood that begins with a dash"),
        (["pytest", "--", "{less}"], "no value of less that begins with a dash"),
        (["sh", "-c", "grep {any} notes"], "may read as code"),
        (["/bin/bash", "-lc", "{any}"], "may read as code"),
        (["python3", "-c", "print('{any}')"], "may read as code"),
        (["env", "-S", "{any}"], "may read as code"),
        (["nice", "-n", "5", "sh", "-c", "{any}"], "may read as code"),
        (["perl", "-ne", "{any}"], "may read as code"),
        (["node", "--eval", "{any}"], "may read as code"),
        (["awk", "{any}", "notes"], "may read as code"),
        (["sed", "-e", "{any}"], "may read as code"),
        (["xargs", "{any}"], "may read as code"),
        (["ssh", "host", "{any}"], "may read as code"),
        (["timeout", "5", "{any}"], "may read as code"),
        (["sudo", "-n", "{any}"], "may read as code"),
        (["env", "A=1", "{any}"], "may read as code"),
        (["find", ".", "-exec", "{any}", ";"], "may read as code"),
        (["git", "-c", "{any}", "status"], "may read as code"),
        (["git", "-C", "x", "-c", "core.pager={any}", "log"], "may read as code"),
        (["git", "rebase", "-x", "{any}", "main"], "may read as code"),
        (["git", "clone", "--upload-pack={any}", "x"], "may read as code"),
        (["git", "switch", "-c", "{any}"], ""),
        (["git", "log", "--author={any}"], ""),
        (["node", "--eval={any}"], "may read as code"),
        (["node", "-p", "{any}"], "may read as code"),
        (["psql", "-p", "{count}"], ""),
        (["Rscript", "-e", "{any}"], "may read as code"),
        (["vim", "-c", "{any}"], "may read as code"),
        (["vim", "+{any}"], "may read as code"),
        (["gdb", "-ex", "{any}"], "may read as code"),
        (["expect", "-c", "{any}"], "may read as code"),
        (["rsync", "-e", "{any}", "a", "b"], "may read as code"),
        (["rsync", "-a", "{path}", "b"], ""),
        (["tar", "-xf", "a.tar", "--to-command={any}"], "may read as code"),
        (["tar", "-cf", "a.tar", "{path}"], ""),
        (["sqlite3", "app.db", "{any}"], "may read as code"),
        (["sqlite3", "-readonly", "{path}"], ""),
        (["flock", "lock", "{any}"], "may read as code"),
        (["flock", "-w", "5", "lock", "pytest", "{any}"], ""),
        (["strace", "{any}"], "may read as code"),
        (["strace", "-o", "trace", "{any}"], "may read as code"),
        (["sudo", "-u", "ana", "{any}"], "may read as code"),
        (["sudo", "-n", "pytest", "{any}"], ""),
        (["chroot", "/", "{any}"], "may read as code"),
        (["nsenter", "-t", "1", "{any}"], "may read as code"),
        (["systemd-run", "--user", "{any}"], "may read as code"),
        (["tmux", "new", "{any}"], "may read as code"),
        (["uv", "run", "{any}"], "may read as code"),
        (["uv", "run", "pytest", "{any}"], ""),
        (["npm", "run", "test", "--", "{any}"], ""),
    ],
)
def test_a_template_in_which_a_value_could_leave_its_place_is_refused(argv: list[str], fault: str) -> None:
    """An option, a program or code: the settings say so, before anybody gives a value."""
    known = {"any": ANY, "mood": MOOD, "count": COUNT, "less": LESS, "path": PATH}
    parameters = {name: each for name, each in known.items() if any(f"{{{name}}}" in word for word in argv)}
    found = find_template_fault(argv, parameters)
    assert fault in found
    assert bool(found) is bool(fault)


def test_a_parameter_that_no_word_has_is_refused() -> None:
    """It would be asked for, and change nothing."""
    assert find_template_fault(["true"], {"any": ANY}) == "the parameter any is in no word: expected {any}"


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (WORD, "abc", "abc"),
        (MOOD, "good", "good"),
        (COUNT, "007", "7"),
        (LESS, "-5", "-5"),
        (PATH, "src/app.py", "./src/app.py"),
        (PATH, "./src//app.py/", "./src/app.py"),
        (PATH, "-rf", "./-rf"),
        (PATH, ".", "."),
        (PATH, "a b/ü", "./a b/ü"),
    ],
)
def test_a_value_that_fits_is_taken(kind: Parameter, text: str, value: str) -> None:
    """A path begins with a dot, so that no name in it is an option."""
    assert parse_value(kind, text) == value
    assert parse_value(kind, value) == value


@each_row(
    ("kind", "text"),
    [
        (WORD, "Abc"),
        (WORD, "abc\n"),
        (WORD, "abc; rm -rf /"),
        (WORD, "x1"),
        (MOOD, "goo"),
        (MOOD, "good "),
        (COUNT, "0"),
        (COUNT, "31"),
        (COUNT, "+5"),
        (COUNT, "5.0"),
        (COUNT, "1e1"),
        (COUNT, "٣"),
        (COUNT, "9" * 19),
        (PATH, "/etc/passwd"),
        (PATH, "~/notes"),
        (PATH, "../secrets"),
        (PATH, "src/../../x"),
        (PATH, "src\\app.py"),
        *product(
            (ANY, WORD, MOOD, COUNT, PATH), ("", "a\nb", "a\0b", "a\rb", "a\x1b[2Jb", "a\u202eb", "a\u2028b", "`a`")
        ),
        *product(
            (ANY, WORD, MOOD, COUNT, PATH), ("a\u200bb", "a\udc80b", "\u00a0", "\U000e0041", "x" * (LONGEST_VALUE + 1))
        ),
    ],
)
def test_a_value_that_does_not_fit_is_refused(kind: Parameter, text: str) -> None:
    """Matched as a whole; in no type are there line breaks, NULs or what nobody sees."""
    with pytest.raises(ValueError, match=r"^expected "):
        parse_value(kind, text)


@pytest.mark.parametrize("value", ["-rf", "--output=x", "-", "--", "-\u00e4"])
def test_a_value_is_never_an_option(value: str) -> None:
    """Where it begins a word; after `--x=` it is the rest of one."""
    with pytest.raises(ValueError, match="it would be an option"):
        fill(["ls", "{any}"], {"any": parse_value(ANY, value)})
    with pytest.raises(ValueError, match="it would be an option"):
        fill(["ls", "--", "{any}"], {"any": value})
    assert fill(["ls", "--x={any}", "y{any}"], {"any": value}) == ("ls", f"--x={value}", f"y{value}")


HOSTILE = (
    *(
        "$(reboot)",
        "; rm -rf /",
        "a b",
        "a' b",
        'a" b',
        "a|b",
        "a>b",
        "*",
        "{count}",
        "{any}",
        "%s",
        "a=b",
        "@/etc/passwd",
    ),
    *("&& true", "\\", "\\n", "$HOME", "~", "!x", "#", "🎉", "%00", "..", "a,b", "<!channel>", "'; DROP TABLE", "=x"),
)


@each_row("value", HOSTILE)
def test_a_hostile_value_is_one_word_and_no_more(value: str) -> None:
    """As many words as the template has, and all others as they stand in it."""
    argv = ["tool", "{any}", "-n", "{count}", "--x={any}", "a{any}b{count}", "{}", "{other}"]
    filled = fill(argv[:-1], {"any": parse_value(ANY, value), "count": parse_value(COUNT, "3")})
    assert filled == ("tool", value, "-n", "3", f"--x={value}", f"a{value}b3", "{}")


def test_each_type_says_what_it_takes() -> None:
    """For a refusal, and for the list of commands."""
    assert [describe_parameter(each) for each in (WORD, MOOD, COUNT, PATH)] == [
        "a text that matches [a-z]+|x as a whole",
        "one of good, -bad",
        "a whole number from 1 to 30",
        "a path within the folder, such as src/app.py",
    ]
