"""The wheel, built once for a test, and its files laid out as an installer does."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(folder: Path, *, target: str = "wheel") -> Path:
    """Build a wheel or an sdist into this folder; return its path."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)],
        cwd=ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"},
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


def lay_out(wheel: Path, folder: Path) -> Path:
    """Unpack it; return the folder that takes the place of `site-packages`."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder
