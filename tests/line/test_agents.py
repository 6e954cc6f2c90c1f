"""The line with agents on a model: from a question to a reply, against a model server on loopback, by sockets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.line.agents import QUESTION, agents, document, papers, sessions
from tests.line.human import replies, shows, until
from tests.line.play import CITED, GOOD, PASSES, READ, Play, found, judged, said
from tests.model_server import calls, hang, says
from tests.models.slack_messages import SCREENSHOT

if TYPE_CHECKING:
    from tests.line.conftest import Line

BOUNCES = (
    READ,
    judged(verdict="bounce", reasons=["orders.py:4 says before, the draft is silent."], bounce_feedback="Say before."),
)


REFERENCE = {"kind": "file", "ref": "orders.py:3-4", "supports_claim": "It stands there.", "quote": CITED}


async def test_question_investigation_validation_approval_reply(line: Line) -> None:
    """Tool calls, findings, evidence check, validator, card, press, reply; each run is on record."""
    async with agents(line, Play()):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Three times", "1 of 1 reference open", "✓ validated", '"approve"')
        await line.olu.evidence(
            card, "Tier 1, claude-opus-5-5", "Spot-check", "Not checked: consistency with other threads"
        )
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, "Three times")
        await line.olu.card("The reply is posted.")
    first, second = sessions(line)
    figures = (first["agent"], first["outcome"], first["num_turns"], first["tool_calls"])
    assert figures == ("investigator", "answered", 3, 2)
    assert (second["agent"], second["parent_session_id"]) == ("validator", first["session_id"])
    assert min(first["cost_usd"], second["cost_usd"]) > 0
    thread = document(line)
    ids = [first["session_id"], second["session_id"]]
    assert [run["session_id"] for run in thread["runs"]] == ids
    assert [thread["investigator_task_id"], thread["validator_task_id"]] == ids
    (record,) = [json.loads(row) for row in (line.home / "replies.ndjson").read_text().splitlines()]
    assert (record["validator_verdict"], record["engine"]) == ("pass", "claude")


@pytest.mark.parametrize(("quote", "shown"), [(CITED, ("1 of 1 reference open", "✓ validated")), ("LIMIT = 9", ())])
async def test_a_small_model_is_checked_as_any_other(line: Line, quote: str, shown: tuple[str, ...]) -> None:
    """It has two tools; a quote that is not in the file passes no check."""
    play = Play(investigator=((*GOOD[:-1], found(quote=quote)),))
    async with agents(line, play, model="small: true"):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Three times", *shown)
        assert shows(card, "✓ validated") == bool(shown)
    assert [tool["name"] for tool in play.of("investigator")[0]["tools"]] == ["read_file", "search"]


async def test_the_fixed_prefix_is_the_same_for_every_run_and_cached(line: Line) -> None:
    """Two questions: tools, prompt and form are byte for byte the same, marked, and read from the cache."""
    play = Play()
    async with agents(line, play):
        for text in (QUESTION, "where is the limit of tries set?"):
            await line.ana.say(text)
            await line.olu.card(text, '"approve"')
    for role in ("investigator", "validator"):
        asked = play.of(role)
        assert len({json.dumps([body["tools"], body["system"], body["output_config"]]) for body in asked}) == 1
        assert all("cache_control" in body["tools"][-1] and "cache_control" in body["system"][-1] for body in asked)
        assert len({said(body) for body in asked}) == 2
    usage = [session["usage"] for session in sessions(line) if session["agent"] == "investigator"]
    assert usage[0]["cache_write_tokens"] > 0
    assert usage[1]["cache_read_tokens"] > usage[0]["cache_read_tokens"]


async def test_the_investigator_is_told_what_it_needs(line: Line) -> None:
    """The question in an envelope, who asks, the project, the rubric, and where the question's words stand."""
    play = Play()
    async with agents(line, play):
        await line.ana.say(QUESTION)
        await line.olu.card('"approve"')
    told = said(play.of("investigator")[0])
    for words in (f"⟧\n{QUESTION}\n⟦end", "Ana", "shop: A small shop.", "RETRY_LIMIT = 3", "None are shown."):
        assert words in told
    assert told.index("untrusted") < told.index(QUESTION)


async def test_the_validator_has_one_tool_and_no_transcript(line: Line) -> None:
    """It sees question, rubric, findings, what code found and what nobody read; not how they were come to."""
    play = Play()
    async with agents(line, play):
        await line.ana.sends(f"Why does it fail? {QUESTION}", files=[SCREENSHOT])
        await line.olu.card("✓ validated")
    first = play.of("validator")[0]
    assert [tool["name"] for tool in first["tools"]] == ["read_file"]
    assert len(first["messages"]) == 1
    told, unread = said(first), "1 file not read: screenshot.png. A draft whose answer may hang on it"
    for words in (
        QUESTION,
        "Three times: `RETRY_LIMIT = 3`",
        "orders.py:3-4: ok, the quote is in",
        "Looked in",
        unread,
    ):
        assert words in told
    assert "I look for the words." not in json.dumps(first)


async def test_a_bounce_leads_to_a_second_round_and_the_card_shows_both(line: Line) -> None:
    """A fresh context with the validator's feedback; what was attacked, what changed."""
    second = (READ, found(draft_reply="Three times, before the order is cancelled (`orders.py:4`)."))
    play = Play(investigator=(GOOD, second), validator=(BOUNCES, PASSES))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card("before the order is cancelled", "✓ validated", "/2 ", '"approve"')
        back = "Round 1, sent back by the validator:* orders.py:4 says before"
        await line.olu.evidence(card, "Three times: `RETRY_LIMIT = 3`", back, "the text is different", "round 2")
    again = next(body for body in play.of("investigator") if "Say before." in said(body))
    assert len(again["messages"]) == 1
    assert "The draft that was sent back" in said(again)
    assert [session["agent"] for session in sessions(line)] == ["investigator", "validator"] * 2


async def test_after_one_bounce_the_operator_decides(line: Line) -> None:
    """The second round is not sent back again: it stands there as not validated, with both attacks."""
    play = Play(validator=(BOUNCES,))
    async with agents(line, play):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Not validated", "/2 ", '"approve"')
        await line.olu.evidence(card, "Validator: bounce", "Round 1, sent back", "the text is the same")
        assert play.judgements == 2
        assert replies(await line.ana.now(), asked) == []


async def test_of_two_verdicts_the_worse_one_counts(line: Line) -> None:
    """A pass beside a bounce is no pass, though the model was asked which of them it means."""
    objections = ["orders.py:4 says before, the draft is silent."]
    first, second = (body["content"][0]["text"] for body in (judged(), judged(verdict="escalate", reasons=objections)))
    both = says(f"{first}\n{second}")
    async with agents(line, Play(validator=((READ, both, both),))):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Not validated", objections[0], '"approve"')
        await line.olu.evidence(card, "Validator: escalate")


async def test_an_escalation_shows_the_disagreement_as_it_is(line: Line) -> None:
    """No other round; the operator reads what the validator says."""
    reasons = ["The draft promises what only the team can promise."]
    play = Play(validator=((READ, judged(verdict="escalate", reasons=reasons)),))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Not validated", reasons[0], '"approve"')
        assert not shows(card, "✓ validated")
        await line.olu.evidence(card, "Validator: escalate", "round 1")


async def test_a_reference_is_shown_as_its_file_has_it(line: Line) -> None:
    """A path out of the root and back is plain on the card; a dropped indent is there again."""
    cited = {"kind": "file", "ref": "../shop/orders.py:9-10", "supports_claim": "It gives the money back."}
    quote = "order.cancel(reason)\nrefund(order, days=2)"
    turns = (
        calls(("read_file", {"path": "../shop/orders.py"})),
        found(draft_reply="Two days (`../shop/orders.py:9-10`).", evidence_refs=[cited | {"quote": quote}]),
    )
    async with agents(line, Play(investigator=(turns,))):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Two days", "1 of 1 reference open", '"approve"')
        assert not shows(card, "../shop")
        await line.olu.evidence(card, "    order.cancel(reason)", "    refund(order, days=2)", "`orders.py:9-10`")


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ((READ, found(quote="RETRY_LIMIT = 5\nnothing else")), "the quote does not match these lines word for word"),
        ((calls(("glob", {"pattern": "*.py"})), found()), "the investigator did not open it in its run"),
    ],
    ids=["fabricated", "not opened"],
)
async def test_a_fabricated_reference_is_stopped_by_code(line: Line, turns: tuple[dict[str, object]], why: str) -> None:
    """No validator sees it: sent back once by code, then shown as failed."""
    play = Play(investigator=(turns,))
    async with agents(line, play):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Not validated", "FAILED", "/2 ", why)
        await line.olu.evidence(card, "sent back by the checks by code", why)
        assert not shows(card, "✓ validated")
        assert play.of("validator") == []
        assert replies(await line.ana.now(), asked) == []


@pytest.mark.parametrize(
    ("turns", "note"),
    [
        ((judged(),), "did not open the lines that it says it checked"),
        ((READ, judged(spot_check_ref="orders.py:1-2")), "not in the draft"),
    ],
)
async def test_a_validator_that_opens_nothing_validates_nothing(
    line: Line, turns: tuple[dict[str, object]], note: str
) -> None:
    """Its word for a spot-check is not taken: the card says that none was made."""
    async with agents(line, Play(validator=(turns,))):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Evidence checked", "no spot-check")
        await line.olu.evidence(card, "Not checked: spot-check", note)
        assert not shows(card, "✓ validated")


async def test_a_wrong_quote_costs_one_more_request(line: Line) -> None:
    """The model is told in the same run where the quote stands; no second investigation."""
    wrong = found(
        evidence_refs=[{"kind": "file", "ref": "orders.py:6-7", "supports_claim": "It is set.", "quote": CITED}]
    )
    play = Play(investigator=((READ, wrong, found()),))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        await line.olu.card("✓ validated", "1 of 1 reference open", "/1 ")
    asked = play.of("investigator")
    assert len(asked) == 3
    told = asked[2]["messages"][-1]["content"][-1]["text"]
    assert "- reference 1 (`orders.py:6-7`): it stands in lines 3-4." in told
    assert [session["agent"] for session in sessions(line)] == ["investigator", "validator"]


async def test_a_value_in_no_cited_text_is_sent_back_once_without_a_spot_check(line: Line) -> None:
    """The next round is told which; then the operator decides."""
    play = Play(investigator=((READ, found(draft_reply="Three times, in 4711 seconds (`orders.py:3`).")),))
    play.validator = ((judged(),),)
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Not validated", "4711", "/2 ", '"approve"')
        await line.olu.evidence(card, "sent back by the validator:* In no cited text, and no spot-check was made: 4711")
    assert any("In no cited text" in said(body) for body in play.of("investigator"))


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"draft_reply": "word " * 299 + "`orders.py:3`, by far."}, "The draft has 302 words; 300 were allowed"),
        ({"draft_reply": "Three. " * 600}, "The draft was cut: its first"),
        ({"research_notes": "word " * 501}, "The notes were cut to 500 of their 501 words"),
        ({"summary_for_orchestrator": "A. B. C."}, "The summary was cut to two of its 3 sentences"),
        (
            {"evidence_refs": [REFERENCE | {"quote": f"{REFERENCE['quote']}{' ' * n}"} for n in range(9)]},
            "The first 8 of 9 references are kept",
        ),
        ({"mood": "sure"}, "Keys that the form does not have: mood"),
    ],
)
async def test_a_draft_is_kept_with_what_code_changed(line: Line, changes: dict[str, object], where: str) -> None:
    """No second request; the operator reads what was cut, and the record has all of it."""
    play = Play(investigator=((READ, found(**changes)),))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"')
        await line.olu.evidence(card, where)
        assert shows(card, where) == ("mood" not in changes)
        assert shows(card, "Look at this first") == ("was cut" in where and "draft_reply" in changes)
    assert len(play.of("investigator")) == 2
    record = papers(line)[0]
    assert where in json.dumps(record["changes"])
    answer = next(step["model"] for step in record["steps"] if "draft_reply" in step.get("model", ""))
    assert json.loads(answer).items() >= changes.items()


async def test_a_return_that_stays_wrong_leaves_notes_and_the_keyword_engines_draft(line: Line) -> None:
    """The card says why; what was paid for is behind Show Evidence, and in no draft."""
    unsure = found(confidence="certain", draft_reply="Perhaps three times.")
    async with agents(line, Play(investigator=((READ, unsure),))):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card(
            "Without the model", "the investigator ended without an answer", "confidence: Input", '"approve"'
        )
        assert not shows(card, "Perhaps three times.")
        await line.olu.evidence(card, "Drafted by the keyword engine", "Unchecked notes", "Perhaps three times.")
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert not shows(reply, "Perhaps three times.")
    assert sessions(line)[0]["outcome"] == "unusable"


async def test_open_questions_are_asked_and_the_answer_goes_into_the_next_round(line: Line) -> None:
    """Instead of a guess; it counts as no bounce, and the rubric stays what it was."""
    asks = found(confidence="low", evidence_refs=[], open_questions=["Which environment is meant?"])
    play = Play(investigator=((asks,), GOOD))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card("It asks you", "Which environment is meant?", '"answer"')
        await line.olu.press("answer", card)
        dialog = await line.olu.dialog()
        assert "Which environment is meant?" in json.dumps(dialog)
        await line.olu.submit(dialog, answer="It is about staging.")
        await line.olu.card("✓ validated", "/2 ", '"approve"')
    thread = document(line)
    assert (thread["operator_bounces"], thread["decision"]["action"], thread["rounds"]) == (0, "answer", [])
    again = [body for body in play.of("investigator") if "It is about staging." in said(body)]
    assert "Which environment is meant?" in said(again[0])


async def test_a_question_in_another_language_is_glossed_on_the_card(line: Line) -> None:
    """And answered in its own."""
    german = found(
        draft_reply="Dreimal: `RETRY_LIMIT = 3`.", draft_language="de", question_gloss="How often is a payment retried?"
    )
    async with agents(line, Play(investigator=((READ, german),))):
        await line.ana.say("wie oft wird eine Zahlung wiederholt?")
        await line.olu.card("In English:* How often is a payment retried?", "Dreimal", '"approve"')


async def test_raw_evidence_lies_in_the_threads_folder_and_not_in_its_document(line: Line) -> None:
    """What the tools answered is for people to read; the document holds findings and references."""
    async with agents(line, Play()):
        await line.ana.say(QUESTION)
        await line.olu.card("✓ validated")
    investigation, validation = papers(line)
    assert investigation["opened"] == [{"path": "orders.py", "first": 1, "last": 10, "commit": None}]
    assert [step["tool"] for step in investigation["steps"] if "tool" in step] == ["search", "read_file"]
    assert investigation["returned"]["confidence"] == "high"
    assert investigation["orchestrator_carries"] == {"model_tokens": 0, "characters": 50}
    assert validation["returned"]["verdict"] == "pass"
    read = next(step["result"] for step in investigation["steps"] if step.get("tool") == "read_file")
    assert "def cancel_order" in read
    assert "def cancel_order" not in json.dumps(document(line))


async def test_two_questions_at_once_keep_their_drafts_apart(line: Line) -> None:
    """Each answer stands in the thread whose question it answers."""

    def draft(body: object) -> str:
        return "cancel" if "how is an order cancelled?" in str(body) else "retry"

    class Apart(Play):
        def __call__(self, body: dict[str, object]) -> object:  # type: ignore[override]  # a play like any other
            answer = super().__call__(body)
            whole = json.dumps(answer) if isinstance(answer, dict) else ""
            return says(found(draft_reply=draft(body))["content"][0]["text"]) if "draft_reply" in whole else answer

    async with agents(line, Apart()):
        first = await line.ana.say(QUESTION)
        second = await line.ana.say("how is an order cancelled?")
        for text in (QUESTION, "how is an order cancelled?"):
            await line.olu.press("approve", await line.olu.card(text, '"approve"'))
        assert shows((await line.ana.replies(first))[0], "retry")
        assert shows((await line.ana.replies(second))[0], "cancel")


async def test_a_validation_that_a_stop_cut_off_is_made_again(line: Line) -> None:
    """The document says awaiting-validation, so the next start checks and validates the same draft."""
    held = Play(validator=((hang,),))
    async with agents(line, held):
        await line.ana.say(QUESTION)
        await until(lambda: held.of("validator"))
    investigations = len(held.of("investigator"))
    play = Play()
    async with agents(line, play):
        await line.olu.card("✓ validated", "/1 ")
    assert play.of("investigator") == []
    assert investigations == len(GOOD)
    assert len(PASSES) == len(play.of("validator"))


async def test_a_contradiction_with_another_question_goes_to_the_operator(line: Line) -> None:
    """Closed fields of the other thread reach both agents; nothing does where hints are off."""
    contradicts = judged(cross_investigation_consistency="contradicts_T0SANDBOX-C0HELP-1.1")
    first, second, third = (f"{number}: {QUESTION}" for number in (1, 2, 3))
    play = Play(validator=(PASSES, (READ, contradicts)))
    async with agents(line, play):
        opened = await line.ana.say(first)
        await line.olu.card(first, '"approve"')
        await line.ana.say(second)
        said_of_it = "The draft contradicts the open thread T0SANDBOX-C0HELP-1.1"
        await line.olu.card(second, said_of_it, '"approve"')
    hint = f"- T0SANDBOX-C0HELP-{opened}: other about shop, pending-user, confidence high, cites orders.py"
    assert [hint in said(body) for body in play.asked if len(body["messages"]) == 1] == [False, False, True, True]
    off = Play()
    async with agents(line, off, more="investigator: {hints: false}"):
        await line.ana.say(third)
        await line.olu.card(third, '"approve"')
    assert not any("- T0SANDBOX" in said(body) for body in off.asked)
