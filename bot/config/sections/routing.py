"""Which role and project a question goes to, and what a run of each kind of role may take (spec 5, steps 0 to 2)."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from bot.config.sections.base import ChannelId, Section
from bot.models.role import Category, RoleName


class RuleSection(Section):
    """One rule; the first that takes a question counts."""

    pattern: Annotated[str, Field(min_length=1, max_length=1_000)]
    """An re2 pattern, case-insensitive, that is looked for in the question."""
    role: RoleName
    """The file `roles/<role>.md` beside the settings."""
    cwd: Path | None = None
    """The folder to work in, instead of the role's; a relative path starts at the settings file."""
    channel: ChannelId | None = None
    """The rule counts in this channel only."""


class RoutingSection(Section):
    """Rules, in order. Without this section every question goes to the project that fits its words best."""

    default: RoleName
    """The role where no rule takes the question."""
    rules: Annotated[tuple[RuleSection, ...], Field(max_length=1_000)] = ()


class CategorySection(Section):
    """What a run of a role of this category may take. Roles never say it themselves."""

    inactivity_timeout_min: Annotated[float, Field(gt=0, le=60)] = 2
    """Minutes without progress after which a run is ended."""
    turns: Annotated[int, Field(ge=2, le=100)] = 20
    """Turns of the model."""
    usd: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """US dollars; never more than `model.max_usd_per_run`."""

    @property
    def category(self) -> Category:
        """The same as a plain value."""
        return Category(inactivity_timeout_min=self.inactivity_timeout_min, turns=self.turns, usd=self.usd)
