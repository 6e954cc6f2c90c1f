"""Texts of `triage demo` that say what to try: its introduction, and the hints in the empty channels of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.demo_projects import DEFECT_QUESTION, PARCELS, QUESTIONS, RETURNS
from bot.cli.recorded_answers import MODEL, list_orders
from bot.cli.terminal_text import wrap
from bot.isolation import boundary
from sandbox.seed import PEOPLE

if TYPE_CHECKING:
    from pathlib import Path

    from bot.cli.demo_service import DemoService
    from bot.config.settings import Settings

BROKEN = "The shop, a small service, is then down: look at the channel, then as Olu at the card, and press its remedy."
RECORDED = """recorded: to these questions and orders answers are played that were written for the demo, and their
          costs are estimates. To anything else the keyword engine answers. A model of yours: --model-url"""
EARNED = f"""as Ada: /triage autoreply on #help-platform, then press Confirm; as Ana: @Triage {QUESTIONS[0]}
          The answer goes out without a press; Olu can take it back. The judgements that allow it are made up"""
_NEXT = "\n          "
_COLUMN = len(_NEXT) - 1
_COMMAND = "  Break "
"""Beginning of the line with a command to copy, which stays whole."""


def introduce(settings: Settings, url: str, home: Path, pid: int | None, service: DemoService | None) -> str:
    """Return what the demo prints when its bot, the process `pid`, is ready; `None` for replicas."""
    broken = f"  Shop    {service.url}\n  Break   {service.command}{_NEXT}{BROKEN}\n" if service else ""
    model = f"  Model   {RECORDED}\n" if settings.investigator.model == MODEL else ""
    talk = suggest_talk(settings)
    earned = f"  Earned  {EARNED}\n" if model and pid else ""
    bot = f"  Bot     process {pid}; kill it, and it continues after a restart\n" if pid else ""
    state = home if pid else f"a PostgreSQL database of the demo; what each replica has of its own is in {home}"
    return f"""\
Triage demo is ready.

  Page    {url}/?as=U0ANA
  Try     {suggest_questions(settings)}
{f"  Talk    {talk}{chr(10)}" if talk else ""}{model}{earned}{broken}  State   {state}
{bot}  Stop    Ctrl-C
"""


def fit(introduction: str, width: int | None) -> str:
    """Wrap the lines of an introduction that do not fit a terminal of this width; `None` is any width."""
    if width is None:
        return introduction
    lines: list[str] = []
    for line in introduction.split("\n"):
        is_whole = not line.startswith("  ") or line.startswith(_COMMAND)
        further = " " * _COLUMN
        lines += (
            [line] if is_whole else wrap(line[_COLUMN:], width, first=line[:_COLUMN], further=further, breaks=False)
        )
    return "\n".join(lines)


def introduce_replicas(settings: Settings, url: str, home: Path, count: int, service: DemoService | None) -> str:
    """Return what the demo prints before it starts its replicas."""
    text = introduce(settings, url, home, None, service)
    return f"{text}\n{count} replicas start; one of them leads. Kill it between a question and Approve.\n"


def suggest_questions(settings: Settings) -> str:
    """Suggest questions to ask: the demo's own for its projects, else a hint from the settings."""
    channel = next((chat.name or chat.chat_id for chat in settings.watched_chats), None)
    own = _list_questions(settings)
    if not own:
        names = ", ".join(project.name for project in settings.project_list)
        where = f"in #{channel}" if channel else "in a channel that the settings watch"
        return f"Ask {where} about {names or 'a project'}; the draft goes to the operator of the settings."
    lines = [
        f"As Ana, ask in #{channel}: {own[0]}",
        "Then look as Olu, the operator: the draft is in the direct message with Triage. Press Approve.",
        *(f"About the second project, by its own rule and role: {question}" for question in own[1:]),
        f"Ask {'one of them' if own[1:] else 'it'} again: its approved answer becomes the draft immediately.",
    ]
    if RETURNS in settings.projects:
        fix = " The card names a defect: press Propose a Fix." if boundary().bwrap else ""
        lines.append(f"As Ana: {DEFECT_QUESTION}{fix}")
    return _NEXT.join(lines)


def suggest_talk(settings: Settings) -> str:
    """Suggest what to write to the bot itself; empty where no admin of the settings is on the page."""
    admin = next((person.name for person in PEOPLE if person.id in settings.admins), "")
    if not admin:
        return ""
    where = f"As {admin}, the admin, write to Triage in the direct message:"
    if settings.investigator.model == MODEL and settings.engine == "claude":
        return _NEXT.join((where, *list_orders()))
    if settings.chat_model:
        return f"{where} what are you doing?"
    return f"{where} what are you doing?{_NEXT}Without a model it knows its commands, and everyday words for them."


def list_hints(settings: Settings | None) -> dict[str, str]:
    """Return the hints by channel, for settings of the user or, without, for the demo's own."""
    if settings is None:
        return {
            "C0HELP": f"Ask as Ana: {QUESTIONS[0]}\nThen choose Olu at the lower left: the draft waits for him.",
            "C0SHARED": "Ask as Rita, of another company: Approve then asks twice.",
        }
    names = ", ".join(project.name for project in settings.project_list) or "a project"
    return {
        chat.chat_id: f"Ask about {names}: the draft goes to the operator of the settings."
        for chat in settings.watched_chats
        if chat.chat_id in ("C0HELP", "C0GENERAL", "C0SHARED")
    }


def format_restart(pid: int) -> str:
    """Return the line about a bot that was started again."""
    return f"The bot is back (process {pid})."


def format_uninstalled(url: str, code: str) -> str:
    """Return the text about an app that was removed; `code` is Slack's error."""
    return f"""\
The app is not installed in the workspace any more ({code}), so no bot runs. The page stays: {url}/?as=U0ANA
  Install it again:  curl -X POST {url}/human/install -d '{{}}'
"""


def _list_questions(settings: Settings) -> list[str]:
    """Return the demo's own questions about these projects; none if there are others beside its own."""
    names = {project.name for project in settings.project_list}
    own = [question for name, question in zip(("triage", PARCELS), QUESTIONS, strict=True) if name in names]
    return own if names <= {"triage", PARCELS, RETURNS} else []
