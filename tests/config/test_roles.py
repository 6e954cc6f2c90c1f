"""Role files and the rules that need them, read from a disk as `triage run` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.config.settings import load
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

    from bot.decide.router import Router

ROUTING = "routing: {default: api-dev, rules: [{pattern: ^ui, role: api-dev, cwd: ./web/src}]}"
FRONT = "name: api-dev\ndisplayName: API Dev\ncategory: coding\ncwd: ./api"
SETTINGS = "projects: {api: {root: ./api}, web: {root: ./web}}"


def written(tmp_path: Path, *, routing: str = ROUTING, front: str | None = FRONT, prompt: str = "You know it.") -> Path:
    for folder in ("api", "web/src", "roles"):
        (tmp_path / folder).mkdir(parents=True)
    if front is not None:
        (tmp_path / "roles" / "api-dev.md").write_text(f"---\n{front}\n---\n\n{prompt}\n")
    path = tmp_path / "triage.yml"
    path.write_text(f"{SETTINGS}\n{routing}\n")
    return path


def test_rules_and_roles_come_together(tmp_path: Path) -> None:
    """A relative folder starts at the settings file, and its project is the one around it."""
    routes = load(written(tmp_path)).routes
    assert routes is not None
    assert routes.roles["api-dev"].prompt == "You know it."
    by_rule, by_default = routes.router.route("ui", "C0HELP"), routes.router.route("x", "C0HELP")
    assert (by_rule.project, by_rule.folder) == ("web", "src")
    assert (by_default.project, by_default.folder) == ("api", ".")


def test_without_a_routing_section_there_are_no_routes(tmp_path: Path) -> None:
    """Then no role file is read, not even one that is wrong."""
    assert load(written(tmp_path, routing="", front="?")).routes is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"front": None}, "roles/api-dev.md: expected a role file; routing.default and routing.rules.0 need it"),
        ({"front": "name: api-dev"}, "api-dev.md:2: displayName: expected a value, found none"),
        ({"front": FRONT.replace("coding", "cooking")}, "api-dev.md:4: category: expected one of `categories`"),
        (
            {"front": f"{FRONT}\nmodel: big"},
            "api-dev.md:6: model: expected one of name, displayName, category, cwd",
        ),
        ({"front": FRONT.replace("api-dev", "other")}, "api-dev.md:2: name: expected api-dev, as the file is called"),
        ({"front": FRONT.replace("./api", "./nowhere")}, "api-dev.md: cwd: expected a folder that exists"),
        ({"front": FRONT.replace("./api", "./roles")}, "api-dev.md: cwd: expected a folder inside the root of one"),
        ({"front": FRONT.replace("./api", "~nobody-here/api")}, "api-dev.md: cwd: expected a folder that exists"),
        ({"front": FRONT.replace("./api", '"a\\0b"')}, "api-dev.md: cwd: expected a folder that exists"),
        ({"front": FRONT.replace("./api", "a" * 5_000)}, "api-dev.md: cwd: expected a folder that exists"),
        ({"front": FRONT.replace("./api", "5")}, "api-dev.md:5: cwd: expected a path"),
        ({"front": FRONT.replace("API Dev", "5")}, "api-dev.md:3: displayName: expected a valid string"),
        ({"front": FRONT.replace("./api", "project:api/lib")}, "cwd: expected a folder that exists in api, got lib"),
        ({"prompt": "a" * 100_000}, "api-dev.md: expected a file of at most 100,000 bytes"),
        ({"prompt": " "}, "api-dev.md:6: expected a prompt beneath the front matter"),
        ({"front": "a: ["}, "api-dev.md:3: expected YAML"),
        (
            {"routing": ROUTING.replace("./web/src", "./web/lib")},
            "triage.yml:2: routing.rules.0.cwd: expected a",
        ),
        ({"routing": ROUTING.replace("^ui", "'(?=x)'")}, "triage.yml:2: routing.rules.0.pattern: '(?=x)' is not a re2"),
        ({"routing": "routing: {rules: []}"}, "triage.yml:2: routing.default: expected a value, found none"),
        ({"routing": "routing: {default: '../x'}"}, "triage.yml:2: routing.default: expected a role's name"),
        (
            {"routing": "watched_chats: [{chat_id: C0HELP, project: app}]"},
            "watched_chats.0.project: expected one of",
        ),
    ],
)
def test_a_mistake_names_file_line_and_key(tmp_path: Path, given: dict[str, str | None], said: str) -> None:
    """A missing role names the rules that need it."""
    with pytest.raises(Misconfigured) as complaint:
        load(written(tmp_path, **given))  # type: ignore[arg-type]  # a table of what differs
    assert said in str(complaint.value)


@pytest.mark.parametrize(
    ("key", "is_explained"),
    [("model", True), ("maxTurns", True), ("maxBudgetUsd", True), ("inactivityTimeout", True), ("colour", False)],
)
def test_a_limit_in_a_role_file_is_explained(tmp_path: Path, key: str, is_explained: bool) -> None:
    """It has its place in the role's category; any other key has none."""
    with pytest.raises(Misconfigured) as complaint:
        load(written(tmp_path, front=f"{FRONT}\n{key}: 5"))
    explanation = "; the limits of a run are set by its category" if is_explained else ""
    assert str(complaint.value).endswith(f": {key}: expected one of name, displayName, category, cwd{explanation}")


def test_a_name_with_other_characters_is_explained(tmp_path: Path) -> None:
    """Not with the pattern that it breaks."""
    with pytest.raises(Misconfigured, match=r"api-dev\.md:2: name: expected a name of lower-case letters"):
        load(written(tmp_path, front=FRONT.replace("api-dev", "API Dev")))


def test_a_watched_channel_may_have_a_project(tmp_path: Path) -> None:
    """It counts before the folder of the role."""
    path = written(tmp_path, routing=f"{ROUTING}\nwatched_chats: [{{chat_id: C0HELP, project: web}}]")
    routes = load(path).routes
    assert routes is not None
    assert [routes.router.route("x", channel).project for channel in ("C0HELP", "C0ELSE")] == ["web", "api"]


def test_a_missing_name_is_one_mistake(tmp_path: Path) -> None:
    """It is not compared with that of the file; each mistake has its own line."""
    with pytest.raises(Misconfigured) as complaint:
        load(written(tmp_path, front="displayName: API Dev\ncategory: cooking"))
    path = tmp_path / "roles" / "api-dev.md"
    first, second = str(complaint.value).splitlines()
    assert first == f"{path}:2: name: expected a value, found none"
    assert second.startswith(f"{path}:3: category: expected one of `categories` in the settings: ")


@pytest.mark.parametrize(("begins", "is_read"), [("\ufeff", True), ("\n", False), ("X", False)])
def test_a_role_file_may_begin_with_a_byte_order_mark(tmp_path: Path, begins: str, is_read: bool) -> None:
    """As some editors write it; nothing else may stand before the front matter."""
    path = written(tmp_path)
    role = tmp_path / "roles" / "api-dev.md"
    role.write_text(begins + role.read_text())
    if is_read:
        assert load(path).routes
    else:
        with pytest.raises(Misconfigured, match=r"api-dev\.md:1: expected front matter"):
            load(path)


def test_a_folder_in_two_projects_is_in_none_for_sure(tmp_path: Path) -> None:
    """The complaint names them, or says that there is none."""
    path = written(tmp_path, front=FRONT.replace("./api", "./web/src"))
    path.write_text(f"projects: {{web: {{root: ./web}}, whole: {{root: .}}, api: {{root: ./api}}}}\n{ROUTING}\n")
    with pytest.raises(Misconfigured, match="one project, web/src is in web and whole"):
        load(path)
    path.write_text(f"projects: {{api: {{root: ./api}}}}\n{ROUTING}\n")
    with pytest.raises(Misconfigured, match="one project, web/src is in none"):
        load(path)


def test_a_mistake_in_a_rule_has_the_line_of_its_key(tmp_path: Path) -> None:
    """Of that rule, not of the first one."""
    rules = "  rules:\n    - pattern: ^ui\n      role: api-dev\n    - role: api-dev\n      pattern: '(?=x)'"
    with pytest.raises(Misconfigured, match=r"triage\.yml:8: routing\.rules\.1\.pattern: "):
        load(written(tmp_path, routing=f"routing:\n  default: api-dev\n{rules}"))


def test_a_default_role_without_a_folder_is_a_mistake_where_there_are_several_projects(tmp_path: Path) -> None:
    """Nobody can tell where its questions are investigated."""
    with pytest.raises(Misconfigured, match=r"triage\.yml:2: routing\.default: no cwd: neither the rule nor the role"):
        load(written(tmp_path, front=FRONT.replace("\ncwd: ./api", "")))


def test_rules_that_are_too_large_together_are_a_mistake(tmp_path: Path) -> None:
    """Though each would do alone."""
    rules = ", ".join(f"{{pattern: '{number}\\pL{{400}}', role: api-dev}}" for number in range(2))
    with pytest.raises(Misconfigured, match=r"triage\.yml:2: routing\.rules: all patterns together are too large"):
        load(written(tmp_path, routing=f"routing: {{default: api-dev, rules: [{rules}]}}"))


def test_a_rule_counts_in_its_channel_alone(tmp_path: Path) -> None:
    """Elsewhere the default role answers."""
    routing = ROUTING.replace("./web/src", "./web/src, channel: C0WEB")
    routes = load(written(tmp_path, routing=routing)).routes
    assert routes is not None
    assert [routes.router.route("ui", channel).project for channel in ("C0WEB", "C0HELP")] == ["web", "api"]


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    """Of role files, folders, patterns and channels; in four lines, and for `triage doctor` all of them."""
    rules = "{pattern: '(?=x)', role: api-dev, cwd: ./nowhere}, {pattern: '(', role: none-1}, {pattern: x, role: qa}"
    routing = f"routing: {{default: api-dev, rules: [{rules}]}}\nwatched_chats: [{{chat_id: C0HELP, project: app}}]"
    path = written(tmp_path, routing=routing, front="name: other\ncategory: cooking\nmodel: big\ndisplayName: ''")
    (tmp_path / "roles" / "qa.md").write_text("---\nname: qa\ndisplayName: QA\ncategory: coding\n---\nYou test.\n")
    with pytest.raises(Misconfigured) as complaint:
        load(path, max_complaints=None)
    said = str(complaint.value)
    for words in (
        "watched_chats.0.project: expected one of",
        "api-dev.md:2: name: expected api-dev",
        "api-dev.md:3: category: expected one of",
        "api-dev.md:4: model: expected one of",
        "api-dev.md:5: displayName: expected",
        "none-1.md: expected a role file; routing.rules.1 needs it",
        "triage.yml:2: routing.rules.0.cwd: expected a folder",
        "triage.yml:2: routing.rules.0.pattern: '(?=x)' is not a re2 pattern",
        "triage.yml:2: routing.rules.1.pattern: '(' is not a re2 pattern",
        "triage.yml:2: routing.rules.2: no cwd: neither the rule nor the role qa",
    ):
        assert words in said
    assert len(said.splitlines()) == 10
    with pytest.raises(Misconfigured, match="and 7 more; `triage doctor` names each"):
        load(path)


def test_a_role_file_without_front_matter_is_named(tmp_path: Path) -> None:
    """It may be any Markdown file."""
    path = written(tmp_path)
    (tmp_path / "roles" / "api-dev.md").write_text("# API\n")
    with pytest.raises(Misconfigured, match=r"api-dev\.md:1: expected front matter between two lines of ---"):
        load(path)


SEVERAL = "projects: {shop: {roots: [{name: api, root: ./api}, {name: web, root: ./web}]}, box: {repository: ./web}}"


def routed(tmp_path: Path, cwd: str) -> Router:
    """The router of a project with two roots and of one that is fetched; the default role stands in `cwd`."""
    path = written(tmp_path, routing=ROUTING, front=FRONT.replace("./api", cwd))
    path.write_text(f"{SEVERAL}\n{ROUTING}\n")
    routes = load(path, tmp_path / "home").routes
    assert routes is not None
    return routes.router


@pytest.mark.parametrize(
    ("cwd", "project", "folder"),
    [
        ("./web/src", "shop/web", "src"),
        ("project:box", "box", "."),
        ("project:box/deploy/eu", "box", "deploy/eu"),
        ("project:box/X/", "box", "X"),
        ("project:shop/web/src", "shop/web", "src"),
    ],
)
def test_a_folder_lies_in_one_root(tmp_path: Path, cwd: str, project: str, folder: str) -> None:
    """Which fixes evidence and links. What is fetched has no place beside the settings, and is named instead."""
    route = routed(tmp_path, cwd).route("x", "C0HELP")
    assert (route.project, route.folder) == (project, folder)


def test_a_project_that_is_named_keeps_the_roots_folder(tmp_path: Path) -> None:
    """The name in the message is the project's; a role in one of its roots stays there, another one searches all."""
    router = routed(tmp_path, "project:shop/web/src")
    assert router.route("why? project:shop", "C0HELP").project == "shop/web"
    assert router.route("why? project:box", "C0HELP").project == "box"


@pytest.mark.parametrize("cwd", ["project:shop", "project:nowhere", "project:box/../x", "project:boxes"])
def test_a_named_folder_that_is_in_no_root_is_refused(tmp_path: Path, cwd: str) -> None:
    """With the names that there are."""
    with pytest.raises(Misconfigured, match="expected project:name or project:name/folder with one of shop/api, "):
        routed(tmp_path, cwd)
