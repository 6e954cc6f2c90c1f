"""The gate, by table: what may pass, what bounces, what goes to a person as it is."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.gate import MODEL_CHECKS, is_stopped, reach_verdict
from bot.models.advice import Advice
from tests.builders import check, findings, reference, validator
from tests.tables import each_row


@each_row(
    ("checks", "said", "verdict"),
    [
        pytest.param(("ok",), {}, "pass", id="everything stands"),
        pytest.param(("ok", "not_checkable"), {}, "pass", id="one reference checked is enough"),
        pytest.param(("ok", "failed"), {}, "bounce", id="one reference that does not stand is too many"),
        pytest.param((), {}, "escalate", id="no reference at all"),
        pytest.param(("not_checkable",), {}, "escalate", id="no reference that code can check"),
        pytest.param(("failed",), {"verdict": "escalate"}, "escalate", id="the worse of the two, the model's"),
        pytest.param(("failed",), {"verdict": "pass"}, "bounce", id="the worse of the two, the code's"),
        pytest.param(("ok",), {"verdict": "bounce"}, "bounce", id="the model bounces"),
        pytest.param(("ok",), {"spot_check_result": "fabricated"}, "bounce", id="passed against its own spot-check"),
        pytest.param(("ok",), {"spot_check_result": "contradicts"}, "bounce", id="passed against a contradiction"),
        pytest.param(("ok",), {"spot_check_result": "uncheckable"}, "pass", id="a spot-check that cannot be made"),
        pytest.param(("ok",), {"schema_check": "fail"}, "bounce", id="schema"),
        pytest.param(("ok",), {"confidence_language_match": "mismatch"}, "bounce", id="overconfident wording"),
        pytest.param(("ok",), {"scope_drift": "major"}, "bounce", id="major drift"),
        pytest.param(("ok",), {"scope_drift": "minor"}, "pass", id="minor drift"),
        pytest.param(("ok",), {"risk_gate_check": "fails"}, "bounce", id="risk"),
        pytest.param(("ok",), {"risk_gate_check": "needs_high_confidence"}, "bounce", id="risky at medium confidence"),
        pytest.param(("ok",), {"tone_assessment": "ai_smell"}, "bounce", id="a machine's tone"),
        pytest.param(("ok",), {"tone_assessment": "off"}, "pass", id="an odd tone"),
        pytest.param(("ok",), {"reasons": ("Line 3 sets another.",)}, "escalate", id="passed with an objection"),
        pytest.param(("ok",), {"bounce_feedback": "Name line 3."}, "escalate", id="passed with feedback"),
        pytest.param(("ok",), {"reasons": ("None.", "", "N/A"), "bounce_feedback": "null"}, "pass", id="empty words"),
        pytest.param(("failed",), {"reasons": ("Line 3.",)}, "escalate", id="passed with an objection and a fault"),
        pytest.param(
            ("ok",), {"cross_investigation_consistency": "contradicts_T1-C1-1.1"}, "escalate", id="contradiction"
        ),
    ],
)
def test_the_verdict_is_the_worse_of_the_models_and_the_codes(
    checks: tuple[str, ...], said: dict[str, Any], verdict: str
) -> None:
    """Whatever the model claims, code decides from the checks."""
    settled = reach_verdict(findings(), [check(result) for result in checks], validator(**said))
    assert settled.verdict == verdict
    assert bool(settled.reasons) == (verdict != "pass")
    assert (settled.feedback is not None) == (verdict == "bounce")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"verdict": "bounce", "reasons": ("Too long.", "Too loud.")}, "Too long. Too loud."),
        ({"schema_check": "fail"}, "The findings break their schema."),
        ({"spot_check_result": "contradicts"}, "Spot-check of bot/a.py:1: It stands there."),
        ({"confidence_language_match": "mismatch"}, "The wording does not match the confidence, which is medium."),
        ({"scope_drift": "major"}, "The draft goes far beyond the question."),
        ({"cross_investigation_consistency": "contradicts_T1-C1"}, "The draft contradicts the open thread T1-C1."),
        ({"risk_gate_check": "fails"}, "The draft gives risky advice that is not allowed."),
        ({"risk_gate_check": "needs_high_confidence"}, "Risky advice needs high confidence, and this is medium."),
        ({"tone_assessment": "ai_smell"}, "The draft reads like AI text."),
        (
            {"reasons": ("Line 3 sets another one.",)},
            "The validator passed it with objections: Line 3 sets another one.",
        ),
        ({"bounce_feedback": "Name line 3."}, "The validator passed it with objections: Name line 3."),
        ({"reasons": ("One.", "Two.")}, "The validator passed it with objections: One. Two."),
    ],
)
def test_each_fault_has_its_own_reason(said: dict[str, Any], reason: str) -> None:
    """The operator and the next round read it."""
    assert reach_verdict(findings(), [check()], validator(**said)).reasons == (reason,)


@pytest.mark.parametrize(
    "changes",
    [
        {"schema_check": "fail"},
        {"spot_check_result": "fabricated"},
        {"confidence_language_match": "mismatch"},
        {"scope_drift": "major"},
        {"risk_gate_check": "fails"},
        {"risk_gate_check": "needs_high_confidence"},
        {"tone_assessment": "ai_smell"},
        {"verdict": "bounce"},
        None,
    ],
)
def test_a_faulty_draft_is_sent_back_although_it_advises_to_touch_production(changes: dict[str, Any] | None) -> None:
    """A person is asked about advice only once nothing else is wrong."""
    returned = validator(**changes) if changes else None
    advice = [Advice(kind="delete", words="drop the table")]
    settled = reach_verdict(findings(), [check()], returned, advises=advice, unsupported=() if changes else ("42",))
    assert (settled.verdict, len(settled.reasons)) == ("bounce", 2)


@pytest.mark.parametrize("quote", ["}", " });", None])
def test_a_quote_without_a_word_is_no_evidence(quote: str | None) -> None:
    """It stands, and proves nothing; beside one that says something it does no harm."""
    bare = reference(ref="a.js:3", quote=quote)
    alone = reach_verdict(findings(evidence_refs=(bare,)), [check("ok", "a.js:3")], validator())
    assert alone.verdict == "escalate"
    assert alone.reasons == ("The quotes of this draft match, but have no words: they prove nothing.",)
    both = [check("ok", "a.js:3"), check()]
    assert reach_verdict(findings(evidence_refs=(bare, reference())), both, validator()).verdict == "pass"


def test_risky_advice_passes_at_high_confidence() -> None:
    """The risk gate asks for high confidence, not for silence."""
    said = validator(risk_gate_check="needs_high_confidence")
    assert reach_verdict(findings(confidence="high"), [check()], said).verdict == "pass"


def test_the_validator_stops_a_draft_by_its_own_checks_only() -> None:
    """A draft without a reference is stopped by code, which counts as no catch of the validator."""
    bare = findings(evidence_refs=(), confidence="low")
    assert reach_verdict(bare, (), validator()).verdict == "escalate"
    assert not is_stopped(bare, validator())
    assert is_stopped(bare, validator(scope_drift="major"))


def test_checks_that_nobody_made_are_on_record() -> None:
    """Without a model the checks that need one are `not_made`, each of them."""
    settled = reach_verdict(findings(), [check()], None)
    assert settled.verdict == "pass"
    assert settled.not_made == MODEL_CHECKS


@pytest.mark.parametrize(
    ("results", "said", "schema", "evidence"),
    [
        (("ok", "not_checkable"), None, "ok", "ok"),
        (("ok", "failed"), {}, "ok", "failed"),
        (("not_checkable",), {"schema_check": "fail"}, "fail", "not_made"),
        ((), None, "ok", "not_made"),
    ],
)
def test_every_check_is_on_record(results: tuple[str, ...], said: Any, schema: str, evidence: str) -> None:
    """By its name, in the order in which they are shown."""
    judged = None if said is None else validator(**said)
    record = reach_verdict(findings(), [check(result) for result in results], judged).checks
    assert [(each.check, each.result) for each in record] == [
        ("schema_check", schema),
        ("evidence", evidence),
        ("spot_check_result", judged.spot_check_result if judged else "not_made"),
        ("confidence_language_match", judged.confidence_language_match if judged else "not_made"),
        ("scope_drift", judged.scope_drift if judged else "not_made"),
        ("cross_investigation_consistency", judged.cross_investigation_consistency if judged else "not_made"),
        ("risk_gate_check", judged.risk_gate_check if judged else "not_made"),
        ("tone_assessment", judged.tone_assessment if judged else "not_made"),
    ]


def test_nothing_found_is_said_and_not_sent_back() -> None:
    """An honest 'nothing found' goes to the operator immediately: a second round would find the same."""
    empty = findings(confidence="low", evidence_refs=())
    assert reach_verdict(empty, [], None).verdict == "escalate"


@pytest.mark.parametrize(
    ("checks", "said", "verdict"),
    [
        pytest.param(("ok",), {}, "escalate", id="a person decides"),
        pytest.param(("failed",), {}, "bounce", id="what is sent back is sent back with it"),
        pytest.param(("failed",), {"verdict": "escalate"}, "escalate", id="the model's escalation stays"),
    ],
)
def test_advice_to_touch_production_never_passes(checks: tuple[str, ...], said: dict[str, Any], verdict: str) -> None:
    """The last reason gives its words."""
    advice = [Advice(kind="delete", words="drop the table")]
    settled = reach_verdict(findings(), [check(result) for result in checks], validator(**said), advises=advice)
    assert settled.verdict == verdict
    assert "drop the table" in settled.reasons[-1]


_FAR = "The draft goes far beyond the question."


@pytest.mark.parametrize(
    ("result", "said", "feedback"),
    [
        ("ok", {"verdict": "bounce", "reasons": ("Too long.",), "bounce_feedback": "Cut it."}, "Too long. Cut it."),
        ("ok", {"verdict": "bounce", "bounce_feedback": "Cut it."}, "The validator says bounce. Cut it."),
        ("ok", {"verdict": "bounce"}, "The validator says bounce."),
        ("ok", {"scope_drift": "major", "tone_assessment": "ai_smell"}, f"{_FAR} The draft reads like AI text."),
        ("ok", {"verdict": "escalate", "bounce_feedback": "Cut it."}, None),
        ("ok", {"bounce_feedback": "None"}, None),
    ],
)
def test_the_next_round_is_told_what_the_validator_wants(
    result: str, said: dict[str, Any], feedback: str | None
) -> None:
    """Only a draft that is sent back has feedback."""
    assert reach_verdict(findings(), [check(result)], validator(**said)).feedback == feedback


@pytest.mark.parametrize(
    ("references", "changes", "reason"),
    [
        ((), {"is_edited": True}, "The edited text cites nothing."),
        ((reference(),), {"is_edited": True}, "No reference of this draft can be checked by code."),
        ((), {"findings": findings(confidence="low")}, "Nothing was found that answers the question, "),
        ((), {}, "No reference of this draft can be checked by code."),
    ],
)
def test_a_draft_without_a_checked_reference_says_why(
    references: tuple[Any, ...], changes: dict[str, Any], reason: str
) -> None:
    """The references of an edited text count, not those of the findings."""
    settled = reach_verdict(**{"findings": findings(), **changes}, checks=[], validator=None, references=references)
    assert settled.verdict == "escalate"
    assert settled.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("returned", "values", "verdict"),
    [
        pytest.param(validator(spot_check_result="uncheckable"), ("42", "a.py"), "bounce", id="nobody looked"),
        pytest.param(None, ("42", "a.py"), "bounce", id="no validator"),
        pytest.param(validator(), ("42", "a.py"), "pass", id="a spot-check was made"),
        pytest.param(validator(spot_check_result="uncheckable"), (), "pass", id="all of it is cited"),
    ],
)
def test_values_in_no_cited_text_are_sent_back_without_a_spot_check(
    returned: Any, values: tuple[str, ...], verdict: str
) -> None:
    """The next round is told which."""
    settled = reach_verdict(findings(), [check()], returned, unsupported=values)
    assert settled.verdict == verdict
    assert ("42, a.py" in (settled.feedback or "")) == (verdict == "bounce")


@pytest.mark.parametrize(
    ("values", "named"), [("1", "1"), ("12345", "1, 2, 3, 4, 5"), ("1234567", "1, 2, 3, 4, 5 and 2 more")]
)
def test_many_unsupported_values_are_counted(values: str, named: str) -> None:
    """The sentence names the first five."""
    settled = reach_verdict(findings(), [check()], None, unsupported=tuple(values))
    assert settled.reasons == (f"In no cited text, and no spot-check was made: {named}.",)
