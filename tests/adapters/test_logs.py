"""The log, from a separate process: JSON lines in which no secret and no control character stands."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import logging, sys
from pathlib import Path
from bot.decide.redaction.redactor import Redactor
from bot.adapters.logs import PROGRESS, set_up
secret, token = "loaded" + "-value-4711", "gh" + "p_" + "a1B2c3D4" * 5
set_up(Path(sys.argv[1]), redact=Redactor([secret]).redact)
log = logging.getLogger("bot.test")
log.info("loaded %s, token %s", secret, token)
log.log(PROGRESS, "resolving deltas %d %%", 10)
log.warning("escape \\x1b[31m %s", {"key": secret})
try:
    raise ValueError(f"broke on {token}")
except ValueError:
    log.exception("it broke")
"""


def test_the_log_holds_no_secret(tmp_path: Path) -> None:
    """In messages, arguments and tracebacks, in the file and on standard error."""
    path = tmp_path / "system.ndjson"
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    said = path.read_text() + done.stderr
    assert "4711" not in said
    assert "a1B2c3D4" not in said
    assert "\x1b" not in said
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record["message"].count("[redacted]") for record in records] == [2, 0, 1, 0]
    assert (records[1]["level"], done.stderr.splitlines()[0]) == ("progress", "resolving deltas 10 %")
    assert "ValueError: broke on [redacted]" in records[3]["trace"]
    assert path.stat().st_mode & 0o777 == 0o600
