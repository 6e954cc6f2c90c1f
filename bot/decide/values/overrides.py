"""Overrides: files with values for one run, deployment or example, which state no default. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.decide.retrieval.stemmer import pieces
from bot.decide.retrieval.test_files import is_test

_SETTINGS = r"\.(?:ya?ml|toml|json[5c]?|ini|conf|cnf|cfg|config|properties|env|xml|hcl)"
_NOT_DEFAULTS = r"(?![^/]*defaults?(?![a-z])(?![^/]*(?:example|sample|dist)))"
"""Negative match for files of defaults."""
_ENVIRONMENTS = r"(?:production|prod|development|dev|staging|preprod|qa|local)"
_OF_ENVIRONMENT = re.compile(
    rf"(?:^|[/._-]){_ENVIRONMENTS}(?:[._-][^/]*)?{_SETTINGS}(?:\.\w+)?$"
    rf"|(?:^|/)(?:settings?|configs?|environments?|conf)(?:/|[._-]){_ENVIRONMENTS}\.(?:php|rb|py|[cm]?[jt]s|exs?)$"
)
_OF_SAMPLE = re.compile(
    rf"(?:^|/){_NOT_DEFAULTS}[^/]*{_SETTINGS}\.(?:dist|in|tmpl|template|tpl|j2|erb|example|sample)$"
    rf"|(?:^|[/._-])(?:examples?|samples?|templates?|tmpl|demo|dist)(?:[._-][^/]*)?{_SETTINGS}(?:\.\w+)?$"
    rf"|(?:^|[/._-])(?:example|sample|dist)(?:[._-][^/]*)?\.(?:php|rb|py|[cm]?[jt]s|exs?)(?:\.\w+)?$"
    r"|\.(?:php|rb|py|[cm]?[jt]s|exs?)\.(?:dist|example|sample|in)$"
    rf"|(?:^|/)(?:dist|contrib|conf|etc|deploy(?:ments?)?|packaging|debian|rpm)/(?:[^/]+/){{0,8}}"
    rf"{_NOT_DEFAULTS}[^/]*{_SETTINGS}$"
)
_KINDS = (
    (
        frozenset(("docker", "dockerfile", "container", "containers", "image", "compose")),
        re.compile(
            r"(?:^|/)(?:[^/]{0,30}dockerfile[^/]{0,30}|containerfile|(?:docker-)?compose[^/]*\.ya?ml)$|(?:^|/)docker/"
        ),
    ),
    (
        frozenset(("script", "scripts", "sh", "makefile", "make", "dev", "development")),
        re.compile(r"\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$|(?:^|/)(?:(?:gnu)?makefile|justfile|procfile|vagrantfile)$"),
    ),
    (
        frozenset(("service", "unit", "systemd", "init", "launchd")),
        re.compile(
            r"\.(?:service|socket|timer|plist|openrc|upstart|confd)$"
            r"|(?:^|/)(?:systemd|init\.d|sysvinit|openrc|supervisor|etc/(?:default|sysconfig|conf\.d))/"
        ),
    ),
    (
        frozenset(("env", "environment", "dotenv", "development", "dev", "staging", "production")),
        re.compile(
            r"(?:^|/)\.env(?:rc|[.-][\w.-]+)?$|\.env$"
            r"|(?:^|/)env\.(?:sample|example|dist|local|dev\w*|prod\w*|staging|test)$"
        ),
    ),
    (
        frozenset(("ci", "pipeline", "pipelines", "workflow", "workflows", "action", "actions", "github", "build")),
        re.compile(
            r"(?:^|/)\.(?:github|circleci|gitlab|buildkite|woodpecker)/|(?:^|/)(?:\.gitlab-ci|\.travis|appveyor"
            r"|azure-pipelines|cloudbuild|jenkinsfile|bitbucket-pipelines|\.drone)[^/]*$"
        ),
    ),
    (
        frozenset(
            ("kubernetes", "k8s", "deploy", "deployment", "deployed", "terraform", "fly", "heroku", "render", "cluster")
        ),
        re.compile(
            r"(?:^|/)(?:k8s|kubernetes|manifests|kustomize|terraform|ansible)/|\.tf(?:vars)?$"
            r"|(?:^|/)(?:fly\.toml|render\.ya?ml|app\.json|heroku\.yml)$"
        ),
    ),
    (
        frozenset(
            (
                *("production", "prod", "development", "dev", "staging", "preprod", "qa", "local", "locally"),
                *("environment", "environments", "produktion", "producci\u00f3n", "produ\u00e7\u00e3o"),
            )
        ),
        _OF_ENVIRONMENT,
    ),
    (
        frozenset(
            (
                *("example", "examples", "sample", "samples", "template", "templates", "demo", "dist", "contrib"),
                *("conf", "packaged", "shipped", "distributed", "beispiel", "ejemplo", "exemple", "exemplo"),
            )
        ),
        _OF_SAMPLE,
    ),
)
"""Words that ask for such files, and patterns of their paths."""
_FROM_SAMPLES = 6
"""Index of the first kind whose file names occur in questions by chance: `contrib/server.yaml`."""
_SAMPLES = frozenset(
    ("example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "benchmark", "benchmarks")
)
_MAX_PATH_LENGTH = 200
"""Number of trailing characters of a path that determine its kind."""
_SAMPLE_FOLDER = re.compile(r"(?:^|/)_?[\w-]*?(?:examples?|samples?|demos?|tutorials?|benchmarks?|fixtures?)/")


@lru_cache(maxsize=16_384)
def _kind(path: str) -> int | None:
    lowered = path.lower()[-_MAX_PATH_LENGTH:]
    return next((at for at, (_, form) in enumerate(_KINDS) if form.search(lowered)), None)


def is_override(path: str, question: str) -> bool:
    """Return whether a file sets values for a run or a deployment, and the question does not ask for such a file."""
    kind = _kind(path)
    if kind is None:
        return False
    return not _names(question, path, _KINDS[kind][0], words_of_name=1 if kind < _FROM_SAMPLES else 2)


def is_illustration(path: str, question: str) -> bool:
    """Return whether a file is an example or a test, and the question does not ask for one."""
    if is_test(path):
        return not _names(question, path, frozenset(("test", "tests", "tested", "spec", "specs", "fixture")))
    return bool(_SAMPLE_FOLDER.search(path.lower())) and not _names(question, path, _SAMPLES)


def _names(question: str, path: str, words: frozenset[str], words_of_name: int = 1) -> bool:
    """Return whether a question contains one of the words, or the file's name of at least this many words."""
    question_words = re.findall(r"[^\W_]+", question.lower())
    name = path.rpartition("/")[2].lower()
    own = {word for word in pieces(name.partition(".")[0]) if len(word) > 3}
    spoken = question.lower()
    return (
        bool(words.intersection(question_words))
        or (len(name) > 3 and name in spoken)
        or (len(own) >= words_of_name and own <= {*question_words})
    )
