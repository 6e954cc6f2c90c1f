"""Settings of watched channels, of behaviour in Slack, and of the classifier."""

from __future__ import annotations

from typing import Annotated, Self, get_args

from pydantic import Field, field_validator, model_validator

from bot.config.sections.base import (
    AlertBotId,
    ChannelId,
    EmojiName,
    Keyword,
    MuteWord,
    ProjectName,
    Section,
    TeamId,
    UserId,
)
from bot.decide.admission import Quotas, Rate
from bot.decide.classify import language_packs
from bot.decide.classify.channel_purpose import Purpose
from bot.decide.classify.classifier import compile_pattern
from bot.errors import Misconfigured
from bot.models.card import CardPlace
from bot.models.external import ExternalPolicy
from bot.models.status import Mode
from bot.models.status_reaction import ReactionState


class WatchedChat(Section):
    """Channel that Triage reads."""

    chat_id: ChannelId
    """Id of the channel, as at the bottom of its *About* in Slack."""
    name: str = ""
    """Name of the channel, without the `#`."""
    purpose: Purpose | None = None
    """Purpose: in a `help` channel most new messages are questions, in a `discussion` a message needs signs of one.
    Default: by its name."""
    project: ProjectName | None = None
    """Project of the channel's questions; it overrides the rules of `routing`."""
    operators: tuple[TeamId, ...] = ()
    """Users or user groups that decide here; the first one gets the cards. Default: the global `operators`."""
    mode: Mode = "preview"
    """`preview` shows cards as practice and posts nothing; `live` posts what was approved; `silent` only classifies and
    records."""
    reactions: bool = True
    """True if a reaction on a question shows its state; never in `preview` and `silent`."""
    cards: CardPlace = "dm"
    """Place of cards: `dm` for the operator's direct message; `both` also shows them to the operator in the channel;
    `ephemeral` there first, and in the direct message if nobody acts; `channel` for `approval.queue_channel`."""


class ReactionsSection(Section):
    """Emoji for the states of a question, without colons; an empty value turns a state's reaction off."""

    received: EmojiName | None = "eyes"
    """Emoji for a message classified as a question."""
    working: EmojiName | None = "hammer"
    """Emoji for a running investigation."""
    waiting: EmojiName | None = "hourglass_flowing_sand"
    """Emoji for a draft that waits for a decision."""
    success: EmojiName | None = "white_check_mark"
    """Emoji for an answered question."""
    failure: EmojiName | None = "x"
    """Emoji for a question without an answer: the investigation failed, or nobody decided in time."""

    @field_validator("*", mode="before")
    @classmethod
    def _may_be_empty(cls, name: object) -> object:
        """Treat an empty text as no emoji, like an empty value."""
        return None if isinstance(name, str) and not name.strip() else name

    @property
    def names(self) -> dict[ReactionState, str]:
        """Return the configured emoji by state."""
        states = get_args(ReactionState)
        return {state: name for state in states if (name := getattr(self, state)) is not None}


class SlackSection(Section):
    """Settings of behaviour in Slack."""

    debounce_ms: Annotated[int, Field(ge=0, le=600_000)] = 2000
    """Debounce window in milliseconds: a question waits so long for its author's next message."""
    debounce_cap_ms: Annotated[int, Field(ge=0, le=3_600_000)] = 30_000
    """Maximum debounce time in milliseconds, whatever the number of messages; never less than `debounce_ms`."""
    reactions: ReactionsSection = ReactionsSection()
    """Emoji of the bot's reactions on questions."""
    mute_words: tuple[MuteWord, ...] = ("!mute", "@bot mute")
    """Whole messages that mute Triage in their thread; `@bot` means a mention of it. They extend the language packs."""
    mute_emoji: tuple[EmojiName, ...] = ("mute",)
    """Emoji that mute Triage when used as a reaction in the thread, without colons."""
    pace: Annotated[float, Field(gt=0, le=20)] = 1.0
    """Maximum rate of calls to Slack, as a multiple of its published rate for each method."""
    feedback: bool = True
    """True if posted replies have thumbs buttons."""
    read_files: bool = False
    """True if text files attached to a question are read; needs the scope `files:read`."""
    external: ExternalPolicy = "warn"
    """Policy for questions from other companies in shared channels: `never` ignores them; `warn` accepts them, and
    Approve names the readers and asks for confirmation; `allow` only marks them. Unless `allow`, Approve also asks for
    confirmation of replies to members' questions there."""
    missed_emoji: tuple[EmojiName, ...] = ("sos",)
    """Emoji that report a missed message when used by people who answer, without colons."""

    @model_validator(mode="after")
    def _mean_one_thing(self) -> Self:
        """Reject mute and missed-message emoji as the bot's own reactions."""
        twice = {*self.mute_emoji, *self.missed_emoji}.intersection(self.reactions.names.values())
        if twice:
            expectation = "expected reactions that are neither in mute_emoji nor in missed_emoji"
            raise ValueError(f"{expectation}, got {min(twice)}")
        return self


class ClassifierSection(Section):
    """Settings of tier 0, the classifier."""

    bot_id: UserId | None = None
    """User id of the bot; read from Slack by default."""
    languages: tuple[str, ...] = ()
    """Language packs to combine; all available ones by default."""
    ack_patterns: tuple[str, ...] = ()
    """re2 patterns, case-insensitive, of short acknowledgements; they extend the language packs."""
    question_keywords: tuple[Keyword, ...] = ()
    """Words that make a question anywhere in a message; they extend the language packs."""
    team_members: tuple[TeamId, ...] = ()
    """Users or user groups who answer questions; empty if everyone both asks and answers."""
    alert_bots: tuple[AlertBotId, ...] = ()
    """Bots whose messages may open a thread; messages of other bots are ignored."""
    alert_pause_min: Annotated[float, Field(ge=1, le=1_440)] = 10
    """Minimum minutes between two messages of a bot that a thread accepts."""

    @field_validator("languages")
    @classmethod
    def _are_there(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        strange = [code for code in codes if code not in language_packs.codes()]
        if strange:
            raise ValueError(f"expected language packs of {', '.join(language_packs.codes())}, got {strange[0]}")
        return codes

    @field_validator("ack_patterns")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                compile_pattern(pattern)
            except Misconfigured as problem:
                raise ValueError(str(problem)) from problem
        return patterns

    @property
    def team_groups(self) -> tuple[str, ...]:
        """Return the user groups among `team_members`."""
        return tuple(name for name in self.team_members if name.startswith("S"))


class RateSection(Section):
    """Rate limit of investigations."""

    per_minute: Annotated[float, Field(gt=0, le=10_000)]
    """Sustained rate per minute."""
    burst: Annotated[int, Field(ge=1, le=10_000)]
    """Burst size after a pause."""

    @property
    def rate(self) -> Rate:
        """Return the limit as a `Rate` value."""
        return Rate(per_minute=self.per_minute, burst=self.burst)


class FloodsSection(Section):
    """Rate limits of questions; questions above them wait, none is dropped."""

    per_user: RateSection = RateSection(per_minute=10, burst=20)
    """Rate limit per user."""
    per_channel: RateSection = RateSection(per_minute=30, burst=60)
    """Rate limit per channel."""
    per_workspace: RateSection = RateSection(per_minute=60, burst=120)
    """Rate limit of the whole workspace."""

    @property
    def quotas(self) -> Quotas:
        """Return the limits as a `Quotas` value."""
        return Quotas(user=self.per_user.rate, channel=self.per_channel.rate, workspace=self.per_workspace.rate)
