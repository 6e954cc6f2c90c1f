"""Stand-in for `triage headless --fix`: it mends the planted defect at once, without a model.

It loads nothing of the bot, so that it starts in an instant.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys


def main() -> int:
    """Take the lock, edit the file, and leave a draft."""
    folder = sys.argv[sys.argv.index("--task") + 1]
    handle = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    if os.pread(handle, 1, 0):
        return 0
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    with open(f"{folder}/task.json") as file:  # noqa: PTH123  # an import less
        task = json.load(file)
    with open(f"{folder}/starts", "a") as file:  # noqa: PTH123  # as above
        file.write(f"{os.getpid()}\n")
    place = f"{task['folder']}/total.py"
    with open(place, "rb") as file:  # noqa: PTH123  # as above
        content = file.read().replace(b" - 1", b"")
    with open(place, "wb") as file:  # noqa: PTH123  # as above
        file.write(content)
    change = {"status": "modified", "path": "total.py"}
    draft = {
        "files": [{"change": change, "digest": hashlib.sha256(content).hexdigest()}],
        "title": "Add up all prices",
        "description": "",
    }
    returned = {"session_id": task["session_id"], "outcome": "answered", "draft": draft, "result": {}}
    with open(f"{folder}/return.json", "w") as file:  # noqa: PTH123  # as above
        json.dump(returned, file)
    with open(f"{folder}/.done", "w"):  # noqa: PTH123  # as above
        return 0


if __name__ == "__main__":
    sys.exit(main())
