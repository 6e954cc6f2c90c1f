"""Settings and environment: each mistake gets file, key and what was expected, and no value of a secret."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.config.environment import read_environment, read_model_key
from bot.config.limits import workflow_limits
from bot.config.sections.slack import ReactionsSection
from bot.config.settings import load
from bot.config.settings_checks import chat_readiness, lacks_second, model_is_usable, odd_reach, ready_to_run, tokens
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured
from bot.models.viewed_page import SubjectProject

ROLE = "---\nname: platform-dev\ndisplayName: Platform Dev\ncategory: coding\ncwd: ./platform\n---\nYou know it.\n"
EXAMPLE = Path(__file__).resolve().parents[2] / "triage.example.yml"


class Unrouted:
    """A router that knows no route."""

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> None:
        """None."""


def written(folder: Path, text: str) -> Path:
    """A settings file with this text."""
    path = folder / "triage.yml"
    path.write_text(text)
    return path


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    """Every section has defaults."""
    settings = load(written(tmp_path, ""))
    assert (settings.engine, settings.slack.debounce_ms, settings.investigator.max_rounds) == ("keyword", 2000, 2)


def test_the_example_is_valid_and_names_every_key(tmp_path: Path) -> None:
    """What people copy works, and nothing that they could set is missing from it."""
    (tmp_path / "platform").mkdir()
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "platform-dev.md").write_text(ROLE)
    text = EXAMPLE.read_text()
    settings = load(written(tmp_path, text))
    assert settings.project_list[0].root == tmp_path / "platform"
    for section in [settings, *(getattr(settings, name) for name in type(settings).model_fields)]:
        for key, field in getattr(type(section), "model_fields", {}).items():
            assert f"{field.alias or key}:" in text


@pytest.mark.parametrize("said", ["required", "auto", "off"])
def test_isolation_is_a_word_that_yaml_knows(tmp_path: Path, said: str) -> None:
    """YAML reads `off` as false."""
    assert load(written(tmp_path, f"security: {{isolation: {said}}}")).security.isolation == said


def test_a_file_that_is_too_long_is_refused_and_not_read_in_part(tmp_path: Path) -> None:
    """Its end may hold what matters most."""
    with pytest.raises(Misconfigured, match="expected a file of at most 1,000,000 bytes"):
        load(written(tmp_path, "engine: keyword\n" + "# nothing\n" * 100_000))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("engine: gpt", ":1: engine: expected 'claude' or 'keyword'"),
        ("\nenigne: keyword", ":2: enigne: expected a known key, perhaps engine"),
        ("slack:\n  debounce_ms: soon", ":2: slack.debounce_ms: expected a whole number"),
        ("slack:\n  pace: 0", ":2: slack.pace: expected greater than 0"),
        ("slack:\n  pace: 1000", ":2: slack.pace: expected at most 20"),
        ("approval: {working_hours: {days: []}}", ":1: approval.working_hours.days: expected at least 1, found 0"),
        ("floods:\n  per_user: {burst: 3}", ":2: floods.per_user.per_minute: expected a value, found none"),
        ("floods:\n  per_user: {per_minut: 3, burst: 3}", "expected a known key, perhaps per_minute"),
        ("tiers:\n  3: {max_turns: 5000}", ":2: tiers.3.max_turns: expected at most 1000"),
        ("tiers:\n  2: {command: []}", ":2: tiers.2.command: expected a program and its arguments"),
        ("tiers:\n  2: {command: [a, '{tsk}']}", ":2: tiers.2.command: unknown placeholder {tsk}; known are task_file"),
        ("tiers:\n  2: {command: [bin/a]}", ":2: tiers.2.command: expected a program in PATH or an absolute path"),
        ("tiers:\n  3: {env: [SLACK_BOT_TOKEN]}", ":2: tiers.3.env: expected no variable of Slack"),
        ("tiers:\n  3: {env: ['A=b']}", "tiers.3.env.0: expected the name of a variable"),
        ("slack:\n  debounce: 3", "slack.debounce: expected a known key, perhaps debounce_ms"),
        ("categories:\n  coding: {turn: 3}", "categories.coding.turn: expected a known key, perhaps turns"),
        (
            "routing: {default: a, rules: [{patern: x, pattern: x, role: a}]}",
            "patern: expected a known key, perhaps pattern",
        ),
        ("watched_chats: [{chat_id: C0123, mod: live}]", "watched_chats.0.mod: expected a known key, perhaps mode"),
        ("escalation: {enabled: perhaps}", "escalation.enabled: expected true or false"),
        ("watched_chats: C0HELP", "watched_chats: expected a list"),
        ("watched_chats:\n- name: x\n", ":2: watched_chats.0.chat_id: expected a value, found none"),
        ("watched_chats:\n- {chat_id: help}", "chat_id: expected a Slack channel id such as C0123ABCD"),
        ("watched_chats:\n- {chat_id: C0HELP, mode: loud}", "mode: expected 'live', 'preview' or 'silent'"),
        ("watched_chats:\n- {chat_id: C0HELP, cards: mail}", "cards: expected 'dm', 'ephemeral', 'both' or 'channel'"),
        ("approval: {working_hours: {from: soon}}", "working_hours.from: expected a time of day such as 09:30"),
        ("approval: {working_hours: {to: 25:00}}", "working_hours.to: expected a time of day from 00:00 to 24:00"),
        ("approval: {working_hours: {from: 18:00, to: 9:00}}", "working_hours: expected `from` before `to`"),
        ("approval: {working_hours: {days: [sunday]}}", "working_hours.days.0: expected 'mon', 'tue'"),
        ("approval: {queue_channel: triage}", "queue_channel: expected a Slack channel id such as C0123ABCD"),
        ("security: {isolation: maybe}", "security.isolation: expected 'required', 'auto' or 'off'"),
        ("security: {isolated: auto}", "security.isolated: expected a known key, perhaps isolation"),
        ("operators: [ana]", "operators.0: expected a Slack user id such as U0123ABCD"),
        ("projects:\n  a: {root: ./nowhere}", ":2: projects.a.root: expected a folder that exists"),
        ("projects:\n  'a b': {root: .}", "projects.a b: expected a name of at most 64 letters"),
        ("classifier:\n  ack_patterns: ['(?=x)']", "classifier.ack_patterns: '(?=x)' is not a valid re2 pattern"),
        ("classifier:\n  languages: [en, xx]", "classifier.languages: expected language packs of de, en"),
        ("classifier:\n  alert_bots: [deploybot]", "alert_bots.0: expected a bot's id such as B0123ABCD"),
        ("classifier:\n  alert_pause_min: 0", "classifier.alert_pause_min: expected at least 1"),
        ("timezone: Mars/Olympus", ":1: timezone: expected a time zone such as Europe/Berlin"),
        ("timezone: ../../etc/passwd", "timezone: expected a time zone"),
        ("slack_bot_token: x", "slack_bot_token: expected a known key"),
        ("engine: keyword\nengine: claude", ":2: engine: expected once, first seen in line 1"),
        ("watched_chats: [{chat_id: C0HELP}, {chat_id: C0HELP}]", "each channel once, found C0HELP twice"),
        ("projects:\n  a: {root: 5}", ":2: projects.a.root: expected a path"),
        ("a: 2001-99-99", "expected values that exist"),
        ("a: &x [1]\nb: *x", ":2: expected no alias (*x)"),
        ("a: " + "[" * 20_000, ":1: expected at most 50 levels"),
        ("model: {base_url: 'http://example.org'}", ":1: model.base_url: expected an https address, or http on this"),
        ("model: {base_url: 'http://127.0.0.1.example.org'}", "model.base_url: expected an https address"),
        ("model: {base_url: 'https://me:pass@example.org'}", "model.base_url: expected an address of host and path"),
        ("model: {base_url: ''}", "model.base_url: expected an https address"),
        ("model:\n  max_usd_per_day: 0", ":2: model.max_usd_per_day: expected greater than 0"),
        ("slack:\n  debounce_ms: true", ":2: slack.debounce_ms: expected a number, got true"),
        ("model:\n  max_usd_per_day: no", ":2: model.max_usd_per_day: expected a number, got false"),
        ("classifier:\n  question_keywords: ['']", ":2: classifier.question_keywords.0: expected a word with at least"),
        ("classifier:\n  question_keywords: ['?!']", "question_keywords.0: expected a word with at least one letter"),
        ("categories:\n  Coding: {}", ":2: categories.Coding: expected a category's name: lower-case letters"),
        ("owners:\n  ana: U0ANA", ":2: owners.ana: expected an owner as CODEOWNERS has it"),
        ("projects:\n  a: {root: ., ignore: ['!x']}", "ignore.0: expected a pattern of .gitignore without !"),
        ("a: [", "expected YAML"),
        ("- a", "expected keys with values"),
        ("\x00", "expected YAML"),
    ],
)
def test_a_mistake_names_file_key_and_what_was_expected(tmp_path: Path, text: str, said: str) -> None:
    """One glance is enough to mend it."""
    path = written(tmp_path, text)
    with pytest.raises(Misconfigured) as raised:
        load(path)
    assert str(raised.value).startswith(str(path))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("root: ./.docker", "projects.shop.root: expected a folder that may be read"),
        ("root: ./linked", ".docker holds secrets by its name"),
        ("root: ./secrets/app", "secrets holds secrets by its name"),
        ("roots: [{name: a, root: ./.docker}]", "projects.shop.roots.0.root: expected a folder that may be read"),
        ("repository: ./.docker", "projects.shop.repository: expected a folder that may be read"),
        ("{root: ./shop, knowledge: [./.docker]}", "projects.shop.knowledge: expected a folder that may be read"),
        ("root: ./clone/docs", "clone/docs leads out of its repository: name the target folder itself"),
        ("repository: 'file://{here}/clone/docs'", "clone/docs leads out of its repository"),
        ("root: ./clone/docs/inner", "clone/docs leads out of its repository"),
        ("root: ./hop", "clone/docs leads out of its repository"),
        ("root: ./hop2/inner", "clone/docs leads out of its repository"),
        ("root: ./clone/near", "clone/near leads out of its repository"),
        ("{root: ./shop, knowledge: [./clone/docs]}", "clone/docs leads out of its repository"),
        ("root: ./home", "projects.shop.root: expected a folder outside of Triage's own state"),
        ("root: ./home/state/..", "expected a folder outside of Triage's own state"),
        ("root: ./way/state", "expected a folder outside of Triage's own state"),
        ("repository: ./home/state", "projects.shop.repository: expected a folder outside of Triage's own state"),
        ("{root: ./shop, knowledge: [./home]}", "projects.shop.knowledge: expected a folder outside of Triage's own"),
    ],
)
def test_a_folder_of_credentials_or_of_the_home_is_no_project(tmp_path: Path, keys: str, said: str) -> None:
    """By any part of the path that it resolves to; the line says so."""
    (tmp_path / "way").symlink_to("home")
    for folder in ("shop/inner", ".docker", "secrets/app", "home/state", "clone/.git"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "clone" / "docs").symlink_to("../shop")
    (tmp_path / "clone" / "near").symlink_to("docs/inner")
    (tmp_path / "hop").symlink_to("clone/docs")
    (tmp_path / "hop2").symlink_to(tmp_path / "hop")
    (tmp_path / "linked").symlink_to(tmp_path / ".docker")
    path = tmp_path / "triage.yml"
    keys = keys.replace("{here}", str(tmp_path))
    path.write_text(f"projects:\n  shop: {keys if keys.startswith('{') else '{' + keys + '}'}\n")
    with pytest.raises(Misconfigured) as raised:
        load(path, tmp_path / "home")
    assert "triage.yml:2: " in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("folder", "wrong", "odd"),
    [
        ("./shop", "", ""),
        (".", "", ""),
        ("./file", "expected a folder, got file", ""),
        ("./file/inner", "", "is missing, so no command can create a project there"),
        ("./missing", "", "is missing, so no command can create a project there"),
        ("./dangling", "", "is missing, so no command"),
        ("/proc", "expected a folder of files, got /proc", ""),
        ("/proc/self/task", "expected a folder of files", ""),
        ("/dev/pts", "expected a folder of files", ""),
        ("./.docker", ".docker holds secrets by its name", ""),
        ("./shop/.git", "name the folder around it", ""),
        ("~nobody-of-that-name/x", "expected a folder, got ~nobody-of-that-name/x", ""),
        ("'/a\0b'", "expected", ""),
        ("'~'", "", "a home with all its contents"),
        ("~/..", "", "a home with all its contents"),
        ("./home-by-link", "", "a home with all its contents"),
        ("/", "", "commands may read all of this machine"),
        ("//", "", "commands may read all of this machine"),
    ],
)
def test_a_folder_for_made_projects_is_one_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, wrong: str, odd: str
) -> None:
    """What can never serve is an error; what serves nothing yet, or more than may be meant, is said by `doctor`."""
    here = tmp_path / "here"
    for made in (here / "shop" / ".git", here / ".docker", tmp_path / "homes" / "me"):
        made.mkdir(parents=True)
    (here / "file").touch()
    (here / "dangling").symlink_to(here / "gone")
    (here / "home-by-link").symlink_to(tmp_path / "homes" / "me")
    monkeypatch.setenv("HOME", str(tmp_path / "homes" / "me"))
    monkeypatch.chdir(here / "shop")
    path = here / "triage.yml"
    path.write_text(f"operators: []\nprojects_below:\n  - {folder}\n")
    if wrong:
        with pytest.raises(Misconfigured, match=re.escape(wrong)):
            load(path)
        return
    found = odd_reach(load(path))
    assert [odd in each for each in found] == ([True] if odd else [])
    assert all(each.startswith(f"{path}:3: projects_below.0: ") for each in found)


def test_a_channel_without_a_mode_is_for_practice(tmp_path: Path) -> None:
    """Nothing is posted where nobody has said that it may be."""
    settings = load(written(tmp_path, "watched_chats: [{chat_id: C0HELP}, {chat_id: C0LIVE, mode: live}]"))
    assert [chat.mode for chat in settings.watched_chats] == ["preview", "live"]


def test_many_mistakes_are_said_in_four_lines(tmp_path: Path) -> None:
    """The first three, and how many there are."""
    with pytest.raises(Misconfigured) as raised:
        load(written(tmp_path, "\n".join(f"key{n}: 1" for n in range(9))))
    lines = str(raised.value).splitlines()
    assert len(lines) == 4
    assert "6 more" in lines[3]


def test_all_mistakes_are_told_to_whoever_asks_for_them(tmp_path: Path) -> None:
    """Wrong values and folders that are missing, each with file and line; a folder of notes with how to make it."""
    with pytest.raises(Misconfigured) as raised:
        load(written(tmp_path, "\n".join(f"key{n}: 1" for n in range(9))), max_complaints=None)
    assert len(str(raised.value).splitlines()) == 9
    text = "watched_chats: [{chat_id: C0HELP, project: b}]\nprojects:\n  a:\n    root: ./no\n    knowledge: [notes]\n"
    with pytest.raises(Misconfigured) as raised:
        load(path := written(tmp_path, text), max_complaints=None)
    root, notes, chat = str(raised.value).splitlines()
    assert root.startswith(
        f"{path}:4: projects.a.root: expected a folder that exists, found none at {tmp_path / 'no'}: "
    )
    assert root.endswith("put the code there, or name another")
    assert notes.startswith(f"{path}:5: projects.a.knowledge: ")
    assert f"`mkdir -p {tmp_path / 'notes'}`" in notes
    assert chat.startswith(f"{path}:1: watched_chats.0.project: expected one of a")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With what to do about it."""
    with pytest.raises(Misconfigured, match=r"triage\.example\.yml"):
        load(tmp_path / "none.yml")


def test_the_environment_changes_no_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that happens to be called like a setting is not one."""
    monkeypatch.setenv("ENGINE", "claude")
    monkeypatch.setenv("OPERATORS", '["U0EVIL"]')
    settings = load(written(tmp_path, ""))
    assert (settings.engine, settings.operators) == ("keyword", ())


def test_a_token_of_the_wrong_kind_is_named_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is named, its value is not."""
    value = "xoxp" + "-of-a-person"
    monkeypatch.setenv("SLACK_BOT_TOKEN", value)
    with pytest.raises(Misconfigured) as raised:
        read_environment()
    assert "SLACK_BOT_TOKEN" in str(raised.value)
    assert value not in str(raised.value)


def test_no_printing_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """`repr` and `str` show asterisks."""
    value = "xoxb" + "-1-secret"
    monkeypatch.setenv("SLACK_BOT_TOKEN", value)
    assert value not in f"{read_environment()!r} {read_environment()}"


def test_missing_tokens_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both at the same time, not one after the other."""
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Misconfigured, match=r"SLACK_BOT_TOKEN.*SLACK_APP_TOKEN"):
        tokens(read_environment())


@pytest.mark.parametrize("url", ["https://gateway.example.org/x", "http://127.0.0.1:11434", "http://localhost:8080"])
def test_a_model_may_be_on_this_machine_or_behind_https(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Named in the settings, or by the variable that other tools know."""
    assert load(written(tmp_path, f"model: {{base_url: '{url}'}}")).model.base_url == url
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    assert read_environment().anthropic_base_url == url
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://example.org")
    with pytest.raises(Misconfigured, match="ANTHROPIC_BASE_URL: expected an https address"):
        read_environment()


@pytest.mark.parametrize(
    ("text", "key", "warned"),
    [
        ("engine: claude", "", True),
        ("engine: claude", "sk-ant" + "-x", False),
        ("engine: claude\nmodel: {base_url: 'http://127.0.0.1:11434'}", "", False),
        ("engine: keyword", "", False),
    ],
)
def test_a_model_without_a_key_is_warned_of_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, key: str, warned: bool
) -> None:
    """Where Anthropic's own server would be asked; the warning names the variable and who answers instead."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    warning = model_is_usable(load(written(tmp_path, text)), read_environment())
    assert bool(warning) is warned
    if warning:
        assert "ANTHROPIC_API_KEY" in warning
        assert "keyword engine answers" in warning


@pytest.mark.parametrize(
    ("text", "key", "ready", "said"),
    [
        ("engine: keyword", "k", None, "off"),
        ("engine: keyword\nchat: {enabled: true}", "k", True, "ready, on claude-opus-5-5 at Anthropic"),
        ("engine: keyword\nchat: {enabled: true}", "", False, "nobody can talk to Triage"),
        ("engine: claude\nchat: {enabled: false}", "k", None, "off"),
        ("engine: claude\nchat: {model: small}", "k", True, "ready, on small"),
        ("engine: claude\ninvestigator: {model: own}", "k", True, "ready, on own"),
        ("engine: claude", "", False, "no ANTHROPIC_API_KEY"),
    ],
)
def test_people_can_talk_where_a_model_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, key: str, ready: bool | None, said: str
) -> None:
    """With `engine: claude` unless it is switched off, and where it is switched on; as `triage doctor` says it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    state, sentence = chat_readiness(load(written(tmp_path, text)), read_environment())
    assert (state, said in sentence) == (ready, True), sentence


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("one-key\n", "one-key"),
        ("# of the bot\nSLACK_BOT_TOKEN=no\nexport ANTHROPIC_API_KEY='one-key'\n", "one-key"),
        ("ANTHROPIC_API_KEY=old\nANTHROPIC_API_KEY=one-key=", "one-key="),
        ("key-with-padding==", "key-with-padding=="),
        ("", None),
        ("ANTHROPIC_API_KEY=\n", None),
        ("SLACK_BOT_TOKEN=no\n", None),
        ("two\nlines\n", None),
    ],
)
def test_the_models_key_may_stand_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, key: str | None
) -> None:
    """Alone, or as systemd's EnvironmentFile has it; a file without one is named, never with what it holds."""
    path = tmp_path / "key"
    path.write_text(content)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(path))
    if key is None:
        with pytest.raises(Misconfigured, match=r"^ANTHROPIC_API_KEY_FILE: .* holds no key") as raised:
            read_environment()
        assert "SLACK" not in str(raised.value)
        return
    known = read_environment()
    assert key in known.secrets
    path.write_text("another")
    again = read_model_key(known)
    assert again is not None
    assert again.get_secret_value() == "another"
    path.unlink()
    with pytest.raises(Misconfigured, match="cannot be read"):
        read_model_key(known)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765/api/"),
        ("http://localhost:8765/api", "http://localhost:8765/api/"),
        ("https://slack.example.org/api/", "https://slack.example.org/api/"),
        ("http://slack.example.org/api/", None),
        ("slack.com", None),
        ("file:///etc/passwd", None),
    ],
)
def test_a_token_goes_to_this_machine_or_over_https(
    monkeypatch: pytest.MonkeyPatch, url: str, kept: str | None
) -> None:
    """`SLACK_API_URL` is normalised, and refused where the token would travel in the clear."""
    monkeypatch.setenv("SLACK_API_URL", url)
    if kept:
        assert read_environment().slack_api_url == kept
    else:
        with pytest.raises(Misconfigured, match="SLACK_API_URL"):
            read_environment()


@pytest.mark.parametrize("name", ["all", "None"])
def test_a_project_has_no_name_that_commands_take_for_another_meaning(tmp_path: Path, name: str) -> None:
    """As for projects that commands create."""
    path = written(tmp_path, f"watched_chats: [{{chat_id: C0HELP}}]\nprojects:\n  {name}: {{root: .}}")
    with pytest.raises(Misconfigured, match=f"projects.{name}.*expected another name"):
        load(path)


WHOLE = "watched_chats: [{chat_id: C0HELP}]\noperators: [U0OPS]\nprojects: {a: {root: .}}"


@pytest.mark.parametrize(
    "text",
    [
        "watched_chats: [{chat_id: C0HELP, operators: [U0BEN, U0OPS]}]",
        "watched_chats: [{chat_id: C0HELP, operators: [S0ONCALL]}]",
        "projects: {a: {root: ., operators: [U0BEN]}}",
    ],
)
def test_two_people_who_could_approve_are_enough(tmp_path: Path, text: str) -> None:
    """Of a channel, of a user group, whose members are known later, or of a project."""
    key = text.partition(":")[0]
    rest = [line for line in WHOLE.splitlines() if not line.startswith(f"{key}:")]
    path = written(tmp_path, "\n".join([*rest, text, "approval: {second_approver: true}"]))
    settings = load(path)
    assert settings.approval.second_approver  # else one is enough
    ready_to_run(settings, path)  # raises where two are not


@pytest.mark.parametrize(
    ("people", "asker_may", "said"),
    [
        ("[U0OPS, U0BEN]", "false", True),
        ("[U0OPS, U0BEN]", "true", False),
        ("[U0OPS, U0BEN, U0EVE]", "false", False),
    ],
)
def test_too_few_for_two_approvals_of_an_operators_question(
    tmp_path: Path, people: str, asker_may: str, said: bool
) -> None:
    """Where its asker may not approve, two operators are one too few."""
    text = WHOLE.replace("[U0OPS]", people)
    path = written(tmp_path, f"{text}\napproval: {{second_approver: true, asker_may_approve: {asker_may}}}")
    few = lacks_second(load(path))
    assert (few or "").startswith("C0HELP: a question of an operator") is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "watched_chats: expected at least one channel"),
        ("watched_chats: [{chat_id: C0HELP}]\noperators: [U0OPS]", "projects: expected at least one project"),
        (f"{WHOLE}\napproval: {{second_approver: true}}", "C0HELP: operators: expected at least two"),
    ],
)
def test_valid_settings_that_leave_nothing_to_do_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """A bot that could do nothing does not start."""
    path = written(tmp_path, text)
    with pytest.raises(Misconfigured, match=said):
        ready_to_run(load(path), path)


@pytest.mark.parametrize("engine", ["keyword", "claude"])
def test_both_engines_may_run(tmp_path: Path, engine: str) -> None:
    """A missing key is a warning, since the keyword engine answers then."""
    whole = f"watched_chats: [{{chat_id: C0HELP}}]\noperators: [U0OPS]\nprojects: {{a: {{root: .}}}}\nengine: {engine}"
    path = written(tmp_path, whole)
    settings = load(path)
    ready_to_run(settings, path)
    assert settings.engine == engine


def test_a_time_of_day_is_read_as_people_write_it(tmp_path: Path) -> None:
    """YAML takes one of them for a number of minutes, the other for text; both are meant."""
    text = "timezone: Europe/Berlin\napproval: {working_hours: {days: [sat], from: 8:30, to: '24:00'}}"
    hours = load(written(tmp_path, text)).working_hours
    assert hours is not None
    assert (hours.days, hours.opens, hours.closes, hours.zone) == (frozenset({"sat"}), 510, 1_440, "Europe/Berlin")


def test_a_nudge_needs_a_time_after_which_it_gives_way(tmp_path: Path) -> None:
    """Or a question could be lost with it."""
    text = "operators: [U0OPS]\nprojects: {a: {root: .}}\nwatched_chats: [{chat_id: C0HELP, cards: ephemeral}]\n"
    path = written(tmp_path, text)
    ready_to_run(load(path), path)
    path.write_text(text + "approval: {remind_min: 0}")
    with pytest.raises(Misconfigured, match=r"approval.remind_min: expected minutes"):
        ready_to_run(load(path), path)


@pytest.mark.parametrize("name", ["", " ", None])
def test_an_empty_reaction_switches_it_off(name: str | None) -> None:
    """Written as an empty text or left empty: the state has no emoji, and the others keep theirs."""
    names = ReactionsSection.model_validate({"working": name}).names
    assert "working" not in names
    assert names["received"] == "eyes"


@pytest.mark.parametrize(
    ("text", "tiers", "models"),
    [
        ("", set(), ("claude-opus-5-5", "claude-opus-5-5")),
        ("engine: claude", {2, 3}, ("claude-opus-5-5", "claude-opus-5-5")),
        ("engine: claude\ninvestigator: {model: a-1}\ntiers: {3: {model: b-2}}", {2, 3}, ("a-1", "b-2")),
        ("tiers: {2: {command: [python3, run.py]}}", {2}, ("python3", "claude-opus-5-5")),
    ],
)
def test_tiers_start_where_there_is_something_to_start(
    tmp_path: Path, text: str, tiers: set[int], models: tuple[str, str]
) -> None:
    """An engine on a model, or a program of the team."""
    settings = load(written(tmp_path, f"{text}\nescalation: {{max_tier: 2, dry_run: true}}"))
    limits = workflow_limits(settings, bot_name="triage", router=Unrouted(), redactor=Redactor())
    policy = limits.escalation
    assert (policy.enabled, policy.max_tier, policy.dry_run, policy.threshold_min) == (True, 2, True, 10)
    assert ({*policy.may_start}, (limits.tier_models[2], limits.tier_models[3])) == (tiers, models)
