"""What Triage reads in Slack, how it behaves there, and what it takes for a question."""

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
from bot.models.status_reaction import MarkState


class WatchedChat(Section):
    """A channel that Triage reads."""

    chat_id: ChannelId
    name: str = ""
    """What people call it, without the `#`."""
    purpose: Purpose | None = None
    """`help`: most of what begins there asks for help; `discussion`: a message needs signs of a question. Left out: by
    its name."""
    project: ProjectName | None = None
    """The project that its questions are about, whatever the rules of `routing` say."""
    operators: tuple[TeamId, ...] = ()
    """Who decides here, users or user groups; the first one gets the cards. Left out: the `operators` of all."""
    mode: Mode = "preview"
    """`preview` shows cards as practice and posts nothing; `live` posts what was approved; `silent` only classifies and
    records."""
    reactions: bool = True
    """True if a reaction under a question says where it stands. In `preview` and `silent` none does."""
    cards: CardPlace = "dm"
    """Where its cards go: `dm` to the operator's direct message; `both` is shown to the operator in the channel too;
    `ephemeral` there first, and in the direct message when nobody acts on it; `channel` to `approval.queue_channel`."""


class ReactionsSection(Section):
    """The emoji that say where a question stands, without colons; left empty, a state has none."""

    received: EmojiName | None = "eyes"
    """It was taken for a question."""
    working: EmojiName | None = "hammer"
    """Its investigation has begun."""
    waiting: EmojiName | None = "hourglass_flowing_sand"
    """There is a draft, and a person decides on it."""
    success: EmojiName | None = "white_check_mark"
    """It was answered."""
    failure: EmojiName | None = "x"
    """There is no answer: the investigation failed, or nobody decided in time."""

    @field_validator("*", mode="before")
    @classmethod
    def _may_be_empty(cls, name: object) -> object:
        """An empty text leaves a state without an emoji, as an empty value does."""
        return None if isinstance(name, str) and not name.strip() else name

    @property
    def names(self) -> dict[MarkState, str]:
        """Those that there are."""
        states = get_args(MarkState)
        return {state: name for state in states if (name := getattr(self, state)) is not None}


class SlackSection(Section):
    """How Triage behaves in Slack."""

    debounce_ms: Annotated[int, Field(ge=0, le=600_000)] = 2000
    """The debounce window, in milliseconds: how long a question waits for its author's next message."""
    debounce_cap_ms: Annotated[int, Field(ge=0, le=3_600_000)] = 30_000
    """How long it waits at most, in milliseconds, however many come; never less than `debounce_ms`."""
    reactions: ReactionsSection = ReactionsSection()
    """The bot's own reaction under a question."""
    mute_words: tuple[MuteWord, ...] = ("!mute", "@bot mute")
    """Messages that silence Triage in their thread, whole; `@bot` is a mention of it. They add to the packs."""
    mute_emoji: tuple[EmojiName, ...] = ("mute",)
    """Emoji that do the same under a message of the thread, without colons."""
    pace: Annotated[float, Field(gt=0, le=20)] = 1.0
    """How often Slack is called at most, as a multiple of the rates that it publishes for each method."""
    feedback: bool = True
    """True if thumbs stand below a posted reply."""
    read_files: bool = False
    """True if text files that are sent with a question are read; needs the scope `files:read`."""
    external: ExternalPolicy = "warn"
    """What becomes of questions of people of another company, in channels that are shared with them: `never` leaves
    them alone; `warn` takes them up, and Approve says who will read the reply and asks once more; `allow` only marks
    them. Of members' questions there Approve asks once more, too, unless this is `allow`."""
    missed_emoji: tuple[EmojiName, ...] = ("sos",)
    """The emoji by which those who answer say that a message was missed, without colons."""

    @model_validator(mode="after")
    def _mean_one_thing(self) -> Self:
        """An emoji that people mute by, or that says that a message was missed, is none of the bot's own."""
        twice = {*self.mute_emoji, *self.missed_emoji}.intersection(self.reactions.names.values())
        if twice:
            said = "expected reactions that are neither in mute_emoji nor in missed_emoji"
            raise ValueError(f"{said}, got {min(twice)}")
        return self


class ClassifierSection(Section):
    """The rules of tier 0."""

    bot_id: UserId | None = None
    """The bot's own user id; Slack is asked when it is left out."""
    languages: tuple[str, ...] = ()
    """The language packs, which add to each other; all that there are when none is named."""
    ack_patterns: tuple[str, ...] = ()
    """re2 patterns, case-insensitive, of a short message that only acknowledges; they add to the packs."""
    question_keywords: tuple[Keyword, ...] = ()
    """Words that ask wherever they stand; they add to the packs."""
    team_members: tuple[TeamId, ...] = ()
    """Those who answer, by user id or by user group. Where everyone asks and everyone answers, none."""
    alert_bots: tuple[AlertBotId, ...] = ()
    """The bots whose messages may open a thread; every other bot's are left alone."""
    alert_pause_min: Annotated[float, Field(ge=1, le=1_440)] = 10
    """Minutes from one message of a bot that is taken up in a thread to the next one there."""

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
        """Those of `team_members` that are user groups."""
        return tuple(name for name in self.team_members if name.startswith("S"))


class RateSection(Section):
    """How many questions are investigated."""

    per_minute: Annotated[float, Field(gt=0, le=10_000)]
    """From then on, as long as more are asked."""
    burst: Annotated[int, Field(ge=1, le=10_000)]
    """At once, after a pause."""

    @property
    def rate(self) -> Rate:
        """The same as a plain value."""
        return Rate(per_minute=self.per_minute, burst=self.burst)


class FloodsSection(Section):
    """When questions wait for their turn; none is dropped."""

    per_user: RateSection = RateSection(per_minute=10, burst=20)
    """Of one person."""
    per_channel: RateSection = RateSection(per_minute=30, burst=60)
    """In one channel."""
    per_workspace: RateSection = RateSection(per_minute=60, burst=120)
    """In all."""

    @property
    def quotas(self) -> Quotas:
        """The same as a plain value."""
        return Quotas(user=self.per_user.rate, channel=self.per_channel.rate, workspace=self.per_workspace.rate)
