"""Automatic replies of channels: `autoreply`, `enable_autoreply`, `disable_autoreply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape, mention, moment
from bot.commands.channel_refs import resolve_channel
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.confirmation_questions import build_seal
from bot.commands.project_inputs import MaybeChannel
from bot.commands.registry import command, sealed_command
from bot.models.auto_reply import Consent
from bot.models.command_data.auto_replies import AutoReplyData, ConsentData, GateData
from bot.models.fact import Fact
from bot.triage.auto_replies import describe_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.decide.auto_reply.maturity import Maturity
    from bot.models.interaction import Asker
    from bot.models.judged_draft import Pool
    from bot.ports.outbound import Clock
    from bot.triage.auto_reply_book import AutoReplyBook
    from bot.triage.externals import Externals
    from bot.triage.maturity_gates import MaturityGates
    from bot.triage.projects import Projects

_RULES = (
    "A reply then goes out without a press if its question mentions Triage, within working hours, validator and code "
    "find nothing against it, and its gate is open. Each is marked, and its operator can take it back."
)
_NO_CASES = "No first draft that the validator passed was judged by a person here yet: 149 are needed in four weeks."


class ShownConsent(Fact):
    """Consent to automatic replies in a channel, with the figures that were shown."""

    channel: str
    figures: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class AutoReplyCommands:
    """Shows and switches automatic replies. `names` maps watched channels to their names."""

    gates: MaturityGates
    book: AutoReplyBook
    projects: Projects
    names: Mapping[str, str]
    externals: Externals
    clock: Clock

    @command(
        "autoreply",
        "shows where replies go out without a press, and the gates' figures",
        input=MaybeChannel,
        role="operator",
        tier="read",
        also=("get_autoreply",),
        result=AutoReplyData,
    )
    async def autoreply(self, request: MaybeChannel, asker: Asker) -> CommandAnswer:
        """Show where automatic replies are on, and the gates of the channel's project, or of all."""
        channel = resolve_channel(request.channel, asker, self.names) if request.channel else None
        channels = [channel] if channel else [*self.names]
        on = [each for each in channels if each in self.book.consents]
        state = f"on in {len(on)} of {len(channels)} channels" if on and not channel else "on here" if on else "off"
        where = "" if on else " here" if channel else " in all channels"
        gates = await self._judge_gates(channel)
        rows = (*map(self._describe_channel, on), *_list_gates(gates))
        data = AutoReplyData(
            channels=tuple(self._build_consent(each) for each in on),
            gates=tuple(_build_gate(*gate) for gate in gates),
        )
        return CommandAnswer(line=f"Automatic replies are {state}{where}.", rows=rows, data=data)

    async def show(self, request: MaybeChannel, asker: Asker) -> SealedRequest:
        """Show the figures on which replies would go out. Raises `NotDone`."""
        channel = resolve_channel(request.channel, asker, self.names)
        await self._refuse_shared(channel)
        figures = tuple(_list_gates(await self._judge_gates(channel)))
        shown = ShownConsent(channel=channel, figures=figures)
        return SealedRequest(
            request=shown,
            brief="The figures are shown above the buttons.",
            shown="\n".join((f"*Automatic replies in <#{channel}>.* {_RULES}", *figures)),
            typed_again=f"autoreply#{build_seal(shown.model_dump_json())}",
        )

    @sealed_command(
        "enable_autoreply",
        "lets replies of a channel go out without a press",
        input=MaybeChannel,
        sealed=ShownConsent,
        names="channel",
        role="admin",
        tier="reversible",
        deed="automatic replies were switched on",
        also=("on_autoreply",),
        preview=show,
    )
    async def start(self, request: ShownConsent, asker: Asker) -> CommandAnswer:
        """Switch a channel on, by the admin who saw the figures."""
        if request.channel not in self.names:
            raise NotDone("This channel is no longer watched. Nothing was changed.")
        await self._refuse_shared(request.channel)
        consent = Consent(by=asker.user_id, at=self.clock.now(), shown=request.figures)
        await self.book.switch(request.channel, consent)
        self.gates.check_soon()
        return CommandAnswer(
            line=f"Automatic replies are on in <#{request.channel}>, while their gates are open. "
            "`/triage autoreply off #channel` ends that at once."
        )

    @command(
        "disable_autoreply",
        "has replies of a channel wait for a press",
        input=MaybeChannel,
        role="admin",
        tier="reversible",
        deed="automatic replies were switched off",
        also=("off_autoreply",),
    )
    async def stop(self, request: MaybeChannel, asker: Asker) -> CommandAnswer:
        """Switch a channel off at once."""
        channel = resolve_channel(request.channel, asker, self.names)
        was_on = channel in self.book.consents
        await self.book.switch(channel, None)
        if not was_on:
            return CommandAnswer(line=f"Automatic replies were off in <#{channel}> already.", is_unchanged=True)
        return CommandAnswer(line=f"Automatic replies are off in <#{channel}>: every draft waits for a press.")

    async def _refuse_shared(self, channel: str) -> None:
        """Refuse a channel in which no reply could ever go out by itself. Raises `NotDone`."""
        if await self.externals.has_external_readers(channel):
            raise NotDone(
                f"People of another company read <#{channel}>, so each reply waits for a press. Nothing was changed."
            )

    def _describe_channel(self, channel: str) -> str:
        consent = self.book.consents[channel]
        return f"• <#{channel}>: *on*, by {mention(consent.by)} {moment(consent.at)}"

    def _build_consent(self, channel: str) -> ConsentData:
        consent = self.book.consents[channel]
        return ConsentData(channel=channel, by=consent.by, at=consent.at)

    async def _judge_gates(self, channel: str | None) -> list[tuple[Pool, Maturity]]:
        """Return the gates of the channel's project, or all where it has none."""
        project = self.projects.channels.get(channel) if channel else None
        return [
            (pool, maturity)
            for pool, maturity in await self.gates.judge_all()
            if project is None or pool.project.partition("/")[0] == project
        ]


def _list_gates(gates: Sequence[tuple[Pool, Maturity]]) -> list[str]:
    """Return a row for each gate; without any, what is missing."""
    return [_describe_gate(*gate) for gate in gates] or [_NO_CASES]


def _build_gate(pool: Pool, maturity: Maturity) -> GateData:
    figures = ("is_open", "cases", "false_passes", "bound", "bound_now", "missing")
    return GateData(**pool.model_dump(), **{name: getattr(maturity, name) for name in figures})


def _describe_gate(pool: Pool, maturity: Maturity) -> str:
    """Describe a gate: its pool, whether it is open, what is missing, and all figures."""
    state = "open" if maturity.is_open else "closed"
    kind = pool.kind.replace("_", " ")
    missing = f" {maturity.missing} more right ones are needed." if maturity.missing and not maturity.is_open else ""
    why = "" if maturity.is_open else f" {escape(maturity.reason)}"
    head = f"• `{escape(pool.project)}`, {kind}, validator `{escape(pool.validator)}`: *{state}*."
    return f"{head}{why or missing} {escape(describe_figures(maturity))}"
