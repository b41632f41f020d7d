"""Plain dicts as the text of a scene file, which the one reader then reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

__all__ = ["document", "value"]

_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_ESCAPES = {chr(code): f"\\u{code:04x}" for code in (*range(0x20), 0x7F)} | {'"': '\\"', "\\": "\\\\"}


def _text(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(letter, letter) for letter in text) + '"'


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names of a scene are strings, not {type(name).__name__}: {name!r}")
    return name if name and _BARE.issuperset(name) else _text(name)


def _number(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)


def value(item: object, place: str = "") -> str:
    """One value: text, number, list or table.

    >>> value([0, 0.5, "2 mm"])
    '[0, 0.5, "2 mm"]'
    """
    if isinstance(item, np.ndarray | np.generic):
        item = cast("object", item.tolist())
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        return _number(item)
    if isinstance(item, Mapping):
        table = cast("Mapping[object, object]", item)
        inner = ", ".join(f"{_key(name)} = {value(own, f'{place}.{name}')}" for name, own in table.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(item, Iterable):
        items = cast("Iterable[object]", item)
        return "[" + ", ".join(value(own, f"{place}.{index}") for index, own in enumerate(items)) + "]"
    raise TypeError(f"`{place}` is {type(item).__name__}: a scene takes text, numbers, lists and tables")


def _table(path: tuple[str, ...], table: Mapping[str, Any], lines: list[str]) -> None:
    plain: dict[str, object] = {}
    nested: dict[str, Mapping[str, Any]] = {}
    for name, own in table.items():
        # Below the second level tables are short and stay in one line, as people write them.
        if isinstance(own, Mapping) and len(path) < 2 and path != ("drive",):
            nested[name] = cast("Mapping[str, Any]", own)
        else:
            plain[name] = own
    if path and (plain or not nested):
        lines.append(f"\n[{'.'.join(_key(part) for part in path)}]")
    lines.extend(f"{_key(name)} = {value(own, '.'.join([*path, str(name)]))}" for name, own in plain.items())
    for name, own in nested.items():
        _table((*path, name), own, lines)


def document(tables: Mapping[str, Any]) -> str:
    """The text of a scene.

    >>> print(document({"schema": 1, "rod": {"arm": {"length": "1 m"}}}))
    schema = 1
    <BLANKLINE>
    [rod.arm]
    length = "1 m"
    <BLANKLINE>
    """
    lines: list[str] = []
    _table((), tables, lines)
    return "\n".join(lines).lstrip("\n") + "\n"
