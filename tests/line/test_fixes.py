"""A fix on the whole line: from the question to the merge request, and its link in the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.adapters.forge import Forges
from bot.isolation import boundary
from bot.models.fix import FixOrder, FixProposal, FixResult, FixRound, NamedDefect
from bot.models.workspace import Author
from tests.adapters.workspace_bench import git
from tests.builders import reference
from tests.fakes import HeldEngine
from tests.forge_server import TOKEN, VARIABLE, ForgeServer
from tests.line.agents import agents, sessions
from tests.line.fixing import SUMMARY, Fixing, configure, make_remote
from tests.line.human import shows
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

DEFECT = NamedDefect(summary=SUMMARY, ref="orders.py:3")


class Hands:
    """A drafter that changes one line in a workspace of the bot (`FixDrafter`)."""

    bot: Bot

    def find_refusal(self, thread: Thread) -> str | None:
        """Refuse nothing."""
        return None

    def find_repository(self, thread: Thread) -> str | None:
        """Name the one."""
        return "shop"

    def is_started(self, run_id: str) -> bool:
        """Begin when asked."""
        return False

    async def draft(self, thread: Thread, order: FixOrder) -> FixResult:
        """Raise the limit."""
        work = self.bot.project_work
        repository = await work.repositories.get(order.repository)
        workspace = await work.workspaces.prepare(repository, order.slug)
        file = workspace.folder / "orders.py"
        file.write_text(file.read_text().replace("RETRY_LIMIT = 3", "RETRY_LIMIT = 5"))
        author = Author(name="Olu", user_id=order.asked_by, team_id=thread.team_id)
        made = await work.workspaces.commit(repository, order.slug, "Try five times", author=author, task=thread.task)
        assert made is not None
        diff = await work.workspaces.diff(repository, order.slug)
        proposal = FixProposal(
            repository=repository.name,
            slug=order.slug,
            base=workspace.base,
            head=made.sha,
            target="main",
            files=made.files,
            diff=diff.text,
            title="Try five times",
            description="As the docs promise.",
        )
        return FixResult(rounds=(FixRound(number=1),), proposal=proposal, cost_usd=0.1, duration_ms=1_000)

    async def stop(self, run_id: str) -> None:
        """End nothing."""


def answer(engine: HeldEngine) -> None:
    """Answer with findings that name the defect."""
    cited = reference(ref=DEFECT.ref, quote="RETRY_LIMIT = 3")
    engine.answer(QUESTION, "Three times, as `orders.py:3` says.", cited, defect=DEFECT)


async def test_a_fix_after_approve_offers_the_channel_nothing(line: Line) -> None:
    """The reply stays as it was approved; the settled card still proposes the fix, and shows its end."""
    make_remote(line.folder)
    engine, hands = HeldEngine(), Hands()
    async with ForgeServer(folder=line.folder / "srv") as server:
        forge = Forges(sites=(server.site("github"),), variables=server.variables)
        code = "repository: ./srv/team/shop.git"
        async with line.bot(engine=engine, drafter=hands, forge=forge, code=code) as bot:
            hands.bot = bot
            asked = await line.ana.say(QUESTION)
            answer(engine)
            await line.olu.press("approve", await line.olu.card("Three times", "propose_fix"))
            card = await line.olu.card("The reply is posted.", "propose_fix")
            await line.olu.press("propose_fix", card)
            fix = await line.olu.card("open_merge_request")
            await line.olu.press("open_merge_request", fix)
            await line.olu.card("The reply is posted.", "pull request #1")
            (reply,) = await line.ana.replies(asked)
            assert not shows(reply, "git.example.com")
            (draft,) = server.requests
            slug = draft.branch.removeprefix("triage/")
            assert "+RETRY_LIMIT = 5" in await line.olu.command(f"git_diff branch={slug} project=shop")


@pytest.mark.skipif(not boundary().bwrap, reason=f"no boundary here: {boundary().problem}")
async def test_a_wrong_change_is_refused_by_the_check_and_the_right_one_opened_and_linked(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With agents on a scripted model, a process of its own, real git and the settings alone."""
    remote = make_remote(line.folder)
    monkeypatch.setenv(VARIABLE, TOKEN)
    async with ForgeServer(folder=line.folder / "srv") as server:
        async with agents(line, Fixing(), **configure(server)):  # type: ignore[arg-type]  # it plays more agents
            asked = await line.ana.say(QUESTION)
            await line.olu.press("propose_fix", await line.olu.card("Three times", "propose_fix"))
            await line.olu.card("A fix is being drafted", "discard")
            fix = await line.olu.card("open_merge_request", "+RETRY_LIMIT = 5", "Try five times")
            await line.olu.card("Three times", "|its message> has the diff and the buttons")
            assert shows(fix, "*Round 1:* *the check failed*")
            assert shows(fix, "AssertionError: 4")
            assert shows(fix, "the validator agrees: it does what the finding says and nothing else")
            assert git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads") == "main"
            await line.olu.press("edit_request", fix)
            dialog = await line.olu.dialog()
            assert "Please write a title" in (await line.olu.submit(dialog, title=" "))["errors"]["title"]
            assert (await line.olu.submit(dialog, title="Allow five tries", description="See the docs."))["ok"]
            fix = await line.olu.card("open_merge_request", "Allow five tries", "Edited by")
            await line.olu.press("open_merge_request", fix)
            await line.olu.card("The merge request is open", "merge request !1")
            card = await line.olu.card("Approve", "Merge request !1: ")
            (draft,) = server.requests
            assert (draft.title, draft.is_draft, draft.target) == ("Draft: Allow five tries", True, "main")
            log = git(remote, "log", "--format=%an%n%B", "--name-only", f"main..{draft.branch}").split("\n")
            assert (log[0], log[-1], sum(line.startswith("Triage-Task:") for line in log)) == ("Olu", "orders.py", 1)
            assert "+RETRY_LIMIT = 5" in git(remote, "diff", "main", draft.branch)
            await line.olu.press("approve", card)
            (reply,) = await line.ana.replies(asked)
            assert shows(reply, f"https://git.example.com/team/shop/-/merge_requests/{draft.number}")
            await line.olu.card("The reply is posted.", "*Opened* by")
    assert [session["agent"] for session in sessions(line)] == ["investigator", "validator", "fixer"]
    (folder,) = (line.home / "fixes").iterdir()
    assert {"task.json", "return.json", "result.json", ".done"} <= {path.name for path in folder.iterdir()}
    audit, sha = records(line.home / "audit.ndjson"), server.head("team/shop", draft.branch)
    assert ("merge_request_opened", sha) in [(each["action"], each.get("sha")) for each in audit]
    assert ("open_merge_request", sha) in [(each["action"], each.get("confirmed")) for each in audit]
