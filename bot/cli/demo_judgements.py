"""Judgements of the demo: as many as open the gate of automatic replies for its own project, in a home without any.

They are made up, so that a person can see a reply go out without a press; nothing goes out before an admin's press.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MORE = 11
"""Cases beyond those that are needed."""


def write_judgements(path: Path, project: str, validator: str) -> None:
    """Write the judgements of the last four weeks, all of them right, unless the file is there."""
    if path.exists():
        return
    # what only the first demo of a home needs
    from bot.decide.auto_reply.maturity import HIGHEST, WEEKS, begin_of_week
    from bot.decide.auto_reply.upper_bound import fewest_cases
    from bot.models.judged_draft import JudgedDraft, Pool

    monday, number = begin_of_week(datetime.now(UTC)), fewest_cases(0, HIGHEST) + _MORE
    lines = []
    for n in range(number):
        name = f"T0SANDBOX-C0HELP-1.{n:06}/1"
        case = JudgedDraft(
            question_id=name,
            draft_id=name,
            pool=Pool(project=project, kind="technical_qa", validator=validator),
            at=monday - timedelta(days=1 + n % (7 * WEEKS - 1)),
            verdict="pass",
            judgement="approved",
        )
        lines.append(json.dumps({**case.model_dump(mode="json"), "by": "U0OPS"}) + "\n")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(lines)
    except FileExistsError:
        return
