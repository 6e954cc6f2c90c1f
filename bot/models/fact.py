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

    def altered(self, **changes: Any) -> Self:
        """A copy with `changes` that are valid as they stand: nothing is checked, in a fifth of the time."""
        copy = self.__class__.__new__(self.__class__)
        values = self.__dict__.copy()
        values.update(changes)
        _set(copy, "__dict__", values)
        _set(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        _set(copy, "__pydantic_extra__", None)
        _set(copy, "__pydantic_private__", None)
        return copy


_set = object.__setattr__
