"""`Fact`: the frozen pydantic model that every noun is made of."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Fact(BaseModel):
    """A frozen value: an unknown key is an error, a change is a copy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def evolve(self, **changes: Any) -> Self:
        """A copy with `changes`, validated as a whole (`model_copy` would not validate).

        Raises `pydantic.ValidationError` when the result is not a valid value, a wrong name included.
        """
        return type(self).model_validate({**dict(self), **changes})
