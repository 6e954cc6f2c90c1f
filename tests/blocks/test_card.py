"""The card at every status, and at any length of question, draft and evidence."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from blocks.card import build_card
from blocks.dialogs import bounce, edit
from blocks.evidence_dialog import build_evidence_dialog
from blocks.notification import notification
from blocks.verdict import NO_LONGER_PASSES
from bot.models.alert import Alert, begin_record
from bot.models.repeated_question import ANSWERED_BEFORE, AskedBefore
from bot.models.route import Route
from bot.models.staleness import EvidenceChanged
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Bounce, Due, EvidenceFailed, Redraft, WasPosted
from bot.models.verdict import ValidatorReturn
from tests.builders import added, at, check, found, fresh, moved, reference, validated, validator
from tests.decide import test_workflow as story

LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"


def shown(thread: Thread) -> str:
    """Everything that the card says."""
    return json.dumps(build_card(thread, link=LINK), ensure_ascii=False)


def actions(thread: Thread) -> list[dict[str, Any]]:
    """The card's buttons."""
    blocks = [block for block in build_card(thread, link=LINK)["blocks"] if block["type"] == "actions"]
    return [button for block in blocks for button in block["elements"]]


def carried(element: dict[str, Any]) -> list[str]:
    """What a button carries, or each option of a menu after its own name."""
    options = [option["value"].partition(" ")[2] for option in element.get("options", ())]
    return options or [element["value"]]


@pytest.mark.parametrize(
    ("others", "own", "said"),
    [
        (("I think it is 30 now",), True, "Ana in #help: where is the limit set?"),
        (("ask @U0BEN", "look in b.py"), True, "Ana in #help: where is the limit set?"),
        (("I think it is 30 now",), False, "Ana in #help: Ben: I think it is 30 now"),
        ((), True, "Ana in #help: where is the limit set? and on arm?"),
    ],
)
def test_a_notification_puts_nobodys_words_in_the_askers_mouth(others: tuple[str, ...], own: bool, said: str) -> None:
    """It quotes what the asker wrote, in any order of lines; without a line of theirs it names who wrote each."""
    thread = story.pending()
    (first,) = thread.question_messages
    lines = [first.evolve(content=text, sender_id="U0BEN", message_id=f"99.{n}") for n, text in enumerate(others)]
    lines += [first] if own else []
    lines += [] if others else [first.evolve(content="and on arm?", message_id="102.1")]
    names = {first.sender_id: "Ana", "U0BEN": "Ben"}
    changed = thread.evolve(messages=tuple(lines), names=names, original_sender_name="Ana", chat_name="help")
    assert build_card(changed, link=LINK)["text"].startswith(said)


@pytest.mark.parametrize(("further", "said"), [(0, ""), (2, " · 3 messages as one question")])
def test_a_card_says_that_several_messages_are_one_question(further: int, said: str) -> None:
    """Its quote alone does not tell them from the lines of one."""
    thread = story.pending()
    (first,) = thread.question_messages
    more = [first.evolve(message_id=f"101.{number}") for number in range(further)]
    text = shown(thread.evolve(messages=(first, *more)))
    assert f"UTC>{said} · <{LINK}|open the question>" in text


@pytest.mark.parametrize(
    ("thread", "buttons"),
    [
        (story.collecting, ["stop", "dismiss", "more"]),
        (story.investigating, ["stop", "dismiss", "more"]),
        (story.awaiting, ["stop", "dismiss", "more"]),
        (story.pending, ["approve", "edit", "bounce", "dismiss", "more"]),
        (story.approved, []),
        (story.in_doubt, ["was_posted", "post_again"]),
        (story.replied, []),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_status_offers_what_can_be_done(thread: Any, buttons: list[str]) -> None:
    """A settled card has no button, and at most one button is the primary one."""
    made = actions(thread())
    assert [button["action_id"] for button in made] == buttons
    assert sum(button.get("style") == "primary" for button in made) <= 1


def test_the_draft_on_the_card_is_the_sealed_payload() -> None:
    """The very blocks that will be posted are shown."""
    thread = story.pending()
    assert thread.draft_pending is not None
    posted = json.loads(thread.draft_pending.payload)["blocks"]
    assert all(block in build_card(thread, link=LINK)["blocks"] for block in posted)


def test_buttons_carry_the_drafts_id_and_nonce_and_nothing_else() -> None:
    """What a button says is a name, not content."""
    thread = story.pending()
    assert thread.draft_pending is not None
    values = {value for button in actions(thread) for value in carried(button)}
    assert values == {f"{thread.draft_pending.draft_id} {thread.draft_pending.nonce}"}


def test_the_card_says_what_was_checked_and_what_was_not() -> None:
    """Without a model the badge is the code's own, never the validator's."""
    said = shown(story.pending())
    assert "1 of 1 reference open · *Evidence checked*, no validator · Confidence: " in said
    assert "validated" not in said
    assert "Not checked: spot-check" in json.dumps(build_evidence_dialog(story.pending()))


@pytest.mark.parametrize(
    ("result", "badge", "notice"),
    [
        ("supports", "✓ validated", ", validated, "),
        ("uncheckable", "Evidence checked*, no spot-check", ", no spot-check, "),
        ("fabricated", "Not validated", ", not validated, "),
    ],
)
def test_card_and_notification_say_the_same_of_a_verdict(result: Any, badge: str, notice: str) -> None:
    """A pass without a spot-check is not called validated in either."""
    thread = story.awaiting()
    thread = thread.evolve(validator_bounces=1)
    thread = moved(thread, validated(thread, validator_return=validator(spot_check_result=result)))
    assert badge in shown(thread)
    assert notice in notification(thread)


@pytest.mark.parametrize(
    ("chance", "says"),
    [(0.74, "Confidence: medium, right 7 times in 10"), (0.99, "right 9 times in 10"), (None, "Confidence: medium")],
)
def test_the_card_says_how_often_such_a_draft_is_right(chance: float | None, says: str) -> None:
    """Where that was measured, and never *always*."""
    thread = story.pending()
    assert thread.investigator_return
    sure = thread.investigator_return.evolve(confidence="medium")
    said = shown(thread.evolve(chance=chance, investigator_return=sure))
    assert says in said
    assert ("times in 10" in said) is (chance is not None)


def test_the_card_says_why_the_model_did_not_answer() -> None:
    """In words that can mint nothing, and only while the draft is of the other engine."""
    thread = story.investigating()
    fell_back = moved(thread, found(thread, fallback="the model <!here> is overloaded"))
    fell_back = moved(fell_back, validated(fell_back))
    assert "*Without the model:* the model &lt;!here&gt; is overloaded." in shown(fell_back)
    again = moved(fell_back, story.press(Redraft, fell_back))
    again = moved(again, found(again))
    assert "Without the model" not in shown(moved(again, validated(again)))


def test_a_failed_reference_is_never_shown_as_checked() -> None:
    """What comes first names the reference, and why; the line of trust counts it."""
    thread = story.awaiting()
    for _ in range(2):
        failed = EvidenceFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", checks=(check("failed"),))
        thread = moved(thread, failed)
        if thread.status != "pending-user":
            thread = moved(thread, found(thread))
    said = shown(thread)
    assert "• `bot/a.py:1`: so it is." in said
    assert "0 of 1 reference open · *✗ 1 FAILED* · *Not validated*" in said
    assert "Not validated" in said
    assert "Evidence checked" not in said


@pytest.mark.parametrize("validated_by", [None, validator()])
def test_a_draft_whose_lines_have_changed_since_is_not_called_checked(validated_by: ValidatorReturn | None) -> None:
    """Neither on the card nor behind it; that it passed once is said as such."""
    thread = story.awaiting()
    thread = moved(thread, validated(thread, validator_return=validated_by))
    assert "Evidence checked" in shown(thread) or "✓ validated" in shown(thread)
    thread = moved(thread, EvidenceChanged(at=at(20), fresh=fresh(), checks=(check("failed"),), why="bot/a.py:1: gone"))
    for said in (shown(thread), json.dumps(build_evidence_dialog(thread), ensure_ascii=False)):
        assert NO_LONGER_PASSES in said
        assert "Evidence checked" not in said
        assert "✓ validated" not in said


def test_an_expired_card_says_so_whatever_was_decided_before() -> None:
    """Nobody is named who did not decide; the controls are gone."""
    thread = story.pending()
    thread = moved(thread, story.press(Bounce, thread, feedback="look again"))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    gone = moved(thread, Due(at=at(10**6), fresh=fresh()))
    assert "*Expired*" in shown(gone)
    assert "<@U0OPS>" not in shown(gone)
    assert actions(gone) == []
    assert "expired" in build_card(gone, link=LINK)["text"]


def test_the_outcome_names_who_and_when() -> None:
    """After the decision the controls give way to it."""
    said = shown(story.replied())
    assert "Approved" in said
    assert "<@U0OPS>" in said
    assert f"<!date^{int(at(10).timestamp())}^" in said


PIECES = [
    "`a` ",
    "**b** ",
    "- item\n",
    "> said\n",
    "```\nraise\n```\n",
    "日本語、",
    "Ελληνικά ",
    "<b>&amp; ",
    "😀",
    "word ",
]


@pytest.mark.parametrize("length", [1, 300, 1_500, 2_900])
@pytest.mark.parametrize("references", [0, 1, 8])
@pytest.mark.parametrize("pieces", [PIECES, PIECES[:1], PIECES[-1:]], ids=["mixed", "code", "words"])
def test_a_card_fits_slacks_limits_at_any_length(length: int, references: int, pieces: list[str]) -> None:
    """No text passes 3,000 characters, no message 50 blocks, and the whole stays under what Slack takes."""
    rng = random.Random(length + references)
    text = "".join(rng.choice(pieces) for _ in range(length))[:length].strip() or "x"
    thread = moved(None, added(text * 5))
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    refs = tuple(
        reference(ref=f"{'deep/' * 30}a{n}.py:1-9", quote="\n".join([text[:300]] * 9)) for n in range(references)
    )
    short = " ".join(text.split()[:250])[:length] or "x"
    thread = moved(thread, found(thread, short, evidence_refs=refs))
    thread = moved(thread, validated(thread, *(check("ok", ref.ref) for ref in refs)))
    for document in (thread, moved(thread, story.press(Approve, thread))):
        made = build_card(document, link=LINK)
        assert len(made["blocks"]) <= 50
        assert len(json.dumps(made["blocks"], ensure_ascii=False)) < 13_200
        assert len(made["text"]) <= 4_000
        for block in made["blocks"]:
            if block["type"] in ("section", "context"):
                texts = [block["text"]] if "text" in block else block["elements"]
                assert all(1 <= len(element["text"]) <= 3_000 for element in texts)


def test_a_question_adds_no_mention_or_format_to_the_card() -> None:
    """The asker's words are text elements; a broadcast in them stays words."""
    thread = moved(None, added("<!channel> <@U0OPS> *bold* where?"))
    quoted = [block for block in build_card(thread, link=LINK)["blocks"] if block["type"] == "rich_text"]
    assert quoted[0]["elements"][0]["elements"] == [{"type": "text", "text": "<!channel> <@U0OPS> *bold* where?"}]


def test_dialogs_fit_slacks_limits() -> None:
    """The draft is pre-filled whole, up to what an input can hold."""
    view = edit("T1-C1-1.1/1 n", text="x" * 5_000)
    element = view["blocks"][0]["element"]
    assert len(element["initial_value"]) == 3_000
    for made in (view, bounce("T1-C1-1.1/1 n")):
        assert all(len(made[part]["text"]) <= 24 for part in ("title", "submit", "close"))


def test_a_reply_that_a_person_found_closes_the_card() -> None:
    """After a doubt the outcome is shown like any other."""
    thread = story.in_doubt()
    assert "Approved" in shown(moved(thread, story.press(WasPosted, thread)))


def test_the_card_names_role_project_and_rule() -> None:
    """While it is investigated, and behind the draft's card."""
    route = Route(role="api", role_name="API <Dev>", project="shop", rule=2, why="rule 2, ^api; project by the channel")
    busy = moved(moved(None, added()), Due(at=at(60), fresh=fresh())).evolve(route=route)
    assert "Investigating in shop as API &lt;Dev&gt;" in shown(busy)
    behind = json.dumps(build_evidence_dialog(story.pending().evolve(route=route)))
    assert "as API &lt;Dev&gt; (rule 2, ^api; project by the channel), round 1." in behind


@pytest.mark.parametrize(
    ("engine", "earlier", "said"),
    [
        (
            ANSWERED_BEFORE,
            {"answered_at": at(0), "answered_by": "U0OPS"},
            "*Answered before:* the draft is from there.",
        ),
        ("keyword", {"answered_at": at(0), "not_again": "a <line> has changed"}, "a &lt;line&gt; has changed."),
        ("keyword", {"answered_at": at(0)}, "*Asked before:* <https://a.example|in this thread>, answered · "),
        ("keyword", {}, "*Also asked:* <https://a.example|in this thread>, which is still open."),
    ],
)
def test_the_card_says_where_it_was_asked_before(engine: str, earlier: dict[str, Any], said: str) -> None:
    """With what became of the answer; what serves again can be looked into anew, and names no engine."""
    link = AskedBefore(thread_id="T0SANDBOX-C0HELP-50.000001", url="https://a.example", **earlier)
    thread = story.pending().evolve(engine=engine, asked_before=(link,))
    assert said in shown(thread)
    again = engine == ANSWERED_BEFORE
    assert ("redraft" in [button["action_id"] for button in actions(thread)]) is again
    behind = json.dumps(build_evidence_dialog(thread))
    assert ("no model was asked" in behind) is again
    assert ("Drafted by" in behind) is not again


def test_a_settled_card_says_how_often_its_alert_fired() -> None:
    """As it did while it was open."""
    alert = Alert(source="grafana", state="firing", title="Disk", fingerprint="f", group="g")
    record = begin_record(alert, "100.000001", at()).evolve(fired=3, recovered_at=at(9))
    assert "fired 3 times" in shown(story.replied().evolve(alert=record))
