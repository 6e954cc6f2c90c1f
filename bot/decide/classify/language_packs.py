"""Language packs: the words of tier 0 as data, a file per language in `languages/`. Read once, by
`decide/classify/features`, `decide/addressing/mute_words` and `decide/addressing/addressee`.

A pack gives lists of plain words and phrases under the keys of `KEYS`; docs/classifier.md says how one is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import yaml

from bot.decide.letters import one_form
from bot.decide.word_tables import read_table
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = (
    "openers", "question_words", "plain_questions", "questions", "question_ends", "requests", "wishes", "problems",
    "personal_problems", "failures", "negations", "thanks", "acks", "greetings", "answers", "instructions", "promises",
    "resolved", "advice", "asks_back", "tentative", "contrasts", "announcements", "polls", "rhetorical", "i", "you",
    "symptoms", "jokes", "invitations",
    "news", "statuses", "doing", "social", "praise", "things", "ahead", "punch_lines", "closed", "subjects",
    "troubles", "needs", "requested",
    "hush", "orders", "order_openers", "proposals", "may_we", "note_words", "order_things", "order_named",
    "order_joins", "own_work", "own_topics", "own_persons", "own_alone", "call_off",
    "settled", "settled_alone", "settled_works", "withdrawn", "settled_words", "settled_ends", "unsettled",
    "worked", "denials", "not_served", "was_cause", "refusals", "sameness", "otherwise", "us", "duties",
    "interrogatives", "auxiliaries", "asked_verbs", "appeals", "off_duty", "at_work", "at_work_endings",
    "attempts", "earlier", "pointers", "own_sides", "elsewhere", "corrections", "remainders", "stays", "no_more",
    "doubts", "scopes", "own_cases", "nuisances", "at_last",
    "causes", "still", "told", "conditions", "asides", "follow_ups",
)  # fmt: skip

"""Every value stays the word that was written: `no` and `on` are words here. The C one is in every wheel."""


@dataclass(frozen=True)
class Pack:
    """The words of one language, in lower case."""

    code: str
    language: str
    spaced: bool
    """True if words stand apart; where they do not, a word counts inside any other."""
    words: Mapping[str, tuple[str, ...]]
    """By key; a key that the file leaves out is empty."""


def codes() -> tuple[str, ...]:
    """The codes of the packs that are there, sorted."""
    folder = resources.files("bot.decide.classify") / "languages"
    return tuple(sorted(file.name.removesuffix(".yml") for file in folder.iterdir() if file.name.endswith(".yml")))


def load(wanted: Sequence[str] = ()) -> tuple[Pack, ...]:
    """The packs of these codes, all when none is named. Raises `Misconfigured` for a code that is not there.

    A file is read once in a process: it is the package's own, and a bot asks for the packs in five places.
    """
    return _loaded(tuple(sorted(set(wanted))))


@cache
def _loaded(wanted: tuple[str, ...]) -> tuple[Pack, ...]:
    known = codes()
    for code in wanted:
        if code not in known:
            raise Misconfigured(f"there is no language pack {code!r}, expected one of {', '.join(known)}")
    folder = resources.files("bot.decide.classify") / "languages"
    return tuple(parse(code, (folder / f"{code}.yml").read_text("utf-8")) for code in wanted or known)


def parse(code: str, text: str) -> Pack:
    """The pack in a file's text. Raises `Misconfigured` when it is no pack."""
    try:
        data = read_table(text)
    except yaml.YAMLError as problem:
        raise Misconfigured(f"language pack {code}: expected YAML: {problem}") from problem
    if not isinstance(data, dict):
        raise Misconfigured(f"language pack {code}: expected keys with lists of words")
    for key, value in data.items():
        if key not in (*KEYS, "language", "spaced"):
            raise Misconfigured(f"language pack {code}: {key} is no key of a pack, expected one of {', '.join(KEYS)}")
        if key in KEYS and not (isinstance(value, list) and all(isinstance(word, str) and word for word in value)):
            raise Misconfigured(f"language pack {code}: {key}: expected a list of words")
    return Pack(
        code=code,
        language=str(data.get("language", code)),
        spaced=data.get("spaced", "true") != "false",
        words={key: tuple(plain(word) for word in data.get(key, ())) for key in KEYS},
    )


def plain(word: str) -> str:
    """A word as the text is that it is looked for in."""
    return one_form(word).lower()
