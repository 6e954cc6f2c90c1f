"""The features of tier 0: what may be true of a message, each with the reason why it matters.

`decide/classify/feature_extractor` finds those of a text, `names` adds those that follow from others, and
`decide/classify/weights` says what each counts.
"""

from __future__ import annotations

from bot.decide.classify.feature_masks import Masks
from bot.decide.classify.help_channel_features import IN_HELP, signs_for_help

TEXT = {
    "question_at_end": "its last sentence ends with a question mark",
    "question_inside": "a sentence before the last ends with a question mark",
    "question_opening": "a sentence starts with a question word",
    "plain_opening": "a sentence starts as questions without a mark do",
    "question_phrase": "it holds words that ask wherever they stand",
    "question_ending": "a sentence ends the way questions end in its language",
    "request": "it asks someone to do something",
    "wish": "its author wants something",
    "problem": "it says that something does not work",
    "failing": "it says that something fails now",
    "own_problem": "its author has the problem",
    "symptom": "it tells how something misbehaves",
    "negation": "it says that there is no problem",
    "failure": "it holds the line of an error, an exception or an alert",
    "trace": "it holds a stack trace or lines of a log",
    "pasted": "it is code or a link and says nothing else",
    "link": "it points somewhere",
    "thanks": "it thanks",
    "ack_opening": "it starts with an acknowledgement",
    "greeting": "it starts with a greeting",
    "contrast": "it takes back in part what it says",
    "answer_opening": "it starts as answers do",
    "instruction": "a sentence starts with what to do",
    "ack_only": "it is an acknowledgement and nothing else",
    "wordless": "it has no word",
    "promise": "its author will see to it",
    "resolved": "it says that something is solved",
    "advice": "it tells someone what to do",
    "asks_back": "it asks about the other's question",
    "tentative": "its author guesses",
    "tentative_answer": "it is a piece of code with a question mark",
    "announcement": "it announces",
    "poll": "it asks for a show of hands",
    "rhetorical": "it asks without wanting an answer",
    "joke": "it jokes, cheers or congratulates",
    "invitation": "it invites, or speaks of food and feasts",
    "known_tongue": "it is in a language of which the small words are known",
    "first_person": "its author speaks of themselves",
    "second_person": "it speaks to someone",
    "addressed": "it starts with a name",
    "named": "it starts with a mention",
    "short": "it is shorter than 10 bytes",
    "long": "it is longer than 150 bytes",
}
"""Read from the text."""

FOR_HELP = {
    "news": "it tells news",
    "own_status": "it tells where its author is or what they work on",
    "status_first": "a sentence starts with where its author is",
    "doing": "a sentence starts with what its author does",
    "social": "it speaks of food, weather, family, free time or things lost and found",
    "duty": "it names a duty, or what runs by the calendar",
    "praise": "it praises",
    "ahead": "it speaks of a time to come",
    "punch_line": "it answers its own question",
    "closed": "it says that something is over",
    "subject_first": "a sentence starts with what reports are about",
    "need_first": "a sentence starts with a need",
    "praise_first": "a sentence starts with praise",
    "news_first": "a sentence starts with news",
    "request_word": "it names what people request",
    "thing": "it names what people work with",
    "trouble": "it holds words of trouble",
    "need": "it holds words of need",
    "logged": "it holds what programs say when something goes wrong",
    "exclaims": "it has an exclamation mark",
    "merry": "it has a merry emoji",
    "worried": "it has a worried emoji",
    "clocked": "it names an hour",
    "amount": "it names an amount",
    "coded": "it holds code",
    "quoted": "it starts with a quotation",
    "asked_of_thing": "a sentence asks which or what of something, with or without a mark",
    "appeal": "it appeals to everybody",
    "off_duty": "it speaks of the hours around a shift",
    "to_name": "it starts with the name of somebody",
    "at_work": "a sentence starts with what is being done or was done",
    "lasting": "it tells how long something lasts",
    "failure_pasted": "it shows what failed beside its words",
    "error_line": "it is the line of an error and says nothing else",
    "worded_as_opening": "its words are more often those of who comes for help",
    "worded_much_as_opening": "its words are much more often those of who comes for help",
    "worded_as_talk": "its words are more often those of what asks nothing of anybody",
    "worded_much_as_talk": "its words are much more often those of what asks nothing of anybody",
}
"""Read from the text; they count in a channel for help alone."""

AROUND = {
    "asker_wrote_before": "its author also wrote the message before",
    "opens": "it begins something in its channel",
    "own_thread": "its author opened the thread",
    "reply_to_another": "it replies in a thread that someone else opened",
    "by_team": "its author is one of those who answer",
    "by_answerer": "its author answers here and hardly asks, as far as was seen",
    "away": "its author has written none of the last 60 messages here",
    "spoke_lately": "its author wrote one of the last three messages here",
    "new_here": "its author has not written here before",
    "own_talk": "its author began the talk that goes on here",
    "anothers_talk": "somebody else began the talk that goes on here",
    "help_channel": "its channel is one for help",
    "asked_nothing": "its author opened the thread with what asks for nothing",
}
"""Read from what is known around the message."""

DERIVED = {
    "thanks_alone": "it thanks and asks for nothing",
    "whole_question": "a question word opens it, a question mark closes it, and it is not about the other",
    "unmarked_question": "a question word opens it, further words ask, and no mark closes it",
    "question_of_you": "it asks, of the other and not of its author",
    "asked_of_another": "it starts with a mention of someone and asks that one",
    "problem_told": "it tells of a failure or of its author's problem, asks nothing and does not read like an answer",
    "plain_request": "it asks for something and does not read like an answer",
    "asks_first": "it asks, and answers nobody",
    "asks_unmarked": "it asks without a mark, and answers nobody",
    "failure_shown": "it shows what failed, and says nothing else",
    "comes_back": "whoever opened the thread asks there, or tells of what is still wrong",
    "still_so": 'whoever opened the thread says "but" or "still" there, asks nothing and does not read like an answer',
    "served": "whoever opened the thread says that it is settled or was found, and asks nothing",
    "reported_first": "it tells how something misbehaves, and answers nobody",
    "unknown_tongue": "it ends with a question mark, in a language whose words are not known",
    "bare_answer": "it says yes or no and nothing else, in a thread or talk of its author's, or as one who answers",
    "statement": "it neither asks nor tells of a problem",
}
"""Read from the other features."""

RULES = {
    "bot_mention": "it mentions the bot",
    "ack": "an acknowledgement asks for nothing",
    "by_bot": "a program wrote it",
    "alert": "a program wrote it that may ask",
    "weak_question": "most messages ask for nothing, and what asks in it does not suffice",
}
"""Rules that settle the class whatever the weights say."""

REASONS = {**TEXT, **FOR_HELP, **AROUND, **DERIVED, **IN_HELP, **RULES}

MASKS = Masks((*TEXT, *AROUND, *FOR_HELP))
BIT = MASKS.bit
"""The bit of a feature in a mask."""


def names(mask: int) -> tuple[str, ...]:
    """The features in a mask, the derived ones with them."""
    mask = _in_its_place(mask)
    found = MASKS.named(mask)
    derived = _derived(frozenset(found))
    fired = (*[name for name in found if name not in _ONLY_DERIVED], *derived)
    return (*fired, *_signs_for_help({*found, *derived})) if mask & _HELPED == _HELPED else fired


def _in_its_place(mask: int) -> int:
    """The mask without what says nothing where the message stands, and with what says more there."""
    if mask & BIT["opens"] and not (mask & _SPOKEN_TO and mask & BIT["second_person"]):
        mask &= ~_OF_TALKS
        inside = mask & BIT["question_inside"] and not mask & _TOLD
        if inside or mask & BIT["question_ending"]:
            mask |= BIT["question_at_end"]  # nobody else's words are between the question and its answer
    if mask & _IN_REPLY == _IN_REPLY and mask & _MARKS and not mask & BIT["first_person"]:
        mask |= BIT["asks_back"]
    return mask & ~_OF_REQUESTS if mask & _LINKED == _LINKED else mask


_MARKS = MASKS.of("question_at_end", "question_inside")
_SPOKEN_TO = MASKS.of("named", "addressed")
_TOLD = MASKS.of("announcement", "promise", "resolved")
_IN_REPLY = MASKS.of("by_answerer", "reply_to_another")
_LINKED = MASKS.of("pasted", "request", "link")
_OF_REQUESTS = MASKS.of("request", "question_phrase")
_HELPED = MASKS.of("help_channel", "opens")
_OF_TALKS = MASKS.of("second_person", "asks_back", "answer_opening", "ack_opening")
"""What tells of an answer, and of nothing where its author begins something."""
_ANSWERING = frozenset({
    "second_person", "advice", "instruction", "answer_opening", "tentative", "resolved", "negation", "promise",
    "asks_back", "announcement",
})  # fmt: skip
"""What answers rather than asks."""
_HALF = frozenset({"to_name", "appeal", "off_duty"})
"""What counts only by what does not stand beside it."""
_SOFT = ("symptom", "contrast", "failure", "plain_opening", *(name for name in FOR_HELP if name not in _HALF))
_ONLY_DERIVED = frozenset({*_SOFT, *_HALF, "opens", "known_tongue", "help_channel"})
"""What counts only together with others."""
_IN_TALK = frozenset({"own_thread", "reply_to_another", "anothers_talk"})
_OF_HELPERS = frozenset({"by_team", "by_answerer"})
_BARE_ANSWER = frozenset({"ack_only", "answer_opening", "short"})
_ANSWERED = frozenset({"own_thread", "own_talk", "by_answerer", "by_team"})
"""Who says yes there answers what was asked, and acknowledges nothing."""
_UNMARKED = frozenset({"question_opening", "question_phrase"})
_NO_QUESTION = frozenset({"second_person", "asks_back", "rhetorical", "poll", "joke", "invitation"})


def _opening(found: frozenset[str], *, marked: bool) -> list[str]:
    """What counts only where nobody else speaks."""
    if "opens" not in found or not found.isdisjoint(_NO_QUESTION | {"announcement", "promise"}):
        return []
    if marked:
        return ["asks_first"]
    if not found.isdisjoint(_PLAIN_OPENINGS) and found.isdisjoint(_ANSWERING - {"tentative"}):
        return ["asks_unmarked"]
    if not found.isdisjoint(_REQUESTS) and found.isdisjoint(_ANSWERING):
        return ["asks_first"]
    told = not found.isdisjoint({"problem", "symptom", "failing", "own_problem", "failure"})
    answers = not found.isdisjoint({"resolved", "negation", "advice", "instruction", *_OF_HELPERS, "anothers_talk"})
    return ["reported_first"] if told and not answers and "named" not in found else []


_PLAIN_OPENINGS = frozenset({"plain_opening", "asked_of_thing"})
_REQUESTS = frozenset({"question_phrase", "request"})
_NOT_BACK = frozenset({"rhetorical", "promise", "joke", "by_team", "by_answerer", "announcement"})
_NOT_STILL = _ANSWERING | _REQUESTS | {"thanks", "ack_opening"}


def _coming_back(found: frozenset[str], *, failing: bool, marked: bool) -> list[str]:
    """What counts only in a thread of one's own, where an answer may stand already."""
    wants = marked or "contrast" in found or not found.isdisjoint(_REQUESTS)
    if "resolved" in found and not wants:
        return ["served"]
    opens = "question_opening" in found and found.isdisjoint({"thanks", "ack_opening"})  # "cool, will use that"
    told = "problem" in found and "first_person" not in found  # "wrong file!", not "I had the wrong file"
    wants = wants or opens or told or not found.isdisjoint({"question_ending", "failure"}) or failing
    if not wants or not found.isdisjoint(_NOT_BACK):
        return []
    still = "contrast" in found and not (marked or opens) and found.isdisjoint(_NOT_STILL)
    return ["comes_back", "still_so"] if still else ["comes_back"]


def _derived(found: frozenset[str]) -> list[str]:
    marked = "question_at_end" in found or "question_inside" in found
    asks = marked or not found.isdisjoint({"question_phrase", "question_opening", "question_ending", "request", "wish"})
    failing = not found.isdisjoint({"failing", "own_problem"})
    troubled = failing or "problem" in found or "failure" in found
    said = []
    if "thanks" in found and not (asks or troubled or "contrast" in found):
        said.append("thanks_alone")
    if marked and "second_person" in found and "first_person" not in found:
        said.append("question_of_you")
    if {"question_at_end", "question_opening"} <= found and found.isdisjoint(_NO_QUESTION):
        said.append("whole_question")
    answers = not found.isdisjoint(_ANSWERING)
    opening = _opening(found, marked=marked)
    said += opening
    if "failure" in found and not asks and not answers and found.isdisjoint({"asker_wrote_before", *_IN_TALK}):
        said.append("failure_shown")
    if {"named", "second_person"} <= found:
        said.append("asked_of_another")
    if failing and not asks and found.isdisjoint((_ANSWERING | _OF_HELPERS | _IN_TALK) - {"tentative", "own_thread"}):
        said.append("problem_told")  # "looks like it is down" reports too
    if "request" in found and not answers:
        said.append("plain_request")
    is_own = "own_thread" in found and "asked_nothing" not in found
    back = _coming_back(found, failing=failing, marked=marked) if is_own else []
    said += [*back, *_by_form(found, marked=marked)]
    if not (asks or troubled or "comes_back" in back or "reported_first" in opening):
        said.append("statement")
    return said


def _by_form(found: frozenset[str], *, marked: bool) -> list[str]:
    """What a few words, a missing mark or an unknown language show."""
    said = []
    if not marked and found >= _UNMARKED and found.isdisjoint(_ANSWERING | _NO_QUESTION):
        said.append("unmarked_question")
    if found >= _BARE_ANSWER and "thanks" not in found and not found.isdisjoint(_ANSWERED):
        said.append("bare_answer")
    if "question_at_end" in found and found.isdisjoint(_READ):
        said.append("unknown_tongue")
    return said


_READ = frozenset({
    "known_tongue", "short", "question_opening", "question_phrase", "question_ending", "first_person", "second_person",
    "tentative_answer", "rhetorical", "anothers_talk", "reply_to_another",
})  # fmt: skip
"""What shows that a question is in a language that the packs know, or in somebody's talk."""


def _signs_for_help(found: set[str]) -> list[str]:
    """What counts only for those who begin something in a channel for help."""
    if not found.isdisjoint(_OF_HELPERS):
        return []
    return ["asks_for_help", *(name for name in _SOFT if name in found), *signs_for_help(found)]
