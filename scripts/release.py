"""Files of a release in `dist/`: wheel, sdist, bill of materials, licences and digests; `make release`.

Wheel and sdist are built twice from the committed files, in different folders, and must be equal byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from scripts.licences import PAGE, licence_of
from scripts.lock import ROOT, RUNTIME

DIST = ROOT / "dist"
SBOM = "sbom.cdx.json"
DIGESTS = "SHA256SUMS"


def main() -> int:
    """Write the files; 1 if two builds differ."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder) / name) for name in ("first", "second"))
        if digests_of(first) != digests_of(second):
            _say(f"two builds differ: {digests_of(first)} and {digests_of(second)}")
            return 1
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(first, DIST)
    (DIST / SBOM).write_text(json.dumps(bill_of_materials(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.copy(PAGE, DIST)
    lines = [f"{digest}  {name}\n" for name, digest in digests_of(DIST).items()]
    (DIST / DIGESTS).write_text("".join(lines), encoding="utf-8")
    _say(f"{''.join(lines)}dist/ has the release of {_git('rev-parse', 'HEAD')}; both builds were equal.")
    return 0


def build(folder: Path) -> Path:
    """Build wheel and sdist of the last commit below a folder; return the folder that holds the two."""
    source, built = folder / "source", folder / "built"
    source.mkdir(parents=True)
    archive = folder / "source.tar"
    _git("archive", "--output", str(archive), "HEAD")
    with tarfile.open(archive) as files:
        files.extractall(source, filter="data")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(built)],
        cwd=source,
        env=os.environ | {"SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct")},
        check=True,
        capture_output=True,
    )
    return built


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 digests of a folder's files by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def bill_of_materials() -> dict[str, Any]:
    """Return the CycloneDX document of the libraries in `requirements.txt`, with digests and licences."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "cyclonedx_py", "requirements", RUNTIME),
            *("--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON"),
        ],
        cwd=ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct")},
        check=True,
        capture_output=True,
        text=True,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    for component in document["components"]:
        component["licenses"] = [{"license": {"name": licence_of(component["name"])}}]
    return document


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],  # noqa: S607  # of the PATH
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def _say(line: str) -> None:
    print(line)  # noqa: T201  # a script speaks to a person


if __name__ == "__main__":
    sys.exit(main())
