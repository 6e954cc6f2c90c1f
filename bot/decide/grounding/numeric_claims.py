"""Numeric claims: possible values of spellings such as `1,000`, `1k`, `5 min` or `20 %`.

An ambiguous spelling yields both values.
"""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

import re2

LONGEST = 40
"""Maximum length of a number in characters; longer runs of digits are compared verbatim."""

_SECONDS = {
    Fraction(1, 1000): "ms millisecond milliseconds millisekunden milisegundos millisecondes milidetik ミリ秒",
    Fraction(1): "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes detik 秒",
    Fraction(60): "min mins minute minutes minuten minuto minutos menit 分",
    Fraction(3600): "h hr hrs hour hours stunde stunden hora horas heure heures jam 時間",
    Fraction(86_400): "d day days tag tage tagen día días dia dias jour jours hari 日",
    Fraction(604_800): "week weeks woche wochen semana semanas semaine semaines minggu 週間",
}
_SIZES = {1: "k kb kib", 2: "m mb mib", 3: "g gb gib"}
_TIME = MappingProxyType({unit: size for size, units in _SECONDS.items() for unit in units.split()})
_SIZE = MappingProxyType({unit: power for power, units in _SIZES.items() for unit in units.split()})
_PERCENT = frozenset({"%", "percent", "prozent", "persen", "パーセント"})
_TIMES = frozenset({"x", "\u00d7"})

UNITS = frozenset({*_TIME, *_SIZE, *_PERCENT, *_TIMES})
"""Known units, in lower case."""

_WORDS = {
    2: "two zwei dos deux dois dua",
    3: "three drei tres trois três tiga",
    4: "four vier cuatro quatre quatro empat",
    5: "five fünf cinco cinq lima",
    6: "six sechs seis enam",
    7: "seven sieben siete sept sete tujuh",
    8: "eight acht ocho huit oito delapan",
    9: "nine neun nueve neuf nove sembilan",
    10: "ten zehn diez dix dez sepuluh",
    12: "twelve zwölf doce douze doze",
}
NUMERALS = MappingProxyType({word: Fraction(value) for value, words in _WORDS.items() for word in words.split()})
"""Small numbers in words; `one` is excluded, since most languages use it for `a`."""

_GROUPED = re2.compile(r"\d{1,3}([.,])\d{3}(?:[.,]\d{3})*")


def values(number: str, unit: str = "") -> frozenset[Fraction]:
    """Return the possible values of `number` (digits and separators, or `0x…`) with `unit` (one of `UNITS`, or
    none)."""
    plain = _read_number(number)
    unit = unit.lower()
    if unit in _TIME:
        seconds = {value * _TIME[unit] for value in plain}
        return plain | {value / size for value in seconds for size in _TIME.values()}
    if unit in _SIZE:
        power = _SIZE[unit]
        sized = {value * base**power for value in plain for base in (1000, 1024)}
        return frozenset(sized) if unit == "k" else plain | sized
    if unit in _PERCENT:
        return plain | {value / 100 for value in plain}
    return plain


def product(numbers: list[str]) -> Fraction:
    """Compute a product such as `60 * 60 * 24`. Each number is digits and underscores."""
    whole = Fraction(1)
    for number in numbers:
        whole *= int(number.replace("_", "")[:LONGEST])
    return whole


def _read_number(number: str) -> frozenset[Fraction]:
    if len(number) > LONGEST:
        return frozenset()
    if number[:2].lower() == "0x":
        return frozenset({Fraction(int(number[2:].replace("_", ""), 16))})
    for mark in ("_", "'", "\u2019", " ", "\u00a0", "\u202f"):
        number = number.replace(mark, "")
    readings = set()
    last = max(number.rfind("."), number.rfind(","))
    if last < 0 or (_GROUPED.fullmatch(number) and len({char for char in number if not char.isdigit()}) == 1):
        readings.add(Fraction(int("".join(char for char in number if char.isdigit()))))
    if last >= 0 and number[last] not in number[:last]:  # a decimal mark occurs once
        whole = "".join(char for char in number[:last] if char.isdigit())
        readings.add(Fraction(f"{whole}.{number[last + 1 :]}"))
    return frozenset(readings)
