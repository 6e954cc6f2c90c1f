"""Reader of saved facts, by name, from a file that may be damaged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from pydantic import ValidationError

from bot.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)


class Readable(Protocol):
    """Model that is built from the fields of a file."""

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """Return the model with these fields. Raises `pydantic.ValidationError`."""


Saved = TypeVar("Saved", bound=Readable)


async def read_facts(
    file: JsonFile, kind: type[Saved], tell: Callable[[str], None], *, subject: str, consequence: str
) -> dict[str, Saved]:
    """Read all facts of a file; one that cannot be read is set aside, which an admin is told.

    `subject` names the content at the beginning of a sentence, `consequence` is the sentence after that.
    """
    try:
        content = await file.read_whole()
        return {name: kind.model_validate(value) for name, value in content.items()}
    except (Unreadable, ValidationError) as problem:
        reason = str(problem) if isinstance(problem, Unreadable) else "a value has an unknown form"
    try:
        path = await file.set_aside()
    except OSError as problem:
        log.error("a damaged file cannot be moved, and is overwritten: %s", problem)
        path = None
    where = f"The file was moved to {path}." if path else "The file could not be moved, and is overwritten."
    tell(f"{subject} could not be read ({reason}). {where} {consequence}")
    return {}
