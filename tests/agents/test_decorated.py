"""What stands around a question changes nothing of what is searched for, and so nothing of what is cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.agents.keyword import KeywordEngine
from bot.decide.classify.classifier import compile_rules
from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.question_similarity import is_similar
from bot.decide.slug import slug
from bot.models.findings import Assignment
from tests.agents.decorated import AIOHTTP, OTHER_LANGUAGES, PARCELS, QUESTIONS, decorated, message, project, searched

if TYPE_CHECKING:
    from collections.abc import Sequence

THREAD = "T0SANDBOX-C0HELP-1767600000.000100"
ALL = [question for table in (QUESTIONS, OTHER_LANGUAGES) for asked in table.values() for question in asked]

UNSURE = {
    "which parcels are refused at the counter?",
    "which parcels count as lost?",
    "what may follow with-courier?",
    "how is a websocket heartbeat sent?",
    "how does the router resolve a path?",
}
"""Questions whose right lines stand nearest and are not offered as an answer."""


async def cited(question: str, text: str, name: str) -> tuple[str, Sequence[str]]:
    """The confidence, and the places that the engine cites."""
    assignment = Assignment(question=question, search_text=text, projects=(project(name),))
    found = (await KeywordEngine().investigate(assignment)).findings
    return found.confidence, [reference.ref for reference in found.evidence_refs]


def test_forty_questions_are_searched_for_as_they_are() -> None:
    """Mentions, channels, emoji and greetings add no term, take none away, and name no task."""
    assert sum(map(len, QUESTIONS.values())) == 40
    for question in ALL:
        plain = searched(question)
        wanted, name = build_query(plain), slug(plain, THREAD)
        for around, text in decorated(question):
            left = searched(text)
            assert build_query(left) == wanted, (around, question, left)
            assert slug(left, THREAD) == name, (around, question, left)


def test_forty_questions_are_taken_for_questions() -> None:
    """Without a mention of the bot, too: a group, a channel, thanks or a greeting make no chatter of one."""
    rules = compile_rules(bot_id="U0NOBODY")
    lost = []
    for question in (question for asked in QUESTIONS.values() for question in asked):
        if rules.classify_text(question).classification == "actionable":
            texts = [text for _, text in decorated(question)]
            judged = [rules.classify_text(message(text).rules_text).classification for text in texts]
            lost += [text for text, found in zip(texts, judged, strict=True) if found != "actionable"]
    assert lost == []


@pytest.mark.parametrize("question", QUESTIONS[PARCELS][:4])
def test_a_repeated_question_is_known_again(question: str) -> None:
    """Whoever is greeted or mentioned in it the second time."""
    assert all(is_similar(searched(text), searched(question)) for _, text in decorated(question))


@pytest.mark.parametrize("question", [QUESTIONS[PARCELS][0], OTHER_LANGUAGES[PARCELS][3]])
async def test_the_same_places_are_cited(question: str) -> None:
    """With all of it around, before and after."""
    plain = await cited(question, searched(question), PARCELS)
    assert plain[1]
    for _, text in list(decorated(question))[-2:]:
        assert await cited(text, searched(text), PARCELS) == plain


@pytest.mark.long
@pytest.mark.parametrize("name", [*QUESTIONS])
async def test_forty_questions_cite_the_same_places(name: str) -> None:
    """Each is answered as surely, and from the same lines, with each of these before and after it; all but five are."""
    unsure = set()
    for question in (*QUESTIONS[name], *OTHER_LANGUAGES.get(name, ())):
        plain = await cited(question, searched(question), name)
        assert plain[1], question
        unsure |= {question} if plain[0] == "low" and question in QUESTIONS[name] else set()
        known = {searched(question)} if name == AIOHTTP else set()  # the same words in a large code base, over and over
        for around, text in decorated(question):
            if (left := searched(text)) not in known:
                assert await cited(text, left, name) == plain, (around, question, left)
    assert unsure <= UNSURE
