"""A fix on the whole line with its real process: four agents on one scripted model, the check, git and a forge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.adapters.forge import Forges
from tests.adapters.workspace_bench import git
from tests.escalation.fix_bench import Play as FixPlay
from tests.escalation.fix_bench import edits, gives, judges
from tests.forge_server import ForgeServer
from tests.line.agents import agents, sessions
from tests.line.human import shows
from tests.line.play import READ, Play, found
from tests.line.test_fixes import make_remote
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

DEFECT = {"summary": "The docs promise five tries, and the code makes three.", "ref": "orders.py:3-4"}
CHECK = "check: {argv: [grep, -qx, RETRY_LIMIT = 5, orders.py], timeout_s: 20}"


class Model(Play):
    """A model that plays the agents of the answer, and those of the fix."""

    fix = FixPlay(
        fixer=[
            READ,
            edits("RETRY_LIMIT = 3\n", "RETRY_LIMIT = 4\n", "orders.py"),
            gives(title="Allow four tries"),
            edits("RETRY_LIMIT = 4\n", "RETRY_LIMIT = 5\n", "orders.py"),
            gives(title="Allow five tries", description="As the docs promise."),
        ],
        validator=[judges()],
    )

    def __call__(self, body: Body) -> Answer:
        """Return the next turn."""
        system = json.dumps(body["system"])
        is_fix = "You mend one defect" in system or "Break this change" in system
        return self.fix(body) if is_fix else super().__call__(body)


async def test_a_wrong_patch_is_refused_and_the_right_one_becomes_a_draft_at_the_forge(line: Line) -> None:
    """Pushed once, after the press, with exactly the file that the agent changed, in the name of who pressed."""
    remote, model = make_remote(line.folder), Model(investigator=((READ, found(defect=DEFECT)),))
    async with ForgeServer(folder=line.folder / "srv") as server:
        forge = Forges(sites=(server.site("gitlab"),), variables=server.variables)
        async with agents(line, model, forge=forge, code="repository: ./srv/team/shop.git", project=CHECK):
            await line.ana.say(QUESTION)
            card = await line.olu.card("Three times", "propose_fix")
            await line.olu.press("propose_fix", card)
            fix = await line.olu.card("open_merge_request", "+RETRY_LIMIT = 5", "Allow five tries")
            assert shows(fix, "orders.py")
            assert git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads") == "main"
            await line.olu.press("open_merge_request", fix)
            await line.olu.card("The merge request is open", "merge request !1")
            (draft,) = server.requests
            head = server.head("team/shop", draft.branch)
            assert git(remote, "show", "--format=%an", "--name-only", head).split("\n\n") == ["Olu", "orders.py"]
            assert git(remote, "show", f"{head}:orders.py").startswith('"""Orders of the shop."""\n\nRETRY_LIMIT = 5\n')
    assert "The project's check did not pass" in model.fix.last_words(at=3)
    assert [session["agent"] for session in sessions(line)] == ["investigator", "validator", "fixer"]
    (folder,) = (line.home / "fixes").iterdir()
    assert {"task.json", "return.json", "result.json", ".done"} <= {path.name for path in folder.iterdir()}
