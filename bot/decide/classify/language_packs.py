"""Language packs: word lists of tier 0, one file per language in `languages/`, read once per process.

A pack lists lower-case words and phrases under the keys of `KEYS`; docs/classifier.md tells how a pack is written.
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

KEYS = {
    "openers": '"hi", "so": what a sentence may start with before its first word counts',
    "question_words": '"how": at the start of a sentence',
    "plain_questions": '"is the", "which port": at the start of a question without a mark',
    "questions": '"any idea": asks anywhere',
    "question_ends": "か, -kah: at the end of a sentence",
    "requests": '"can someone"',
    "wishes": '"I need"',
    "problems": '"wrong": reports a problem; answers name it, too',
    "personal_problems": '"I\'m getting": a problem of the author',
    "failures": '"is down": almost always a present failure',
    "negations": '"no errors": takes a problem back',
    "thanks": '"thanks"',
    "acks": '"got it", "very much": at the start of the message, or all of it',
    "greetings": '"hello": at the start of the message, or all of it',
    "answers": '"yes", "that\'s": at the start of the message',
    "instructions": '"run": at the start of a sentence',
    "promises": '"will check"',
    "resolved": '"works now"',
    "advice": '"you need to"',
    "asks_back": '"did you": about another person\'s question',
    "tentative": '"maybe": a guess',
    "contrasts": '"but": qualifies thanks',
    "announcements": '"heads up"',
    "polls": '"any takers"',
    "rhetorical": '"who knows": wants no answer',
    "i": "words for the speaker",
    "you": "words for the reader",
    "symptoms": '"never arrives"',
    "jokes": '"just kidding"',
    "invitations": '"lunch?"',
    "news": '"for your understanding"',
    "statuses": '"wfh": the author\'s place or work',
    "doing": '"deploying": at the start of a sentence',
    "social": '"weather", "snow"',
    "praise": '"you rock"',
    "things": '"page", "report": objects of work',
    "ahead": '"tomorrow": of the future',
    "punch_lines": '"because": behind a question mark, answers it',
    "closed": '"running again": is over',
    "subjects": '"our", "since": at the start of a report',
    "troubles": "words of reports of trouble",
    "needs": '"could use"',
    "requested": '"access", "quota": objects of requests',
    "hush": '"triage, be quiet": mutes a thread; `@bot` is a mention',
    "orders": '"pause"',
    "order_openers": '"could you": before an order',
    "proposals": '"shall we": goes to the chat',
    "may_we": '"could we": goes to the chat unless it names code',
    "note_words": '"note": goes to the chat',
    "order_things": '"queue": objects of orders',
    "order_named": '"project": stands beside a name',
    "order_joins": '"the", "of": between words of an order',
    "own_work": '"what are you doing": about the bot',
    "own_topics": '"answer": with one of `own_persons`, about the bot',
    "own_persons": '"my"',
    "own_alone": '"help": as the whole message, for the bot',
    "call_off": '"stop that": ends an answer',
    "settled": '"solved": the question is settled',
    "settled_alone": '"found it": settled if nobody else has written',
    "settled_works": '"it works": which the next words may limit',
    "withdrawn": '"nvm"',
    "settled_words": '"finally": may stand beside `settled`',
    "settled_ends": '"by": may follow `settled`',
    "unsettled": '"but", "the first": not settled after all',
    "worked": '"fixed": success',
    "denials": '"not", "only", "almost": take success back',
    "not_served": '"it came back": denies the reply',
    "was_cause": '"that was the problem": success',
    "refusals": '"nope"',
    "sameness": '"as before": denies the reply',
    "otherwise": '"at the same time": is no `sameness`',
    "us": '"for us": the author\'s side',
    "duties": '"on call", "shift": a question with one is about work',
    "interrogatives": '"which": with an auxiliary, at the start of a sentence',
    "auxiliaries": '"are"',
    "asked_verbs": '"signs": behind "who"',
    "appeals": '"please all": to everybody',
    "off_duty": '"after the late shift": is not about work',
    "at_work": '"done with": at the start of a sentence',
    "at_work_endings": '"-ing the": the same, by the end of a word',
    "attempts": '"tried": with `earlier`, denies the reply',
    "earlier": '"already"',
    "pointers": '"that\'s": with `elsewhere`, denies the reply',
    "own_sides": '"ours is": with `elsewhere`, denies the reply',
    "elsewhere": '"other"',
    "corrections": '"I meant the"',
    "remainders": '"second", "rest": the reply serves in part',
    "stays": '"unchanged": behind thanks, denies the reply',
    "no_more": '"no more": with `nuisances`, success',
    "doubts": '"can\'t be right"',
    "scopes": '"only covers": with `own_cases`, denies the reply',
    "own_cases": '"mine are"',
    "nuisances": '"alarms"',
    "at_last": '"now", "again": beside success',
    "causes": '"why": asks for a cause',
    "still": '"still"',
    "told": '"it", "mine": subjects of reports on the reply',
    "conditions": '"when": before a condition',
    "asides": '"different topic": another matter',
    "follow_ups": '"one more question": another matter',
}
"""Keys of a pack with examples of their words, or their meaning.

`news` to `requested` and `duties` to `at_work_endings` count in help channels, `hush` to `call_off` in messages to the
bot, the others from `settled` on below a question or a reply. All values are read as text: `no` and `on` are words
here, not booleans.
"""


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
