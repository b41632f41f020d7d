"""What comes out: equilibria, paths, runs and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from . import _errors, _lissome
from ._names import Array, Part, Results, as_arrays

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

    from ._scene import Scene

Table = dict[str, Array]
Names = dict[str, list[str]]


class Energy(NamedTuple):
    """Energies, J."""

    elastic: float
    gravity: float
    loads: float

    @property
    def total(self) -> float:
        """The whole potential, J."""
        return self.elastic + self.gravity + self.loads


def _lines(scalars: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"  {name:<9}{text}" for name, text in scalars)


def _size(value: float) -> str:
    return f"{value:.6g}"


def _path(folder: str | PathLike[str]) -> FilePath:
    from pathlib import Path

    return Path(folder)


class Picture:
    """Something with a picture and a few lines for a notebook."""

    def _svg(self) -> str | None:
        return None

    def _repr_html_(self) -> str:
        from html import escape

        return f"{self._svg() or ''}<pre>{escape(str(self))}</pre>"


_VECTORS = (
    ".position", ".quat_wxyz", ".curvature", ".stretch", ".moment", ".force", ".velocity", ".angular_velocity"
)


def xarray_of(table: Table, first: str | None, attributes: dict[str, Any]) -> xr.Dataset:
    """The arrays as a dataset; ``first`` names the axis that all of them share."""
    import xarray as xr

    widths = {3: "xyz", 4: "wxyz"}
    variables: dict[str, Any] = {}
    for name, array in table.items():
        owner = name.rsplit(".", 1)[0]
        axes: list[str] = []
        for index, size in enumerate(array.shape):
            if index == 0 and first is not None:
                axes.append(first)
            elif index == array.ndim - 1 and size in widths and (index > 0 or name.endswith(_VECTORS)):
                axes.append(widths[size])
            elif name.endswith((".s", *_VECTORS)):
                axes.append(f"{owner}.place")
            else:
                axes.append(f"{name}.{index}")
        variables[name] = (axes, array)
    return xr.Dataset(variables, attrs=attributes)


class Equilibrium(Results, Picture):
    """An equilibrium: numbers by the names of ``samples.npz`` and of a row of ``path.csv``.

    >>> import lissome as ls
    >>> eq = ls.demo("rod").solve()
    >>> eq.status, eq.stable
    ('converged', True)
    >>> eq.rod["arm"].position.shape
    (101, 3)
    """

    status: str
    """``converged``, ``fold`` or ``not_converged``."""
    stable: bool | None
    """True if nothing was found that a real robot would leave; None without an equilibrium."""

    def __init__(
        self,
        core: _lissome.Equilibrium | None,
        scene: Scene,
        table: Table | None,
        drives: dict[str, float],
        stable: bool | None,
    ) -> None:
        super().__init__(table, scene.names)
        self._core = core
        self._scene = scene
        self._drives = drives
        self.status = core.status if core else "converged"
        self.stable = stable
        self._eigenvalue: float | None = None
        self._told: tuple[dict[str, Any], list[dict[str, Any]]] | None = None

    @classmethod
    def _of(cls, core: _lissome.Equilibrium, scene: Scene, drives: dict[str, float]) -> Equilibrium:
        return cls(core, scene, None, drives, core.stable)

    def _fill(self) -> Table:
        if self._core is None:
            return {}
        table = as_arrays(self._core.arrays())
        table.update((name, np.asarray(value, dtype=np.float64)) for name, value in self._core.columns())
        return table

    @property
    def scene(self) -> Scene:
        """The scene that was solved."""
        return self._scene

    @property
    def drives(self) -> dict[str, float]:
        """What the drives were held at, SI."""
        return dict(self._drives)

    @property
    def converged(self) -> bool:
        """True if an equilibrium was found."""
        return self.status == "converged"

    @property
    def energy(self) -> Energy:
        """Energies, J."""
        return Energy(*(float(self[f"energy.{name}"]) for name in Energy._fields))

    @property
    def smallest_eigenvalue(self) -> float:
        """Smallest eigenvalue of the stiffness relative to the elastic one: 1 without load, 0 at a fold. Computed when it is
        asked for, since it costs more than the equilibrium itself.

        >>> import lissome as ls
        >>> 0 < ls.demo("rod").solve().smallest_eigenvalue < 1.01
        True
        """
        if self._eigenvalue is None:
            found = self._core.smallest_eigenvalue() if self._core else None
            self._eigenvalue = float("nan") if found is None else found
        return self._eigenvalue

    def _summary(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        if self._told is None:
            if self._core is None:
                return {}, []
            import json

            text, complaint, warnings = self._core.summary_json()
            found = ([complaint[0]] if complaint else []) + warnings
            self._told = (cast("dict[str, Any]", json.loads(text)), _errors.parsed(found))
        return self._told

    @property
    def summary(self) -> dict[str, Any]:
        """What ``lissome run --json`` says."""
        return self._summary()[0]

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """What to be careful about, as ``lissome run --json`` tells it."""
        return self._summary()[1]

    def jacobian(self, of: str | Sequence[str], wrt: str | Sequence[str]) -> Array:
        """How outputs change with numbers of the scene: a row for each component of each of ``of``, a column for each of
        ``wrt`` (three for a vector), per SI unit. ``of`` are called as results: ``ROD.tip``, ``BODY`` or ``JOINT.frame`` (six
        rows, the turn in rad, then the shift in m, world axes), ``ROD.tip.position``, ``ROD.tip.rotation`` (rad, axes of the
        part), ``ROD.at(S).curvature``, ``a.tension``, ``energy.elastic`` …; ``wrt`` is anything that can be driven
        (``scene.drivable``) and every number of the scene file by its dotted path. Exact while slack cables stay slack and
        what touches touches.

        >>> import lissome as ls
        >>> eq = ls.demo("rod").solve()
        >>> eq.jacobian("arm.tip", "tip.scale").shape
        (6, 1)
        >>> eq.jacobian("arm.tip.position", ["material.silicone.young", "load.tip.force"]).shape
        (3, 4)
        """
        if self._core is None:
            raise RuntimeError("an equilibrium that was unpickled has its numbers alone: solve it again for derivatives")
        return matrix(self._core.jacobian, of, wrt)

    def vjp(self, of: str | Sequence[str], weights: Sequence[float], wrt: str | Sequence[str]) -> dict[str, float]:
        """Derivatives of a weighted sum of the rows of ``of`` by numbers, each under its dotted path; for poses one solve in all,
        however many numbers there are.

        >>> import lissome as ls
        >>> list(ls.demo("rod").solve().vjp("arm.tip.position", [0, 0, 1], "load.tip.force"))
        ['load.tip.force.x', 'load.tip.force.y', 'load.tip.force.z']
        """
        if self._core is None:
            raise RuntimeError("an equilibrium that was unpickled has its numbers alone: solve it again for derivatives")
        rows = [of] if isinstance(of, str) else list(of)
        numbers = [wrt] if isinstance(wrt, str) else list(wrt)
        return dict(self._core.vjp(rows, [float(weight) for weight in weights], numbers))

    def save(self, folder: str | PathLike[str]) -> FilePath:
        """Writes the run folder, as ``lissome run`` does. Returns it.

        >>> import lissome as ls, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as there:
        ...     folder = ls.demo("rod").solve().save(pathlib.Path(there) / "rod.run")
        ...     sorted(file.name for file in folder.iterdir())[:2]
        ['control_poses.csv', 'events.jsonl']
        """
        if self._core is None:
            raise RuntimeError("an equilibrium that was unpickled has its numbers alone: solve it again to write its folder")
        changes: dict[str, Any] = {f'drive."{path}"': value for path, value in self._drives.items()}
        if self._scene.job != "statics":
            changes["job"] = {"kind": "statics"}
        scene = self._scene.replace(changes) if changes else self._scene
        self._core.save(folder, scene.core, [])
        return _path(folder)

    def view(self) -> FilePath:
        """Writes the report to a temporary folder and opens it in the browser."""
        return opened(self.save)

    def to_xarray(self) -> xr.Dataset:
        """All arrays as an xarray dataset; needs xarray."""
        return xarray_of(self._table, None, {"title": self._scene.title, "status": self.status})

    def to_pandas(self) -> pd.DataFrame:
        """The state along every rod, one row a place, with the columns of ``samples.csv``; needs pandas."""
        import pandas as pd

        frames: list[pd.DataFrame] = []
        for name, rod in self.rod.items():
            columns: dict[str, Any] = {"rod": name}
            for field, parts in _lissome.sample_fields():
                columns.update(zip(parts, rod[field].reshape(-1, len(parts)).T, strict=True))
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def _svg(self) -> str | None:
        return self._core.svg() if self._core else None

    def __str__(self) -> str:
        judged = {True: "stable", False: "unstable", None: "stability unknown"}[self.stable]
        tips = [f"{name} ({', '.join(_size(1e3 * x) for x in rod.tip.position)}) mm" for name, rod in self.rod.items()]
        more = f" and {len(tips) - 3} more" if len(tips) > 3 else ""
        lines = [
            ("statics", f"{self.status}, {judged}"),
            ("energy", f"{_size(self.energy.total)} J"),
            ("tips", ", ".join(tips[:3]) + more),
        ]
        return f"{self._scene.title}\n{_lines(lines)}"

    def __repr__(self) -> str:
        return f"<Equilibrium {self._scene.title!r}: {self.status}>"

    def __getstate__(self) -> dict[str, Any]:
        told, filled = self._summary(), self._table
        return {**self.__dict__, "_core": None, "_filled": filled, "_told": told}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def matrix(
    of_core: Callable[[list[str], list[str]], tuple[bytearray, int] | None], of: str | Sequence[str], wrt: str | Sequence[str]
) -> Array:
    """A matrix of derivatives out of the compiled half."""
    rows = [of] if isinstance(of, str) else list(of)
    columns = [wrt] if isinstance(wrt, str) else list(wrt)
    found = of_core(rows, columns)
    if found is None:
        raise ArithmeticError("there is no equilibrium here, or its stiffness is singular: nothing can be differentiated")
    values, width = found
    return np.frombuffer(values, dtype=np.float64).reshape(-1, width)


def opened(save: Callable[[FilePath], object]) -> FilePath:
    """Writes a run folder to a temporary place and opens its report."""
    import tempfile
    import webbrowser

    folder = _path(tempfile.mkdtemp(prefix="lissome-")) / "view.run"
    save(folder)
    report = folder / "report.html"
    webbrowser.open(report.as_uri())
    return report


class Run(Results, Picture):
    """What came of a job: the arrays of its run folder by their names. Of a path every column of ``path.csv`` has one entry a
    sample, of a motion every array one row a state.

    >>> import lissome as ls
    >>> run = ls.demo("finger").run()
    >>> run.status
    'converged'
    """

    status: str
    """As ``lissome run --json``: ``converged``, ``finished``, ``fold``, …"""
    succeeded: bool
    """True if the job was done."""

    def __init__(self, scene: Scene, table: Table, told: tuple[dict[str, Any], list[dict[str, Any]]], status: str) -> None:
        super().__init__(table, scene.names)
        self._scene = scene
        self._core: _lissome.Run | None = None
        self._told = told
        self._complaint: tuple[str, str] | None = None
        self._picture: str | None = None
        self.status = status
        self.succeeded = status in {"converged", "finished"}

    @classmethod
    def _of(cls, core: _lissome.Run, scene: Scene) -> Run:
        import json

        text, complaint, warnings = core.summary_json()
        found = ([complaint[0]] if complaint else []) + warnings
        told = (cast("dict[str, Any]", json.loads(text)), _errors.parsed(found))
        run = cls(scene, as_arrays(core.arrays()), told, core.status)
        run._core, run._complaint, run.succeeded = core, complaint, core.succeeded
        return run

    @property
    def scene(self) -> Scene:
        """The scene whose job it was."""
        return self._scene

    @property
    def summary(self) -> dict[str, Any]:
        """What ``lissome run --json`` says."""
        return self._told[0]

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The complaint, if it is none of success, and the warnings."""
        return self._told[1]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Of a path: which samples have an equilibrium."""
        return self["converged"] == 1.0

    def check(self) -> Run:
        """Raises what went wrong; returns itself if nothing did."""
        if not self.succeeded:
            if self._complaint is None:
                raise _errors.NotConverged(f"the job ended with `{self.status}`", self.diagnostics)
            factor = float(self.summary.get("load_factor", 0.0))
            code = self.diagnostics[0].get("code", "") if self.diagnostics else ""
            if str(code).startswith("E052"):
                raise _errors.MotionStopped(self._complaint[1].rstrip(), self.diagnostics)
            raise _errors.unsettled(self._complaint[1], self._complaint[0], None, factor)
        return self

    def table(self, name: str) -> dict[str, Any]:
        """A table of the run folder, such as ``modes.csv``, column by column; text stays text.

        >>> import lissome as ls
        >>> list(ls.demo("strip").modes(2).table("modes.csv"))[:2]
        ['mode', 'frequency']
        """
        files = dict(self._core.files()) if self._core else {}
        if name not in files:
            tables = [file for file in files if file.endswith(".csv")]
            raise KeyError(f"the run has no table `{name}`; there are: {', '.join(tables) or 'none'}")
        return parse_csv(files[name].decode())

    def save(self, folder: str | PathLike[str]) -> FilePath:
        """Writes the run folder, as ``lissome run`` does. Returns it."""
        if self._core is None:
            raise RuntimeError("a run that was read or unpickled has its numbers alone: run its scene again to write it")
        self._core.save(folder, [])
        return _path(folder)

    def view(self) -> FilePath:
        """Writes the report to a temporary folder and opens it in the browser."""
        return opened(self.save)

    def _first(self) -> str | None:
        return {"path": "sample", "inverse": "sample", "dynamics": "time"}.get(self._scene.job)

    def to_xarray(self) -> xr.Dataset:
        """All arrays as an xarray dataset; needs xarray."""
        first = self._first()
        table = self._table
        if first == "sample":
            # Arc lengths are the same for every sample.
            count = len(self["sample"])
            table = {
                name: np.broadcast_to(array, (count, *array.shape)) if name.endswith(".s") else array
                for name, array in table.items()
            }
        return xarray_of(table, first, {"title": self._scene.title, "status": self.status})

    def to_pandas(self) -> pd.DataFrame:
        """Everything with one number a sample of a path, or a state of a motion: one row each; needs pandas."""
        import pandas as pd

        first = self._first()
        if first is None:
            raise ValueError(f"a job for {self._scene.job} has no rows; its arrays are in to_xarray()")
        count = len(self[first])
        columns = {name: array for name, array in self._table.items() if array.shape == (count,)}
        return pd.DataFrame(columns)

    def _svg(self) -> str | None:
        return self._core.svg() if self._core else self._picture

    def __str__(self) -> str:
        counted = {"path": "sample", "inverse": "sample", "dynamics": "time"}.get(self._scene.job, "")
        count = f", {len(self[counted])} {'samples' if counted == 'sample' else 'states'}" if counted in self else ""
        lines = [(self._scene.job, f"{self.status}{count}"), ("arrays", f"{len(self)}")]
        lines.extend(("warning", str(one.get("message", ""))) for one in self.diagnostics[:1])
        return f"{self._scene.title}\n{_lines(lines)}"

    def __repr__(self) -> str:
        return f"<Run {self._scene.title!r}: {self.status}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_core": None, "_picture": self._svg()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def parse_csv(text: str) -> dict[str, Any]:
    """Columns of a table of the run folder."""
    header, *rows = (line.split(",") for line in text.splitlines())
    columns: dict[str, Any] = {}
    for index, name in enumerate(header):
        cells = [row[index] for row in rows]
        try:
            columns[name] = np.array([float(cell) for cell in cells])
        except ValueError:
            columns[name] = cells
    return columns


class Batch(Results):
    """Many equilibria: every column of ``path.csv`` has one entry a case.

    >>> import lissome as ls, numpy as np
    >>> many = ls.demo("rod").solve_batch({"tip.scale": np.linspace(0, 1, 3)})
    >>> many["arm.tip.position"].shape
    (3, 3)
    """

    status: list[str]
    """Of each case ``converged``, ``fold``, ``not_converged`` or ``refused``."""
    code: list[str]
    """Of each case the code of what is wrong with it, or an empty text."""

    def __init__(self, table: Table, names: Names, status: list[str], code: list[str]) -> None:
        super().__init__(table, names)
        self.status = status
        self.code = code

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which cases have an equilibrium."""
        return np.array([one == "converged" for one in self.status], dtype=np.bool_)

    @property
    def cases(self) -> int:
        """How many there are."""
        return len(self.status)

    def to_pandas(self) -> pd.DataFrame:
        """One row a case; needs pandas."""
        import pandas as pd

        return pd.DataFrame({**self._table, "status": self.status, "code": self.code})

    def to_xarray(self) -> xr.Dataset:
        """One entry a case; needs xarray."""
        return xarray_of(self._table, "case", {})

    def __repr__(self) -> str:
        return f"<Batch of {self.cases}: {int(self.converged.sum())} converged>"


__all__ = ["Batch", "Energy", "Equilibrium", "Part", "Run"]
