"""What must hold before a bot is put together: something to do, the tokens, a Slack that accepts them.

Every failing is a `Misconfigured` that names the key or the variable.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bot.config.projects import unreadable
from bot.decide.information_flow import is_shared_externally
from bot.decide.refusals import CHANNEL, PERSON, refusal_in_words
from bot.errors import Misconfigured, Refused, RetryLater
from bot.runtime.retry import patiently
from bot.tools.search import ripgrep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.outbound import Clock
    from bot.ports.slack import Channels, Chat

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


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
    """What would leave cards without a place to stand in."""
    places = {chat.cards for chat in settings.watched_chats}
    queue = settings.approval.queue_channel
    if "channel" in places and queue is None:
        return "approval.queue_channel: expected the private channel that `cards: channel` means"
    if queue in [chat.chat_id for chat in settings.watched_chats]:
        return "approval.queue_channel: expected a channel that is not watched: its cards would be read as questions"
    if "ephemeral" in places and not settings.approval.remind_min:
        return "approval.remind_min: expected minutes, after which a card of `cards: ephemeral` is shown for good"
    return None


def _nobody_could_approve(settings: Settings) -> list[str]:
    """The channels where two must approve and there cannot be two; who is in a group is known later."""
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
    """The routing rules that never count: their channel is not watched, and is no direct message."""
    watched = {chat.chat_id for chat in settings.watched_chats}
    rules = settings.routing.rules if settings.routing else ()
    return [
        f"{settings.where('routing', 'rules', number, 'channel')}: {rule.channel} is not watched, so this rule never "
        "counts: name it in watched_chats, or another channel here"
        for number, rule in enumerate(rules)
        if rule.channel and rule.channel not in watched and not rule.channel.startswith("D")
    ]


def odd_reach(settings: Settings) -> list[str]:
    """The folders of `projects_below` that let commands reach nothing, or more than may be meant."""
    said = []
    own = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path raises where there is no home
    for number, folder in enumerate(settings.projects_below):
        where = settings.where("projects_below", number)
        if not folder.is_dir():
            said.append(
                f"{where}: {folder} is not there, so no command can make a project there: make it, or name another"
            )
        elif own.is_relative_to(folder):
            what = (
                "all of this machine" if folder == Path(folder.anchor) else f"{folder}, a home with all that lies in it"
            )
            said.append(f"{where}: commands may have {what} read: name folders of code alone")
    return said


def without_answers(settings: Settings) -> list[str]:
    """What keeps questions from an answer although the bot can start, with the next step for each."""
    said = []
    try:
        ripgrep()
    except Misconfigured as problem:
        said.append(f"no question can be answered: {problem}")
    for project in settings.project_list:  # a repository is fetched after the start
        if project.repository is None and (why := unreadable(project.root)):
            said.append(f"no question about {project.name} can be answered: {why}")
    return said


def lacks_second(settings: Settings) -> str | None:
    """Where the question of an operator could never be approved, since its asker may not and two others must.

    Who is in a group is not known here; a channel with one counts as having enough.
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
    """What keeps the agents from a model, as a warning; the keyword engine answers then. `None` where nothing does."""
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
    """Whether people can talk to Triage, `None` where they are not meant to; and a sentence about it."""
    model = settings.chat_model
    if model is None:
        return None, "off; `engine: claude` or `chat.enabled` lets people talk to Triage (docs/chat.md)"
    if problem := model_is_usable(settings, environment):
        return False, problem
    return True, f"ready, on {model} at {settings.model.base_url or environment.anthropic_base_url or 'Anthropic'}"


def tokens(environment: Environment, *, http: bool = False) -> tuple[str, str]:
    """The bot's token, and what lets Slack in: the app's token, or with `http` the signing secret.

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


async def accepted(call: Callable[[], Awaitable[Answer]], name: str, clock: Clock, *, mend: str = "") -> Answer:
    """The answer of a first call, however long Slack is away; a refusal is about the variable or key `name`.

    `mend` says what to do about it.
    """
    wait = 0.1
    while True:
        try:
            return await call()
        except Refused as problem:
            raise Misconfigured(f"{name}: Slack does not accept it ({problem.code}){mend}") from None
        except RetryLater as problem:
            wait = min(30.0, wait * 2)
            (log.warning if wait > 1 else log.info)("%s; again in %.1f s", problem, wait)
            await clock.sleep(max(wait, problem.after if wait > 1 else 0))


async def queue_is_private(channels: Channels, queue: str, where: str, clock: Clock, *, has_served: bool) -> None:
    """Drafts that nobody has approved are for those of the private channel only, and the bot must be in it.

    `where` is the place of its key. One that `has_served` is warned of: cards go to direct messages until it is mended
    (`triage/access`).
    """
    name = f"{where}: {queue}"
    try:
        found = await patiently(clock, lambda: channels.channel(queue))
    except Refused as problem:
        if problem.code not in CHANNEL or not has_served:
            raise Misconfigured(f"{name}: Slack does not accept it ({problem.code})") from None
        log.warning("%s: %s; its cards go to direct messages", name, refusal_in_words(problem))
        return
    said = wrong_with_queue(found)
    if said and not has_served:
        raise Misconfigured(f"{name}: {said}")
    if said:
        log.warning("%s: %s; its cards go to direct messages until then", name, said)


def wrong_with_queue(channel: dict[str, Any]) -> str | None:
    """Why no card may stand in this channel, as Slack describes it."""
    if not channel.get("is_private"):
        return "expected a private channel: cards show drafts that nobody has approved"
    if channel.get("is_archived"):
        return "it is archived: unarchive it, and /invite Triage there"
    if is_shared_externally(channel):
        return "expected a channel that no other company reads: cards show drafts that nobody has approved"
    return None if channel.get("is_member") else "expected a channel that the bot is in: /invite it there"


async def reachable_operator(
    chat: Chat, bars: Callable[[str], Awaitable[bool]], operators: Sequence[str], where: str, clock: Clock
) -> str:
    """The first operator whom Slack lets be written to and does not bar from being one of us; those before them are
    warned of.

    Raises `Misconfigured` where nobody could be given a card: questions would be seen by nobody. `where` is the place
    of their key.
    """
    refused = []
    for user in operators:
        try:
            await patiently(clock, partial(chat.open_dm, user))
        except Refused as problem:
            if problem.code not in PERSON:
                raise Misconfigured(f"{where}: {user}: Slack does not accept it ({problem.code})") from None
            refused.append(f"{user}: {refusal_in_words(problem)}")
        else:
            if await patiently(clock, partial(bars, user)):
                refused.append(f"{user}: no member of this workspace, so they may not decide")
                continue
            for said in refused:
                log.warning("%s: %s; what they are asked goes to the next operator", where, said)
            return user
    raise Misconfigured(
        f"{where}: no operator can be given a card, and nobody would see a question; name a member of the workspace, "
        f"no bot; `triage doctor` looks at each operator\n" + "\n".join(refused)
    )
