"""Settings of routing: roles and projects for questions, and the run limits of each role category (spec 5, steps 0 to
2)."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from bot.config.sections.base import ChannelId, Section
from bot.models.role import Category, RoleName


class RuleSection(Section):
    """Routing rule; the first rule that matches a question applies."""

    pattern: Annotated[str, Field(min_length=1, max_length=1_000)]
    """re2 pattern, case-insensitive, that is searched in the question."""
    role: RoleName
    """Name of the role file `roles/<role>.md` beside the settings."""
    cwd: Path | None = None
    """Working folder, instead of the role's; a relative path starts at the settings file."""
    channel: ChannelId | None = None
    """Channel that the rule is limited to."""


class RoutingSection(Section):
    """Routing rules, in order. Without this section every question goes to the project that fits its words best."""

    default: RoleName
    """Role for questions that no rule matches."""
    rules: Annotated[tuple[RuleSection, ...], Field(max_length=1_000)] = ()


class CategorySection(Section):
    """Run limits of the roles of a category. Roles never set limits themselves."""

    inactivity_timeout_min: Annotated[float, Field(gt=0, le=60)] = 2
    """Minutes without progress after which a run is ended."""
    turns: Annotated[int, Field(ge=2, le=100)] = 20
    """Maximum number of model turns."""
    usd: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """Maximum cost in US dollars; never more than `model.max_usd_per_run`."""

    @property
    def category(self) -> Category:
        """Return the limits as a `Category` value."""
        return Category(inactivity_timeout_min=self.inactivity_timeout_min, turns=self.turns, usd=self.usd)
