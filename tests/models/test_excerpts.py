"""What rules read of a very long text."""

from __future__ import annotations

from bot.models.excerpts import HEAD, TAIL, excerpt


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    """A question above or under a log is read; one of usual length is the text itself."""
    log = "where is a?\n" + "x" * 30_000 + "\nwhere is b?"
    assert excerpt(log).startswith("where is a?")
    assert excerpt(log).endswith("where is b?")
    assert len(excerpt(log)) == HEAD + TAIL + 1
    assert excerpt(log[: HEAD + TAIL]) == log[: HEAD + TAIL]
