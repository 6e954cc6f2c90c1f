"""The parameters of each agent's calls, from settings and the model's family."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bot.config.limits import chat_limits, investigation_limits
from bot.config.model_parameters import (
    chat_parameters,
    investigator_parameters,
    summary_parameters,
    validator_parameters,
)
from bot.config.sections.agents import ModelSection
from bot.config.settings import Settings
from bot.models.model_parameters import ModelParameters


def settings(model: str = "claude-opus-5-5", **changes: Any) -> Settings:
    """Settings of an investigator on this model, and of agents that follow it."""
    return Settings(engine="claude", investigator={"model": model, **changes})


@pytest.mark.parametrize(
    ("model", "investigator", "validator"),
    [
        ("claude-opus-5-5", (12_000, None, True, True), (8_192, "low", True, True)),
        ("claude-sonnet-5-5-20261001", (12_000, None, True, True), (8_192, "low", True, True)),
        ("claude-opus-4-5", (8_192, None, False, True), (8_192, "low", False, True)),
        ("claude-haiku-4-5", (8_192, None, False, True), (8_192, None, False, True)),
        ("qwen3:32b", (8_192, None, False, False), (8_192, None, False, False)),
        ("my/claude-opus-5-5", (8_192, None, False, False), (8_192, None, False, False)),
    ],
)
def test_each_family_gets_what_it_accepts(
    model: str, investigator: tuple[Any, ...], validator: tuple[Any, ...]
) -> None:
    """A model of no known family gets nothing but the size; a validator works at low effort."""
    sent = [investigator_parameters(settings(model)), validator_parameters(settings(model))]
    assert [(one.max_tokens, one.effort, one.thinks, one.strict) for one in sent] == [investigator, validator]


@pytest.mark.parametrize(
    ("model", "given", "sent"),
    [
        ("claude-opus-5-5", {"effort": "xhigh", "max_tokens": 20_000}, (20_000, "xhigh", True)),
        ("claude-opus-5-5", {"thinking": False}, (8_192, None, False)),
        ("claude-opus-4-6", {"effort": "xhigh"}, (12_000, None, True)),
        ("claude-haiku-4-5", {"effort": "low", "thinking": True}, (8_192, None, False)),
        ("qwen3:32b", {"effort": "low", "thinking": True}, (12_000, "low", True)),
    ],
)
def test_the_settings_decide_within_what_the_family_accepts(
    model: str, given: dict[str, Any], sent: tuple[Any, ...]
) -> None:
    """For a model of no known family they decide alone."""
    parameters = investigator_parameters(settings(model, **given))
    assert (parameters.max_tokens, parameters.effort, parameters.thinks) == sent


def test_the_chat_agent_thinks_and_a_summary_need_not() -> None:
    """A model that thinks without being asked needs room for it in a summary."""
    opus = "claude-opus-5-5"
    assert chat_parameters(settings(), opus) == ModelParameters(max_tokens=8_192, thinks=True)
    assert chat_parameters(settings(), "llama") == ModelParameters(max_tokens=4_096, states_form=True)
    assert summary_parameters(opus) == ModelParameters(max_tokens=2_048, effort="low")
    assert summary_parameters("llama") == ModelParameters(max_tokens=512)


def test_a_small_model_writes_less_and_reads_shorter_results() -> None:
    """What the settings say of one agent's size still holds."""
    small = settings("qwen3:8b").model_copy(update={"model": ModelSection(small=True)})
    sent = [investigator_parameters(small), validator_parameters(small), chat_parameters(small, "qwen3:8b")]
    assert [(one.max_tokens, one.states_form) for one in sent] == [(4_096, True), (2_048, True), (1_024, True)]
    for limits in (investigation_limits(small), chat_limits(small)):
        assert (limits.result_bytes, limits.tool_bytes, limits.calls_per_turn) == (6_000, 48_000, 4)
    own = settings("qwen3:8b", max_tokens=9_000).model_copy(update={"model": ModelSection(small=True)})
    assert investigator_parameters(own).max_tokens == 9_000


@pytest.mark.parametrize("given", [{"effort": "extreme"}, {"max_tokens": 10}, {"max_tokens": 200_000}])
def test_impossible_parameters_stop_the_start(given: dict[str, Any]) -> None:
    """As any other setting does."""
    with pytest.raises(ValidationError):
        settings(**given)
