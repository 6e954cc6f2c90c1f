"""Hooks that run declared commands: by real programs, as the press has approved them, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.handler import CommandHandler
from bot.commands.parsing import parse_line
from bot.commands.registry import bound_commands
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.isolation import Boundary, in_force
from bot.models.declared_command import CommandPlan, DeclaredCommand
from bot.models.hook_record import HookCause, HookRun
from bot.models.pending_command import ConfirmationPress
from bot.models.project import Project
from tests.builders import CHANNEL, T0, TEAM, at
from tests.chat.crew import ADMIN, OPERATOR, Booth, command, permission
from tests.fakes import MemoryKept
from tests.health.bench import SECRET
from tests.hooks.bench import Bench
from tests.hooks.test_commands import Office
from tests.kills import Kill, live
from tests.programs.bench import declare

SHOW = declare("show", "cat", "{path}", parameters={"path": {"type": "path"}})
OTHERS = (
    declare("tell", "echo", "told"),
    declare("stop", "sh", "-c", "echo half; exit 3"),
    declare("hang", "sleep", "300", timeout_s=0.2),
    declare("write", "touch", "x", writes=True),
    declare("long", "true", timeout_s=1_300),
    declare("own", "true", role="admin"),
)
CREATE = 'create_hook h when="0 9 * * *" steps="run show path=limits" skip_if=unchanged project=shop Why? {{output}}'


class Desk(Office):
    """The commands behind their handler, with the presses of people."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        bench.clock.new_id = lambda: uuid4().hex  # as confirmations take them
        chat: Any = Booth()
        self.chat = chat
        self.handler = CommandHandler(
            commands={each.spec.name: each for each in bound_commands(self.commands)},
            permission=permission(),
            audit=bench.audit,
            clock=bench.clock,
            redactor=Redactor([SECRET]),
            confirmations=Confirmations(file=MemoryKept(), clock=bench.clock),
            chat=chat,
        )
        self.buttons = ConfirmationButtons(handler=self.handler, confirmations=self.handler.confirmations, chat=chat)

    async def order(self, line: str, *, by: str = ADMIN, via: str = "slash", typed: str | None = None) -> Any:
        """Give a command to the handler."""
        name, arguments = parse_line(line)
        number = self.bench.clock.new_id()
        asker = command(user_id=by, via=via, interaction_id=f"i{number}")
        return await self.handler.execute(name, arguments, asker, typed=typed)

    async def press(self, answer: Any, *, by: str = ADMIN) -> str:
        """Press *Confirm*; return what then is in the place of the buttons."""
        number = self.bench.clock.new_id()
        who = {"interaction_id": f"p{number}", "team_id": TEAM, "user_id": by, "channel_id": CHANNEL}
        press = ConfirmationPress(
            **who, confirmation_id=answer.confirmation, action="command_confirm", trigger_id="1.2"
        )
        before = len(self.chat.said)
        await self.buttons.handle_press(press)
        await self.buttons.settle()
        return "\n".join(self.chat.said[before:])

    async def shown(self, answer: Any) -> str:
        """What stands above the buttons."""
        waiting = await self.handler.confirmations.find(answer.confirmation)
        assert waiting
        return waiting.said

    async def fire(self) -> HookRun:
        """Fire the hook, and return its run."""
        await self.order("fire_hook h")
        await self.bench.settle()
        return self.bench.runs()[-1]

    @property
    def starts(self) -> list[list[str]]:
        """The words of each program that was started, as the audit log has them."""
        return [each["argv"] for each in self.bench.audit.kept if (each["kind"], each["action"]) == STARTED]


STARTED = ("declared command", "start")


async def open_desk(folder: Path, *commands: DeclaredCommand, **changes: Any) -> Desk:
    """The desk of a bot on this home, with one project."""
    (root := folder / "shop").mkdir(exist_ok=True)
    (root / "limits").write_text(f"7\n{SECRET}\n\x1b[2J{{{{event}}}} <!channel>\n")
    roots = changes.pop("roots", (Project(name="shop", root=root.resolve()),))
    declared = commands or (SHOW, *OTHERS)
    return Desk(await Bench(folder / "home", roots=roots, commands=declared, file=MemoryKept(), **changes).start())


async def restart(desk: Desk, *commands: DeclaredCommand) -> Desk:
    """The next bot, with other commands in its settings."""
    await desk.bench.stop()
    desk.bench.commands = commands
    return Desk(await desk.bench.start())


async def test_each_run_does_what_the_press_has_approved(tmp_path: Path) -> None:
    """Its output is untrusted text of the prompt, without secrets; the condition looks at it."""
    desk = await open_desk(tmp_path)
    asked = await desk.order(CREATE)
    shown = await desk.shown(asked)
    assert (asked.outcome, desk.bench.scheduler.book.records) == ("asked", ())
    for words in ("```cat ./limits```", f"*Folder:* `{tmp_path.resolve()}/shop`", "*Limits:* 20 s", "*Isolated:*"):
        assert words in shown
    await desk.press(asked, by=OPERATOR)
    assert desk.bench.scheduler.book.records == ()
    assert "Created `h`" in await desk.press(asked)
    (plan,) = desk.bench.record().hook.programs
    assert (plan.argv, plan.folder) == (("cat", "./limits"), tmp_path.resolve() / "shop")
    assert (await desk.fire()).outcome == "created"
    ((_, description),) = desk.bench.actions.tasks.values()
    assert "> 7\n> [redacted]\n> {{event}}" in description
    assert "\x1b" not in description
    assert (await desk.fire()).outcome == "skipped"
    (tmp_path / "shop" / "limits").write_text("8\n")
    assert (await desk.fire()).outcome == "created"
    assert desk.starts == [["cat", "./limits"]] * 3


@pytest.mark.parametrize("via", ["slash", "chat", "thread", "cli"])
async def test_nothing_is_created_or_run_without_the_press(tmp_path: Path, via: str) -> None:
    """From every interface; in a terminal its name changes with what is shown."""
    desk = await open_desk(tmp_path)
    asked = await desk.order(CREATE, via=via)
    assert asked.outcome == "asked"
    if via == "cli":
        assert (await desk.order(CREATE, via=via, typed="create_hook")).outcome == "refused"
        assert (await desk.order(CREATE, via=via, typed=asked.typed_again)).outcome == "done"
    else:
        assert desk.bench.scheduler.book.records == ()
    assert desk.starts == []


@pytest.mark.parametrize("change", ["link", "boundary"])
async def test_a_press_approves_nothing_that_has_changed(
    tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since it was shown: the place of a path, or the isolation."""
    desk = await open_desk(tmp_path)
    asked = await desk.order(CREATE)
    if change == "link":
        (tmp_path / "shop" / "other").write_text("8")
        (tmp_path / "shop" / "limits").unlink()
        (tmp_path / "shop" / "limits").symlink_to("other")
    else:
        now = in_force.boundary()
        monkeypatch.setattr(in_force, "_boundary", Boundary(problem="none" if now.bwrap else "another reason"))
    assert "has changed since you were asked" in await desk.press(asked)
    assert desk.bench.scheduler.book.records == ()


@pytest.mark.parametrize(
    "commands",
    [
        (),
        (declare("show", "cat", "-n", "{path}", parameters={"path": {"type": "path"}}),),
        (SHOW.evolve(timeout_s=30),),
        (SHOW.evolve(writes=True),),
        (SHOW.evolve(projects=("web",)),),
    ],
)
async def test_a_command_that_the_settings_have_changed_is_not_run(
    tmp_path: Path, commands: tuple[DeclaredCommand, ...]
) -> None:
    """Three such runs disable the hook, with a word to its owner; an edit approves the command as it is now."""
    desk = await open_desk(tmp_path)
    await desk.press(await desk.order(CREATE))
    desk = await restart(desk, *commands, *OTHERS)
    for _ in range(3):
        run = await desk.fire()
        assert run.outcome == "failed"
        assert any(
            words in run.line for words in ("have changed since", "no command show", "may write", "declared for")
        )
    assert (desk.starts, desk.bench.record().hook.is_enabled) == ([], False)
    assert "is disabled after 3 failures" in desk.bench.notices[-1][1]


async def test_a_hook_runs_nothing_where_its_isolation_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither with less than was shown, nor with more, until its command is approved again."""
    desk = await open_desk(tmp_path)
    await desk.press(await desk.order(CREATE))
    lies: CommandPlan = desk.bench.record().hook.programs[0]
    desk.bench.scheduler.book.change(
        "h", hook=desk.bench.record().hook.evolve(programs=(lies.evolve(is_isolated=not lies.is_isolated),))
    )
    assert "its isolation have changed" in (await desk.fire()).line
    assert desk.starts == []
    asked = await desk.order("edit_hook h steps run show path=limits")
    assert "```cat ./limits```" in await desk.shown(asked)
    await desk.press(asked)
    assert (await desk.fire()).outcome == "created"


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("run none", "declare no command none"),
        ("run write", "may write"),
        ("run show", "needs a value of path"),
        ("run show ../x", "path"),
        ("run show a b", "takes the values of path"),
        ("run show nowhere", "nowhere"),
        ("run tell x", "takes the values of nothing"),
        ("run long", "1200 s together"),
        ("run", "expected read PATH"),
    ],
)
async def test_bad_input_creates_nothing(tmp_path: Path, steps: str, words: str) -> None:
    """The answer names what is expected."""
    desk = await open_desk(tmp_path)
    answer = await desk.order(f'create_hook h when="0 9 * * *" steps="{steps}" project=shop Why?')
    assert (answer.outcome, words in answer.text) == ("invalid", True), answer.text
    assert desk.bench.scheduler.book.records == ()


async def test_a_project_of_several_folders_names_none(tmp_path: Path) -> None:
    """A command runs in one."""
    roots = tuple(Project(name=f"shop/{name}", root=tmp_path / "shop") for name in ("api", "web"))
    desk = await open_desk(tmp_path, roots=roots)
    answer = await desk.order(CREATE)
    assert (answer.outcome, "a project of one folder" in answer.text) == ("invalid", True), answer.text


async def test_every_change_of_such_a_hook_is_shown_again(tmp_path: Path) -> None:
    """Disabling it is not, nor are hooks without programs."""
    desk = await open_desk(tmp_path)
    await desk.press(await desk.order(CREATE))
    for line in ("when * * * * *", "prompt Look", "steps run tell", "enabled yes"):
        assert (await desk.order(f"edit_hook h {line}")).outcome == "asked", line
    for line in ("enabled no", "steps read limits", "when 0 5 * * *"):
        assert (await desk.order(f"edit_hook h {line}")).outcome == "done", line
    assert desk.bench.record().hook.programs == ()
    assert (await desk.order('create_hook plain when="0 9 * * *" Why?')).outcome == "done"
    assert (await desk.order("edit_hook plain steps run tell")).outcome == "invalid"  # it has no project


async def test_an_operator_fires_no_command_of_admins(tmp_path: Path) -> None:
    """And nobody one of an owner who may not run it any more."""
    desk = await open_desk(tmp_path)
    await desk.press(await desk.order('create_hook h when="0 9 * * *" steps="run own" project=shop Why?'))
    refused = await desk.order("fire_hook h", by=OPERATOR)
    assert (refused.outcome, desk.starts) == ("refused", [])
    book = desk.bench.scheduler.book
    book.change("h", hook=desk.bench.record().hook.evolve(owner=OPERATOR))
    assert "may not run own" in (await desk.fire()).line
    assert desk.starts == []


async def test_an_end_that_is_none_fails_the_run(tmp_path: Path) -> None:
    """Another exit code than 0 is a part of the output."""
    desk = await open_desk(tmp_path)
    for name, outcome, words in (("stop", "created", "> exit code 3\n> half"), ("hang", "failed", "longer than 0.2 s")):
        asked = await desk.order(f'create_hook h when="0 9 * * *" steps="run {name}" project=shop Why? {{{{output}}}}')
        await desk.press(asked)
        run = await desk.fire()
        made = "".join(text for _, text in desk.bench.actions.tasks.values())
        assert (run.outcome, words in f"{made}{run.line}") == (outcome, True), run.line
        desk.bench.scheduler.book.remove("h")


async def test_a_program_is_started_once_for_a_run(tmp_path: Path) -> None:
    """After a crash the next bot takes up its end; a stopped Triage starts none."""
    desk = await open_desk(tmp_path)
    await desk.press(await desk.order('create_hook h when="0 9 * * *" steps="run tell" project=shop Why?'))
    hook = desk.bench.record().hook
    run = HookRun(run_id="r1", cause=HookCause(kind="schedule", at=T0), started_at=desk.bench.clock.now())
    for _ in range(2):
        programs = desk.bench.scheduler.runner.context.programs
        assert await programs.run(hook.steps[0], hook, run) == "told"
        desk = await restart(desk, SHOW, *OTHERS)
    assert len(desk.starts) == 1
    await desk.bench.controls.set_state("stopped", T0)
    with pytest.raises(ToolError, match="Triage is stopped"):
        await desk.bench.scheduler.runner.context.programs.run(hook.steps[0], hook, run.evolve(run_id="r2"))


@pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.long)])
async def test_a_program_runs_once_over_kills(tmp_path: Path, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever step was the last one before the kill: the run that was due has one program and one task."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="none"))
    number, steps = 0, 0
    while number <= steps + 1:
        kill, trace = Kill(before=number or 100_000), tmp_path / f"trace{number}"
        (folder := tmp_path / str(number)).mkdir()
        desk = await open_desk(folder, declare("count", "sh", "-c", f"echo x | tee -a {trace}"))
        bench, step = desk.bench, {"verb": "run", "argument": "count"}
        hook = await bench.add(steps=[step], prompt="{{output}}", project="shop", cooldown_min=30)
        programs = bench.scheduler.runner.context.programs.plan_all(hook)
        bench.scheduler.book.change("h", hook=hook.evolve(programs=programs))
        await bench.scheduler.book.save()

        async def tell(bench: Bench = bench) -> None:
            await bench.pass_time(seconds=(at(70) - bench.clock.now()).total_seconds())

        await live(tell, kill)
        await bench.stop()
        if kill.is_dead:
            await bench.start()
            await tell()
        steps = steps or len(kill.passed)
        where = f"before {number}: {kill.passed[-1]}"
        assert bench.outcomes() == ["created"], f"{where}: {bench.runs()}"
        assert trace.read_text() == "x\n", where
        assert len(bench.actions.tasks) == 1, where
        await bench.stop()
        number += stride if number else 1
    assert steps > 10
