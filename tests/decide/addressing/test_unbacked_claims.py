"""Claims, by table: where code says below an answer that no command backs that nothing was changed."""

from __future__ import annotations

import pytest

from bot.decide.addressing.unbacked_claims import ClaimWords
from tests.tables import each_row

CLAIMS = ClaimWords()


@each_row(
    ("said", "answer"),
    [
        ("could you get the lime story filed", "Filed."),
        ("do me a favour and sort out everything", "All done, boss."),
        ("what did you do with my note?", "I deleted it."),
        ("yes, do it", "OK."),
        ("my note must go", "It is gone."),
        ("I want parcels to rest", "It rests."),
        ("are you done with it?", "Done."),
        ("how is parcels?", "Which one? I paused it."),
        ("mach das mal weg", "Gelöscht."),
        ("was ist mit parcels?", "Ist pausiert."),
        ("haz algo con los paquetes", "Listo."),
        ("peux-tu t'en occuper ?", "C'est fait."),
        ("parcels の件よろしく", "一時停止しました"),
        ("huolehdi paketeista", "Tehty."),
        ("voisitko hoitaa paketit?", "Hoidettu."),
        ("가서 처리해 줘", "완료했습니다."),
    ],
)
def test_what_asks_for_a_change_or_claims_one_is_corrected(said: str, answer: str) -> None:
    """In whatever language; of one without a pack nobody knows what is asked."""
    assert CLAIMS.may_claim(said, answer)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("what can you do?", "I look after the questions that wait."),
        ("how are you?", "Fine, and you?"),
        ("you're funny", "Haha."),
        ("I am off until Monday. We had pizza yesterday!", "Rest well."),
        ("how do I pause a project?", "Type pause and its name."),
        ("is anything waiting for me?", "Nothing is waiting."),
        ("add a note about it", "*Which project?*"),
        ("wie geht es dir?", "Gut, danke."),
        ("quem é você?", "Eu cuido das perguntas."),
        ("tu es drôle", "Merci !"),
    ],
)
def test_plain_talk_needs_no_correction(said: str, answer: str) -> None:
    """Who wants to know something, speaks of the two who talk, or is asked back has been told of no change."""
    assert not CLAIMS.may_claim(said, answer)
