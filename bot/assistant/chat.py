"""The chat agent: a person's words in, tools of the catalogue called, a short answer out (spec 2). It knows no Slack.

`Mind` lives as long as the bot; whoever leads a conversation asks it for a `ChatAgent` for each turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import NoKey

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.loop import Loop
    from bot.assistant.commands.command import Answer
    from bot.assistant.toolbox import Taint
    from bot.models.conversation import Context, Line
    from bot.models.interaction import Asker
    from bot.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Mind:
    """What chat agents think with."""

    loop: Loop | None = None
    """`None` where the settings name no model."""

    @property
    def is_ready(self) -> bool:
        """Whether a chat can begin: there is a model, and a key where its server wants one."""
        return self.loop is not None

    @property
    def model(self) -> str | None:
        """The model's name, as its server knows it."""
        return self.loop.model.name if self.loop else None

    async def reload_credentials(self) -> bool:
        """Read the key's source anew; says whether the model can be asked now."""
        return self.is_ready

    def agent(
        self,
        *,
        asker: Asker,
        context: Context,
        respond: Tool | None,
        doing: Callable[[str], Awaitable[None]],
        taint: Taint,
    ) -> ChatAgent:
        """The agent for one turn of this person's conversation. `doing` takes what it does now: "is reading notes"."""
        return ChatAgent(mind=self, asker=asker, context=context, respond=respond, doing=doing, taint=taint)


@dataclass(kw_only=True)
class ChatAgent:
    """The agent of one turn."""

    mind: Mind
    asker: Asker
    context: Context
    respond: Tool | None
    doing: Callable[[str], Awaitable[None]]
    taint: Taint
    _called: list[tuple[str, Answer | None]] = field(default_factory=list)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the tools called so far, in order, `respond` among them."""
        return tuple(name for name, _ in self._called)

    @property
    def asked(self) -> tuple[Answer, ...]:
        """The answers of commands that wait for a press: their `blocks` hold the button that the asker must see."""
        return tuple(answer for _, answer in self._called if answer is not None and str(answer.outcome) == "asked")

    async def chat(self, text: str, user_name: str, history: Sequence[Line]) -> str:
        """What the agent says to `text` of the asker, whom people call `user_name`, after what was said before.

        Raises `NoKey`, `Unreachable`, `OverCap` and what else a model's edge raises; what was done until then is done,
        and stands in `actions`.
        """
        raise NoKey("there is no model to chat with")

    async def summarize(self, transcript: str) -> str | None:
        """A summary of a transcript; `None` when there is none, which is logged."""
        return None
