"""What a draft says beyond its evidence: numbers, paths and names, in the spellings of people and programs."""

from __future__ import annotations

import pytest

from bot.decide.grounding.unsupported_claims import LONGEST_SHOWN, find_unsupported
from tests.tables import each_row

CITED = """bot/loop.py:10-20 \nLoop run
timeout = 5
limit = 1_000
DAY = 60 * 60 * 24
SIZE = 65536
def read_file(path: str, max_retries: int = 3) -> str:
class ModelSection:
    timeout_s: float = 120
    share = 0.2
    version = "1.2.3"
    GET /api/v1/users
"""
SHA = "9f3b2c1d4e5f60718293a4b5c6d7e8f901234567"


def found(draft: str, question: str = "How does it work?", *cited: str) -> tuple[str, ...]:
    """What is unsupported in a draft that cites the lines above."""
    return find_unsupported(draft, question, cited or (CITED,))


def test_the_number_of_a_cited_line_is_no_value() -> None:
    """`a.py:14` says nothing of 14 days; a port, which is spelt alike, is one."""
    assert found("It is 14 days, see `bot/loop.py:14`.", "", "bot/loop.py:14 \nDAYS = 5", "loop.py line 14") == (
        "14 days",
    )
    assert found("It listens on 8080.", "", "bot/loop.py:14 \nlocalhost:8080") == ()


@pytest.mark.parametrize(
    "draft",
    [
        pytest.param("It waits 5 s, that is 5 seconds, 5s or 5000 ms.", id="a duration in its spellings"),
        pytest.param("The limit is 1000, 1,000, 1.000, 1 000 or 1k.", id="a thousand in its spellings"),
        pytest.param("A day is 86400 s, 24 hours or 1 day.", id="a product, worked out"),
        pytest.param("64 KB at most, or 64KiB, 0x10000 bytes.", id="a size"),
        pytest.param("20 % of them, 20% or 0.2.", id="a share"),
        pytest.param("It is tried three times.", id="a word for a number is plain language"),
        pytest.param("See `bot/loop.py:10-20`, loop.py:12 and bot/.", id="a place inside the cited one"),
        pytest.param("See line 12, lines 10-14.", id="a line inside the cited range"),
        pytest.param("Siehe Zeile 12; veja a linha 11; ver líneas 10 y 12.", id="the same in three languages"),
        pytest.param("Lihat baris 13; 12行を見て。", id="and in two more"),
        pytest.param("خط ۱۲، بین خطوط ۱۰ و ۱۴; строки с 10 по 12; 10行目から12行目", id="in other scripts"),
        pytest.param("_bot/loop.py:12_", id="a place in italics"),
        pytest.param("`read_file` takes `max_retries`, MAX_RETRIES aside.", id="names, in any case"),
        pytest.param("`Loop.run` and `model.timeout_s` and bot.loop.run().", id="dotted names"),
        pytest.param("`timeout = 5` and `timeout   =   5`", id="code as it stands"),
        pytest.param("```\ndef read_file(path: str, max_retries: int = 3) -> str:\n```", id="a quote in a fence"),
        pytest.param("version 1.2.3 or v1.2.3", id="a version"),
        pytest.param("GET /api/v1/users", id="an endpoint"),
        pytest.param("1. first\n2) second\n 3. third", id="marks of a list"),
        pytest.param("The 2nd, a 4xx, UTF-8, sha256, NOT, e.g. GitHub and/or TCP/IP, well-known.", id="plain language"),
        pytest.param("_really important_ and *bold*, <@U0ANA1234>", id="markup"),
        pytest.param("Es wartet 5 Sekunden, höchstens 3 Mal.", id="German"),
        pytest.param("Il attend 5 secondes, au plus 3 fois, soit 1\u202f000 essais.", id="French"),
        pytest.param("Espera 5 segundos; 20 % no, 0,2 sí.", id="Spanish, with a decimal comma"),
        pytest.param("Menunggu 5 detik, paling banyak 3 kali.", id="Indonesian"),
        pytest.param("5秒待って、3回まで再試行します。", id="Japanese, without spaces"),
        pytest.param("\u0665 \u062b\u0648\u0627\u0646\u064d", id="Arabic digits"),
        pytest.param("`None`, `true` and `int`", id="words of every language of code"),
    ],
)  # fmt: skip
def test_what_is_cited_is_supported(draft: str) -> None:
    """No false alarm on another spelling of the same."""
    assert found(draft) == ()


@each_row(
    ("draft", "alarms"),
    [
        pytest.param("It waits 6 s.", ("6 s",), id="another number"),
        pytest.param("It waits 6 seconds or 7ms.", ("6 seconds", "7ms"), id="with its unit"),
        pytest.param("The limit is 1,500, or 2k.", ("1,500", "2k"), id="other thousands"),
        pytest.param("30 % of 0xFF", ("30 %", "0xFF"), id="a share and a hex number"),
        pytest.param("Es wartet 9 Sekunden.", ("9 Sekunden",), id="German"),
        pytest.param("9回まで再試行します。", ("9",), id="Japanese"),
        pytest.param("See bot/loop.py:21 and `bot/other.py:12`.", ("bot/loop.py:21", "bot/other.py:12"), id="places"),
        pytest.param("See bot/loop.py:10-21.", ("bot/loop.py:10-21",), id="a range that is too long"),
        pytest.param("siehe Zeilen 30-40", ("Zeilen 30-40",), id="lines"),
        pytest.param("In src/config/limits.ts and settings.yml.", ("src/config/limits.ts", "settings.yml"), id="paths"),
        pytest.param("POST /api/v2/users", ("/api/v2/users",), id="an endpoint"),
        pytest.param("`write_file`, writeFile, os.remove()", ("write_file", "writeFile", "os.remove()"), id="names"),
        pytest.param("other.timeout_s", ("other.timeout_s",), id="the right name in the wrong place"),
        pytest.param("MAX_SIZE, `--force`, $HOME_DIR", ("MAX_SIZE", "--force", "$HOME_DIR"), id="settings"),
        pytest.param("`timeout = 6`", ("6",), id="code that is not there"),
        pytest.param("```\ntimeout = 7\n```", ("7",), id="a fence that is not there"),
        pytest.param("since 1.2.4", ("1.2.4",), id="a version"),
        pytest.param("on 2026-01-05 at 12:30", ("2026-01-05", "12:30"), id="a moment"),
        pytest.param("https://example.org/docs", ("https://example.org/docs",), id="an address"),
        pytest.param("`backoff` is used", ("backoff",), id="a plain word in backticks"),
        pytest.param("6 and 6 and 6", ("6",), id="each once"),
    ],
)  # fmt: skip
def test_what_stands_nowhere_is_named(draft: str, alarms: tuple[str, ...]) -> None:
    """As the draft spells it, in its order."""
    assert found(draft) == alarms


def test_what_the_asker_wrote_is_supported() -> None:
    """The question's own numbers and names may be repeated."""
    assert found("`retry_on` is not 77.", question="is retry_on=77?") == ()


def test_the_beginning_of_a_cited_commit_is_supported() -> None:
    """As people shorten it; another commit is not."""
    assert found(f"It came with {SHA[:7]}.", "when?", SHA) == ()
    assert found("It came with 3445fcf and abc1234.", "when?", SHA) == ("3445fcf", "abc1234")


def test_nothing_cited_supports_nothing() -> None:
    """Then each number and name is named; plain words never are."""
    assert find_unsupported("It is set to 5 in read_file.", "", ()) == ("5", "read_file")
    assert find_unsupported("It is set in the loop, I think.", "", ()) == ()


@pytest.mark.parametrize("hostile", ["a." * 1_450, "/" * 2_900, "1*" * 1_450, "`" * 2_900, "_" * 2_900, "9" * 2_900])
def test_hostile_texts_end(hostile: str) -> None:
    """Whatever is written, each finding is short."""
    assert all(len(one) <= LONGEST_SHOWN for one in find_unsupported(hostile, hostile[::-1], [hostile[1:] * 6]))
