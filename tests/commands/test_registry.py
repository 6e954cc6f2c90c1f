"""Declared commands: each has its method, and no class that declares any is left out of the catalogue."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, fields

import bot.commands
from bot.commands.catalogue import CATALOGUE, CommandSet
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import Days, EmptyInput
from bot.commands.registry import bound_commands, command, declared_specs
from bot.models.interaction import Asker
from tests.chat.crew import command as typed


@dataclass(frozen=True)
class Lamp:
    """Two commands, one of them with a preview."""

    room: str

    @command("light", "lights a room", input=EmptyInput, role="member", tier="read")
    async def light(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """Name the room."""
        return CommandAnswer(line=f"light in {self.room} for {asker.user_id}")

    async def preview_dim(self, days: Days, _: Asker) -> str:
        """Name the effect."""
        if days.days > 7:
            raise NotDone("too long")
        return f"{self.room} would be dim for {days.days} days"

    @command("dim", "dims a room", input=Days, role="admin", tier="reversible", deed="dimmed", preview=preview_dim)
    async def dim(self, days: Days, _: Asker) -> CommandAnswer:
        """Name the days."""
        if days.days > 7:
            raise NotDone("too long", outcome="refused")
        return CommandAnswer(line=f"{self.room} is dim for {days.days} days")


def test_a_class_declares_its_commands_in_the_order_of_its_methods() -> None:
    """With the input model beside the method that takes it."""
    assert [(spec.name, spec.input) for spec in declared_specs(Lamp)] == [("light", EmptyInput), ("dim", Days)]


async def test_a_bound_command_runs_the_method_of_its_instance() -> None:
    """The preview too."""
    light, dim = bound_commands(Lamp("hall"))
    assert (await light.run(EmptyInput(), typed())).line == "light in hall for U0ADMIN"
    assert (await dim.run(Days(days=2), typed())).line == "hall is dim for 2 days"
    assert light.preview is None
    assert dim.preview
    assert await dim.preview(Days(days=2), typed()) == "hall would be dim for 2 days"


async def test_what_cannot_be_done_is_answered_in_its_own_words() -> None:
    """By the preview as by the command."""
    _, dim = bound_commands(Lamp("hall"))
    assert dim.preview
    for answer in (await dim.preview(Days(days=8), typed()), await dim.run(Days(days=8), typed())):
        assert isinstance(answer, CommandAnswer)
        assert (answer.line, answer.outcome != "done") == ("too long", True)


def test_no_class_with_commands_is_left_out_of_the_catalogue() -> None:
    """A command that is declared can be given."""
    modules = [
        importlib.import_module(f"bot.commands.{found.name}") for found in pkgutil.iter_modules(bot.commands.__path__)
    ]
    owners = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    assert {owner for owner in owners if [*declared_specs(owner)]} == {field.type for field in fields(CommandSet)}
    assert {spec.name for owner in owners for spec in declared_specs(owner)} == CATALOGUE.keys()
