"""Names of notes: whatever is proposed, one file in one folder."""

from __future__ import annotations

import re

import pytest

from bot.decide.note_names import LONGEST, name_for_title, note_name, number_name
from tests.tables import each_row


@each_row(
    ("proposed", "name"),
    [
        ("Retry limits.MD", "retry-limits.md"),
        ("../../etc/passwd", "passwd.md"),
        ("/etc/cron.d/x", "x.md"),
        ("..\\..\\win.ini", "win-ini.md"),
        (".ssh/authorized_keys", "authorized-keys.md"),
        (".gitignore", "gitignore.md"),
        ("Größe der Straße.txt", "größe-der-straße.md"),
        ("Configuração número 2", "configuração-número-2.md"),
        ("d\u00e9j\u00e0 vu", "déjà-vu.md"),
        ("注意", "注意.md"),
        ("注" * 200, "注" * LONGEST + ".md"),
        ("a\u202eb", "a-b.md"),
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
    assert re.fullmatch(r"[^\W_A-Z]+(-[^\W_A-Z]+)*\.md", name)


def test_a_taken_name_is_told_apart_by_a_number() -> None:
    """The first has none."""
    assert [number_name("a.md", number) for number in (1, 2, 3)] == ["a.md", "a-2.md", "a-3.md"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Лимиты повтора", "limity-povtora.md"),
        ("Retry limits.md", "retry-limits.md"),
        ("x" * 500, "x" * LONGEST + ".md"),
    ],
)
def test_a_title_in_any_script_has_a_latin_name(title: str, name: str) -> None:
    """It can be typed on every keyboard."""
    assert name_for_title(title) == name


@pytest.mark.parametrize("title", ["😀", "CON", "!!!"])
def test_a_title_without_a_usable_letter_is_named_by_its_hash(title: str) -> None:
    """The same title, the same name."""
    assert re.fullmatch(r"note-[0-9a-f]{8}\.md", name_for_title(title))
    assert name_for_title(title) == name_for_title(f" {title} ") != name_for_title(f"{title}{title}?")
