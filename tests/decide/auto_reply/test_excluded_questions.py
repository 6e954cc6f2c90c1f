"""Questions that are left to a person, by their words."""

from __future__ import annotations

import time

import pytest

from bot.decide.auto_reply.excluded_questions import describe_exclusion


@pytest.mark.parametrize(
    "question",
    [
        "where is the limit of retries set?",
        "which file has the retry limit of the checkout?",
        "what does `MAX_RETRIES` do in `payments/retry.py`?",
        "how often is a payment tried again, and where is that set?",
        "which fields of the payload are required for POST /v1/orders?",
        "does the endpoint return a 404 or a 410 for deleted parcels?",
        "how many records does the importer read in one batch?",
        "why does the parser raise an error for empty lines?",
    ],
)
def test_general_questions_may_be_answered_without_a_person(question: str) -> None:
    """About code, contracts and data."""
    assert describe_exclusion(question) == ()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("is the checkout down?", "a status check"),
        ("how does the retry work, and is it slow right now?", "status check"),
        ("was the fix for `retry` deployed yet?", "status check"),
        ("is anyone else seeing errors of the endpoint?", "status check"),
        ("how often is a payment tried again before it is given up?", "status check"),
        ("which endpoint and which payload say that the job is live?", "status check"),
        ("does the endpoint GET /jobs return 404 if a job is live?", "may be a status check"),
        ("how do we roll back the release of the importer?", "production"),
        ("why is the queue failing in prod?", "production"),
        ("what does the on-call do in a sev1?", "production"),
        ("how do I change the limit in the live environment?", "production"),
        ("which endpoint went down in the outage?", "production"),
        ("what is the limit of customer 48213?", "single account"),
        ("what is the status code for order #A-1234?", "single account"),
        ("why does my account have no limit of retries?", "single account"),
        ("how is our invoice calculated?", "single account"),
        ("what does ana@example.com see on the page?", "single account"),
        ("which plan does customer Acme have in the table?", "single account"),
        ("where is Acme's subscription stored?", "single account"),
        ("what is the reason of the error for cus_9fj2K1x?", "single account"),
        ("why does the call fail for 3f2504e0-4f89-11d3-9a0c-0305e82c3301?", "single account"),
        ("how many events does 00481516 have in the log?", "single account"),
        ("can you do it for us?", "unknown"),
        ("¿dónde está el límite de `retries` en el código?", "language"),
        ("wo ist `MAX_RETRIES` gesetzt und warum?", "language"),
        ("再試行の上限はどこで設定されていますか `retry.py`", "language"),
        ("", "language"),
    ],
)
def test_the_words_of_a_question_keep_it_for_a_person(question: str, words: str) -> None:
    """Whatever a model thinks of it."""
    assert words in " ".join(describe_exclusion(question))


def test_hidden_characters_hide_no_word() -> None:
    """The question is read as people see it."""
    assert describe_exclusion("where is the limit in pro\u200bduction set?")


@pytest.mark.parametrize(
    "part", ["customer ", "a-", "Aa.&", "cus_aaaaaaaaaaaa", " ", "customer id ", "Aa's ", "1", "live "]
)
def test_no_question_takes_long(part: str) -> None:
    """Also one that is written to take long."""
    text = f"what is the customer {part * 2_000}"[:2_000]
    begin = time.process_time()
    describe_exclusion(text)
    assert time.process_time() - begin < 0.5
