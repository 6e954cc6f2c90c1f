"""Words of a team's own program: the faults that settings are refused for, and the values in place of placeholders."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.decide.program_arguments import ProgramValues, fill, find_fault

VALUES = ProgramValues(
    task_file=Path("/e/command/task.md"),
    task_dir=Path("/e/command"),
    return_file=Path("/e/command/answer.json"),
    project_root=Path("/srv/shop"),
    schema='{"type": "object"}',
    model="{tier}",
    session_id="20260105T090000-a",
    thread_id="slack:T0:C0:1",
    tier=2,
    max_turns=80,
    seconds=1800,
    usd=1.5,
)


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        (["claude", "--print", "read {task_file}"], ""),
        (["/opt/agent", "--schema", '{"type": "object", "x": {}}'], ""),
        ([], "an empty list"),
        ([""], "got nothing"),
        (["./agent"], "expected a program in PATH or an absolute path, got ./agent"),
        (["tools/agent"], "got tools/agent"),
        (["{project_root}/agent"], "without a placeholder"),
        (["agent", "{tsk_file}"], "unknown placeholder {tsk_file}; known are task_file, "),
    ],
)
def test_a_command_is_refused_for_its_fault(command: list[str], fault: str) -> None:
    """A program of the project's own folder is one: its code is not the team's settings."""
    found = find_fault(command)
    assert fault in found if fault else not found


def test_values_take_the_place_of_placeholders_once() -> None:
    """A value that looks like a placeholder stays as it is, and braces of JSON too."""
    command = ("agent", "--in={task_file}", "{model}", '{"a": {}}', "{usd}", "{tier}/{seconds}", "{schema}")
    assert fill(command, VALUES) == (
        "agent",
        "--in=/e/command/task.md",
        "{tier}",
        '{"a": {}}',
        "1.50",
        "2/1800",
        '{"type": "object"}',
    )
