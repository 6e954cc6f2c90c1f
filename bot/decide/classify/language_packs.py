"""Language packs: word lists of tier 0, one file per language in `languages/`, read once per process.

A pack lists lower-case words and phrases under the keys of `KEYS`; docs/classifier.md describes the format.
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

"""All values are read as text: `no` and `on` are words here, not booleans."""


@dataclass(frozen=True)
class Pack:
    """Word lists of one language, in lower case."""

    code: str
    language: str
    spaced: bool
    """True if spaces separate words; otherwise a word may be part of any other."""
    words: Mapping[str, tuple[str, ...]]
    """Words by key; a missing key is empty."""


def codes() -> tuple[str, ...]:
    """Return the codes of the available packs, sorted."""
    folder = resources.files("bot.decide.classify") / "languages"
    return tuple(sorted(file.name.removesuffix(".yml") for file in folder.iterdir() if file.name.endswith(".yml")))


def load(wanted: Sequence[str] = ()) -> tuple[Pack, ...]:
    """Return the packs of these codes, all by default. Raises `Misconfigured` for an unknown code.

    Each file is read once per process.
    """
    return _load_packs(tuple(sorted(set(wanted))))


@cache
def _load_packs(wanted: tuple[str, ...]) -> tuple[Pack, ...]:
    available = codes()
    for code in wanted:
        if code not in available:
            raise Misconfigured(f"there is no language pack {code!r}, expected one of {', '.join(available)}")
    folder = resources.files("bot.decide.classify") / "languages"
    return tuple(parse(code, (folder / f"{code}.yml").read_text("utf-8")) for code in wanted or available)


def parse(code: str, text: str) -> Pack:
    """Parse the text of a pack file. Raises `Misconfigured` for an invalid one."""
    try:
        data = read_table(text)
    except yaml.YAMLError as problem:
        raise Misconfigured(f"language pack {code}: expected YAML: {problem}") from problem
    if not isinstance(data, dict):
        raise Misconfigured(f"language pack {code}: expected keys with lists of words")
    for key, value in data.items():
        if key not in (*KEYS, "language", "spaced"):
            raise Misconfigured(
                f"language pack {code}: {key} is not a key of a pack, expected one of {', '.join(KEYS)}"
            )
        if key in KEYS and not (isinstance(value, list) and all(isinstance(word, str) and word for word in value)):
            raise Misconfigured(f"language pack {code}: {key}: expected a list of words")
    return Pack(
        code=code,
        language=str(data.get("language", code)),
        spaced=data.get("spaced", "true") != "false",
        words={key: tuple(normalise_word(word) for word in data.get(key, ())) for key in KEYS},
    )


def normalise_word(word: str) -> str:
    """Normalise a word in the same way as the texts that it is searched in."""
    return one_form(word).lower()
