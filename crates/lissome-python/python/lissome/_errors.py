"""What can go wrong, as exceptions with the code, the place and the help that the program tells.

>>> import lissome as ls
>>> try:
...     ls.demo("rod").replace({"rod.arm.length": "240 kg"})
... except ls.SceneError as error:
...     print(error.code, error.path)
E0306 rod.arm.length
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ._results import Equilibrium

__all__ = ["Fold", "LissomeError", "MotionStopped", "NotConverged", "SceneError", "UnknownName"]


class LissomeError(Exception):
    """The root of all exceptions of lissome. ``str(error)`` is the text with the caret under the place."""

    code: str
    """Stable code, such as ``E0203``; docs/reference/errors.md lists all."""
    message: str
    """What is wrong, in one line."""
    help: str
    """How to mend it."""
    path: str | None
    """Dotted path of the quantity, such as ``rod.arm.length``."""
    file: str | None
    line: int | None
    column: int | None
    diagnostics: list[dict[str, Any]]
    """Everything that was found, as ``lissome run --json`` tells it; warnings too."""

    def __init__(self, text: str, diagnostics: list[dict[str, Any]]) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics
        errors = [one for one in diagnostics if one.get("severity") == "error"]
        first: dict[str, Any] = (errors or diagnostics or [{}])[0]
        self.code = first.get("code") or ""
        self.message = first.get("message") or text
        self.help = first.get("help") or ""
        self.path = first.get("path")
        self.file = first.get("file")
        self.line = first.get("line")
        self.column = first.get("column")

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.diagnostics))


class SceneError(LissomeError, ValueError):
    """A scene, a value or a file that is refused."""


class UnknownName(SceneError, KeyError):
    """A name or path that the scene does not have; ``help`` tells the nearest one."""


class NotConverged(LissomeError, RuntimeError):
    """No equilibrium was found. ``equilibrium`` is how far the search came, ``load_factor`` the part of the loads it carries."""

    def __init__(
        self,
        text: str,
        diagnostics: list[dict[str, Any]],
        equilibrium: Equilibrium | None = None,
        load_factor: float = 0.0,
    ) -> None:
        super().__init__(text, diagnostics)
        self.equilibrium = equilibrium
        self.load_factor = load_factor

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.diagnostics, self.equilibrium, self.load_factor))


class Fold(NotConverged):
    """The branch of equilibria ends before the whole load acts: the robot snaps or buckles there."""


class MotionStopped(LissomeError, RuntimeError):
    """A motion that cannot go on, or found no equilibrium to begin with. It stands where it stood."""


_UNKNOWN = {"E0210", "E0215", "E0721", "E0722"}


def parsed(texts: list[str]) -> list[dict[str, Any]]:
    """Diagnostics from their JSON."""
    import json

    return [cast("dict[str, Any]", json.loads(text)) for text in texts]


def refused(texts: list[str], text: str) -> LissomeError:
    """The exception of a refusal; called by the compiled half."""
    diagnostics = parsed(texts)
    known = any(one.get("code") in _UNKNOWN for one in diagnostics)
    return UnknownName(text, diagnostics) if known else SceneError(text, diagnostics)


def halted(texts: list[str], text: str) -> LissomeError:
    """The exception of a motion that cannot go on; called by the compiled half."""
    return MotionStopped(text, parsed(texts))


def no_start(texts: list[str], text: str) -> LissomeError:
    """The exception of a motion without a beginning; called by the compiled half."""
    told = text or "the motion has no equilibrium to begin with\n  help: solve() tells why there is none"
    return MotionStopped(told, parsed(texts))


def unsettled(text: str, diagnostic: str, equilibrium: Equilibrium | None, load_factor: float) -> NotConverged:
    """The exception of a search that ended without an equilibrium."""
    diagnostics = parsed([diagnostic])
    made = Fold if diagnostics[0].get("code") in {"E0502", "E0506"} else NotConverged
    return made(text.rstrip(), diagnostics, equilibrium, load_factor)
