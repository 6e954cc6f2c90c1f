"""The asker's word after a posted reply: it is noted as what the answer came to, and begins nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.denial import outcome
from bot.decide.classify.settlement import SettlingWords
from bot.decide.workflow import Transition, advance
from bot.models.context import MessageContext
from bot.models.settlement import Acknowledgement
from bot.models.status_reaction import StatusReaction
from bot.models.thread import Thread
from bot.models.thread_event import Deleted, MessageAdded, Overheard, Posted, SettledMark, ThreadEvent, WasPosted
from bot.reports.metrics import count_figures
from tests.builders import ASKER, LIMITS, OPERATOR, at, fresh, message
from tests.decide.test_settled import ROOT, made
from tests.decide.test_workflow import press
from tests.tables import each_row

WORDS = replace(LIMITS, settling=SettlingWords())
RULES = compile_rules(bot_id="U0TRIAGE")
IN_OWN = MessageContext(is_reply=True, by_asker=True)
LATER = "160.000001"


def then(thread: Thread, happening: ThreadEvent) -> Thread:
    """The document after a happening."""
    after = advance(thread, happening, WORDS).thread
    assert after
    return after


def heard(text: str, *, ts: str = LATER, sender: str = ASKER, **changes: Any) -> MessageAdded | Overheard:
    """A message below the question as `intake/thread_assignment` hands it on: by what the rules make of it."""
    said = message(text, ts=ts, root=ROOT, sender=sender)
    judged = RULES.classify_text(text, IN_OWN)
    if judged.classification == "ack" and outcome(text) not in ("failed", "goes on"):
        return Overheard(at=at(60), fresh=fresh(), message=said, is_ack=True, **changes)
    asks = judged.classification == "actionable" or "comes_back" in dict(judged.features) or outcome(text) == "goes on"
    served = not asks and "served" in dict(judged.features)
    where: dict[str, Any] = {"mode": "live", "operator": OPERATOR, "mentioned": False}
    return MessageAdded(at=at(60), fresh=fresh(), message=said, asks=asks, is_served=served, **where, **changes)


def after(*texts: str, thread: Thread | None = None) -> Thread:
    """The document of an answered question after these words of its asker's."""
    thread = thread or made("replied")
    for number, text in enumerate(texts):
        thread = then(thread, heard(text, ts=f"16{number}.000001"))
    return thread


@pytest.mark.parametrize(
    "text",
    [
        "perfect, that is what I was looking for, works for me now :tada:",
        "I restarted the pod and everything is green again",
        "thanks! that did it",
        "awesome, exactly what I needed",
        "great, all good now",
        ":+1:",
        "yep that works",
        "for the record: it was the cache",
        "that fixed it",
        "danke, läuft jetzt",
        "Super, genau das habe ich gesucht, danke",
        "merci beaucoup, ça marche maintenant",
        "gracias, ahora funciona",
        "obrigado, resolvido",
        "ありがとうございます、解決しました",
        "terima kasih, sudah jalan",
        "ممنون، درست شد",
        "yep that was the problem, thanks",
        "sorry for the noise, was on the wrong VPN",
        "no problem, it works",
        "解決しました、問題ありません",
    ],
)
def test_the_askers_thanks_close_the_loop(text: str) -> None:
    """No question begins, however often it is said; it is of this reply."""
    thread = after(text, text)
    assert (thread.status, thread.outcome, thread.question_round) == ("closed", "replied", 1)
    assert count_figures(days=1, since=at(), threads=[thread]).acknowledged == 1
    assert thread.acknowledged[:1] == (
        Acknowledgement(
            at=at(60),
            by=ASKER,
            message_id="160.000001",
            question_round=1,
            reply="101.000001",
            draft_id=thread.draft_pending.draft_id if thread.draft_pending else "",
        ),
    )
    assert (thread.card.drawn == thread.revision) == ((before := made("replied")).card.drawn == before.revision)


@each_row(
    "text",
    [
        "and on arm?",
        "thanks! one more: where is the timeout set?",
        "works, but the second job still fails",
        "works but only on linux",
        "thanks, but that's not it",
        "still the same error",
        "hm, that did not help",
        "wrong file!",
        "no, that is not what I asked",
        "falsch, das ist die alte Version",
        "isso está errado",
        "違います",
        "what about staging",
        "could you also tell me the default",
        "now I see a 502",
        "danke, aber es geht immer noch nicht",
        "merci, mais ça ne marche toujours pas",
        "gracias, pero sigue fallando",
        "それでも動きません",
        "não funcionou",
        "ça marche pas",
        "nao deu certo",
        "not solved",
        "not fixed yet",
        "I thought it was fixed",
        "it works on arm only",
        "that did not fix it",
        "no funcionó",
        "ça n'a pas marché",
        "解決しませんでした",
        "直りません",
        "درست نشد",
        "کار نکرد",
        "it almost works",
        "works intermittently",
        "worked yesterday, not today",
        "still no luck :(",
        "it came back this morning",
        "happening again today",
        "the page you linked doesn't exist anymore",
        "that link is dead",
        "it works but only for the admin user",
        "thanks, one question though: is that per user or per team",
        "could you show an example",
        "I don't have that menu",
        "it hasn't been resolved",
        "c'est pas réglé",
        "belum beres",
        "funktioniert nur lokal",
        "还没修好",
        "해결되지 않았어요",
        "the error is back",
    ],
)
def test_a_question_or_a_problem_begins_the_next_one(text: str) -> None:
    """Beside thanks, too; what was acknowledged before stays so."""
    thread = after("thanks!", text)
    assert (thread.status, thread.question_round, len(thread.acknowledged)) == ("collecting", 2, 1)
    assert after(text).acknowledged == ()


@pytest.mark.parametrize(
    "text",
    [
        "wasn't working before, works now",
        "ok will try",
        "no",
        "I was in the wrong folder",
        "cool, will use that",
        ":-1:",
        "deployed to staging",
    ],
)
def test_what_neither_asks_nor_thanks_begins_nothing(text: str) -> None:
    """And says nothing of the answer."""
    thread = after(text)
    assert (thread.status, thread.question_round, thread.acknowledged) == ("closed", 1, ())


@pytest.mark.parametrize(
    ("thread", "word"),
    [
        (made("replied"), heard("thanks, works now!", sender="U0BO")),
        (made("replied"), heard("thanks, works now!", ts="100.500001")),
        (made("replied"), heard("thanks, works now!", ts="101.000001")),
        (made("replied").evolve(outcome="dismissed"), heard("thanks, works now!")),
        (made("approved"), heard("thanks!")),
        (made("pending-user"), heard("thanks!")),
    ],
    ids=[
        "somebody else",
        "before the reply",
        "the reply itself",
        "without a reply",
        "on its way",
        "waits for its operator",
    ],
)
def test_only_the_askers_word_after_the_reply_counts(thread: Thread, word: MessageAdded | Overheard) -> None:
    """Nobody else's, none before it, and none where nothing was posted."""
    assert then(thread, word).acknowledged == ()


def test_thanks_that_announce_another_question_are_no_acknowledgement() -> None:
    """The message in the channel is taken for thanks by its first words."""
    said = message("thanks, one more question", ts=LATER)
    word = Overheard(at=at(60), fresh=fresh(), message=said, is_ack=True)
    assert then(made("replied"), word).acknowledged == ()
    assert then(made("replied"), replace(word, message=message("thanks", ts=LATER))).acknowledged


@pytest.mark.parametrize("text", ["No.", "Nope!", "X", ":-1:"])
def test_a_doubt_in_the_channel_is_no_acknowledgement(text: str) -> None:
    """However short a message after the reply is."""
    word = Overheard(at=at(60), fresh=fresh(), message=message(text, ts=LATER), is_ack=True)
    assert then(made("replied"), word).acknowledged == ()


def test_an_acknowledgement_changes_no_card() -> None:
    """It is recorded without a draft too, and once for two check marks."""
    thread = made("replied").evolve(draft_pending=None)
    step = advance(thread, heard("thanks!"), WORDS)
    assert step.thread
    assert (step.accepted, step.thread.acknowledged[0].draft_id) == (False, "")
    for emoji in ("white_check_mark", "heavy_check_mark"):
        mark = SettledMark(at=at(61), fresh=fresh(), by=ASKER, message_id=ROOT, emoji=emoji, added=True)
        thread = then(thread, mark)
    assert [each.message_id for each in thread.acknowledged] == [ROOT]


def test_an_acknowledgement_is_taken_back() -> None:
    """Deleted, edited into what says nothing, or into a question: then that begins, as ever."""
    thread = after("thanks!")
    assert then(thread, Deleted(at=at(61), fresh=fresh(), message_id=LATER)).acknowledged == ()
    edited = advance(thread, heard("deployed to staging"), WORDS)
    assert (edited.thread and edited.thread.acknowledged, edited.accepted) == ((), False)
    asked = then(thread, heard("thanks! and on arm?"))
    assert (asked.status, asked.acknowledged) == ("collecting", ())
    assert then(thread, heard("thanks!", replayed=True)).acknowledged == thread.acknowledged


def test_thanks_in_the_same_breath_as_a_question_are_no_part_of_it() -> None:
    """They lead up to it, and acknowledge the reply all the same; what says nothing of the reply joins."""
    thread = after("perfect, works for me now :tada:", "it runs on two machines", "and on arm?")
    for number, text in enumerate(("perfect, works for me now :tada:", "it runs on two machines")):
        joining = replace(heard(text, ts=f"16{number}.000001"), joins=True)  # type: ignore[arg-type]  # both are added
        thread = then(thread, joining)
    assert (thread.question, len(thread.acknowledged)) == ("it runs on two machines\nand on arm?", 1)


def test_a_check_mark_under_the_question_acknowledges_its_reply() -> None:
    """As long as it stands, and its asker's alone."""
    marks = [
        SettledMark(at=at(60 + n), fresh=fresh(), by=by, message_id=ROOT, emoji="white_check_mark", added=n < 2)
        for n, by in enumerate(("U0BO", ASKER, ASKER))
    ]
    steps = [made("replied")]
    for mark in marks:
        steps.append(then(steps[-1], mark))
    assert [len(thread.acknowledged) for thread in steps] == [0, 0, 1, 0]
    not_theirs = replace(marks[0], added=False)
    assert then(steps[2], not_theirs) == steps[2]
    assert advance(steps[2], marks[2], WORDS) == Transition(steps[3], accepted=False)


def test_what_asks_nothing_joins_the_reply_on_its_way() -> None:
    """It is kept with the question and begins none once that is posted; a question said meanwhile does."""
    thread = after("it runs on two machines", thread=made("approved"))
    posted = Posted(at=at(90), fresh=fresh(), ts="190.000001")
    assert "two machines" in thread.question
    assert then(thread, posted).due_at is None
    assert then(after("and on arm?", thread=thread.evolve(messages=thread.messages[:1])), posted).due_at


@pytest.mark.parametrize("sender", [ASKER, "U0BO"])
def test_a_denial_below_the_reply_goes_on_and_is_recorded(sender: str) -> None:
    """Whoever says so asks now; no sign of success stays, and the next draft is told how the last one ended."""
    answered = made("replied").evolve(marks=(StatusReaction(ts=ROOT, name="check", stands=True),))
    thread = then(answered, replace(heard("nope", sender=sender), denies=True))  # type: ignore[arg-type]  # both are added
    assert (thread.status, thread.question, thread.original_sender_id) == ("collecting", "nope", sender)
    (denial,) = thread.denied
    assert (denial.by, denial.reply, denial.question_round) == (sender, "101.000001", 1)
    assert [mark.wanted for mark in thread.marks if mark.ts == ROOT] == [False]
    assert thread.earlier[-1].outcome == "replied, which did not serve"
    figures = count_figures(
        days=1, since=at(), threads=[thread.evolve(acknowledged=(Acknowledgement(**dict(denial)),))]
    )
    assert (figures.acknowledged, figures.denied) == (0, 1)


def test_a_denial_settles_nothing() -> None:
    """Whatever else its words may say."""
    where: dict[str, Any] = {"mode": "live", "operator": OPERATOR, "mentioned": False}
    said = message("nvm, found it", ts=LATER, root=ROOT)
    denial = MessageAdded(at=at(60), fresh=fresh(), message=said, asks=False, denies=True, **where)
    assert then(made("replied"), denial).status == "collecting"


@pytest.mark.parametrize("status", ["pending-user", "approved"])
def test_nothing_is_denied_where_no_reply_stands(status: str) -> None:
    """It joins what is open, or waits behind the reply on its way."""
    word = heard("nope")
    denied = replace(word, denies=True) if isinstance(word, MessageAdded) else MessageAdded(
        at=at(60), fresh=fresh(), message=message("nope", ts=LATER, root=ROOT), mode="live", operator=OPERATOR,
        mentioned=False, asks=False, denies=True,
    )  # fmt: skip
    assert then(made(status), denied).denied == ()


@pytest.mark.parametrize(("asks", "status"), [(False, "closed"), (True, "collecting")])
def test_thanks_that_ask_as_well_are_the_next_question(asks: bool, status: str) -> None:
    """The words alone would be an acknowledgement."""
    said = message("thanks!", ts=LATER, root=ROOT)
    where: dict[str, Any] = {"mode": "live", "operator": OPERATOR, "mentioned": False}
    thread = then(made("replied"), MessageAdded(at=at(60), fresh=fresh(), message=said, asks=asks, **where))
    assert thread.status == status
    assert bool(thread.acknowledged) is not asks


def test_a_reply_that_a_person_found_in_the_thread_is_thanked_for() -> None:
    """Its time is not known, so that of the decision counts."""
    doubt = made("in-doubt")
    answered = then(doubt, press(WasPosted, doubt, at=at(30)))
    assert (answered.status, answered.posted_message_id) == ("closed", None)
    before, later = at(30).timestamp(), at(31).timestamp()
    assert not then(answered, heard("thanks! that did it", ts=f"{before:.6f}")).acknowledged
    assert then(answered, heard("thanks! that did it", ts=f"{later:.6f}")).acknowledged
    assert not then(answered.evolve(closed_at=None), heard("thanks! that did it", ts="0.000000")).acknowledged
