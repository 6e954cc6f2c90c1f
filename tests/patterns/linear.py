"""Whether a pattern runs in linear time, decided on its automaton; where it does not, the text that shows it.

What the engine walks, failed tries and those from every place of a search included, are paths of the automaton. Their
number for one character of the text is bounded unless there are two loops (p and q, perhaps one of them the search
itself) and one text v with which the engine can stay in p, stay in q, and go from p to q. Then v repeated costs at
least its square. (Weber and Seidl, "On the degree of ambiguity of finite automata".)
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tests.patterns.automaton import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.patterns.automaton import Automaton, State

MOST_STEPS = 3_000_000


def pump(made: Iterable[Automaton]) -> tuple[str, str] | None:
    """What leads to a place, and what makes each repetition dearer than the one before; `None` where nothing does."""
    searches = map(_Search, made)
    return next((found for search in searches if (found := search.twice() or search.between())), None)


def doubling(made: Iterable[Automaton]) -> tuple[str, str] | None:
    """The same for what makes each repetition cost twice as much, which no bound on the text helps."""
    return next((found for each in made if (found := _Search(each).twice())), None)


class _Search:
    def __init__(self, made: Automaton) -> None:
        self.made = made
        self.steps = 0
        self.edges_at_risk = {
            state: {
                target: ways
                for target, ways in out.items()
                if target not in made.happy and (state, target) not in made.left_happy
            }
            for state, out in made.edges.items()
            if state not in made.happy
        }
        self.risky = _loops(self.edges_at_risk)

    @cached_property
    def loops(self) -> list[frozenset[State]]:
        return _loops(self.made.edges)

    @cached_property
    def by_letter(self) -> _ByLetter:
        return _ByLetter(self.made.edges)

    @cached_property
    def by_letter_risky(self) -> _ByLetter:
        return _ByLetter(self.edges_at_risk)

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MOST_STEPS:
            raise TooLargeError("too many pairs of places")

    def twice(self) -> tuple[str, str] | None:
        """A loop that one text walks in two ways: the cost doubles each time."""
        for loop in self.risky:
            if loop & self.made.starts:
                continue
            for state in loop:
                for target, ways in self.made.edges[state].items():
                    if ways > 1 and target in loop and (state, target) not in self.made.left_happy:
                        return self.way_to(state), self.text_between(target, state, loop, target[1])
            if found := self.forked(loop):
                return found
        return None

    def forked(self, loop: frozenset[State]) -> tuple[str, str] | None:
        """Two ways from a state of a loop that meet again in one."""
        came: dict[tuple[State, State], tuple[tuple[State, State] | None, str]] = {}
        waiting: list[tuple[State, State]] = []
        for state in loop:
            came[state, state] = (None, "")
            waiting.append((state, state))
        while waiting:
            pair = left, right = waiting.pop()
            for letter, lefts in self.by_letter_risky[left].items():
                for one in lefts:
                    for other in self.by_letter_risky[right].get(letter, ()):
                        self.step()
                        if one not in loop or other not in loop:
                            continue
                        if one == other and left != right:
                            begin, text = pair, letter
                            while came[begin][0] is not None:
                                before, read = came[begin]
                                begin, text = before, read + text  # type: ignore[assignment]  # asked in the line above
                            return self.way_to(begin[0]), self.text_between(one, begin[0], loop, text)
                        if (one, other) not in came:
                            came[one, other] = (pair, letter)
                            waiting.append((one, other))
        return None

    def between(self) -> tuple[str, str] | None:
        """Two loops that one text walks, and leads from one to the other: the cost grows with the square."""
        for first in self.loops if self.risky else ():
            reached = self.reach(first)
            for second in self.risky:
                if not second & reached or second & self.made.starts:
                    continue
                if not self.comes_back(first, second, reached):
                    continue
                if found := self.joined(first, second, reached):
                    return found
        return None

    def comes_back(self, first: frozenset[State], second: frozenset[State], reached: set[State]) -> bool:
        """Return whether one text keeps a reader in each loop and leads a third one over, for any places of the two."""
        searching = bool(first & self.made.starts)
        pairs = [
            (p, q)
            for q in second
            for p in (((0, q[1]),) if searching else first)
            if p != q and p[1] == q[1] and p in first
        ]
        edges: dict[tuple[State, State, State], set[tuple[State, State, State]]] = {}
        waiting = [(p, p, q) for p, q in pairs]
        while waiting:
            here = waiting.pop()
            if here not in edges:
                out = edges[here] = {triple for triple in self.moves(here, first, second) if triple[1] in reached}
                waiting += out
        for p, q in pairs:
            if (p, q, q) in edges:
                edges[p, q, q].add((p, p, q))
        at = {triple: number for number, part in enumerate(_components(edges)) for triple in part}
        return any((p, q, q) in at and at[p, q, q] == at[p, p, q] for p, q in pairs)

    def joined(self, first: frozenset[State], second: frozenset[State], reached: set[State]) -> tuple[str, str] | None:
        searching = bool(first & self.made.starts)
        for q in second:
            for p in ((0, q[1]),) if searching else first:
                if p != q and p in first and p[1] == q[1] and (text := self.apart(p, q, first, second, reached)):
                    return self.way_to(p), text
        return None

    def apart(
        self, p: State, q: State, first: frozenset[State], second: frozenset[State], reached: set[State]
    ) -> str | None:
        """The text with which one can stay in p, stay in q, and come from p to q."""
        goal = (p, q, q)
        came: dict[tuple[State, State, State], str] = {(p, p, q): ""}
        waiting = [*came]
        while waiting:
            here = waiting.pop()
            for triple in self.moves(here, first, second):
                if triple == goal:
                    return came[here] + triple[2][1]
                if triple[1] in reached and triple not in came:
                    came[triple] = came[here] + triple[2][1]
                    waiting.append(triple)
        return None

    def moves(
        self, here: tuple[State, State, State], first: frozenset[State], second: frozenset[State]
    ) -> Iterable[tuple[State, State, State]]:
        """Where three readers of one text can go, the first and the third within their loops."""
        a, b, c = here
        for letter, lasts in self.by_letter_risky[c].items():
            firsts = ((0, letter),) if a in self.made.starts else self.by_letter[a].get(letter, ())
            for one in firsts:
                for other in self.by_letter[b].get(letter, ()) if one in first else ():
                    self.step()
                    yield from ((one, other, last) for last in lasts if last in second)

    def reach(self, first: Iterable[State]) -> set[State]:
        seen, waiting = set(first), [*first]
        while waiting:
            for target in self.made.edges[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def way_to(self, goal: State) -> str:
        """A text that leads there from the start."""
        came: dict[State, str] = dict.fromkeys(((0, "") if (0, "") in self.made.starts else goal,), "")
        waiting = [*came]
        for here in waiting:
            if here == goal:
                return came[here]
            for target in self.made.edges[here]:
                if target not in came:
                    came[target] = came[here] + target[1]
                    waiting.append(target)
        return ""

    def text_between(self, start: State, goal: State, loop: frozenset[State], text: str) -> str:
        """A text on from `text`, with which one comes from `start` to `goal` in a loop."""
        came, waiting = {start: text}, [start]
        for here in waiting:
            if here == goal:
                return came[here]
            for target in self.made.edges[here]:
                if target in loop and target not in came:
                    came[target] = came[here] + target[1]
                    waiting.append(target)
        return text


class _ByLetter(dict["State", "dict[str, list[State]]"]):
    """Where each letter leads from a state; grouped when a state is first asked for, since few are."""

    def __init__(self, edges: Mapping[State, Mapping[State, int]]) -> None:
        super().__init__()
        self._edges = edges

    def __missing__(self, state: State) -> dict[str, list[State]]:
        grouped: dict[str, list[State]] = {}
        for target in self._edges[state]:
            grouped.setdefault(target[1], []).append(target)
        self[state] = grouped
        return grouped


def _loops(edges: Mapping[State, Mapping[State, int]]) -> list[frozenset[State]]:
    return [part for part in _components(edges) if _is_loop(part, edges)]


def _is_loop(states: frozenset[State], edges: Mapping[State, Mapping[State, int]]) -> bool:
    return len(states) > 1 or any(state in edges[state] for state in states)


def _components(edges: Mapping[Any, Iterable[Any]]) -> list[frozenset[Any]]:
    """Tarjan's strongly connected components, without recursion."""
    order: dict[Any, int] = {}
    low: dict[Any, int] = {}
    held: list[Any] = []
    on_hold: set[Any] = set()
    found: list[frozenset[Any]] = []
    for root in edges:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        held.append(root)
        on_hold.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            state, targets = work[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    held.append(target)
                    on_hold.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_hold:
                    low[state] = min(low[state], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == order[state]:
                    members = set()
                    while state not in members:
                        member = held.pop()
                        on_hold.discard(member)
                        members.add(member)
                    found.append(frozenset(members))
    return found
