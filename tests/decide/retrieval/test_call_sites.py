"""Calls of a name, told from its definition, by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.call_sites import call_sites, called_names, handing_sites


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what calls purgeCachedPages?", ["purgeCachedPages"]),
        ("who calls `Cache.drop`?", ["Cache.drop"]),
        ("where is drop() called?", ["drop"]),
        ("callers of drop", ["drop"]),
        ("which functions use drop_all?", ["drop_all"]),
        ("wer ruft drop_all auf?", ["drop_all"]),
        ("¿quién llama a drop_all?", ["drop_all"]),
        ("what is drop_all called in the docs?", []),
        ("what does drop_all do?", []),
    ],
)
def test_the_name_whose_calls_are_asked_for(question: str, names: list[str]) -> None:
    """By its spelling, its marks, or the verb beside it."""
    assert called_names(question) == names


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", "def drop(x):\n    return x\n\ndrop(1)\n# drop(2)\ny = [drop(3)]", [4, 6]),
        ("a.py", "import drop\nx = 'all'\nawait cache.drop()\nprint(\"drop(1)\")", [3]),
        ("a.go", "type Cache interface {\n\tdrop(x int)\n}\nfunc (c *C) drop(x int) {\n\tgo c.drop(x)\n}", [5]),
        ("a.php", "public function drop($x)\n{\n    $this->drop($x);\n}", [3]),
        ("A.java", "class A {\n  void drop(int x) {\n    return drop(x);\n  }\n}", [3]),
        ("a.ts", "class A {\n  drop(x: number) {\n    drop(x);\n  }\n}", [3]),
        ("a.rs", "pub fn drop(x: u8) {}\nlet y = drop::<u8>(3)?;", [2]),
        ("a.c", "static int\ndrop(int x)\n{\n    drop(x);\n}", [4]),
        ("a.rb", "def drop(x)\nend\nunless drop(1)\ncache.drop(2) do |x|", [3, 4]),
        ("a.md", "Call drop(1).", []),
    ],
)
def test_a_call_is_no_definition(path: str, text: str, lines: list[int]) -> None:
    """Nor a declaration in an interface, a comment or a text."""
    assert list(call_sites("drop", path, text.splitlines())) == lines


def test_a_function_may_be_handed_on() -> None:
    """As an argument."""
    text = ["from a import (drop, b)", "map(drop, rows)", "def f(drop, x): ...", "run(x, m.drop)"]
    assert list(handing_sites("drop", "a.py", text)) == [2, 4]
