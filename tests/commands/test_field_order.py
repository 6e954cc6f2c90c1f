"""Order of words: fields in their order, and names of projects and channels wherever they stand."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.field_order import ObjectNames
from bot.commands.parsing import parse_line, parse_words
from tests.tables import each_row

KNOWN = ObjectNames(projects=("shop", "tea", "shop/api"), channels=("C0HELP", "help-platform"))


@each_row(
    ("text", "given"),
    [
        # a name that does not fit in its place goes to its field
        ("read_note Deploy shop", {"title": "Deploy", "project": "shop"}),
        ("read_note shop Deploy", {"title": "Deploy", "project": "shop"}),
        ("read_note Deploy 3 shop", {"title": "Deploy", "first": "3", "project": "shop"}),
        ("read_note Deploy shop 3", {"title": "Deploy", "first": "3", "project": "shop"}),
        ("read_note shop tea", {"title": "shop", "project": "tea"}),
        ("read_note shop shop", {"title": "shop", "project": "shop"}),
        ("delete_note shop Deploy", {"title": "Deploy", "project": "shop"}),
        ("delete_note Shop/API Deploy", {"title": "Deploy", "project": "Shop/API"}),
        ("list_tasks shop", {"project": "shop"}),
        ("list_tasks help-platform", {"channel": "help-platform"}),
        ("list_tasks #help-platform shop", {"channel": "#help-platform", "project": "shop"}),
        ("list_tasks <#C0OTHER|other> open", {"channel": "<#C0OTHER|other>", "status": "open"}),
        ("set_project_channel help-platform shop", {"project": "shop", "channel": "help-platform"}),
        ("set_project_channel help-platform none", {"project": "none", "channel": "help-platform"}),
        ("mode live help-platform", {"channel": "help-platform", "mode": "live"}),
        ("mode live here", {"channel": "here", "mode": "live"}),
        ("mode silent C0HELP", {"channel": "C0HELP", "mode": "silent"}),
        ("read_file shop src/app.py", {"path": "src/app.py", "project": "shop"}),
        ("read_file src/app.py 3 9 shop", {"path": "src/app.py", "first": "3", "last": "9", "project": "shop"}),
        ("read_file src/app.py shop", {"path": "src/app.py", "project": "shop"}),
        ("project shop", {"project": "shop"}),
        # what fits stays as it is
        ("read_note shop", {"title": "shop"}),
        ("read_note shop 3", {"title": "shop", "first": "3"}),
        ("read_note shop project=tea", {"title": "shop", "project": "tea"}),
        ("delete_note Deploy shop", {"title": "Deploy", "project": "shop"}),
        ("delete_note shop", {"title": "shop"}),
        ("delete_note shop tea", {"title": "shop", "project": "tea"}),
        ("list_tasks open shop", {"status": "open", "project": "shop"}),
        ("set_project_channel shop help-platform", {"project": "shop", "channel": "help-platform"}),
        ("create_project shop /srv/shop", {"name": "shop", "root": "/srv/shop"}),
        ("mode help-platform live", {"channel": "help-platform", "mode": "live"}),
        ("set_active_project none", {"project": "none"}),
        # what fits in no way is passed on in its order
        ("delete_note Deploy sohp", {"title": "Deploy", "project": "sohp"}),
        ("read_note Deploy sohp", {"title": "Deploy", "first": "sohp"}),
        ("mode live nowhere", {"channel": "live", "mode": "nowhere"}),
        ("pause_project shop tea", {"project": "shop", "word 2": "tea"}),
        # text that takes the rest of the line stays whole
        ("write_note Deploy shop is closed", {"title": "Deploy", "content": "shop is closed"}),
        ("search_files shop", {"text": "shop"}),
        ("search_files project=shop limit", {"text": "limit", "project": "shop"}),
        # names of the specification
        ("read_note note_title=Deploy project_id=shop", {"note_title": "Deploy", "project_id": "shop"}),
        ("read_note project_id=shop Deploy", {"title": "Deploy", "project_id": "shop"}),
        ("search_files project_id=shop mode=find *.py", {"text": "*.py", "project_id": "shop", "mode": "find"}),
        ("search_files pattern=a  b", {"text": "a  b"}),
        ("pause_project project=shop project_id=tea", {"project": "shop", "project_id": "tea"}),
    ],
)
def test_words_find_their_fields(text: str, given: dict[str, str]) -> None:
    """In the terminal as in Slack."""
    assert parse_line(text, CATALOGUE, KNOWN)[1] == given
    if "  " not in text:
        assert parse_words(text.split(), CATALOGUE, KNOWN)[1] == given


def test_many_words_are_not_tried_in_every_order() -> None:
    """A line of names has as many orders as nobody can wait for."""
    words = " ".join(["shop", "help-platform"] * 90)
    assert len(parse_line(f"list_tasks {words}", CATALOGUE, KNOWN)[1]) == 180


@pytest.mark.parametrize(
    ("words", "parsed"),
    [
        (["pause_project alpha"], ("pause_project", {"project": "alpha"})),
        (["write_note Keys", "Rotate them"], ("write_note", {"title": "Keys", "content": "Rotate them"})),
        (
            ['write_note "Deploy keys" Rotate  it'],
            ("write_note", {"title": "Deploy keys", "content": "Rotate  it"}),
        ),
        (["status\n"], ("status", {})),
        (["\u200bsta\u200btus"], ("status", {})),
        (["", "pause"], ("", {"0": "pause"})),
        (["\u200b"], ("", {})),
        ([], ("help", {})),
    ],
)
def test_a_name_is_read_without_what_the_shell_left_in_it(words: list[str], parsed: tuple[str, dict[str, str]]) -> None:
    """Quotes around a line, blanks and invisible characters; an empty name leads to no other command."""
    name, arguments = parse_words(words)
    assert (name, [*arguments.values()]) == (parsed[0], [*parsed[1].values()])
