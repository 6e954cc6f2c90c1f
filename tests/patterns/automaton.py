"""The automaton of a pattern as Python's engine walks it, over a small alphabet that the pattern cannot tell apart.

A state is a place in the pattern and the character that led there, so that `\\b` and what looks one character around
are exact. What looks further ahead is a branch that leads nowhere: its steps count. What looks further behind has a
fixed width, so it costs a constant; it is taken to hold, which can only add paths. So is what an atomic group forbids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]  # typeshed does not name it
from re import _parser as parser  # type: ignore[attr-defined]  # typeshed does not name it
from typing import Any

MOST = 40_000
"""States, places or silent paths of one pattern; more is not examined."""
_SAMPLES = frozenset((*map(chr, range(0x180)), *"٠مक́中あก\u2028\u3000\u200b\ufe0f\U0001f600\ue000Ⅷ"))

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
Chars = frozenset[str]
Condition = Callable[[str, str], bool]
"""Of the characters before and after a place; none is empty."""
State = tuple[int, str]
Way = tuple[int, Chars | None, tuple[Condition, ...]]
"""A silent path: to what is read there, or to the place itself, under which conditions."""


class TooLargeError(Exception):
    """The pattern cannot be examined."""


@dataclass
class Automaton:
    """Edges between states, each with the number of ways that the engine has to walk it, capped at two."""

    edges: dict[State, dict[State, int]] = field(default_factory=dict)
    starts: set[State] = field(default_factory=set)
    """Where nothing of the pattern is read yet."""
    happy: set[State] = field(default_factory=set)
    """Where the engine can always end well: it never goes back past such a place."""
    left_happy: set[tuple[State, State]] = field(default_factory=set)
    """Edges where it could have ended well instead, given what is read next."""


def automata(pattern: str, flags: int = 0, *, anchored: bool = False, whole: bool = False) -> Iterator[Automaton]:
    """One for each alternative that has a loop, since no text leads from one alternative into another.

    Of a pattern that is searched for from every place; `anchored`, from one; `whole`, of all the text.
    """
    tree = parser.parse(pattern, flags)
    groups: dict[int | None, Any] = {}
    for items, known in _alternatives(tree, tree.state.flags, groups):
        if _loops(items):
            build = _Places(known, _universe(items), groups)
            yield _walked(build, build.sequence(items, 0), anchored=anchored, whole=whole)


def _alternatives(items: Any, flags: int, groups: dict[int | None, Any]) -> Iterator[tuple[Any, int]]:
    if len(items) == 1 and items[0][0] is op.BRANCH:
        for each in items[0][1][1]:
            yield from _alternatives(each, flags, groups)
    elif len(items) == 1 and items[0][0] is op.SUBPATTERN:
        group, add, remove, inner = items[0][1]
        groups[group] = inner
        yield from _alternatives(inner, (flags | add) & ~remove, groups)
    else:
        yield items, flags


def _loops(node: Any) -> bool:
    """Return whether anything is repeated without a bound."""
    if isinstance(node, tuple) and len(node) == 2 and node[0] in _REPEATS and node[1][1] is op.MAXREPEAT:
        return True
    return isinstance(node, (tuple, list, parser.SubPattern)) and any(map(_loops, node))


def _universe(tree: Any) -> Chars:
    found: set[str] = set(_SAMPLES)

    def walk(node: Any) -> None:
        if isinstance(node, tuple) and len(node) == 2 and node[0] in (op.LITERAL, op.NOT_LITERAL):
            found.add(chr(node[1]))
        elif isinstance(node, tuple) and len(node) == 2 and node[0] is op.RANGE:
            first, last = node[1]
            found.update(chr(code) for code in (first - 1, first, last, last + 1) if 0 <= code <= 0x10FFFF)
        elif isinstance(node, (tuple, list, parser.SubPattern)):
            for each in node:
                walk(each)

    walk(tree)
    for char in [*found]:
        found.update(each for each in (char.lower(), char.upper()) if len(each) == 1)
    return frozenset(found)


class _Places:
    """Places of the pattern, joined by what they read and by silent steps."""

    def __init__(self, flags: int, universe: Chars, groups: dict[int | None, Any]) -> None:
        self.flags = flags
        self.universe = universe
        self.count = 1
        self.silent: dict[int, list[tuple[int, Condition | None]]] = defaultdict(list)
        self.reads: dict[int, list[tuple[int, Chars]]] = defaultdict(list)
        self.told_apart: set[Chars] = set()
        self.groups = groups
        self.guesses: set[Condition] = set()
        """Conditions that are taken to hold, and may not."""

    def node(self) -> int:
        self.count += 1
        if self.count > MOST:
            raise TooLargeError
        return self.count - 1

    def link(self, start: int, condition: Condition | None = None) -> int:
        end = self.node()
        self.silent[start].append((end, condition))
        return end

    def kept(self, chars: Iterable[str]) -> Chars:
        one = frozenset(chars)
        self.told_apart.add(one)
        return one

    def sequence(self, items: Any, at: int) -> int:
        for kind, value in items:
            at = self.item(kind, value, at)
        return at

    def item(self, kind: Any, value: Any, at: int) -> int:
        if kind is op.SUBPATTERN:
            self.groups[value[0]] = value[3]
        if (chars := self.single(kind, value)) is not None:
            end = self.node()
            self.reads[at].append((end, self.kept(chars)))
            return end
        if kind is op.SUBPATTERN:
            _, add, remove, inner = value
            before, self.flags = self.flags, (self.flags | add) & ~remove
            end = self.sequence(inner, at)
            self.flags = before
            return end
        if kind is op.BRANCH:
            end = self.node()
            for each in value[1]:
                self.silent[self.sequence(each, self.link(at))].append((end, None))
            return end
        if kind in _REPEATS:
            fewest, most, inner = value
            return self.repeat(kind, fewest, most, inner, at)
        return self.rarer(kind, value, at)

    def rarer(self, kind: Any, value: Any, at: int) -> int:
        if kind is op.ATOMIC_GROUP:
            return self.sequence(value, at)
        if kind is op.AT:
            return self.link(at, self.edge(value))
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            return self.look(kind is op.ASSERT, direction, inner, at)
        if kind is op.GROUPREF:
            return self.again(value, at)
        if kind is op.GROUPREF_EXISTS:
            return self.item(op.BRANCH, (None, [value[1], value[2] or ()]), at)
        raise TooLargeError(str(kind))

    def repeat(self, kind: Any, least: int, most: Any, inner: Any, at: int) -> int:
        for _ in range(least):
            at = self.sequence(inner, at)
        end = self.node()
        leave: Condition | None = None
        chars = self.single(*inner[0]) if len(inner) == 1 else None
        if kind is op.POSSESSIVE_REPEAT and chars is not None and most is op.MAXREPEAT:
            leave = partial_not(self.kept(chars))
        if most is op.MAXREPEAT:
            loop = self.link(at)
            self.silent[loop].append((end, leave))
            self.silent[self.sequence(inner, self.link(loop))].append((loop, None))
            return end
        for _ in range(most - least):
            self.silent[at].append((end, None))
            at = self.sequence(inner, self.link(at))
        self.silent[at].append((end, None))
        return end

    def again(self, group: int, at: int) -> int:
        """What a group took, once more: any text of its characters, which is more than the engine takes."""
        chars = self.kept(self.all_of(inner := self.groups[group]))
        if len(inner) == 1 and self.single(*inner[0]) is not None:
            end = self.node()
            self.reads[at].append((end, chars))
            return end
        loop = self.node()
        self.reads[at].append((loop, chars))
        self.reads[loop].append((loop, chars))
        return loop

    def all_of(self, inner: Any) -> Chars:
        """All characters that a group can take; it takes one at least."""
        found: set[str] = set()
        for kind, value in inner:
            if (chars := self.single(kind, value)) is not None:
                found |= chars
            elif kind in _REPEATS:
                found |= self.all_of(value[2])
            elif kind is op.BRANCH:
                found.update(*(self.all_of(each) for each in value[1]))
            else:
                raise TooLargeError("a group of more than plain characters, asked for again")
        return frozenset(found)

    def single(self, kind: Any, value: Any) -> Chars | None:
        """The characters of which one is read here; `None` for what reads none, or more."""
        if kind is op.LITERAL:
            return self.folded({chr(value)})
        if kind is op.NOT_LITERAL:
            return self.universe - self.folded({chr(value)})
        if kind is op.ANY:
            return self.universe if self.flags & re.DOTALL else self.universe - {"\n"}
        if kind is op.IN:
            return self.charset(value)
        if kind is op.SUBPATTERN and len(value[3]) == 1 and not value[1] and not value[2]:
            return self.single(*value[3][0])
        return None

    def folded(self, chars: Iterable[str]) -> Chars:
        if not self.flags & re.IGNORECASE:
            return frozenset(chars)
        return frozenset(form for char in chars for form in (char, char.lower(), char.upper()) if len(form) == 1)

    def charset(self, items: Any) -> Chars:
        negated = items[0][0] is op.NEGATE
        found: set[str] = set()
        for kind, value in items[1:] if negated else items:
            if kind is op.LITERAL:
                found.add(chr(value))
            elif kind is op.RANGE:
                found.update(char for char in self.universe if value[0] <= ord(char) <= value[1])
            else:
                found |= _category(value, self.universe)
        return self.universe - self.folded(found) if negated else self.folded(found)

    def edge(self, value: Any) -> Condition:
        line = self.kept("\n")
        if value in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
            word, wanted = self.kept(_category(op.CATEGORY_WORD, self.universe)), value is op.AT_BOUNDARY
            return lambda before, after: ((before in word) != (after in word)) == wanted
        if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            lines = self.flags & re.MULTILINE and value is op.AT_BEGINNING
            return lambda before, _: not before or bool(lines and before in line)
        return lambda _, after: not after or (value is op.AT_END and after in line)

    def look(self, wanted: bool, direction: int, inner: Any, at: int) -> int:
        if (ones := self.ones(inner)) is not None:
            chars, at_edge = ones

            def holds(before: str, after: str) -> bool:
                char = after if direction > 0 else before
                return (char in chars if char else at_edge) == wanted

            return self.link(at, holds)
        if direction > 0:
            self.sequence(inner, self.link(at))
        near = self.single(*inner[0 if direction > 0 else -1]) if wanted and len(inner) else None
        known = self.universe if near is None else self.kept(near)

        def may_hold(before: str, after: str) -> bool:
            return near is None or (after if direction > 0 else before) in known

        self.guesses.add(may_hold)
        return self.link(at, may_hold)

    def ones(self, inner: Any) -> tuple[Chars, bool] | None:
        """The characters of alternatives that are one character each, and whether the text's edge is one of them."""
        options = inner[0][1][1] if len(inner) == 1 and inner[0][0] is op.BRANCH else [inner]
        chars: set[str] = set()
        at_edge = False
        for each in options:
            if len(each) != 1:
                return None
            kind, value = each[0]
            if kind is op.AT and value not in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
                at_edge = True
                chars |= {"\n"} if value is op.AT_END or self.flags & re.MULTILINE else set()
            elif (found := self.single(kind, value)) is not None:
                chars |= found
            else:
                return None
        return self.kept(chars), at_edge

    def letters(self) -> list[str]:
        """One character for each kind that the pattern tells apart."""
        kinds: dict[str, list[int]] = {char: [] for char in self.universe}
        for number, chars in enumerate(self.told_apart):
            for char in chars & self.universe:
                kinds[char].append(number)
        return [*{tuple(kind): char for char, kind in sorted(kinds.items(), reverse=True)}.values()]

    def leaving(self, at: int) -> list[Way]:
        """Every silent path from a place: to what is read there, or to the place itself, under which conditions."""
        found: list[Way] = []
        stack: list[tuple[int, tuple[Condition, ...], frozenset[int]]] = [(at, (), frozenset((at,)))]
        while stack:
            here, conditions, seen = stack.pop()
            found += [(end, chars, conditions) for end, chars in self.reads.get(here, ())]
            found.append((here, None, conditions))
            if len(found) > MOST:
                raise TooLargeError
            for end, condition in self.silent.get(here, ()):
                if end not in seen:
                    stack.append((end, (*conditions, condition) if condition else conditions, seen | {end}))
        return found


def partial_not(chars: Chars) -> Condition:
    """Whether what comes after is none of these."""
    return lambda _, after: after not in chars


def _walked(places: _Places, end: int, *, anchored: bool, whole: bool) -> Automaton:
    letters = places.letters()
    made, ends = Automaton(starts={(0, char) for char in ("", *letters)}), set[State]()
    leaving = cache(places.leaving)
    waiting, seen = [*made.starts], {*made.starts}
    while waiting:
        state = place, before = waiting.pop()
        ways = leaving(place)
        out = _reads(ways, before, letters)
        done = [conditions for target, chars, conditions in ways if chars is None and target == end]
        if any(all(holds(before, "") for holds in conditions) for conditions in done):
            ends.add(state)
        for conditions in () if whole else done:
            if not conditions:
                made.happy.add(state)
            elif places.guesses.isdisjoint(conditions):
                fine = {after for after in letters if all(holds(before, after) for holds in conditions)}
                made.left_happy.update((state, target) for target in out if target[1] in fine)
        if place == 0 and not anchored and not whole:
            out.update(((0, after), 1) for after in letters)
        made.edges[state] = out
        fresh = out.keys() - seen
        seen |= fresh
        waiting += fresh
        if len(seen) > MOST:
            raise TooLargeError
    made.happy |= _sure(made, ends, letters)
    return made


def _reads(ways: list[Way], before: str, letters: list[str]) -> dict[State, int]:
    """The states that come next, with the number of ways to each."""
    out: dict[State, int] = {}
    for target, chars, conditions in ways:
        if chars is None:
            continue
        for after in letters:
            if after in chars and (not conditions or all(holds(before, after) for holds in conditions)):
                out[target, after] = min(2, out.get((target, after), 0) + 1)
    return out


def _sure(made: Automaton, ends: set[State], letters: list[str]) -> set[State]:
    """Where every text ends well: whatever comes is read on from there, up to the end of all."""
    sure = ends - made.starts
    while True:
        fine = sure | made.happy
        lost = {
            state
            for state in sure
            if {target[1] for target in made.edges[state] if target in fine}.issuperset(letters) is False
        }
        if not lost:
            return sure
        sure -= lost


def _category(value: Any, chars: Chars) -> set[str]:
    holds: dict[Any, Callable[[str], bool]] = {
        op.CATEGORY_DIGIT: str.isdecimal,
        op.CATEGORY_SPACE: str.isspace,
        op.CATEGORY_WORD: lambda char: char == "_" or char.isalnum(),
    }
    for kind, other in (
        (op.CATEGORY_DIGIT, op.CATEGORY_NOT_DIGIT),
        (op.CATEGORY_SPACE, op.CATEGORY_NOT_SPACE),
        (op.CATEGORY_WORD, op.CATEGORY_NOT_WORD),
    ):
        if value in (kind, other):
            return {char for char in chars if holds[kind](char) == (value is kind)}
    raise TooLargeError(str(value))
