"""Parts of orders: reasons beside them, a name that was missing, links, and single typos."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.decide import orders
from bot.decide.orders import OrderContext, OrderParser
from bot.decide.orders.typos import Speller
from bot.models.order import Order

ORDERS = Path(orders.__file__).parent
PARSER = OrderParser(("en",))
KNOWN = OrderContext(projects=("shop",), commands=("status", "why", "pause_project"), channels=("help-platform",))
LINK = "https://x.slack.com/archives/C0HELP/p1767500000000100"


@pytest.mark.parametrize(
    ("text", "command", "given"),
    [
        ("status because I am leaving", "status", {}),
        ("status since we deploy now", "status", {}),
        ("status because why?", None, {}),
        (f"why {LINK}", "why", {"link": LINK}),
        ("queue", None, {}),
    ],
)
def test_an_order_is_found_beside_its_reason(text: str, command: str | None, given: dict[str, str]) -> None:
    """A reason that asks is no reason, and a command that is not there is none."""
    order = PARSER.parse(text, KNOWN)
    assert (order and order.command) == command
    assert (order.arguments if order else {}) == given


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("for the shop project", {"project": "shop"}),
        ("project=shop", {"project": "shop"}),
        ("the moon", None),
    ],
)
def test_a_missing_name_completes_an_order(text: str, given: dict[str, str] | None) -> None:
    """Said alone, as the answer to which one is meant."""
    order = PARSER.complete(Order(command="pause_project"), "project", text, KNOWN)
    assert (order and order.arguments) == given


def test_all_templates_compile() -> None:
    """They do so before the first message needs them."""
    parser = OrderParser(("en",))
    parser.warm()
    assert parser.parse("status", KNOWN) == PARSER.parse("status", KNOWN)


@pytest.mark.parametrize("path", [*ORDERS.glob("*.yml")], ids=lambda path: path.stem)
def test_a_template_of_one_place_stands_in_no_other_of_its_command(path: Path) -> None:
    """Beside the same one without a place, `in=apart` or `in=question` would mean nothing."""
    places: dict[tuple[str, str], list[str]] = {}
    for key, templates in yaml.safe_load(path.read_text("utf-8")).get("orders", {}).items():
        for template in templates or ():
            places.setdefault((key.partition(" ")[0], template), []).append(key)
    assert [keys for keys in places.values() if len(keys) > 1] == []


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("pause projetc shop", "pause project shop"),
        ("pause projct shop", "pause project shop"),
        ("pause prooject shop", "pause project shop"),
        ("pause prooojject shop", "pause prooojject shop"),
    ],
)
def test_one_wrong_letter_is_mended(text: str, mended: str) -> None:
    """Two are another word."""
    assert Speller({"pause", "project", "shop"}).mend(text, keep={"shop"}) == mended
