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
from blocks.text import escape, size
from bot.decide.drafted_changes import measure_change
from bot.models.fix import MAX_DESCRIPTION_CHARS, MAX_DIFF_CHARS, MAX_TITLE_CHARS, DiffJudgement, FixRound
from bot.models.program_run import CheckReport
from bot.models.thread import Thread
from bot.models.thread_event import Approve
from bot.models.workspace import FileChange
from bot.tools.edit_tools import MAX_FILES
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.test_card import LINK
from tests.builders import OPERATOR, moved
from tests.decide.test_workflow import press
from tests.fixes import (
    DEFECT,
    HEAD,
    REMOTE,
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
NOISY = FAILED.evolve(output='a "quoted" line of <markup>\n' * 400, exit_code=None, problem="It took <too> long. " * 40)
UNREACHED = FAILED.evolve(output="1 test\nno route to host after 30 ms")
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
    own = {name: changes.pop(name) for name in ("rounds", "check_before") if name in changes}
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
    blocks = build_card(drafting(), link=LINK, fix_held_reason="Triage is paused")["blocks"]
    assert "It waits: Triage is paused." in text_of(blocks)


def test_a_draft_that_a_stop_ended_does_not_wait() -> None:
    """Nothing starts it again; its button discards it."""
    blocks = build_card(drafting(), link=LINK, is_fix_ended=True)["blocks"]
    checked_blocks(blocks)
    assert "*The draft of a fix was ended* by the stop of Triage" in text_of(blocks)
    assert "being drafted" not in text_of(blocks)
    assert DISCARD in actions(blocks)


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
        FixRound(number=2, check=PASSED, judgement=BOUNCED, problem="The validator sent the change back."),
        FixRound(number=3, check=PASSED, judgement=AGREED),
    )
    said = text_of(message(with_result(proposed(), rounds=rounds, check_before=FAILED))["blocks"])
    for part in (
        "Raise the limit to 5",
        "The docs promise five tries.",
        "+limit = 5",
        "*1 file:* modified `bot/a.py`",
        "*the check failed* after 3 s: exit code 1.",
        "1 test\\nFAILED <!channel> test_limit",
        "*Before any change:* *the check failed* after 3 s: exit code 1.",
        "the check passed after 4 s, not isolated; *the validator sends it back*: it does what the finding says "
        "*and more than that*; *no test fails without it*. It also renames a file.",
        "the validator agrees: it does what the finding says and nothing else; tests are touched.",
        "*Cost:* at most $0.12 · *Time:* 1 min",
        "https://git.example.com/shop.git",
    ):
        assert part in said, part


def test_words_that_were_edited_leave_the_commits_message() -> None:
    """The message of the fix shows its subject where the words differ."""
    thread = proposed()
    keeps = "The commit keeps its message: Raise the limit to 5"
    assert keeps not in text_of(message(thread)["blocks"])
    edited = thread.evolve(fix=fix_of(thread).evolve(title="Mend it", edited_by=OPERATOR))
    assert keeps in text_of(message(edited)["blocks"])


@pytest.mark.parametrize(
    ("pushed", "title", "says"),
    [
        ("no", "Discarded: nothing was pushed", "Nothing was pushed."),
        ("maybe", "Discarded: the branch may be pushed", "Its branch may be pushed: look for `triage/fix-"),
        ("yes", "Discarded: the branch is pushed", f"` at {REMOTE} stays there, as it was pushed"),
    ],
)
def test_a_discarded_fix_says_what_is_at_the_remote(pushed: Any, title: str, says: str) -> None:
    """On the card of its question, and on its own message."""
    thread = discarded()
    thread = thread.evolve(fix=fix_of(thread).evolve(pushed=pushed))
    made = message(thread)
    checked_blocks(made["blocks"])
    assert made["text"].startswith(title)
    assert says in text_of(made["blocks"])
    assert says in text_of(build_card(thread, link=LINK)["blocks"])


@pytest.mark.parametrize(
    ("before", "after", "is_said"),
    [
        (UNREACHED, UNREACHED.evolve(output="1 test\nno route to host after 31 ms"), True),
        (UNREACHED, FAILED, False),
        (UNREACHED, UNREACHED.evolve(is_isolated=False), False),
        (PASSED, UNREACHED, False),
    ],
)
def test_a_check_that_fails_as_before_is_said_to_have_no_network(
    before: CheckReport, after: CheckReport, is_said: bool
) -> None:
    """Where it is isolated, with the same last lines but for figures."""
    rounds = (FixRound(number=1, check=after, problem="The project's check did not pass."),)
    blocks = message(with_result(failed(), check_before=before, rounds=rounds))["blocks"]
    checked_blocks(blocks)
    assert ("The check runs without a network." in text_of(blocks)) is is_said


def test_a_failed_opening_says_why_and_how_to_go_on() -> None:
    """Above the buttons."""
    thread = proposed()
    thread = thread.evolve(fix=fix_of(thread).evolve(problem="The forge refused <the> token."))
    said = text_of(message(thread)["blocks"])
    assert "*The merge request was not opened:* The forge refused &lt;the&gt; token. Press Open Merge Request" in said
    outdated = thread.evolve(fix=fix_of(thread).evolve(is_outdated=True))
    assert "token. Press" not in text_of(message(outdated)["blocks"])


@pytest.mark.parametrize(
    "line", ["+x", "+" + "y" * 300, '+"\\"\\\\"', "+😀" * 50], ids=["short", "long", "quotes", "emoji"]
)
@pytest.mark.parametrize("count", [1, MAX_FILES])
@pytest.mark.parametrize("passed_before", [False, True])
def test_the_largest_change_is_shown_whole_with_all_its_files(line: str, count: int, passed_before: bool) -> None:
    """Also where all else is at its largest: nobody opens lines that nobody sees."""
    files = tuple(FileChange(status="modified", path=f"{'a&b' * 10}{number}.py") for number in range(count))
    paths, lines = [each.path for each in files], [line]
    while measure_change(paths, "\n".join([*lines, line])) <= MAX_DIFF_CHARS:
        lines.append(line)
    before = PASSED if passed_before else NOISY
    judgement = BOUNCED.evolve(reasons=("it is <wrong>" * 40,) * 8)
    rounds = (
        FixRound(number=1, check=NOISY, problem="x"),
        FixRound(number=2, check=PASSED, judgement=judgement, problem="x"),
        FixRound(number=3, check=PASSED, judgement=judgement),
    )
    thread = with_result(
        proposed(),
        rounds=rounds,
        check_before=before,
        diff="\n".join(lines),
        files=files,
        marks=dict.fromkeys(paths, "test, check, executable"),
        target='"t&' * 80,
    )
    fix = fix_of(thread)
    assert fix.plan is not None
    thread = thread.evolve(
        fix=fix.evolve(
            title='"' * MAX_TITLE_CHARS,
            description="word\n" * (MAX_DESCRIPTION_CHARS // 6),
            edited_by=OPERATOR,
            problem="<it> failed " * 100,
            pushed="yes",
            plan=fix.plan.evolve(remote="https://git.example.com/" + '"r&' * 200),
            order=fix.order.evolve(defect=DEFECT.evolve(summary='"<&' * 200, ref="p&" * 150)),
        )
    )
    blocks = message(thread)["blocks"]
    checked_blocks(blocks)

    assert size(blocks) <= MAX_CHARS
    (shown,) = [each for each in shown_code(blocks) if each.startswith(line)]
    assert shown.split("\n") == lines
    assert all(escape(path) in text_of(blocks) for path in paths)


def shown_code(blocks: list[dict[str, Any]]) -> list[str]:
    """The texts of blocks of code."""
    parts = (part for block in blocks if block["type"] == "rich_text" for part in block["elements"])
    return [part["elements"][0]["text"] for part in parts if part["type"] == "rich_text_preformatted"]


def test_the_dialog_of_the_words_fits_their_limits() -> None:
    """Slack's, and those of the request."""
    assert checked_view(edit_request("v", title="x" * 120, description="y" * 1_500))
    assert checked_view(edit_request("v", title="x", description=""))
