"""Features of a first message in a help channel: evidence that it asks or reports, and counter-evidence."""

from __future__ import annotations

IN_HELP = {
    "asks_for_help": "it begins something in a channel for help",
    "bare": "it shows no sign of a question, a need or a problem",
    "only_social": "it is only about news, a status, praise or free time",
    "asks_of_all": "it appeals to everybody without a question or a failure",
    "told_to_one": "it starts with a name, and neither asks nor shows a problem",
    "work_told": "it is about its author's own work, and neither asks nor shows a problem",
    "idle_question": "its question names nothing that people work with or need",
    "after_all": "it is long, and its question or report comes with pleasantries",
    "only_asks": "it asks, and is not about news, a status, praise or free time",
    "only_trouble": "it shows a problem, and is not about news, a status, praise or free time",
    "asks_plainly": "it asks or requests something, without counter-evidence",
    "shows_plainly": "it shows a failure, without counter-evidence",
    "tells_plainly": "it reports a problem, without counter-evidence",
    "asks_beside": "it asks or requests something about work, with one piece of counter-evidence",
    "trouble_beside": "it shows a problem in several ways, with one piece of counter-evidence",
}
"""Features derived from other features, in a help channel only."""

_TROUBLE = frozenset({
    "failure_pasted",
    "trouble", "logged", "symptom", "problem", "failing", "own_problem", "failure", "trace", "worried",
})  # fmt: skip
_ASKING = frozenset(
    {"question_phrase", "question_ending", "plain_opening", "request", "wish", "need", "asked_of_thing"}
)
_PLAIN_ASKING = frozenset({"question_phrase", "question_ending", "asks_unmarked", "plain_request", "wish"})
_EVIDENCE = _TROUBLE | _ASKING | {"question_at_end", "question_inside", "question_opening"}
_SOCIAL = frozenset({
    "news", "own_status", "doing", "social", "praise", "ahead", "punch_line", "merry", "closed", "announcement", "joke",
    "invitation", "poll", "rhetorical", "thanks_alone", "promise", "resolved", "ack_only", "wordless",
})  # fmt: skip
_FAILURE_EVIDENCE = frozenset({"failure", "trace", "failure_pasted"})
_NO_APPEAL = frozenset({"failing", "own_problem", "question_phrase", "question_ending"}) | _FAILURE_EVIDENCE
_AT_WORK = frozenset({"at_work", "doing"})

_AGAINST = (_SOCIAL - {"promise", "resolved"}) | {"asked_of_another", "named", "addressed", "short"}
"""Counter-evidence for a question; one whose cause is solved, or whose author answers here, still asks."""
_TOLD_OF = frozenset({"news", "own_status", "doing", "ahead", "closed", "announcement"})
"""Features that are not counter-evidence in a full question: "how is an order cancelled?" is not news."""
_NAMING = frozenset({"thing", "trouble", "coded", "need", "request_word", "amount", "logged"})
"""Features that name a subject of work; next to them a future hour or a merry emoji is not counter-evidence."""
_TELLING = _TROUBLE - {"trace", "worried"}
_MATTER = _TROUBLE | {"thing", "need", "request_word", "coded", "question_phrase", "request", "amount"}
_PLEASANT = frozenset({"merry", "greeting", "social", "praise", "joke", "thanks", "invitation"})


def derive_help_features(features: set[str]) -> list[str]:
    """Return the combined features of a first message in a help channel."""
    derived = []
    has_question_mark = "question_at_end" in features or "question_inside" in features
    if has_question_mark and features.isdisjoint(_MATTER):
        derived.append("idle_question")
    if (
        "long" in features
        and not features.isdisjoint(_PLEASANT)
        and not features.isdisjoint(_MATTER)
        and (has_question_mark or "trouble" in features)
    ):
        derived.append("after_all")
    if "appeal" in features and not has_question_mark and features.isdisjoint(_NO_APPEAL):
        derived.append("asks_of_all")
    if features.isdisjoint(_EVIDENCE):
        if "to_name" in features and "request_word" not in features:
            derived.append("told_to_one")
        if not features.isdisjoint(_AT_WORK):
            derived.append("work_told")
        derived.append("bare" if features.isdisjoint(_SOCIAL) else "only_social")
    elif features.isdisjoint(_SOCIAL):
        derived += ["only_trouble"] if not features.isdisjoint(_TROUBLE) else []
        derived += ["only_asks"] if has_question_mark or not features.isdisjoint(_ASKING) else []
    return derived + _unopposed_features(features, has_question_mark=has_question_mark)


def _unopposed_features(features: set[str], *, has_question_mark: bool) -> list[str]:
    """Return the features of questions and failures, by the amount of counter-evidence."""
    signs = _AGAINST if features.isdisjoint(_NAMING) else _AGAINST - {"ahead", "merry"}
    if not features.isdisjoint({"failure", "failing"}):
        signs = signs - {"addressed"}  # "Error: no such table" addresses nobody, "@Mia the form is broken" everybody
    against = len(features & (signs - _TOLD_OF if "whole_question" in features else signs))
    asks = (
        has_question_mark or {"question_opening", "plain_opening"} <= features or not features.isdisjoint(_PLAIN_ASKING)
    )
    if not has_question_mark:
        against += ("thanks" in features) + (
            {"link", "request"} <= features
        )  # "review please" of a link is for the team
    if against > 1:
        return []
    if against:
        beside = len(features & (_TELLING | {"thing", "subject_first"})) > 1 and not features.isdisjoint(_TELLING)
        return [
            *(["asks_beside"] if asks and not features.isdisjoint(_NAMING) else []),
            *(["trouble_beside"] if beside else []),
        ]
    shows = not features.isdisjoint(_FAILURE_EVIDENCE)
    tells = not (asks or shows or features.isdisjoint(_TELLING)) and features.isdisjoint({"promise", "resolved"})
    return [
        *(["asks_plainly"] if asks else []),
        *(["shows_plainly"] if shows else []),
        *(["tells_plainly"] if tells else []),
    ]
