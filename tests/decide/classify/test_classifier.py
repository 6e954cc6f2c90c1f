"""Tier 0, by table, and what it does with text that nobody would write."""

from __future__ import annotations

import pytest

from bot.decide.classify.channel_purpose import purpose_of
from bot.decide.classify.classifier import MEMORY, compile_rules, explain
from bot.decide.classify.weights import build_weights, load_packaged_weights
from bot.errors import Misconfigured
from bot.models.contents import ATTACHED
from bot.models.context import MessageContext
from tests.builders import T0, at, message
from tests.decide.openings import OPENINGS, OTHERS
from tests.tables import each_row

RULES = compile_rules(bot_id="U0TRIAGE")


@each_row(
    ("text", "expected"),
    [
        ("where is the debounce window set?", "actionable"),
        ("how do I reset a token", "actionable"),
        ("is staging down?  ", "actionable"),
        ("does `foo?` work (or not?)", "actionable"),
        ("any idea why the deploy hangs", "actionable"),
        ("did anyone see this\uff1f", "actionable"),
        ("can someone look at the build", "actionable"),
        ("please restart the worker", "actionable"),
        ("cannot add a user to the group", "actionable"),
        ("getting an error on login", "actionable"),
        ("the api is down", "actionable"),
        ("502 on checkout", "actionable"),
        ("I upgraded last night. What changed? My tests are red now", "actionable"),
        ("deploys are red", "actionable"),
        ("the build is red since noon", "actionable"),
        ("looks like prod is down", "actionable"),
        ("seems like staging is broken", "actionable"),
        ("PTAL https://example.org/pull/12", "ambient"),
        ("please review https://example.org/pull/12", "actionable"),
        ("@U0BOB how do I reset my token?", "actionable"),
        ("@U0BOB can you check this?", "ambient"),
        ("looks like you need to restart, it is down because of that", "ambient"),
        ("deployed v3 to staging", "ambient"),
        ("see https://example.com/search?q=", "ambient"),
        ("the query is `SELECT 1 WHERE ?`", "ambient"),
        ("```\nwhere is it?\n```", "actionable"),
        ("```\nif x { y = f()?; }\nwhere(x) ? 1 : 2\n```", "ambient"),
        ("```panic: runtime error: invalid memory address\nmain.main()```", "actionable"),
        ("[FIRING] view cache\nError: Failed to lookup view", "actionable"),
        ("[file: a.txt]\n```\nTypeError: handler must be a function\nwhere does this come from?\n```", "actionable"),
        ("you need to restart, Error: x means that", "ambient"),
        ("> where is it?\nit is in the docs", "ambient"),
        ("I'll look at it after lunch", "ambient"),
        ("Heads up: maintenance tonight at 22:00", "ambient"),
        ("did you restart it?", "ambient"),
        ("`process`?", "ambient"),
        ("who knows?", "ambient"),
        ("poll: who's in for lunch?", "ambient"),
        ('Traceback (most recent call last):\n  File "a.py", line 3\nValueError: x', "actionable"),
        ("what happens in WithValue middleware?", "actionable"),
        ("what happens if you restart it?", "actionable"),
        ("where is X set? thx", "actionable"),
        ("project:shop-api where is X set?", "actionable"),
        ("where is X set? - Ana", "actionable"),
        ("Sorry for the noise, where is X set? No rush!", "actionable"),
        (f"where does this come from?{ATTACHED}[file: screen.png, PNG]", "actionable"),
        (f"where does this come from?{ATTACHED}It went through, thanks.", "actionable"),
        (f"see below{ATTACHED}how do I restart the worker?", "actionable"),
        (f":eyes:{ATTACHED}how do I restart the worker?", "actionable"),
        (f"thanks, that worked!{ATTACHED}how do I restart the worker?", "ack"),
        (f"lunch is here{ATTACHED}The pizza of today.", "ambient"),
        ("ok", "ack"),
        ("Thanks!", "ack"),
        ("ok, thanks :pray:", "ack"),
        ("thanks a lot for your help, I'll try that tonight", "ack"),
        ("👍🎉", "ack"),
        (":white_check_mark:", "ack"),
        ("", "ack"),
        ("LGTM 🚀", "ack"),
    ],
)
def test_a_message_is_classified(text: str, expected: str) -> None:
    """Questions, requests and problems are worth attention, acknowledgements and the rest are not."""
    assert RULES.classify(message(text), thread_is_open=False, at=at()).classification == expected


ASKER, OTHER = MessageContext(is_reply=True, by_asker=True), MessageContext(is_reply=True)


@pytest.mark.parametrize(
    ("text", "mention", "open_thread", "context", "expected"),
    [
        ("@U0TRIAGE deploys are red", True, False, MessageContext(), "actionable"),
        ("@U0TRIAGE thanks", True, False, MessageContext(), "ack"),
        ("@U0TRIAGE 👍", True, False, MessageContext(), "ack"),
        ("the tests ran as before", False, True, ASKER, "ambient"),
        ("and on arm?", False, True, ASKER, "actionable"),
        ("the tests ran as before", False, True, OTHER, "ambient"),
        ("the tests ran as before", False, False, ASKER, "ambient"),
        ("still red on my side", False, False, ASKER._replace(follows_up=True), "actionable"),
        ("ok thanks", False, True, ASKER, "ack"),
        ("is the build red?", False, False, MessageContext(by_bot=True), "ambient"),
        ("@U0TRIAGE is the build red?", True, True, MessageContext(by_bot=True), "ambient"),
        ("build 7 is red", False, False, MessageContext(by_bot=True, by_alert_bot=True), "actionable"),
        ("how long does that take?", False, False, MessageContext(by_team=True), "ambient"),
    ],
)
def test_mentions_open_threads_and_bots_count(
    text: str, mention: bool, open_thread: bool, context: MessageContext, expected: str
) -> None:
    """A mention is worth attention unless it is an acknowledgement or a bot's; the asker's word where it asks."""
    said = message(text, mentions=("U0TRIAGE",) if mention else ())
    made = RULES.classify(said, thread_is_open=open_thread, at=at(), context=context)
    assert (made.classification, made.is_bot_mention, made.mentions_thread_with_inflight) == (
        expected,
        mention,
        open_thread,
    )


@each_row(
    ("text", "expected"),
    [
        ("wher is the X-Powered-By hedder disabled?", "actionable"),
        ("what version of Go does chi need?", "actionable"),
        ("where exactly is the full error made?", "actionable"),
        (
            "res.cookie \u06a9\u062c\u0627 \u062a\u0639\u0631\u06cc\u0641 \u0634\u062f\u0647 \u0627\u0633\u062a\u061f",
            "actionable",
        ),
        ("где задан тайм-аут клиента?", "actionable"),  # another script
        ("Hey everyone, hope you had a nice weekend! Quick one: which database does petclinic use?", "actionable"),
        ("not sure if here is right, but what happens with unknown commands?", "actionable"),
        ("*URGENT* what status code does a missing route give? (customer is waiting)", "actionable"),
        ("how are background tasks run after a response? Need it by 5pm, sorry to be a pain", "actionable"),
        ("StaticFiles(check_dir=False) – was macht das?", "actionable"),  # as people type it
        ("wer weiß wo die Telefonnummer geprüft wird?", "actionable"),
        ("how come GZipMiddleware skips small bodies", "actionable"),
        ("whats the default port of mini redis", "actionable"),
        ("wo wird eigentlich der Header gesetzt", "actionable"),
        ("onde fica a configuração do cache", "actionable"),
        ("I'd like to know how Mount strips the path", "actionable"),
        ("heads up: what happens on Friday? the cluster moves", "ambient"),
        ("@U0BEN is the limit 5? what does your branch do?", "ambient"),
        ("how nice of you", "ambient"),
        ("who knows?", "ambient"),
        ("lunch?", "ambient"),
    ],
)
def test_a_question_into_a_quiet_channel_is_one(text: str, expected: str) -> None:
    """Whatever its language, with politeness around it, or without its mark; spoken to somebody it is not."""
    for before in (False, True):
        around = MessageContext(opens=True, asker_wrote_before=before)
        assert RULES.classify_text(text, around).classification == expected


@pytest.mark.parametrize(
    ("sender", "text", "context", "chatter"),
    [
        ("U0OLU", "the deploy waits for the index", MessageContext(), True),
        ("U0OLU", "@U0TRIAGE is it up?", MessageContext(), False),
        ("U0OLU", "and the index too", MessageContext(is_reply=True, by_asker=True, open_investigation=True), False),
        ("U0ANA", "the deploy waits for the index", MessageContext(), False),
    ],
)
def test_the_team_among_itself_is_chatter(sender: str, text: str, context: MessageContext, chatter: bool) -> None:
    """A team member's message is internal unless it mentions the bot or follows up an open question of their own."""
    rules = compile_rules(bot_id="U0TRIAGE", team_members=["U0OLU"])
    said = message(text, sender=sender, mentions=("U0TRIAGE",) if "@" in text else ())
    assert rules.classify(said, thread_is_open=False, at=at(), context=context).is_internal_chatter is chatter


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"sender": "B0ALERT"}, "actionable"),
        ({"sender": "B0OTHER"}, "ambient"),
        ({"sender": "U0TRIAGE"}, "ambient"),
    ],
)
def test_only_listed_bots_may_ask_and_triage_never_asks_itself(names: dict[str, str], expected: str) -> None:
    """A bot opens no thread unless it is an alert bot, and the bot's own id in that list changes nothing."""
    rules = compile_rules(bot_id="U0TRIAGE", alert_bots=["B0ALERT", "U0TRIAGE"])
    said = message("checkout returns 502", sender_type="bot", **names)
    assert rules.classify(said, thread_is_open=False, at=at()).classification == expected


@each_row(
    "text",
    [
        "\x00" * 50,
        "\ud800 lone",
        "where is \udfff it?",
        "\u202e bidi?",
        "\u2066\u2069" * 100,
        "😀" * 10_000,
        "a" * 100_000,
        "where? " * 15_000,
        "?" * 5_000,
        "`" * 9_999,
        "```" * 9_999,
        "<" * 50_000,
        ":a" * 50_000,
        "\x01\x02\x03",
        "İ" * 3_000,
    ],
)
def test_odd_text_is_classified_like_any_other(text: str) -> None:
    """No text makes the rules raise."""
    made = RULES.classify(message(text), thread_is_open=False, at=at())
    assert made.classification in ("actionable", "ambient", "ack")
    assert 0 <= made.classifier_confidence <= 1


def test_a_long_message_is_read_at_both_ends() -> None:
    """The question behind a long log is seen, and the log does not ask."""
    log = "12:00:01 GET /checkout 200?\n" * 4_000
    kinds = [
        RULES.classify_text(text).classification
        for text in (f"{log}\nany idea why this is slow?", f"what is this?\n{log}", log)
    ]
    assert kinds[:2] == ["actionable", "actionable"]


def test_a_teams_own_words_add_to_the_packs() -> None:
    """Configured patterns and keywords are used, whatever their case, and the packs' words stay."""
    rules = compile_rules(
        bot_id="U0TRIAGE", ack_patterns=["^(quibble|noted)\\W*$", r"^\pL\d$"], question_keywords=["zzwhy"]
    )
    kinds = [rules.classify_text(text).classification for text in ("Quibble!", "k9", "ok", "where is it set?")]
    assert kinds == ["ack", "ack", "ack", "actionable"]
    assert rules.classify_text("Zzwhy nobody").is_question


@pytest.mark.parametrize(
    "text", ["we ship on friday, wdyt", "WDYT about the new retry limit", "it takes an hour now, wdyt"]
)
def test_a_teams_own_question_word_makes_a_question(text: str) -> None:
    """Wherever it stands it counts like a phrase that asks, and the class changes with it."""
    assert RULES.classify_text(text).classification == "ambient"
    rules = compile_rules(bot_id="U0TRIAGE", question_keywords=["wdyt"])
    assert rules.classify_text(text).classification == "actionable"


def test_the_version_changes_with_rules_packs_and_weights() -> None:
    """Two sets of rules never share a version, and the same set always has the same."""
    versions = {
        RULES.version,
        compile_rules(bot_id="U1AA").version,
        compile_rules(bot_id="U1AA", ack_patterns=["x"]).version,
        compile_rules(bot_id="U1AA", languages=["en"]).version,
    }
    assert len(versions) == 3


def test_the_version_changes_with_the_learnt_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other weights of words make another version."""
    monkeypatch.setattr("bot.decide.classify.opening_words.digest", lambda: "another")
    assert compile_rules(bot_id="U0TRIAGE").version != RULES.version


@pytest.mark.parametrize("pattern", ["(?=a)", "(", "a{1,9999}", "\ud800"])
def test_a_pattern_that_does_not_compile_is_named(pattern: str) -> None:
    """What is no re2 is refused, and the message says which pattern it was."""
    with pytest.raises(Misconfigured) as raised:
        compile_rules(bot_id="U1AA", ack_patterns=[pattern])
    assert repr(pattern) in str(raised.value)


def test_an_unknown_language_is_named() -> None:
    """The message says what there is instead."""
    with pytest.raises(Misconfigured, match="'xx', expected one of de, en"):
        compile_rules(bot_id="U1AA", languages=["xx"])


def test_each_class_is_explained() -> None:
    """The reasons stand beside the classification, weightiest first, and in a sentence with what they mean."""
    made = RULES.classify(message("@U0TRIAGE the api is down", mentions=("U0TRIAGE",)), thread_is_open=False, at=at())
    assert made.reasons[0].feature == "bot_mention"
    sentence = explain(made)
    assert sentence.startswith("actionable at ")
    assert "it mentions the bot (bot_mention +6.00)" in sentence
    assert "it says that something fails now (failing +" in sentence
    assert explain(RULES.classify_text("@U0TRIAGE the api is down", MessageContext(mention=True))) == sentence


def test_weights_beyond_all_measure_are_still_added_up() -> None:
    """A home's own file may hold any number."""
    line = load_packaged_weights().actionable
    wild = line.evolve(weights={**line.weights, "statement": -1e300, "question_at_end": 1e300})
    rules = compile_rules(bot_id="U0TRIAGE", table=load_packaged_weights().evolve(actionable=wild))
    assert rules.classify_text("the build is green now").classification == "ambient"
    assert rules.classify_text("is the build green?").classification == "actionable"


def test_the_same_moment_is_not_shared_by_two() -> None:
    """Two messages that show the same keep their own time."""
    times = [RULES.classify(message("ok"), thread_is_open=False, at=at(s)).classified_at for s in (1, 2, 1)]
    assert times == [at(1), at(2), at(1)]


@pytest.mark.parametrize(
    "said",
    ["hm thanks but that's not it", "danke, aber das ist die alte Version", "merci mais ce n'est pas ça",
     "gracias pero no es eso", "makasih tapi bukan itu", "ありがとう、でもそれではないです", "ممنون ولی این نیست"],
)  # fmt: skip
def test_thanks_that_are_taken_back_are_no_acknowledgement(said: str) -> None:
    """In each language; so an operator reads that an answer was none."""
    judged = RULES.classify_text(said)
    assert (judged.classification, judged.is_ack) == ("ambient", False)


def test_a_channel_for_help_is_one() -> None:
    """Of what begins there 95 in 100 start work; of thanks, jokes, invitations and news at most 5 in 100."""
    begins = MessageContext(opens=True, is_away=True, for_help=True)
    missed = [text for text in OPENINGS if RULES.classify_text(text, begins).classification != "actionable"]
    taken = [text for text in OTHERS if RULES.classify_text(text, begins).classification == "actionable"]
    assert len(missed) <= len(OPENINGS) * 0.05, missed
    assert len(taken) <= len(OTHERS) * 0.05, taken


@pytest.mark.parametrize(
    ("text", "settles"),
    [
        ("Are we allowed to use GPL libs in the embedded agent?", True),
        ("can someone kick the nightly again? it died because of my typo", True),
        ("```Caused by: java.sql.SQLException: pool is empty\n\tat a.B.c(B.kt:1)```\nat night alone", True),
        ("jwt_leeway de las apps móviles, ¿dónde está?", True),
        ("Who wants pizza?", False),
        ("<@U0BEN> can you call me back?".replace("<", "").replace(">", ""), False),
    ],
)
def test_a_plain_question_or_failure_starts_work_for_help(text: str, *, settles: bool) -> None:
    """What asks or shows a failure, with no sign against it, outweighs what all messages there share."""
    judged = RULES.classify_text(text, MessageContext(opens=True, is_away=True, for_help=True))
    plain = {"asks_plainly", "shows_plainly"} & {name for name, _ in judged.features}
    assert (bool(plain), judged.classification == "actionable") == (settles, settles)


@each_row(
    ("text", "context", "expected"),
    [
        ("what a morning for a walk along the river", MessageContext(opens=True, for_help=True), "ambient"),
        ("the importer counts each file as two", MessageContext(opens=True, for_help=True), "actionable"),
        ("the importer counts each file as two", MessageContext(opens=True), "ambient"),
        ("the importer counts each file as two", MessageContext(opens=True, for_help=True, by_team=True), "ambient"),
        (
            "the importer counts each file as two",
            MessageContext(opens=True, for_help=True, by_answerer=True),
            "ambient",
        ),
        ("the importer counts each file as two", MessageContext(is_reply=True, for_help=True), "ambient"),
        ("could you share the logs?", MessageContext(is_reply=True, by_answerer=True), "ambient"),
        ("which version do you run?", MessageContext(anothers_talk=True, by_answerer=True), "ambient"),
        ("did you restart it?", MessageContext(is_reply=True), "ambient"),
        ("do you know where the schema lives?", MessageContext(opens=True), "actionable"),
        ("Is it counted in seconds? Asking for the docs.", MessageContext(opens=True), "actionable"),
        ("Hey @U0ANA, could you look at this?", MessageContext(opens=True, for_help=True), "ambient"),
        ("[file: screen.png, PNG]", MessageContext(opens=True, for_help=True), "ambient"),
        ("but we skipped the arm build", ASKER, "actionable"),
        ("but we skipped the arm build", ASKER._replace(asked_nothing=True), "ambient"),
        ("please restart the runner", MessageContext(opens=True, is_away=True), "actionable"),
        ("apakah redis sudah di upgrade", MessageContext(), "actionable"),
        ("Yes!", MessageContext(), "ack"),
        ("Yes!", ASKER, "ambient"),
        ("Yes!", MessageContext(by_answerer=True), "ambient"),
        ("Yes!", ASKER._replace(mention=True), "ack"),
        ("yes, thanks!", ASKER, "ack"),
        ("I appreciate your help", MessageContext(), "ack"),
        ("Ok thank you! that solved it! have a nice day", MessageContext(), "ack"),
        ("have you seen the new linter fail on main", MessageContext(opens=True), "actionable"),
        ("can sb look at PR 4412, it blocks our release", MessageContext(opens=True), "actionable"),
        ("Is Thursday's maintenance going to affect our batch job?", MessageContext(opens=True), "actionable"),
        (
            "FYI the cert on mail ran out, can someone renew it? It is used by all.",
            MessageContext(opens=True),
            "actionable",
        ),
        ("Heads up: maintenance tonight. The wiki is read only then.", MessageContext(opens=True), "ambient"),
        ("We are having lunch", MessageContext(opens=True), "ambient"),
        ("we are having trouble with the vpn", MessageContext(opens=True), "actionable"),
        ("der Export bleibt leer", MessageContext(opens=True), "actionable"),
        ("le site ne s'affiche plus", MessageContext(opens=True), "actionable"),
        ("la página se queda en blanco", MessageContext(opens=True), "actionable"),
        ("o relatório vem vazio", MessageContext(opens=True), "actionable"),
        ("dashboard kosong sejak update", MessageContext(opens=True), "actionable"),
        ("昨日からメールが届きません", MessageContext(opens=True), "actionable"),
        ("ich bin seit gestern im Urlaub", MessageContext(opens=True), "ambient"),
        ("je suis en congé depuis hier", MessageContext(opens=True), "ambient"),
        ("I noticed the audit trail skips Sundays", MessageContext(opens=True, for_help=True), "actionable"),
        ("new here, which repo has the frontend", MessageContext(opens=True, for_help=True), "actionable"),
        ("Deploy finished, all checks are green", MessageContext(opens=True, for_help=True), "ambient"),
    ],
)
def test_where_a_message_stands_and_who_wrote_it_count(text: str, context: MessageContext, expected: str) -> None:
    """The purpose of a channel, who answers there, and whether something begins."""
    assert RULES.classify_text(text, context).classification == expected


def test_no_question_is_ambient_without_its_reason() -> None:
    """What asks and is no acknowledgement shows why it was left alone."""
    for text in ("did you restart it?", "the blue one?", "who knows?", "can do"):
        judged = RULES.classify_text(text)
        told = judged.classification != "ambient" or not judged.is_question or any(w < 0 for _, w in judged.features)
        assert told, text


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("help-platform", "help"), ("#platform-support", "help"), ("ask_infra", "help"), ("infra.questions", "help"),
        ("helpdesk", "help"), ("platform", "discussion"), ("helpers-lounge", "discussion"), ("tasks", "discussion"),
        ("data-task", "discussion"), ("", "discussion"),
    ],
)  # fmt: skip
def test_a_channels_name_tells_its_purpose(name: str, purpose: str) -> None:
    """By its first or last word; what the settings say of a channel counts for more."""
    assert purpose_of(name) == purpose
    for given in ("help", "discussion"):
        rules = compile_rules(bot_id="U0TRIAGE", purposes={"C0HELP": given})
        assert rules.is_for_help("C0HELP", name) == (given == "help")


@pytest.mark.parametrize(
    "text", ["What does the scan log say?", "What is the id of the request?", "Is the pod running?"]
)
def test_who_answers_asks_back_in_the_thread_of_another(text: str) -> None:
    """A question without an I there is ambient; of somebody else it may be their own."""
    context = MessageContext(is_reply=True, by_answerer=True)
    judged = RULES.classify_text(text, context)
    assert (judged.classification, judged.wants) == ("ambient", False)
    assert RULES.classify_text(text, context._replace(by_answerer=False)).classification == "actionable"


def test_a_classifier_forgets_all_when_it_knows_too_much() -> None:
    """Each context is judged for itself, and what is kept stays bounded."""
    rules = compile_rules(bot_id="U0TRIAGE")
    fields = MessageContext._fields
    for number in range(MEMORY + 2):
        bits = {name: bool(number >> at & 1) for at, name in enumerate(fields)}
        rules.classify_text("where is the limit set?", MessageContext(**bits))
    assert len(rules._results) == 2


def test_a_context_that_says_all_is_used_as_it_is() -> None:
    """A plain message of a person adds nothing to it."""
    said = message("thanks, will do", chat_id="C0RANDOM", chat_name="random")
    plain = RULES.classify(said, thread_is_open=False, at=T0)
    assert RULES.classify(said, thread_is_open=False, at=T0, context=MessageContext()) == plain
    team = compile_rules(bot_id="U0TRIAGE", team_members=["U0ANA"])
    assert team.classify(said, thread_is_open=False, at=T0).is_internal_chatter
    assert not plain.is_internal_chatter


def test_a_weight_of_an_unknown_feature_is_refused_with_the_way_back() -> None:
    """The file was written by another version."""
    table = load_packaged_weights()
    with pytest.raises(Misconfigured, match=r"nonsense: expected the name of a feature.*retrain --undo"):
        build_weights(table.evolve(help={**table.help, "nonsense": 1.0}))
