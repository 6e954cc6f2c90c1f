"""Secrets in Kubernetes manifests: the values of `kind: Secret`, whatever their names are. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.redaction.given_values import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANIFEST = re2.compile(rb"(?m)^kind:[ \t]*[\"']?Secret[\"']?[ \t]*\r?$")
_DATA = re2.compile(rb"(?m)^(data|stringData):[ \t]*\r?\n((?:[ \t]+[^\n]*\n?)+)")
_ENTRY = re2.compile(rb"(?m)^[ \t]+[\w.-]+:[ \t]*[\"']?([^\s\"'|>]{6,})[\"']?[ \t]*\r?$")
_BASE64 = re2.compile(r"(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def find_in_manifests(plain: bytes, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of all base64 data, and of other values that look secret; `plain` is the text in ASCII."""
    if not _MANIFEST.search(plain):
        return
    for data in _DATA.finditer(plain):
        for match in _ENTRY.finditer(data.group(2)):
            first, last = (data.start(2) + place for place in match.span(1))
            value = text[first:last]
            if _BASE64.fullmatch(value) if data.group(1) == b"data" else is_secret("password", value, bare=True):
                yield first, last
