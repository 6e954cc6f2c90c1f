"""Search query from a question: weighted terms, their synonyms, and adjacent pairs.

Independent of any code base: `decide/retrieval/index` determines the rarity of terms there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.function_words import FUNCTION_WORDS, own_function_words
from bot.decide.retrieval.phrasings import TURNS
from bot.decide.retrieval.quoted_texts import phrases
from bot.decide.retrieval.requested_kinds import asks_for_document, requested_kind
from bot.decide.retrieval.search_text import asked_text
from bot.decide.retrieval.stemmer import LETTERS, LOWER, UPPER, pieces, stem, unaccented
from bot.decide.retrieval.stopwords import CALLING, DECLARING, EVERYDAY, STOP, WEAK, WRITING
from bot.decide.retrieval.synonyms import PARTICLES, everyday, joined_words, synonyms_of, weak_stems
from bot.decide.values.value_question import asks_for_value

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from bot.decide.retrieval.requested_kinds import RequestedKind

MAX_TERMS = 48
"""Maximum number of terms in a query; the ranking uses the rarest of them."""
_MOST_READ = 240
"""Maximum number of terms read of a long text; the most informative of them are searched for."""
MAX_WORD = 40
"""Maximum length of a word; longer runs of letters are noise."""

FOLDED = 0.9
"""Share of a word that differs only in accents: more than a synonym."""
_BESIDE = 0.15  # weight of a pasted word next to the asker's own words
_HINT = 0.3
"""Share of a hint for an idiom."""
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
"""Code names without a capital or an underscore: `mem-queue-size`, `--verbose`, one in backticks."""
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
    """Search term."""

    word: str
    """Spelling of the asker."""
    keys: Mapping[str, float]
    """Stems with the share of the term that each represents; `literal` is a key too."""
    weight: float
    literal: str = ""
    """Identifier or quoted text that is searched for verbatim."""
    proves: bool = True
    """True if it counts towards the answer's confidence; weak words and hints do not."""
    forgiven: bool = False
    """True if a code base without it may still answer, as for everyday words."""


@dataclass(frozen=True, slots=True)
class Query:
    """Query for a whole question."""

    terms: tuple[Term, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    """Pairs of adjacent terms in the question."""
    files: tuple[str, ...] = ()
    """Paths and names of files in the question."""
    favoured: tuple[str, ...] = ()
    """Paths and names of files in the feedback."""
    asks_tests: bool = False
    """True if the question asks for tests."""
    asks_amount: bool = False
    """True if the question asks for a number, a limit or a default."""
    asks: RequestedKind = ""
    port_folders: tuple[str, ...] = ()
    """Folders with a lower weight: ports to languages that the question does not name."""
    generated: frozenset[str] = frozenset()
    """Generated files."""

    @property
    def stems(self) -> tuple[str, ...]:
        """Return all stems of all terms, each once, in a stable order."""
        return tuple(dict.fromkeys(key for term in self.terms for key in term.keys))

    @property
    def literals(self) -> tuple[str, ...]:
        """Return all texts that are searched for verbatim."""
        return tuple(dict.fromkeys(term.literal for term in self.terms if term.literal))


def build_query(
    question: str, feedback: str = "", leave_out: Iterable[str] = (), favoured: Sequence[str] = ()
) -> Query:
    """Build the query of a question; words of `feedback` weigh more, project names in `leave_out` are dropped.

    `favoured` are paths to search first: their words help to find a file, but an answer need not contain them.
    """
    text, feedback_text = asked_text(question, leave_out), asked_text(feedback, leave_out)
    collector = _Collector(weight=1.0, silent=own_function_words(text))
    collector.read(_PASTED.sub(" ", text))
    collector.forgive_declaring()
    if requested_kind(text) == "calls":
        collector.forgive(CALLING)
    if asks_for_document(text):
        collector.forgive(WRITING)
    collector.paste("\n".join(_PASTED.findall(text)))
    if feedback_text:
        collector.weight = 1.4
        collector.read(feedback_text)
    collector.hints(text)
    collector.weight = 1.0
    collector.help(" ".join(name.rsplit(".", 1)[0] for name in favoured))
    order = sorted(range(len(collector.terms)), key=lambda at: (_rank(collector.terms[at]), at))[:MAX_TERMS]
    places = {old: new for new, old in enumerate(sorted(order))}
    return Query(
        terms=tuple(collector.terms[at] for at in places),
        pairs=tuple((places[a], places[b]) for a, b in sorted(collector.pairs) if a in places and b in places),
        files=tuple(dict.fromkeys(_FILE.findall(text))),
        favoured=tuple(dict.fromkeys([*favoured, *_FILE.findall(feedback_text)])),
        asks_tests=bool(_TESTS.search(text)),
        asks_amount=bool(_AMOUNT.search(text)) or asks_for_value(text),
        asks=requested_kind(text),
    )


def _rank(term: Term) -> int:
    """Return the priority of a term in a text with too many; lower is more informative."""
    return 0 if term.literal or (term.proves and not term.forgiven) else 1 if term.proves else 2


class _Collector:
    """Collector of terms in the order of the text; a repeated word is one term."""

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
            for word in _split_token(token):
                at = self._add_word(word, previous)
                if at is not None and before is not None and at != before:
                    self.pairs.add((before, at))
                if at is not None or word not in PARTICLES:
                    before = at
                previous = word

    def paste(self, text: str) -> None:
        """Read pasted text: next to the asker's own words it helps to find, but an answer need not contain it."""
        own = len(self.terms)
        self.read(text)
        if any(term.literal or (term.proves and not term.forgiven) for term in self.terms[:own]):
            pasted = (
                replace(term, weight=_BESIDE * term.weight, proves=False, forgiven=True) for term in self.terms[own:]
            )
            self.terms[own:] = [*pasted]

    def forgive_declaring(self) -> None:
        """Make words such as *declared* optional next to a name of code: they only ask for its place."""
        if any(term.literal for term in self.terms) or self._has_name:
            self.forgive(DECLARING)

    def forgive(self, words: Container[str]) -> None:
        """Make words optional: *guide* if a document is asked for, *invoked* if calls are."""
        self.terms[:] = [
            replace(term, proves=False, forgiven=True) if term.word in words else term for term in self.terms
        ]

    def help(self, text: str) -> None:
        """Read words that help to find, but that an answer need not contain."""
        own = len(self.terms)
        self.read(text)
        self.terms[own:] = [replace(term, proves=False, forgiven=True) for term in self.terms[own:]]

    def hints(self, text: str) -> None:
        """Add the words that code uses for idioms in the text."""
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

    def _add_word(self, word: str, previous: str) -> int | None:
        """Return the index of the word's term; `None` for a word without information."""
        if word in PARTICLES and (stem(previous), word) in joined_words():
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
        unsaying = word in WEAK or key in weak_stems() or word in FUNCTION_WORDS
        keys = synonyms_of(key)
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
        """Join two words: `time out` is also `timeout`, and as informative."""
        at = self._seen.get(stem(first))
        whole = stem(joined_words()[stem(first), second])
        if whole in self._seen:
            return
        if at is None:  # the first word alone has no meaning: `back up`
            at = self._seen[whole] = len(self.terms)
            self.terms.append(Term(first, {}, self.weight, forgiven=True))
        keys = {**self.terms[at].keys, **synonyms_of(whole)}
        self.terms[at] = Term(f"{first} {second}", keys, self.weight, forgiven=True)


def _without_ending(name: re.Match[str]) -> str:
    return f" {name[0]} " if "/" in name[0] else f" {name[0].rsplit('.', 1)[0]} "


def _split_token(token: str) -> list[str]:
    """Split a token into lower-case words: parts of an identifier, runs of a script without spaces."""
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
