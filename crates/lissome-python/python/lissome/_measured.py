"""Numbers and shapes from measurements: what ``lissome fit`` and ``lissome observe`` find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _errors, _lissome
from ._results import opened, parse_csv

if TYPE_CHECKING:
    from pathlib import Path

    from ._scene import Scene

Measured = str | PathLike[str] | Mapping[str, Any]
"""The name of a file, or columns by their names; a data frame of pandas is one too."""


class _Found:
    """What is common to both: a summary, what is worth telling, a folder."""

    _TEXTS: tuple[str, ...]

    def __init__(self, core: _lissome.Fit | _lissome.Observation, scene: Scene) -> None:
        import json

        text, told = core.summary_json()
        self._core: _lissome.Fit | _lissome.Observation | None = core
        self.scene = scene
        """The scene that it began with."""
        self.summary = cast("dict[str, Any]", json.loads(text))
        """What the program prints with ``--json``."""
        self.status = str(self.summary["status"])
        self.succeeded = core.succeeded
        self.diagnostics = _errors.parsed(told)
        """What went wrong, if anything did, and the warnings."""

        self._texts: dict[str, str] = {}

    def _text(self, name: str) -> str:
        """A table or a scene that the compiled half writes."""
        if name not in self._texts:
            self._texts[name] = getattr(self._core, name)()
        return self._texts[name]

    def save(self, folder: str | PathLike[str]) -> Path:
        """Writes the folder that the program writes, with its report. Returns it."""
        from pathlib import Path

        if self._core is None:
            raise RuntimeError("what was unpickled has its numbers alone: ask its scene again to write it")
        self._core.save(folder)
        return Path(folder)

    def view(self) -> Path:
        """Writes the report to a temporary folder and opens it in the browser."""
        return opened(self.save)

    def __getstate__(self) -> dict[str, Any]:
        for name in self._TEXTS:
            self._text(name)
        return {**self.__dict__, "_core": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Fit(_Found):
    """Numbers of a scene that explain measurements best; see :meth:`Scene.fit`.

    >>> import lissome as ls
    >>> young = "material.silicone.young"
    >>> fit = ls.demo("rod").fit({"arm.tip.position.x (mm)": [700], "arm.tip.position.z (mm)": [604]}, [young])
    >>> fit.succeeded, 190e3 < fit.values[young] < 210e3
    (True, True)
    """

    _TEXTS = ("residuals", "fitted")

    @property
    def values(self) -> dict[str, float]:
        """The numbers that were found, SI, by their paths."""
        return {own["path"]: float(own["value"]) for own in self.summary["numbers"]}

    @property
    def standard_errors(self) -> dict[str, float]:
        """Their standard errors; infinite where the data cannot tell."""
        return {own["path"]: _number(own["standard_error"]) for own in self.summary["numbers"]}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Their intervals of 95 %."""

        def ends(own: dict[str, Any]) -> tuple[float, float]:
            low, high = own["interval"]
            return (-np.inf if low is None else float(low), np.inf if high is None else float(high))

        return {own["path"]: ends(own) for own in self.summary["numbers"]}

    @property
    def correlations(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How the errors go together, in the order of ``values``."""
        count = len(self.summary["numbers"])
        rows = [[np.nan if one is None else one for one in row] for row in self.summary["correlations"]]
        return np.array(rows, dtype=np.float64).reshape(count, count)

    @property
    def residuals(self) -> dict[str, Any]:
        """Every measured value with its prediction, column by column, as in ``residuals.csv``."""
        return parse_csv(self._text("residuals"))

    @property
    def fitted(self) -> Scene:
        """The scene with the numbers that were found."""
        from ._scene import loads

        return loads(self._text("fitted"), name="fitted.toml")

    def __repr__(self) -> str:
        found = ", ".join(f"{path} = {value:.6g}" for path, value in self.values.items())
        return f"<Fit {self.status}: {found}>"


class Observation(_Found):
    """The shape and the strain of a real robot; see :meth:`Scene.observe`.

    >>> import lissome as ls
    >>> seen = ls.demo("rod").observe({"arm.tip.position.x (mm)": [700], "arm.tip.position.z (mm)": [604]}, noise="1 mm")
    >>> seen.succeeded, "curvature_band.y" in seen.shape
    (True, True)
    """

    _TEXTS = ("shape", "residuals", "unknowns")

    @property
    def frames(self) -> list[dict[str, Any]]:
        """Every frame in a few numbers."""
        return self.summary["frames"]

    @property
    def shape(self) -> dict[str, Any]:
        """Along every rod in every frame: pose, strain, internal wrench and their bands, column by column, as in ``shape.csv``."""
        return parse_csv(self._text("shape"))

    @property
    def residuals(self) -> dict[str, Any]:
        """Every marker in every frame, as in ``residuals.csv``."""
        return parse_csv(self._text("residuals"))

    @property
    def unknowns(self) -> dict[str, Any]:
        """Every named unknown in every frame, as in ``unknowns.csv``."""
        return parse_csv(self._text("unknowns"))

    def __repr__(self) -> str:
        return f"<Observation {self.status}: {len(self.frames)} frames>"


def _number(value: float | None) -> float:
    return np.inf if value is None else float(value)


def fitted(
    scene: Scene,
    data: Measured,
    free: Iterable[str],
    noise: Mapping[str, object] | None,
    loss: str,
    max_rounds: int,
) -> Fit:
    """Fits; see :meth:`Scene.fit`."""
    if isinstance(free, str):
        raise TypeError("free is a list of paths, not one text")
    stated = [f"{name}={_quantity(value, name)}" for name, value in (noise or {}).items()]
    core = _lissome.fit(scene.core, _table(data, "data"), list(free), stated, loss, max_rounds)
    return Fit(core, scene)


def observed(
    scene: Scene,
    markers: Measured,
    unknown: Iterable[str],
    noise: Mapping[str, object] | Sequence[str] | str | None,
    energy: float | None,
    keep_outliers: bool,
) -> Observation:
    """Observes; see :meth:`Scene.observe`."""
    if isinstance(unknown, str):
        raise TypeError("unknown is a list of paths, not one text")
    table = _table(markers, "markers")
    core = _lissome.observe(scene.core, table, list(unknown), _accuracy(noise), energy, keep_outliers)
    return Observation(core, scene)


def _accuracy(noise: Mapping[str, object] | Sequence[str] | str | None) -> list[str]:
    """How exact markers are, as on the command line."""
    if noise is None:
        return []
    if isinstance(noise, str):
        return [noise]
    if not isinstance(noise, Mapping):
        return list(noise)

    def one(name: str, value: object) -> str:
        unit = "rad" if name == "rotation" else "m"
        text = value if isinstance(value, str) else f"{_quantity(value, name)} {unit}"
        return text if name in ("position", "rotation") else f"{name}={text}"

    return [one(name, value) for name, value in noise.items()]


def _quantity(value: object, name: str) -> str:
    """A number with its unit, or a plain one in SI."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return repr(float(cast("float", value)))
    raise TypeError(f"the noise of `{name}` is a number in SI or a text with a unit, not {type(value).__name__}")


def _table(measured: Measured, what: str) -> tuple[str, str] | str:
    """The name of a file, or the text of a table."""
    if isinstance(measured, str | PathLike):
        return str(measured)
    columns: dict[str, list[str]] = {}
    # A data frame has items as a dict has, and is no Mapping.
    for name, values in measured.items():
        if any(mark in name for mark in ',"\n\r'):
            raise ValueError(f"a column is not called {name!r}: a name has no comma, quote or end of line")
        columns[name] = [_cell(value, name) for value in np.asarray(values, dtype=object).ravel().tolist()]
    if not columns:
        raise ValueError(f"{what} has no columns")
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"the columns of {what} have different lengths: {lengths}")
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(row) for row in rows)]
    return f"<{what}>", "\n".join(lines) + "\n"


def _cell(value: object, name: str) -> str:
    """A number, a text with a unit, or nothing for what was not measured."""
    if value is None:
        return ""
    if isinstance(value, str):
        if any(mark in value for mark in ',"\n\r'):
            raise ValueError(f"column `{name}`: {value!r} has a comma, a quote or an end of line")
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(cast("float", value))
        return "" if np.isnan(number) else repr(number)
    raise TypeError(f"column `{name}` has numbers, not {type(value).__name__}")


__all__ = ["Fit", "Measured", "Observation"]
