"""Words that settle a question, by table: a false closing is worse than a missed one."""

from __future__ import annotations

import pytest

from bot.decide.classify.settlement import SettlingWords, settling_words
from tests.tables import each_row

WORDS = SettlingWords()
QUESTION = "where is the retry limit set?"

CLOSES = """
nvm, found it
nvm
Nevermind
never mind!
solved
Solved, thanks!
got it working
got it working, thanks everyone
figured it out
I figured it out myself
ok found it
found it in the docs
nvm found it :smile:
it's working now, thanks
problem solved
works now
solved it by restarting the pod
please ignore
false alarm
nvm, my bad
forget it
Nvm 🙈
found it, the setting is in orders.py line 3
solved: set `retries: 5`
you can close this
✅ solved
@U0TRIAGE nvm, found it
that's solved now, thank you
never mind, figured it out with Bo
EDIT: solved
hat sich erledigt
Hat sich erledigt, danke!
habs gefunden
gelöst, lag am Cache
vergesst es
ya lo encontré, gracias
ya está resuelto
olvídalo
c'est résolu merci
laisse tomber, j'ai trouvé
j'ai trouvé dans la doc
já resolvi, obrigado
achei no arquivo de config
deixa pra lá
sudah beres
udah ketemu kak, makasih
ga jadi
解決しました。ありがとうございます
自己解決しました
""".strip().splitlines()

NOT = """
nvm, that didn't work
solved the first one, but now the second fails
thanks, but that is for v1
thanks in advance
thanks for looking
is it solved?
has this been solved
not solved
ok
got it
nvm the cache, it hangs in the worker
never mind the first question, how do I reset it
almost solved
found it but it's empty
found it odd that the limit is 3
fixed the typo in my question
done
thanks, I'll try
I thought I found it
hope it's solved soon
works on staging only
I restarted it
nvm i meant staging
found it, but which one is used
solved. next one: how do I deploy
found it?
nvm. where is the other limit set
that works, but slowly
it was solved last year for shop
when it is solved tell me
if solved, close
nvm, different question
I found this: https://example.com
my bad
and it all works fine on our side
this is a resolved thread, reopen
noch nicht gelöst
gelöst, aber jetzt hängt der Worker
danke, aber das ist alt
danke im Voraus
resuelto el primero, pero el otro falla
todavía no está resuelto
pas encore résolu
ça marche pas
merci d'avance
não resolvido
ainda não resolvi
solved, one more thing
resuelto, una pregunta más
una pregunta más, ya funciona
résolu, encore une question
resolvido, mais uma pergunta
sudah beres, satu pertanyaan lagi
حل شد، یه سوال دیگه
解決しました、もう一つ質問
解決しました, one more question
已解决，还有个问题
해결됐어요, 하나 더 질문
gracias, una pregunta más
belum beres
sudah beres tapi masih lambat
解決しましたか
まだ解決していません
解決しましたが、次の問題があります
😀
""".strip().splitlines()

PROPOSES = """
thanks!
thank you, that helped
thx @U0BO
perfect, thanks
that works, thanks
found it
that worked
danke dir
merci beaucoup
muchas gracias
valeu
makasih kak
ありがとうございます
""".strip().splitlines()

EDITS = {
    "solved": True,
    f"[solved] {QUESTION}": True,
    f"*[Solved]* {QUESTION}": True,
    f"{QUESTION} (solved)": True,
    f"~{QUESTION}~": True,
    f"~{QUESTION}~\nEDIT: found it": True,
    f"{QUESTION} ✅": True,
    f":white_check_mark: {QUESTION}": True,
    f"solved: {QUESTION}": True,
    f"[gelöst] {QUESTION}": True,
    "[solved] where is the retry limits set?": True,
    f"[solved?] {QUESTION}": False,
    f"[not solved] {QUESTION}": False,
    f"{QUESTION} still not solved": False,
    f"~where~ {QUESTION}": False,
    f"[urgent] {QUESTION}": False,
    f"unsolved: {QUESTION}": False,
    f"{QUESTION} EDIT: solved the first part": False,
    "where is the solved flag set?": False,
    f"{QUESTION} please": False,
    f"{QUESTION} EDIT: got it, but where is the limit?": False,
    f"{QUESTION} thanks": False,
}
THANKED = ["EDIT: got it, thanks", "*Edit 2:* alles klar, danke!", "(Nachtrag: verstanden, danke)", "update - ok"]


@each_row("text", CLOSES)
def test_an_asker_who_says_so_closes_it(text: str) -> None:
    """In each language of the packs, with greetings, thanks and an explanation around it."""
    assert WORDS.settles(text) == "closes"


@each_row("text", [*NOT, "", "   ", "\U0001f600", "solved " * 90])
def test_what_only_sounds_like_it_settles_nothing(text: str) -> None:
    """A but, a negation, a question, half of it or another sense: not even after a colleague's answer."""
    assert WORDS.settles(text) is None
    assert WORDS.settles(text, answered=True) is None


@pytest.mark.parametrize("text", PROPOSES)
def test_thanks_settle_only_what_somebody_has_answered(text: str) -> None:
    """After a colleague's answer an operator is asked; before one thanks say nothing."""
    assert WORDS.settles(text, answered=True) == "proposes"
    assert WORDS.settles(text) != "proposes"


@pytest.mark.parametrize(
    "text",
    [
        "nvm, restarting the pod",
        "nvm, it was a typo",
        "solved, it was the wrong port",
        "it works on arm",
        "geht jetzt in Test",
    ],
)
def test_what_is_understood_in_part_is_proposed(text: str) -> None:
    """What else is said may be a correction, a problem, or where alone it works."""
    assert WORDS.settles(text) == "proposes"


@each_row(("after", "closes"), EDITS.items())
def test_an_edit_says_so_by_what_it_adds(after: str, closes: bool) -> None:
    """A mark, a word before or after, another text, all struck out; the question's own words say nothing."""
    assert WORDS.settles_by_edit(QUESTION, after) == ("closes" if closes else None)


def test_thanks_that_an_edit_adds_are_proposed() -> None:
    """Where they stand behind the word that calls them new; without it they are politeness."""
    assert [WORDS.settles_by_edit(QUESTION, f"{QUESTION}\n{added}") for added in THANKED] == ["proposes"] * 4


@pytest.mark.parametrize(
    ("text", "answers"),
    {
        "it stands in `orders.py:3`": True,
        "try the second one": True,
        "which version do you use?": False,
        "let me check": False,
        "schaue ich mir an": False,
        "確認します": False,
        "": False,
    }.items(),
)
def test_a_question_back_and_a_promise_are_no_answer(text: str, answers: bool) -> None:
    """What asks back or puts off answers nothing that could be thanked for."""
    assert WORDS.answers(text) == answers


def test_a_pack_alone_knows_its_own_words_only() -> None:
    """With one language configured the others settle nothing."""
    german = SettlingWords(["de"])
    assert german.settles("hat sich erledigt") == "closes"
    assert german.settles("solved") is None


@pytest.mark.parametrize(
    ("text", "solved"),
    [("解決しました", True), ("解決しましたが", False), ("エラーです", False), ("the upload is sorted", True)],
)
def test_anything_may_be_spoken_of_as_solved(text: str, solved: bool) -> None:
    """Also in a language without spaces."""
    assert SettlingWords().speaks_of_it(text) is solved


def test_what_was_found_settles_a_question_that_nobody_answered() -> None:
    """Otherwise the finding may be the answer's."""
    words = SettlingWords()
    assert (words.settles("見つかりました"), words.settles("見つかりました", answered=True)) == ("closes", "proposes")


@pytest.mark.parametrize(
    ("added", "settles"),
    [
        ("Edit: ok", "proposes"),
        ("Edit: got it, thanks", "proposes"),
        ("Edit: " + "ok " * 200, None),
        ("Edit: ok?", None),
        ("Edit: it is on staging", None),
        ("Edit: 了解", "proposes"),
    ],
)
def test_a_label_with_agreement_alone_is_only_proposed(added: str, settles: str | None) -> None:
    """What says more is a part of the question."""
    assert WORDS.settles_by_edit(QUESTION, f"{QUESTION}\n{added}") == settles


def test_a_long_report_or_a_question_speaks_of_nothing_solved() -> None:
    """Its words may be about anything."""
    assert not WORDS.speaks_of_it("the upload is sorted " * 30)
    assert not WORDS.speaks_of_it("is the upload sorted?")
    assert settling_words(("en",)) is settling_words(("en",))
    assert settling_words(("en",)).settles_by_edit(QUESTION, f"{QUESTION}\nEdit: noted") == "proposes"
