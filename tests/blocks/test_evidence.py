"""Evidence: a line for each reference on the card, all of it behind Show Evidence, links only where code built them."""

from __future__ import annotations

import json
from typing import Any

from blocks.card import card
from blocks.dossier import dossier
from bot.models.findings import EvidenceSource
from bot.models.thread import Thread
from tests.blocks.test_card import LINK, actions
from tests.builders import check, found, moved, reference, validated
from tests.decide import test_workflow as story

SHA = "0123456789abcdef0123456789abcdef01234567"
URL = f"https://github.com/team/shop/blob/{SHA}/bot/a.py#L1"
SOURCE = EvidenceSource(ref="bot/a.py:1", commit=SHA, url=URL)


def drafted(*references: Any, checks: tuple[Any, ...] = (), **changes: Any) -> Thread:
    """A draft that rests on these and waits for a decision."""
    thread = story.investigating()
    thread = moved(thread, found(thread, evidence_refs=references or (reference(),)))
    return moved(thread, validated(thread, *checks)).evolve(**changes)


def evidence(thread: Thread) -> dict[str, Any]:
    """The card's block about evidence."""
    (made,) = [
        b for b in card(thread, link=LINK)["blocks"] if b.get("text", {}).get("text", "").startswith("*Evidence*")
    ]
    return dict(made)


def test_each_reference_is_a_line_with_its_mark_its_link_and_what_it_shows() -> None:
    """Without a page it is shown as code; what failed says why."""
    refs = [reference(), reference(ref="b.py:2-3"), reference(kind="log_query", ref="level=error")]
    checks = (check(), check("failed", "b.py:2-3"), check("not_checkable", "level=error"))
    thread = drafted(*refs, sources=(SOURCE,), evidence_checks=checks, status="pending-user")
    assert evidence(thread)["text"]["text"].split("\n") == [
        "*Evidence*, opened again by code:",
        f"✓ <{URL}|bot/a.py:1> It is set there.",
        "✗ *FAILED* `b.py:2-3` so it is",
        "*not checked* `level=error` It is set there.",
    ]


def test_show_evidence_stands_beside_it_while_a_decision_is_outstanding() -> None:
    """With the draft's name, as every other button."""
    thread = drafted()
    button = evidence(thread)["accessory"]
    assert button["action_id"] == "show_evidence"
    assert button["value"] == actions(thread)[0]["value"]
    assert "accessory" not in evidence(story.replied())


def test_a_quote_that_the_draft_shows_itself_is_not_shown_twice() -> None:
    """Others are, by their first lines."""
    long = "\n".join(f"line {n}" for n in range(9))
    thread = drafted(reference(), reference(ref="b.py:1-9", quote=long), checks=(check(), check("ok", "b.py:1-9")))
    text = json.dumps(card(thread, link=LINK)["blocks"])
    assert "limit = 3" in text
    assert "line 3\\n\\u2026" in text
    assert "line 4" not in text
    assert "line 8" in json.dumps(dossier(thread))
    quoted = thread.evolve(draft_pending=story.draft_for(thread, "It says:\n```\nlimit = 3\n```"))
    assert json.dumps(card(quoted, link=LINK)["blocks"]).count("limit = 3") == 1


def test_the_dialog_names_commit_page_and_every_line() -> None:
    """It can only be closed."""
    view = dossier(drafted(sources=(SOURCE,)))
    text = json.dumps(view, ensure_ascii=False)
    assert f"*1.* <{URL}|bot/a.py:1> at `{SHA[:12]}`\\n✓ so it is\\nIt is set there." in text
    assert "submit" not in view
    assert view["callback_id"] == "show_evidence"


def test_a_reference_can_close_no_link() -> None:
    """Whatever a model calls a place."""
    bad = "a|b>`c`<!here>:1"
    thread = drafted(reference(ref=bad), checks=(check("ok", bad),))
    linked = thread.evolve(sources=(EvidenceSource(ref=bad, commit=SHA, url=URL),))
    assert "`a|b&gt; c &lt;!here&gt;:1`" in evidence(thread)["text"]["text"]
    assert f"<{URL}|a¦b&gt;`c`&lt;!here&gt;:1>" in evidence(linked)["text"]["text"]


def test_a_page_of_an_endless_address_is_no_link_on_the_card() -> None:
    """The line stays readable, and the block within its limit."""
    refs = [reference(ref=f"{'x' * 100}{n}.py:1", supports_claim="y" * 300) for n in range(8)]
    sources = tuple(EvidenceSource(ref=ref.ref, commit=SHA, url=f"{URL}?{'z' * 300}{n}") for n, ref in enumerate(refs))
    thread = drafted(*refs, checks=tuple(check("ok", ref.ref) for ref in refs), sources=sources)
    said = evidence(thread)["text"]["text"]
    assert len(said) <= 3_000
    assert said.count("✓") == 8
    assert said.endswith("`")
