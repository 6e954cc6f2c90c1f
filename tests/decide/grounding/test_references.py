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
    assert [(mention.kind, mention.text, mention.sure) for mention in find_references(text)] == expected
