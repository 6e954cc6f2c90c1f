"""Reading of a record: a file with one model as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from bot.errors import Unreadable
from bot.models.fact import Fact

if TYPE_CHECKING:
    from pathlib import Path

Record = TypeVar("Record", bound=Fact)


def read_record(path: Path, record: type[Record]) -> Record | None:
    """Return the record; `None` without its file. Raises `Unreadable`."""
    try:
        return record.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        error = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, error["loc"])) or path.name
        raise Unreadable(f"{path}: {place}: {error['msg']}") from None
    except OSError as problem:
        raise Unreadable(f"{path}: {problem.strerror}") from problem
