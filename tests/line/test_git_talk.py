"""A conversation that changes code: a repository, a branch, a commit and a push by press; then a hook that is fired."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.adapters.workspace_bench import build_remote, git
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import records
from tests.line.test_talk import DM, answered
from tests.model_server import ModelServer, calls

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

API = "shop/api"
PROMPT = "How often is a payment tried again before the order is cancelled? {{output}}"


class Dispatcher:
    """A model that calls the one command that a message is about."""

    def __init__(self, remote: Path) -> None:
        hook = {"name": "morning", "when": "0 9 * * *", "steps": "log", "project": "shop", "prompt": PROMPT}
        self.plan: dict[str, tuple[str, dict[str, Any]]] = {
            "add the repository": ("add_repo", {"source": "clone", "address": str(remote), "project": "shop"}),
            "a branch": ("git_create_branch", {"branch": "limit", "project": API}),
            "commit what": ("git_commit", {"project": API, "message": "Raise the limit"}),
            "push": ("git_push", {"project": API}),
            "every morning": ("create_hook", hook),
            "fire": ("fire_hook", {"name": "morning"}),
        }

    def __call__(self, body: Body) -> Answer:
        """Call the command, then respond."""
        newest = json.dumps(body["messages"][-1]["content"])
        if "tool_result" not in newest:
            asked = newest.rpartition("[from Ada]: ")[2]
            return calls(next(call for words, call in self.plan.items() if words in asked))
        return calls(("respond", {"text": "I wait for your press." if "asked" in newest else "That is done now."}))


async def test_a_conversation_changes_code_and_sets_a_hook(line: Line) -> None:
    """Nothing leaves Triage's clone before Ada's press; then the remote has exactly that commit."""
    import anthropic  # noqa: F401  # it takes seconds, which are none of a person's patience

    (below := line.folder / "code").mkdir()
    remote = build_remote(below, limit="7\n").rename(below / "api.git")
    git(line.folder / "shop", "init", "-q", "-b", "main")
    git(line.folder / "shop", "add", "-A")
    git(line.folder / "shop", "commit", "-qm", "Open the shop")
    before = git(remote, "for-each-ref")
    async with ModelServer(Dispatcher(remote)) as server:
        chat = ("chat: {enabled: true}", f"model: {{base_url: '{server.url}'}}", f"projects_below: [{below}]")
        async with line.bot(more="\n".join((ADMINS, *chat))):

            async def say(words: str, *shown: str, end: str) -> None:
                """Say it, press what then waits, and see the end."""
                ts = await line.ada.say(words, channel=DM)
                if shown:
                    await line.ada.press("command_confirm", await answered(line.ada, ts, *shown, "command_confirm"))
                await answered(line.ada, ts, end)

            await say("please add the repository of the api", str(remote), end="Added `shop/api`")
            await say("make a branch for the limit there", end="That is done now.")
            (tree,) = line.home.glob("checkouts/.work/shop@api-*/trees/limit/")
            (tree / "limit").write_text("8\n")
            await say("commit what I have changed", end="That is done now.")
            sha = git(tree, "rev-parse", "HEAD")
            assert git(remote, "for-each-ref") == before
            await say("now push it to its remote", sha, str(remote), "Raise the limit", end="Pushed 1 commit")
            assert git(remote, "for-each-ref") == f"{before}\n{sha} commit\trefs/heads/triage/limit"
            assert git(remote, "show", "triage/limit:limit") == "8"
            assert "U0ADMIN@" in git(remote, "log", "-1", "--format=%ae", "triage/limit")
            await say("look at the commits every morning at nine", "the next seven days", end="Created `morning`")
            await say("fire it now, please", "It would run now", end="`morning`")
            await line.olu.card("Hook morning", "Open the shop")
    audit = [
        row for row in records(line.home / "audit.ndjson") if row.get("via") == "chat" and row["kind"] == "command"
    ]
    asked = ["add_repo", "git_push", "create_hook", "fire_hook"]
    assert [row["action"] for row in audit if row["outcome"] == "asked"] == asked
    assert [row["action"] for row in audit if row["outcome"] == "done"] == [
        "add_repo",
        "git_create_branch",
        "git_commit",
        *asked[1:],
    ]
