"""Stand-ins for docker and systemctl: programs that print what the real ones print, and run nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BEGIN = f"""#!{sys.executable} -S
# Stand-in, not the real program: it prints states of a test.
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as calls:
    calls.write(json.dumps([os.path.basename(__file__), sys.argv[1:], dict(os.environ)]) + "\\n")
"""

_DOCKER = """
states = {states!r}
code = 0
for name in sys.argv[sys.argv.index("--format") + 2:]:
    if name in states:
        state = {{"OOMKilled": False, "ExitCode": 0, "Error": "", **states[name]}}
        print(json.dumps({{"name": "/" + state.pop("Name", name), "state": state}}))
    else:
        print("Error: No such container: " + name, file=sys.stderr)
        code = 1
sys.exit(code)
"""

_SYSTEMCTL = """
states = {states!r}
missing = {{"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead", "Result": "success"}}
blocks = [states.get(name, missing) for name in sys.argv[sys.argv.index("--") + 1:]]
print("\\n\\n".join("\\n".join(key + "=" + value for key, value in block.items()) for block in blocks))
"""


def _write(folder: Path, name: str, program: str) -> dict[str, str]:
    path = folder / name
    path.write_text(_BEGIN + program)
    path.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "SLACK_BOT_TOKEN": "xoxb-secret"}


def standin_docker(folder: Path, states: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Write a stand-in for docker with these containers; return an environment whose PATH has it."""
    return _write(folder, "docker", _DOCKER.format(states={name: dict(state) for name, state in states.items()}))


def standin_systemctl(folder: Path, states: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Write a stand-in for systemctl with these units; return an environment whose PATH has it."""
    return _write(folder, "systemctl", _SYSTEMCTL.format(states={name: dict(state) for name, state in states.items()}))


def standin_script(folder: Path, name: str, program: str) -> dict[str, str]:
    """Write a stand-in that does something else; return an environment whose PATH has it."""
    return _write(folder, name, program)


def standin_that_hangs(folder: Path, name: str) -> dict[str, str]:
    """Write a stand-in that hangs with a child, after it has added the ids of both to the file `pids`.

    A shell starts at once, also on a busy machine.
    """
    path = folder / name
    path.write_text(f"#!/bin/sh\n# Stand-in, not the real program.\nsleep 60 &\necho $! $$ >> {folder}/pids\nwait\n")
    path.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}
