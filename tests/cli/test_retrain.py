"""`triage retrain` as people use it."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.adapters.weights_file import WeightsFile
from bot.approval.labels import Labels
from bot.cli import retrain
from bot.decide.classify.classifier import compile_rules
from bot.models.context import MessageContext
from tests.builders import T0, message
from tests.fakes import HandClock
from tests.forks import ROOT, triage

trains = pytest.mark.skipif(find_spec("sklearn") is None, reason="needs scikit-learn: pip install '.[train]'")
BEGINS = MessageContext(opens=True, is_away=True)
TOLD = [("why does build {} fail?", "actionable"), ("deployed build {} to staging", "ambient"), ("thanks", "ack")]


def labels(path: Path, count: int = 120, *, polls: str = "who joins lunch number {}? vote below please") -> Path:
    """A file in which the team wants polls left alone."""
    rows = [(text.format(n), label) for n in range(count // 4) for text, label in TOLD]
    rows += [(polls.format(n), "ambient") for n in range(count // 4)]
    lines = [
        json.dumps({"message": {"text": text, "ts": f"{n}.1"}, "label": label, "by": f"U{n % 2}OPS"})
        for n, (text, label) in enumerate(rows)
    ]
    path.write_text("\n".join(lines))
    return path


@trains
def test_nothing_changes_without_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table before and after is shown, and nothing else is done."""
    home, file = tmp_path / "home", labels(tmp_path / "labels.ndjson")
    home.mkdir()
    assert retrain.main(argparse.Namespace(labels=file, undo=False, write=False, config=None, home=home)) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "120 labelled messages by 2 people" in shown.out
    assert "precision" in shown.out
    assert "Nothing was changed" in shown.out
    assert list(home.iterdir()) == []


@trains
def test_the_weights_that_were_kept_are_judged_by(tmp_path: Path) -> None:
    """From the next start on, under another version; a broken file is named, and --undo brings the old ones back."""
    lunch = "I would like to have the large room at {}, who is using it?"
    home, file = tmp_path / "home", labels(tmp_path / "labels.ndjson", 800, polls=lunch)
    asked = tmp_path / "asked.jsonl"
    home.mkdir()
    asked.write_text(f"{json.dumps({'text': lunch.format('noon')})}\n")

    def judged() -> dict[str, str]:
        done = triage("classify", "--home", str(home), stdin=asked.read_text(), cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        found: dict[str, str] = json.loads(done.stdout)
        return found

    before = judged()
    written = triage("retrain", "--labels", str(file), "--home", str(home), "--write", cwd=tmp_path)
    assert "Saved in" in written.stdout
    assert [path.name for path in home.iterdir()] == ["weights.json"]
    after = judged()
    assert (before["classification"], after["classification"]) == ("actionable", "ambient")
    assert before["classifier_version"] != after["classifier_version"]
    replayed = triage("replay", str(asked), "--home", str(home), cwd=tmp_path).stdout
    assert "ambient         100.0% (1)" in replayed
    kept = (home / "weights.json").read_text()
    for broken in ("{", kept.replace("question_at_end", "questions_at_end")):
        (home / "weights.json").write_text(broken)
        done = triage("classify", "--home", str(home), stdin=asked.read_text(), cwd=tmp_path)
        assert done.returncode != 0
        assert "weights.json" in done.stderr
        assert "triage retrain --undo" in done.stderr
    back = triage("retrain", "--undo", "--home", str(home), cwd=tmp_path)
    assert back.stdout == "The packaged weights are in use again.\n"
    assert list(home.iterdir()) == []
    assert judged()["classifier_version"] == before["classifier_version"]


def test_lines_that_are_no_labels_are_named(tmp_path: Path) -> None:
    """With file and line, and nothing is fitted: a label that is lost unseen would be worse."""
    file = tmp_path / "labels.ndjson"
    lines = [
        '\ufeff{"message": "why?", "label": "ack"}',
        "nope",
        '{"message": "why?", "label": "spam"}\r',
        "",
        "[" * 9_999,
    ]
    file.write_text("\n".join(lines))
    done = triage("retrain", "--labels", str(file), "--home", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 2
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == [f"{file}:{n}" for n in (2, 3, 5)]


def test_too_few_labels_are_refused(tmp_path: Path) -> None:
    """Weights of a handful of messages would tell nothing."""
    file = labels(tmp_path / "labels.ndjson", 20)
    done = triage("retrain", "--labels", str(file), "--home", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 2
    assert "expected at least 40 labelled messages" in done.stderr


def test_without_scikit_learn_it_says_what_to_install(tmp_path: Path) -> None:
    """It serves training alone, so not everybody has it."""
    (tmp_path / "sklearn.py").write_text("raise ImportError")
    file = labels(tmp_path / "labels.ndjson")
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = triage("retrain", "--labels", str(file), "--home", str(tmp_path), cwd=ROOT, variables={"PYTHONPATH": path})
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'scikit-learn>=1.5'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--labels"),
        (("--labels", "nowhere.ndjson"), "nowhere.ndjson cannot be read"),
        (("--labels", "x", "--undo"), "not allowed with"),
        (("--labels", "x", "--write", "--home", "nowhere"), "there is no home, which"),
        (("--undo", "--home", "nowhere"), "expected weights to undo"),
    ],
)
def test_a_mistake_is_clear(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """One line that says what to do."""
    done = triage("retrain", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


async def test_what_the_bot_writes_is_learned_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines of corrections as they are, those that were taken back left out: new words are a question then."""

    home, wish = tmp_path / "home", "the invoices of week {} want looking after"
    home.mkdir()
    journal = NdjsonJournal(home / "labels.ndjson", stop=None)
    labels = Labels(journal=journal, clock=HandClock())
    rows = [(wish.format(n), True) for n in range(60)] + [(f"deployed build {n} to staging", False) for n in range(60)]
    for n, (text, is_missed) in enumerate(rows):
        said = message(text, ts=f"{1000 + n * 900}.000001", sender=f"U{n}ANA", chat_name="billing")
        if is_missed:
            await labels.say(said, "actionable", by="U0OPS", why="missed_this", interaction_id=f"i{n}")
        else:
            await labels.say(said, "ambient", by="U0OPS", why="not_for_us", interaction_id=f"i{n}")
    gone = message(rows[0][0], ts="1000.000001")
    assert await labels.take_back(gone, by="U0OPS", why="missed_this", interaction_id="back")
    await journal.close()
    options = argparse.Namespace(labels=retrain.RECORDED, undo=False, write=True, config=None, home=home)
    assert await asyncio.to_thread(retrain.main, options) == 0
    assert "119 labelled messages by 1 person" in capsys.readouterr().out
    asked = message(wish.format(99), chat_name="billing")
    classes = [
        compile_rules(bot_id="U0BOT", table=table)
        .classify(asked, thread_is_open=False, at=T0, context=BEGINS)
        .classification
        for table in (None, await WeightsFile(home).read())
    ]
    assert classes == ["ambient", "actionable"]
