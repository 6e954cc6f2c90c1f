"""The page of the settings: current, and complete."""

from __future__ import annotations

import re

import pytest

from scripts.settings_page import PAGE, Table, list_tables, page


def test_the_page_is_current() -> None:
    """`make format` writes it."""
    assert PAGE.read_text() == page()


@pytest.mark.parametrize("table", list_tables(), ids=lambda table: table.title)
def test_each_key_has_a_meaning(table: Table) -> None:
    """A member of a union says its type in its title."""
    assert table.about
    assert [row.key for row in table.settings if not row.meaning and row.key != "`type`"] == []


def test_each_link_to_a_section_leads_there() -> None:
    """An anchor is a title in small letters, without dots."""
    titles = {
        title.lower().replace(".", "").replace(" ", "-") for title in re.findall("^## (.+)$", page(), re.MULTILINE)
    }
    assert {*re.findall(r"\]\(#([\w-]+)\)", page())} == titles - {"top-level"}


@pytest.mark.parametrize(
    "row",
    [
        "| `from` | time of day | `09:00` | Start of the working day. |",
        "| `max_agents` | integer from 1 to 10 |  |",
        "| `argv` | list of text | required |",
        "| `timeout_s` | number above 0, at most 600 | `120` |",
        "| `feedback` | true or false | `true` |",
        "| `operators` | list of user id |  |",
        "| `working_hours` | [section](#approvalworking_hours) |  |",
    ],
)
def test_a_row_gives_the_value_and_the_default(row: str) -> None:
    """The limits come from the type of the field."""
    assert row in page()
