"""Files of `triage init` on disk: settings, and variables that only their owner may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.setup_file import put_variables, settings_text
from bot.errors import Misconfigured
from bot.runtime.atomic_file import replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bot.decide.setup_file import SetupAnswers

_HEADER = "# Secrets of Triage, read at each start. For nobody else: not for git, a chat or a ticket.\n"


def write_settings(path: Path, answers: SetupAnswers) -> None:
    """Write the first settings, which others may read, such as the user of a container. Raises `Misconfigured`."""
    _write(path, settings_text(answers))
    path.chmod(0o644)


def write_variables(path: Path, variables: Mapping[str, str]) -> None:
    """Put variables into the file, which gets the mode 0600; its other lines stay. Raises `Misconfigured`."""
    text = path.read_text(encoding="utf-8") if path.exists() else _HEADER
    _write(path, put_variables(text, variables))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path.resolve(), text.encode(), point="setup")
    except OSError as problem:
        raise Misconfigured(f"{path}: cannot be written ({problem.strerror})") from None


def is_open_to_git(path: Path) -> bool:
    """Return whether the file is in a git repository whose .gitignore files do not name it."""
    folder = path.resolve().parent
    for above in (folder, *folder.parents):
        ignored = above / ".gitignore"
        if ignored.is_file() and {path.name, f"/{path.name}", f"**/{path.name}", "*.env"} & _lines_of(ignored):
            return False
        if (above / ".git").exists():
            return True
    return False


def _lines_of(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()}
