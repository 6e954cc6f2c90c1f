"""From a person's question to what is searched for: terms with their weight, their kin, and which stand side by side.

Nothing here has seen the code base: how rare a term is there is `decide/retrieval/ranking`'s part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.function_words import FUNCTION_WORDS, own_function_words
from bot.decide.retrieval.phrasings import TURNS
from bot.decide.retrieval.quoted_texts import phrases
from bot.decide.retrieval.requested_kinds import asked_for, asks_for_document
from bot.decide.retrieval.search_text import asked_text
from bot.decide.retrieval.stemmer import LETTERS, LOWER, UPPER, pieces, stem, unaccented
from bot.decide.retrieval.stopwords import CALLING, DECLARING, EVERYDAY, STOP, WEAK, WRITING
from bot.decide.retrieval.synonyms import PARTICLES, everyday, joined, kin, weak
from bot.decide.values.value_question import asks_for_value

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from bot.decide.retrieval.requested_kinds import Asked

MAX_TERMS = 48
"""Terms searched for; `ranking` keeps the rarest of them."""
_MOST_READ = 240
"""Terms of a long text, of which the most telling ones are searched for."""
MAX_WORD = 40
"""A longer run of letters is no word that somebody asks about."""

FOLDED = 0.9
"""What a word counts with accents where it was asked for without, or the other way round: more than kin of it."""
_BESIDE = 0.15  # what a word counts that was pasted beside words of the asker's own
_HINT = 0.3
"""How far a word of `TURNS` does for the turn of speech."""
_PASTED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FILE = re.compile(
    rf"(?<![\w{LETTERS}.-])(?:[\w{LETTERS}.-]+/)*[\w{LETTERS}-]+(?:\.[\w{LETTERS}-]+)*\."
    r"(?:py|pyi|pyx|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|sql|md|rst|txt|toml|ya?ml|json|ini|cfg|conf|html|css|proto|tf)\b"
    rf"|(?<![\w{LETTERS}.-])(?:[\w{LETTERS}.-]+/){{2,}}[\w{LETTERS}.-]+",
    re.ASCII,
)
_TOKEN = re.compile(r"[^\W_][\w]*(?:['\u2019.-][\w]+)*|_\w+")
_CJK = re.compile(r"[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]{2,}|[\uac00-\ud7af]{2,}")
_SCRIPT = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_IDENTIFIER = re.compile(
    rf"[\w{LETTERS}]*(?:[{LOWER}0-9]_+[\w{LETTERS}]|[{LOWER}][{UPPER}]|[{UPPER}]_[{UPPER}])[\w{LETTERS}]*|__[\w{LETTERS}]+__",
    re.ASCII,
)
_CODE_NAME = re.compile(r"`[^`\s]+`|(?<![\w-])(?:--[a-z][\w-]*|[^\W_]{3,}(?:-[^\W_]{3,}){2,})(?![\w-])")
"""Names that no capital and no underscore betrays: `mem-queue-size`, `--verbose`, one in backticks."""
_SPOKEN = re.compile(r"[^\W\d_]+")
_TESTS = re.compile(
    r"\b(?:which|what|any|unit|integration|the) tests?\b|\btests? (?:for|of|that|cover)|\btested\b|\btest_",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\bhow (?:long|many|much|often|big|large|far|old)\b"
    r"|\b(?:default|max|maximum|min|minimum|limit|number of|port|size|threshold)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that is searched for."""

    word: str
    """As the asker wrote it."""
    keys: Mapping[str, float]
    """Stems and the share of the term that each stands for; a literal text is a key too, in `literal`."""
    weight: float
    literal: str = ""
    """An identifier or quoted text, searched for letter by letter."""
    proves: bool = True
    """True if it counts when the answer's confidence is worked out: weak words and hints do not."""
    forgiven: bool = False
    """True if a code base without it may still answer: true for everyday words."""


@dataclass(frozen=True, slots=True)
class Query:
    """The whole question, ready to search."""

    terms: tuple[Term, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    """Terms that stand side by side in the question."""
    files: tuple[str, ...] = ()
    """Paths and names of files that the asker wrote."""
    favoured: tuple[str, ...] = ()
    """Paths and names of files in the feedback."""
    tests: bool = False
    """True if tests are asked for."""
    amount: bool = False
    """True if a number, a limit or a default is asked for."""
    asks: Asked = ""
    beside: tuple[str, ...] = ()
    """Folders of the project that count less: ports in a language that the asker did not name."""
    made: frozenset[str] = frozenset()
    """Files that say of themselves that a tool wrote them."""

    @property
    def stems(self) -> tuple[str, ...]:
        """Every stem of every term, each once, in a stable order."""
        return tuple(dict.fromkeys(key for term in self.terms for key in term.keys))

    @property
    def literals(self) -> tuple[str, ...]:
        """Every text that is searched for letter by letter."""
        return tuple(dict.fromkeys(term.literal for term in self.terms if term.literal))


def query(question: str, feedback: str = "", leave_out: Iterable[str] = (), favoured: Sequence[str] = ()) -> Query:
    """What to search for; words of `feedback` weigh more, names of projects in `leave_out` are dropped.

    `favoured` are paths where to look: their words help to find a file, and no answer has to hold them.
    """
    text, more = asked_text(question, leave_out), asked_text(feedback, leave_out)
    asked = _Collector(weight=1.0, silent=own_function_words(text))
    asked.read(_PASTED.sub(" ", text))
    asked.forgive_declaring()
    if asked_for(text) == "calls":
        asked.forgive(CALLING)
    if asks_for_document(text):
        asked.forgive(WRITING)
    asked.paste("\n".join(_PASTED.findall(text)))
    if more:
        asked.weight = 1.4
        asked.read(more)
    asked.hints(text)
    asked.weight = 1.0
    asked.help(" ".join(name.rsplit(".", 1)[0] for name in favoured))
    order = sorted(range(len(asked.terms)), key=lambda at: (_rank(asked.terms[at]), at))[:MAX_TERMS]
    places = {old: new for new, old in enumerate(sorted(order))}
    return Query(
        terms=tuple(asked.terms[at] for at in places),
        pairs=tuple((places[a], places[b]) for a, b in sorted(asked.pairs) if a in places and b in places),
        files=tuple(dict.fromkeys(_FILE.findall(text))),
        favoured=tuple(dict.fromkeys([*favoured, *_FILE.findall(more)])),
        tests=bool(_TESTS.search(text)),
        amount=bool(_AMOUNT.search(text)) or asks_for_value(text),
        asks=asked_for(text),
    )


def _rank(term: Term) -> int:
    """How little a term tells, where a text has too many of them."""
    return 0 if term.literal or (term.proves and not term.forgiven) else 1 if term.proves else 2


class _Collector:
    """Gathers terms in the order of the text; a word that comes twice is one term."""

    def __init__(self, weight: float, silent: Container[str]) -> None:
        self.weight = weight
        self._silent = silent
        self.terms: list[Term] = []
        self.pairs: set[tuple[int, int]] = set()
        self._seen: dict[str, int] = {}
        self._has_name = False

    def read(self, text: str) -> None:
        for literal in (*phrases(text), *(name for name in _FILE.findall(text) if "/" not in name)):
            self._literal(literal)
        before: int | None = None
        previous = ""
        self._has_name |= bool(_CODE_NAME.search(text))
        for token in _TOKEN.findall(_FILE.sub(_without_ending, text)):
            if len(self.terms) >= _MOST_READ:
                return
            if _IDENTIFIER.fullmatch(token) and len(token) <= MAX_WORD:
                self._literal(token)
            for word in _words(token):
                at = self._word(word, previous)
                if at is not None and before is not None and at != before:
                    self.pairs.add((before, at))
                if at is not None or word not in PARTICLES:
                    before = at
                previous = word

    def paste(self, text: str) -> None:
        """Read what was pasted: beside words of the asker's own it helps to find, and no answer has to hold it."""
        own = len(self.terms)
        self.read(text)
        if any(term.literal or (term.proves and not term.forgiven) for term in self.terms[:own]):
            pasted = (
                replace(term, weight=_BESIDE * term.weight, proves=False, forgiven=True) for term in self.terms[own:]
            )
            self.terms[own:] = [*pasted]

    def forgive_declaring(self) -> None:
        """Beside the name of something in code, words such as *declared* only ask for its place."""
        if any(term.literal for term in self.terms) or self._has_name:
            self.forgive(DECLARING)

    def forgive(self, words: Container[str]) -> None:
        """Let words tell nothing: *guide* where something written is asked for, *invoked* where calls are."""
        self.terms[:] = [
            replace(term, proves=False, forgiven=True) if term.word in words else term for term in self.terms
        ]

    def help(self, text: str) -> None:
        """Read words that help to find, and that no answer has to hold."""
        own = len(self.terms)
        self.read(text)
        self.terms[own:] = [replace(term, proves=False, forgiven=True) for term in self.terms[own:]]

    def hints(self, text: str) -> None:
        """Words that code uses for the turns of speech in the text."""
        spoken = f" {' '.join(_SPOKEN.findall(text.lower()))} "
        for turn, words in TURNS:
            if f" {turn} " in spoken:
                keys = dict.fromkeys(map(stem, words.split()), _HINT)
                keys = {key: share for key, share in keys.items() if key not in self._seen}
                if keys:
                    self.terms.append(Term(turn, keys, 1.0, proves=False, forgiven=True))

    def _literal(self, text: str) -> None:
        if text.lower() not in self._seen:
            self._seen[text.lower()] = len(self.terms)
            self.terms.append(Term(text, {}, 2.0 * self.weight, literal=text, forgiven=" " in text))

    def _word(self, word: str, previous: str) -> int | None:
        """The index of the word's term; `None` for a word that says nothing."""
        if word in PARTICLES and (stem(previous), word) in joined():
            self._join(previous, word)
            return None
        if (
            word in STOP
            or word in self._silent
            or (len(word) < 2 and not _SCRIPT.search(word))
            or len(word) > MAX_WORD
            or (word.isdecimal() and len(word) < 2)
        ):
            return None
        key = stem(word)
        if key in self._seen:
            return self._seen[key]
        self._seen[key] = len(self.terms)
        unsaying = word in WEAK or key in weak() or word in FUNCTION_WORDS
        keys = kin(key)
        keys.update(dict.fromkeys(map(stem, unaccented(word)), FOLDED))
        if previous not in STOP and previous.isascii() and word.isascii() and not unsaying:
            keys.setdefault(stem(previous + word), 1.0)
        self.terms.append(
            Term(
                word,
                keys,
                weight=self.weight * (0.35 if unsaying else 1.0),
                proves=not unsaying,
                forgiven=unsaying or word in EVERYDAY or key in everyday(),
            )
        )
        return self._seen[key]

    def _join(self, first: str, second: str) -> None:
        """`time out` is `timeout` as well, and as telling."""
        at = self._seen.get(stem(first))
        whole = stem(joined()[stem(first), second])
        if whole in self._seen:
            return
        if at is None:  # the first half alone says nothing: `back up`
            at = self._seen[whole] = len(self.terms)
            self.terms.append(Term(first, {}, self.weight, forgiven=True))
        keys = {**self.terms[at].keys, **kin(whole)}
        self.terms[at] = Term(f"{first} {second}", keys, self.weight, forgiven=True)


def _without_ending(name: re.Match[str]) -> str:
    return f" {name[0]} " if "/" in name[0] else f" {name[0].rsplit('.', 1)[0]} "


def _words(token: str) -> list[str]:
    """The words of one token, in lower case: parts of an identifier, runs of a script without spaces."""
    if _SCRIPT.search(token):
        latin = [word for part in re.findall(rf"[A-Za-z0-9_{LETTERS}]+", token) for word in pieces(part)]
        return latin + _CJK.findall(token)
    whole = re.sub(r"['\u2019](?:s|ll|re|ve|d|t|m)$", "", token, flags=re.IGNORECASE)
    if "'" in token or "\u2019" in token:
        spoken = token.lower().replace("'", "").replace("\u2019", "")
        if spoken in STOP or spoken.endswith("nt"):
            return ["not"]
    if re.fullmatch(r"[A-Z]+s", whole):  # URLs, IDs
        return [whole.lower()]
    return [piece for part in re.split(r"[^\w]+", whole) for piece in pieces(part)]
