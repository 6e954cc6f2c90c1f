"""Files that come with the program: at the root of the source, in the package where it was installed from a wheel."""

from __future__ import annotations

from pathlib import Path

import bot


def shipped_root() -> Path:
    """Return the folder that holds `README.md`, `docs`, `manifest.yml` and the example settings."""
    package = Path(bot.__file__).resolve().parent
    source = package.parent
    return source if is_clone(source) else package


def is_clone(folder: Path) -> bool:
    """Return whether a folder is the root of the source, not of an installed package."""
    return (folder / "pyproject.toml").exists()


def shipped_file(name: str) -> Path:
    """Return the path of one of these files."""
    return shipped_root() / name
