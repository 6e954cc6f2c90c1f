"""Hostile strings through every input: how long the loop stands still for any of them.

A bot in a local workspace is given what Slack would send, where its socket would hand it on; other bots read hostile
models, repositories and files (`measure/attack/answers`, `measure/attack/kept`). Each input has a row of the table.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.listeners import SocketListeners
from bot.decide.orders import order_parser
from bot.errors import TriageError
from bot.models.findings import MAX_DRAFT_CHARS, EngineReport
from bot.runtime import process_tuning
from measure.attack import answers, kept
from measure.attack.hostile import hostile
from measure.attack.said import COMMANDS, MESSAGES, NAMES, PARTS, PRESSES, TEAM, Said
from measure.attack.steps import TRIED, Steps, at_will, timed
from sandbox.server import Sandbox
from tests.builders import findings
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from bot.adapters.listeners import Handlers
    from bot.models.findings import Assignment
    from bot.models.thread import Thread
    from bot.wiring.lifecycle import Bot
    from measure.attack.said import Body
    from measure.attack.tally import Tally

COUNT = 200
"""Minutes; `--count 1000` tries all."""
AT_ONCE = 8
DIALOGS, KEYWORD, BESIDE = "dialogs", "questions that the keyword engine answers", "beside"
POLLED = 3
"""Steps that a socket takes now and then when nothing comes."""
STARTS = 6
"""Starts with a home of strings; each small file is read at each."""
KINDS = ("edit", "bounce", "edit", "dismiss", "edit", "answer", "edit", "delegate", "feedback", "confirm")
LONGEST = 3_000
"""Characters that Slack lets one type into a dialog."""
FLOODS = "{per_minute: 10000, burst: 10000}"
MORE = f"floods: {{per_user: {FLOODS}, per_channel: {FLOODS}, per_workspace: {FLOODS}}}\nadmins: [U0ADMIN]"


@dataclass
class Standing(Line):
    """A line whose project holds strings."""

    paths: list[str] = field(default_factory=list)
    shas: list[str] = field(default_factory=list)


@asynccontextmanager
async def standing(
    holding: list[str] | None = None, home: tuple[int, int, str] | None = None, **settings: Any
) -> AsyncIterator[tuple[Standing, Bot]]:
    """A workspace with a bot in it, warm and settled as `triage run` has it; what its project and its home hold."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as given:
        folder = Path(given)
        (folder / "shop").mkdir()
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        line = Standing(workspace, folder)
        if holding:
            line.paths, line.shas = answers.repository(folder / "shop", holding)
        (folder / "shop" / "orders.py").write_text(SHOP)
        if home:
            kept.fill_home(home[0], line.home)
            kept.small(home[1], home[2], line.home)
        try:
            async with at_will(), line.bot(**{"more": MORE, "pace": 20.0, **settings}) as bot:
                order_parser().warm()
                process_tuning.freeze_startup_objects()
                yield line, bot
        finally:
            await workspace.close()


def _handlers(bot: Bot) -> Handlers:
    """Where the socket's frames go."""
    assert isinstance(bot.core.listeners, SocketListeners)  # noqa: S101  # the line has a socket
    return bot.core.listeners.handlers


async def quiet(bot: Bot, steps: Steps, *, within: float = 60.0) -> None:
    """Wait until nothing runs any more."""
    before = steps.count + 1
    async with asyncio.timeout(within):
        while bot.core.orchestrator.running or not 0 <= steps.count - before <= POLLED:  # nobody says so
            before = steps.count
            await asyncio.sleep(0.02)


async def trying(name: str, text: str, bodies: Iterable[dict[str, Any]], handlers: Handlers) -> None:
    """Hand bodies of one input to the bot one after the other, each in a task of its own, as its socket does."""
    TRIED.set((name, text))
    for body in bodies:
        await asyncio.create_task(take_body(handlers, body))


async def take_body(handlers: Handlers, body: dict[str, Any]) -> None:
    """One body, recorded and acted on."""
    await handlers.payloads.handle(await handlers.payloads.record(body))


@dataclass
class Echo:
    """An engine whose drafts say what was asked, so that strings come to a card without a search."""

    name: str = "echo"

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """The question as its own answer."""
        said = assignment.question[:MAX_DRAFT_CHARS].strip() or "x"
        said = said if len(said.split()) <= 300 else f"x{''.join(said.split())}"
        made = findings(
            draft_reply=said, evidence_refs=(), research_notes=said[:400], investigator_round=assignment.round
        )
        return EngineReport(project="shop", engine=self.name, findings=made)


async def _list_tallies(count: int) -> list[Tally]:
    async with standing(slack="debounce_ms: 50", engine=Echo()) as (line, bot):
        said = Said(line.workspace._workspace)
        with timed() as steps:
            await _all_of(count, said.list_all, bot, said, steps)
    return [steps.tally(name, count) for name in (MESSAGES, PARTS, COMMANDS, PRESSES, NAMES, BESIDE)]


async def _submitted(count: int) -> list[Tally]:
    """Dialogs of a card that waits."""
    async with standing(slack="debounce_ms: 50", engine=Echo()) as (line, bot):
        with timed() as steps:
            taken_in = await _dialogs(count, bot, Said(line.workspace._workspace), steps)
    return [steps.tally(DIALOGS, count, *([] if taken_in > count / 4 else [f"only {taken_in} changed anything"]))]


async def _all_of(
    count: int, made: Callable[[str], Iterator[tuple[str, list[Body]]]], bot: Bot, said: Said, steps: Steps
) -> None:
    """So many strings, some at the same time, what each is made into handed to the bot."""
    handlers, going = _handlers(bot), set[asyncio.Task[None]]()
    for number, text in enumerate(hostile(count), 1):
        for name, bodies in made(text):
            going.add(asyncio.create_task(trying(name, text, bodies, handlers)))
        while len(going) >= AT_ONCE:
            done, going = await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        if number % 20 == 0:
            await quiet(bot, steps)
            said.forget()
            await asyncio.create_task(
                trying(BESIDE, "", [said.command("resume")], handlers)
            )  # a string may have been an order to stop
    await asyncio.gather(*going)
    await quiet(bot, steps)


async def _searched(count: int) -> list[Tally]:
    """Questions that the keyword engine answers, from a repository of strings."""
    async with standing(slack="debounce_ms: 50", holding=[*hostile(count)]) as (line, bot):
        said = Said(line.workspace._workspace)

        def made(text: str) -> Iterator[tuple[str, list[Body]]]:
            yield KEYWORD, [said.event(said.message(f"<@U0TRIAGE> where is it set? {text}"[:40_000]))]

        with timed() as steps:
            await _all_of(count // 10, made, bot, said, steps)
    return [steps.tally(KEYWORD, count // 10)]


async def _answered(count: int) -> list[Tally]:
    """Models that answer with strings, and read a repository of strings."""
    texts = [*hostile(count)]
    model = answers.Hostile(cycle(texts), cycle(["orders.py"]))
    async with ModelServer(model) as server:
        keys = f"engine: claude\nmodel: {{base_url: '{server.url}', max_usd_per_day: 100000, max_usd_per_run: 1000}}"
        async with standing(more=f"{keys}\n{MORE}", holding=texts) as (line, bot):
            model.files, model.shas = cycle(line.paths), line.shas
            with timed() as steps:
                await answers.talk(count, line, bot, model, steps)
                await quiet(bot, steps)
    return [steps.tally(answers.MODELS, model.used + model.read)]


async def _started(count: int) -> list[Tally]:
    """A home of strings, and a settings file of each."""
    with tempfile.TemporaryDirectory() as given:
        refused = kept.settings(count, Path(given))
    effects = []
    with timed() as steps:
        TRIED.set((kept.HOME, ""))
        for number, text in enumerate(islice(hostile(count), STARTS)):
            try:
                async with standing(home=(count if number == 0 else 0, number, text)) as (_, bot):
                    await quiet(bot, steps)
            except TriageError as problem:
                effects += [f"no start: {str(problem)[:120]!a}"] if len(str(problem).splitlines()) > 1 else []
    return [refused, steps.tally(kept.HOME, count, *effects)]


async def _dialogs(count: int, bot: Bot, said: Said, steps: Steps) -> int:
    """Every dialog of a card that waits, asked anew once it is closed; the answer is how many changed something."""
    handlers = _handlers(bot)
    thread, taken_in = await _card(bot, said, steps), 0
    for number, text in enumerate(hostile(count)):
        kind = KINDS[number % len(KINDS)]
        bodies = [_dialog(kind, said, thread, number) for said in (text, text[:LONGEST])]
        await asyncio.create_task(trying(DIALOGS, text, bodies, handlers))
        await quiet(bot, steps)
        before, thread = thread, await bot.core.orchestrator.store.load(thread.thread_id) or thread
        taken_in += thread.version != before.version
        if thread.status != "pending-user" or thread.draft_pending is None:
            thread = await _card(bot, said, steps)
    return taken_in


async def _card(bot: Bot, said: Said, steps: Steps) -> Thread:
    """A question whose draft waits."""
    handlers = _handlers(bot)
    asked = said.message("<@U0TRIAGE> where is RETRY_LIMIT set?", user=said.new_person())
    name = f"{TEAM['id']}-C0HELP-{asked['ts']}"
    await asyncio.create_task(trying(BESIDE, "", [said.event(asked)], handlers))
    async with asyncio.timeout(60):
        while (thread := await bot.core.orchestrator.store.load(name)) is None or thread.draft_pending is None:  # noqa: ASYNC110  # a file
            await asyncio.sleep(0.05)
    await quiet(bot, steps)
    return thread


def _dialog(kind: str, text: str, thread: Thread, number: int) -> dict[str, Any]:
    draft = thread.draft_pending
    named = f"{draft.draft_id} {draft.nonce}" if draft else ""
    if kind == "feedback":
        named = f"{draft.draft_id if draft else ''} {thread.original_message_id}"
    fields: dict[str, Any] = {
        name: {name: {"type": "plain_text_input", "value": text}} for name in ("text", "feedback", "answer", "typed")
    }
    fields["reason"] = {"reason": {"selected_option": None}}
    fields["link"] = {"link": {"type": "plain_text_input", "value": f"https://{text}"}}
    fields["to"] = {"to": {"selected_option": {"value": text}}}
    if kind == "edit":
        fields = {"text": fields["text"]}
    view = {
        "id": f"V{number}",
        "hash": str(number),
        "callback_id": "command_confirm" if kind == "confirm" else kind,
        "private_metadata": "0" * 16 if kind == "confirm" else named,
        "state": {"values": fields},
    }
    user = {"id": "U0OPS", "team_id": TEAM["id"]}
    return {"type": "view_submission", "team": TEAM, "user": user, "view": view, "api_app_id": "A0TRIAGE"}


async def _run_all(count: int) -> list[Tally]:
    tallies: list[Tally] = []
    for part in (_list_tallies, _submitted, _searched, _answered, _started):
        began = time.monotonic()
        tallies += await asyncio.create_task(part(count))  # what it tries is its own, and not the next one's
        print(f"  {part.__name__.strip('_')}: {time.monotonic() - began:.0f} s", file=sys.stderr)  # noqa: T201  # progress
    return tallies


def run(count: int) -> list[Tally]:
    """So many strings through each input."""
    interval = sys.getswitchinterval()
    logging.disable(logging.CRITICAL)
    process_tuning.tune_interpreter()
    try:
        return asyncio.run(_run_all(count))
    finally:
        logging.disable(logging.NOTSET)
        sys.setswitchinterval(interval)
