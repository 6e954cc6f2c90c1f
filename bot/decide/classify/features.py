"""Features of tier 0, each with the reason why it matters.

`feature_extractor` extracts those of a text, this module derives others from them, and `weights` weighs them.
"""

from __future__ import annotations

from bot.decide.classify.feature_masks import Masks
from bot.decide.classify.help_channel_features import IN_HELP, derive_help_features

TEXT = {
    "question_at_end": "its last sentence ends with a question mark",
    "question_inside": "a sentence before the last ends with a question mark",
    "question_opening": "a sentence starts with a question word",
    "plain_opening": "a sentence starts like a question without a mark",
    "question_phrase": "it contains words that ask anywhere in a sentence",
    "question_ending": "a sentence ends the way questions end in its language",
    "request": "it asks someone to do something",
    "wish": "its author wants something",
    "problem": "it says that something does not work",
    "failing": "it says that something fails now",
    "own_problem": "its author has a problem",
    "symptom": "it describes how something misbehaves",
    "negation": "it says that there is no problem",
    "failure": "it contains a line of an error, an exception or an alert",
    "trace": "it contains a stack trace or log lines",
    "pasted": "it is only code or a link",
    "link": "it contains a link",
    "thanks": "it thanks",
    "ack_opening": "it starts with an acknowledgement",
    "greeting": "it starts with a greeting",
    "contrast": "it qualifies what it says",
    "answer_opening": "it starts like an answer",
    "instruction": "a sentence starts with an instruction",
    "ack_only": "it is only an acknowledgement",
    "wordless": "it contains no word",
    "promise": "its author promises to do it",
    "resolved": "it says that something is solved",
    "advice": "it gives advice",
    "asks_back": "it asks about somebody else's question",
    "tentative": "its author guesses",
    "tentative_answer": "it is only a piece of code with a question mark",
    "announcement": "it announces something",
    "poll": "it asks for a show of hands",
    "rhetorical": "it asks without wanting an answer",
    "joke": "it jokes, cheers or congratulates",
    "invitation": "it invites, or is about food and parties",
    "known_tongue": "it is in a known language",
    "first_person": "it is in the first person",
    "second_person": "it is in the second person",
    "addressed": "it starts with a name",
    "named": "it starts with a mention",
    "short": "it is shorter than 10 bytes",
    "long": "it is longer than 150 bytes",
}
"""Features read from the text."""

FOR_HELP = {
    "news": "it contains news",
    "own_status": "it says where its author is or what they work on",
    "status_first": "a sentence starts with its author's status",
    "doing": "a sentence starts with its author's activity",
    "social": "it is about food, weather, family, free time or lost property",
    "duty": "it names a duty or a scheduled event",
    "praise": "it praises",
    "ahead": "it is about the future",
    "punch_line": "it answers its own question",
    "closed": "it says that something is over",
    "subject_first": "a sentence starts with a typical subject of reports",
    "need_first": "a sentence starts with a need",
    "praise_first": "a sentence starts with praise",
    "news_first": "a sentence starts with news",
    "request_word": "it names something that people request",
    "thing": "it names something that people work with",
    "trouble": "it contains words for problems",
    "need": "it contains words for needs",
    "logged": "it contains program output about an error",
    "exclaims": "it has an exclamation mark",
    "merry": "it has a merry emoji",
    "worried": "it has a worried emoji",
    "clocked": "it names an hour",
    "amount": "it names an amount",
    "coded": "it contains code",
    "quoted": "it starts with a quotation",
    "asked_of_thing": "a sentence asks which or what, with or without a mark",
    "appeal": "it appeals to everybody",
    "off_duty": "it is about the hours around a shift",
    "to_name": "it starts with somebody's name",
    "at_work": "a sentence starts with current or finished work",
    "lasting": "it says how long something lasts",
    "failure_pasted": "it shows a failure in addition to its words",
    "error_line": "it is only an error line",
    "worded_as_opening": "its words are more common in requests for help",
    "worded_much_as_opening": "its words are much more common in requests for help",
    "worded_as_talk": "its words are more common in messages that ask for nothing",
    "worded_much_as_talk": "its words are much more common in messages that ask for nothing",
}
"""Features read from the text that count only in a help channel."""

AROUND = {
    "asker_wrote_before": "its author also wrote the message before",
    "opens": "it begins something in its channel",
    "own_thread": "its author opened the thread",
    "reply_to_another": "it replies in a thread that someone else opened",
    "by_team": "its author is a team member",
    "by_answerer": "its author mostly answers in this channel",
    "away": "its author wrote none of the last 60 messages here",
    "spoke_lately": "its author wrote one of the last three messages here",
    "new_here": "its author has not written here before",
    "own_talk": "its author began the active conversation here",
    "anothers_talk": "somebody else began the active conversation here",
    "help_channel": "its channel is a help channel",
    "asked_nothing": "its author opened the thread with a message that asks for nothing",
}
"""Features read from the message's context."""

DERIVED = {
    "thanks_alone": "it thanks and asks nothing else",
    "whole_question": "it starts with a question word, ends with a question mark, and is not about its reader",
    "unmarked_question": "it starts with a question word, contains further question words, and has no question mark",
    "question_of_you": "it asks about its reader, not about its author",
    "asked_of_another": "it starts with a mention of someone and asks them",
    "problem_told": "it reports a failure or its author's problem, asks nothing and does not read like an answer",
    "plain_request": "it asks for something and does not read like an answer",
    "asks_first": "it asks, and is not an answer",
    "asks_unmarked": "it asks without a mark, and is not an answer",
    "failure_shown": "it only shows a failure",
    "comes_back": "the author of the thread asks there, or reports what is still wrong",
    "still_so": 'the author of the thread says "but" or "still" there, asks nothing and does not read like an answer',
    "served": "the author of the thread says that it is solved or found, and asks nothing",
    "reported_first": "it describes how something misbehaves, and is not an answer",
    "unknown_tongue": "it ends with a question mark, in an unknown language",
    "bare_answer": "it only says yes or no, in a thread or conversation of its author, or by someone who answers",
    "statement": "it neither asks nor reports a problem",
}
"""Features derived from other features."""

RULES = {
    "bot_mention": "it mentions the bot",
    "ack": "an acknowledgement asks for nothing",
    "by_bot": "a program wrote it",
    "alert": "it comes from a program that may open threads",
    "weak_question": "its signs of a question are too weak",
}
"""Rules that decide the class whatever the weights say."""

REASONS = {**TEXT, **FOR_HELP, **AROUND, **DERIVED, **IN_HELP, **RULES}

MASKS = Masks((*TEXT, *AROUND, *FOR_HELP))
BIT = MASKS.bit
"""Bit of each feature in a mask."""


def feature_names(mask: int) -> tuple[str, ...]:
    """Return the names of the features in a mask, including derived ones."""
    mask = _in_its_place(mask)
    base_features = MASKS.names_in(mask)
    derived = _derive_features(frozenset(base_features))
    fired = (*[name for name in base_features if name not in _ONLY_DERIVED], *derived)
    return (*fired, *_help_features({*base_features, *derived})) if mask & _HELPED == _HELPED else fired


def _in_its_place(mask: int) -> int:
    """Adjust a mask for the message's position: drop features that mean nothing there, add those that mean more."""
    if mask & BIT["opens"] and not (mask & _SPOKEN_TO and mask & BIT["second_person"]):
        mask &= ~_OF_TALKS
        inside = mask & BIT["question_inside"] and not mask & _STATEMENTS
        if inside or mask & BIT["question_ending"]:
            mask |= BIT["question_at_end"]  # nobody else's words are between the question and its answer
    if mask & _IN_REPLY == _IN_REPLY and mask & _MARKS and not mask & BIT["first_person"]:
        mask |= BIT["asks_back"]
    return mask & ~_OF_REQUESTS if mask & _LINKED == _LINKED else mask


_MARKS = MASKS.mask_of("question_at_end", "question_inside")
_SPOKEN_TO = MASKS.mask_of("named", "addressed")
_STATEMENTS = MASKS.mask_of("announcement", "promise", "resolved")
_IN_REPLY = MASKS.mask_of("by_answerer", "reply_to_another")
_LINKED = MASKS.mask_of("pasted", "request", "link")
_OF_REQUESTS = MASKS.mask_of("request", "question_phrase")
_HELPED = MASKS.mask_of("help_channel", "opens")
_OF_TALKS = MASKS.mask_of("second_person", "asks_back", "answer_opening", "ack_opening")
"""Features of an answer that mean nothing in a first message."""
_ANSWERING = frozenset({
    "second_person", "advice", "instruction", "answer_opening", "tentative", "resolved", "negation", "promise",
    "asks_back", "announcement",
})  # fmt: skip
"""Features of an answer rather than a question."""
_HALF = frozenset({"to_name", "appeal", "off_duty"})
"""Features that count only in the absence of others."""
_SOFT = ("symptom", "contrast", "failure", "plain_opening", *(name for name in FOR_HELP if name not in _HALF))
_ONLY_DERIVED = frozenset({*_SOFT, *_HALF, "opens", "known_tongue", "help_channel"})
"""Features that count only in combination with others."""
_IN_TALK = frozenset({"own_thread", "reply_to_another", "anothers_talk"})
_OF_HELPERS = frozenset({"by_team", "by_answerer"})
_BARE_ANSWER = frozenset({"ack_only", "answer_opening", "short"})
_ANSWERED = frozenset({"own_thread", "own_talk", "by_answerer", "by_team"})
"""Contexts in which *yes* answers a question and acknowledges nothing."""
_UNMARKED = frozenset({"question_opening", "question_phrase"})
_NO_QUESTION = frozenset({"second_person", "asks_back", "rhetorical", "poll", "joke", "invitation"})


def _opening_features(features: frozenset[str], *, has_question_mark: bool) -> list[str]:
    """Return the features of a first message that asks or reports."""
    if "opens" not in features or not features.isdisjoint(_NO_QUESTION | {"announcement", "promise"}):
        return []
    if has_question_mark:
        return ["asks_first"]
    if not features.isdisjoint(_PLAIN_OPENINGS) and features.isdisjoint(_ANSWERING - {"tentative"}):
        return ["asks_unmarked"]
    if not features.isdisjoint(_REQUESTS) and features.isdisjoint(_ANSWERING):
        return ["asks_first"]
    reports_problem = not features.isdisjoint({"problem", "symptom", "failing", "own_problem", "failure"})
    answers = not features.isdisjoint({"resolved", "negation", "advice", "instruction", *_OF_HELPERS, "anothers_talk"})
    return ["reported_first"] if reports_problem and not answers and "named" not in features else []


_PLAIN_OPENINGS = frozenset({"plain_opening", "asked_of_thing"})
_REQUESTS = frozenset({"question_phrase", "request"})
_NOT_BACK = frozenset({"rhetorical", "promise", "joke", "by_team", "by_answerer", "announcement"})
_NOT_STILL = _ANSWERING | _REQUESTS | {"thanks", "ack_opening"}


def _follow_up_features(features: frozenset[str], *, failing: bool, has_question_mark: bool) -> list[str]:
    """Return the features of a follow-up in the author's own thread, where an answer may already be posted."""
    wants = has_question_mark or "contrast" in features or not features.isdisjoint(_REQUESTS)
    if "resolved" in features and not wants:
        return ["served"]
    opens = "question_opening" in features and features.isdisjoint({"thanks", "ack_opening"})  # "cool, will use that"
    reports_problem = (
        "problem" in features and "first_person" not in features
    )  # "wrong file!", not "I had the wrong file"
    wants = wants or opens or reports_problem or not features.isdisjoint({"question_ending", "failure"}) or failing
    if not wants or not features.isdisjoint(_NOT_BACK):
        return []
    still = "contrast" in features and not (has_question_mark or opens) and features.isdisjoint(_NOT_STILL)
    return ["comes_back", "still_so"] if still else ["comes_back"]


def _derive_features(features: frozenset[str]) -> list[str]:
    has_question_mark = "question_at_end" in features or "question_inside" in features
    asks = has_question_mark or not features.isdisjoint(
        {"question_phrase", "question_opening", "question_ending", "request", "wish"}
    )
    failing = not features.isdisjoint({"failing", "own_problem"})
    troubled = failing or "problem" in features or "failure" in features
    derived = []
    if "thanks" in features and not (asks or troubled or "contrast" in features):
        derived.append("thanks_alone")
    if has_question_mark and "second_person" in features and "first_person" not in features:
        derived.append("question_of_you")
    if {"question_at_end", "question_opening"} <= features and features.isdisjoint(_NO_QUESTION):
        derived.append("whole_question")
    answers = not features.isdisjoint(_ANSWERING)
    opening = _opening_features(features, has_question_mark=has_question_mark)
    derived += opening
    if "failure" in features and not asks and not answers and features.isdisjoint({"asker_wrote_before", *_IN_TALK}):
        derived.append("failure_shown")
    if {"named", "second_person"} <= features:
        derived.append("asked_of_another")
    if (
        failing
        and not asks
        and features.isdisjoint((_ANSWERING | _OF_HELPERS | _IN_TALK) - {"tentative", "own_thread"})
    ):
        derived.append("problem_told")  # "looks like it is down" reports too
    if "request" in features and not answers:
        derived.append("plain_request")
    is_own = "own_thread" in features and "asked_nothing" not in features
    back = _follow_up_features(features, failing=failing, has_question_mark=has_question_mark) if is_own else []
    derived += [*back, *_form_features(features, has_question_mark=has_question_mark)]
    if not (asks or troubled or "comes_back" in back or "reported_first" in opening):
        derived.append("statement")
    return derived


def _form_features(features: frozenset[str], *, has_question_mark: bool) -> list[str]:
    """Return the features of short answers, questions without a mark, and unknown languages."""
    derived = []
    if not has_question_mark and features >= _UNMARKED and features.isdisjoint(_ANSWERING | _NO_QUESTION):
        derived.append("unmarked_question")
    if features >= _BARE_ANSWER and "thanks" not in features and not features.isdisjoint(_ANSWERED):
        derived.append("bare_answer")
    if "question_at_end" in features and features.isdisjoint(_READ):
        derived.append("unknown_tongue")
    return derived


_READ = frozenset({
    "known_tongue", "short", "question_opening", "question_phrase", "question_ending", "first_person", "second_person",
    "tentative_answer", "rhetorical", "anothers_talk", "reply_to_another",
})  # fmt: skip
"""Features of a question in a language of the packs, or within a conversation."""


def _help_features(features: set[str]) -> list[str]:
    """Return the features that count only for a first message in a help channel."""
    if not features.isdisjoint(_OF_HELPERS):
        return []
    return ["asks_for_help", *(name for name in _SOFT if name in features), *derive_help_features(features)]
