"""Program that `triage selftest` starts as tier 2: it waits, and prints an answer that costs nothing.

It is run by its path with a folder, and imports nothing of Triage. In that folder it adds its process id to `starts`,
and waits until somebody opens the pipe `end` for writing.
"""

import json
import os
import sys
from pathlib import Path

WAITS = "stand-in-waits"
"""Word of the transcript that a person who watches the run must see: without a blank, which a terminal may skip."""
FILE, LINE = "limits.py", "RETRY_LIMIT = 5"
STARTS, END = "starts", "end"
ANSWER = {
    "confidence": "high",
    "confidence_reason": "The line was opened.",
    "summary_for_orchestrator": "The limit is 5.",
    "draft_reply": f"The retry limit is 5 (`{FILE}:1`).",
    "draft_language": "en",
    "evidence_refs": [{"kind": "file", "ref": f"{FILE}:1", "supports_claim": "The limit.", "quote": LINE}],
    "research_notes": f"Opened {FILE}.",
}


def main() -> None:
    """Wait, and print the answer in the form of an agent's headless mode."""
    folder = Path(sys.argv[1])
    with (folder / STARTS).open("a") as file:
        file.write(f"{os.getpid()}\n")
    sys.stdout.write(f"{WAITS} for the restart of its bot\n")
    sys.stdout.flush()
    (folder / END).read_bytes()
    result = {"type": "result", "is_error": False, "num_turns": 1, "total_cost_usd": 0, "structured_output": ANSWER}
    sys.stdout.write(f"{json.dumps(result)}\n")


if __name__ == "__main__":
    main()
