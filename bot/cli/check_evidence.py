"""`triage check-evidence --root DIR`: check references from stdin, one JSON object a line; a result for each on
stdout."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.agents.evidence import EvidenceChecker
from bot.errors import Misconfigured
from bot.models.findings import EvidenceRef

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

_KEYS = ("ref", "quote", "kind", "commit")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage check-evidence`."""
    parser.add_argument("--root", type=Path, required=True, metavar="DIR", help="folder that the references are in")
    parser.epilog = (
        'In: {"ref": "path:12-20", "quote": "…"}, optionally "kind" and "commit". '
        'Out: {"ref": …, "ok": true|false, "reason": …}. Exit 1 when a line is not a reference.'
    )


def main(options: argparse.Namespace) -> int:
    """Check every line, in order; one result for each."""
    if not options.root.is_dir():
        raise Misconfigured(f"--root: expected a folder that exists, got {options.root}")
    if sys.stdin is None:
        raise Misconfigured("stdin: expected references, one JSON object a line")
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # a text stream, always
    return asyncio.run(_check_all(options.root.resolve(), sys.stdin))


async def _check_all(root: Path, lines: Iterable[str]) -> int:
    checker = EvidenceChecker(root)
    broken = 0
    for number, line in enumerate(lines, 1):
        payload: Any = None
        try:
            payload = json.loads(line)
            reference = _reference(payload)
        except (ValueError, RecursionError) as problem:
            broken += 1
            ref = payload.get("ref") if isinstance(payload, dict) else None
            _print_result({"ref": ref, "ok": False, "reason": f"line {number}: {_format_problem(problem)}"})
            continue
        check = await checker.check(reference)
        _print_result({"ref": reference.ref, "ok": check.result == "ok", "reason": check.reason})
    return 1 if broken else 0


def _reference(payload: Any) -> EvidenceRef:
    if not isinstance(payload, dict):
        raise ValueError("expected a JSON object with ref and quote")
    fields = {key: payload[key] for key in _KEYS if payload.get(key) is not None}
    return EvidenceRef(**{"kind": "file", "supports_claim": "", **fields})


def _format_problem(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        return f"{first['loc'][0]}: {first['msg'].lower()}"
    if isinstance(problem, json.JSONDecodeError):
        return f"expected a JSON object: {problem.msg}"
    return str(problem)


def _print_result(result: dict[str, Any]) -> None:
    print(json.dumps(result), flush=True)  # noqa: T201  # this is the command's output
