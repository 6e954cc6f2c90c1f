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
_SHOWN = frozenset({"failure", "trace", "failure_pasted"})
_NO_APPEAL = frozenset({"failing", "own_problem", "question_phrase", "question_ending"}) | _SHOWN
_AT_WORK = frozenset({"at_work", "doing"})

_AGAINST = (_SOCIAL - {"promise", "resolved"}) | {"asked_of_another", "named", "addressed", "short"}
"""Counter-evidence for a question; one whose cause is solved, or whose author answers here, still asks."""
_TOLD_OF = frozenset({"news", "own_status", "doing", "ahead", "closed", "announcement"})
"""Features that are no counter-evidence in a full question: "how is an order cancelled?" is no news."""
_NAMING = frozenset({"thing", "trouble", "coded", "need", "request_word", "amount", "logged"})
"""Features that name a subject of work; next to them a future hour or a merry emoji is no counter-evidence."""
_TELLING = _TROUBLE - {"trace", "worried"}
_MATTER = _TROUBLE | {"thing", "need", "request_word", "coded", "question_phrase", "request", "amount"}
_PLEASANT = frozenset({"merry", "greeting", "social", "praise", "joke", "thanks", "invitation"})


def signs_for_help(found: set[str]) -> list[str]:
    """Return the combined features of a first message in a help channel."""
    said = []
    marked = "question_at_end" in found or "question_inside" in found
    if marked and found.isdisjoint(_MATTER):
        said.append("idle_question")
    if (
        "long" in found
        and not found.isdisjoint(_PLEASANT)
        and not found.isdisjoint(_MATTER)
        and (marked or "trouble" in found)
    ):
        said.append("after_all")
    if "appeal" in found and not marked and found.isdisjoint(_NO_APPEAL):
        said.append("asks_of_all")
    if found.isdisjoint(_EVIDENCE):
        if "to_name" in found and "request_word" not in found:
            said.append("told_to_one")
        if not found.isdisjoint(_AT_WORK):
            said.append("work_told")
        said.append("bare" if found.isdisjoint(_SOCIAL) else "only_social")
    elif found.isdisjoint(_SOCIAL):
        said += ["only_trouble"] if not found.isdisjoint(_TROUBLE) else []
        said += ["only_asks"] if marked or not found.isdisjoint(_ASKING) else []
    return said + _plainly(found, marked=marked)


def _plainly(found: set[str], *, marked: bool) -> list[str]:
    """Return the features of questions and failures, by the amount of counter-evidence."""
    signs = _AGAINST if found.isdisjoint(_NAMING) else _AGAINST - {"ahead", "merry"}
    if not found.isdisjoint({"failure", "failing"}):
        signs = signs - {"addressed"}  # "Error: no such table" addresses nobody, "@Mia the form is broken" everybody
    against = len(found & (signs - _TOLD_OF if "whole_question" in found else signs))
    asks = marked or {"question_opening", "plain_opening"} <= found or not found.isdisjoint(_PLAIN_ASKING)
    if not marked:
        against += ("thanks" in found) + ({"link", "request"} <= found)  # "review please" of a link is for the team
    if against > 1:
        return []
    if against:
        beside = len(found & (_TELLING | {"thing", "subject_first"})) > 1 and not found.isdisjoint(_TELLING)
        return [
            *(["asks_beside"] if asks and not found.isdisjoint(_NAMING) else []),
            *(["trouble_beside"] if beside else []),
        ]
    shows = not found.isdisjoint(_SHOWN)
    tells = not (asks or shows or found.isdisjoint(_TELLING)) and found.isdisjoint({"promise", "resolved"})
    return [
        *(["asks_plainly"] if asks else []),
        *(["shows_plainly"] if shows else []),
        *(["tells_plainly"] if tells else []),
    ]
