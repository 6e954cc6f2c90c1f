"""Cards, the dialogs behind them and replies, over drafts of 1 to 3,000 characters in several scripts.

The judge is the local workspace's own check of Block Kit, which refuses what Slack refuses. The drafts are of seeded
chance: the same in every run.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest

from blocks.card import build_card
from blocks.dialogs import answer, bounce, edit
from blocks.evidence_dialog import build_evidence_dialog
from blocks.long_run import build_long_run
from blocks.reply import reply
from bot.models.decision import Round
from bot.models.escalation import Escalation
from bot.models.findings import EvidenceSource, ProposedTriageFile
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Dismiss, Due, TakeOver
from bot.models.waiting import Waiting
from bot.surfaces.draft_payload import make_draft
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.test_card import LINK
from tests.builders import added, at, check, found, fresh, moved, ran, reference, validated, validator
from tests.decide import test_workflow as story

SCRIPTS = {
    "latin": ["the limit ", "is set ", "in one place. ", "naïve café ", "\n\n"],
    "cjk": ["再試行の回数は三回です。", "注文", "重试次数是三次。", "재시도는 ", "\n"],
    "arabic": ["عدد المحاولات ", "ثلاثة، ", "\u202b\u061c", "שלוש פעמים ", "\n"],
    "emoji": ["😀", "👩‍👩‍👧‍👦", "🇪🇺", "👍🏽", "❤️ "],
    "combining": ["e\u0301\u0323", "Z\u0351\u036b\u0343a\u0300\u0301\u0302", "ก็", "हिन्दी ", "\u200b"],
    "code": ["```py\nx = '<a>&amp;'\n```\n", "`a.py:1` ", "`b` ", "    indented\n", "~~~\n", "```\n"],
    "escapes": ["&", "<", ">", "<!channel> ", "<@U0ANA> ", "&lt;", "\\", '"', "|", "*", "_", "`", "~"],
    "markup": [
        "- a\n",
        "  - b\n",
        "1. c\n",
        "> d\n",
        "### E\n",
        "---\n",
        "**f** ",
        "_g_ ",
        "IMPORTANT: ",
        "Sure! ",
        "\t",
    ],
    "odd": ["\x00", "\u2028", "\r\n", "\x1b[31m", "\ufeff", "\U000e0041", " ", "\n\n\n"],
}
LENGTHS = (1, 2, 7, 80, 400, 1_000, 1_800, 2_900, 3_000)
EACH = [
    (script, length) if script == "all" or length == 3_000 else pytest.param(script, length, marks=pytest.mark.long)
    for script in (*SCRIPTS, "all")
    for length in LENGTHS
]
"""Each script as long as it may be, and each length of all of them together; the others are long."""


def written(script: str, length: int, seed: int = 0) -> str:
    """Words of a script, exactly so many characters."""
    rng = random.Random(f"{script} {length} {seed}")
    pieces = SCRIPTS.get(script) or [piece for each in SCRIPTS.values() for piece in each]
    return "".join(rng.choice(pieces) for _ in range(length))[:length]


def accepted(picture: dict[str, Any]) -> None:
    """Slack takes the message, and its JSON stays below where Slack is known to refuse."""
    checked_blocks(picture["blocks"])
    assert len(json.dumps(picture["blocks"], ensure_ascii=False)) < 13_200
    assert 1 <= len(picture["text"]) <= 40_000
    json.dumps(picture, ensure_ascii=False).encode()


def taken(view: dict[str, Any]) -> None:
    """Slack takes the dialog."""
    checked_view(view)
    json.dumps(view, ensure_ascii=False).encode()


@cache
def told(script: str, length: int, seed: int = 0) -> Thread:
    """A draft of this text that waits for a decision, where everything else that a card says is as long."""
    text = written(script, length, seed)
    said = [written(script, length, seed + n) for n in range(1, 6)]
    refs = tuple(
        reference(ref=f"{written(script, min(length, 150), n)}{n}.py:1-9", quote=said[0], supports_claim=said[1])
        for n in range(8 if length > 500 else length % 9)
    )
    thread = moved(None, added(said[2] or "x"))
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    asked: dict[str, Any] = {"open_questions": (said[3],) * 4, "question_gloss": said[4][:600]}
    dropped: dict[str, Any] = {
        "confidence_reason": said[0],
        "alternatives_dropped": (said[4],) * 20,
        "escalation_requested": True,
        "escalation_reason": said[1],
    }
    note = ProposedTriageFile(filename="note.md", content=said[2] or "x")
    thread = moved(thread, found(thread, evidence_refs=refs, **asked, **dropped, proposed_triage_file=note))
    words = {
        "spot_check_ref": said[0],
        "spot_check_note": said[1],
        "reasons": (said[2],) * 12,
        "tone_assessment": "off",
    }
    result = "failed" if length % 2 else "ok"
    checks = [check(result, each.ref) for each in refs]
    thread = moved(thread, validated(thread, *checks, validator_return=validator(**words)))
    page = "https://github.com/team/shop/blob/0123456789/"
    return thread.evolve(
        status="pending-user",
        draft_pending=make_draft(thread, text, nonce=fresh()),
        sources=tuple(EvidenceSource(ref=each.ref, commit="0" * 40, url=f"{page}{n}") for n, each in enumerate(refs)),
        unsupported=tuple(said) * 12,
        unvalidated=said[0],
        fallback=said[1],
        rubric=said[2],
        runs=tuple(ran(n, model=said[3][:100]) for n in range(20)),
        rounds=tuple(Round(number=n, draft=text, refs=tuple(said), by="validator", attack=said[4]) for n in range(6)),
    )


def variants(thread: Thread) -> list[Thread]:
    """The same thread, wherever it may stand."""
    said = thread.question
    assert thread.draft_pending is not None
    tier = Escalation(
        tier=3, reason=said, decided_at=at(), started_at=at(), watch_command=said, turns=10**6, latest=said
    )
    longer = thread.evolve(escalation=tier, is_escalated=True, escalation_problem=said)
    return [
        thread,
        longer,
        longer.evolve(status="escalated"),
        longer.evolve(draft_pending=None, failure=said),
        thread.evolve(stale=said),
        thread.evolve(draft_pending=thread.draft_pending.evolve(withheld="a GitHub token"), stale=said),
        thread.evolve(draft_pending=thread.draft_pending.evolve(edited_by="U0OPS", drafted=said), stale=said),
        thread.evolve(mode="preview"),
        moved(thread, story.press(Approve, thread)),
        moved(thread, story.press(TakeOver, thread)),
        moved(thread, story.press(Dismiss, thread)),
        thread.evolve(draft_pending=None, failure=said),
        thread.evolve(status="bounced-round-1", feedback=said),
        thread.evolve(status="collecting", waiting=Waiting(level="user", ahead=10**6), due_at=at(9)),
        thread.evolve(status="in-doubt"),
    ]


@pytest.mark.parametrize(("script", "length"), EACH)
def test_slack_takes_every_card(script: str, length: int) -> None:
    """Wherever its thread stands, with everything on it as long as the draft; the draft stands on it whole."""
    for thread in variants(told(script, length)):
        made = build_card(thread, link=LINK, may_dig_deeper=True)
        accepted(made)
        accepted(build_long_run(thread, link=LINK))
        taken(build_evidence_dialog(thread))
        if thread.draft_pending and thread.status in ("pending-user", "in-doubt"):
            posted = json.loads(thread.draft_pending.payload)["blocks"]
            assert any(made["blocks"][n : n + len(posted)] == posted for n in range(len(made["blocks"])))


@pytest.mark.parametrize(("script", "length"), EACH)
def test_slack_takes_every_dialog(script: str, length: int) -> None:
    """Show Evidence, Edit, Bounce and Answer."""
    thread = told(script, length)
    assert thread.investigator_return is not None
    assert thread.draft_pending is not None
    taken(build_evidence_dialog(thread))
    value = f"{thread.draft_pending.draft_id} {thread.draft_pending.nonce}"
    taken(edit(value, text=thread.draft_pending.text))
    taken(bounce(value))
    taken(answer(value, questions=thread.investigator_return.open_questions))


@pytest.mark.parametrize("script", [*SCRIPTS, "all"])
def test_slack_takes_every_reply(script: str) -> None:
    """Of any length: one message, in which nothing but text, lists, code, quotes and given links can stand."""
    known = {
        "rich_text",
        "text",
        "link",
        *(f"rich_text_{kind}" for kind in ("section", "preformatted", "list", "quote")),
    }
    for length in (*LENGTHS, *range(3, 3_000, 421)):
        for seed in range(2):
            made = reply(f"{written(script, length, seed)}\ud800", {"a.py:1": "https://code.example/a.py#L1"})
            accepted(made)
            assert {part.partition('"')[0] for part in json.dumps(made["blocks"]).split('"type": "')[1:]} <= known
            assert "<" not in made["text"]
