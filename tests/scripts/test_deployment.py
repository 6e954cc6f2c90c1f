"""Files of deployment: what they promise about the user, the volume and secrets, and the image's steps themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.cli.subcommands import COMMANDS
from measure.bare_root.dockerfile import Run, read_stages
from measure.bare_root.image import try_image
from measure.bare_root.installed import try_installed
from measure.bare_root.machine import find_reason_against
from measure.bare_root.sent import list_sent
from measure.first_hour import UNTIL_PAGE, measure, there
from scripts.lock import IMAGE, RUNTIME, read_pins

ROOT = Path(__file__).parents[2]


def test_the_image_runs_as_an_ordinary_user_with_a_volume_that_it_owns() -> None:
    """The health check and the command are subcommands that exist."""
    *_, image = read_stages((ROOT / "Dockerfile").read_text(), {"PATH": "/bin"})
    assert (image.surroundings.user, image.volumes) == ("10001", ("/state",))
    (made,) = [step.command for step in image.steps if isinstance(step, Run) and "useradd" in step.command]
    assert "--uid 10001" in made
    assert "--mode 700 --owner triage --group triage /state" in made
    assert image.health is not None
    assert image.health.command == ("triage", "alive")
    assert (*image.entrypoint, *image.arguments) == ("triage", "run")
    assert {"alive", "run"} <= {*COMMANDS}


def test_compose_takes_rights_away_and_keeps_the_state() -> None:
    """Secrets come by the file of variables, and are in no image."""
    service = yaml.safe_load((ROOT / "compose.yml").read_text())["services"]["triage"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "state:/state" in service["volumes"]
    assert "./triage.yml:/config/triage.yml:ro" in service["volumes"]
    assert service["env_file"] == ".env"


def test_each_replica_has_a_home_and_starts_after_the_migrations() -> None:
    """The password of the database comes from the file of variables, and no port is open."""
    services = yaml.safe_load((ROOT / "compose.replicas.yml").read_text())["services"]
    replicas = [services[name] for name in ("replica-1", "replica-2")]
    assert [replica["volumes"][0] for replica in replicas] == ["state-1:/state", "state-2:/state"]
    assert services["upgrade"]["command"] == ["db", "upgrade"]
    for replica in replicas:
        assert replica["depends_on"] == {"upgrade": {"condition": "service_completed_successfully"}}
        assert (replica["read_only"], replica["cap_drop"], replica["env_file"]) == (True, ["ALL"], ".env")
        assert "${POSTGRES_PASSWORD:?" in replica["environment"]["TRIAGE_DATABASE_URL"]
    assert not [name for name, service in services.items() if "ports" in service]


def test_the_image_has_what_replicas_need() -> None:
    """Beside the program's own libraries, with the same versions."""
    plain, image = (read_pins((ROOT / name).read_text()) for name in (RUNTIME, IMAGE))
    assert {name: image.get(name) for name in plain} == plain
    assert {"psycopg", "psycopg-binary", "psycopg-pool", "procrastinate"} <= {*image} - {*plain}


def test_the_service_starts_the_bot_as_its_own_user() -> None:
    """A wrong setting does not make it start again and again."""
    text = (ROOT / "triage.service").read_text()
    assert "ExecStart=/opt/triage/venv/bin/triage run" in text
    assert {"User=triage", "RestartPreventExitStatus=2", "KillMode=process"} <= {*text.splitlines()}


def test_a_build_gets_what_the_wheel_needs_and_no_secrets() -> None:
    """Neither history, variables nor settings."""
    secret = (".git/config", ".env", "bot/.env", ".venv/bin/python", "triage.yml")
    names = {str(path) for path in list_sent(*secret)}
    assert {"pyproject.toml", "README.md", "LICENSE", "manifest.yml", "bot/__main__.py", "docs/install.md"} <= names
    assert not [name for name in names if name.startswith((".", "tests", "measure", "docs/images"))]
    assert names.isdisjoint({"bot/.env", "triage.yml"})


@pytest.mark.long  # a minute, and packages
async def test_the_steps_of_the_image_end_in_a_bot_that_works() -> None:
    """In bare roots: built, healthy, asked, stopped by SIGTERM; its user may write to the volume alone."""
    _demand_a_root()
    said: list[str] = []
    await try_image(said.append)
    assert "user 10001 may write to /state and nothing else" in said
    assert said[-1].startswith("SIGTERM ends it with exit code 0")


@pytest.mark.long  # two minutes, and packages
@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_each_way_to_install_gives_a_program_that_works(release: str) -> None:
    """The lines of docs/install.md, for a new user of a Debian that has git and Python: wheel and clone."""
    pytest.importorskip("hatchling")
    _demand_a_root()
    said: list[str] = []
    try_installed(release, said.append)
    assert said.count("triage demo: a question is answered and approved on its page") == 2


@pytest.mark.long  # a minute, and packages
async def test_a_newcomer_comes_from_a_clone_to_an_approved_reply(capsys: pytest.CaptureFixture[str]) -> None:
    """With what the README asks for and no more, on the oldest Python; how long it takes is measured elsewhere."""
    _demand_a_root()
    with there("bookworm", None) as place:
        await measure(place, "triage", UNTIL_PAGE["cold"])
    assert "the approved reply is posted" in capsys.readouterr().out


def _demand_a_root() -> None:
    if reason := find_reason_against():
        pytest.skip(f"a bare root {reason}")
