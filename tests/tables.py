"""Tables of a test whose rows take microseconds: one test goes through all of them, and names each row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]


def each_row(
    names: str | Sequence[str], rows: Iterable[Any], *, ids: Iterable[Any] | Callable[[Any], Any] | None = None
) -> Callable[[Test], Test]:
    """Call a test once for each row, as `pytest.mark.parametrize` would, but within one test.

    All rows are tried. Where some fail, an `ExceptionGroup` has their failures, each with a note of its row. A row has
    no marks and no fixture of its own: where it needs either, parametrize the test.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [_read(row, len(keys)) for row in rows]
    labels = [None] * len(table) if ids is None or callable(ids) else [*ids]
    if not table or len(labels) != len(table):
        raise ValueError(f"{len(table)} rows, {len(labels)} names")

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**given: Any) -> None:
            failures = []
            for values, label in zip(table, labels, strict=True):
                try:
                    test(**given, **dict(zip(keys, values, strict=True)))
                except Exception as failure:
                    failure.add_note(f"row: {label or ', '.join(map(repr, values))}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} rows failed", failures)

        left = inspect.signature(test).parameters.items()
        run.__signature__ = inspect.Signature([each for name, each in left if name not in keys])  # type: ignore[attr-defined]  # read by pytest
        return run

    return decorate


def _read(row: Any, count: int) -> Collection[Any]:
    if isinstance(row, ParameterSet):
        if row.marks:
            raise ValueError(f"a row with marks is a test of its own: {row}")
        return row.values
    return (row,) if count == 1 else row
