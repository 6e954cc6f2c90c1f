"""Each protocol of `bot/ports` names its implementation, which has the protocol's methods."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import bot.ports
from tests.tables import each_row

_NAME = re.compile(r"`(bot(?:\.\w+)+)\.([A-Z]\w+(?:\.\w+)?)`")
PROTOCOLS = [
    value
    for path in sorted(Path(bot.ports.__path__[0]).glob("[a-z]*.py"))
    for value in vars(import_module(f"bot.ports.{path.stem}")).values()
    if inspect.isclass(value) and value.__module__ == f"bot.ports.{path.stem}" and getattr(value, "_is_protocol", False)
]


@each_row("protocol", PROTOCOLS, ids=lambda protocol: protocol.__name__)
def test_a_protocol_names_its_implementation(protocol: Any) -> None:
    """By module and class, so that a reader finds the code behind a call."""
    implementations = [resolve_name(f"{module}:{name}") for module, name in _NAME.findall(protocol.__doc__ or "")]
    assert implementations
    methods = {name for name, value in vars(protocol).items() if inspect.isfunction(value) and name[:1] != "_"}
    for implementation in implementations:
        assert [name for name in methods if not hasattr(implementation, name)] == []
