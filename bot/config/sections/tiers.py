"""Settings of escalation: tiers 2 and 3, each in a separate process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from bot.config.sections.agents import AgentSection
from bot.config.sections.base import Section, VariableName
from bot.decide.program_arguments import find_fault


class EscalationSection(Section):
    """Settings of escalation to long runs in a separate process."""

    enabled: bool = True
    """True if questions may be escalated."""
    expected_runtime_min_threshold: Annotated[float, Field(gt=0)] = 10
    """Expected minutes of a run above which it is escalated."""
    transcript_dir: Path | None = None
    """Folder of the runs; `escalations/` in the home by default."""
    max_tier: Literal[1, 2, 3] = 3
    """Highest tier that is started; questions that ask for a higher one go to the operator."""
    dry_run: bool = False
    """True to record escalations without starting any."""

    @field_validator("transcript_dir")
    @classmethod
    def _is_absolute(cls, folder: Path | None) -> Path | None:
        whole = folder.expanduser() if folder else None
        if whole and not whole.is_absolute():
            raise ValueError(f"expected an absolute folder, got {folder}")
        return whole


class TierSection(AgentSection):
    """Settings of one tier."""

    model: str | None = None
    """Model of its investigator; the investigator's by default."""
    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=1_440)]
    """Time limit of a run in minutes."""
    max_turns: Annotated[int, Field(ge=2, le=1_000)]
    """Maximum number of model turns."""
    max_usd: Annotated[float, Field(gt=0, le=1_000)] | None = None
    """Maximum cost of a run in US dollars; `model.max_usd_per_run` by default."""
    prompt: Path | None = None
    """File with further instructions for its investigator."""
    command: tuple[str, ...] | None = None
    """Program of the team, with its arguments, in place of Triage's own investigator (docs/escalation.md)."""
    env: tuple[VariableName, ...] = ()
    """Environment variables that `command` gets in addition to PATH, HOME, LANG and TZ; never Slack's."""

    @field_validator("command")
    @classmethod
    def _is_startable(cls, command: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if command is not None and (fault := find_fault(command)):
            raise ValueError(fault)
        return command

    @field_validator("env")
    @classmethod
    def _names_none_of_slack(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name.upper().startswith("SLACK_"):
                raise ValueError(f"expected no variable of Slack, got {name}: a program never speaks to Slack")
        return names


class Tier2Section(TierSection):
    """Settings of tier 2."""

    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=1_440)] = 30
    max_turns: Annotated[int, Field(ge=2, le=1_000)] = 80


class Tier3Section(TierSection):
    """Settings of tier 3."""

    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=1_440)] = 120
    max_turns: Annotated[int, Field(ge=2, le=1_000)] = 200


class TiersSection(Section):
    """Settings of the tiers, by number."""

    tier_2: Annotated[Tier2Section, Field(alias="2")] = Tier2Section()
    tier_3: Annotated[Tier3Section, Field(alias="3")] = Tier3Section()

    @model_validator(mode="before")
    @classmethod
    def _read_numbers(cls, content: Any) -> Any:
        return {str(key): value for key, value in content.items()} if isinstance(content, dict) else content

    def get_tier(self, tier: Literal[2, 3]) -> TierSection:
        """Return the settings of a tier."""
        return self.tier_2 if tier == 2 else self.tier_3
