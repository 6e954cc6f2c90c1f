"""Owners of cited files, read from a project on a real disk."""

from __future__ import annotations

import threading
from collections import UserDict
from typing import TYPE_CHECKING

from bot.models.findings import EvidenceRef
from bot.models.project import Project
from bot.triage.code_owners import CodeOwners

if TYPE_CHECKING:
    from collections.abc import ItemsView
    from pathlib import Path


class Known(UserDict[str, str]):
    """Who is who, and from which thread that was asked."""

    def items(self) -> ItemsView[str, str]:
        """The same, noted."""
        self.asked_from = threading.get_ident()
        return super().items()


async def test_no_long_list_of_owners_holds_up_the_loop(tmp_path: Path) -> None:
    """Its patterns are tried apart from the loop that acknowledges events."""
    (tmp_path / "CODEOWNERS").write_text("*.py @octo/shop\n")
    known = Known({"@octo/shop": "S0SHOP"})
    cited = EvidenceRef(kind="file", ref="src/orders.py:1", supports_claim="it says so", quote="x")
    project = Project(name="shop", root=tmp_path)
    assert await CodeOwners(user_ids=known, on_call={}).owners_of(project, [cited]) == ("S0SHOP",)
    assert known.asked_from != threading.get_ident()
