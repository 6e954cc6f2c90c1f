"""Orders in people's own words, by table: which command each is, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.decide.classify.language_packs import codes
from bot.decide.orders import OrderContext, OrderParser
from bot.decide.orders.templates import load_templates
from tests.tables import each_row

PARSER = OrderParser()
KNOWN = OrderContext(
    projects=("shop", "parcels"),
    channels=("help-platform", "C0HELP", "general", "C0GENERAL"),
    commands=CATALOGUE.keys(),
    here="C0HELP",
)

ORDERS = [
    ("pause", "pause"),
    ("hey, could you please pause everything for now?", "pause"),
    ("let's take a break", "pause"),
    ("please stop taking new questions", "pause"),
    ("no more drafts for now please", "pause"),
    ("Stop everything!", "stop"),
    ("kill all runs, something is off with the answers", "stop"),
    ("would you mind shutting everything down?", "stop"),
    ("resume", "resume"),
    ("ok, you can go on now", "resume"),
    ("back to work please", "resume"),
    ("please carry on where you left off", "resume"),
    ("can you pause the shop project?", "pause_project"),
    ("please pause shop", "pause_project"),
    ("put shop on hold, we are deploying", "pause_project"),
    ("let shop wait a bit", "pause_project"),
    ("could you resume shop please", "resume_project"),
    ("take shop off hold", "resume_project"),
    ("start answering questions about shop again", "resume_project"),
    ("which projects do you know?", "list_projects"),
    ("show me all the projects", "list_projects"),
    ("is shop paused?", "get_project"),
    ("create a project called portal from /srv/portal", "create_project"),
    ("delete the project legacy", "delete_project"),
    ("let's work on shop here", "set_active_project"),
    ("send the questions of #help-platform to shop", "set_project_channel"),
    ("which project is this channel for?", "get_project_for_channel"),
    ("which channels belong to shop?", "get_project_channels"),
    ("status", "status"),
    ("what's your status?", "status"),
    ("are you still running?", "status"),
    ("anything waiting for me?", "queue"),
    ("show me the queue", "queue"),
    ("what do I have to approve?", "queue"),
    ("how many drafts are waiting?", "queue"),
    ("what is the token usage this week?", "get_token_usage"),
    ("how much did we spend today?", "get_token_usage"),
    ("costs by project for the last 30 days", "get_token_usage"),
    ("how many questions did you answer last week?", "metrics"),
    ("give me the numbers of the last 14 days", "metrics"),
    ("can I get the morning brief?", "brief"),
    ("catch me up", "brief"),
    ("what happened in the last 3 hours?", "get_recent_events"),
    ("which services are down?", "services"),
    ("show me the health of all services", "services"),
    ("how are the services", "services"),
    ("are all services up?", "services"),
    ("list the open tasks", "list_tasks"),
    ("what is open here?", "list_tasks"),
    ("which questions are open in this channel?", "list_tasks"),
    ("is anything waiting here?", "list_tasks"),
    ("was ist hier noch offen?", "list_tasks"),
    ("¿qué está pendiente aquí?", "list_tasks"),
    ("what is open now?", "queue"),
    ("which runs failed today?", "list_tasks"),
    ("switch #help-platform to preview", "mode"),
    ("make general silent please", "mode"),
    ("mute this thread", "mute"),
    ("leave us alone here", "mute"),
    ("you can talk again in this thread", "unmute"),
    ("allow 5 dollars more today", "allow"),
    ("raise the budget by $10", "allow"),
    ("add a note to shop: the deploy key rotates monthly", "append_note"),
    ("remember that refunds take two days", "append_note"),
    ("note for shop: Ben owns the deploy", "append_note"),
    ("list the notes of shop", "list_notes"),
    ("show me the note Deploy", "read_note"),
    ("delete the note Deploy of shop", "delete_note"),
    ("try again", "restart_task"),
    ("skip task list-limits-0219-1430-k7x2mq", "skip_task"),
    ("please approve the task list-limits-0219-1430-k7x2mq", "approve_task"),
    ("delete the task list-limits-0219-1430-k7x2mq", "delete_task"),
    ("which tasks are stuck?", "get_chain_health"),
    ("what holds list-limits-0219-1430-k7x2mq up?", "get_chain_health"),
    ("why is the task list-limits-0219-1430-k7x2mq blocked?", "get_chain_health"),
    ("which tasks are blocked?", "list_tasks"),
    ("show me the ready tasks of shop", "list_tasks"),
    ("why did it fail?", "get_agent_error"),
    ("what can you do for me?", "help"),
    ("show me your settings", "config"),
]
"""What people say, and the command that it is."""

FURTHER = [
    ("hit pause", "pause"),
    ("could we hold everything for a moment?", "pause"),
    ("please don't take on any more work", "pause"),
    ("time for a break, Triage", "pause"),
    ("stop what you're doing right now", "stop"),
    ("abort everything", "stop"),
    ("Triage, halt.", "stop"),
    ("alright, start working again", "resume"),
    ("you may continue", "resume"),
    ("unpause please!", "resume"),
    ("end of break, get going again", "resume"),
    ("freeze shop", "pause_project"),
    ("I'd like you to pause project shop", "pause_project"),
    ("hold off on shop for the time being please", "pause_project"),
    ("quit answering questions about shop", "pause_project"),
    ("shop can go on", "resume_project"),
    ("bring shop back", "resume_project"),
    ("please unfreeze the shop project", "resume_project"),
    ("what projects are you looking after?", "list_projects"),
    ("give me an overview of the projects", "list_projects"),
    ("how is the shop project set up?", "get_project"),
    ("add a project called portal at https://github.com/team/portal", "create_project"),
    ("get rid of the project legacy", "delete_project"),
    ("switch to shop", "set_active_project"),
    ("hook #help-platform up to shop", "set_project_channel"),
    ("questions in #help-platform should go to shop", "set_project_channel"),
    ("which project does #help-platform belong to", "get_project_for_channel"),
    ("sitrep", "status"),
    ("everything ok with you?", "status"),
    ("give me a status report", "status"),
    ("how's everything going", "status"),
    ("what's on my plate", "queue"),
    ("who's waiting on me?", "queue"),
    ("any drafts I should look at?", "queue"),
    ("show pending approvals", "queue"),
    ("do we have a backlog?", "queue"),
    ("how many cards are left", "queue"),
    ("how many tokens did you burn yesterday", "get_token_usage"),
    ("what's our spend per project this month?", "get_token_usage"),
    ("what did last week cost us?", "get_token_usage"),
    ("stats for the past week please", "metrics"),
    ("how many questions came in this month?", "metrics"),
    ("morning briefing please", "brief"),
    ("what did I miss last night?", "brief"),
    ("what's been going on since yesterday?", "get_recent_events"),
    ("show me everything that failed", "list_tasks"),
    ("list dismissed questions", "list_tasks"),
    ("put #general into preview mode", "mode"),
    ("go silent in general", "mode"),
    ("please be quiet in this thread", "mute"),
    ("stay out of this thread", "mute"),
    ("you can speak here again", "unmute"),
    ("give the agents another $20 today", "allow"),
    ("take a note: Ben owns the deploy", "append_note"),
    ("put this in the shop notes: staging is rebuilt on Fridays", "append_note"),
    ("write that down: refunds take two days", "append_note"),
    ("what notes are there about shop?", "list_notes"),
    ("open the Deploy note", "read_note"),
    ("throw away the note called Deploy", "delete_note"),
    ("undo the last change to the note Deploy", "restore_note"),
    ("give it another try", "restart_task"),
    ("run that again please", "restart_task"),
    ("what went wrong here?", "get_agent_error"),
    ("what became of this?", "get_task_result"),
    ("dismiss this one please", "set_task_status"),
    ("what are the commands?", "help"),
    ("how do I use mute?", "help"),
    ("ok Triage, pause please", "pause"),
    ("can we put everything on hold for a bit?", "pause"),
    ("give it a rest for now", "pause"),
    ("stop picking up questions", "pause"),
    ("shut everything down", "stop"),
    ("STOP STOP STOP", "stop"),
    ("cancel everything that is running", "stop"),
    ("okay go ahead and resume", "resume"),
    ("let's get back to work", "resume"),
    ("you can start again", "resume"),
    ("unpause everything please", "resume"),
    ("would you please put the parcels project on hold", "pause_project"),
    ("suspend parcels for now", "pause_project"),
    ("we need you to stop working on parcels", "pause_project"),
    ("pause questions about shop please", "pause_project"),
    ("please restart shop", "resume_project"),
    ("continue with parcels", "resume_project"),
    ("parcels can be resumed", "resume_project"),
    ("un-pause shop", "resume_project"),
    ("what projects do you have?", "list_projects"),
    ("can you list our projects?", "list_projects"),
    ("tell me about the project shop", "get_project"),
    ("what's the state of parcels?", "get_project"),
    ("register a new project named web from /srv/web", "create_project"),
    ("please delete project web", "delete_project"),
    ("use parcels in this thread", "set_active_project"),
    ("map #general to parcels", "set_project_channel"),
    ("make #general the channel for parcels", "set_project_channel"),
    ("where do questions in #general go?", "get_project_for_channel"),
    ("what channels does parcels have?", "get_project_channels"),
    ("how are things?", "status"),
    ("what's the current status please", "status"),
    ("are you paused?", "status"),
    ("which channels do you watch?", "status"),
    ("is there anything waiting for approval?", "queue"),
    ("what's pending?", "queue"),
    ("list the open drafts", "queue"),
    ("how long is the queue right now?", "queue"),
    ("what needs my attention?", "queue"),
    ("do I need to approve anything?", "queue"),
    ("how expensive were you this week?", "get_token_usage"),
    ("show usage by agent", "get_token_usage"),
    ("what did we pay yesterday?", "get_token_usage"),
    ("token costs for the last 14 days", "get_token_usage"),
    ("metrics for last month", "metrics"),
    ("how did you do last week?", "metrics"),
    ("can I see the stats?", "metrics"),
    ("brief me", "brief"),
    ("what's new this morning?", "brief"),
    ("today's summary please", "brief"),
    ("what happened yesterday?", "get_recent_events"),
    ("show recent activity", "get_recent_events"),
    ("which questions are being worked on?", "list_tasks"),
    ("show me the failed runs", "list_tasks"),
    ("set help-platform to live", "mode"),
    ("mute #general", "mode"),
    ("go to preview mode in #general", "mode"),
    ("stop answering in this thread", "mute"),
    ("quiet please", "mute"),
    ("come back to this thread", "unmute"),
    ("you may spend 10 dollars more today", "allow"),
    ("make a note for parcels: labels are printed at noon", "append_note"),
    ("please remember: never deploy on Friday", "append_note"),
    ("save this to the notes of shop: Ben is on call", "append_note"),
    ("create a note titled Oncall saying Ben is on call", "write_note"),
    ("show me all notes for parcels", "list_notes"),
    ("what does the Oncall note say?", "read_note"),
    ("remove the Oncall note", "delete_note"),
    ("restore the note Oncall", "restore_note"),
    ("one more time please", "restart_task"),
    ("take another look at this", "restart_task"),
    ("why has this failed?", "get_agent_error"),
    ("any progress here?", "thread"),
    ("skip this question", "set_task_status"),
    ("what commands do you know?", "help"),
    ("explain the mute command", "help"),
    ("hey Triage, take a breather", "pause"),
    ("please hold all investigations", "pause"),
    ("don't start anything new please", "pause"),
    ("could everyone's questions wait for a while?", "pause"),
    ("end all runs now", "stop"),
    ("please shut down", "stop"),
    ("Triage stop immediately", "stop"),
    ("alright back to work", "resume"),
    ("continue please", "resume"),
    ("resume all work", "resume"),
    ("ok you're free to go on", "resume"),
    ("can you freeze the parcels project for us?", "pause_project"),
    ("no questions for parcels today please", "pause_project"),
    ("put a hold on shop", "pause_project"),
    ("take shop offline", "pause_project"),
    ("lift the pause on shop", "resume_project"),
    ("shop should run again", "resume_project"),
    ("can shop go on please", "resume_project"),
    ("name all projects", "list_projects"),
    ("projects?", "list_projects"),
    ("give me details on project shop", "get_project"),
    ("is the shop project running?", "get_project"),
    ("I want to add a project called mobile, the code is at /srv/mobile", "create_project"),
    ("drop project mobile for good", "delete_project"),
    ("we're talking about parcels here", "set_active_project"),
    ("connect the channel #help-platform with shop", "set_project_channel"),
    ("which project answers #help-platform?", "get_project_for_channel"),
    ("list the channels of shop", "get_project_channels"),
    ("how's it going?", "status"),
    ("Triage, report your status", "status"),
    ("is triage online?", "status"),
    ("are you busy?", "status"),
    ("show me what's waiting", "queue"),
    ("what is left to approve?", "queue"),
    ("how many questions are open?", "queue"),
    ("any open cards?", "queue"),
    ("who's in the queue?", "queue"),
    ("what's in my inbox", "queue"),
    ("how much money did you use this month?", "get_token_usage"),
    ("usage today", "get_token_usage"),
    ("give me the costs per project for last week", "get_token_usage"),
    ("what are you costing us?", "get_token_usage"),
    ("show me this week's numbers", "metrics"),
    ("how many replies did you post this week?", "metrics"),
    ("statistics for 30 days", "metrics"),
    ("the morning brief please", "brief"),
    ("summarize the day", "brief"),
    ("what did you do yesterday?", "get_recent_events"),
    ("what happened in the past 12 hours", "get_recent_events"),
    ("what failed?", "list_tasks"),
    ("list tasks of shop", "list_tasks"),
    ("turn #general to silent", "mode"),
    ("preview mode for #general please", "mode"),
    ("hush in this thread", "mute"),
    ("don't reply here any more", "mute"),
    ("listen to this thread again", "unmute"),
    ("add 5 dollars to today's budget", "allow"),
    ("let the agents spend another $5 today", "allow"),
    ("jot down for project shop: the key is in the vault", "append_note"),
    ("FYI for the notes: staging moved", "append_note"),
    ("add to the Deploy note: wait for green", "append_note"),
    ("show the notes", "list_notes"),
    ("read me the Deploy note", "read_note"),
    ("delete note Deploy", "delete_note"),
    ("bring back the previous version of the note Deploy", "restore_note"),
    ("retry please", "restart_task"),
    ("do it again", "restart_task"),
    ("what was the problem here?", "get_agent_error"),
    ("where are we with this?", "thread"),
    ("close this question", "set_task_status"),
    ("help me with pause", "help"),
    ("list your commands", "help"),
]

OTHER_LANGUAGES = [
    ("read lib/request.js in shop", "read_file"),
    ("search for BasicAuth in shop", "search_files"),
    ("allow 3 dollars more", "allow"),
    ("make shop go again", "resume_project"),
    ("could you please drop my last question", "mine"),
    ("pls delete my question from yesterday", "mine"),
    ("pausiere das Projekt shop", "pause_project"),
    ("kannst du bitte das Projekt shop pausieren", "pause_project"),
    ("Könntest du shop bitte fortsetzen?", "resume_project"),
    ("was wartet auf mich?", "queue"),
    ("zeig mir die Warteschlange", "queue"),
    ("was haben wir diese Woche ausgegeben?", "get_token_usage"),
    ("wie viel haben wir heute ausgegeben?", "get_token_usage"),
    ("merk dir: der Schlüssel wechselt monatlich", "append_note"),
    ("mach mal Pause", "pause"),
    ("mets en pause le projet shop", "pause_project"),
    ("montre-moi la file d'attente", "queue"),
    ("muestra la cola", "queue"),
    ("pausa el proyecto shop por favor", "pause_project"),
    ("pause o projeto shop", "pause_project"),
    ("mostre a fila", "queue"),
    ("tolong jeda proyek shop", "pause_project"),
    ("プロジェクトshopを一時停止して", "pause_project"),
    ("キューを見せてください", "queue"),
    ("ヘルプ", "help"),
    ("سوالم چی شد؟", "mine"),
    ("لطفا صف رو نشون بده", "queue"),
    ("لیست سوال\u200cها را نشان بده", "queue"),
    ("پروژه shop را متوقف کن", "pause_project"),
    ("همه چیز را متوقف کن", "stop"),
    ("كمك", "help"),
    ("ｓｔａｔｕｓ", "status"),
    ("cancela minha pergunta", "mine"),
    ("hilfe", "help"),
    ("was kannst du?", "help"),
]

NO_ORDERS = [
    "which services are down the road from payments?",
    "is the payment service down because of the deploy?",
    "how do I pause the consumer?",
    "can you tell me how to pause the queue worker?",
    "what stops the retry loop?",
    "please explain how the shop resumes payments",
    "why did the payment fail?",
    "why did it fail with 502?",
    "what happened to the old retry code?",
    "is the status of an order stored?",
    "where does the shop note the refund?",
    "can you add a retry to shop?",
    "show me the code that pauses the consumer",
    "what is the status code of a refund?",
    "how many retries does shop make?",
    "how many questions does the survey have?",
    "which channels does the notifier use?",
    "what does stop() do?",
    "what is the mode of the worker?",
    "how do we mute the alerts in parcels?",
    "does pause() block?",
    "list the places where resume is called",
    "what are the settings of the retry queue?",
    "is shop using redis?",
    "what's new in version 3?",
    "remember when we changed the retry limit? where was that?",
    "where do I set the budget for a job?",
    "can you help me with the parcels api?",
    "what waits in the consumer before it retries?",
    "show me how orders are cancelled",
    "what is the cost of a refund?",
    "how much does a parcel to France cost?",
    "run the tests for shop?",
    "who owns the deploy?",
    "what does help do in the cli?",
    "how does status work in the order model?",
    "what does config do?",
    "what does the brief in the readme say?",
    "stop the consumer from retrying",
    "the queue is stuck",
    "restart fails with a 502",
    "status is always pending, why?",
    "pause does not work in the player",
    "don't stop",
    "never mind",
    "no",
    "what is shop?",
    "how does shop work?",
    "how is shop configured?",
    "is parcels down?",
    "is parcels live?",
    "are refunds paused?",
    "is everything ok in checkout?",
    "which model does the recommender use?",
    "don't pause shop",
    "should we pause shop?",
    "Olu said: pause shop? I do not think so",
    "> pause shop",
    "how do I pause a project like shop?",
    "pause shop and then delete the cache of parcels",
    "shop is fine again, resume it",
    "restart it please",
    "start it",
    "resume it",
    "continue it please",
    "shut it down",
    "turn it off",
    "turn it back on",
    "pausiere es",
    "starte ihn neu",
    "reinícialo",
    "redémarre-le",
    "reinicia isso",
    "それを再開して",
    "mulai ulang itu",
    "pause shop when the deploy fails",
    "if it gets worse, pause shop",
]
"""Questions about code, what is taken back, depends on something, or may mean something else."""


def command(said: str, **around: Any) -> str | None:
    """The command that a text is, `other` where no command does what it orders."""
    order = PARSER.parse(
        said, KNOWN if not around else OrderContext(projects=("shop",), commands=CATALOGUE.keys(), **around)
    )
    return None if order is None else order.command or "other"


@each_row(("said", "name"), [*ORDERS, *FURTHER, *OTHER_LANGUAGES])
def test_an_order_in_peoples_own_words_is_its_command(said: str, name: str) -> None:
    """Whatever politeness, greeting or explanation stands around it."""
    assert command(said) == name


@each_row("said", NO_ORDERS)
def test_what_is_no_order_or_not_meant_as_it_stands_is_none(said: str) -> None:
    """A rule that guessed would do what nobody asked for."""
    assert command(said) is None


@each_row(
    ("said", "given"),
    [
        ("pause the shop project", {"project": "shop"}),
        ("pause project `nosuch`", {"project": "nosuch"}),
        ("PAUSE SHOP!!", {"project": "shop"}),
        ("pasue shop pleese", {"project": "shop"}),
        ("switch #help-platform to practice", {"channel": "#help-platform", "mode": "preview"}),
        ("make this channel silent", {"channel": "C0HELP", "mode": "silent"}),
        ("show the metrics of the last two weeks", {"days": "14"}),
        ("what happened in the last 3 hours?", {"hours": "3"}),
        ("costs by project this month", {"by": "project", "days": "30"}),
        ("allow $2.50 more today", {"usd": "2.50"}),
        (
            "add a note to shop: Deploy on Fridays.\nAsk Ben.",
            {"title": "Notes", "project": "shop", "content": "Deploy on Fridays.\nAsk Ben."},
        ),
        ("write a note called Deploy: the key rotates", {"title": "Deploy", "content": "the key rotates"}),
        ('read the note "Deploy keys" of shop', {"title": "Deploy keys", "project": "shop"}),
        ("stop the task `shop-retry-limit`", {"task": "shop-retry-limit"}),
        ("link #help-platform to shop", {"channel": "#help-platform", "project": "shop"}),
    ],
)
def test_an_order_names_what_it_is_about(said: str, given: dict[str, str]) -> None:
    """Projects and channels that are there, times, amounts, and what is to be written down as it stands."""
    order = PARSER.parse(said, KNOWN)
    assert order is not None
    assert order.arguments == given


NOUNS = [
    ("pause project otherrepo", ("other", "otherrepo"), "otherrepo"),
    ("pause otherrepo", ("other", "otherrepo"), "otherrepo"),
    ("pause otherrepo", ("other",), None),
    ("pause project otherrepo", ("other",), "otherrepo"),
    ("pause the shopproject", ("shop",), None),
    ("pause the shopproject project", ("shop", "shopproject"), "shopproject"),
    ("delete project shopproject", ("shop",), "shopproject"),
    ("pause apiary", ("api", "apiary"), "apiary"),
    ("pause apiary", ("api",), None),
    ("resume api-repo", ("api", "api-repo"), "api-repo"),
    ("resume api-repo", ("api",), None),
    ("resume api repo", ("api", "api-repo"), "api"),
    ("pause repository", ("repo", "repository"), "repository"),
    ("pause project repo", ("repo", "shop"), "repo"),
    ("pause the repo project", ("repo", "shop"), "repo"),
    ("pause the projectx", ("x", "shop"), None),
    ("pause repoman please", ("man",), None),
    ("pausiere das Projekt webprojekt", ("web", "webprojekt"), "webprojekt"),
    ("pausiere webprojekt", ("web",), None),
    ("pausa el proyecto miproyecto", ("mi",), "miproyecto"),
    ("mets en pause le projet other's repo", ("other",), "other"),
    ("プロジェクトshopを一時停止して", ("shop",), "shop"),
    ("shopプロジェクトを一時停止して", ("shop",), "shop"),
    ("otherrepoを一時停止して", ("other", "otherrepo"), "otherrepo"),
    ("otherrepoを一時停止して", ("other",), None),
    ("پروژه shop را متوقف کن", ("shop",), "shop"),
    ("پروژهshop را متوقف کن", ("shop",), None),
]


@each_row(("said", "projects", "name"), NOUNS)
def test_a_noun_is_no_part_of_a_name(said: str, projects: tuple[str, ...], name: str | None) -> None:
    """A name that ends like one is that project or none, never the one whose name it begins with."""
    order = PARSER.parse(said, OrderContext(projects=projects, commands=CATALOGUE.keys()))
    assert (order.arguments.get("project") if order else None) == name


def test_a_bare_stop_in_the_thread_of_a_question_ends_its_run_alone() -> None:
    """Elsewhere it stops Triage; with a word that says so it does in a thread, too."""
    assert (command("stop"), command("stop", in_question=True)) == ("stop", "stop_task")
    assert command("stop everything", in_question=True) == "stop"


@each_row(
    ("bare", "named", "name"),
    [
        ("go ahead", "restart everything", "resume"),
        ("restart", "resume everything", "resume"),
        ("hold on", "pause all investigations", "pause"),
        ("take a break", "pause yourself", "pause"),
        ("give it a rest", "pause triage", "pause"),
        ("take it easy", "pause everything", "pause"),
        ("weiter", "setz die arbeit fort", "resume"),
        ("pausiere", "pausiere alles", "pause"),
        ("continúa", "reanuda todo", "resume"),
        ("vas-y", "reprends tout", "resume"),
        ("continue", "continue tudo", "resume"),
        ("lanjutkan", "lanjutkan semua", "resume"),
        ("続けて", "全部再開して", "resume"),
        ("休憩", "全部一時停止して", "pause"),
        ("ادامه بده", "همه را ادامه بده", "resume"),
    ],
)
def test_in_a_questions_thread_an_order_for_all_work_names_it(bare: str, named: str, name: str) -> None:
    """There a verb alone may mean what the thread is about."""
    assert (command(bare), command(named)) == (name, name)
    assert command(bare, in_question=True) != name
    assert command(named, in_question=True) == name


HERE_PHRASES = [
    "what is open here?",
    "what's still waiting in this channel?",
    "which questions are open in this channel?",
    "how many questions are unanswered here?",
    "is anything waiting here?",
    "show me everything that is open here",
    "show me what is open in this channel",
    "list the open questions in this channel",
    "open tasks here",
    "are there any open questions here?",
    "hi Triage, could you tell me what's pending in this channel please?",
    "was ist hier noch offen?",
    "welche Fragen sind in diesem Kanal offen?",
    "¿qué está pendiente en este canal?",
    "¿qué preguntas están abiertas aquí?",
    "qu'est-ce qui attend dans ce canal ?",
    "quelles questions sont ouvertes ici ?",
    "o que está pendente neste canal?",
    "quais perguntas estão abertas aqui?",
    "apa saja yang masih terbuka di sini?",
    "pertanyaan apa yang masih terbuka di kanal ini?",
    "ここで何が待っていますか",
    "ここで何が開いていますか？",
    "このチャンネルでは今何が開いていますか？",
    "ここに未回答の質問はありますか？",
    "در این کانال چه سوال هایی باز است؟",
]


@each_row("here", ["C0HELP", "D0ANA"])
@each_row("said", HERE_PHRASES)
def test_open_questions_of_this_channel_are_its_tasks_and_a_members_own(said: str, here: str) -> None:
    """In a direct message the command asks which channel is meant."""
    order = PARSER.parse(said, OrderContext(commands=CATALOGUE.keys(), here=here))
    assert order is not None
    assert (order.command, order.of_members) == ("list_tasks", "mine")
    assert order.arguments == {"status": "open", "channel": "here" if here == "D0ANA" else here}


@pytest.mark.parametrize(
    ("said", "channel"),
    [
        ("#help-platform", "#help-platform"),
        ("in #general.", "#general"),
        ("help-platform", "help-platform"),
        ("the help-platform channel", "help-platform"),
        ("in help-platform please", "help-platform"),
        ("bitte in #general", "#general"),
        ("the end", None),
        ("not general", None),
        ("#general is noisy today", None),
        ("why is the retry limit 5?", None),
    ],
)
def test_the_name_of_a_channel_completes_an_order_that_lacks_one(said: str, channel: str | None) -> None:
    """A sentence that begins with a name is another message."""
    order = PARSER.parse("what is open here?", OrderContext(commands=CATALOGUE.keys(), here="D0ANA"))
    assert order is not None
    completed = PARSER.complete(order, "channel", said, KNOWN)
    assert (completed.arguments["channel"] if completed else None) == channel


@pytest.mark.parametrize(
    "said", ["approve it", "remind me tomorrow", "pause shop until Monday", "remember to call Ben", "restart yourself"]
)
def test_an_order_that_no_command_does_is_known_as_one(said: str) -> None:
    """So that it becomes no question."""
    assert command(said) == "other"


def test_every_template_fills_fields_of_a_command_that_is_there() -> None:
    """In every language; what it leaves out the command asks for."""
    books = load_templates()
    assert {book.code for book in books} == set(codes()) - {"zh", "ko"}  # of these only tier 0 knows the words
    filled = {
        "theproject": "project",
        "thechannel": "channel",
        "link": "link",
        "text": "content",
        "query": "text",
        "term": "text",
    }
    for book in books:
        for template in book.templates:
            if template.command == "other" or template.place == "settles":
                continue
            fields = CATALOGUE[template.command].input.model_fields
            slots = {name.partition("_")[0] for name in template.pattern.groupindex}
            assert {filled.get(slot, slot) for slot in slots} | template.fixed.keys() <= fields.keys(), template
            assert template.of_members in ("", *CATALOGUE)


def test_a_long_text_is_read_at_once() -> None:
    """Only what is to be written down may be long."""
    assert PARSER.parse(f"note: {'a b ' * 2_000}", KNOWN)
    assert PARSER.parse("please can you " * 60 + "pause", KNOWN) is None
    assert PARSER.parse("pause " * 2_000, KNOWN) is None


NOTES = [
    "jot down for parcels: the courier changed",
    "write a note for parcels called Couriers: the courier changed",
    "remember for parcels that the courier changed",
    "parcels note: the courier changed",
    "Schreib bitte eine Notiz für parcels: der Kurier wechselt",
    "merk dir für parcels, dass der Kurier wechselt",
    "escribe una nota para parcels: cambió el correo",
    "anota para parcels que cambió el correo",
    "ajoute une note à parcels : le coursier change",
    "anota para parcels: mudou o correio",
    "cria uma nota para parcels: mudou o correio",
    "tulis catatan untuk parcels: kurir ganti",
    "parcelsにメモして: 配達が変わった",
    "برای parcels یادداشت کن: پیک عوض شد",
]


def test_a_note_goes_to_the_project_that_its_order_names() -> None:
    """In each language, and without the name in its text; a name of no project is none."""
    found = {said: PARSER.parse(said, KNOWN) for said in NOTES}
    assert [
        said
        for said, order in found.items()
        if order is None or order.arguments.get("project") != "parcels" or "parcels" in order.arguments["content"]
    ] == []
    other = PARSER.parse("write a note called deploy for beginners: read this", KNOWN)
    assert other is not None
    assert other.arguments == {"title": "deploy for beginners", "content": "read this"}


BACK = [
    ("put #general live", "put #general back into preview, please"),
    ("turn #general on", "turn #general off"),
    ("start answering in #general", "stop answering in #general"),
    ("open #general", "close #general"),
    ("unmute #general", "mute #general"),
    ("link #general to shop", "unlink #general from shop"),
    ("stell #general auf live", "stell #general wieder auf Vorschau"),
    ("schalte #general ein", "schalte #general stumm"),
    ("verbinde #general mit shop", "trenne #general von shop"),
    ("pon #general en vivo", "pon #general de nuevo en vista previa"),
    ("conecta #general con shop", "desconecta #general de shop"),
    ("mets #general en direct", "remets #general en aperçu"),
    ("relie #general à shop", "détache #general de shop"),
    ("coloca #general ao vivo", "coloca #general de volta em prévia"),
    ("conecta #general com shop", "desvincula #general de shop"),
    ("ubah #general ke mode langsung", "kembalikan #general ke pratinjau"),
    ("hubungkan #general dengan shop", "putuskan #general dari shop"),
    ("#generalをライブにして", "#generalをプレビューに戻して"),
    ("#generalをshopに繋いで", "#generalをshopから外して"),
    ("#general رو زنده کن", "#general رو به پیش‌نمایش برگردون"),
    ("#general رو به shop وصل کن", "#general رو از shop جدا کن"),
]
"""Words, and those that take it back."""


def test_what_words_open_the_same_kind_of_words_close() -> None:
    """The same command with another input, in each language."""
    found = {pair: [PARSER.parse(said, KNOWN) for said in pair] for pair in BACK}
    wrong = [
        pair
        for pair, (there, back) in found.items()
        if there is None or back is None or there.command != back.command or there.arguments == back.arguments
    ]
    assert wrong == []


def test_each_language_that_opens_something_can_close_it() -> None:
    """Of the pairs that commands make, none has words for one half only."""
    pairs = [
        ("pause", "resume"),
        ("pause_project", "resume_project"),
        ("mute", "unmute"),
        ("mode live", "mode silent"),
        ("set_project_channel", "set_project_channel none"),
    ]
    for book in load_templates():
        known = {
            " ".join((each.command, *(value for value in each.fixed.values() if value in ("live", "silent", "none"))))
            for each in book.templates
        }
        assert [pair for pair in pairs if not known.issuperset(pair)] == [], book.code
