"""A word below a posted reply: that this did not serve, that there is no trouble any more, or nothing of that."""

from __future__ import annotations

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.denial import outcome
from bot.decide.classify.new_question import remove_new_questions
from bot.decide.classify.not_served import classify_follow_up
from tests.tables import each_row

RULES = compile_rules(bot_id="U0TRIAGE")
DENIED = [
    "tried it, nope, same 413 as before", "same 413 again after the change", "nope", "No.", "same on Windows",
    "still no luck", "no change", "it didn't", "ok tried, same", "thanks, but same", ":-1:", "as before",
    "back to 502",
    "unfortunately not", "still 413", "that's not it", "that setting isn't in our config", "hmm, not helping",
    "the badge is still wrong after the cache purge", "nope, thanks anyway but same", "restarted twice, same story",
    "leider nein", "nein, gleicher Fehler", "unter Windows dasselbe", "hat nichts gebracht",
    "non, pareil", "toujours la même erreur", "même chose sous Windows", "no, sigue igual", "tampoco",
    "lo mismo en Windows",
    "não, mesmo erro", "mesma coisa no Windows", "nada ainda", "tetap error 413", "nggak ngaruh", "belum",
    "いいえ、まだです",
    "Windowsでも同じです", "問題は変わりません", "똑같아요", "안 돼요",
    "还是413", "没用",
    "نه، همون خطا", "فرقی نکرد",
    "no, lost_after_days is something else, I mean the number itself",
    "set it, restarted, zero change", "wrong setting i'm afraid", "that's the value for the other server",
    "I had already tried that yesterday", "did that last week", "not the screen I'm asking about",
    "that number can't be right, we had a parcel open for twice as long", "that number looks off",
    "That only covers pallets, mine are kegs", "mine are kegs, that is about pallets",
    "that is for adults, I need the one for children", "das gilt nur für Züge, unsere sind Busse",
    "ce chiffre ne peut pas être juste", "eso es para adultos, necesito el de niños", "その数字は正しくないはずです",
    "thanks, that is the price for the old contract", "afraid that's for the old client",
    "hab ich gestern schon probiert", "c'est la procédure d'un autre service", "eso es de otra sucursal",
    "já tentei isso ontem", "udah dicoba kemarin", "それは別のサーバーの値です", "어제 이미 해봤어요",
    "那是另一台服务器的值",
    "این برای سرور دیگه است",
]  # fmt: skip
HALF = [
    "cheers, that fixed the first box, the second one keeps the old value",
    "thanks, the morning list loads, the evening list is empty", "great, that works for room 4, the rest is stuck",
    "danke, der erste Raum stimmt jetzt, der zweite zeigt die alte Zeit",
    "merci, le premier fichier passe, le second reste bloqué", "gracias, la primera funciona, la segunda sigue igual",
    "obrigado, a primeira funcionou, a segunda continua igual",
    "terima kasih, yang pertama sudah bisa, yang kedua masih kosong",
    "ありがとう、一つ目は直りました、二つ目は古いままです",
    "고마워요, 첫 번째는 됐어요, 두 번째는 그대로예요", "谢谢,第一个好了,第二个还是旧的",
]  # fmt: skip
WHOLE = [
    "thanks, that fixed the first one and the second one too", "cheers, both work now, will tell the second shift",
    "thanks, no other questions", "great, the other team will pick it up", "cheers, will do the rest tomorrow",
    "danke, der erste läuft und der zweite auch", "merci, tout passe, le premier comme le second",
    "ありがとうございます、もう一つも直りました",
]  # fmt: skip
QUIET = [
    "thanks, another question: how do I rotate the key?", "danke, noch eine Frage: wo liegen die Logs?",
    "thanks!", "nope, all good now", "no worries", "great, no need to restart then", "no 413 any more",
    "works, same as on my laptop", "it's the same flag I had in mind, thanks", "no, that's all I needed",
    "will try, thanks", "that covers all of it, thanks", "right, mine are trucks too, cheers",
    "ah mine are on version 3, so that fits", "can't be easier, thank you",
    "nice, didn't know that flag", "uploads of 50 MB pass again", "lol same",
    "same for staging I guess, thanks", "merging it now",
    "merci, ça marche", "gracias, ya funciona", "valeu, funcionou", "makasih, sudah bisa",
    "ありがとうございます、直りました", "好了,谢谢", "감사합니다 해결됐어요", "ممنون درست شد",
]  # fmt: skip
FINE = ["no more errors, thanks", "changed it to 30, no more timeouts", "keine Fehler mehr", "plus aucune erreur",
        "no problem, thanks", "kein Problem, danke",
    "ah got it, nothing wrong on your side", "kein Fehler mehr, danke", "plus d'erreur, merci",
        "works on all three wards now", "Sorted, no further alarms since then", "that sorted the label printer",
        "no more jams on lane 3", "keine Ausfälle mehr seit gestern", "plus aucune alarme depuis",
        "ça fonctionne enfin partout", "sin más alarmas desde ayer",
        "perfecto, gracias, sin errores", "sem problemas, obrigado"]  # fmt: skip

ANEW = [
    "what does the red lamp next to error 27 stand for", "what if the pump restarts twice",
    "by the way, why does the label come out empty", "how come the roster shows nobody on Sunday",
    "who do I call if the pump stops at night", "can the same wristband be printed twice",
    "thanks! and what happens if it fails again", "different topic, what is the meaning of error 7",
    "Was passiert, wenn die Waage ausfällt", "que se passe-t-il si le scanner tombe en panne",
    "qué significa el error 31", "por que a segunda coluna está vazia", "kenapa kolom kedua kosong",
    "エラー31は何を意味しますか", "错误31是什么意思", "오류 31은 무엇인가요",
]  # fmt: skip
STILL = [
    "why does it still not work?", "why is it still empty?", "then why does mine keep failing",
    "tried that, why is the list still empty", "it crashes, what does E07 mean", "what you said doesn't work",
    "does the same on windows", "warum geht es dann immer noch nicht", "pourquoi ça ne marche toujours pas ?",
    "por qué sigue sin funcionar", "なぜまだ動かないのですか",
]  # fmt: skip


@each_row("text", ANEW)
def test_a_question_about_another_matter_denies_nothing(text: str) -> None:
    """Whatever words of trouble stand in it: it is the next question."""
    assert classify_follow_up(text, "right below", RULES, by_asker=True) is None


@pytest.mark.parametrize("text", STILL)
def test_a_question_why_it_is_as_it_was_denies(text: str) -> None:
    """It speaks of what was done with the reply; so does what stands beside a new question."""
    assert classify_follow_up(text, "right below", RULES, by_asker=True) == "denies"


@each_row("text", DENIED)
def test_the_asker_denies_right_below_the_reply(text: str) -> None:
    """By place and words together: a bare *no* or *same* speaks of the reply where nobody else has written since."""
    assert classify_follow_up(text, "right below", RULES, by_asker=True) == "denies"
    assert classify_follow_up(text, "", RULES, by_asker=True) is None


@pytest.mark.parametrize("text", HALF)
def test_thanks_for_one_part_deny_where_another_is_as_it_was(text: str) -> None:
    """Wherever it stands below the reply: it is booked as no thanks."""
    assert classify_follow_up(text, "below", RULES, by_asker=True) == "denies"


@each_row("text", [*WHOLE, *QUIET])
def test_thanks_and_good_news_say_nothing_against_it(text: str) -> None:
    """Nor do jokes and promises, whatever words of denial stand in them."""
    assert classify_follow_up(text, "right below", RULES, by_asker=True) is None


@each_row("text", FINE)
def test_denied_trouble_beside_thanks_is_good_news(text: str) -> None:
    """Wherever it stands below the reply; it is no new problem."""
    assert classify_follow_up(text, "below", RULES, by_asker=True) == "fine"


@pytest.mark.parametrize(
    "text",
    [
        "no more errors, only a blank page", "no error, it just hangs", "works now and then",
        "works again until midnight", "I work on ward 3 now", "no more paper since this morning", "ya no funciona",
        "does it work on all wards now",
    ],
)  # fmt: skip
def test_other_trouble_beside_denied_trouble_is_no_good_news(text: str) -> None:
    """Then the message is judged as any other there."""
    assert classify_follow_up(text, "right below", RULES, by_asker=True) != "fine"


@pytest.mark.parametrize(("text", "back"), [("nope", None), ("same", None), ("still no luck", "denies")])
def test_below_others_only_what_says_so_by_itself_counts(text: str, back: str | None) -> None:
    """A *no* may answer a colleague there."""
    assert classify_follow_up(text, "below", RULES, by_asker=True) == back


@each_row(
    "text",
    [
        "that doesn't work on our side either", "same here", "doesn't work for us",
        "+1, same error on staging", "neither here",
        "we see the same 413 after that change", "no luck here either", "for us it still fails at 10 MB",
        "it broke for us as well after this change", "bei uns auch nicht", "hilft bei uns auch nicht",
        "pareil chez nous",
        "a nosotros tampoco nos funciona", "aqui também não funciona", "di kami juga masih error", "こちらでも同じです",
        "我们这边也不行", "저희도 안 돼요", "برای ما هم کار نمی‌کنه",
    ],
)  # fmt: skip
def test_it_fails_for_somebody_else_too(text: str) -> None:
    """They speak of their own side, right below the reply."""
    assert classify_follow_up(text, "right below", RULES, by_asker=False) == "denies"


@each_row(
    "text",
    [
        "thanks, helped me too", "same here, works now", "worked for us", "no", "lol", "glad it's sorted",
        "you have to reload nginx afterwards, otherwise it doesn't work", "did you restart the pod?",
        "it doesn't work if the cache is warm, purge it first", "we had the same, it was the proxy in front",
        "I don't think so, that flag is for the old uploader",
        "no, use client_max_body_size in the server block instead",
        "danke, bei uns auch gelöst", "moving this to #web, nothing to do with us", "I can't look before Monday",
    ],
)  # fmt: skip
def test_thanks_help_and_talk_of_others_say_nothing(text: str) -> None:
    """Whatever words of denial stand in them."""
    assert classify_follow_up(text, "right below", RULES, by_asker=False) is None


def test_same_here_below_thanks_is_no_denial() -> None:
    """It agrees with whoever has written last."""
    assert classify_follow_up("same here", "below", RULES, by_asker=False) is None
    assert classify_follow_up("doesn't work for us", "below", RULES, by_asker=False) == "denies"


@pytest.mark.parametrize("text", ["ありがとう、まだ502です", "ありがとうございます、まだエラーです"])
def test_thanks_with_trouble_that_is_still_there_are_no_good_news(text: str) -> None:
    """*Still* before the trouble does not deny it."""
    assert classify_follow_up(text, "below", RULES, by_asker=True) is None


def test_denied_trouble_is_good_news_where_the_denial_stands_before_it() -> None:
    """*No more errors*, in Chinese."""
    assert classify_follow_up("谢谢, 不报错了", "below", RULES, by_asker=True) == "fine"


def test_a_denied_remainder_is_still_wrong() -> None:
    """Thanks for one part say nothing of the other."""
    thanks = "thanks, the first works, nothing of the second"
    assert classify_follow_up(thanks.replace(" of the", ""), "below", RULES, by_asker=True) == "denies"


def test_a_cause_named_in_a_language_without_spaces_serves() -> None:
    """It is what the answer was about."""
    assert outcome("それが原因でした") == "served"


def test_a_condition_belongs_to_the_new_question_before_it() -> None:
    """It goes with that question, and what is left says nothing."""
    assert remove_new_questions("still 413. how do I rotate the key, if it is expired?").strip() == "still 413."
