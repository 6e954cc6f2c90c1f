"""Parameters of each agent's calls, from the settings and the defaults of the model's family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.model_parameters import Effort, ModelParameters

if TYPE_CHECKING:
    from bot.config.sections.agents import AgentSection
    from bot.config.settings import Settings
    from bot.models.handoff import NextTier


@dataclass(frozen=True, kw_only=True)
class Family:
    """Optional parameters that a family of models accepts."""

    efforts: tuple[Effort, ...] = ()
    thinks: bool = False
    """True if adaptive thinking is accepted."""


_ALL: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")
_CURRENT = Family(efforts=_ALL, thinks=True)
_WITHOUT_XHIGH = Family(efforts=("low", "medium", "high", "max"), thinks=True)
_FAMILIES = {
    "claude-opus-5": _CURRENT,
    "claude-sonnet-5": _CURRENT,
    "claude-haiku-5": _CURRENT,
    "claude-fable-5": _CURRENT,
    "claude-mythos-5": _CURRENT,
    "claude-mythos-preview": _WITHOUT_XHIGH,
    "claude-opus-4-8": _CURRENT,
    "claude-opus-4-7": _CURRENT,
    "claude-opus-4-6": _WITHOUT_XHIGH,
    "claude-sonnet-4-6": _WITHOUT_XHIGH,
    "claude-opus-4-5": Family(efforts=("low", "medium", "high")),
    "claude-sonnet-4-5": Family(),
    "claude-haiku-4-5": Family(),
}
"""Families by the beginning of a model's name, by the documentation of November 2026. Any other model gets nothing but
`max_tokens`."""

INVESTIGATOR_TOKENS = 8_192
INVESTIGATOR_TOKENS_THINKING = 12_000
"""Tokens of a turn with its thoughts: the longest findings have about 4,000."""
VALIDATOR_TOKENS = 8_192
CHAT_TOKENS = 4_096
"""Tokens of a chat turn: a note is written in a call."""
CHAT_TOKENS_THINKING = 8_192
SMALL_TOKENS = (4_096, 2_048, 1_024)
"""Tokens of investigator, validator and chat with `model.small`: what is read and written shares a small window."""
SUMMARY_TOKENS = 512
SUMMARY_TOKENS_THINKING = 2_048
"""Tokens of a summary with the thoughts of a model that thinks without being asked to."""


def investigator_parameters(settings: Settings) -> ModelParameters:
    """Return the parameters of the investigator's calls."""
    section, small = settings.investigator, settings.model.small
    tokens = SMALL_TOKENS[0] if small else INVESTIGATOR_TOKENS
    thinking = SMALL_TOKENS[0] if small else INVESTIGATOR_TOKENS_THINKING
    return _resolve(section.model, section, tokens=tokens, thinking=thinking)


def tier_model(settings: Settings, tier: NextTier) -> str:
    """Return the model of tier 2 or 3; the investigator's by default."""
    return settings.tiers.get_tier(tier).model or settings.investigator.model


def tier_parameters(settings: Settings, tier: NextTier) -> ModelParameters:
    """Return the parameters of the calls of tier 2 or 3."""
    small = settings.model.small
    tokens = SMALL_TOKENS[0] if small else INVESTIGATOR_TOKENS
    thinking = SMALL_TOKENS[0] if small else INVESTIGATOR_TOKENS_THINKING
    return _resolve(tier_model(settings, tier), settings.tiers.get_tier(tier), tokens=tokens, thinking=thinking)


def validator_parameters(settings: Settings) -> ModelParameters:
    """Return the parameters of the validator's calls: at low effort by default, since it opens a few lines."""
    model, section = settings.validator_model, settings.validator
    tokens = SMALL_TOKENS[1] if settings.model.small else VALIDATOR_TOKENS
    return _resolve(model, section, tokens=tokens, thinking=tokens, effort="low")


def chat_parameters(settings: Settings, model: str) -> ModelParameters:
    """Return the parameters of the chat agent's calls. It has more tools than a request may have strict ones."""
    small = settings.model.small
    tokens = SMALL_TOKENS[2] if small else CHAT_TOKENS
    thinking = SMALL_TOKENS[2] if small else CHAT_TOKENS_THINKING
    return _resolve(model, settings.chat, tokens=tokens, thinking=thinking, strict=False)


def summary_parameters(model: str) -> ModelParameters:
    """Return the parameters of a summary's call, which needs no thought."""
    family = _find_family(model) or Family()
    tokens = SUMMARY_TOKENS_THINKING if family.thinks else SUMMARY_TOKENS
    return ModelParameters(max_tokens=tokens, effort="low" if "low" in family.efforts else None)


def _resolve(
    model: str,
    section: AgentSection,
    *,
    tokens: int,
    thinking: int,
    effort: Effort | None = None,
    strict: bool = True,
) -> ModelParameters:
    """Return the parameters of the settings, as far as the family accepts them; a model of no known family gets all."""
    family = _find_family(model)
    wanted = section.effort or (effort if family else None)
    thinks = section.thinking if section.thinking is not None else family is not None
    if family:
        wanted = wanted if wanted in family.efforts else None
        thinks = thinks and family.thinks
    return ModelParameters(
        max_tokens=section.max_tokens or (thinking if thinks else tokens),
        effort=wanted,
        thinks=thinks,
        strict=strict and family is not None,
        states_form=family is None,
    )


def _find_family(model: str) -> Family | None:
    return next((family for name, family in _FAMILIES.items() if model.startswith(name)), None)
