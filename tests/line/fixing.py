"""A defect on the whole line: a model that mends it, wrongly first, and the repository and forge of the settings."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.adapters.workspace_bench import build_remote
from tests.escalation.fix_bench import edits, gives, judges
from tests.forge_server import VARIABLE
from tests.line.play import READ, Play, found

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forge_server import ForgeServer
    from tests.model_server import Answer, Body

SUMMARY = "The docs promise five tries, and the code makes three."
WORDS = "The docs promise five tries of a payment. The limit is read nowhere else."
DEFECT = {"summary": SUMMARY, "ref": "orders.py:3-4"}
CHECK = "import orders\n\nassert orders.RETRY_LIMIT == 5, orders.RETRY_LIMIT\n"
WRONG = edits("RETRY_LIMIT = 3", "RETRY_LIMIT = 4", "orders.py")
RIGHT = edits("RETRY_LIMIT = 4", "RETRY_LIMIT = 5", "orders.py")


@dataclass
class Fixing:
    """A model that plays the agents of the question, and those of the fix: a wrong change first, then the right one."""

    question: Play = field(default_factory=lambda: Play(investigator=((READ, found(defect=DEFECT)),)))
    turns: tuple[Body, ...] = (WRONG, gives("Try five times"), RIGHT, gives("Try five times", description=WORDS))
    taken: int = 0

    def __call__(self, body: Body) -> Answer:
        """Return the next turn of whoever asks."""
        system = json.dumps(body["system"])
        if "You mend one defect" in system:
            self.taken += 1
            return self.turns[self.taken - 1]
        return judges() if "Break this change" in system else self.question(body)


def make_remote(folder: Path) -> Path:
    """A bare remote with the shop's code and a check of it, which the forge serves."""
    (folder / "shop" / "check.py").write_text(CHECK)
    team = folder / "srv" / "team"
    build_remote(team, **{path.name: path.read_text() for path in (folder / "shop").glob("*.py")})
    return (team / "remote.git").rename(team / "shop.git")


def configure(server: ForgeServer) -> dict[str, str]:
    """Return the settings of a bot whose project has that repository, a check, and this forge."""
    site = server.site("gitlab")
    forge = f"{{kind: gitlab, folder: {site.folder}, token_env: {VARIABLE}, api_url: '{site.api_url}'}}"
    check = f"check: {{argv: ['{sys.executable}', '-B', check.py], timeout_s: 20}}"
    return {"more": f"forges: [{forge}]", "code": "repository: ./srv/team/shop.git", "project": check}
