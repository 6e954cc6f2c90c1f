"""Reader of saved facts, by name, from a file that may be damaged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from bot.errors import Unreadable
from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)

Saved = TypeVar("Saved", bound=Fact)


async def read_facts(file: JsonFile, kind: type[Saved], tell: Callable[[str], None]) -> dict[str, Saved]:
    """Read all facts of a file; one that cannot be read is set aside, which an admin is told."""
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
    tell(f"The state of health checks could not be read ({reason}). {where} The checks start again without it.")
    return {}
