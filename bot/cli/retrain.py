"""`triage retrain --labels FILE`: refit the weights of tier 0 on a team's labels."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.sklearn_fit import fit
from bot.cli.offline_classification import load_classifier
from bot.cli.offline_storage import load_offline_settings, open_offline_storage
from bot.cli.options import add_config, add_home
from bot.cli.progress import Activity
from bot.cli.retraining import TrainingRow, build_row, predict_classes
from bot.config.paths import demand_home, home_path
from bot.decide.classify.features import FOR_HELP
from bot.decide.classify.help_channel_features import IN_HELP
from bot.decide.classify.training import (
    CLASSES,
    Score,
    TrainingLabel,
    Withdrawal,
    agreement,
    is_held_back,
    newest_labels,
    read_label,
    scores,
)
from bot.decide.classify.weights import load_packaged_weights
from bot.errors import Misconfigured, TriageError
from bot.models.weights import Regression, WeightTable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from bot.config.settings import Settings
    from bot.models.classification import Class
    from bot.ports.storage import Storage

RECORDED = Path()
"""Value of `--labels` for the labels in the state."""
FEW = 40
"""Minimum number of labels for a fit."""
FEW_HELD = 8
"""Minimum number of held-back labels to measure the fit."""
WEIGHTS_SHOWN = 8
MAX_COMPLAINTS = 3
MAX_BYTES = 200_000_000

_EPILOG = """\
A label is a line {"message": …, "label": "actionable" | "ambient" | "ack", "by": "U0123ABCD"}; the message is its text
or its record in events-classified.ndjson. The last label of a message counts; "withdrawn" removes the label of the
same person. About one in four is held back, by its text, to measure the weights before and after.

Without --write nothing is changed. With it the weights go to weights.json in the home and replace the packaged ones
from the next start on; they are not written when they predict fewer of the held-back labels than before.

example:
  triage retrain --labels ~/.triage/labels.ndjson
  triage retrain --labels --write
  triage retrain --undo
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage retrain`."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--labels",
        type=Path,
        nargs="?",
        const=RECORDED,
        metavar="FILE",
        help="the team's labels, one JSON object a line (default: those that the bot recorded)",
    )
    what.add_argument("--undo", action="store_true", help="restore the weights before the last --write")
    parser.add_argument("--write", action="store_true", help="save the fitted weights in the home")
    add_config(parser)
    add_home(parser)
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Fit the weights, show the change, and save them with `--write`; or undo the last save."""
    settings, home = load_offline_settings(options.config), home_path(options.home)
    if options.write and settings.storage == "files":
        demand_home(home)
    return asyncio.run(_run(options, settings, home))


async def _run(options: argparse.Namespace, settings: Settings, home: Path) -> int:
    async with open_offline_storage(settings, home) as storage:
        if options.undo:
            is_own, place = await storage.weights.undo(), storage.place
            _say(
                f"The previous weights are restored in {place}." if is_own else "The packaged weights are in use again."
            )
            return 0
        return await _refit(options, settings, storage)


async def _refit(options: argparse.Namespace, settings: Settings, storage: Storage) -> int:
    is_recorded = options.labels == RECORDED
    source = f"{storage.place}: labels" if is_recorded else str(options.labels)
    given = await _read_recorded(storage, source) if is_recorded else read_labels(options.labels)
    labels = newest_labels(given)
    held_out = [label for label in labels if is_held_back(label)]
    if len(labels) < FEW or len(held_out) < FEW_HELD:
        raise Misconfigured(
            f"{source}: expected at least {FEW} labelled messages, {FEW_HELD} of them held back by their text; "
            f"got {len(labels)}, {len(held_out)} of them held back"
        )
    before = await storage.weights.read() or load_packaged_weights()
    rules = await load_classifier(settings, storage)
    with Activity(sys.stderr, "Fitting the weights"):
        rows = {label: build_row(rules, label.message) for label in labels}
        after = _fit_weights(
            {label: training_row for label, training_row in rows.items() if not is_held_back(label)}, before
        )
    truth = [label.label for label in held_out]
    predictions = [predict_classes(table, [rows[label] for label in held_out]) for table in (before, after)]
    _say(_report(labels, truth, *predictions))
    _say(_weight_changes(before.actionable, after.actionable))
    if agreement(truth, predictions[1]) < agreement(truth, predictions[0]):
        raise TriageError("Fewer of the held-back labels are predicted right than before; nothing was written.")
    _say(await _save_weights(storage, after) if options.write else "Nothing was changed; --write saves these weights.")
    return 0


def read_labels(path: Path) -> list[TrainingLabel | Withdrawal]:
    """Read every label of a file. Raises `Misconfigured` with the lines that are not labels, so that none is lost
    unseen."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Misconfigured(f"{path}: expected at most {MAX_BYTES:,} bytes")
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as problem:
        raise Misconfigured(f"--labels: {path} cannot be read: {problem.strerror}") from None
    labels: list[TrainingLabel | Withdrawal] = []
    complaints: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            labels.append(read_label(json.loads(line)))
        except json.JSONDecodeError as problem:
            complaints.append(f"{path}:{number}: expected a JSON object: {problem.msg.lower()}")
        except (ValueError, RecursionError) as problem:
            complaints.append(f"{path}:{number}: {problem}")
    _demand_no_complaints(complaints)
    return labels


async def _read_recorded(storage: Storage, source: str) -> list[TrainingLabel | Withdrawal]:
    """Read every label that the bot recorded. Raises `Misconfigured` with those that are none."""
    labels: list[TrainingLabel | Withdrawal] = []
    complaints: list[str] = []
    number = 0
    async for record in storage.journal("labels", None).records():
        number += 1
        try:
            labels.append(read_label(record))
        except ValueError as problem:
            complaints.append(f"{source}:{number}: {problem}")
    _demand_no_complaints(complaints)
    return labels


def _demand_no_complaints(complaints: list[str]) -> None:
    if complaints:
        remaining = len(complaints) - MAX_COMPLAINTS
        raise Misconfigured(
            "\n".join(complaints[:MAX_COMPLAINTS] + ([f"and {remaining} more"] if remaining > 0 else []))
        )


_OF_HELP = frozenset({*FOR_HELP, *IN_HELP})
"""Features of help channels, which keep their weights."""


def _fit_weights(rows: Mapping[TrainingLabel, TrainingRow], start: WeightTable) -> WeightTable:
    features = [{name: on for name, on in row.features.items() if name not in _OF_HELP} for row in rows.values()]
    return WeightTable(
        made_by=f"triage retrain: {len(rows)} labelled messages",
        actionable=fit(features, [label.label == "actionable" for label in rows], start=start.actionable),
        ack=fit(features, [label.label == "ack" for label in rows], start=start.ack),
        help=start.help,
    )


def _report(labels: Sequence[TrainingLabel], truth: list[Class], before: list[Class], after: list[Class]) -> str:
    number = len({label.by for label in labels if label.by})
    people = f"{number} {'person' if number == 1 else 'people'}"
    lines = [
        f"{len(labels)} labelled messages by {people}, {len(truth)} of them held back",
        "",
    ]
    lines.append(f"{'held back':12}{'labels':>8}{'precision':>22}{'recall':>22}")
    was, now_is = scores(truth, before), scores(truth, after)
    for name in CLASSES:
        lines.append(
            f"{name:12}{was[name].labels:>8}{_pair(was[name], now_is[name], 0)}{_pair(was[name], now_is[name], 1)}"
        )
    lines.append(f"{'predicted right':20}{agreement(truth, before):>12.1%} → {agreement(truth, after):.1%}")
    return "\n".join(lines)


def _pair(before: Score, after: Score, which: int) -> str:
    values = ["none" if score[which] is None else f"{score[which]:.1%}" for score in (before, after)]
    return f"{f'{values[0]} → {values[1]}':>22}"


def _weight_changes(before: Regression, after: Regression) -> str:
    """Format the largest changes of the weights towards actionable."""
    names = {*before.weights, *after.weights}
    changes = {name: (before.weights.get(name, 0.0), after.weights.get(name, 0.0)) for name in names}
    largest = sorted(changes.items(), key=lambda item: (-abs(item[1][1] - item[1][0]), item[0]))[:WEIGHTS_SHOWN]
    return "\n".join(["", "largest changes of the weights towards actionable", *(_move(*item) for item in largest), ""])


def _move(name: str, weights: tuple[float, float]) -> str:
    return f"  {name:32}{weights[0]:+.2f} → {weights[1]:+.2f}"


async def _save_weights(storage: Storage, table: WeightTable) -> str:
    path = await storage.weights.write(table)
    return f"Saved in {path}; they are used from the next start on. `triage retrain --undo` restores the previous ones."


def _say(line: str) -> None:
    print(line, file=sys.stdout)  # noqa: T201  # command-line output
