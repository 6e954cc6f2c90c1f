"""What a bare root takes from the machine that it stands on: how Debian and Python packages are reached from here.

Mirrors, proxies and certificates are read anew each time: nothing of them is in this repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Where Debian has the certificates of authorities; a root gets this machine's there."""
_NETWORK = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")
_PIP = re.compile(r"^[\w:]*\.([a-z-]+)='(.*)'$")
_OF_APT = re.compile(r'^Acquire::(http|https|Check-)[^ ]* ".*";$', re.MULTILINE)
_ABOUT_FILES = ("/", "file:")


def find_reason_against() -> str | None:
    """Return why no bare root can stand here, or `None`."""
    if os.geteuid():
        return "needs root"
    absent = [name for name in ("debootstrap", "bwrap", "nsenter", "apt-get") if not shutil.which(name)]
    if absent:
        return f"needs {' and '.join(absent)}"
    try:
        find_mirror()
    except LookupError as problem:
        return f"needs a mirror: {problem}"
    return None


def find_mirror() -> str:
    """Return the address from which this machine takes Debian itself."""
    targets = _printed("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI) $(SUITE)", "Created-By: Packages")
    for line in targets.splitlines():
        origin, address, suite = line.split(" ", 2)
        if origin == "Debian" and "security" not in suite:
            return address
    raise LookupError("apt has no list of packages of Debian here: apt-get update")


def apt_settings() -> str:
    """Return what apt has to know to reach it."""
    return "".join(f"{match[0]}\n" for match in _OF_APT.finditer(_printed("apt-config", "dump", "Acquire")))


def variables() -> dict[str, str]:
    """Return the environment with which pip and uv reach their index from a root.

    Paths of this machine stay here: a root has none of its files, but for the certificates.
    """
    found = {k: v for k, v in os.environ.items() if k.lower() in _NETWORK}
    python = Path(sys.base_prefix) / "bin" / "python3"
    for line in _printed(str(python), "-m", "pip", "config", "list").splitlines():
        if setting := _PIP.match(line):
            kept = [word for word in setting[2].replace("\\n", " ").split() if not word.startswith(_ABOUT_FILES)]
            if kept:
                found[f"PIP_{setting[1].upper().replace('-', '_')}"] = " ".join(kept)
    for name, value in os.environ.items():
        if name.startswith("UV_") and not value.startswith(_ABOUT_FILES) and "CACHE" not in name:
            found[name] = value
    named = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    return found | (dict.fromkeys(named, str(CERTIFICATES)) if CERTIFICATES.is_file() else {})


def find_uv() -> Path | None:
    """Return this machine's uv itself, not what starts it."""
    starter = shutil.which("uv")
    if not starter:
        return None
    name = "import os, sys, uv; sys.stdout.write(os.fsdecode(uv.find_uv_bin()))"
    for python in (Path(sys.base_prefix) / "bin" / "python3", sys.executable):
        asked = subprocess.run([python, "-c", name], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return Path(asked.stdout)
    return Path(starter).resolve()


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
