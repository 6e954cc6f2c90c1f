"""References in a text, by table."""

from __future__ import annotations

import pytest

from bot.decide.grounding.references import find_references


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[the notes](docs/notes.md)", [("file", "docs/notes.md", True)]),
        ("[the notes](docs/notes.md#setup)", [("file", "docs/notes.md", True)]),
        ("[write us](mailto:help@shop.test)", []),
        ("fixed in commit `3f9c2ab`", [("commit", "3f9c2ab", True)]),
        ("fixed in `3f9c2ab`", [("commit", "3f9c2ab", False)]),
        ("`my notes/read me.md`", [("file", "my notes/read me.md", True)]),
        ("`the limit of each try`", []),
    ],
)
def test_targets_and_code_are_references_if_all_of_them_is_one(
    text: str, expected: list[tuple[str, str, bool]]
) -> None:
    """A file with blanks in its name, a commit with or without that word; no address of another kind and no words."""
    assert [(mention.kind, mention.text, mention.is_sure) for mention in find_references(text)] == expected


def test_a_line_that_is_named_twice_has_its_first_words() -> None:
    """One reference shows them."""
    mentions = find_references("src/orders.py line 3 says so; Line 3 is read")
    assert [(mention.text, mention.first, mention.words) for mention in mentions] == [("src/orders.py", 3, "line 3")]


def test_the_address_of_a_commit_is_that_commit() -> None:
    """In lower case, without the end of the sentence."""
    address = "https://github.com/example/platform/commit/ABC1234F"
    mentions = find_references(f"see {address}.", web_url="https://github.com/example/platform")
    assert [(mention.kind, mention.text, mention.commit) for mention in mentions] == [("commit", address, "abc1234f")]
