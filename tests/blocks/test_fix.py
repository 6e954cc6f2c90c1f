"""A fix on the card of its question, and in its own message: within the limits of Block Kit, whatever it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from blocks.card import build_card
from blocks.dialogs import edit_request
from blocks.fix import DISCARD, EDIT, OPEN, PROPOSE
from blocks.fix_message import MAX_CHARS, build_fix_message
from blocks.text import size
from bot.models.fix import DiffJudgement, FixRound
from bot.models.program_run import CheckReport
from bot.models.thread import Thread
from bot.models.thread_event import Approve
from bot.models.workspace import FileChange
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.test_card import LINK
from tests.builders import OPERATOR, moved
from tests.decide.test_workflow import press
from tests.fixes import (
    HEAD,
    REQUEST,
    discarded,
    drafting,
    failed,
    fix_of,
    opened,
    opening,
    proposed,
    stopping,
    with_defect,
)

FAILED = CheckReport(
    exit_code=1, duration_ms=3_000, output="1 test\nFAILED <!channel> test_limit\n", is_isolated=True, problem=""
)
PASSED = CheckReport(exit_code=0, duration_ms=4_000, output="1 passed", is_isolated=False)
BOUNCED = DiffJudgement(
    verdict="bounce", mends_defect=True, does_only_that=False, tests="missing", reasons=("It also renames a file.",)
)
AGREED = DiffJudgement(verdict="pass", mends_defect=True, does_only_that=True, tests="touched", reasons=())


def message(thread: Thread, **options: Any) -> dict[str, Any]:
    """The message of the thread's fix."""
    return build_fix_message(thread.thread_id, fix_of(thread), link=LINK, **options)


def with_result(thread: Thread, **changes: Any) -> Thread:
    """The thread with another proposal or other rounds."""
    fix = fix_of(thread)
    assert fix.result is not None
    own = {name: changes.pop(name) for name in ("rounds",) if name in changes}
    proposal = fix.proposal and fix.proposal.evolve(**changes)
    return thread.evolve(fix=fix.evolve(result=fix.result.evolve(proposal=proposal, **own)))


def actions(blocks: list[dict[str, Any]]) -> list[str]:
    """The buttons of blocks."""
    rows = (block["elements"] for block in blocks if block["type"] == "actions")
    return [element["action_id"] for row in rows for element in row]


def text_of(blocks: list[dict[str, Any]]) -> str:
    """Everything that blocks say."""
    return json.dumps(blocks, ensure_ascii=False)


@pytest.mark.parametrize(
    ("make", "may_propose", "offered", "says"),
    [
        (with_defect, True, [PROPOSE], "*Defect:* The limit is 3 where the docs promise 5. `bot/a.py:1`"),
        (with_defect, False, [], ""),
        (drafting, False, [DISCARD], "A fix is being drafted"),
        (proposed, False, [], "A fix is proposed"),
        (failed, True, [PROPOSE], "*No fix:* No change passed the check. Nothing was pushed."),
        (opening, False, [], "Opening the merge request"),
        (opened, False, [], f"<{REQUEST.url}|merge request !7>, a draft"),
        (discarded, True, [PROPOSE], f"*Fix discarded* by <@{OPERATOR}>"),
        (stopping, False, [], "*Fix discarded*"),
    ],
)
@pytest.mark.parametrize("is_approved", [False, True])
def test_a_card_offers_a_fix_and_shows_its_state(
    make: Callable[[], Thread], may_propose: bool, offered: list[str], says: str, is_approved: bool
) -> None:
    """Beside the decision on the reply, also once that is made; nothing else on the card changes."""
    thread = make()
    if is_approved:
        thread = moved(thread, press(Approve, thread))
    blocks = build_card(thread, link=LINK, may_propose_fix=may_propose)["blocks"]
    checked_blocks(blocks)
    own = (PROPOSE, DISCARD)
    assert [each for each in actions(blocks) if each in own] == offered
    assert says in text_of(blocks).replace('\\"', '"')
    bare = build_card(thread.evolve(fix=None), link=LINK)["blocks"]
    assert blocks[: len(bare)] == bare


def test_a_defect_of_which_no_fix_can_be_drafted_has_the_reason_instead_of_the_button() -> None:
    """Where a person looks for it."""
    made = build_card(with_defect(), link=LINK, may_propose_fix=True, fix_refusal="The project shop has no check.")
    checked_blocks(made["blocks"])
    assert PROPOSE not in actions(made["blocks"])
    assert "`bot/a.py:1` No fix can be drafted: The project shop has no check." in text_of(made["blocks"])


def test_a_draft_that_waits_says_why() -> None:
    """As the card of a held run."""
    blocks = build_card(drafting(), link=LINK, held_reason="Triage is paused")["blocks"]
    assert "It waits: Triage is paused." in text_of(blocks)


@pytest.mark.parametrize(
    ("make", "offered", "title"),
    [
        (proposed, [OPEN, EDIT, DISCARD], "Waiting for you: open this merge request?"),
        (failed, [], "No fix was found"),
        (opening, [], "Opening the merge request"),
        (opened, [], "The merge request is open"),
        (discarded, [], "Discarded: nothing was pushed"),
    ],
)
def test_the_message_of_a_fix_has_its_buttons_while_it_waits(
    make: Callable[[], Thread], offered: list[str], title: str
) -> None:
    """The button to open it carries the commit that is shown."""
    thread = make()
    made = message(thread)
    blocks = made["blocks"]
    checked_blocks(blocks)
    assert actions(blocks) == offered
    assert (title in text_of(blocks), made["text"].startswith(title)) == (True, True)
    if offered:
        (row,) = [block for block in blocks if block["type"] == "actions"]
        fix = fix_of(thread)
        assert row["elements"][0]["value"] == f"{thread.thread_id}/1 {fix.nonce} {HEAD}"
        assert row["elements"][0]["confirm"]["text"]["text"].startswith(f"Pushes {HEAD[:12]} to {fix.proposal.branch}")  # type: ignore[union-attr]  # it has one


def test_a_proposal_shows_all_that_the_press_is_about() -> None:
    """The words of the request, the diff, each round with the check and the validator, cost and time."""
    rounds = (
        FixRound(number=1, check=FAILED),
        FixRound(number=2, check=PASSED, judgement=BOUNCED),
        FixRound(number=3, check=PASSED, judgement=AGREED),
    )
    said = text_of(message(with_result(proposed(), rounds=rounds))["blocks"])
    for part in (
        "*Raise the limit to 5*",
        "The docs promise five tries.",
        "+limit = 5",
        "*1 file:* modified `bot/a.py`",
        "*the check failed* after 3 s: exit code 1 · `FAILED &lt;!channel&gt; test_limit`",
        "the check passed after 4 s, not isolated; *the validator sends it back*: it does what the finding says "
        "*and more than that*; *no test fails without it*. It also renames a file.",
        "the validator agrees: it does what the finding says and nothing else; tests are touched.",
        "*Cost:* at most $0.12 · *Time:* 1 min",
        "https://git.example.com/shop.git",
    ):
        assert part in said, part


def test_a_failed_opening_says_why_and_how_to_go_on() -> None:
    """Above the buttons."""
    thread = proposed()
    thread = thread.evolve(fix=fix_of(thread).evolve(problem="The forge refused <the> token."))
    said = text_of(message(thread)["blocks"])
    assert "*The merge request was not opened:* The forge refused &lt;the&gt; token. Press Open Merge Request" in said


@pytest.mark.parametrize(
    "line", ["+x", "+" + "y" * 300, '+"\\"\\\\"', "+😀" * 50], ids=["short", "long", "quotes", "emoji"]
)
@pytest.mark.parametrize("count", [1, 40, 2_000])
@pytest.mark.parametrize("description", ["", "word " * 580], ids=["bare", "described"])
def test_a_diff_is_cut_to_what_fits(line: str, count: int, description: str) -> None:
    """Whole lines, with the number of the others and the command that shows them."""
    diff = "\n".join([line] * count)[:40_000]
    files = tuple(FileChange(status="added", path=f"{'long/' * 60}{number}.py") for number in range(30))
    thread = with_result(proposed(), diff=diff, files=files)
    thread = thread.evolve(fix=fix_of(thread).evolve(description=description.strip()))
    blocks = message(thread)["blocks"]
    checked_blocks(blocks)
    assert size(blocks) <= MAX_CHARS
    said = text_of(blocks)
    if (
        size(message(with_result(thread, diff="+"))["blocks"]) + len(json.dumps(diff, ensure_ascii=False))
        > MAX_CHARS + 200
    ):
        assert f"`/triage git_diff branch={fix_of(thread).order.slug} project=shop` shows all." in said
    assert "and 18 more" in said


def test_the_dialog_of_the_words_fits_their_limits() -> None:
    """Slack's, and those of the request."""
    assert checked_view(edit_request("v", title="x" * 120, description="y" * 2_900))
    assert checked_view(edit_request("v", title="x", description=""))
