"""Answers in a terminal: Slack's markup as plain lines, and tables as wide as the terminal."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from bot.cli.terminal_table import draw_table
from bot.cli.terminal_text import measure, wrap_line
from bot.models.plain_lines import PlainLine, to_lines, to_plain_text
from tests.tables import each_row

ZONE = ZoneInfo("Asia/Kolkata")

PLAIN = {
    "entities, once": ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
    "links, people, channels": (
        "<https://x.example/1|the thread> of <@U0A> in <#C0B>, <https://x.example/2>",
        "the thread (https://x.example/1) of @U0A in #C0B, https://x.example/2",
    ),
    "a time": ("since <!date^1700000000^{time}|2023-11-14 22:13 UTC>.", "since 15 Nov 2023, 03:43 IST."),
    "a time out of range": ("at <!date^999999999999^{time}|some &amp; day>.", "at some & day."),
    "a broadcast": ("<!channel> and <!subteam^S1|@ops>", "@channel and @ops"),
    "bold, italic, struck": ("*Running*, _later_ and ~never~.", "Running, later and never."),
    "nested": ("*_both_*", "both"),
    "bold around code": ("*`status`* shows it", "status shows it"),
    "code": ("`triage run` with `a_b_c *x* &lt;y&gt;`", "triage run with a_b_c *x* <y>"),
    "words with signs in them": ("snake_case_name, 2*3*4, a~b~c, **kept**", "snake_case_name, 2*3*4, a~b~c, **kept**"),
    "signs with blanks": ("2 * 3 * 4 and _ a _", "2 * 3 * 4 and _ a _"),
    "no markup": ("1 < 2", "1 < 2"),
    "a link's words": ("<https://x.example/a_b_c|*not* bold>", "*not* bold (https://x.example/a_b_c)"),
    "emoji of the bot": (":warning: the shop", "! the shop"),
    "emoji of people": ("done :tada:", "done :tada:"),
    "what a terminal obeys": ("a\x1b[31mred\x1b]0;title\x07 \u202eevil\r", "a[31mred]0;title evil"),
    "the placeholder": ("a \ufffc `b` c", "a  b c"),
    "a block of code": (
        "Lines:\n```\n  1 *a* <b> _c_\n  2 &lt;d&gt;\n```\nafter *that*",
        "Lines:\n  1 *a* <b> _c_\n  2 <d>\nafter that",
    ),
    "only a block": ("```\nx\n```", "x"),
    "a block without an end": ("``` *x*", "``` x"),
    "blank lines": ("a\n\nb", "a\n\nb"),
    "nothing": ("", ""),
}


@each_row("name", PLAIN)
def test_a_text_for_slack_is_plain_in_a_terminal(name: str) -> None:
    """Emphasis goes, code stays as it is, and nothing is escaped."""
    mrkdwn, shown = PLAIN[name]
    assert to_plain_text(mrkdwn, ZONE) == shown


def test_lines_are_wrapped_between_words_and_code_is_not() -> None:
    """A longer word is never broken: an address must stay whole."""
    words, code = to_lines("the address https://x.example/long/path is here\n```\na  b  c\n```", ZONE)
    assert wrap_line(words, 20) == ["the address", "  https://x.example/long/path", "  is here"]
    assert wrap_line(code, 3) == ["a  b  c"]
    assert wrap_line(PlainLine("short"), 20) == ["short"]


HEAD, ROWS = ("Day", "Runs", "Cost"), [("2026-07-01", "3", "$0.10"), ("漢字", "1,200", "")]


def test_a_table_is_aligned_by_what_a_terminal_shows() -> None:
    """Wide letters take two columns; an empty cell is a dash."""
    lines = draw_table(HEAD, ROWS, width=None)
    assert lines == ["Day          Runs   Cost", "2026-07-01      3  $0.10", "漢字        1,200      -"]
    assert {measure(line) for line in lines} == {24}


@pytest.mark.parametrize("width", [24, 40, None])
def test_a_table_that_fits_stays_as_it_is(width: int | None) -> None:
    """In a pipe it is never broken."""
    assert draw_table(HEAD, ROWS, width=width) == draw_table(HEAD, ROWS, width=None)


def test_the_widest_column_is_wrapped() -> None:
    """The others keep their width."""
    rows = [("1 Jul", "Ana asked where debounce_ms is set and got an answer")]
    assert draw_table(("When", "What"), rows, width=30, align="left") == [
        "When   What",
        "1 Jul  Ana asked where",
        "       debounce_ms is set and",
        "       got an answer",
    ]


def test_a_table_that_cannot_fit_is_a_list() -> None:
    """No line is longer than the terminal."""
    lines = draw_table(HEAD, ROWS, width=20)
    assert lines == ["2026-07-01", "  Runs: 3", "  Cost: $0.10", "漢字", "  Runs: 1,200", "  Cost: -"]


LONG = [("portal-fix-flyout-0219-1430-k7x2mq", "Ana asked where debounce_ms is set and got an answer", "漢字" * 9)]


@pytest.mark.parametrize("width", [1, 2, 5, 11, 20, 40, 79])
def test_no_line_of_a_list_is_wider_than_the_terminal(width: int) -> None:
    """Lines are wrapped between words, further ones are indented, and only a word that fits no line is broken."""
    lines = draw_table(("Task", "What", "By"), LONG, width=width, align="left")
    assert max(map(measure, lines)) <= max(width, 2)
    together = "".join("".join(lines).split())
    for cell in LONG[0]:
        assert width > 40 or "".join(cell.split()) in together


def test_a_list_is_wrapped_between_words() -> None:
    """Below each name, indented further."""
    assert draw_table(("Task", "What", "By"), LONG, width=30, align="left") == [
        "portal-fix-flyout-0219-1430-k7",
        "    x2mq",
        "  What: Ana asked where",
        "    debounce_ms is set and got",
        "    an answer",
        "  By:",
        f"    {'漢字' * 6}漢",
        "    字漢字漢字",
    ]


def test_cells_hold_one_line_and_no_control_character() -> None:
    """A cell cannot break out of its row."""
    assert draw_table(("A", "B"), [("x\ny", "\x1b[2Jz")], width=None) == ["A       B", "x y  [2Jz"]
