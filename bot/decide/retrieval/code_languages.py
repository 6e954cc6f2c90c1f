"""Programming languages and the endings of their files, for `projects.<name>.languages`. Pure."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath

EXTENSIONS: dict[str, tuple[str, ...]] = {
    "c": ("c", "h"),
    "c++": ("cc", "cpp", "cxx", "h", "hh", "hpp", "hxx"),
    "c#": ("cs",),
    "clojure": ("clj", "cljc", "cljs"),
    "dart": ("dart",),
    "elixir": ("ex", "exs"),
    "erlang": ("erl", "hrl"),
    "go": ("go",),
    "haskell": ("hs",),
    "java": ("java",),
    "javascript": ("js", "jsx", "mjs", "cjs", "vue", "svelte"),
    "kotlin": ("kt", "kts"),
    "lua": ("lua",),
    "perl": ("pl", "pm"),
    "php": ("php",),
    "python": ("py", "pyi"),
    "r": ("r",),
    "ruby": ("rb", "rake"),
    "rust": ("rs",),
    "scala": ("scala", "sc"),
    "shell": ("sh", "bash", "zsh"),
    "sql": ("sql",),
    "swift": ("swift",),
    "terraform": ("tf", "hcl"),
    "typescript": ("ts", "tsx", "mts", "cts", "vue", "svelte"),
}

_ALL = frozenset(ending for endings in EXTENSIONS.values() for ending in endings)


@lru_cache(8_192)
def is_foreign(path: str, languages: tuple[str, ...]) -> bool:
    """Return whether a file is code in none of these languages; documents and settings never are."""
    ending = PurePosixPath(path).suffix.lower().removeprefix(".")
    return bool(languages) and ending in _ALL and not any(ending in EXTENSIONS[name] for name in languages)
