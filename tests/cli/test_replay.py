"""`triage replay` as people use it."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path

import pytest

from bot.cli.progress import ProgressBar
from tests.adapters.test_slack_export import contents, folder, says, zipped
from tests.forks import triage


def test_an_export_is_reported_as_text_and_page(tmp_path: Path) -> None:
    """Both say the same; the page is its owner's alone."""
    files = contents(help=[says("where is the limit set?"), says("thanks", "1767603700.1")], ops=[says("deployed")])
    export = zipped(tmp_path / "export.zip", files)
    page = tmp_path / "report.html"
    done = triage("replay", str(export), "--price", "0.21", "--html", str(page), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 in 2 channels" in done.stdout
    assert "$0.21 at $0.21 each" in done.stdout
    assert "where is the limit set?" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_channel_may_be_chosen(tmp_path: Path) -> None:
    """By its name or its id; one that is not there is said."""
    export = folder(tmp_path / "e", contents(help=[says("why?")], ops=[says("why?"), says("ok", "1767603700.1")]))
    for name in ("ops", "#ops", "C0OPS"):
        assert "2 in 1 channel" in triage("replay", str(export), "--channel", name, cwd=tmp_path).stdout
    done = triage("replay", str(export), "--channel", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "found no message of that channel" in done.stderr


def test_user_groups_are_said_to_count_for_nobody(tmp_path: Path) -> None:
    """The bot asks Slack who is in them; the commands ask nobody."""
    (tmp_path / "triage.yml").write_text("classifier: {team_members: [U0123ABCD, S0123ABCD]}\n")
    (tmp_path / "events.ndjson").write_text(json.dumps({"text": "why?"}) + "\n")
    said = "names 1 user group (S0123ABCD). Slack is not asked here"
    assert said in triage("replay", "events.ndjson", "--config", "triage.yml", cwd=tmp_path).stdout
    assert said in triage("classify", "--config", "triage.yml", cwd=tmp_path, stdin='{"text": "why?"}\n').stderr


def test_lines_that_could_not_be_read_are_said(tmp_path: Path) -> None:
    """The rest is reported, and the exit code is 1."""
    path = tmp_path / "events.ndjson"
    path.write_text("nope\n" + json.dumps({"text": "why?"}) + "\n")
    done = triage("replay", str(path), cwd=tmp_path)
    assert done.returncode == 1
    assert "1 could not be read: line 1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.zip",), "nowhere.zip: expected a Slack export"),
        (("empty.ndjson",), "found no message"),
        (("empty.ndjson", "--html", "no/such/report.html"), "--html: expected a folder"),
        (("empty.ndjson", "--price", "free"), "expected dollars"),
        (("empty.ndjson", "--config", "none.yml"), "none.yml"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """Before anything is read."""
    (tmp_path / "empty.ndjson").write_text("")
    done = triage("replay", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_appears_after_two_seconds_and_goes_at_the_end() -> None:
    """Whoever waits sees how far it is; quick work shows none."""
    stream, now = _Terminal(), [0.0]
    progress = ProgressBar(stream, lambda: now[0])
    progress.show(10, 100)
    assert stream.getvalue() == ""
    now[0] = 2.1
    progress.show(50, 100)
    assert " 50%" in stream.getvalue()
    progress.show(51, 100)
    assert "51%" not in stream.getvalue()
    progress.end()
    assert stream.getvalue().endswith("\r")


def test_no_bar_is_drawn_where_nobody_looks() -> None:
    """A log file is spared."""
    stream, now = io.StringIO(), [0.0]
    progress = ProgressBar(stream, lambda: now[0])
    now[0] = 10
    progress.show(1, 2)
    progress.end()
    assert stream.getvalue() == ""
