"""Part of `make check`: Dockerfile, the compose files and triage.service, by the verifiers of each that are installed.

hadolint and check-jsonschema, with the Compose specification's schema, are developers' tools; systemd's verifier is
there where systemd is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def problems() -> tuple[list[str], list[str]]:
    """Return what is wrong, and the verifiers that are not there."""
    wrong: list[str] = []
    absent: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "triage.service"
        text = (ROOT / "triage.service").read_text(encoding="utf-8")
        unit.write_text(text.replace("/opt/triage/venv/bin/triage", "/bin/true"), encoding="utf-8")  # it must exist
        compose = map(str, sorted(ROOT.glob("compose*.yml")))
        checks = {
            "hadolint": [str(ROOT / "Dockerfile")],
            "check-jsonschema": [
                "--builtin-schema",
                "vendor.compose-spec",
                *compose,
            ],
            "systemd-analyze": ["verify", "--man=no", str(unit)],
        }
        for name, arguments in checks.items():
            program = shutil.which(name, path=str(BIN)) or shutil.which(name)
            if program is None:
                absent.append(name)
                continue
            done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
            said = (done.stdout + done.stderr).strip()
            if done.returncode or (name == "systemd-analyze" and str(unit.name) in said):
                wrong.append(f"{name}: {said}")
    return wrong, absent


def main() -> int:
    """Say what is wrong; 1 when something is."""
    wrong, absent = problems()
    for problem in wrong:
        _say(problem)
    note = f"; not installed: {', '.join(absent)}" if absent else ""
    _say(f"deployment files: {'wrong' if wrong else 'fine'}{note}")
    return 1 if wrong else 0


def _say(line: str) -> None:
    print(line)  # noqa: T201  # a script speaks to a person


if __name__ == "__main__":
    sys.exit(main())
