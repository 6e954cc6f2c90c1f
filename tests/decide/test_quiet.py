"""What re2 says of itself never reaches stderr: bad patterns of settings and tools, and repetitions without end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import re2

from bot.decide.classify.classifier import compile_pattern
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.decide.redaction.redactor import Redactor
from bot.decide.retrieval.path_patterns import fits
from bot.decide.risk.risky_advice import find_risky_advice
from bot.decide.router import ProjectFolder, Routed, RoutingRule, faults
from bot.errors import Misconfigured
from bot.tools.file_tools import matcher

BAD = ["(", "[", "\\", "a**", "(?P<x", "(?<=x)y", "\\p{Foo}", "a{1000}{1000}", "x{99999}", "(" * 3_000, "?" * 50_000]


def routed(pattern: str) -> Any:
    """The pattern as that of a rule."""
    place = ProjectFolder(project="p")
    rule = RoutingRule(pattern=pattern, role="r", place=place, channel=None)
    return faults("r", [rule], {"r": Routed(display_name="R", place=place)}, ["p"])


@pytest.mark.parametrize("take", [compile_pattern, routed, matcher, lambda bad: fits(bad, "a/b.py")])
def test_a_pattern_that_re2_does_not_take_is_refused_in_our_words_alone(
    take: Callable[[str], Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing of the pattern stands in the log of the process."""
    for pattern in BAD:
        with suppress(Misconfigured, re2.error):
            take(pattern)
    assert capfd.readouterr().err == ""


def test_texts_that_fill_its_memory_are_worked_on_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    """Of long values beside a text that almost holds them, and of long texts."""
    redactor = Redactor([f"{'ab' * 9_000}{number}" for number in range(6)])
    redactor.redact("ab" * 300)
    for piece in ("x", "abc ", "<@U1|"):
        text = (piece * 4_000)[:8_000]
        find_risky_advice(text)
        find_unsupported(text[:1_000], "", [text])
    assert capfd.readouterr().err == ""
