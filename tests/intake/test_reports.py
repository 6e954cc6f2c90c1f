"""Messages that open no question, and outlive an incident all the same: reports and questions by their form."""

from __future__ import annotations

from typing import Any

import pytest

from bot.intake.incoming_message import IncomingMessage, is_report
from tests.builders import added


@pytest.mark.parametrize(
    ("record", "is_wanted"),
    [
        ({"is_question": True, "reasons": [{"feature": "question_at_end"}]}, True),
        ({"is_question": False, "reasons": [{"feature": "failing"}]}, True),
        ({"is_question": False, "reasons": [{"feature": "statement"}, {"feature": "first_person"}]}, False),
        ({}, False),
    ],
    ids=["question mark", "fault", "remark", "no record"],
)
def test_a_question_by_its_form_is_no_remark(record: dict[str, Any], is_wanted: bool) -> None:
    """As in any other thread, whatever its class."""
    message = added("それは再起動した方がいいですか？").message
    assert is_report(IncomingMessage(message, "live", record, None, replayed=False)) == is_wanted
