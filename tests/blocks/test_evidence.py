"""Evidence: one line of trust on the card, all of it behind Show Evidence, links only where code built them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.card import build_card
from blocks.evidence_dialog import build_evidence_dialog
from bot.models.findings import EvidenceRef, EvidenceSource
from bot.models.thread import Thread
from tests.blocks.test_card import LINK, actions
from tests.builders import check, found, moved, reference, validated
from tests.decide import test_workflow as story

SHA = "0123456789abcdef0123456789abcdef01234567"
URL = f"https://github.com/team/shop/blob/{SHA}/bot/a.py#L1"
SOURCE = EvidenceSource(ref="bot/a.py:1", commit=SHA, url=URL)

LOG = reference(kind="log_query", ref="logs_query timeout")


def drafted(*references: Any, checks: tuple[Any, ...] = (), **changes: Any) -> Thread:
    """A draft that rests on these and waits for a decision."""
    thread = story.investigating()
    thread = moved(thread, found(thread, evidence_refs=references or (reference(),)))
    return moved(thread, validated(thread, *checks)).evolve(**changes)


def trust(thread: Thread) -> dict[str, Any]:
    """The card's block with Show Evidence."""
    (block,) = [block for block in build_card(thread, link=LINK)["blocks"] if "accessory" in block]
    return dict(block)


def behind(thread: Thread) -> str:
    """Everything that the dialog behind Show Evidence says."""
    return json.dumps(build_evidence_dialog(thread), ensure_ascii=False)


def test_the_card_counts_references_and_names_those_that_failed() -> None:
    """Before the draft, with why; those that stand are in the dialog alone."""
    refs = [reference(), reference(ref="b.py:2-3"), reference(kind="log_query", ref="level=error")]
    checks = (check("failed"), check("ok", "b.py:2-3"), check("not_checkable", "level=error"))
    thread = drafted(*refs, sources=(SOURCE,), evidence_checks=checks, status="pending-user")
    said = json.dumps(build_card(thread, link=LINK)["blocks"], ensure_ascii=False)
    assert trust(thread)["text"]["text"].startswith("1 of 3 references open · *✗ 1 FAILED* · ")
    assert said.index("*Look at this first:*\\n• `bot/a.py:1`: so it is.") < said.rindex(
        "divider", 0, said.rindex("divider")
    )
    assert "b.py:2-3" not in said


@pytest.mark.parametrize(
    ("refs", "results", "line"),
    [
        ([LOG], ["ok"], "1 of 1 reference from the run's record · "),
        ([LOG, LOG.evolve(ref="logs b")], ["ok", "ok"], "2 of 2 references from the run's record · "),
        ([LOG, reference()], ["ok", "ok"], "1 of 2 references open, 1 from the run's record · "),
        ([LOG, reference()], ["ok", "failed"], "1 of 2 references from the run's record · *✗ 1 FAILED*"),
        ([LOG, reference()], ["failed", "ok"], "1 of 2 references open · *✗ 1 FAILED*"),
        ([LOG, LOG.evolve(kind="file")], ["ok", "failed"], "1 of 2 references from the run's record · *✗ 1 FAILED*"),
    ],
)
def test_logs_are_from_the_runs_record(refs: list[EvidenceRef], results: list[str], line: str) -> None:
    """They are counted apart: code cannot open a log again as it was."""
    checks = tuple(check(result, each.ref) for each, result in zip(refs, results, strict=True))
    thread = drafted(*refs, evidence_checks=checks, status="pending-user")
    assert trust(thread)["text"]["text"].startswith(line)


def test_a_log_is_never_shown_as_a_file() -> None:
    """Not even under the name of a file's lines: its place is no link, and its check is its own."""
    refs = [reference(), reference(kind="log_query")]
    record = check("ok", refs[0].ref).evolve(reason="from the run's record: the quote is in the answer of logs")
    thread = drafted(*refs, sources=(SOURCE,), evidence_checks=(check("ok", refs[0].ref), record))
    blocks = build_evidence_dialog(thread)["blocks"]
    file, log = (each["text"]["text"] for each in blocks if "bot/a.py:1" in each.get("text", {}).get("text", ""))
    assert URL in file
    assert "record" not in file
    assert "`bot/a.py:1`\n✓ from the run's record: the quote is in the answer of logs" in log


def test_the_dialog_opens_however_many_references_there_are() -> None:
    """Those that do not stand come first, the rest is counted: Slack takes a hundred blocks."""
    refs = [reference(ref=f"a{n}.py:1", quote="so") for n in range(80)]
    view = build_evidence_dialog(
        drafted(*refs[:8]).evolve(cited=tuple(refs), evidence_checks=(check("failed", "a79.py:1"),))
    )
    assert len(view["blocks"]) <= 100
    said = json.dumps(view, ensure_ascii=False)
    assert said.index("a79.py:1") < said.index("a0.py:1")
    assert " more references; they are in the draft's text." in said


def test_many_failures_are_counted() -> None:
    """The first are named."""
    refs = [reference(ref=f"a{n}.py:1") for n in range(5)]
    thread = drafted(*refs, evidence_checks=tuple(check("failed", ref.ref) for ref in refs), status="pending-user")
    assert "*✗ 5 FAILED*" in trust(thread)["text"]["text"]
    said = json.dumps(build_card(thread, link=LINK)["blocks"], ensure_ascii=False)
    assert "`a3.py:1`: so it is.\\nand 1 more" in said


@pytest.mark.parametrize("status", ["pending-user", "in-doubt", "approved", "closed"])
def test_show_evidence_stands_on_every_card_with_a_draft(status: str) -> None:
    """Settled ones too, with the draft's name."""
    thread = drafted()
    button = trust(thread.evolve(status=status))["accessory"]
    assert button["action_id"] == "show_evidence"
    assert button["value"] == actions(thread)[0]["value"]


def test_the_card_says_nothing_twice() -> None:
    """What the draft cites stands in the draft alone; what was found there and why stands behind the card."""
    quoted = "\n".join(f"line {n}" for n in range(9))
    thread = drafted(reference(), reference(ref="b.py:1-9", quote=quoted), checks=(check(), check("ok", "b.py:1-9")))
    text = json.dumps(build_card(thread, link=LINK)["blocks"])
    assert text.count("bot/a.py:1") == 1
    assert "b.py:1-9" not in text
    assert "line 8" in behind(thread)
    assert behind(thread).count("line 8") == 1


def test_the_dialog_names_commit_page_and_every_line() -> None:
    """It can only be closed."""
    view = build_evidence_dialog(drafted(sources=(SOURCE,)))
    text = json.dumps(view, ensure_ascii=False)
    assert f"*1.* <{URL}|bot/a.py:1> at `{SHA[:12]}`\\n✓ so it is\\nIt is set there." in text
    assert "submit" not in view
    assert view["callback_id"] == "show_evidence"


def test_the_dialog_of_a_settled_card_has_the_draft() -> None:
    """A card that waits shows it itself; an edited one keeps the old text behind it."""
    thread = story.pending()
    assert thread.draft_pending is not None
    assert "*The draft*" not in behind(thread)
    assert "*The draft*" in behind(story.replied())
    draft = thread.draft_pending.evolve(edited_by="U0OPS", drafted="The text of before.")
    assert "*The old text*, edited by <@U0OPS>" in behind(thread.evolve(draft_pending=draft))


def test_a_reference_can_close_no_link() -> None:
    """Whatever a model calls a place."""
    bad = "a|b>`c`<!here>:1"
    thread = drafted(reference(ref=bad), evidence_checks=(check("failed", bad),), status="pending-user")
    linked = thread.evolve(sources=(EvidenceSource(ref=bad, commit=SHA, url=URL),))
    assert "`a|b&gt; c &lt;!here&gt;:1`" in behind(thread)
    assert f"<{URL}|a¦b&gt;`c`&lt;!here&gt;:1>" in behind(linked)
    assert "• `a|b&gt; c &lt;!here&gt;:1`: so it is." in json.dumps(
        build_card(linked, link=LINK)["blocks"], ensure_ascii=False
    )


def test_a_page_of_an_endless_address_is_no_link() -> None:
    """The line stays readable, and the block within its limit."""
    refs = [reference(ref=f"{'x' * 100}{n}.py:1", supports_claim="y" * 300) for n in range(8)]
    sources = tuple(EvidenceSource(ref=ref.ref, commit=SHA, url=f"{URL}?{'z' * 400}{n}") for n, ref in enumerate(refs))
    said = behind(drafted(*refs, sources=sources, status="pending-user"))
    assert URL not in said
