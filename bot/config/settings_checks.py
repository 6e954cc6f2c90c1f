"""Checks of settings and environment before a start: watched channels, operators, projects, tokens, the model's key.

A fault that forbids a start raises `Misconfigured` with the key or the variable; others give a warning with a next
step.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.projects import unreadable_reason
from bot.errors import Misconfigured
from bot.tools.search import ripgrep

if TYPE_CHECKING:
    from bot.config.environment import Environment
    from bot.config.settings import Settings


def ready_to_run(settings: Settings, path: object) -> None:
    """Raise `Misconfigured` when the settings are valid but leave the bot nothing to do."""
    needed: dict[str, tuple[object, str]] = {
        "watched_chats": (settings.watched_chats, "at least one channel to watch"),
        "operators": (settings.operators, "at least one Slack user id, who gets the cards and approves"),
        "projects": (settings.projects, "at least one project to answer from"),
    }
    missing = [f"{path}: {key}: expected {what}" for key, (value, what) in needed.items() if not value]
    missing += [f"{path}: {complaint}" for complaint in _nobody_could_approve(settings)]
    if missing:
        raise Misconfigured("\n".join(missing))
    if problem := _cards_nowhere(settings):
        raise Misconfigured(f"{path}: {problem}")


def _cards_nowhere(settings: Settings) -> str | None:
    """Return the setting that leaves cards without a channel, if there is one."""
    places = {chat.cards for chat in settings.watched_chats}
    queue = settings.approval.queue_channel
    if "channel" in places and queue is None:
        return "approval.queue_channel: expected the private channel for `cards: channel`"
    if queue in [chat.chat_id for chat in settings.watched_chats]:
        return "approval.queue_channel: expected a channel that is not watched: its cards would be read as questions"
    if "ephemeral" in places and not settings.approval.remind_min:
        return (
            "approval.remind_min: expected minutes, after which a card of `cards: ephemeral` goes to the direct message"
        )
    return None


def _nobody_could_approve(settings: Settings) -> list[str]:
    """List the channels where two must approve and two cannot be found; members of user groups are known later."""
    if not settings.approval.second_approver:
        return []
    answering = {name for project in settings.projects.values() for name in project.operators}
    complaints = []
    for chat in settings.watched_chats:
        named = {*(chat.operators or settings.operators), *answering}
        if len(named) < 2 and not any(name.startswith("S") for name in named):
            expected = "at least two operators, since approval.second_approver is true"
            complaints.append(f"watched_chats: {chat.chat_id}: operators: expected {expected}")
    return complaints


def idle_rules(settings: Settings) -> list[str]:
    """List the routing rules that never match: their channel is not watched, and is not a direct message."""
    watched = {chat.chat_id for chat in settings.watched_chats}
    rules = settings.routing.rules if settings.routing else ()
    return [
        f"{settings.format_key('routing', 'rules', number, 'channel')}: {rule.channel} is not watched, so this rule "
        "never applies: name it in watched_chats, or another channel here"
        for number, rule in enumerate(rules)
        if rule.channel and rule.channel not in watched and not rule.channel.startswith("D")
    ]


def odd_reach(settings: Settings) -> list[str]:
    """List the folders of `projects_below` that let commands reach nothing, or more than intended."""
    warnings = []
    own = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path raises where there is no home
    for number, folder in enumerate(settings.projects_below):
        where = settings.format_key("projects_below", number)
        if not folder.is_dir():
            warnings.append(
                f"{where}: {folder} is missing, so no command can create a project there: create it, or name another"
            )
        elif own.is_relative_to(folder):
            what = "all of this machine" if folder == Path(folder.anchor) else f"{folder}, a home with all its contents"
            warnings.append(f"{where}: commands may read {what}: name folders of code only")
    return warnings


def without_answers(settings: Settings) -> list[str]:
    """List what prevents answers although the bot can start, with the next step for each."""
    warnings = []
    try:
        ripgrep()
    except Misconfigured as problem:
        warnings.append(f"no question can be answered: {problem}")
    for project in settings.project_list:  # a repository is fetched after the start
        if project.repository is None and (why := unreadable_reason(project.root)):
            warnings.append(f"no question about {project.name} can be answered: {why}")
    return warnings


def lacks_second(settings: Settings) -> str | None:
    """Name the channels where an operator's question can never be approved: its asker may not, and two others must.

    Members of user groups are not known here; a channel with a user group counts as having enough.
    """
    if not settings.approval.second_approver or settings.approval.asker_may_approve:
        return None
    answering = {name for project in settings.projects.values() for name in project.operators}
    few = []
    for chat in settings.watched_chats:
        named = {*(chat.operators or settings.operators), *answering}
        if len(named) < 3 and not any(name.startswith("S") for name in named):
            few.append(chat.chat_id)
    if not few:
        return None
    why = "approval.second_approver is true and approval.asker_may_approve false"
    return (
        f"{', '.join(few)}: a question of an operator cannot be approved with fewer than three operators, since {why}"
    )


def model_is_usable(settings: Settings, environment: Environment) -> str | None:
    """Return a warning where agents have no model, so that the keyword engine answers; else `None`."""
    address = settings.model.base_url or environment.anthropic_base_url
    if environment.anthropic_api_key is not None or address is not None:
        return None
    if settings.engine == "claude":
        return (
            "engine: claude, and no ANTHROPIC_API_KEY in the environment: the keyword engine answers until there is one"
        )
    if settings.chat_model is not None:
        return "chat is enabled, and no ANTHROPIC_API_KEY in the environment: nobody can talk to Triage"
    return None


def chat_readiness(settings: Settings, environment: Environment) -> tuple[bool | None, str]:
    """Return true if people can talk to Triage, `None` if chat is off; and a sentence about it."""
    model = settings.chat_model
    if model is None:
        return None, "off; `engine: claude` or `chat.enabled` lets people talk to Triage (docs/chat.md)"
    if problem := model_is_usable(settings, environment):
        return False, problem
    return True, f"ready, on {model} at {settings.model.base_url or environment.anthropic_base_url or 'Anthropic'}"


def tokens(environment: Environment, *, http: bool = False) -> tuple[str, str]:
    """Return the bot's token, and the app's token or, with `http`, the signing secret.

    Raises `Misconfigured`, naming the variables that are missing.
    """
    bot = environment.slack_bot_token
    way_in = environment.slack_signing_secret if http else environment.slack_app_token
    if bot is None or way_in is None:
        name = "SLACK_SIGNING_SECRET" if http else "SLACK_APP_TOKEN (xapp-…)"
        needed = (("SLACK_BOT_TOKEN (xoxb-…)", bot), (name, way_in))
        missing = " and ".join(variable for variable, value in needed if value is None)
        raise Misconfigured(f"expected in the environment: {missing}; docs/install.md says where from")
    return bot.get_secret_value(), way_in.get_secret_value()
