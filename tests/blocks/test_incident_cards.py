"""Cards, lists and notifications of a thread about services: facts of checks in place of an asker's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blocks.card import build_card
from blocks.evidence_dialog import build_evidence_dialog
from blocks.long_run import build_long_run
from blocks.notification import describe_question, notification
from blocks.owner_request import build_owner_request
from blocks.queue import entry
from blocks.queue_view import queue_table, work_row
from blocks.reminder import build_reminder
from blocks.retired_card import build_retired_card
from bot.commands.answers import describe_progress, format_row, list_details
from bot.decide.redaction.redactor import Redactor
from bot.models.card import HandOver
from bot.models.thread import Thread
from bot.surfaces.draft_payload import redact_question
from bot.triage.task_states import TaskState
from sandbox.blockkit import checked_blocks, checked_view
from tests.builders import T0, at, moved
from tests.decide import unhealthy as story
from tests.decide.unhealthy import BOT, result

LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"
URL = "https://sandbox.slack.com/"
FACTS = "HTTP down: status 503, not 200"

STAGES: dict[str, Callable[[], Thread]] = {
    "collecting": story.collecting,
    "investigating": story.investigating,
    "escalated": story.escalated,
    "awaiting": story.awaiting,
    "pending": story.pending,
    "proposed": story.proposed,
    "running": story.running,
    "approved": story.approved,
    "in doubt": story.in_doubt,
    "replied": story.replied,
    "recovered": lambda: moved(story.pending(), story.recovered()),
    "recovered after the reply": lambda: moved(story.replied(), story.recovered()),
}


def words(picture: Any) -> str:
    """All that is read of it."""
    return json.dumps(picture, ensure_ascii=False)


STATE = TaskState(status="IN_PROGRESS")


@pytest.mark.parametrize("stage", STAGES)
def test_no_view_names_the_bot_as_asker(stage: str) -> None:
    """Each names the services and their state, in every status; Slack takes the card."""
    thread = STAGES[stage]()
    now = T0 + timedelta(hours=1)
    card = build_card(thread, link=LINK, may_dig_deeper=True)
    checked_blocks(card["blocks"])
    views = {
        "card": card,
        "notification": notification(thread),
        "entry": entry(thread, url=URL, now=now),
        "row": work_row(thread, url=URL, now=now, held_reason=None),
        "table": queue_table([thread], of=1, room=5_000, now=now),
        "reminder": build_reminder([thread], of=1, url=URL, now=now),
        "long run": build_long_run(thread, link=LINK),
        "tasks": format_row(thread, URL, STATE),
        "owner": build_owner_request(thread, by="U0OPS", owner="U0OWN", link=LINK),
        "retired": build_retired_card(
            thread, HandOver(before="U0OPS", to="U0TWO", at=at(50), card=thread.card, by=None), link=LINK
        ),
    }
    over = "recovered" in stage
    for name, view in views.items():
        assert BOT not in words(view), name
        assert f"payments is {'healthy again' if over else 'down'}" in words(view), name
    assert describe_progress(thread).startswith("The incident of payments ")
    assert any("|Reported> in" in row for row in list_details(thread, URL, STATE))


def test_the_card_lists_the_failing_checks_and_what_people_say_below() -> None:
    """Facts first, each escaped; the words of people as quotes with their names."""
    thread = story.pending()
    shown = words(build_card(thread, link=LINK))
    assert f"• *payments*, {FACTS}" in shown
    assert "*payments is down* since <!date^" in shown
    assert "rich_text_quote" not in shown.split("Waiting for you")[1].split("It is set in")[0]
    first = thread.messages[0]
    later = first.evolve(message_id="100.000009", sender_id="U0KIM", content="I restarted the database")
    heard = words(build_card(thread.evolve(messages=(first, later)), link=LINK))
    assert '"user_id": "U0KIM"}, {"type": "text", "text": ": I restarted the database"' in heard
    checks = tuple(result(f"s{number}", error="<!here> & co") for number in range(30))
    assert thread.incident
    many = thread.evolve(incident=thread.incident.evolve(checks=checks, services=tuple(f"s{n}" for n in range(30))))
    card = build_card(many, link=LINK)
    checked_blocks(card["blocks"])
    assert "<!here>" not in words(card)
    assert "s0, s1, s2 and 27 more are down" in words(card)
    assert "… and 20 more failing checks." in words(card)


def test_the_notification_has_state_place_and_facts() -> None:
    """As plain words, since a locked phone shows no markup."""
    assert describe_question(story.pending()) == f"payments is down in #help-platform: {FACTS}."
    assert notification(moved(story.pending(), story.recovered())).endswith(
        "all checks are healthy. Settled: recovered."
    )


def test_a_proposed_runbook_is_asked_for_in_title_and_notification() -> None:
    """Beside the reply, if there is one; while it runs nothing is asked."""
    thread = story.proposed()
    assert "Waiting for you: post this reply, run this program?" in words(build_card(thread, link=LINK))
    assert notification(thread).endswith(" A runbook is proposed: restart-payments.")
    empty = thread.evolve(found_nothing=True)
    assert "Waiting for you: run this program?" in words(build_card(empty, link=LINK))
    assert "run this program?" not in words(build_card(story.running(), link=LINK))
    assert notification(story.running()).endswith(" The runbook restart-payments is approved.")
    assert "runbook" not in notification(story.pending())


def test_a_runbook_that_did_not_help_is_named_first() -> None:
    """In the notification, the title and with the way to another one; a later proposal takes its place."""
    thread = moved(story.running(), story.ended("down")).evolve(found_nothing=True)
    assert notification(thread).endswith(
        "The runbook restart-payments ran, and did not help: payments is down. It waits for you."
    )
    card = words(build_card(thread, link=LINK))
    assert "Waiting for you: a runbook did not help" in card
    assert "a person has to look. *Redraft* asks for a runbook again." in card
    assert '"action_id": "redraft"' in card
    unchecked = notification(moved(story.running(), story.ended(None)))
    assert "The runbook restart-payments ran; the checks after it could not be made. " in unchecked
    unstarted = notification(moved(story.running(), story.ended("down", outcome="not-started", exit_code=None)))
    assert "The runbook restart-payments did not start. " in unstarted


def test_the_evidence_dialog_takes_an_incident() -> None:
    """With the long reason of a check."""
    thread = story.proposed()
    assert thread.incident
    long = thread.evolve(incident=thread.incident.evolve(checks=(result(error="&" * 5_000),)))
    checked_view(build_evidence_dialog(long))
    checked_blocks(build_card(long, link=LINK)["blocks"])


def test_a_further_question_in_the_thread_has_its_asker() -> None:
    """Only the question about the incident has none."""
    thread = story.pending()
    assert thread.incident
    asked = thread.evolve(
        question_round=2,
        original_sender_id="U0KIM",
        original_sender_name="Kim",
        messages=tuple(each.evolve(round=2, sender_id="U0KIM") for each in thread.messages),
    )
    assert describe_question(asked).startswith("Kim in #help-platform: payments is down")
    assert "<@U0KIM> in <#C0HELP>" in words(build_card(asked, link=LINK))


def test_lists_show_no_secret_of_a_check() -> None:
    """Its reason may repeat what the service answered."""
    secret = "a-loaded" + "-secret-0815"
    thread = story.pending()
    assert thread.incident
    loud = thread.evolve(incident=thread.incident.evolve(checks=(result(error=f"got {secret}"),)))
    safe = redact_question(loud, Redactor([secret]))
    assert secret not in words(entry(safe, url=URL, now=T0))
    assert redact_question(thread, Redactor([secret])) == thread
