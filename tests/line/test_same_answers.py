"""Every command that reads gives the same answer by `/triage`, in a terminal and to the chat agent, as documented."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.adapters.control_socket import ask
from bot.cli.command import format_json
from bot.commands.catalogue import CATALOGUE
from bot.commands.parsing import parse_line
from bot.models.interaction import Asker
from bot.models.markup import find_ids, spell_out_mentions, spell_out_times
from tests.adapters.workspace_bench import commit, git
from tests.commands.json_page import find_faults, read_schema
from tests.line.conftest import TriageTime
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

COMMANDS = {
    "help": ("help",),
    "mine": ("mine",),
    "status": ("status", "get_status"),
    "queue": ("queue",),
    "services": ("services",),
    "why": ("why {link}",),
    "metrics": ("metrics 2",),
    "brief": ("brief",),
    "report": ("report",),
    "autoreply": ("autoreply",),
    "config": ("config slack", "config watch"),
    "audit": ("audit command=append_note", "get_audit U0ANA"),
    "list_projects": ("list_projects",),
    "get_project": ("get_project shop",),
    "get_project_channels": ("get_project_channels shop",),
    "get_project_for_channel": ("get_project_for_channel help-platform",),
    "thread": ("thread {task}", "get_task {link}"),
    "list_tasks": ("list_tasks open", "list_tasks"),
    "get_task_result": ("get_task_result {task}",),
    "get_chain_health": ("get_chain_health", "get_chain_health {task}"),
    "get_agent_error": ("get_agent_error {task}",),
    "list_agents": ("list_agents",),
    "list_hooks": ("list_hooks", "list_hooks shop"),
    "list_hook_runs": ("list_hook_runs limits",),
    "get_recent_events": ("get_recent_events 2", "get_recent_events limit=1"),
    "get_token_usage": ("get_token_usage", "get_token_usage task"),
    "sessions": ("sessions",),
    "chain": ("chain {task}",),
    "events": ("events",),
    "list_notes": ("list_notes shop",),
    "read_note": ("read_note limits",),
    "compare_specs_notes": ("compare_specs_notes shop",),
    "read_file": ("read_file orders.py 2 4",),
    "list_repos": ("list_repos", "list_repos shop"),
    "get_git_status": ("get_git_status shop",),
    "git_log": ("git_log 2", "git_log 1 {task} project=shop"),
    "git_diff": ("git_diff project=shop",),
    "git_changed_files": ("git_changed_files project=shop",),
    "get_task_diff": ("get_task_diff {task}",),
    "search_files": ("search_files RETRY_LIMIT", "search_files mode=names **/*.py"),
}
"""Every reading command, with words that it answers."""


MARKUP = re.compile(r"<[@#]|<!(?!--)|<https?:|&(?:lt|gt);|\*(?:Running|not)\*")
"""Slack's markup, which a terminal and a program never see."""


class StandingTime(TriageTime):
    """A clock that a test stops, so that two answers are of the same moment."""

    stopped: datetime | None = None

    def now(self) -> datetime:
        """The moment, or the one of the stop."""
        return self.stopped or super().now()


def test_the_table_has_every_command_that_reads() -> None:
    """A new one needs a row, and data for programs."""
    assert {spec.name for spec in CATALOGUE.values() if spec.tier == "read"} == {*COMMANDS}
    assert not [spec.name for spec in CATALOGUE.values() if spec.tier == "read" and not spec.result]


async def test_each_reading_command_gives_the_same_answer_everywhere(line: Line) -> None:
    """The words of `/triage`, the rows of a model, and the plain text and figures of a terminal."""
    clock, schema = StandingTime(), read_schema()
    git(line.folder / "shop", "init", "-q", "-b", "main")
    commit(line.folder / "shop", "Begin <the> *shop* & more")
    async with line.bot(more=ADMINS, clock=clock) as bot:
        asked = await line.ana.say(f"{QUESTION} *now* & <i> @Ada #general")
        await line.olu.card("Approve")
        await line.ada.command('append_note Limits project=shop "RETRY_LIMIT" is *3* &amp; more')
        await line.ada.command('create_hook limits when="message #help-platform a <b> & c" project=shop command=status')
        await line.ada.command("fire_hook limits")
        (thread_id,) = bot.core.orchestrator.open_threads.ids()
        thread = await bot.core.store.load(thread_id)
        assert thread
        link = f"{line.workspace.url}/archives/C0HELP/p{asked.replace('.', '')}"
        await line.ada.command(f"git_create_branch {thread.task} project=shop")
        clock.stopped = clock.now()
        for name, rows in COMMANDS.items():
            for words in rows:
                text = words.format(link=link, task=thread.task)
                slack, chat, terminal = await _ask_everywhere(line, bot, text)
                assert (chat["command"], chat["outcome"]) == (name, "done"), chat
                assert slack == chat["text"]
                assert terminal == chat["plain"]
                assert not [*find_faults(name, terminal["data"], schema)], text
                assert not MARKUP.search(json.dumps(terminal["data"], ensure_ascii=False)), text
                assert not MARKUP.search("\n".join((terminal["line"], *terminal["rows"]))), text


async def _ask_everywhere(line: Line, bot: Bot, text: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Give a command as the admin by each interface."""
    slack = await line.ada.command(text, channel="D0ADMIN")
    name, arguments = parse_line(text)
    spec = next(spec for spec in CATALOGUE.values() if name in (spec.name, *spec.also))
    who = {"interaction_id": f"i {text}", "team_id": "T0SANDBOX", "user_id": "U0ADMIN"}
    asker = Asker(**who, channel_id="D0ADMIN", via="chat")
    answer = await bot.surfaces.homes.handler.execute(spec.tool_name, arguments, asker)
    names = await bot.core.naming.names(find_ids(answer.text))
    texts = [spell_out_mentions(each, names) for each in (answer.line, *answer.rows)]
    line_and_rows = [spell_out_times(each, ZoneInfo("UTC"), named=True) for each in texts]
    plain = {"line": line_and_rows[0], "rows": line_and_rows[1:], "data": answer.model_dump(mode="json")["data"]}
    chat = {"command": spec.name, "outcome": answer.outcome}
    request = {"words": text.split()}
    terminal = json.loads(format_json(await asyncio.to_thread(ask, line.home / "control.sock", request)))
    return slack, {**chat, "text": answer.text, "plain": json.loads(format_json({**chat, **plain}))}, terminal
