"""Kinds of files as an operator names them; by table."""

from __future__ import annotations

import pytest

from bot.decide.bounce.file_kinds import is_kind


@pytest.mark.parametrize(
    ("path", "is_example"),
    [
        ("dist/example_config.yaml", True),
        ("dist/example_config_redis.yaml", True),
        ("config.sample.yml", True),
        ("sample-config.toml.in", True),
        ("conf/app.yaml.dist", True),
        ("wp-config-sample.php", True),
        ("examples/basic.yaml", True),
        ("app/sample_rate.go", False),
        ("app/resample.yaml", False),
        ("app/config.yaml", False),
    ],
)
def test_an_example_is_known_by_its_name(path: str, *, is_example: bool) -> None:
    """In a folder of examples or beside the code; a word of the code is none."""
    assert is_kind("examples", path) is is_example
