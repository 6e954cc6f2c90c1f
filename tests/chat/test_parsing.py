"""What is typed becomes words by the name of the field that each fills: by table."""

from __future__ import annotations

import pytest

from bot.commands.parsing import parse_line, parse_words
from tests.chat.crew import SMALL
from tests.tables import each_row


@each_row(
    ("text", "name", "given"),
    [
        ("", "help", {}),
        ("  \n ", "help", {}),
        ("LOOK shop", "look", {"name": "shop"}),
        ("drop_it shop", "drop_it", {"name": "shop"}),
        ("nothing here", "nothing", {"word 1": "here"}),
        ("look shop at it", "look", {"name": "shop", "remark": "at", "word 3": "it"}),
        # quotes
        ('look "my shop" x', "look", {"name": "my shop", "remark": "x"}),
        ("look “my shop” x", "look", {"name": "my shop", "remark": "x"}),
        ('look "my\nshop"', "look", {"name": "my\nshop"}),
        ('look ""', "look", {"name": ""}),
        ('look "my shop', "look", {"name": '"my', "remark": "shop"}),
        ('look my" shop"', "look", {"name": 'my"', "remark": 'shop"'}),
        ('look "my"shop x', "look", {"name": '"my"shop', "remark": "x"}),
        ("look “my shop x", "look", {"name": "“my", "remark": "shop", "word 3": "x"}),
        ("look 'my shop'", "look", {"name": "'my", "remark": "shop'"}),
        # names of fields
        ("look remark=fine shop", "look", {"name": "shop", "remark": "fine"}),
        ('look remark="quite fine" name=“my shop”', "look", {"name": "my shop", "remark": "quite fine"}),
        ('look remark="quite fine', "look", {"remark": '"quite', "name": "fine"}),
        ("look colour=red", "look", {"name": "colour=red"}),
        ("look name=a name=b", "look", {"name": "a", "remark": "name=b"}),
        ("look remark= shop", "look", {"name": "shop", "remark": ""}),
        ('look "remark=fine"', "look", {"name": "remark=fine"}),
        ("look https://a.example/p1?name=2", "look", {"name": "https://a.example/p1?name=2"}),
        # the rest of the line
        ("note Deploys", "note", {"title": "Deploys"}),
        (
            "note Deploys they  are\n\n- on *Fridays*\n",
            "note",
            {"title": "Deploys", "content": "they  are\n\n- on *Fridays*"},
        ),
        ('note "On deploys" say "no" twice', "note", {"title": "On deploys", "content": 'say "no" twice'}),
        ("note Deploys “no”", "note", {"title": "Deploys", "content": "“no”"}),
        ("note Deploys a=b title=c", "note", {"title": "Deploys", "content": "a=b title=c"}),
        (
            "note project=tea Deploys on Fridays",
            "note",
            {"title": "Deploys", "project": "tea", "content": "on Fridays"},
        ),
        (
            "note Deploys project=tea on Fridays",
            "note",
            {"title": "Deploys", "project": "tea", "content": "on Fridays"},
        ),
        ("note Deploys on project=tea", "note", {"title": "Deploys", "content": "on project=tea"}),
        ("note Deploys content=on  Fridays", "note", {"title": "Deploys", "content": "on  Fridays"}),
        ('note content="on Fridays" Deploys', "note", {"title": "Deploys", "content": "on Fridays"}),
        ('note content="a b" T extra', "note", {"title": "T", "content": "a b", "word 4": "extra"}),
    ],
)
def test_a_line_is_read_as_it_was_meant(text: str, name: str, given: dict[str, str]) -> None:
    """Quotes hold words together, names put them in place, the last field takes the rest, what is odd stays."""
    assert parse_line(text, SMALL) == (name, given)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["look", "my shop", "x"], {"name": "my shop", "remark": "x"}),
        (["look", "remark=quite fine", "shop"], {"name": "shop", "remark": "quite fine"}),
        (["look", '"my', 'shop"'], {"name": '"my', "remark": 'shop"'}),
        (["note", "On deploys", "on", "Fridays\nonly"], {"title": "On deploys", "content": "on Fridays\nonly"}),
        (
            ["note", "On deploys", "project=tea", "content=on  Fridays"],
            {"title": "On deploys", "project": "tea", "content": "on  Fridays"},
        ),
    ],
)
def test_words_of_a_shell_stay_together(words: list[str], given: dict[str, str]) -> None:
    """The shell has taken the quotes away already."""
    assert parse_words(words, SMALL) == (words[0], given)
