"""Projects and settings of `triage demo`: Triage's source, and small services that ship with it.

All files are in the folder `demo` of the demo's home: settings, roles, and a copy of each service as a git
repository. A copy is made once, so that users can change it and watch the evidence; settings and roles are rewritten
at each start, since the source may have moved.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from bot.cli.demo_forge import API, VARIABLE
from bot.cli.demo_service import health_settings
from bot.cli.shipped_files import is_clone, shipped_root
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from bot.cli.demo_service import DemoService

OWN = "triage"
"""Name of the project that is Triage's own source."""
PARCELS = "parcels"
OTIS = "U0OTIS"
"""Second operator, whom the demo adds to the people of the workspace."""
HAND_OVER_MIN = 10
"""Minutes after which a card that Olu leaves passes to Otis."""
ALWAYS = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "00:00", "to": "24:00"}
"""Working hours: without any no reply may be automatic."""
QUESTIONS = ("where is debounce_ms set?", "when does a parcel count as lost?")
"""Suggested questions, one about each project."""
DEFECT_QUESTION = "why is a return refused on day 30?"
"""Question whose recorded findings name a defect."""

_SHIPPED = Path(__file__).parent / "demo_project"
RETURNS = "returns"
_GIT = "git"
"""Folder of the bare repositories that the demo's forge serves."""
_ROLES = {
    "triage-dev": (
        "Triage Dev",
        "You know Triage's own source: a Slack bot in Python. Decisions are in `bot/decide`, settings in\n"
        "`bot/config/sections`, documentation in `docs`.",
    ),
    "parcels-dev": (
        "Parcels Dev",
        "You know Parcels: a small service that prices parcels and hands them to couriers. The figures that change\n"
        "without a release are in `config/parcels.toml`.",
    ),
    "returns-dev": ("Returns Dev", "You know Returns: the rules by which customers send parcels back."),
}
_RULES = [{"pattern": r"\b(parcels?|couriers?|shipping)\b", "role": "parcels-dev"}]


def own_source(folder: Path) -> Path:
    """Return the folder of Triage's own source: the clone, else a copy of the installed package.

    Installers such as uv link the files of a package to their cache, and no search reads a file that has another name
    outside of the project.
    """
    root = shipped_root()
    if is_clone(root):
        return root
    copy = folder / OWN
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy.resolve()


def write_demo(
    folder: Path,
    model_url: str | None = None,
    model: str | None = None,
    *,
    service: DemoService | None = None,
    forge_url: str = "",
    is_replicated: bool = False,
) -> Path:
    """Write settings, roles and the second project into a folder; return the settings file.

    `model_url`, a local server of the Messages API, turns on agents and chat; all use its `model`. The `service` is
    checked, if there is one. `forge_url`, the address of the demo's forge, adds a project with a defect.
    With `is_replicated` the state is in a database.
    """
    (folder / "roles").mkdir(parents=True, exist_ok=True, mode=0o700)
    root = own_source(folder)
    settings: dict[str, Any] = {
        "watched_chats": [
            {"chat_id": "C0HELP", "name": "help-platform", "mode": "live"},
            {"chat_id": "C0SHARED", "name": "shared-partner", "mode": "live"},
        ],
        "operators": ["U0OPS", OTIS],
        "admins": ["U0ADMIN"],
        "approval": {"hand_over_min": HAND_OVER_MIN, "working_hours": dict(ALWAYS)},
        "projects": {OWN: {"root": str(root), "description": "Triage's own source"}},
        "engine": "claude" if model_url else "keyword",
        **({"storage": "postgresql"} if is_replicated else {}),
        **({"model": {"base_url": model_url}} if model_url else {}),
        **({"investigator": {"model": model}} if model_url and model else {}),
    }
    if not folder.resolve().is_relative_to(root):  # inside the root it would belong to both projects
        _check_out(folder / PARCELS, _SHIPPED)
        settings["projects"][PARCELS] = {"root": f"./{PARCELS}", "description": "A small service for parcels"}
        settings["routing"] = {"default": "triage-dev", "rules": _RULES}
        places = {"triage-dev": str(root), "parcels-dev": f"./{PARCELS}"}
        if forge_url:
            _add_returns(settings, folder, forge_url)
            places["returns-dev"] = f"project:{RETURNS}"
        _write_roles(folder / "roles", places)
    if service:
        project = PARCELS if PARCELS in settings["projects"] else "triage"
        settings |= health_settings(service, "C0HELP", project)
    path = folder / "triage.yml"
    body = yaml.safe_dump(settings, sort_keys=False)
    path.write_text(f"# Written by `triage demo` at each start. Copy it and use --config to change it.\n{body}")
    return path


def forge_folder(folder: Path) -> Path:
    """Return the folder of the bare repositories, within that of the settings."""
    return folder.resolve() / _GIT


def _add_returns(settings: dict[str, Any], folder: Path, forge_url: str) -> None:
    """Add the project with a defect: a bare repository, its check, and the forge that serves it."""
    team = forge_folder(folder) / "demo"
    team.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_out(team / f"{RETURNS}.git", Path(__file__).parent / "demo_returns", is_bare=True)
    check = {"argv": [sys.executable, "-B", "check.py"], "timeout_s": 20}
    address = f"./{_GIT}/demo/{RETURNS}.git"
    settings["projects"][RETURNS] = {
        "repository": address,
        "description": "A small service for returns",
        "check": check,
    }
    settings["routing"]["rules"] = [*_RULES, {"pattern": r"\breturns?\b", "role": "returns-dev"}]
    site = {"kind": "gitlab", "folder": str(team.parent), "token_env": VARIABLE, "api_url": f"{forge_url}{API}"}
    settings["forges"] = [site]


def _write_roles(folder: Path, places: dict[str, str]) -> None:
    for name, place in places.items():
        display_name, prompt = _ROLES[name]
        front = {"name": name, "displayName": display_name, "category": "coding", "cwd": place}
        text = f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\n{prompt}\n"
        (folder / f"{name}.md").write_text(text)


def _check_out(folder: Path, shipped: Path, *, is_bare: bool = False) -> None:
    """Copy a shipped project into a repository with one commit, unless it exists already; a bare one has no files."""
    if folder.exists():
        return
    temporary = folder.with_name(f"{folder.name}.new")  # a copy that a crash cut off is replaced
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(shipped, temporary, ignore=shutil.ignore_patterns("__pycache__"))
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = ("-c", "user.name=Parcels", "-c", "user.email=parcels@example.com")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "."),
        (*who, "commit", "-qm", "Price, hand over, follow"),
        ("config", "core.bare", str(is_bare).lower()),
    ):
        try:
            subprocess.run(["git", *arguments], cwd=temporary, env=clean | own, check=True, capture_output=True)  # noqa: S607  # fixed arguments, the git that the bot uses too
        except FileNotFoundError:
            raise Misconfigured("git is not installed, and the demo's projects are repositories; install git") from None
        except subprocess.CalledProcessError as problem:
            said = problem.stderr.decode(errors="replace").strip()
            raise Misconfigured(f"{temporary}: git cannot make a project of the demo: {said}") from None
    (temporary / ".git" if is_bare else temporary).rename(folder)
    shutil.rmtree(temporary, ignore_errors=True)
