"""How often an unknown word leads to the right command, to none, and to a wrong one.

Run as `python -m measure.nearest_command`. Three sets, none of which the synonyms were written for: commands of other
programs (`command_words.tsv`), short orders in other languages (the templates of `bot/decide/orders`, which another
author wrote), and names with one or two slips of the keyboard by a seeded generator.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import READ
from bot.commands.command_phrases import find_phrase
from bot.commands.suggestions import find_meant_command
from bot.decide.orders import OrderParser, order_parser

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
ORDERS = HERE.parent / "bot" / "decide" / "orders"
SEED = 20_240_229
LANGUAGES = ("de", "es", "fr", "id", "pt")
OF_EACH_LANGUAGE = 12
MOST_WORDS = 3
KEYS = ("qwertzuiop", "asdfghjkl", "yxcvbnm")


@dataclass
class Tally:
    """What a set of words led to."""

    orders: OrderParser | None = None
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, text: str, right: set[str]) -> None:
        """Judge one text: an empty set of commands means that none is right."""
        spec = find_meant_command(text.split(), CATALOGUE, self.orders)
        if spec is None:
            self.counts["none, rightly" if not right else "none"] += 1
        elif spec.name in right:
            self.counts["hit"] += 1
        else:
            self.counts["wrong"] += 1
            self.counts["wrong, and a change"] += spec.tier != READ
            self.wrong.append(f"{text} -> {spec.name}")


def elsewhere() -> dict[str, list[tuple[str, set[str]]]]:
    """Commands of other programs by program, with the right ones here as far as the catalogue has them."""
    programs: dict[str, list[tuple[str, set[str]]]] = {}
    for line in (HERE / "command_words.tsv").read_text().splitlines()[2:]:
        if line.startswith("# "):
            words = programs.setdefault(f"commands of {line[2:]}", [])
        else:
            word, names = line.split("\t")
            words.append((word, {name for name in names.split(",") if name in CATALOGUE}))
    return programs


def orders() -> Iterator[tuple[str, set[str]]]:
    """Short orders of each language: the first reading of templates without names."""
    chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
    for language in LANGUAGES:
        book = yaml.safe_load((ORDERS / f"{language}.yml").read_text())
        texts = {
            (reading, command.split()[0])
            for command, templates in book["orders"].items()
            for template in templates
            if command.split()[0] in CATALOGUE and (reading := first_reading(template, book["words"]["show"]))
        }
        for text, command in chance.sample(sorted(texts), min(OF_EACH_LANGUAGE, len(texts))):
            yield text, {command}


def first_reading(template: str, show: str) -> str:
    """Return the shortest text that a template matches, by its first alternatives; empty if it is long or has names."""
    text = template.replace("<show>", show)
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    while (shorter := re.sub(r"\(([^()|]*)(?:\|[^()]*)?\)", r"\1", text)) != text:
        text = shorter
    words = text.split()
    return "" if re.search(r"[{}<>:|,]", text) or not 0 < len(words) <= MOST_WORDS else " ".join(words)


def misspelt() -> Iterator[tuple[str, set[str]]]:
    """Every name and its phrase with a slip; what changes something and has one word may not be found by that."""
    chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
    for spec in CATALOGUE.values():
        for name in (spec.name, spec.tool_name.replace("_", " ")):
            if len(name) > 4:
                text = slip(name, chance)
                if find_phrase(text.split(), CATALOGUE) is None:
                    yield text, {spec.name} if spec.tier == READ or "_" in spec.tool_name else set()


def slip(word: str, chance: random.Random) -> str:
    """Return a word with a letter left out, doubled, swapped with the next, or replaced by its neighbour's key."""
    place = chance.randrange(1, len(word) - 1)
    letter = word[place]
    if not letter.isalpha() or not word[place + 1].isalpha():
        return slip(word, chance)
    match chance.randrange(4):
        case 0:
            return word[:place] + word[place + 1 :]
        case 1:
            return word[:place] + letter + word[place:]
        case 2 if letter != word[place + 1]:
            return word[:place] + word[place + 1] + letter + word[place + 2 :]
        case _:
            row = next(row for row in KEYS if letter in row)
            near = row[max(0, row.index(letter) - 1) : row.index(letter) + 2].replace(letter, "")
            return word[:place] + chance.choice(near) + word[place + 1 :]


def main() -> None:
    """Print the figures of each set, and what was wrong."""
    sets: dict[str, Iterable[tuple[str, set[str]]]] = {
        **elsewhere(),
        "orders in five languages, without their templates": orders(),
        "orders in five languages": orders(),
        "names with a slip": misspelt(),
    }
    parser = order_parser()
    for title, words in sets.items():
        tally = Tally(orders=None if "without" in title else parser)
        for text, right in words:
            tally.add(text, right)
        total = tally.counts.total() - tally.counts["wrong, and a change"]
        figures = ", ".join(f"{name} {count}" for name, count in sorted(tally.counts.items()))
        sys.stdout.write(f"{title}, {total}: {figures}\n")
        sys.stdout.writelines(f"  {line}\n" for line in tally.wrong)


if __name__ == "__main__":
    main()
