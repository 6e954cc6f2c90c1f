"""Checks of raw JSON against the table of limits. Each complaint has a JSON pointer to the fault, as Slack's do."""

from collections.abc import Iterator
from typing import Any

from sandbox.limits import BLOCKS, TABLE
from sandbox.models import Json
from sandbox.rules import Flag, Kinds, Many, Number, Parts, Rule, Text, Words

_BLOCK_KEYS: dict[str, Rule] = {"block_id": Words(255)}


def find_faults(value: Any, rule: Rule, place: str) -> Iterator[str]:
    """Yield Slack's complaints about a value."""
    match rule:
        case Words():
            yield from _check_words(value, rule, place)
        case Text():
            yield from _text(value, rule, place)
        case Flag():
            if not isinstance(value, bool):
                yield complaint("must provide a boolean", place)
        case Number():
            yield from _number(value, rule, place)
        case Many():
            yield from _check_many(value, rule, place)
        case Kinds(names):
            yield from find_kind_faults(value, names, place)
        case Parts():
            yield from _parts(value, rule, place)


def find_kind_faults(value: Any, names: tuple[str, ...], place: str) -> Iterator[str]:
    """Yield the complaints about an object that must have one of these types."""
    if not isinstance(value, dict):
        yield complaint("must provide an object", place)
        return
    kind = value.get("type")
    name = "image_element" if kind == "image" and "image_element" in names else kind
    if kind is None:
        yield complaint("missing required field: type", place)
    elif name not in names or kind == "image_element":
        yield complaint(f"unsupported type: {kind}", f"{place}/type")
    else:
        rule = TABLE[name]
        extra = _BLOCK_KEYS if name in BLOCKS else {}
        yield from _parts(value, rule, place, extra) if isinstance(rule, Parts) else find_faults(value, rule, place)


def complaint(what: str, pointer: str) -> str:
    return f"[ERROR] {what} [json-pointer:{pointer}]"


def _check_words(value: Any, rule: Words, place: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield complaint("must provide a string", place)
    elif rule.one_of and value not in rule.one_of:
        yield complaint("must be a valid enum value", place)
    elif len(value) < rule.minimum:
        yield complaint(f"must be more than {rule.minimum - 1} characters", place)
    elif rule.maximum is not None and len(value) > rule.maximum:
        yield complaint(f"must be less than {rule.maximum + 1} characters", place)


def _text(value: Any, rule: Text, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield complaint("must provide an object", place)
        return
    kind = value.get("type")
    if kind not in rule.kinds:
        yield complaint("must be a valid enum value", f"{place}/type")
        return
    flag = "emoji" if kind == "plain_text" else "verbatim"
    yield from _parts(value, Parts({"text": Words(rule.maximum, minimum=1)}, {flag: Flag()}), place)


def _number(value: Any, rule: Number, place: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield complaint("must provide a number", place)
    elif rule.minimum is not None and value < rule.minimum:
        yield complaint(f"must be greater than or equal to {rule.minimum}", place)
    elif rule.maximum is not None and value > rule.maximum:
        yield complaint(f"must be less than or equal to {rule.maximum}", place)


def _check_many(value: Any, rule: Many, place: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield complaint("must provide an array", place)
        return
    if len(value) < rule.minimum:
        yield complaint(f"no fewer than {rule.minimum} items allowed", place)
    if rule.maximum is not None and len(value) > rule.maximum:
        yield complaint(f"no more than {rule.maximum} items allowed", place)
    for index, each in enumerate(value):
        yield from find_faults(each, rule.of, f"{place}/{index}")
    if rule.unique:
        yield from find_repeated(value, rule.unique, place)


def find_repeated(items: list[Any], key: str, place: str) -> Iterator[str]:
    """Yield a complaint for each item whose value under this key occurred before."""
    names = set()
    for index, each in enumerate(items):
        name = each.get(key) if isinstance(each, dict) else None
        if isinstance(name, str) and name:
            if name in names:
                yield complaint(f"{key} already exists: {name}", f"{place}/{index}/{key}")
            names.add(name)


def _parts(value: Any, rule: Parts, place: str, extra: dict[str, Rule] | None = None) -> Iterator[str]:
    if not isinstance(value, dict):
        yield complaint("must provide an object", place)
        return
    fields: Json = {key: each for key, each in value.items() if each is not None and key != "type"}
    yield from _presence(fields, rule, place)
    for key, each in fields.items():
        own = rule.required.get(key) or rule.optional.get(key) or (extra or {}).get(key)
        if own is not None:
            yield from find_faults(each, own, f"{place}/{key}")
        elif not rule.is_open:
            yield complaint(f"invalid additional property: {key}", place)


def _presence(fields: Json, rule: Parts, place: str) -> Iterator[str]:
    for key in rule.required:
        if key not in fields:
            yield complaint(f"missing required field: {key}", place)
    if rule.either and not any(key in fields for key in rule.either):
        yield complaint(f"must define either `{'` or `'.join(rule.either)}`", place)
    if rule.exclusive and sum(key in fields for key in rule.exclusive) > 1:
        yield complaint(f"must define only one of `{'` or `'.join(rule.exclusive)}`", place)
