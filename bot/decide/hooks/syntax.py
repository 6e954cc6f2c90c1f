"""Words of triggers, steps and conditions, as people and models write them; parsed, and written again. Pure.

A text that does not fit raises `ValueError` with a sentence for the person who wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never, get_args

from bot.decide.hooks.cron import FIELDS
from bot.decide.hooks.patterns import find_pattern_fault
from bot.models.hook import (
    MAX_STEPS,
    Condition,
    ConditionKind,
    ContextStep,
    FileChange,
    MergeRequestOpening,
    MessageMatch,
    Schedule,
    ServiceFailure,
    StepVerb,
    TaskFailure,
)

if TYPE_CHECKING:
    from bot.models.hook import Trigger

TRIGGERS = (
    "expected a cron expression such as `0 9 * * mon-fri`, or: message #channel words, task failed, service unhealthy, "
    "file changed docs/**, pull request opened team/shop"
)
_STEPS = "expected read PATH, search TEXT, log [PATH], fetch NAME or run COMMAND, separated by semicolons"
_CONDITIONS = "expected unchanged, empty, matches PATTERN or lacks PATTERN"
_CRON_FIELD = re.compile(r"[0-9A-Za-z*,/#-]{1,60}")
_CHANNEL = re.compile(r"(?P<channel><#[^\s>]{1,120}>|\S{1,120})\s+(?P<words>\S.{0,299})", re.DOTALL)
_FORGE_PROJECT = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
_REGEX = re.compile(r"/(?P<pattern>.+)/", re.DOTALL)
_BETWEEN_STEPS = re.compile(r"[;\n]")
LONGEST = 300
"""Characters of one argument."""
NEEDS_ARGUMENT: frozenset[StepVerb] = frozenset({"read", "search", "fetch", "run"})
NEEDS_PROJECT: frozenset[StepVerb] = frozenset({"read", "search", "log", "run"})
NEEDS_PATTERN: frozenset[ConditionKind] = frozenset({"matches", "lacks"})


@dataclass(frozen=True, slots=True)
class MessageWords:
    """Trigger by a message whose channel is not looked up yet."""

    channel: str
    pattern: str
    is_regex: bool

    def in_channel(self, channel_id: str) -> MessageMatch:
        """Return the trigger for the channel with this id."""
        return MessageMatch(channel=channel_id, pattern=self.pattern, is_regex=self.is_regex)


def parse_trigger(
    text: str,
) -> Schedule | MessageWords | TaskFailure | ServiceFailure | FileChange | MergeRequestOpening:
    """Parse a trigger. The times of a cron expression are checked by its own module."""
    words = text.split()
    match [word.lower() for word in words[:2]]:
        case ["message", _]:
            return _parse_message(text.strip()[len("message") :].strip())
        case ["task", "failed"] if len(words) == 2:
            return TaskFailure()
        case ["service", "unhealthy"] if len(words) <= 3:
            return ServiceFailure(service=words[2][:100] if len(words) == 3 else "")
        case ["file", "changed"] if len(words) == 3 and len(words[2]) <= LONGEST:
            return FileChange(pattern=words[2])
        case ["pull" | "merge", "request"] if words[2:3] and words[2].lower() == "opened" and len(words) <= 4:
            return _parse_opening(words[3] if len(words) == 4 else "")
        case ["pr", "opened"] if len(words) <= 3:
            return _parse_opening(words[2] if len(words) == 3 else "")
    if len(words) == FIELDS and all(map(_CRON_FIELD.fullmatch, words)) and len(" ".join(words)) <= 100:
        return Schedule(cron=" ".join(words))
    raise ValueError(TRIGGERS)


def _parse_opening(project: str) -> MergeRequestOpening:
    if project and not (_FORGE_PROJECT.fullmatch(project) and len(project) <= LONGEST):
        raise ValueError("expected the path of a repository at its forge, such as pull request opened team/shop")
    return MergeRequestOpening(project=project)


def _parse_message(text: str) -> MessageWords:
    match = _CHANNEL.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a channel and words, such as message #deploys failed; at most {LONGEST} characters")
    words = match["words"].strip()
    if regex := _REGEX.fullmatch(words):
        _check_pattern(regex["pattern"])
        return MessageWords(match["channel"], regex["pattern"], is_regex=True)
    return MessageWords(match["channel"], " ".join(words.split()), is_regex=False)


def format_trigger(trigger: Trigger) -> str:
    """Return a trigger in the words that `parse_trigger` takes."""
    match trigger:
        case Schedule(cron=cron):
            return cron
        case MessageMatch(channel=channel, pattern=pattern, is_regex=is_regex):
            return f"message {channel} {f'/{pattern}/' if is_regex else pattern}"
        case TaskFailure():
            return "task failed"
        case ServiceFailure(service=service):
            return f"service unhealthy {service}".strip()
        case FileChange(pattern=pattern):
            return f"file changed {pattern}"
        case MergeRequestOpening(project=project):
            return f"pull request opened {project}".strip()
        case _:
            assert_never(trigger)


def parse_steps(text: str) -> tuple[ContextStep, ...]:
    """Parse steps; none without words."""
    steps = tuple(_parse_step(part.strip()) for part in _BETWEEN_STEPS.split(text) if part.strip())
    if len(steps) > MAX_STEPS:
        raise ValueError(f"expected at most {MAX_STEPS} steps")
    return steps


def _parse_step(text: str) -> ContextStep:
    word, _, argument = text.partition(" ")
    verb = next((verb for verb in get_args(StepVerb) if verb == word.lower()), None)
    argument = argument.strip()
    if verb is None or len(argument) > LONGEST or (verb in NEEDS_ARGUMENT and not argument):
        raise ValueError(_STEPS)
    return ContextStep(verb=verb, argument=argument)


def format_step(step: ContextStep) -> str:
    """Return a step in the words that `parse_steps` takes."""
    return f"{step.verb} {step.argument}".strip()


def format_steps(steps: tuple[ContextStep, ...]) -> str:
    """Return steps in the words that `parse_steps` takes."""
    return "; ".join(map(format_step, steps))


def parse_condition(text: str) -> Condition | None:
    """Parse a condition; `None` without words."""
    word, _, pattern = text.strip().partition(" ")
    if not word:
        return None
    kind = next((kind for kind in get_args(ConditionKind) if kind == word.lower()), None)
    pattern = pattern.strip()
    if regex := _REGEX.fullmatch(pattern):
        pattern = regex["pattern"]
    if kind is None or len(pattern) > LONGEST or (kind in NEEDS_PATTERN) != bool(pattern):
        raise ValueError(_CONDITIONS)
    if pattern:
        _check_pattern(pattern)
    return Condition(kind=kind, pattern=pattern)


def format_condition(condition: Condition | None) -> str:
    """Return a condition in the words that `parse_condition` takes."""
    return f"{condition.kind} {condition.pattern}".strip() if condition else ""


def _check_pattern(pattern: str) -> None:
    if fault := find_pattern_fault(pattern):
        raise ValueError(fault)
