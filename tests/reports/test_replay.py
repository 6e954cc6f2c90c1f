"""What a history adds up to, and how it is shown."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import Any

from bot.models.classification import Class
from bot.models.said import Said
from bot.reports.charts import columns
from bot.reports.replay import SAMPLES, Counts, Report, Tally
from bot.reports.replay_page import as_page
from bot.reports.replay_text import as_text, plain

HOSTILE = "<script>alert(1)</script>\"'&\x1b[31m\u202e\ud800"


def said(text: str = "why?", *, hour: float = 9, day: int = 5, home: str | None = None, **changes: Any) -> Said:
    """A message in #help, on a day of January."""
    ts = datetime(2026, 1, day, tzinfo=UTC).timestamp() + hour * 3600
    values = {"channel": "C1", "channel_name": "help", "ts": f"{ts:.6f}", "home": home or f"C1-{ts}"} | changes
    return Said(text, "U1", **values)


def report(*messages: tuple[Said, Class], price: float | None = None) -> Report:
    """The report of these messages."""
    tally = Tally()
    for message, name in messages:
        tally.add(message, name, 0.7)
    return tally.report(title="export.zip", version="v1", unread=[], price=price)


def test_shares_are_counted_by_channel_and_day() -> None:
    """And add up to the whole."""
    shown = report(
        (said(), "actionable"),
        (said(hour=10), "ambient"),
        (said(day=6), "ack"),
        (said(day=6, channel="C2", channel_name="ops"), "ambient"),
        (said(day=6, channel="C2", channel_name="ops"), "ambient"),  # delivered twice,
    )
    assert shown.all == Counts(actionable=1, ambient=2, ack=1, investigations=1)
    assert shown.twice == 1
    assert list(shown.channels) == ["help", "ops"]
    assert shown.channels["help"].share("actionable") == 1 / 3
    assert shown.days[date(2026, 1, 6)] == Counts(ambient=1, ack=1)
    assert shown.channel_days["ops"] == {date(2026, 1, 6): Counts(ambient=1)}


def test_a_thread_is_investigated_once() -> None:
    """However much is said in it; a bot's message begins nothing; each costs its price."""
    shown = report(
        (said(home="t1"), "actionable"),
        (said(home="t1", hour=9.5), "actionable"),
        (said(home="t2", hour=9.7), "actionable"),
        (said(home="t3", day=6, by_bot=True), "actionable"),
        price=0.21,
    )
    assert (shown.all.actionable, shown.all.investigations) == (4, 2)
    assert shown.cost == 0.42
    assert shown.a_day == 1.0
    assert (shown.worst_hour, shown.in_worst_hour) == (datetime(2026, 1, 5, 9, tzinfo=UTC), 2)


def test_the_earlier_of_two_equal_hours_is_the_worst() -> None:
    """So that the same history gives the same report."""
    shown = report((said(hour=15), "actionable"), (said(hour=8), "actionable"))
    assert shown.worst_hour == datetime(2026, 1, 5, 8, tzinfo=UTC)


def test_samples_are_twenty_of_each_class_and_the_same_each_time() -> None:
    """From the whole history, not from its beginning."""
    messages: list[tuple[Said, Class]] = [(said(f"message {n}", hour=n / 100), "ambient") for n in range(1_000)]
    shown, again = report(*messages), report(*messages)
    texts = [sample.text for sample in shown.samples["ambient"]]
    assert len(set(texts)) == SAMPLES
    assert any(int(text.split()[1]) > 500 for text in texts)
    assert shown.samples == again.samples
    assert shown.samples["ack"] == []


def test_messages_without_a_time_are_counted_and_said() -> None:
    """They are in no day."""
    shown = report((said(ts="", home=None), "actionable"), (said(ts="", home=None), "actionable"))
    assert (shown.undated, shown.days, shown.worst_hour, shown.a_day) == (2, {}, None, None)
    assert "Without a time, and so in no day: 2 messages." in as_text(shown)
    assert "By day" not in as_page(shown)


def test_the_text_says_what_matters() -> None:
    """Shares, investigations, cost, the worst hour, and that the rules are too generous."""
    text = as_text(report((said(), "actionable"), (said(hour=10), "ambient"), price=0.5))
    for part in ("50.0% (1)", "$0.50 at $0.5 each", "2026-01-05 09:00 UTC", "More than 30% are actionable"):
        assert part in text


def test_the_text_steers_no_terminal() -> None:
    """What people wrote is one line without control characters."""
    text = as_text(report((said(HOSTILE, channel_name=HOSTILE), "actionable")))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    assert plain("a\r\n\tb") == "a b"


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_what_people_wrote_is_no_part_of_the_page() -> None:
    """No script, no handler, no address, whatever a message or a channel is called."""
    shown = report((said(HOSTILE, channel_name="<img src=x onerror=alert(1)>"), "actionable"), (said("ok"), "ack"))
    page = as_page(shown)
    elements = _Elements()
    elements.feed(page)
    assert not elements.tags & {"script", "img", "iframe", "link", "a", "form"}
    assert not {name for name in elements.names if name.startswith("on") or name in ("src", "href")}
    assert "<script>alert(1)</script>" in elements.text
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "<svg" in page


def test_many_days_are_drawn_in_wider_columns() -> None:
    """A column for each day of a month, for each week or more of ten years."""
    month = {date(2026, 1, 1): Counts(ack=1), date(2026, 1, 30): Counts(ack=1)}
    years = {date(2016, 1, 1): Counts(ack=1), date(2026, 1, 30): Counts(ack=1)}
    assert columns(month).count("<g>") == 30
    assert 60 < columns(years).count("<g>") <= 120
