"""The drill's cases: facts that hold, sound drafts that say them, and faults that put one thing wrong."""

from __future__ import annotations

from random import Random

import pytest

from bot.decide.drill import SOUND, Case, CodeFact
from bot.decide.drill.facts import find_facts, is_source
from bot.decide.drill.faults import FAULTS
from bot.decide.drill.plan import SOUND_PER_FAULT, plan
from bot.decide.drill.sound import sound
from bot.decide.grounding.unsupported_claims import find_unsupported
from tests.tables import each_row

LIMIT = CodeFact("src/limits.py", 7, "MAX_RETRIES = 3  # see the runbook", "MAX_RETRIES", "3")
NAMED = CodeFact("src/names.py", 9, 'REGION = "eu-1"', "REGION", '"eu-1"')
SWITCH = CodeFact("src/switch.py", 4, "    use_cache: bool = True", "use_cache", "True")
TAKEN = CodeFact("src/http.py", 5, "def connect(host, timeout=30):", "timeout", "30", owner="connect")
PLACE = CodeFact("src/pool.py", 12, "class ConnectionPool:", "ConnectionPool")
FACTS = (LIMIT, NAMED, SWITCH, TAKEN, PLACE)


@pytest.mark.parametrize(
    ("path", "line", "name", "value", "owner"),
    [
        ("a.py", "MAX_RETRIES = 3", "MAX_RETRIES", "3", ""),
        ("a.py", "MAX_BYTES: Final = 2_000_000  # bytes", "MAX_BYTES", "2_000_000", ""),
        ("a.py", "    timeout_s: Annotated[float, Field(gt=0)] = 120", "timeout_s", "120", ""),
        ("a.py", "def connect(host: str, timeout: float = 2.5, *, tls=True):", "timeout", "2.5", "connect"),
        ("a.ts", "export const MAX_ITEMS = 50;", "MAX_ITEMS", "50", ""),
        ("a.js", "const API_REGION = 'eu-1';", "API_REGION", "'eu-1'", ""),
        ("A.java", "    private static final int MAX_CONNECTIONS = 20;", "MAX_CONNECTIONS", "20", ""),
        ("a.rs", "pub const POOL_SIZE: usize = 8;", "POOL_SIZE", "8", ""),
        ("a.py", "class ConnectionPool:", "ConnectionPool", "", ""),
        ("a.go", "func parseHeader(line string) error {", "parseHeader", "", ""),
    ],
)
def test_a_line_states_a_fact(path: str, line: str, name: str, value: str, owner: str) -> None:
    """In several languages: a constant, a default, a definition."""
    assert find_facts([(path, ["", line])]) == [CodeFact(path, 2, line, name, value, owner)]


@pytest.mark.parametrize(
    "line",
    [
        "x = 3",
        "MAX_RETRIES = count()",
        "MAX_RETRIES = 3 * other",
        "if MAX_RETRIES == 3:",
        "def run(self):",
        "def about(self):",
        "# MAX_RETRIES = 3",
        'NAME = "with `ticks`"',
    ],
)
def test_other_lines_state_none(line: str) -> None:
    """What is computed, compared, commented or too plain a word."""
    assert find_facts([("a.py", [line])]) == []


def test_a_name_that_stands_for_two_things_is_left_out() -> None:
    """Of it nothing is true of the whole project."""
    assert find_facts([("a.py", ["MAX_RETRIES = 3"]), ("b.py", ["    max_retries: int = 4"])]) == []
    assert find_facts([("a.py", ["MAX_RETRIES = 3", "MAX_RETRIES = 3"])]) == []


def test_tests_and_texts_are_no_source() -> None:
    """What a test sets is not what the product does."""
    assert [p for p in ("a.py", "b/c.ts", "tests/a.py", "test_a.py", "a.test.ts", "a.md") if is_source(p)] == [
        "a.py",
        "b/c.ts",
    ]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_a_sound_draft_says_what_the_line_says(fact: CodeFact) -> None:
    """The quote is the line, and nothing in the draft goes beyond it."""
    for seed in range(20):
        case = sound(fact, PLACE, Random(seed))
        (reference,) = case.findings.evidence_refs
        assert (reference.ref, reference.quote) == (fact.place, fact.text)
        assert find_unsupported(case.findings.draft_reply, case.question, [f"{reference.ref} \n{fact.text}"]) == ()
        assert fact.value in case.findings.draft_reply


@each_row("name", FAULTS)
@each_row("fact", FACTS, ids=lambda fact: fact.name)
def test_a_fault_changes_one_thing(name: str, fact: CodeFact) -> None:
    """The question stays; references stay but for the faults that are about them; the rest is the fault."""
    for seed in range(20):
        case = sound(fact, PLACE, Random(seed))
        other = LIMIT if fact is PLACE else PLACE
        faulty = FAULTS[name].seed(case, other, Random(seed))
        assert faulty != case
        assert faulty.question == case.question
        about_places = name in ("wrong path", "wrong line", "changed quote", "scope drift")
        assert (faulty.findings.evidence_refs == case.findings.evidence_refs) != about_places
        assert (faulty.others == case.others) != (name == "contradiction")
        assert _checks(name, case, faulty)


def _checks(name: str, case: Case, faulty: Case) -> bool:
    """What is particular to a class."""
    before, after = case.findings, faulty.findings
    match name:
        case "changed quote":
            return after.evidence_refs[0].ref == before.evidence_refs[0].ref and (
                after.evidence_refs[0].quote != case.fact.text
            )
        case "wrong path" | "wrong line":
            return after.evidence_refs[0].quote == case.fact.text and after.evidence_refs[0].ref != case.fact.place
        case "overconfident wording" | "risky advice":
            return after.confidence == "medium"
        case "contradiction":
            return after == before and case.fact.name in faulty.others[0]
        case _:
            return after.draft_reply != before.draft_reply and after.confidence == before.confidence


def test_a_plan_is_seeded_and_mixed() -> None:
    """So many of each class, the same for the same seed; a drill cut short has some of each."""
    made = plan(FACTS, cases=4, seed=3)
    assert made == plan(FACTS, cases=4, seed=3)
    assert made != plan(FACTS, cases=4, seed=4)
    kinds = [case.kind for case in made]
    assert {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(FAULTS, 4) | {SOUND: 4 * SOUND_PER_FAULT}
    block = len(FAULTS) + SOUND_PER_FAULT
    assert set(kinds[:block]) == {*FAULTS, SOUND}
    assert kinds[:block] != kinds[block : 2 * block]
