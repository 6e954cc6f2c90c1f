"""Docstrings of the fields of a model, from its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache

from pydantic import BaseModel


@cache
def read_field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings of a model's fields by name, each on one line; those that it inherits included."""
    docs: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not issubclass(owner, BaseModel) or not owner.__module__.startswith("bot."):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        assert isinstance(tree, ast.ClassDef)  # noqa: S101  # it is the source of a class
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(about))),
                ):
                    docs[name] = " ".join(about.split())
    return docs
