"""What the chat agent says, as blocks: no mention, no broadcast, no link but into Slack's own workspace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from blocks.chat_reply import answers
from blocks.inserts import Readers
from sandbox.blockkit import checked_blocks
from tests.tables import each_row

URL = "https://x.slack.com/"
NOW = datetime(2026, 11, 22, 16, tzinfo=UTC)
READERS = Readers(url=URL, now=NOW, mentions={"@Ana": "U0ANA", "@Ana Lima": "U0LIMA", "#help": "C0HELP"})


def answer(text: str, *, footer: str = "") -> dict[str, Any]:
    """The one message of a short answer."""
    (made,) = answers(text, READERS, footer=footer)
    return made


def spans(text: str) -> list[dict[str, Any]]:
    """The runs of text of an answer's blocks."""
    blocks = answer(text)["blocks"]
    return [span for block in blocks for element in block["elements"] for span in element["elements"]]


@pytest.mark.parametrize(
    "text", ["<!channel> now", "<@U0BOB> look", "<!subteam^S0ONCALL>", "<#C0ELSE>", "@here", "@Bob"]
)
def test_nothing_that_slack_would_act_on_can_be_expressed(text: str) -> None:
    """It stands there in words, and is nothing but text; nobody reads an id."""
    made = answer(text)
    assert "<" not in made["text"]
    assert not re.search(r"U0|S0|C0", json.dumps(made))
    assert {span["type"] for span in spans(text)} == {"text"}


@pytest.mark.parametrize(
    "text",
    [
        "see https://evil.example/a?b=c.",
        "see <https://evil.example/a?b=c>.",
        "see <https://evil.example/a?b=c|the page>.",
        "see [the page](https://evil.example/a?b=c).",
        "see `https://evil.example/a?b=c`.",
        f"see https://x.slack.com.evil.example/ and {URL[:-1]}@evil.example/",
    ],
)
def test_an_address_elsewhere_is_code(text: str) -> None:
    """A person sees where it would lead, and can press nothing."""
    assert "link" not in {span["type"] for span in spans(text)}
    assert any(span.get("style") == {"code": True} and "evil.example" in span["text"] for span in spans(text))


def test_an_address_in_the_workspace_is_a_link() -> None:
    """To a message, for instance."""
    where = f"{URL}archives/C0HELP/p1"
    links = [span for span in spans(f"It stands at {where}, there.") if span["type"] == "link"]
    assert links == [{"type": "link", "url": where, "text": where}]


def test_slacks_own_bold_is_bold() -> None:
    """What models write for Slack; a product and a list stay what they are."""
    assert {"type": "text", "text": "Paused", "style": {"bold": True}} in spans("*Paused* until 2 * 3 * 4 pm")
    assert not [span for span in spans("`a *b* c`") if (span.get("style") or {}).get("bold")]


def test_the_footer_stands_below_in_grey_and_is_escaped() -> None:
    """A long answer is several messages; it stands below the last one."""
    made = answers("a" * 9_000, READERS, footer="Taken as <said>.")
    assert made[-1]["blocks"][-1] == {
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": "Taken as &lt;said&gt;."}],
    }
    assert [len(message["text"]) for message in made] == [3_000] * 3
    assert "context" not in json.dumps(made[:-1])


def test_a_notification_shows_no_more_stars_than_were_written() -> None:
    """Its text is in Slack's own form, as the model writes it."""
    assert answer("*Paused*: nothing runs")["text"] == "*Paused*: nothing runs"


@pytest.mark.parametrize("text", ["ask @Ana.", "ask <@U0ANA>.", "ask **@Ana**'s team", "in a list:\n- @Ana"])
def test_whom_code_has_named_to_the_model_is_mentioned(text: str) -> None:
    """By an element that code builds; a notification has Slack's own mark."""
    (found,) = [span for block in answer(text)["blocks"] for span in inner(block) if span["type"] == "user"]
    assert found["user_id"] == "U0ANA"
    assert "<@U0ANA>" in answer(text)["text"]


@pytest.mark.parametrize("text", ["ana@Ana.org", "@Anabel", "`@Ana`", "```\n@Ana <@U0ANA>\n```", "Ana"])
def test_a_name_that_is_part_of_something_else_is_text(text: str) -> None:
    """An address, a longer name, code."""
    assert not [span for block in answer(text)["blocks"] for span in inner(block) if span["type"] == "user"]


def test_the_longest_name_counts_and_channels_are_elements() -> None:
    """Of two people whose names begin alike."""
    found = [span for block in answer("@Ana Lima in #help")["blocks"] for span in inner(block)]
    ids = [span.get("user_id") or span.get("channel_id") for span in found if span["type"] in ("user", "channel")]
    assert ids == ["U0LIMA", "C0HELP"]


def test_a_time_of_slacks_is_told_by_the_readers_clock() -> None:
    """Nobody reads Slack's mark for it."""
    berlin = Readers(url=URL, now=NOW, zone=ZoneInfo("Europe/Berlin"))
    (made,) = answers("since <!date^1764000000^{time}|16:00 UTC>", berlin)
    assert made["text"] == "since 24 Nov 2025, 17:00"


@pytest.mark.parametrize("form", ["[the thread]({})", "<{}|the thread>"])
def test_a_labelled_link_leads_into_the_workspace_or_is_code(form: str) -> None:
    """An address elsewhere stands behind its label, word for word."""
    own, other = f"{URL}archives/C0HELP/p1?thread_ts=1.2&cid=C0HELP", "https://evil.example/a?b=c"
    (link,) = [span for span in spans(form.format(own)) if span["type"] == "link"]
    assert link == {"type": "link", "url": own, "text": "the thread"}
    assert [span["text"].strip() for span in spans(form.format(other))][:3] == ["the thread (", other, ")"]


def test_the_first_table_is_slacks_and_the_others_are_code() -> None:
    """Slack takes one in a message; marks in its cells count."""
    table = "| who | *state* |\n|:--|--:|\n| @Ana | `a|b` |\n| Bob |"
    first, shown, rest = answer(f"Two:\n{table}\nand\n{table}")["blocks"]
    assert (first["type"], shown["type"], rest["type"]) == ("rich_text", "table", "rich_text")
    cells = [[cell["elements"][0]["elements"][0] for cell in row] for row in shown["rows"]]
    assert [cell.get("text") for cell in cells[0]] == ["who", "state"]
    assert all(cell["style"] == {"bold": True} for cell in cells[0])
    assert cells[1] == [{"type": "user", "user_id": "U0ANA"}, {"type": "text", "text": "a|b", "style": {"code": True}}]
    assert [cell["text"] for cell in cells[2]] == ["Bob", " "]
    assert rest["elements"][-1]["type"] == "rich_text_preformatted"
    assert checked_blocks(answer(table)["blocks"])
    wide = "\n".join([f"|{'a|' * 30}", f"|{'--|' * 30}", f"|{'b|' * 30}"])
    assert [block["type"] for block in answer(wide)["blocks"]] == ["rich_text"]


@each_row(
    ("text", "words"),
    [
        ("U0ANA said so", "@Ana said so"),
        ("<@U0OPS> and U0OPS", "@Olu and @Olu"),
        ("ask U0GHOST, UJXKQ5Z8T", "ask someone, someone"),
        ("in C0HELP, C0ELSE1", "in #help, a channel"),
        ("see D0ADMIN", "see a direct message"),
        ("T0SANDBOX-C0HELP-1795360112.597981 waits", "a thread in #help waits"),
        ("T0SANDBOX-D0OPS-1795360112.597981 waits", "a thread of a direct message waits"),
        ("SHA256, UTF8, UBUNTU2204 and C0FFEE", "SHA256, UTF8, UBUNTU2204 and C0FFEE"),
        ("at 1795360112.597981", "at 22 Nov 2026, 16:08"),
        ("at 2026-11-22T15:00:00Z, 15:00 UTC", "at 22 Nov 2026, 16:00, 16:00"),
        ("2026-07-01T15:00:00.123+00:00", "1 Jul 2026, 17:00"),
        ("9:30\u201311:00 UTC daily", "10:30\u201312:00 daily"),
        ("at 3 pm UTC on July 1, 2026", "at 1 Jul 2026, 17:00"),
        ("at 23:30 UTC", "at 00:30 (the next day)"),
        ("am 1. Mai um 14:00 Uhr (UTC)", "am 1 May 2027, 16:00"),
        ("port 15:00, 5 UTC, 2026-13-40T15:00:00Z", "port 15:00, 5 UTC, 2026-13-40T15:00:00Z"),
        ("`U0ANA at 15:00 UTC`", "U0ANA at 15:00 UTC"),
        ("```\n1795360112.597981 U0ANA 2026-11-22T15:00:00Z\n```", "1795360112.597981 U0ANA 2026-11-22T15:00:00Z"),
        (f"{URL}archives/C0HELP/p1", f"{URL}archives/C0HELP/p1"),
    ],
)
def test_nobody_reads_an_id_or_another_clock(text: str, words: str) -> None:
    """Names where somebody knows them, and times by the reader's clock; what stands in code is left as it is."""
    names = {"U0ANA": "Ana", "U0OPS": "Olu", "C0HELP": "help"}
    berlin = Readers(url=URL, now=NOW, mentions=READERS.mentions, names=names, zone=ZoneInfo("Europe/Berlin"))
    (made,) = answers(text, berlin)
    people = {"user_id": {"U0ANA": "@Ana"}, "channel_id": {"C0HELP": "#help"}}
    found = [part for part in inner(made["blocks"]) if part["type"] in ("text", "link", "user", "channel", "date")]
    shown = [
        next((of[part[key]] for key, of in people.items() if key in part), part.get("fallback") or part.get("text", ""))
        for part in found
    ]
    assert "".join(shown).strip() == words
    assert checked_blocks(made["blocks"])


@pytest.mark.parametrize(
    "point",
    [
        "- [click here](https://evil.example/a) and @Olu and #general and **bold** text",
        "1. `code` and **bold** text, _leaning_ words",
        "> **bold** words `of` somebody",
        "| **bold** | `code` |",
    ],
)
def test_all_parts_of_a_long_text_are_formatted_alike(point: str) -> None:
    """Whatever its pieces take as blocks; no part shows the marks of Markdown."""
    head = "| a | b |\n|---|---|\n" if point.startswith("|") else ""
    made = answers(head + "\n".join([point] * 90), READERS)
    assert len(made) > 1
    for message in made:
        assert checked_blocks(message["blocks"])
        assert len(json.dumps(message["blocks"])) < 13_000
        shown = [part for part in inner(message["blocks"]) if part["type"] == "text"]
        assert not [part for part in shown if re.search(r"\*\*|`|^\|", part["text"])]
        assert [part for part in shown if (part.get("style") or {}).get("bold")]


def inner(part: Any) -> Iterator[dict[str, Any]]:
    """All elements in a block."""
    if isinstance(part, dict):
        if "type" in part:
            yield part
        for value in part.values():
            yield from inner(value)
    elif isinstance(part, list):
        for each in part:
            yield from inner(each)


@pytest.mark.parametrize("row", ["| row {} `a` *b* | {} | d |", "| @Ana | {} | {} |"])
def test_a_long_table_is_parted_evenly(row: str) -> None:
    """No message holds one row that is left over, and none is lost."""
    table = "\n".join(["| who | n | x |", "|---|---|---|", *(row.format(n, n) for n in range(95))])
    made = answers(table, READERS)
    counts = [len(block["rows"]) - 1 for one in made for block in one["blocks"] if block["type"] == "table"]
    assert (sum(counts), min(counts) * 2 >= max(counts)) == (95, True)
