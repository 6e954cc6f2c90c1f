"""Word tables of the package: YAML of strings, lists and mappings."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml

_READER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_table(text: str) -> Any:
    """Parse a table; all scalars are strings. Raises `yaml.YAMLError`."""
    return yaml.load(text, Loader=_READER)  # noqa: S506  # it makes strings, lists and dictionaries


def packaged_table(name: str) -> Any:
    """Load the table in a file of this package."""
    return read_table((resources.files("bot.decide") / name).read_text("utf-8"))
