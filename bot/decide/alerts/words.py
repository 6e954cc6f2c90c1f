"""Words of alerts (`words.yml`): states in several languages, severities, labels."""

from __future__ import annotations

from bot.decide.word_tables import packaged_table

_TABLE: dict[str, list[str]] = packaged_table("alerts/words.yml")

FIRING, RESOLVED, ACKNOWLEDGED = (frozenset(_TABLE[name]) for name in ("firing", "resolved", "acknowledged"))
WEAK = frozenset(_TABLE["weak"])
"""State words that ordinary notices use, too."""
LEVELS = frozenset(_TABLE["levels"])
"""Weak state words that say how bad something is, also where nothing has failed."""
IGNORED = frozenset(_TABLE["ignored"])
"""Words beside a state word that change nothing."""
SEVERITIES = frozenset(_TABLE["severities"])
IDENTITY = frozenset(_TABLE["identity"])
"""Labels that are part of an alert's identity."""
SERVICES = tuple(_TABLE["services"])
"""Labels that name a service, the best one first."""
ANNOTATIONS = frozenset(_TABLE["annotations"])
"""Names of the texts that describe an alert."""
NO_VALUES = frozenset(_TABLE["no_values"])
"""Values of labels that say nothing."""
BEFORE_VALUE, BEFORE_TIME, COUNTED = (frozenset(_TABLE[name]) for name in ("before_value", "before_time", "counted"))
"""Words beside a number that make it an amount or a time, not a part of the name."""
BEFORE_COUNT = BEFORE_VALUE | frozenset(_TABLE["before_count"])
