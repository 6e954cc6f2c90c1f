"""The list of subcommands, help that fits a terminal, and errors that name the next step."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from bot.__main__ import main
from bot.cli.command_line import HelpFormatter, Parser, list_commands
from bot.cli.subcommands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTHS = (40, 57, 80, 200)


def words_of(text: str) -> list[str]:
    """The words of a text, without its line breaks."""
    return text.split()


def test_triage_alone_prints_the_list_and_says_that_nothing_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    """A script whose command is missing must not believe it was done; `help` and `--help` were asked for."""
    assert main([]) == 2
    shown = capsys.readouterr().out
    for asked in (["help"], ["--help"]):
        with pytest.raises(SystemExit) as end:
            main(asked)
        assert (end.value.code, capsys.readouterr().out) == (0, shown)
    assert all(f"\n  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_fits_the_terminal(width: int) -> None:
    """With whole words."""
    shown = list_commands(width)
    assert max(map(len, shown.splitlines())) <= width
    assert words_of(shown) == words_of(list_commands(1_000))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_fits_a_narrow_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With whole words; an example that is typed may be longer."""
    monkeypatch.setenv("COLUMNS", "40")
    parser = Parser(prog=f"triage {name}", formatter_class=HelpFormatter)
    importlib.import_module(f"bot.cli.{COMMANDS[name].module}").arguments(parser)
    lines = parser.format_help().splitlines()
    assert [line for line in lines if len(line) > 40 and len(line.split()) > 1] == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["dcotor"], "did you mean `triage doctor`?"),
        (["check_evidence"], "did you mean `triage check-evidence`?"),
        (["pause"], "'pause' is a command of the running bot: `triage command pause`"),
        (["xyz"], "`triage` lists all"),
        (["help", "xyz"], "`triage` lists all"),
        (["--foo"], "unrecognized arguments: --foo"),
        (["alive", "--hom", "x", "--hmoe=y"], "did you mean --home?\n`triage alive --help` has its options."),
        (["retrain"], "`triage retrain --help` has its options."),
    ],
)
def test_a_mistake_is_answered_with_the_next_step(
    typed: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with 2."""
    with pytest.raises(SystemExit) as end:
        main(typed)
    printed = capsys.readouterr()
    assert (end.value.code, printed.out) == (2, "")
    assert said in printed.err
