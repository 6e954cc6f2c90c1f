"""`docs/licences.md`: the libraries that Triage is installed with, and the licence of each, from their metadata."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, metadata

from scripts.lock import ROOT, RUNTIME, read_pins
from scripts.written_page import write_page

PAGE = ROOT / "docs" / "licences.md"
_HEAD = """\
# Licences of the libraries

Triage is under the MIT licence. These are the libraries that it is installed with (`requirements.txt`), each with its
licence as its own metadata states it; `make lock` writes this page.

| library | version | licence |
|---|---|---|
"""
_ELSEWHERE = {"httpx2-jsfetch": "BSD-3-Clause"}
"""Licences of libraries that only other platforms install."""
_CLASSIFIER = "License :: OSI Approved :: "


def licence_of(name: str) -> str:
    """Return the licence of an installed library: its expression, else its classifiers, else the text of its field."""
    try:
        fields = metadata(name)
    except PackageNotFoundError:
        return _ELSEWHERE[name]
    if "License-Expression" in fields:
        return fields["License-Expression"]
    classified = [each.removeprefix(_CLASSIFIER) for each in fields.get_all("Classifier") or () if _CLASSIFIER in each]
    stated = str(fields.json.get("license") or "")
    return ", ".join(classified) or (stated.splitlines() or ["unknown"])[0]


def page_text() -> str:
    """Return the page."""
    pins = read_pins((ROOT / RUNTIME).read_text(encoding="utf-8"))
    return _HEAD + "".join(f"| {name} | {version} | {licence_of(name)} |\n" for name, version in pins.items())


def main() -> int:
    """Write the page, or compare it with `--check`."""
    return write_page(PAGE, page_text())


if __name__ == "__main__":
    sys.exit(main())
