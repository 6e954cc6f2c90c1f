"""Hostile strings: repeated pieces, counted ones, and what would pump each pattern that is not linear in itself."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

from tests.patterns.automaton import TooLargeError, automata
from tests.patterns.found import flags_of, uses
from tests.patterns.linear import pump

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 39_000
"""Characters of each; Slack takes 40,000."""
PIECES = (
    *(
        "<@U1|",
        "<#C1|",
        "<!",
        "<",
        ">",
        "[",
        "](",
        "(",
        "{",
        "|",
        "`",
        "```",
        "```\n",
        "*",
        "**",
        "_",
        "~",
        "#",
        "# ",
        "- ",
    ),
    *(
        " ",
        "\t",
        "\n",
        " \n",
        "\r\n",
        "\u00a0",
        "\u200c",
        "\u200bx",
        "\u202e",
        "\ufe0f",
        "a",
        "A",
        "aA",
        "a_",
        "_",
        "a.",
        "./",
    ),
    *(
        "../",
        "a/",
        "a/b.py:1 ",
        "x/aaaaaaaaaaaaaaaaaaaaaaaa*",
        "1",
        "1.",
        "1_a",
        "0x",
        "1,000 ",
        "@",
        "@a",
        "a@a.",
        "!",
        "?!",
    ),
    *(
        "...",
        ",",
        ", ",
        "; ",
        ":",
        ":a",
        ":a:",
        ":(",
        "\u2013 ",
        '"',
        "'",
        "\\",
        '\\"',
        "'\\",
        "$(",
        "%s",
        "&lt;",
        "&amp;",
        "=",
    ),
    *(
        "a=",
        "a: ",
        "a: []",
        "[]",
        "{}",
        "()",
        "</a>",
        "<a ",
        "https://",
        "https://a/",
        "http://!",
        "mailto:",
        "www.",
        "\ud7a3",
    ),
    *(
        "\u0645\u0631\u062d\u0628\u0627 ",
        "\u0645",
        "\u691c\u7d22",
        "\u3067\u306f\u306a",
        "\u0e01",
        "\U0001f600",
        "\U0001f469\u200d",
    ),
    *(
        "thanks ",
        "hi ",
        "dag allemaal ",
        "please ",
        "and ",
        "not the ",
        "default ",
        "default`a",
        "where is it? ",
        "password=a ",
    ),
    *(
        "e\u0301",
        "\u0130",
        "\u00df",
        "\ufdfa",
        "| a ",
        "|-",
        "> ",
        ">>> ",
        "1. ",
        "    ",
        "!triage ",
        "stop ",
        "show me ",
        "\x1b[",
    ),
)
BEFORE = ("", "where is RETRY_LIMIT set? ", "note: ", "thanks ", "x?\n", "a: ", "`", "```\n")
AFTER = ("", "x", "*", "\u0000", " x y", "`", "?", ">", "\n")
COUNTED = (
    *(
        "pass" + 'word="a#"\n',
        "a_to" + "ken=#A9xQ7 ",
        '"sec' + 'ret": "#Qx9z1k"\n',
        "curl -u a:#9x ",
        "https:" + "//a:#9x@b ",
    ),
    *("%%4#", "&#6#;", "\\u00#1", "eyJ#aaaaaaaa.eyJaaaaaaaa.a ", "Bearer a#", "a/b#.py:1 ", "#.# ", "x# ", "`#` "),
    *("`a#`", "- #\n", "> #\n", "```#\n", "#: b\n", "[#](", "<https://a/#|b> ", "*a#* ", "_a#_ ", '{"a#":', "#,"),
    *("<@U#> ", "<#C#> ", ":e#:", "thanks # ", "is # there? ", "delete a#, ", "kubectl delete a#\n", "12#3 ms "),
)
"""Pieces in which `#` counts, so that no two are the same."""


def hostile(count: int) -> Iterator[str]:
    """So many of them; the first are the longest."""
    chance = random.Random(11)  # noqa: S311  # tries, no secret
    yield from _counted(chance, count)
    left = count - len(COUNTED) - _OF_CHANCE
    pieces = [*PIECES, *(_pumps() if left > len(PIECES) else ())]
    for number in range(left):
        piece = pieces[number % len(pieces)]
        if number >= len(pieces):
            piece += chance.choice(pieces) * chance.choice((0, 1, 1, 7))
        length = LENGTH if number < len(pieces) else chance.choice((150, 400, 1_000, 4_000, LENGTH))
        yield chance.choice(BEFORE) + (piece * (length // len(piece) + 1))[:length] + chance.choice(AFTER)


_OF_CHANCE = 4


def _counted(chance: random.Random, count: int) -> Iterator[str]:
    """Texts in which nothing comes twice: counted pieces, and characters of all scripts by chance."""
    for piece in COUNTED[:count]:
        text = "".join(piece.replace("#", str(number)) for number in range(LENGTH // len(piece)))
        yield chance.choice(BEFORE) + text[:LENGTH]
    for last in (0x7F, 0x3000, 0xFFFF, 0x1FFFF)[: max(0, count - len(COUNTED))]:
        codes = (code for code in (chance.randrange(0x20, last) for _ in range(LENGTH)) if not 0xD800 <= code < 0xE000)
        yield "".join(map(chr, codes))


@cache
def _pumps() -> list[str]:
    found = []
    for use in uses():
        if use.engine == "re" and isinstance(use.pattern, str) and use.name not in ("_SITE", "_BEFORE"):
            try:
                found.append(pump(automata(use.pattern, flags_of(use))))
            except TooLargeError:
                continue
    return list(dict.fromkeys(text for each in found if each for text in each if text))
