"""Questions that the keyword engine answers, and all that people put around them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import tinydb

import bot
from bot.decide.retrieval.normalised_question import normaliser
from bot.models.message import Message, normalise
from bot.models.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

PARCELS, TINYDB, AIOHTTP = "parcels", "tinydb", "aiohttp"

QUESTIONS: dict[str, tuple[str, ...]] = {
    PARCELS: (
        "when does a parcel count as lost?",
        "how often is a courier asked again?",
        "what does delivery cost per kilo?",
        "which parcels are refused at the counter?",
        "who takes a parcel when nobody accepts it?",
        "what states may follow packed?",
        "where is LOST_AFTER_DAYS set?",
        "from which order value on is the delivery fee nothing?",
        "which parcels count as lost?",
        "how many days without a scan is a parcel lost?",
        "what is the base fee in cents?",
        "what may follow with-courier?",
        "what does assign return when no courier takes the parcel?",
    ),
    TINYDB: (
        "how does upsert decide between insert and update?",
        "where is the query cache cleared?",
        "what is the default table name?",
        "how are document ids generated?",
        "which storage keeps everything in memory?",
        "what does CachingMiddleware do before it writes?",
        "how does JSONStorage create a missing file?",
        "how do I combine two queries with a logical or?",
        "what raises when a query has no path?",
        "how is a table dropped?",
        "what does the fragment query match?",
        "how is a document removed?",
        "where are operations like increment defined?",
        "what is the capacity of the query cache?",
        "how does freeze make a dict hashable?",
        "how are tables listed?",
        "what does search return for a cached query?",
    ),
    AIOHTTP: (
        "what is the default total timeout of a client?",
        "where is the limit of simultaneous connections set?",
        "how are cookies with an unsafe ip address handled?",
        "how many redirects are followed at most?",
        "how is a websocket heartbeat sent?",
        "where is the DNS cache time to live set?",
        "what does raise_for_status do?",
        "how is the boundary of a multipart body chosen?",
        "how does the router resolve a path?",
        "what does TCPConnector do with happy eyeballs?",
    ),
}
"""40 questions that the engine answers, over three code bases."""

OTHER_LANGUAGES: dict[str, tuple[str, ...]] = {
    PARCELS: (
        "ab wann ist die Lieferung kostenlos, free_from_cents?",
        "onde fica COURIER_RETRIES?",
        "HEAVIEST_KILOS はどこで設定していますか？",  # another script
        "LOST_AFTER_DAYS کجا تنظیم می\u200cشود؟",
    ),
    TINYDB: ("wo wird WRITE_CACHE_SIZE gesetzt?", "o que faz truncate na tabela?"),
}
"""Questions that it is less sure of; what is put around them changes nothing either."""

AROUND: dict[str, tuple[str, str]] = {
    "the bot": ("<@U0TRIAGE> ", " <@U0TRIAGE>"),
    "the bot with a comma": ("<@U0TRIAGE>, ", ", <@U0TRIAGE>"),
    "the bot by name": ("Triage, ", " Thanks, Triage!"),
    "a colleague": ("<@U0BEN|ben> ", " cc <@U0BEN>"),
    "a group without a label": ("<!subteam^S0ONCALL>, ", " /cc <!subteam^S0ONCALL>"),
    "a place to look at": ("<#C0DEPLOY|deploys> folks, ", " (see <#C0DEPLOY>) thx"),
    "thanks in full": ("please tell me: ", " thank you so much in advance!!"),
    "a group": ("<!subteam^S0ONCALL|@oncall> ", " <!subteam^S0ONCALL>"),
    "everybody": ("<!here> ", " <!channel>"),
    "a channel": ("<#C0DEPLOY|deploys> ", " <#C0DEPLOY|>"),
    "an emoji": (":wave: ", " :pray::skin-tone-2:"),
    "an emoji of Unicode": ("\U0001f44b\U0001f3fd ", " \U0001f64f"),
    "a greeting": ("Good morning everyone! ", "\nHello team!"),
    "a greeting by name": ("Hey Priya, ", "\nCheers"),
    "a German greeting": ("Guten Morgen zusammen, ", "\nVielen Dank im Voraus!"),
    "a Portuguese greeting": ("Bom dia pessoal, ", "\nObrigada!"),
    "a Japanese greeting": ("お疲れ様です。", "\nよろしくお願いします。"),
    "a Persian greeting": ("سلام بچه\u200cها، ", "\nممنون"),  # another script
    "all of it": (
        "Hi <@U0BEN> :wave: <@U0TRIAGE>: ",
        "\nThanks! :pray: <#C0DEPLOY|deploys> cc <@U0PRIYA>, <!here>",
    ),
}
"""What stands before a question, and what after it, as Slack writes it."""


def decorated(question: str) -> Iterator[tuple[str, str]]:
    """The question with each of these before and after it, by name."""
    for name, (before, after) in AROUND.items():
        yield f"{name}, before", f"{before}{question}"
        yield f"{name}, after", f"{question}{after}"


def searched(text: str) -> str:
    """What is searched for of a message with this mrkdwn, by the way that every message takes."""
    return normaliser(("triage",), ()).normalise(message(text).asks)


def message(text: str) -> Message:
    """A message with this mrkdwn."""
    event = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": "100.000001", "text": text}
    said = normalise({"team_id": "T0SANDBOX", "event": event}, chat_names={})
    assert isinstance(said, Message)
    return said


def project(name: str) -> Project:
    """One of the code bases."""
    parcels = Path(bot.__file__).parent / "cli" / "demo_project"
    places = {PARCELS: parcels, TINYDB: Path(tinydb.__file__).parent, AIOHTTP: Path(aiohttp.__file__).parent}
    return Project(name=name, root=places[name])
