"""Checks of forges for `triage doctor`: the token, and its right to open merge requests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.config.settings import Settings


async def check_forges(settings: Settings) -> AsyncIterator[DoctorCheck]:
    """Ask each forge for the rights of its token in the projects' repositories that it serves; open nothing."""
    from bot.wiring.forges import build_forges, find_secret_fault

    forges = build_forges(settings)
    sources = {project.repository.url: None for project in settings.project_list if project.repository}
    for section in settings.forges:
        name, site = f"forge {section.place}", section.as_site()
        secret = section.webhook_secret_env
        if secret and not os.environ.get(secret):
            yield DoctorCheck(name, False, f"the environment has no {secret}, the secret of its webhook")
        elif secret and (fault := find_secret_fault(section.kind, secret, os.environ[secret])):
            yield DoctorCheck(name, False, fault)
        served = [address for address in sources if forges.find_site(address) == site]
        if not served:
            yield DoctorCheck(
                name, None, "serves no repository of the projects in the settings; its token is not tried"
            )
        for address in served:
            try:
                may_write = await forges.may_write(address)
            except TriageError as problem:
                yield failed_check(name, problem)
                break
            how = "can open drafts in" if may_write else "may read, and not write, in"
            yield DoctorCheck(name, may_write, f"the token in {section.token_env} {how} {address}")
