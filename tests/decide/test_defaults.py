"""Defaults as code and documents write them, the names of settings, and files that state none; by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.spoken_texts import VerbatimTexts, with_literals
from bot.decide.values.definition import Definition
from bot.decide.values.definitions import definitions
from bot.decide.values.overrides import is_illustration, is_override
from bot.decide.values.setting_names import EXACT, PREFIXED, WITHIN, is_default_of, names_setting
from bot.decide.values.shown_value import holds_value
from tests.tables import each_row

RST = """\
====== ============ ============
Name   Default      Description
====== ============ ============
minAge ``8KiB``     The least.
                    Of all.
====== ============ ============
"""
SERDE = """\
#[serde(default = "default_port")]
port: u16,
fn default_port() -> u16 {
    8080
}
"""
CLAP = """\
    #[arg(
        long = "max-age",
        default_value = "8080",
        env = "SHOP_AGE"
    )]
    pub age: u16,
"""


@each_row(
    ("path", "text", "name", "value"),
    [
        ("a.go", 'type Cache struct {\n\tMaxAge int `required:"true" default:"24h" desc:"x"`\n}', "MaxAge", "24h"),
        ("a.go", 'type Cache struct {\n\tMaxAge int `env:"MAX_AGE" envDefault:"24h"`\n}', "MAX_AGE", "24h"),
        ("a.ts", 'public AGE = parseInt(\n  environment.MAX_AGE || "30",\n  10\n);', "MAX_AGE", '"30"'),
        ("a.ts", "public AGE =\n  this.number(env.MAX_AGE) ??\n  50;", "MAX_AGE", "50"),
        ("a.js", "const a = { age: process.env.MAX_AGE ?? 5,\n  port: process.env.PORT || 80 };", "MAX_AGE", "5"),
        ("a.py", 'AGE = os.getenv("MAX_AGE") or 7', "MAX_AGE", "7"),
        ("a.py", 'AGE = int(os.getenv("MAX_AGE", "7"))', "MAX_AGE", '"7"))'),
        ("a.py", 'p.add_argument("--max-age", type=int, default=30)', "max-age", "30"),
        ("a.py", '@click.option(\n    "--max-age",\n    default=8,\n)', "max-age", "8"),
        ("a.py", 'class S:\n    age: int = Field(default=24, env="MAX_AGE")', "MAX_AGE", "24"),
        ("a.rb", 'age = ENV["MAX_AGE"] || 2', "MAX_AGE", "2"),
        ("a.rs", SERDE, "port", "8080"),
        ("a.rs", CLAP, "SHOP_AGE", '"8080"'),
        ("a.rs", CLAP, "age", '"8080"'),
        ("a.rs", 'let a = env::var("MAX_AGE").unwrap_or("dev".into());', "MAX_AGE", '"dev".into()'),
        ("A.java", '@Value("${shop.max-age:24h}") private String age;', "shop.max-age", "24h"),
        ("A.java", '@Option(names = "--max-age", defaultValue = "8") int age;', "max-age", '"8"'),
        ("a.md", "### Age\n\n`MAX_AGE`\n\nSome words.\n\n- Default: `24h`\n", "MAX_AGE", "24h"),
        ("a.md", "### `MAX_AGE` {: #age }\n\nDefault: none\n", "MAX_AGE", "none"),
        ("a.md", "  -a, --max-age <AGE>\n      Words\n\n      [default: 8]\n", "max-age", "8"),
        ("a.md", "| name | default |\n|--|--|\n| `MAX_AGE` | `5` |\n", "MAX_AGE", "5"),
        ("a.rst", RST, "minAge", "8KiB"),
    ],
)
def test_a_default_is_known_under_the_name_of_its_setting(path: str, text: str, name: str, value: str) -> None:
    """A tag, a look-up with another value behind it, an option, a field, a line below a heading, a row."""
    found = [one for one in definitions(path, tuple(text.splitlines())) if one.name == name and one.is_default]
    assert value in [one.value for one in found]


@pytest.mark.parametrize(
    ("text", "is_value"),
    [
        ('max_age = config.get("shop", "max_age")', False),
        ("max_age = args.max_age", False),
        ("max_age = CONFIG.max_age()", False),
        ('max_age = config.get("max_age", 5)', True),
        ("max_age = 5", True),
    ],
)
def test_a_look_up_of_a_name_is_no_value_of_it(text: str, *, is_value: bool) -> None:
    """Unless another value stands behind it."""
    assert definitions("a.py", (text,))[-1].is_value is is_value


@pytest.mark.parametrize(
    ("path", "text", "values"),
    [
        (
            "a.php",
            "$map = [\n    'a.max_age' => 'config.MAX_AGE',\n    'b.max_turns' => 'maxTurnsHeld',\n];\n",
            ["b.max_turns"],
        ),
        ("a.php", "$map = [\n  'a.max_age' => 'A.MAX_AGE',\n  'b.max' => 'B.MAX',\n  'c.shown' => 'showOf',\n];\n", []),
        ("a.js", "const ENV = {\n  cacheTtl: 'APP_CACHE_TTL',\n  host: 'APP_HOST',\n};\n", []),
        ("a.py", "ENV = {\n    'max_age': 'SHOP_MAX_AGE',\n    'turns': 'shop.turns',\n}\n", ["turns"]),
        ("a.py", "READ_TIMEOUT = 'read_timeout'\n", ["READ_TIMEOUT"]),
        ("a.php", "$this->setEmpty('resource.page_cache', 'pagecache');\n", ["resource.page_cache"]),
        ("a.js", "const d = {\n  log: 'app.log',\n  mode: 'dark',\n};\n", ["log", "mode"]),
        ("a.yml", "shop:\n  max_age: 5\n  zone: 'UTC'\n", ["max_age", "zone"]),
    ],
)
def test_another_name_of_a_setting_is_no_value_of_it(path: str, text: str, values: list[str]) -> None:
    """In a table of names to names, and in an entry that ends with the very name; a plain word is a value."""
    found = definitions(path, tuple(text.splitlines()))
    assert [one.name for one in found if not one.is_key and one.value.strip("[{")] == values


@pytest.mark.parametrize(
    ("name", "scope", "own", "fit"),
    [
        ("SHOP_CACHE_MAXAGE", ("Cache",), "MaxAge", WITHIN),
        ("CACHE_MAXAGE", ("Cache",), "MaxAge", EXACT),
        ("SHOP_MAX_AGE", (), "max_age", PREFIXED),
        ("--max-age", (), "maxAge", EXACT),
        ("SMTP_TIMEOUT", ("Pop3",), "Timeout", 0),
        ("max_age", ("max_age",), "value", EXACT),
        ("CACHE_MAXAGE", ("Cache",), "Age", 0),
    ],
)
def test_one_setting_has_several_spellings(name: str, scope: tuple[str, ...], own: str, fit: int) -> None:
    """What stands before its own name is that of a block around it, or of the program."""
    assert names_setting(name, Definition(1, own, "5", scope), "a.go", {"shop"}) == fit


@pytest.mark.parametrize(
    ("own", "is_its"),
    [
        ("defaultMaxAge", True),
        ("MAX_AGE_DEFAULT", True),
        ("DefaultsMaxAge", True),
        ("maxAge", False),
        ("defaultAge", False),
        ("defaultMaxAgeOfAll", False),
    ],
)
def test_a_constant_is_the_default_of_the_setting_in_its_name(own: str, *, is_its: bool) -> None:
    """A `default` before or behind the name of the setting, and nothing else."""
    assert is_default_of("max_age", Definition(1, own, "5")) is is_its


@pytest.mark.parametrize(
    ("path", "question", "states_none"),
    [
        ("etc/dev-start.sh", "what is the default of MAX_AGE?", True),
        ("Dockerfile", "what is the default of MAX_AGE?", True),
        ("deploy/shop.service", "what is the default of MAX_AGE?", True),
        ("contrib/sysvinit/etc/default/shop", "what is the default of MAX_AGE?", True),
        (".github/workflows/ci.yml", "what is the default of MAX_AGE?", True),
        ("docker-compose.yml", "what does docker-compose set MAX_AGE to by default?", False),
        ("etc/dev-start.sh", "what does dev-start.sh set?", False),
        ("server/env.ts", "what is the default of MAX_AGE?", False),
        ("config/defaults.yml", "what is the default of MAX_AGE?", False),
        ("examples/shop/app.yml", "what is the default of MAX_AGE?", True),
        ("tests/test_cache.py", "which timeout is the default in the tests?", False),
        ("dist/example_config.yaml", "max_age default?", True),
        ("config.sample.yml", "max_age default?", True),
        ("sample-config.toml", "max_age default?", True),
        ("conf/app.yaml.dist", "max_age default?", True),
        ("settings-template.yaml", "max_age default?", True),
        ("config.yaml.in", "max_age default?", True),
        ("wp-config-sample.php", "max_age default?", True),
        ("contrib/server.yaml", "what is the default max_age of the server?", True),
        ("conf/app.conf", "max_age default?", True),
        ("conf/production.yaml", "max_age default?", True),
        ("config/environments/production.rb", "max_age default?", True),
        ("config-dev.json", "max_age default?", True),
        ("conf/defaults.ini", "max_age default?", False),
        ("config/default.json", "max_age default?", False),
        ("redis.conf", "max_age default?", False),
        ("charts/shop/values.yaml", "max_age default?", False),
        ("src/template.py", "max_age default?", False),
        ("server/local.go", "max_age default?", False),
        ("dist/example_config.yaml", "what is max_age in the example config by default?", False),
        ("conf/production.yaml", "what is the default max_age in production?", False),
    ],
)
def test_a_file_for_one_run_states_no_default(path: str, question: str, *, states_none: bool) -> None:
    """Unless the question names it or its kind."""
    assert (is_override(path, question) or is_illustration(path, question)) is states_none


@pytest.mark.parametrize(
    ("question", "path", "line", "holds"),
    [
        ("what is the default of MAX_AGE?", "a.md", "### `MAX_AGE`", False),
        ("what is the default of MAX_AGE?", "a.go", "maxAge: cfg.MaxAge,", False),
        ("what is the default of MAX_AGE?", "a.go", "maxAge := 5", True),
        ("what is the default of MAX_AGE?", "a.rs", "max_age: u64, true, def, 5;", True),
        ("what is the default of MAX_AGE?", "a.sh", 'export MAX_AGE="5"', False),
        ("what is MAX_AGE by default?", "a.md", "It defaults to `5` minutes.", True),
        ("how large may a body be?", "tests/test_a.py", "BODY = 5", False),
        ("how large may a body be?", "a.py", "BODY = 5", True),
        ("how do I change the default age?", "a.md", "Call `age` for that.", True),
        ("is the cache on by default?", "a.md", "The cache is for pages.", True),
    ],
)
def test_a_question_for_a_value_needs_one(question: str, path: str, line: str, *, holds: bool) -> None:
    """Another question is answered by words."""
    assert holds_value(question, path, (line,), 1, 1, sets=False) is holds


@pytest.mark.parametrize(
    ("question", "line", "found"),
    [
        ("it says no meta/id found in top-level class", 'e("no `meta/id` found in top-level spec")', True),
        ("it says no meta/id found in top-level class", "# no `meta/id` found in top-level spec", False),
        ("what is the upload limit of a user", '"""The upload limit of a user is 5."""', False),
        ("where is it said to be the case?", 'e("said to be the case")', False),
        ("no meta found", 'e("no meta found")', False),
        ("hi, where is retry_limit set", 'TRY = "where is retry_limit set?"', False),
        ("does a lost parcel count?", 'TRY = "does a lost parcel count?"', False),
    ],
)
def test_words_that_stand_in_a_text_of_the_code_are_a_quote(question: str, line: str, *, found: bool) -> None:
    """Marks and signs between the words aside; few words, and words that say nothing, are none."""
    assert bool(VerbatimTexts(question).find([("x = 1", line)])) is found


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("the pump crashed with handshake lost in closed remote store, what is that?", False),
        ("client OP10 tried to reach", False),
        ("how is Keycloak set up where it tried to reach?", True),
    ],
)
def test_a_message_of_the_code_leads_whatever_stands_beside_it(question: str, *, beside: bool) -> None:
    """Unless it is short, and the question asks for something else."""
    spoken = VerbatimTexts(question)
    texts = ["handshake lost in closed remote store" if "closed" in question else "tried to reach"]
    asked = with_literals(build_query(question), texts, leads=spoken.leads(texts))
    assert any(term.proves for term in asked.terms if term.word in ("crashed", "op10", "keycloak")) is beside


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("- `default`: shows links as they are", []),
        ("- default: shows links as they are", []),
        ("- Default: markdown", ["markdown"]),
        ("- default: 5 minutes after the last", ["5 minutes after the last"]),
    ],
)
def test_an_item_named_default_is_no_default(line: str, values: list[str]) -> None:
    """A list of kinds may have one of that name."""
    assert [one.value for one in definitions("a.md", ("## Kinds", "", "`kind`: which", "", line))] == values
