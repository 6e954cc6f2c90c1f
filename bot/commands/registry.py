"""Declaration of commands: the `command` decorator, and the commands that a class declares by it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from bot.commands.command import CommandAnswer, CommandSpec, NotDone, SealedRequest
from bot.models.fact import Fact
from bot.models.interaction import Asker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.commands.command import Preview, Role, Run, Tier, Untrusted

Owner = TypeVar("Owner")
Input = TypeVar("Input", bound=Fact)
Sealed = TypeVar("Sealed", bound=Fact)
Result = TypeVar("Result")
Method = Callable[[Owner, Input, Asker], Coroutine[Any, Any, CommandAnswer]]
PreviewMethod = Callable[[Owner, Input, Asker], Coroutine[Any, Any, str]]
SealingMethod = Callable[[Owner, Input, Asker], Coroutine[Any, Any, SealedRequest]]


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command that can be run: its declaration, and the bound methods that do it."""

    spec: CommandSpec
    run: Run
    preview: Preview | None = None
    asks_if: Callable[[Any], bool] | None = None
    """Tells of an input that it needs a confirmation from every interface, of exactly what is shown."""


@dataclass(frozen=True)
class _Declaration:
    spec: CommandSpec
    run: Callable[[Any, Any, Asker], Coroutine[Any, Any, CommandAnswer]]
    preview: Callable[[Any, Any, Asker], Coroutine[Any, Any, CommandAnswer | SealedRequest | str]] | None
    asks_if: Callable[[Any, Any], bool] | None = None


_DECLARATION = "declared_command"
"""Attribute of a method that holds its declaration."""


def command(
    name: str,
    summary: str,
    *,
    input: type[Input],
    role: Role,
    tier: Tier,
    deed: str = "",
    risk: str = "",
    needs_press: bool = False,
    always_asks: bool = False,
    asks_if: Callable[[Any, Input], bool] | None = None,
    also: tuple[str, ...] = (),
    untrusted: Untrusted | None = None,
    rest: bool = False,
    names: str | None = None,
    result: type[Fact] | None = None,
    preview: PreviewMethod[Any, Input] | None = None,
) -> Callable[[Method[Owner, Input]], Method[Owner, Input]]:
    """Declare a method as a command; `CommandSpec` describes the fields.

    `preview` and `asks_if` are methods of the same class. `preview` runs before the asker is asked to confirm, and
    returns the effect in a sentence, or raises `NotDone`. `asks_if` tells of an input that every interface needs a
    confirmation of exactly what is shown, which then must not change by itself.
    """
    spec = CommandSpec(
        name=name,
        summary=summary,
        input=input,
        role=role,
        tier=tier,
        deed=deed,
        risk=risk,
        needs_press=needs_press,
        always_asks=always_asks,
        also=also,
        untrusted=untrusted,
        rest=rest,
        names=names,
        result=result,
    )

    def declare(method: Method[Owner, Input]) -> Method[Owner, Input]:
        return _declare(method, spec, _answer_not_done(preview) if preview else None, asks_if)

    return declare


def sealed_command(
    name: str,
    summary: str,
    *,
    input: type[Input],
    sealed: type[Sealed],
    names: str,
    role: Role,
    tier: Tier,
    deed: str,
    also: tuple[str, ...] = (),
    untrusted: Untrusted | None = None,
    rest: bool = False,
    resumes: bool = False,
    result: type[Fact] | None = None,
    preview: SealingMethod[Any, Input],
) -> Callable[[Method[Owner, Sealed]], Method[Owner, Sealed]]:
    """Declare a method as a command that always asks and does exactly what its preview showed.

    `preview` returns the `sealed` input with what it shows, or raises `NotDone`; `names` is the field of both inputs by
    which a later call replaces an earlier one.
    """
    spec = CommandSpec(
        name=name,
        summary=summary,
        input=input,
        sealed=sealed,
        names=names,
        role=role,
        tier=tier,
        deed=deed,
        also=also,
        always_asks=True,
        untrusted=untrusted,
        rest=rest,
        resumes=resumes,
        result=result,
    )

    def declare(method: Method[Owner, Sealed]) -> Method[Owner, Sealed]:
        return _declare(method, spec, _answer_not_done(preview))

    return declare


def _declare(
    method: Method[Owner, Input], spec: CommandSpec, preview: Any, asks_if: Callable[[Any, Any], bool] | None = None
) -> Method[Owner, Input]:
    run = _answer_not_done(method)
    setattr(run, _DECLARATION, _Declaration(spec, run, preview, asks_if))
    return run


class StandIn:
    """Declaration of a command that names another one by a field; the handler executes that one in its place."""

    def __init__(
        self, name: str, summary: str, *, input: type[Fact], role: Role, by: str, result: type[Fact] | None = None
    ) -> None:
        spec = CommandSpec(
            name=name, summary=summary, input=input, role=role, tier="reversible", stands_for=by, result=result
        )
        setattr(self, _DECLARATION, _Declaration(spec, _refuse, None))


async def _refuse(owner: object, request: Fact, _: Asker) -> CommandAnswer:
    """Raise an error: the handler executes another command in the place of this one."""
    raise RuntimeError(f"{type(owner).__name__} cannot do {request!r} itself")


def _answer_not_done(
    method: Callable[[Owner, Input, Asker], Coroutine[Any, Any, Result]],
) -> Callable[[Owner, Input, Asker], Coroutine[Any, Any, Result | CommandAnswer]]:
    """Wrap a method so that it returns the answer of a `NotDone`."""

    @wraps(method)
    async def answer(owner: Owner, given: Input, asker: Asker) -> Result | CommandAnswer:
        try:
            return await method(owner, given, asker)
        except NotDone as refusal:
            return refusal.answer

    return answer


def declared_specs(owner: type) -> Iterator[CommandSpec]:
    """Yield the commands of a class, in the order of its methods."""
    for declaration in _declarations(owner):
        yield declaration.spec


def bound_commands(owner: object) -> Iterator[Command]:
    """Yield the commands of an instance, with their methods bound to it."""
    for declaration in _declarations(type(owner)):
        preview = partial(declaration.preview, owner) if declaration.preview else None
        asks_if = partial(declaration.asks_if, owner) if declaration.asks_if else None
        yield Command(spec=declaration.spec, run=partial(declaration.run, owner), preview=preview, asks_if=asks_if)


def _declarations(owner: type) -> Iterator[_Declaration]:
    for member in [*vars(owner).values()]:  # looking at a member of a model may build it
        if declaration := getattr(member, _DECLARATION, None):
            yield declaration
