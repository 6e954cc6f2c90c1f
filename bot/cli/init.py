"""`triage init`: ask for the channel, the operator and the project, and write `triage.yml` and `.env`."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli import doctor
from bot.cli.init_files import is_open_to_git, write_settings, write_variables
from bot.cli.interview import Interview
from bot.cli.options import add_config, add_env_file, add_home
from bot.cli.progress import Activity
from bot.config.env_file import add_variables, env_file_path, read_env_file
from bot.config.environment import PREFIXES, Environment, read_environment
from bot.config.paths import config_path
from bot.decide.directory_search import project_key, search_channels, search_members
from bot.decide.repository_address import address_problem
from bot.decide.setup_file import SetupAnswers
from bot.errors import Misconfigured, Refused

if TYPE_CHECKING:
    from bot.models.directory import ListedChannel, ListedMember

_APP = """\
Triage needs a Slack app, which an admin of the workspace may have to allow:
  1. https://api.slack.com/apps?new_app=1, From a manifest: paste what `triage manifest` prints.
  2. Basic Information, App-Level Tokens: generate one with connections:write (xapp-…); or over HTTP, with --http,
     copy the Signing Secret there.
  3. Install App: install it, and copy the Bot User OAuth Token (xoxb-…)."""
_CHANNEL = """
The channel to read: its name, its link (in Slack: the channel's menu, Copy, Copy link) or its id. It begins in the mode
preview: drafts are shown to the operator, and nothing is posted."""
_OPERATOR = """
The operator: who gets the drafts in a direct message, and approves them; also the first admin, who may pause Triage and
change modes. A name as Slack shows it, the link of a profile, or an id."""
_PROJECT = """
The project: the code that answers are drawn from. A folder of this machine, or the address of a git repository
(https://… or ssh://…), which is fetched into the home."""
_MOST_SHOWN = 12
_API_URL = "SLACK_API_URL"
"""Variable of another Slack API, such as the local workspace; a bot that starts without it would ask Slack itself."""


@dataclass(frozen=True)
class Directory:
    """Channels and members of a workspace, and its name."""

    team: str
    channels: list[ListedChannel]
    members: list[ListedMember]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage init`."""
    parser.add_argument("--channel", metavar="NAME", help="the channel to read: its name, link or id")
    parser.add_argument("--operator", metavar="NAME", help="who approves: a name, the link of a profile, or an id")
    parser.add_argument("--project", metavar="PLACE", help="a folder of code, or the address of a git repository")
    parser.add_argument("--http", action="store_true", help="for HTTP: SLACK_SIGNING_SECRET instead of SLACK_APP_TOKEN")
    parser.add_argument("--yes", action="store_true", help="ask nothing: for scripts")
    parser.add_argument("--overwrite", action="store_true", help="replace settings and tokens that are there")
    add_config(parser)
    add_env_file(parser)
    add_home(parser)
    parser.epilog = (
        "Tokens come from the environment, from .env, or from a question; they are written to .env, which only you may "
        "read. At the end `triage doctor` checks everything; its exit code is that of this command."
    )


def main(options: argparse.Namespace) -> int:
    """Ask, write both files and run `triage doctor`; return its exit code."""
    os.umask(0o077)
    if not options.yes and not (sys.stdin and sys.stdin.isatty()):
        named = "--yes with --channel, --operator and --project"
        raise Misconfigured(f"no terminal to ask at: expected {named}, and the tokens in the environment or in .env")
    interview = Interview(is_asking=not options.yes)
    config = config_path(options.config)
    env_path = env_file_path(options.env_file, config)
    if config.exists() and not options.overwrite:
        interview.confirm(f"{config} is there. Replace it?", else_say=f"{config} is there: --overwrite replaces it")
    known = read_env_file(env_path) if env_path.exists() else {}
    add_variables(known)
    tokens = _take_tokens(interview, over_http=options.http)
    directory = _connect(interview, tokens)
    answers = _ask_settings(interview, options, directory)
    kept = (*tokens, *(name for name in (_API_URL,) if os.environ.get(name)))
    written = {name: os.environ[name] for name in kept if known.get(name) != os.environ[name]}
    if (replaced := " and ".join(name for name in written if known.get(name))) and not options.overwrite:
        other = f"{env_path} has another {replaced}"
        interview.confirm(f"{other}. Replace it?", else_say=f"{other}: --overwrite replaces it")
    write_settings(config, answers)
    interview.tell(f"\nWrote {config}.")
    if written:
        write_variables(env_path, written)
        interview.tell(f"Wrote {env_path}, which only you may read.")
    if is_open_to_git(env_path):
        interview.tell(f"Add {env_path.name} to .gitignore: git would commit it, and the tokens in it.")
    interview.tell("`triage doctor` checks them:\n")
    code = doctor.main(_doctor_options(options))
    places, over_http = _format_places(options), " --http 3000" if options.http else ""
    right, wrong = f"Next: triage run{places}{over_http}", f"Mend what is WRONG, then: triage doctor{places}"
    interview.tell(f"\n{wrong if code else right}")
    return code


def _format_places(options: argparse.Namespace) -> str:
    """Format the options that another command needs to find the same files."""
    named = (("--config", options.config), ("--env-file", options.env_file), ("--home", options.home))
    return "".join(f" {option} {shlex.quote(str(path))}" for option, path in named if path)


def _doctor_options(options: argparse.Namespace) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    doctor.arguments(parser)
    return argparse.Namespace(**{**vars(parser.parse_args([])), **vars(options)})


def _take_tokens(interview: Interview, *, over_http: bool) -> tuple[str, ...]:
    """Ask for the tokens that the environment lacks, and put them there; return the variables. Raises
    `Misconfigured`."""
    names = ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET" if over_http else "SLACK_APP_TOKEN")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        interview.tell(_APP)
    for name in missing:
        os.environ[name] = interview.ask_secret(name, PREFIXES.get(name, ""))
    return names


def _connect(interview: Interview, names: tuple[str, ...]) -> Directory:
    """Read the workspace's directory; ask for the bot's token again while Slack does not know it."""
    while True:
        environment = read_environment()
        try:
            with Activity(sys.stderr, "Reading the workspace's channels and members"):
                directory = asyncio.run(_read_directory(environment))
        except Refused as problem:
            if problem.code != "invalid_auth" or not interview.is_asking:
                raise
            interview.tell(f"Slack does not know this bot token ({problem.code}).")
            os.environ[names[0]] = interview.ask_secret(names[0], PREFIXES[names[0]])
        else:
            interview.tell(f"\nConnected to {directory.team}.")
            return directory


async def _read_directory(environment: Environment) -> Directory:
    from bot.adapters.clock import SystemClock
    from bot.adapters.pace import Pacer
    from bot.adapters.slack import SlackChat
    from bot.adapters.slack.client import web_client
    from bot.adapters.slack.directory import SlackDirectory

    token = environment.slack_bot_token
    assert token is not None  # noqa: S101  # asked for before
    client, pace = web_client(token.get_secret_value(), environment.slack_api_url), Pacer(SystemClock())
    identity = await SlackChat(client, pace).identity()
    lists = SlackDirectory(client, pace)
    return Directory(identity.team, await lists.channels(), await lists.members(identity.team_id))


def _ask_settings(interview: Interview, options: argparse.Namespace, directory: Directory) -> SetupAnswers:
    """Ask for channel, operator and project, each until it is found. Raises `Misconfigured` with `--yes`."""
    joined = [each.name for each in directory.channels if each.is_member]
    known = f"\nThe bot is in {_list_some(joined)}." if joined else "\nThe bot is in no channel yet."
    channel = interview.ask_until(
        "--channel", _CHANNEL + known, options.channel, lambda text: find_channel(text, directory.channels)
    )
    if not channel.is_member:
        interview.tell(f"The bot is not in #{channel.name} yet: type /invite @Triage there.")
    operator = interview.ask_until(
        "--operator", _OPERATOR, options.operator, lambda text: find_member(text, directory.members)
    )
    place = interview.ask_until("--project", _PROJECT, options.project, find_place)
    return SetupAnswers(channel=channel, operator=operator, place=place, project=project_key(place))


def find_channel(text: str, channels: list[ListedChannel]) -> ListedChannel:
    """Return the channel that a text names. Raises `Misconfigured`."""
    match search_channels(text, channels):
        case [channel]:
            return channel
        case []:
            raise Misconfigured("expected a public channel, or a private one that the bot is in; found none like this")
        case several:
            raise Misconfigured(f"expected one channel; {', '.join(each.channel_id for each in several)} fit")


def find_member(text: str, members: list[ListedMember]) -> ListedMember:
    """Return the member that a text names. Raises `Misconfigured`."""
    match search_members(text, members):
        case [member]:
            return member
        case []:
            raise Misconfigured("expected a member of the workspace, no bot and no guest; found none like this")
        case several:
            named = _list_some([f"{each.names[0]} ({each.user_id})" for each in several])
            raise Misconfigured(f"expected one person: {named} fit; give the id")


def find_place(text: str) -> str:
    """Return the whole path of a folder, or the address of a repository. Raises `Misconfigured`."""
    text = text.strip()
    if "://" in text:
        if problem := address_problem(text):
            raise Misconfigured(problem)
        return text
    try:
        folder = Path(text).expanduser().resolve()
    except (RuntimeError, OSError):
        raise Misconfigured("expected a folder that exists") from None
    if not text or not folder.is_dir():
        raise Misconfigured(f"expected a folder that exists, or an address that begins with https:// or ssh://: {text}")
    return str(folder)


def _list_some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + more
