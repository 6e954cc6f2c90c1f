"""`Fact`: the frozen pydantic model that all domain models derive from."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Fact(BaseModel):
    """A frozen value: unknown keys are errors, changes are copies."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with `changes`, validated as a whole (`model_copy` would not validate).

        Raises `pydantic.ValidationError` if the result is not valid, which includes an unknown name.
        """
        return type(self).model_validate({**dict(self), **changes})
