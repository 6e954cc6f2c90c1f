"""Risky advice, by rules: what orders and what only tells, in words, in commands and in eight languages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.decide.drill.faults import _RISKS
from bot.decide.risk.risky_advice import find_risky_advice
from tests.tables import each_row

SENTENCES = Path(__file__).resolve().parents[3] / "measure" / "risk_sentences.tsv"


def kinds(draft: str) -> list[str]:
    """What is advised."""
    return [one.kind for one in find_risky_advice(draft)]


def test_every_sentence_of_the_list_is_judged_rightly() -> None:
    """120 that advise and 120 beside them that do not; `measure/risk.py` prints those that are not."""
    rows = [line.split("\t") for line in SENTENCES.read_text("utf-8").splitlines()]
    assert len(rows) == 240
    wrong = [
        text for _, is_advice, text in rows if bool(find_risky_advice(text.replace("\\n", "\n"))) != (is_advice == "1")
    ]
    assert wrong == []


@each_row(
    ("draft", "found"),
    [
        ("Run `kubectl -n shop delete pod api-1`.", ["delete"]),
        ("git push --force origin main", ["change production"]),
        ("```\n$ sudo systemctl restart nginx\n```", ["restart"]),
        ("```sql\nDROP TABLE orders;\n```", ["delete"]),
        ("`psql -c 'DELETE FROM orders'`", ["delete"]),
        ('`ssh db1 "systemctl restart postgresql"`', ["restart"]),
        ("```\ncd /srv && rm -rf data\n```", ["delete"]),
        ("`helm rollback api 3`", ["roll back"]),
        ("`terraform -chdir=prod destroy`", ["delete"]),
        ("> 3. Restart the worker.", ["restart"]),
        ("```\n3. Restart the worker with care.\n```", ["restart"]),
        ("```\nWhen the queue is stuck, restart the worker (as root):\n```", ["restart"]),
        ("```\n    # Restart the worker.\n    self.restart()\n```", []),
        ("```\nrestart: unless-stopped\n```", []),
        ("**Delete** the table.", ["delete"]),
        ("Re\u200bstart the worker.", ["restart"]),
        ("\uff24\uff45\uff4c\uff45\uff54\uff45 the table.", ["delete"]),
        ("If that does not help you should restart it.", ["restart"]),
        ("Do not hesitate to roll back.", ["roll back"]),
        ("In rare cases delete the pod by hand.", ["delete"]),
        ("In the event of delete the pod by hand.", []),
        ("Restart the worker and then.", ["restart"]),
        ("Open the console and delete the pods.", ["delete"]),
        ("`Restart the payment worker`", ["restart"]),
        ("You do not need to restart it.", []),
        ("The job reads and deletes rows.", []),
        ("It can read and delete rows.", []),
        ("Delete is handled by `remove()`.", []),
        ("`make clean` runs `rm -rf build`.", []),
        ("Avoid `git push --force`.", []),
        ('```py\ncursor.execute("DROP TABLE orders")\n```', []),
        ("```\nDELETE FROM orders WHERE id = ?\n```", []),
        ("```\nRUN apt-get update && rm -rf /var/lib/apt/lists/*\n```", []),
        ("```\n    def restart(self) -> None:\n        self.stop()\n```", []),
        ("Set `timeout` to 5.", []),
        ("| Stop | ends the run |", []),
    ],
)
def test_what_orders_is_advice_and_what_tells_is_none(draft: str, found: list[str]) -> None:
    """A command that a line begins with, an order in words, in any dress; not code and not what is told or denied."""
    assert kinds(draft) == found


@pytest.mark.parametrize("advice", _RISKS)
def test_the_drills_risky_advice_is_found(advice: str) -> None:
    """Each form of that fault, behind a sound sentence."""
    assert find_risky_advice(f"It is 3, set in `a.py:1`. {advice.format(name='LIMIT', path='a.py')}")


def test_advice_names_its_words_shortly() -> None:
    """At most a hundred characters of at most twenty."""
    found = find_risky_advice("\n".join(f"Delete the table {number} {'x' * 200}." for number in range(40)))
    assert len(found) == 20
    assert max(len(one.words) for one in found) == 100


@pytest.mark.parametrize(
    "piece", ["and ", "it, restart, delete, ", "a b c. ", "`", "```", "not restart and ", "\n", "再起動"]
)
def test_hostile_repetitions_end_soon(piece: str) -> None:
    """40,000 characters; of a draft's 3,000 that is a hundredth of a second."""
    started = time.process_time()
    find_risky_advice((piece * 40_000)[:40_000])
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("draft", "kind"),
    [
        ("In this case you should\ndelete the pod api-1.", ["delete"]),
        ("```\nmyctl delete pod-1\n```", ["delete"]),
        ("```\nheroku restart web\n```", ["restart"]),
        ("```\nwe delete pods here.\n```", []),
    ],
)
def test_a_sentence_over_two_lines_and_a_program_with_a_verb_advise(draft: str, kind: list[str]) -> None:
    """Any program may have such a verb; a sentence in code is none."""
    assert kinds(draft) == kind
