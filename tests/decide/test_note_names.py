"""Names of notes: whatever is proposed, one file in one folder."""

from __future__ import annotations

import re

import pytest

from bot.decide.note_names import LONGEST, note_name, numbered


@pytest.mark.parametrize(
    ("proposed", "name"),
    [
        ("Retry limits.MD", "retry-limits.md"),
        ("../../etc/passwd", "passwd.md"),
        ("/etc/cron.d/x", "x.md"),
        ("..\\..\\win.ini", "win-ini.md"),
        (".ssh/authorized_keys", "authorized-keys.md"),
        (".gitignore", "gitignore.md"),
        ("größe.txt", "groe.md"),
        ("注意", "note.md"),
        ("..", "note.md"),
        ("a/", "note.md"),
        ("CON", "note.md"),
        ("a\0b\nc", "a-b-c.md"),
        ("-rf", "rf.md"),
        ("x" * 500, "x" * LONGEST + ".md"),
    ],
)
def test_a_proposed_name_becomes_a_safe_one(proposed: str, name: str) -> None:
    """Letters, digits and dashes; never hidden, never in another folder."""
    assert note_name(proposed) == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.md", name)


def test_a_taken_name_is_told_apart_by_a_number() -> None:
    """The first has none."""
    assert [numbered("a.md", number) for number in (1, 2, 3)] == ["a.md", "a-2.md", "a-3.md"]
