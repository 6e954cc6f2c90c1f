"""Checks of operators, admins and owners for `triage doctor`: bots, guests and strangers may not decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.errors import TriageError
from bot.triage.membership import is_one_of_us

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.adapters.slack import SlackChat
    from bot.adapters.slack.identity import Identity
    from bot.config.settings import Settings
    from bot.models.person import Person


async def check_people(chat: SlackChat, settings: Settings, own: Identity) -> AsyncIterator[DoctorCheck]:
    """Check every operator, admin and owner of the settings, and each member of a user group."""
    for role, names in (("operator", settings.deciding), ("admin", settings.admins)):
        for name in names:
            look = _group if name.startswith("S") else _person
            yield await look(chat, f"{role} {name}", name, own)
    for name in settings.asked_owners:
        yield await _owner(chat, name)


async def _group(chat: SlackChat, name: str, group: str, own: Identity) -> DoctorCheck:
    try:
        members = await chat.group_members(group)
        wrong = [f"{user} is {why}" for user in members if (why := _why_not(await chat.person(user), own))]
    except TriageError as problem:
        return failed_check(name, problem)
    if not members or len(wrong) == len(members):
        return DoctorCheck(name, False, "; ".join(wrong) or "the user group is empty: nobody of it may decide")
    return DoctorCheck(name, None if wrong else True, "; ".join(wrong) or ", ".join(members))


async def _person(chat: SlackChat, name: str, user: str, own: Identity) -> DoctorCheck:
    try:
        why = _why_not(await chat.person(user), own)
        user_name = await chat.user_name(user)
    except TriageError as problem:
        return failed_check(name, problem, "; name a member of the workspace")
    return DoctorCheck(
        name, why is None, f"{user_name} is {why}, and may not decide: name a member" if why else user_name
    )


async def _owner(chat: SlackChat, owner: str) -> DoctorCheck:
    """Check that Slack knows an owner whom Ask an Owner asks; guests are allowed."""
    try:
        members = await chat.group_members(owner) if owner.startswith("S") else (await chat.user_name(owner),)
    except TriageError as problem:
        return failed_check(f"owner {owner}", problem, "; nobody could be asked")
    return DoctorCheck(
        f"owner {owner}", bool(members), ", ".join(members) or "the user group is empty: nobody could be asked"
    )


def _why_not(person: Person, own: Identity) -> str | None:
    """Return the reason why a person may not decide, or `None` for a full member of the workspace."""
    if is_one_of_us(person, own.team_id, own.enterprise_id):
        return None
    if person.is_bot:
        return "a bot"
    if person.is_gone:
        return "a deactivated account"
    return "a guest" if person.is_guest else "of another workspace"
