"""Commands on hooks: what they do, refuse, and take for bad input; and the actions that hooks give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.commands.active_project import ActiveProjects
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.hook_actions import HookActionRunner
from bot.commands.hook_drafts import HookDrafts
from bot.commands.hook_views import HookViews
from bot.commands.hooks import HookCommands
from bot.commands.inputs_created import NewTask
from bot.commands.inputs_hooks import EditHook, ListHooks, NewHook, OfHook
from bot.commands.misfit import describe_invalid_input
from bot.commands.parsing import parse_line
from bot.commands.projects import ProjectOverview
from bot.config.settings import Settings
from bot.errors import RetryLater
from bot.models.command_data.hooks import HookRunsData, HooksData
from bot.models.hook import Hook
from bot.models.hook_record import HookCause, HookRun
from bot.models.interaction import Asker
from bot.models.project import Project, Repository
from bot.tasks.day_budget import DayBudget
from bot.wiring.forges import find_webhook_fault
from tests.builders import CHANNEL, T0, TEAM
from tests.chat.crew import ADMIN, MEMBER, OPERATOR, command, handler
from tests.fakes import MemoryKept, MemoryStore, orchestrator
from tests.hooks.bench import Bench
from tests.kills import Kill, live
from tests.tasks import bench as tasks_bench

ROOTS = (
    Project(name="shop", root=Path("/srv/shop"), repository=Repository(url="https://git.test/shop")),
    Project(name="web", root=Path("/srv/web")),
)


class Office:
    """The commands on a bench, given by the admin."""

    def __init__(self, bench: Bench, *, webhook_fault: str = "") -> None:
        self.bench = bench
        overview = ProjectOverview(
            projects=bench.scheduler.runner.context.projects,
            active=ActiveProjects(file=MemoryKept(), projects=bench.scheduler.runner.context.projects),
            orchestrator=orchestrator(MemoryStore()),
            controls=bench.controls,
            channel_names={CHANNEL: "help-platform"},
        )
        drafts = HookDrafts(
            scheduler=bench.scheduler,
            overview=overview,
            clock=bench.clock,
            urls=("status",),
            services=("checkout",),
            webhook_fault=webhook_fault,
        )
        slack: Any = bench.slack
        self.views = HookViews(scheduler=bench.scheduler, overview=overview)
        self.commands = HookCommands(
            scheduler=bench.scheduler,
            drafts=drafts,
            programs=bench.scheduler.runner.context.programs,
            budget=DayBudget(ledger=None, max_usd=1.0, least_usd=0.2),
            rooms=slack,
            clock=bench.clock,
        )

    async def give(self, line: str, *, by: str = ADMIN, number: int = 0) -> CommandAnswer:
        """Give a command as it is typed."""
        name, arguments = parse_line(line)
        owner, method, form = {
            "create_hook": (self.commands, "create", NewHook),
            "edit_hook": (self.commands, "edit", EditHook),
            "delete_hook": (self.commands, "delete", OfHook),
            "fire_hook": (self.commands, "fire", OfHook),
            "list_hooks": (self.views, "list_hooks", ListHooks),
            "list_hook_runs": (self.views, "list_runs", OfHook),
        }[name]
        try:
            request = form.model_validate(arguments)  # type: ignore[attr-defined]  # a model
        except ValidationError as problem:
            return CommandAnswer(outcome="invalid", line=describe_invalid_input(CATALOGUE[name], problem))
        asker = command(user_id=by, interaction_id=f"{line} {number}")
        answer: CommandAnswer = await getattr(owner, method)(request, asker)
        return answer


async def office(folder: Path, **values: Any) -> Office:
    """Build the commands on a new home."""
    return Office(await Bench(folder, roots=ROOTS, file=MemoryKept(), **values).start())


FORGE = {"kind": "github", "token_env": "A_TOKEN", "webhook_secret_env": "A_SECRET"}
DAILY = 'create_hook limits when="0 9 * * mon-fri" steps="log; read docs/limits.md" skip_if=unchanged project=shop '


async def test_a_hook_is_created_listed_changed_fired_and_deleted(tmp_path: Path) -> None:
    """Each answer says what was done, and the way back."""
    desk = await office(tmp_path)
    bench = desk.bench
    answer = await desk.give(f"{DAILY}Which limits changed? {{{{output}}}}")
    assert answer.line.startswith("Created `limits`, at `0 9 * * mon-fri`, next <!date^")
    assert "`delete_hook limits` takes that back" in answer.line
    hook = bench.record("limits").hook
    assert (hook.owner, hook.project, hook.cooldown_min) == (ADMIN, "shop", 0)
    assert hook.prompt == "Which limits changed? {{output}}"
    assert (await desk.give(f"{DAILY}Which limits changed? {{{{output}}}}")).is_unchanged
    assert "There is a hook `limits` already" in (await desk.give(f"{DAILY}Another.")).line
    answer = await desk.give("create_hook deploys when='message' x")
    await desk.give('create_hook deploys when="message #help-platform deploy failed" command="list_tasks open"')
    assert bench.record("deploys").hook.cooldown_min == 10
    listed = await desk.give("list_hooks")
    assert listed.line == "2 hooks."
    assert listed.rows[0].startswith(
        f"`deploys` at a message in <#{CHANNEL}> with `deploy failed`, at most every 10 minutes: "
        "command `list_tasks open`"
    )
    assert isinstance(listed.data, HooksData)
    assert [(each.name, each.when) for each in listed.data.hooks][1] == ("limits", "0 9 * * mon-fri")
    assert (await desk.give("list_hooks shop")).line == "1 hook of `shop`."
    answer = await desk.give("edit_hook limits when 0 10 * * *")
    assert "`edit_hook limits when 0 9 * * mon-fri` takes that back." in answer.line
    assert bench.record("limits").next_at != None  # noqa: E711  # it is planned again
    assert (await desk.give("edit_hook limits when 0 10 * * *")).is_unchanged
    answer = await desk.give("edit_hook limits command list_tasks open")
    assert (bench.record("limits").hook.prompt, bench.record("limits").hook.command) == ("", "list_tasks open")
    for field in ("skip_if", "steps"):
        assert (await desk.give(f"edit_hook limits {field} none")).outcome == "done"
    answer = await desk.give("edit_hook limits enabled no")
    assert "It is disabled." in answer.line
    assert bench.record("limits").next_at is None
    answer = await desk.give("fire_hook limits", by=OPERATOR)
    assert (answer.outcome, "*executed* Done." in answer.line) == ("done", True)
    await desk.give("fire_hook limits", by=OPERATOR)
    assert len(bench.actions.commands) == 1
    runs = await desk.give("list_hook_runs limits")
    assert f"fired by <@{OPERATOR}>: *executed* Done." in runs.rows[0]
    assert isinstance(runs.data, HookRunsData)
    assert (await desk.give("list_hook_runs deploys")).line == "It has not run yet."
    assert "with its history" in (await desk.give("delete_hook limits")).line
    assert bench.scheduler.book.find("limits") is None
    with pytest.raises(NotDone, match="no hook"):
        await desk.commands.delete.__wrapped__(desk.commands, OfHook(name="limits"), command())  # type: ignore[attr-defined]  # of wraps


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("create_hook x when=daily Look.", "expected a cron expression"),
        ('create_hook x when="61 * * * *" Look.', "bad minute"),
        ('create_hook x when="0 0 30 2 *" Look.', "bad day-of-month"),
        ('create_hook x when="task failed"', "Expected a prompt or a command."),
        ('create_hook x when="task failed" command=status Look.', "and not both"),
        ('create_hook x when="task failed" steps="exec tests" Look.', "expected read PATH"),
        ('create_hook x when="task failed" steps="read a.md" Look.', "`project`: expected one"),
        ('create_hook x when="task failed" steps="read src/.env" project=shop Look.', "src/.env may hold secrets"),
        ('create_hook x when="task failed" steps="fetch other" Look.', "no address other"),
        ('create_hook x when="task failed" skip_if=empty Look.', "expected `steps`"),
        (
            'create_hook x when="task failed" skip_if="matches (" steps="fetch status" Look.',
            "expected a pattern of re2",
        ),
        ('create_hook x when="task failed" cooldown=0 Look.', "at least 1 minute"),
        ('create_hook x when="task failed" cooldown=99999 Look.', "from 0 to 10,080"),
        ('create_hook x when="task failed" Look at {{outptu}}.', "no variable {{outptu}}; known are"),
        ('create_hook x when="0 9 * * *" Look at {{event}}.', "{{event}} is empty"),
        ('create_hook x when="task failed" project=shpo Look.', "The nearest is `shop`"),
        ('create_hook x when="task failed" channel=nowhere Look.', "not watched"),
        ('create_hook x when="message #nowhere failed" Look.', "not watched"),
        ('create_hook x when="service unhealthy chekout" Look.', "no service chekout"),
        ('create_hook x when="pull request opened shop" Look.', "expected the path of a repository at its forge"),
        ('create_hook x when="file changed docs/**" Look.', "`project`: expected one"),
        ('create_hook x when="file changed docs/**" project=web Look.', "only files of a fetched repository"),
        ('create_hook x when="task failed" command=status channel=here', "posts nothing there"),
        ('create_hook "X!" when="task failed" Look.', "small letters, digits and hyphens"),
        ("edit_hook none when 0 9 * * *", "There is no hook `none`"),
        ("edit_hook h cooldowm 3", "the nearest is cooldown"),
        ("edit_hook h cooldown soon", "expected minutes"),
        ("edit_hook h enabled maybe", "expected yes or no"),
        ("edit_hook h prompt none", "xpected a prompt or a command"),
        ("edit_hook h steps read", "expected read PATH"),
        ("fire_hook g", "There is no hook `g`"),
        ("list_hook_runs g", "There is no hook `g`"),
        ("list_hooks nowhere", "There is no project"),
    ],
)
async def test_bad_input_names_what_is_expected(tmp_path: Path, line: str, words: str) -> None:
    """And nothing is changed."""
    desk = await office(tmp_path)
    await desk.bench.add(name="h")
    before = desk.bench.scheduler.book.records
    answer = await desk.give(line)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line
    assert desk.bench.scheduler.book.records == before


@pytest.mark.parametrize(
    ("forges", "is_http", "words"),
    [
        ((), True, "no forge of the settings has a webhook_secret_env"),
        ((FORGE,), False, "over HTTP only, and this Triage runs over Socket Mode"),
        ((FORGE,), True, ""),
    ],
)
async def test_a_hook_on_merge_requests_needs_a_webhook(
    tmp_path: Path, forges: tuple[dict[str, str], ...], is_http: bool, words: str
) -> None:
    """Else nothing would ever begin it, and the answer says why."""
    fault = find_webhook_fault(Settings.model_validate({"forges": forges}), is_http=is_http)
    desk = Office(await Bench(tmp_path, roots=ROOTS, file=MemoryKept()).start(), webhook_fault=fault)
    answer = await desk.give('create_hook x when="pull request opened team/shop" Look.')
    assert (answer.outcome, words in answer.line) == ("invalid" if words else "done", True), answer.line
    await desk.bench.add(name="h")
    answer = await desk.give("edit_hook h when PR opened")
    assert (answer.outcome, words in answer.line) == ("invalid" if words else "done", True), answer.line


async def test_reading_and_posting_needs_membership(tmp_path: Path) -> None:
    """A hook is no way into a channel."""
    desk = await office(tmp_path)
    desk.bench.slack.members.discard(ADMIN)
    for line in ('when="message here failed" Look.', 'when="task failed" channel=here Look.'):
        answer = await desk.give(f"create_hook x {line}")
        assert (answer.outcome, answer.line) == (
            "refused",
            f"You are not in <#{CHANNEL}>: join it, or name another channel.",
        )


async def test_previews_show_times_work_and_cost(tmp_path: Path) -> None:
    """All that the press authorises."""
    desk = await office(tmp_path)
    request = NewHook.model_validate(parse_line(f"{DAILY}Look at {{{{output}}}}.")[1])
    text = await desk.commands.preview(request, command())
    assert "5 times in the next seven days" in text
    assert "`log; read docs/limits.md`, not if `unchanged`, a task on `shop`: `Look at {{output}}.`" in text
    assert f"with the rights of <@{ADMIN}>. Its tasks cost nothing." in text
    await desk.bench.add(name="h", command="status")
    assert "command `status`" in await desk.commands.preview_fire(OfHook(name="h"), command())
    edit = EditHook(name="h", field="cooldown", value="5")
    assert "at most every 5 minutes" in await desk.commands.preview_edit(edit, command())
    assert "0 recorded runs would go" in await desk.commands.preview_deletion(OfHook(name="h"), command())


async def test_nothing_changes_that_cannot_be_saved(tmp_path: Path) -> None:
    """The book is as before in memory, too."""
    desk = await office(tmp_path)
    await desk.bench.add(name="h")
    before = desk.bench.scheduler.book.records

    async def fail(_: Any) -> None:
        raise RetryLater("no space left on device")

    desk.bench.scheduler.book.file.write = fail  # type: ignore[assignment,method-assign]  # a full disk
    for line in ('create_hook x when="task failed" Look.', "edit_hook h cooldown 5", "delete_hook h", "fire_hook h"):
        with pytest.raises(RetryLater):
            await desk.give(line)
        assert desk.bench.scheduler.book.records == before, line


async def test_nothing_is_fired_while_triage_is_stopped(tmp_path: Path) -> None:
    """A pause holds times and events only."""
    desk = await office(tmp_path)
    await desk.bench.add(name="h")
    desk.bench.controls.state = "stopped"
    answer = await desk.give("fire_hook h")
    assert (answer.outcome, desk.bench.runs("h")) == ("refused", [])
    desk.bench.controls.state = "paused"
    assert (await desk.give("fire_hook h")).outcome == "done"


async def test_a_hook_that_runs_is_not_changed(tmp_path: Path) -> None:
    """Its run would not know what holds."""
    desk = await office(tmp_path)
    await desk.bench.add(name="h")
    await desk.bench.scheduler.fire("h", ADMIN, "a")
    assert "It runs now" in (await desk.give("edit_hook h cooldown 5")).line
    assert "It runs now" in (await desk.give("fire_hook h")).line
    await desk.bench.settle()
    assert (await desk.give("edit_hook h cooldown 5")).outcome == "done"


def actions(**options: Any) -> HookActionRunner:
    """The actions on a handler whose commands echo."""
    return HookActionRunner(handler=handler(**options), team_id=TEAM, zone="UTC")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("list_tasks open", ""),
        ("/triage status", ""),
        ("pause", ""),
        ("append_note Log project=shop It ran.", ""),
        ("nonsense", "there is no command nonsense"),
        ("create_task Title Text", "a hook creates tasks by its prompt"),
        ("orchestrator_control pause", "stands for other commands"),
        ("delete_note Log", "needs a press"),
        ("approve_task x", "needs a press"),
        ("create_hook x when=daily y", "needs a press"),
        ("fire_hook x", "needs a press"),
        ("allow 5", "needs a press"),
        ("metrics 0", "expected a whole number from 1 to 366"),
    ],
)
def test_only_commands_that_need_no_press_are_given(line: str, fault: str) -> None:
    """Of any owner; the words are checked when it is created."""
    reason = actions().find_fault(line)
    assert fault in reason
    assert bool(fault) == bool(reason)
    assert actions().may_repeat(line) is (line in ("list_tasks open", "/triage status", "metrics 0"))


def hook(owner: str = ADMIN, **changes: Any) -> Hook:
    """A hook with a command."""
    values = {"name": "h", "trigger": {"kind": "task"}, "command": "mode help-platform silent", "changed_at": T0}
    return Hook.model_validate({**values, "owner": owner, "command": "status", **changes})


def run(run_id: str) -> HookRun:
    """A run that a task began."""
    return HookRun(run_id=run_id, cause=HookCause(kind="task", at=T0), started_at=T0)


async def test_a_command_has_the_rights_of_its_owner_now() -> None:
    """One who is no operator or member any more does nothing, and it says so."""
    runner = actions()
    end = await runner.execute(hook(), run("r1"))
    assert (end.is_done, end.notice.partition("\n")[0]) == (True, "The hook `h`, `status`:")
    for owner in (MEMBER, "U0GUEST", "U0FAR"):
        end = await runner.execute(hook(owner, command="append_note Log project=shop x"), run("r2"))
        assert not end.is_done
        assert end.line.startswith("with the rights of its owner: ")
        end = await runner.create_task(hook(owner, command="", prompt="x"), run("r3"), "Text")
        assert not end.is_done
    end = await runner.execute(hook(OPERATOR, command="allow 5"), run("r4"))
    assert (end.is_done, end.line) == (
        False,
        "allow needs a press, and nobody is there to press when a hook runs",
    )
    records: Any = runner.handler.audit
    assert {record["via"] for record in records.kept} == {"hook"}
    assert await runner.find_refusal("config", command(user_id=MEMBER))
    assert await runner.find_refusal("status", command(user_id=ADMIN)) == ""


async def test_an_operator_fires_no_command_of_an_admin(tmp_path: Path) -> None:
    """A person who fires it must be allowed to give it."""
    desk = await office(tmp_path)
    desk.bench.scheduler.runner.attach(actions())
    await desk.bench.add(name="h", command="brief")
    answer = await desk.give("fire_hook h", by=MEMBER)
    assert (answer.outcome, desk.bench.runs("h")) == ("refused", [])
    assert (await desk.give("fire_hook h", by=ADMIN)).outcome == "done"


class Orders:
    """Hooks on the bench of created tasks: the real `create_task`, by the real handler."""

    def __init__(self, folder: Path) -> None:
        self.hooks = Bench(folder)
        self.tasks = tasks_bench.Bench(folder)

    async def start(self) -> None:
        """Build both on what an earlier process left."""
        await self.tasks.start()

        async def create(request: NewTask, asker: Asker) -> CommandAnswer:
            record, _ = await self.tasks.commands._build_record(request, asker)
            await self.tasks.threads.add(record)
            await self.tasks.threads.settle()
            return CommandAnswer(line="Created.")

        commands = handler(runs={"create_task": create})
        self.hooks.actions = HookActionRunner(handler=commands, team_id=TEAM, zone="UTC")  # type: ignore[assignment]  # the real one
        await self.hooks.start()

    async def tell(self) -> None:
        """Let two minutes pass, and the tasks run."""
        await self.hooks.pass_time(minutes=(130 - (self.hooks.clock.now() - T0).total_seconds()) / 60)
        await self.tasks.settle()

    async def stop(self) -> None:
        """Stop both."""
        await self.hooks.stop()
        await self.tasks.stop()


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
async def test_a_task_of_a_hook_is_one_thread_over_kills(tmp_path: Path, stride: int) -> None:
    """By the id of its run: after a kill around each call and file there is one message for each due time."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 100_000, only=("call", "answer", "open"))
        orders = Orders(tmp_path / str(number))
        await orders.start()
        await orders.hooks.add(prompt="Look at {{time}}.", owner=ADMIN)
        await live(orders.tell, kill)
        await orders.stop()
        if kill.is_dead:
            await orders.start()
            await orders.tell()
        steps = steps or len(kill.passed)
        where = f"before {number}: {kill.passed[-1]}"
        words = sorted(each.order.words for each in await orders.tasks.documents() if each.order)
        assert words == ["Hook h\nLook at 10:01.", "Hook h\nLook at 10:02."], where
        assert all(each.order.is_by_hook for each in await orders.tasks.documents() if each.order), where
        assert [*orders.tasks.count_messages().values()] == [1, 1], where
        assert orders.hooks.outcomes() == ["created", "created"], where
        await orders.stop()
        number += stride if number else 1
    assert steps > 15


def test_roles_and_presses() -> None:
    """Admins change hooks, operators see and fire them; a model's call waits."""
    roles = {name: (spec.role, spec.tier, spec.needs_press) for name, spec in CATALOGUE.items() if "hook" in name}
    assert roles == {
        "list_hooks": ("operator", "read", False),
        "list_hook_runs": ("operator", "read", False),
        "create_hook": ("admin", "reversible", True),
        "edit_hook": ("admin", "reversible", True),
        "delete_hook": ("admin", "irreversible", False),
        "fire_hook": ("operator", "reversible", True),
    }
    assert CATALOGUE["delete_hook"].names == "name"


async def test_many_hooks_are_listed_in_short(tmp_path: Path) -> None:
    """With their names and times, and the way to the rest; a person's address is that of the owner."""
    desk = await office(tmp_path)
    for number in range(20):
        await desk.give(f'create_hook h{number:02} when="0 9 * * *" project=shop Look at {"limits " * 20}')
    listed = await desk.give("list_hooks")
    assert [row[1:4] for row in listed.rows[:-1]] == [f"h{number:02}" for number in range(20)]
    assert listed.rows[-1].startswith("`list_hooks project=…`")
    assert len(listed.text) < 3_500
    await desk.give('create_hook status when="0 9 * * *" command=status')
    preview = await desk.commands.preview_fire(OfHook(name="status"), command(user_id=OPERATOR))
    assert f"in a direct message to <@{ADMIN}>" in preview
