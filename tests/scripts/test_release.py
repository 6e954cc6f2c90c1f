"""Files of a release: equal builds, every library pinned with digests, and a bill of materials."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from scripts.lock import CONSTRAINTS, DEVELOPMENT, ROOT, RUNTIME, constraints_of, read_digests, read_pins


def test_every_library_that_the_program_asks_for_is_pinned_with_digests() -> None:
    """Also the developers' tools; the constraints are the same versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    runtime, development = ((ROOT / name).read_text() for name in (RUNTIME, DEVELOPMENT))
    extras = project["optional-dependencies"].values()
    for wanted, text in (
        (project["dependencies"], runtime),
        ([*project["dependencies"], *(each for extra in extras for each in extra)], development),
    ):
        pins, digests = read_pins(text), read_digests(text)
        assert {re.split(r"[\[>=<]", each)[0].lower() for each in wanted} <= {*pins}
        assert [name for name in pins if not digests.get(name)] == []
    assert (ROOT / CONSTRAINTS).read_text() == constraints_of(development)
    assert read_pins(runtime).items() <= read_pins(development).items()


@pytest.mark.long  # several seconds
def test_two_builds_are_equal(tmp_path: Path) -> None:
    """Wheel and sdist, in different folders, at different times."""
    pytest.importorskip("hatchling")
    from scripts.release import build, digests_of

    first, second = build(tmp_path / "first"), build(tmp_path / "second")
    assert len(digests_of(first)) == 2
    assert digests_of(first) == digests_of(second)


@pytest.mark.long  # as above
def test_the_bill_of_materials_names_every_library() -> None:
    """Each with version, digests and licence."""
    pytest.importorskip("cyclonedx_py")
    from scripts.release import bill_of_materials

    components = bill_of_materials()["components"]
    pins = read_pins((ROOT / RUNTIME).read_text())
    assert {each["name"]: each["version"] for each in components} == pins
    for each in components:
        assert each["licenses"][0]["license"]["name"] != "unknown"
        assert [reference for reference in each["externalReferences"] if reference.get("hashes")]


def test_a_pin_is_read_with_its_marker() -> None:
    """Some libraries are of one platform only."""
    text = (
        "a==1 \\\n    --hash=sha256:"
        + "0" * 64
        + "\nb.c==2.0 ; sys_platform == 'win32' \\\n    --hash=sha256:"
        + "1" * 64
    )
    assert read_pins(text) == {"a": "1", "b.c": "2.0"}
    assert read_digests(text) == {"a": ["0" * 64], "b.c": ["1" * 64]}
    assert constraints_of(text) == "a==1\nb.c==2.0 ; sys_platform == 'win32'\n"


def test_no_install_line_names_a_distribution_that_is_not_on_the_index() -> None:
    """Somebody else could publish one of that name."""
    texts = [ROOT / "README.md", ROOT / "triage.example.yml", *ROOT.glob("docs/**/*.md"), *ROOT.glob("bot/**/*.py")]
    named = re.compile(r"(?:install|uvx|pipx run)[^\n]*\btriage[-_]bot\b(?!-\*\.whl)")
    assert [str(path) for path in texts if named.search(path.read_text(encoding="utf-8"))] == []
