"""The language packs, by table: each language asks, requests, reports, acknowledges and thanks in its own words."""

from __future__ import annotations

import pytest

from bot.decide.classify import language_packs
from bot.decide.classify.classifier import compile_rules
from bot.errors import Misconfigured

ALL = compile_rules(bot_id="U0TRIAGE")

SAID = {
    "en": [
        "where is the limit set?",
        "can someone restart the worker",
        "the api is down",
        "sounds good",
        "thank you",
    ],
    "id": [
        "gimana cara restart worker",
        "tolong cek deploy nya dong",
        "api lagi down",
        "siap",
        "makasih banyak kak",
    ],
    "es": [
        "¿dónde está el límite?",
        "alguien puede revisar el servidor, por favor",
        "la api no responde",
        "de acuerdo",
        "gracias",
    ],
    "pt": [
        "onde fica o limite?",
        "alguém pode reiniciar o servidor, por favor",
        "a api caiu",
        "beleza",
        "muito obrigado",
    ],
    "fr": [
        "où est la limite ?",
        "quelqu'un peut relancer le serveur",
        "l'api ne répond plus",
        "d'accord",
        "merci",
    ],
    "de": [
        "wo steht die Grenze?",
        "kann jemand den Server neu starten",
        "die API antwortet nicht",
        "alles klar",
        "vielen Dank",
    ],
    "fa": [
        "سقف تلاش‌ها کجا تنظیم شده؟",
        "لطفا کسی می‌تونه سرور را بررسی کنه",
        "سرور جواب نمی‌ده",
        "باشه",
        "خیلی ممنون",
    ],
    "ja": [
        "上限はどこで設定しますか",
        "どなたか教えてください",
        "APIが動きません",
        "了解です",
        "ありがとうございます",
    ],
    "zh": ["上限在哪里设置?", "麻烦帮忙看一下服务器", "接口连不上", "好的", "谢谢"],
    "ko": [
        "한도는 어디에서 설정하나요?",
        "서버 재시작 부탁드립니다",
        "API 접속이 안 됩니다",
        "네 알겠습니다",
        "감사합니다",
    ],
}
EXPECTED = ("actionable", "actionable", "actionable", "ack", "ack")


@pytest.mark.parametrize("code", sorted(SAID))
@pytest.mark.parametrize("alone", [True, False])
def test_each_language_is_understood(code: str, alone: bool) -> None:
    """With its own pack alone, and with all of them on."""
    rules = compile_rules(bot_id="U0TRIAGE", languages=[code]) if alone else ALL
    assert [rules.classify_text(text).classification for text in SAID[code]] == [*EXPECTED]


def test_every_pack_is_tested() -> None:
    """A new pack comes with its line in the table."""
    assert set(language_packs.codes()) == set(SAID)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok なぜ動かない", "actionable"),
        ("can someone cek kenapa job cron nya ga jalan", "actionable"),
        ("thanks kak 🙏", "ack"),
        ("ok merci", "ack"),
        ("siap, thanks pak", "ack"),
        ("der deploy ist down, any idea?", "actionable"),
        ("deploy は終わりました", "ambient"),
        ("noted, nanti aku cek", "ambient"),
    ],
)
def test_messages_that_mix_languages_are_understood(text: str, expected: str) -> None:
    """The packs add to each other."""
    assert ALL.classify_text(text).classification == expected


def test_only_the_named_packs_count() -> None:
    """What a language that is not named says is nothing but text."""
    rules = compile_rules(bot_id="U0TRIAGE", languages=["en"])
    assert rules.classify_text("tolong cek deploy nya dong").classification == "ambient"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("requests: [a", "expected YAML"),
        ("- a", "expected keys with lists"),
        ("wants: [a]", "wants is not a key of a pack"),
        ("requests: please", "requests: expected a list of words"),
        ("requests: [[please]]", "requests: expected a list of words"),
    ],
)
def test_a_broken_pack_is_refused_with_its_name(text: str, said: str) -> None:
    """One glance is enough to mend it."""
    with pytest.raises(Misconfigured) as raised:
        language_packs.parse("xx", text)
    assert "language pack xx" in str(raised.value)
    assert said in str(raised.value)


def test_words_that_yaml_takes_for_more_stay_words() -> None:
    """`no`, `on` and `502` are words of a chat."""
    assert language_packs.parse("xx", "acks: [no, on, 502, ~]").words["acks"] == ("no", "on", "502", "~")
