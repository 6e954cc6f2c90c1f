"""Measure the rules for risky advice: over the sentences beside this file, and over drafts of the keyword engine.

python -m measure.risk                        the sentences, by language, with those judged wrongly
python -m measure.risk FOLDER QUESTION...     drafts about a folder of code, and what of them counts as advice
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path

from bot.agents.keyword import KeywordEngine
from bot.decide.risk.risky_advice import find_risky_advice
from bot.models.findings import Assignment
from bot.models.project import Project

SENTENCES = Path(__file__).with_name("risk_sentences.tsv")
"""Language, 1 for advice and 0 for none, text."""


def over_sentences() -> None:
    """Print recall and false alarms by language, and each sentence that is judged wrongly."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    for line in SENTENCES.read_text("utf-8").splitlines():
        language, wanted, text = line.split("\t")
        is_right = bool(find_risky_advice(text.replace("\\n", "\n"))) == (wanted == "1")
        counts[language, wanted, is_right] += 1
        if not is_right:
            print(f"{'missed' if wanted == '1' else 'false alarm'} ({language}): {text}")  # noqa: T201  # the output
    for language in dict.fromkeys(language for language, _, _ in counts):
        found, missed = counts[language, "1", True], counts[language, "1", False]
        alarms, quiet = counts[language, "0", False], counts[language, "0", True]
        told = f"{found} of {found + missed} found, {alarms} of {alarms + quiet} false alarms"
        print(f"{language}: {told}")  # noqa: T201  # the output


async def over_drafts(project: Project, questions: list[str]) -> None:
    """Print what the rules find in the keyword engine's drafts."""
    alarms = 0
    for question in questions:
        report = await KeywordEngine().investigate(Assignment(question=question, projects=(project,)))
        found = find_risky_advice(report.findings.draft_reply)
        alarms += bool(found) and not report.found_nothing
        advice = "; ".join(f"{one.kind}: {one.words}" for one in found)
        print(f"{question}: {advice or '-'}")  # noqa: T201  # the output
    print(f"{alarms} of {len(questions)} drafts hold advice")  # noqa: T201  # the output


if __name__ == "__main__":
    if len(sys.argv) > 2:
        folder = Path(sys.argv[1]).resolve()
        asyncio.run(over_drafts(Project(name=folder.name, root=folder), sys.argv[2:]))
    else:
        over_sentences()
