"""What a model writes in Markdown is put into Slack's form, and nothing else is touched."""

from __future__ import annotations

from blocks.markdown_repairs import repair_markdown
from blocks.reply import reply
from tests.tables import each_row


@each_row(
    ("text", "after"),
    [
        ("### Done", "*Done*"),
        ("# Done\nThree tasks.", "*Done*\nThree tasks."),
        ("###### Deep", "*Deep*"),
        ("## Closed ##", "*Closed*"),
        ("## In C#", "*In C#*"),
        ("## **Bold** and `**kwargs`", "*Bold and `**kwargs`*"),
        ("## **", ""),
        ("a\n---\nb", "a\n\nb"),
        ("a\n***\nb", "a\n\nb"),
        ("a\n_ _ _\nb", "a\n\nb"),
        ("```\n### not one\n---\n```\n### one", "```\n### not one\n---\n```\n*one*"),
        ("### one\n```\n# never closed\n---", "*one*\n```\n# never closed\n---"),
        ("#channel stays, and a --- b", "#channel stays, and a --- b"),
        ("####### seven", "####### seven"),
        ("--", "--"),
        ("Sure! NOTE: this is left as it is.", "Sure! NOTE: this is left as it is."),
        ("", ""),
    ],
)
def test_headings_and_rules_are_repaired(text: str, after: str) -> None:
    """Outside code; openings and capitals are a matter of taste and stay."""
    assert repair_markdown(text) == after
    assert repair_markdown(after) == after


def test_a_sharp_at_the_end_of_a_heading_stays() -> None:
    """In a draft, too, where it belongs to the last word."""
    first = reply("## In C#")["blocks"][0]["elements"][0]["elements"][0]
    assert (first["text"], first["style"]) == ("In C#", {"bold": True})
