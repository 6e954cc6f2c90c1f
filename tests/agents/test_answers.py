"""Answers of models in their form, whatever stands around them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from bot.agents.answers import InvalidAnswer, parse_answer
from bot.agents.json_objects import MOST_NESTED, find_objects


class Detail(BaseModel):
    """A nested part."""

    model_config = ConfigDict(extra="forbid")
    path: str


class Found(BaseModel):
    """The form."""

    model_config = ConfigDict(extra="forbid")
    limit: int = Field(ge=0, le=9)
    details: tuple[Detail, ...] = ()
    extra: Detail | None = None


WHOLE = '{"limit": 3}'


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Here it is: {WHOLE} as asked.",
        f"I looked at {{}} and {{braces}} first. {WHOLE}",
        f"The file has {{'limit': 4}}, so: {WHOLE} {{and so on}}",
        f'The config is {{"retry": {{"max": 3}}}}. {WHOLE}',
        f'The form is {{"limit": "a number"}}; mine: {WHOLE}',
        f"{WHOLE}\n\nThat is it, see {{orders}}.",
        f"{WHOLE} {WHOLE}",
        f'{{"answer": {WHOLE}}}',
        f'{{"result": {{"answer": {WHOLE}}}}}',
        f'{{"limit": 3, oops {WHOLE}',
        f'"quoted {{" {WHOLE}',
        f'{{"limit": "{WHOLE}',
        f"{'{' * 500}{WHOLE}",
        f"{'[' * 500}{WHOLE}",
        '{"limit": 3, "details": []} } } }',
        '\ufeff{"limit":\r\n\t3}',
    ],
)
def test_the_answer_is_found_among_prose_and_other_objects(text: str) -> None:
    """The first object that fits."""
    assert parse_answer(Found, text).answer.limit == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("It is three.", "it has no JSON object"),
        ('{"limit": 3', "it has no JSON object"),
        ("{} {braces}", "it has no JSON object of the form"),
        ('{"answer": 3}', "it has no JSON object of the form"),
        ('{"limit": 300, "extra": {"path": "a", "limit": 3}}', "limit: Input should be less than or equal to 9"),
        ('{"limit": 300} or {"details": []}', "limit: Input should be less"),
        ('{"limit": 300, "evil": 1}', "limit: Input should be less"),
        ('[{"limit": 3', "it has no JSON object"),
        (f'{{"limit": {"9" * 5_000}}}', "it has no JSON object of the form"),
    ],
)
def test_an_answer_that_does_not_fit_says_why(text: str, why: str) -> None:
    """An inner object is no way around a fault of the outer one."""
    with pytest.raises(InvalidAnswer) as raised:
        parse_answer(Found, text)
    assert str(raised.value).startswith(why)
    assert "evil" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"limit": 3, "evil": 1}, "evil"),
        ({"limit": 3, "details": [{"path": "a", "lang": "py"}, {"path": "b", "lang": "c"}]}, "details.lang"),
        ({"limit": 3, "extra": {"path": "a", "x": {"limit": 4}}}, "extra.x"),
        ({"limit": 3, "a\n\u202eb": 1}, "ab"),
        ({"limit": 3, "k" * 500: 1}, "k" * 60),
        ({"limit": 3} | {f"k{number}": 1 for number in range(10)}, "k0, k1, k2, k3, k4, k5, k6, k7 and 2 more"),
    ],
)
def test_keys_that_the_form_does_not_have_are_dropped_and_named(content: dict[str, Any], named: str) -> None:
    """At any depth; the answer counts."""
    parsed = parse_answer(Found, json.dumps(content))
    assert parsed.answer.limit == 3
    (change,) = parsed.changes
    assert (change.kind, change.text) == ("dropped", f"Keys that the form does not have: {named}")


def test_two_answers_that_differ_are_counted() -> None:
    """The caller can ask which one is meant; a repetition is none."""
    assert parse_answer(Found, f'{WHOLE} or {{"limit": 4}} or {WHOLE}').rivals == (Found(limit=4),)
    assert parse_answer(Found, f"{WHOLE} again {WHOLE}").rivals == ()


def test_a_line_break_in_a_string_is_no_fault() -> None:
    """Models write it where JSON wants an escape."""
    assert parse_answer(Found, '{"limit": 3, "extra": {"path": "a\nb"}}').answer.extra == Detail(path="a\nb")


def test_an_object_is_read_up_to_its_depth() -> None:
    """What is deeper is no object; nothing overflows."""
    deepest, deeper = ('{"a":' * depth + "1" + "}" * depth for depth in (MOST_NESTED, MOST_NESTED + 1))
    assert list(find_objects(deepest)) == [json.loads(deepest)]
    assert list(find_objects(deeper)) == []


@pytest.mark.parametrize(
    "part",
    [
        "{",
        '{"',
        '{"a":',
        '{"a":[',
        '{"a":"',
        '{"k{":"v",',
        '{"a{":":",',
        '":{":"{",',
        '{"\\',
        '{"a":{},',
        '{"a":1}',
        "[{",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(part: str) -> None:
    """Four times the text takes less than twelve times the time; 100,000 braces take a moment."""

    def seconds(size: int) -> float:
        text = part * (size // len(part))
        began = time.process_time()
        list(find_objects(text))
        return time.process_time() - began

    def is_linear() -> bool:
        small, large = seconds(50_000), seconds(200_000)
        return large < 12 * small + 0.05

    assert any(is_linear() for _ in range(6))  # a busy machine spoils a measurement, not six of them
