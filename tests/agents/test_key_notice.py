"""Notices about the model's key: one for each key, as about money."""

from __future__ import annotations

from bot.agents.key_notice import KeyNotice
from bot.errors import NoKey


def test_each_key_is_told_once_with_the_next_step() -> None:
    """However many runs it fails."""
    lines: list[str] = []
    notice = KeyNotice(tell=lines.append)
    for number in (1, 1, 2, 1):
        notice.report(NoKey("the model's server does not accept the key (401)", key_number=number))
    assert len(lines) == 2
    assert lines[0].startswith("The agents have no usable key: the model's server does not accept the key (401).")
    assert "`ANTHROPIC_API_KEY`" in lines[0]
    assert "each run tries again" in lines[0]
