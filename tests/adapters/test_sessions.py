"""Session records on disk, and the table of prices."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.adapters.prices import PriceTable
from bot.adapters.sessions import SessionFiles
from bot.errors import RetryLater
from bot.models.session_chain import SessionLink
from bot.models.turn import Usage
from tests.agents.test_ledger import session
from tests.builders import T0


async def test_a_record_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    """In a file that only its owner reads; the newest state replaces the one before."""
    files = SessionFiles(tmp_path / "sessions")
    await files.save(session())
    newer = session(num_turns=2, cost_usd=0.25, usage=Usage(output_tokens=9), outcome="answered")
    await files.save(newer)
    assert await files.list_since(T0.date()) == [newer]
    (path,) = (tmp_path / "sessions").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_disk_that_fails_is_told_to_the_caller(tmp_path: Path) -> None:
    """As something that may work later."""
    files = SessionFiles(tmp_path / "sessions")
    (tmp_path / "sessions").touch()
    with pytest.raises(RetryLater, match="could not be saved"):
        await files.save(session())


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-opus-5-5", Usage(input_tokens=100_000), 0.4),
        ("claude-opus-5-5", Usage(output_tokens=100_000), 2.0),
        ("claude-opus-5-5", Usage(cache_read_tokens=100_000), 0.02),
        ("claude-opus-5-5", Usage(cache_write_tokens=100_000), 0.5),
        ("claude-sonnet-5-5", Usage(input_tokens=1_000, cache_read_tokens=100_000, output_tokens=1_000), 0.022),
        ("llama3.2", Usage(input_tokens=100_000), None),
    ],
)
def test_prices_are_counted_by_kind_of_token(model: str, usage: Usage, dollars: float | None) -> None:
    """Cached tokens are added to the table's input once, and cost their own price."""
    assert PriceTable().cost(model, usage) == (None if dollars is None else pytest.approx(dollars))


async def test_links_are_read_once_and_sessions_by_name(tmp_path: Path) -> None:
    """Scenario "Index on parent_session_id": also those saved since; a file that is gone or torn is left out."""
    files = SessionFiles(tmp_path)
    first, second = session(1), session(2, tier=2, parent_session_id=session(1).session_id, thread_id="T0-C0-1.000001")
    await files.save(first)
    (tmp_path / "20260105T100000-torn.json").write_text("{")
    assert [link.session_id for link in await files.links()] == [first.session_id]
    await files.save(second)
    (tmp_path / f"{first.session_id}.json").write_text("{")
    assert await files.links() == [
        SessionLink(first.session_id, 1, None, None),
        SessionLink(second.session_id, 2, first.session_id, "T0-C0-1.000001"),
    ]
    (tmp_path / f"{first.session_id}.json").unlink()
    assert [link.session_id for link in await files.links()] == [second.session_id]
    assert await files.read([first.session_id, second.session_id]) == [second]
