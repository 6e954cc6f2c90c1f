"""Sentences of documents: where each stands, and which one says most."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.document_sentences import best_sentence, sentences

PAGE = """\
# Waiting

A draft waits for 72 hours, e.g. over a
weekend. Then it *expires*. Nobody is told.

| key | default |
|---|---|
| `a` | 5 |

- Press **Stop** to end it at once.
- Then wait:

```
stop = true and nothing else happens
```

    indented = code that is no sentence at all
待ち時間は七十二時間です。そのあとで期限が切れます。
""".splitlines()


def test_each_sentence_knows_its_lines() -> None:
    """Headings, tables, fences and indented code hold none; an item of a list is read on its own."""
    assert [(one.start, one.end, one.text) for one in sentences(PAGE, 1, len(PAGE))] == [
        (3, 4, "A draft waits for 72 hours, e.g. over a weekend."),
        (4, 4, "Then it *expires*."),
        (4, 4, "Nobody is told."),
        (10, 10, "Press **Stop** to end it at once."),
        (18, 18, "待ち時間は七十二時間です。"),
        (18, 18, "そのあとで期限が切れます。"),
    ]


@pytest.mark.parametrize(("value", "start"), [(False, 1), (True, 2)])
def test_a_question_for_a_value_prefers_a_sentence_with_one(value: bool, start: int) -> None:
    """Of two that hold the same words."""
    lines = ["The timeout of a call is documented here.", "The timeout of a call is 30 seconds, if nobody sets it."]
    worth = {number: {"timeout": (0, 2.0), "call": (1, 1.0)} for number in (1, 2)}
    found = best_sentence(lines, 1, 2, worth, value=value)
    assert found
    assert found[0].start == start


def test_a_brief_sentence_brings_the_one_after_it() -> None:
    """What it only begins to tell stands there; one on a line of its own stays alone."""
    lines = ["The home is all state. Copy it with the bot", "stopped, and nothing else.", "", "The state is kept."]
    found = best_sentence(lines, 1, 4, {1: {"home": (0, 2.0), "state": (1, 1.0)}})
    assert found
    assert (found[0].end, found[0].text) == (
        2,
        "The home is all state. Copy it with the bot stopped, and nothing else.",
    )
    alone = best_sentence(lines, 1, 4, {4: {"kept": (0, 2.0)}})
    assert alone
    assert alone[0].text == "The state is kept."
