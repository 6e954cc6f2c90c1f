"""A person who has never been on this machine: their bare root, what they clone, and the page that they look for."""

from __future__ import annotations

import re
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from measure.bare_root.root import Bind, bare_root
from measure.bare_root.sent import ROOT

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence

    from measure.bare_root.root import Root

NEWCOMER = "newcomer"
PACKAGES = ("git", "make", "python3", "python3-venv")
"""What the README asks for, by the names of Debian."""
SOURCE = "file:///srv/triage.git"
"""What they clone: the last commit here."""
_PAGE = re.compile(r"Page\s+((http://\S+?)/\?as=\S+)")


@contextmanager
def newcomer(release: str, *packages: str, binds: Sequence[Bind] = ()) -> Iterator[Root]:
    """Give a bare root with these packages, the user NEWCOMER and the repository at SOURCE."""
    with bare_root(release, *packages) as root, tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root.run("useradd", "--create-home", "--shell", "/bin/bash", NEWCOMER)
        source = Path(folder) / "triage.git"
        subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(source)], check=True)  # noqa: S607  # of the PATH
        number, group, _ = root.account(NEWCOMER)
        subprocess.run(["chown", "--recursive", f"{number}:{group}", str(source)], check=True)  # noqa: S607  # coreutils
        all_binds = (Bind(source, SOURCE.removeprefix("file://")), *binds)
        for bind in all_binds:
            root.make_place(bind)
        yield replace(root, binds=all_binds)


async def read_page(demo: asyncio.subprocess.Process, look: Callable[[str], None]) -> tuple[str, str]:
    """Read what the demo prints until it names its page; return its address and that of the workspace."""
    assert demo.stdout is not None  # noqa: S101  # it was asked for
    said = []
    async for line in demo.stdout:
        said.append(line.decode().strip())
        look(said[-1])
        if found := _PAGE.search(said[-1]):
            return found[1], found[2]
    raise RuntimeError("\n".join(["no page:", *said]))
