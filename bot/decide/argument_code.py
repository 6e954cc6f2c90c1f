"""Words of a declared command that a program may read as code or as the name of a program. Pure.

The tables name the usual programs; no table names all. Whoever presses reads the words with their values first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OF_INTERPRETERS = (
    r"-[A-Za-z]*[ceErS]|-(?:eval|ex|cmd|execute)"
    r"|--(?:eval|exec|command|execute|print|run|split-string|init-command)"
)
_CODE_OPTIONS = tuple(
    (re.compile(programs), re.compile(options))
    for programs, options in (
        (
            r"(?:ba|da|z|k|fi|a|c|tc)?sh|busybox|env|python[0-9.]*|pypy[0-9.]*|perl[0-9.]*|ruby[0-9.]*|node|nodejs|deno"
            r"|bun|php[0-9.]*|lua(?:jit)?[0-9.]*|pwsh|su|runuser|script|flock|psql|mysql|mariadb|sqlite3|Rscript|R"
            r"|expect|julia|octave|elixir|erl|ghc|groovy|scala|emacs|dc|wget|nodemon|npx|nc|ncat|netcat",
            _OF_INTERPRETERS,
        ),
        (r"node|nodejs|bun|deno", r"-[a-z]*p|--(?:require|import|loader|experimental-loader)"),
        (r"[gmrn]?vim?|nvim|ex|view|vimdiff", r"-[csS]|--cmd|\+.*"),
        (r"emacs", r"-[fl]|--(?:load|funcall)"),
        (
            r"gdb|lldb",
            r"-i?ex|-i?x|--?(?:init-)?(?:eval-)?command|-[oOsSkK]|--(?:one-line|source)(?:-[a-z-]+)?",
        ),
        (r"rsync", r"-[A-Za-z]*e|--(?:rsh|rsync-path)"),
        (r"scp|sftp", r"-[A-Za-z]*[oSFD]"),
        (
            r"(?:bsd|g)?tar",
            r"-[A-Za-z]*[IF]|--(?:to-command|use-compress-program|checkpoint-action|info-script|new-volume-script"
            r"|rsh-command|rmt-command)",
        ),
        (
            r"git",
            r"-x|--(?:exec|config|config-env|exec-path|upload-pack|receive-pack|extcmd|open-files-in-pager|[a-z]+-filter)"
            r"|run|foreach",
        ),
        (r"g?make", r"--eval|-E"),
        (r"sort|split|zip|man", r"--(?:compress-program|filter|unzip-command|pager|html)|-(?:TT|P|H)"),
        (r".*", r"-(?:exec|execdir|ok|okdir)"),
    )
)
"""Programs, and those of their options whose argument is a program text or a program."""
_GIT_SETTING, _NO_SETTING = "-c", re.compile(r"switch|commit")
"""Option of git whose argument is a setting, which may name a program; after these words it is another one."""
_TAKES_CODE = re.compile(r"[gmn]?awk|sed|ssh|mosh|eval|watch|xargs|parallel|tmux|screen|socat|entr")
"""Programs that read code among their plain arguments."""
_CODE_AFTER_FILE = re.compile(r"sqlite3")
"""Programs that read code in a plain argument after the first one."""
_STARTERS = tuple(
    (re.compile(programs), operands, re.compile(options))
    for programs, operands, options in (
        (r"sudo|doas", 0, r"-[ugpCrtTUDRh]|--(?:user|group|prompt|chdir|chroot|host|other-user)"),
        (r"env", 0, r"-[uC]|--(?:unset|chdir)"),
        (r"nice|ionice|chrt|nohup|setsid|exec|command|busybox|fakeroot|unbuffer|npx|uvx|ld\.so|cgexec", 0, r"-[nc]"),
        (r"time|timeout|stdbuf", 0, r"-[ofskie]|--(?:signal|kill-after|output|format|input|error)"),
        (r"strace|ltrace", 0, r"-[abeEIoOpPsSuUX]"),
        (r"flock|chroot|taskset|faketime", 1, r"-[wE]|--(?:timeout|wait|conflict-exit-code|userspec|groups)"),
        (
            r"unshare|nsenter|systemd-run|systemd-inhibit|setpriv|prlimit|runuser|firejail|bwrap|proot|xvfb-run"
            r"|dbus-run-session|valgrind|pipx",
            0,
            r"-[A-Za-z]|--[a-z-]+",
        ),
    )
)
"""Programs that start another one: the number of plain arguments before it, and options with a word of their own."""
_RUNNERS = re.compile(
    r"(?:uv|poetry|pipenv|pdm|hatch|rye|pixi|pipx) run|(?:bundle|npm|pnpm|yarn|direnv|rye) exec|(?:pnpm|yarn) dlx"
    r"|perf record"
)
"""Programs that start another one after a word of their own."""
_NO_PROGRAM = re.compile(r"-.*|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*")
"""Options, numbers and variables before a program."""
_NO_OPTIONS = re.compile(r"(?!)")


def may_be_code(argv: Sequence[str], place: int) -> bool:
    """Return whether a program among the words before may read the word at this place, from 1 on, as code or as the
    name of a program."""
    programs, word = [each.rpartition("/")[2] for each in argv[:place]], argv[place]
    if any(map(_TAKES_CODE.fullmatch, programs)) or _is_program(programs):
        return True
    options = (argv[place - 1], word.partition("=")[0] if word.startswith("-") else "", word[:1] == "+" and word)
    return any(_takes_code(programs, option) for option in options if option) or any(
        _CODE_AFTER_FILE.fullmatch(program) and _list_plain(programs[index + 1 :], _NO_OPTIONS)
        for index, program in enumerate(programs)
    )


def _takes_code(programs: Sequence[str], option: str) -> bool:
    """Return whether an option of one of these programs takes code."""
    if option == _GIT_SETTING and "git" in programs and not any(map(_NO_SETTING.fullmatch, programs)):
        return True
    return any(takes.fullmatch(option) and any(map(reads.fullmatch, programs)) for reads, takes in _CODE_OPTIONS)


def _is_program(programs: Sequence[str]) -> bool:
    """Return whether the next word is the place of a program that one of these programs starts."""
    plain = _list_plain(programs, _NO_OPTIONS)
    if _RUNNERS.fullmatch(" ".join(plain[-2:])):
        return True
    return any(
        starts.fullmatch(program) and len(_list_plain(programs[index + 1 :], options)) <= operands
        for index, program in enumerate(programs)
        for starts, operands, options in _STARTERS
    )


def _list_plain(words: Iterable[str], options: re.Pattern[str]) -> list[str]:
    """Return the plain arguments among these words: no options, no numbers, no variables, no words of options."""
    plain, is_of_option = [], False
    for word in words:
        if not is_of_option and not _NO_PROGRAM.fullmatch(word):
            plain.append(word)
        is_of_option = not is_of_option and options.fullmatch(word) is not None
    return plain
