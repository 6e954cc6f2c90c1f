"""The commands that the desk has had from the start: state, queue, channels' modes, money, figures."""

from __future__ import annotations

from bot.assistant.commands import inputs
from bot.assistant.commands.command import READ, REVERSIBLE, CommandSpec

SPECS = (
    CommandSpec(
        name="help",
        summary="lists the commands, or says what one of them does",
        input=inputs.Help,
        role="member",
        tier=READ,
    ),
    CommandSpec(
        name="mine",
        summary="says how your own questions are: who looks them up, and their place among those that wait",
        input=inputs.Nothing,
        role="member",
        tier=READ,
        also=("get_my_questions",),
        untrusted="people",
    ),
    CommandSpec(
        name="status",
        summary="says whether Triage runs, what waits, which engine answers and what today has cost",
        input=inputs.Nothing,
        role="operator",
        tier=READ,
        also=("get_status",),
    ),
    CommandSpec(
        name="queue",
        summary="lists what waits for a decision, the oldest first",
        input=inputs.Nothing,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="why",
        summary="says in a sentence why a message was classified as it was, and what came of it",
        input=inputs.OfMessage,
        role="operator",
        tier=READ,
    ),
    CommandSpec(
        name="pause",
        summary="lets investigations wait; messages are recorded and classified, approved replies posted",
        input=inputs.Nothing,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="resume",
        summary="goes on after pause or stop; replies that stop held back are for their operator to decide again",
        input=inputs.Nothing,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="stop",
        summary="ends all runs and holds back every approved reply that is not posted yet",
        input=inputs.Nothing,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="mode",
        summary="sets how a watched channel is treated from its next question on: live, preview or silent",
        input=inputs.ChannelMode,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="allow",
        summary="lets the agents cost so many US dollars more for the rest of the day; 0 takes it back",
        input=inputs.Money,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="metrics",
        summary="counts messages, mistakes, verdicts, decisions, replies, cost and times of the last days (7)",
        input=inputs.Days,
        role="operator",
        tier=READ,
    ),
    CommandSpec(
        name="brief",
        summary="shows the morning brief as it is now: what came in since the last evening, waits, was replied",
        input=inputs.Nothing,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="mute",
        summary="ends what goes on in a thread and stays silent there until unmute or a mention of Triage",
        input=inputs.InThread,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="unmute",
        summary="listens to a muted thread again",
        input=inputs.InThread,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="config",
        summary="shows the settings, without secrets, and what commands have set in front of them",
        input=inputs.Nothing,
        role="admin",
        tier=READ,
    ),
)
