"""Sandboxed git that may write: no configuration but this one, no hook, no helper, no prompt, one protocol, a time
limit.

The token is only in the child's environment (`GIT_CONFIG_*`); git's output is cut, made printable and cleared of the
token before it is used.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bot.errors import Misconfigured, RetryLater
from bot.isolation import Grant, boundary
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

MOST_SAID = 32_000_000
"""Bytes of one output: the names of a hundred thousand files."""
LOOK_EVERY = 0.5
"""Seconds between two checks of a fetch's size."""
NICE = "10"
"""Low priority: the event loop comes first."""

_SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.symlinks=false"),
    *("-c", "core.autocrlf=false", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"),
    *("-c", "credential.helper=", "-c", "http.followRedirects=false", "-c", "transfer.bundleURI=false"),
    *("-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false", "-c", "fetch.unpackLimit=1"),
    *("-c", "filter.lfs.process=", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false"),
    *("-c", "gc.autoDetach=false", "-c", "advice.detachedHead=false", "-c", "core.quotePath=false"),
    "--no-pager",
)
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o StrictHostKeyChecking=yes",
}
_PASSED_ON = ("SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "GIT_SSL_CAINFO")
"""Environment variables for the network access of this machine."""
_REACHING = ("fetch", "ls-remote", "push")
"""The commands that contact another machine."""
_PROGRESS = re.compile(r"(Receiving objects|Resolving deltas):\s+(\d+)%")


_Work = asyncio.Future[tuple[bytes, str, int, None]]
"""Output, error message and exit code of a run, and the end of its input."""


class GitError(RetryLater):
    """git failed; the message has the reason in its own words, without the token."""


class OutputTooLarge(GitError):
    """git's output exceeds the limit; `output` is its beginning."""

    def __init__(self, message: str, output: bytes) -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True, kw_only=True)
class SealedGit:
    """Runner of git for one repository. `protocol` is `https`, `ssh` or `file`; `deadline` is in seconds, for each
    run, and so is `patience`, before progress is reported."""

    protocol: str
    token: str = ""
    deadline: float = 600.0
    patience: float = 2.0

    async def run(self, *arguments: str, cwd: Path, **options: Any) -> str:
        """Run git as `call` does, and return its output as text."""
        _, output = await self.call(*arguments, cwd=cwd, **options)
        return output.decode("utf-8", errors="replace")

    async def call(
        self,
        *arguments: str,
        cwd: Path,
        writes: Sequence[Path] = (),
        reads: Sequence[Path] = (),
        growing: Path | None = None,
        max_bytes: int = 0,
        tell: Callable[[str], None] | None = None,
        variables: Mapping[str, str] = MappingProxyType({}),
        stdin: bytes = b"",
        accepted: Collection[int] = (0,),
        most: int | None = None,
    ) -> tuple[int, bytes]:
        """Run git and return its exit code, one of `accepted`, and its output, of at most `most` (`MOST_SAID`) bytes.

        Inside its boundary it may write only to `writes`, by default `cwd`, and may read `reads`. Raises `GitError`,
        also if the folder `growing` exceeds `max_bytes` bytes.
        """
        grant = self._grant(arguments[0], cwd, tuple(writes) or (cwd,), reads)
        limits = await asyncio.to_thread(boundary)
        try:
            command = limits.arguments(grant, ("git", *_SAFE, *arguments))
        except Misconfigured as problem:
            raise GitError(str(problem)) from None
        with passing(f"git.{arguments[0]}", cwd.name):
            child = await asyncio.create_subprocess_exec(
                *("nice", "-n", NICE, *command),
                cwd=cwd,
                env=self._environment(variables),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                umask=0o077,
            )
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise GitError("git did not start")
        work = asyncio.gather(
            _read(child.stdout, most or MOST_SAID),
            self._complaints(child.stderr, tell),
            child.wait(),
            _feed(child.stdin, stdin),
        )
        try:
            async with asyncio.timeout(self.deadline):
                if growing is not None:
                    await _watch(work, growing, max_bytes)
                output, complaint, code, _ = await work
        except TimeoutError:
            raise GitError(f"git took longer than {self.deadline:g} s") from None
        finally:
            await _end(child, work)
        if code not in accepted:
            raise GitError(complaint or f"git ended with exit code {code}")
        return code, output

    def _grant(self, command: str, cwd: Path, writes: tuple[Path, ...], reads: Sequence[Path]) -> Grant:
        """Grant network access to commands that contact another machine, and the files needed for it."""
        network = command in _REACHING and self.protocol != "file"
        ways = [*reads, *_find_certificates()] if network else [*reads]
        if network and self.protocol == "ssh":
            ways += [path for path in (Path.home() / ".ssh", _agent()) if path and path.exists()]
        return Grant(folder=cwd, reads=tuple(ways), writes=writes, has_network=network)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        variables = {**_ENVIRONMENT, **passed_on, **more, "GIT_ALLOW_PROTOCOL": self.protocol}
        if self.token and self.protocol == "https":
            variables |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "http.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: Basic {self._basic()}",
            }
        return variables

    def _basic(self) -> str:
        return base64.b64encode(f"x-access-token:{self.token}".encode()).decode()

    async def _complaints(self, stream: asyncio.StreamReader, tell: Callable[[str], None] | None) -> str:
        """Return the end of the error stream; progress is reported in steps of ten percent, if it takes long."""
        clock, buffer, last_line = asyncio.get_running_loop().time, "", ""
        told_from = clock() + self.patience
        while piece := await stream.read(65_536):
            buffer = (buffer + piece.decode("utf-8", errors="replace"))[-8_000:]
            for stage, percent in _PROGRESS.findall(piece.decode("utf-8", errors="replace")):
                line = f"{stage.strip().lower()} {int(percent) // 10 * 10} %"
                if tell and line != last_line and clock() >= told_from:
                    last_line = line
                    tell(line)
        lines = [plain for line in re.split(r"[\r\n]", buffer) if (plain := _strip_controls(line))]
        why = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))] or lines
        return self._without_token("; ".join(why[-3:]))[:400]

    def _without_token(self, text: str) -> str:
        for secret in (self.token, self._basic()) if self.token else ():
            text = text.replace(secret, "[REDACTED]")
        return re.sub(r"//[^/\s@]+@", "//", text)


def _find_certificates() -> list[Path]:
    """Return the certificates named in this process's environment."""
    named = [os.environ[name] for name in ("SSL_CERT_FILE", "GIT_SSL_CAINFO") if name in os.environ]
    return [path for path in map(Path, named) if path.is_absolute() and path.exists()]


def _agent() -> Path | None:
    """Return the socket of this user's SSH agent."""
    return Path(os.environ["SSH_AUTH_SOCK"]) if "SSH_AUTH_SOCK" in os.environ else None


def _strip_controls(line: str) -> str:
    """Remove control characters, which a terminal would interpret."""
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())


async def _feed(stream: asyncio.StreamWriter, content: bytes) -> None:
    """Write the whole input; a git that reads only a part of it ends by itself."""
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.write(content)
        await stream.drain()
    stream.close()


async def _read(stream: asyncio.StreamReader, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := await stream.read(65_536):
        size += len(piece)
        if size > max_bytes:
            raise OutputTooLarge(f"git says more than {max_bytes:,} bytes", b"".join((*pieces, piece))[:max_bytes])
        pieces.append(piece)
    return b"".join(pieces)


async def _watch(work: _Work, folder: Path, max_bytes: int) -> None:
    """Wait for the end of the run, while the folder stays within its limit. Raises `GitError`."""
    while not work.done():
        await asyncio.wait([work], timeout=LOOK_EVERY)
        if (size := await asyncio.to_thread(_weight, folder)) > max_bytes:
            raise GitError(f"it is larger than max_mb allows: {size // 1_000_000} MB so far")


def _weight(folder: Path) -> int:
    size = 0
    for inner, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # deleted meanwhile: git renames its packs
                size += os.lstat(os.path.join(inner, name)).st_size  # noqa: PTH118  # thousands of files, often
    return size


async def _end(child: asyncio.subprocess.Process, work: _Work) -> None:
    """Kill the run and wait for it, so that nothing outlives the call."""
    if child.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await asyncio.gather(*(_drain(pipe) for pipe in (child.stdout, child.stderr) if pipe), child.wait())
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


async def _drain(stream: asyncio.StreamReader) -> None:
    """Drain the output of a killed process: asyncio sees no end of a full pipe that nobody reads."""
    with suppress(RuntimeError):  # another reader is active
        while await stream.read(65_536):
            pass
