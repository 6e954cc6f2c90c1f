"""What a history adds up to, and how it is shown."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import Any

from bot.models.classification import Class
from bot.models.line_message import LineMessage
from bot.reports.replay import Counts, ReplayReport, by_month, by_week, judge_share
from bot.reports.replay_page import as_page
from bot.reports.replay_tally import FEWER, SAMPLES, Tally
from bot.reports.replay_text import as_text, to_one_line

HOSTILE = "<script>alert(1)</script>\"'&\x1b[31m\u202e\ud800"


def said(text: str = "why?", *, hour: float = 9, day: int = 5, home: str | None = None, **changes: Any) -> LineMessage:
    """A message in #help, on a day of January."""
    ts = datetime(2026, 1, day, tzinfo=UTC).timestamp() + hour * 3600
    values = {"channel": "C1", "channel_name": "help", "ts": f"{ts:.6f}", "home": home or f"C1-{ts}"} | changes
    return LineMessage(text, "U1", **values)


def report(*messages: tuple[LineMessage, Class], price: float | None = None) -> ReplayReport:
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
    assert shown.cost(shown.all.investigations) == 0.42
    assert (shown.worst_hour, shown.in_worst_hour) == (datetime(2026, 1, 5, 9, tzinfo=UTC), 2)


def test_the_earlier_of_two_equal_hours_is_the_worst() -> None:
    """So that the same history gives the same report."""
    shown = report((said(hour=15), "actionable"), (said(hour=8), "actionable"))
    assert shown.worst_hour == datetime(2026, 1, 5, 8, tzinfo=UTC)


def test_samples_are_twenty_of_each_class_and_the_same_each_time() -> None:
    """From the whole history, not from its beginning; fewer of each of several channels."""
    messages: list[tuple[LineMessage, Class]] = [
        (said(f"message {'a' * n}", hour=n / 50), "ambient") for n in range(500)
    ]
    shown, again = report(*messages), report(*messages)
    texts = [sample.text for sample in shown.samples["help"]["ambient"]]
    assert len(set(texts)) == SAMPLES
    assert any(len(text) > 250 for text in texts)
    assert shown.samples == again.samples
    assert shown.samples["help"]["ack"] == []
    more = report(*messages, (said(channel_name="ops", channel="C2"), "actionable"))
    assert [len(samples["ambient"]) for samples in more.samples.values()] == [FEWER, 0]


def test_no_text_is_shown_twice() -> None:
    """Nor one that differs in a number; where several channels have it, the smallest shows it."""
    bots = [(said(f"Build {n} is green", hour=n / 10), "ambient") for n in range(20)]
    shown = report(*bots, (said("build 99 is  green", channel_name="ops", channel="C2"), "ambient"))  # type: ignore[arg-type]  # a table of classes
    assert [[s.text for s in samples["ambient"]] for samples in shown.samples.values()] == [[], ["build 99 is  green"]]


def test_a_sample_tells_who_when_where_and_why() -> None:
    """With people's names, a link into Slack where the ids are Slack's, and what is cut marked."""
    tally = Tally()
    message = said("<b> @U1 why? " + "x" * 700, channel="C0HELP", thread="C0HELP-1767603600.000001")
    tally.add(message, "actionable", 0.7, (("question_at_end", 1.27),))
    shown = tally.report(
        title="e", version="v", unread=[], price=None, names={"U1": "Ana & Bo"}, url="https://acme.slack.com"
    )
    (sample,) = shown.samples["help"]["actionable"]
    assert (sample.author, sample.text[:18], sample.text[-1]) == ("Ana & Bo", "<b> @Ana & Bo why?", "…")
    assert sample.link == (
        "https://acme.slack.com/archives/C0HELP/p1767603600000000?thread_ts=1767603600.000001&cid=C0HELP"
    )
    page = as_page(shown)
    for part in ("Ana &amp; Bo</bdi>", ">2026-01-05 09:00</a>", "ends with a question mark (+1.3)", "sure at 70%"):
        assert part in page
    assert 'href="' not in as_page(report((said(channel='"><script>'), "ack")))


def test_a_verdict_says_the_purpose_that_it_is_judged_by() -> None:
    """In the table, in the channel's section and in the terminal, each purpose with its own advice."""
    tally = Tally()
    for n in range(60):
        for channel in ("help", "chat"):
            tally.add(said(f"{n}?", hour=n / 10, channel=channel, channel_name=channel), "actionable", 0.9)
    shown = tally.report(title="e", version="v", unread=[], price=None, purposes={"help": "help", "chat": "discussion"})
    assert [shown.verdict(name).label for name in ("help", "chat")] == ["Much to answer", "Too many"]
    assert "purpose: discussion" in shown.verdict("help").why
    assert "purpose" not in shown.verdict("chat").why
    page, text = as_page(shown), as_text(shown)
    for part in ("</span> (help)", "</span> (discussion)", "As a channel for help: 100%", "As a discussion: 100%"):
        assert part in page
    assert "Much to answer (help)" in text
    assert "Verdict         Too many" in text
    alone = replace(shown, channels={"help": shown.channels["help"]})
    assert "Verdict         Much to answer: As a channel for help: 100%" in as_text(alone)
    assert "Too many (discussion)" in text


def test_a_month_a_week_and_a_verdict() -> None:
    """Of each channel what thirty days would cost, and whether it fits, by the share of 40 %."""
    help_channel = [(said("why?", day=1 + n // 4, hour=n % 4), "actionable") for n in range(30)]
    chat = [(said("x", day=10, hour=n / 60, channel="C2", channel_name="chat"), "ambient") for n in range(60)]
    shown = report(*help_channel, *help_channel, *chat, (said(day=30), "ack"), price=2.0)  # type: ignore[arg-type]  # as above
    assert (shown.span, shown.a_month(shown.all), shown.cost(shown.all.investigations)) == (30, 30.0, 60.0)
    assert [judge_share(counts).label for counts in shown.channels.values()] == ["Fits", "Too few to say"]
    assert judge_share(Counts(actionable=40, ambient=60)).label == "Fits"
    assert judge_share(Counts(actionable=41, ambient=59)).label == "Too many"
    assert [week.isoformat() for week in by_week(shown.days)][:2] == ["2025-12-29", "2026-01-05"]
    assert by_month(shown.days) == {date(2026, 1, 1): shown.all}
    for view in (as_text(shown), as_page(shown)):
        for part in ("2026-01", "2025-12-29", "$60.00", "Too few to say", "A month is 30 days like the 30"):
            assert part in view


def test_messages_without_a_time_are_counted_and_said() -> None:
    """They are in no day."""
    shown = report((said(ts="", home=None), "actionable"), (said(ts="", home=None), "actionable"))
    assert (shown.undated, shown.days, shown.worst_hour, shown.a_month(shown.all)) == (2, {}, None, None)
    assert "Without a time, and so in no week: 2 messages." in as_text(shown)
    assert "By week" not in as_page(shown)


def test_the_text_says_what_matters() -> None:
    """Shares, investigations, cost, the worst hour, and that the rules are too generous."""
    many: list[tuple[LineMessage, Class]] = [(said(hour=n / 10), "ambient") for n in range(50)]
    asked: list[tuple[LineMessage, Class]] = [(said(hour=9.01 + n / 100), "actionable") for n in range(50)]
    text = as_text(report(*many, *asked, price=0.5))
    for part in ("50.0% (50)", "$25.00 at $0.5 each", "2026-01-05 09:00 UTC", "Too many: 50% of its messages"):
        assert part in text


def test_the_text_steers_no_terminal() -> None:
    """What people wrote is one line without control characters."""
    text = as_text(report((said(HOSTILE, channel_name=HOSTILE), "actionable")))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    assert to_one_line("a\r\n\tb") == "a b"


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
    assert not elements.tags & {"script", "img", "iframe", "link", "form"}
    assert not {name for name in elements.names if name.startswith("on") or name == "src"}
    assert all(link.startswith("https://slack.com/archives/C1/p") for link in re.findall(r"href=.(.*?)[\"']", page))
    assert "<script>alert(1)</script>" in elements.text
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "There is no message in it." in as_page(report())
