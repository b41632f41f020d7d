"""A scene: what the robot is, read by the one reader of scene files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _errors, _lissome, _measured, _toml
from ._names import missing
from ._results import Batch, Equilibrium, Run
from ._robot import Drives, Motion, Robot, pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Progress = bool | Callable[[float], object]


def _overrides(changes: Mapping[str, object]) -> list[str]:
    return [f"{path}={_toml.value(value, path)}" for path, value in changes.items()]


def _shown(progress: Progress) -> Callable[[float], object] | None:
    if callable(progress):
        return progress
    if not progress:
        return None

    def bar(part: float) -> None:
        filled = int(30 * min(part, 1.0))
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * part:5.1f} %")
        sys.stderr.flush()

    return bar


def _ended(progress: Progress) -> None:
    if progress is True:
        sys.stderr.write("\r" + " " * 42 + "\r")
        sys.stderr.flush()


class Scene:
    """A scene out of plain dicts, the tree of the scene file. Scenes never change.

    >>> import lissome as ls
    >>> arm = ls.Scene({
    ...     "material": {"silicone": {"young": "200 kPa", "poisson": 0.45}},
    ...     "rod": {"arm": {"material": "silicone", "length": "1 m", "section": {"shape": "circle", "radius": "2 cm"},
    ...                     "base": {"fixed_to": "world", "position": [0, 0, 0], "tangent": [1, 0, 0]}}},
    ...     "load": {"tip": {"rod": "arm", "at": "tip", "force": [0, 0, "0.1 N"]}},
    ...     "job": {"kind": "statics"},
    ... })
    >>> arm.solve().converged
    True
    """

    __slots__ = ("_core", "_name", "_parts")

    def __init__(self, tables: Mapping[str, Any], *, name: str = "scene.toml") -> None:
        whole = tables if "schema" in tables else {"schema": 1, **tables}
        self._name = name
        self._parts: dict[str, list[str]] | None = None
        self._core = _lissome.parse(name, _toml.document(whole), [])

    @classmethod
    def _of(cls, core: _lissome.Scene, name: str) -> Scene:
        scene = cls.__new__(cls)
        scene._core, scene._name, scene._parts = core, name, None
        return scene

    @property
    def core(self) -> _lissome.Scene:
        """The compiled half."""
        return self._core

    @property
    def title(self) -> str:
        """The scene's title."""
        return self._core.title

    @property
    def job(self) -> str:
        """The kind of its job: ``statics``, ``path``, ``dynamics``, ``modes``, ``buckling``, ``fold-curve``, ``inverse``, ``optimise`` or
        ``shape``."""
        return self._core.job

    @property
    def drives(self) -> list[str]:
        """What the scene drives."""
        return list(self._core.drives)

    @property
    def drivable(self) -> list[str]:
        """Everything that can be driven, in SI: tensions and lengths of cables, joints, tubes, ``LOAD.scale``, gravity.

        >>> import lissome as ls
        >>> ls.demo("rod").drivable
        ['tip.scale', 'world.gravity']
        """
        return list(self._core.drivable)

    @property
    def names(self) -> dict[str, list[str]]:
        """Names of the parts, family by family."""
        if self._parts is None:
            self._parts = dict(self._core.names())
        return self._parts

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What is possible in the scene but hardly meant."""
        return _errors.parsed(self._core.warnings())

    def to_toml(self) -> str:
        """The scene as a file that ``lissome run`` takes."""
        return self._core.to_toml()

    def replace(self, changes: Mapping[str, object]) -> Scene:
        """The scene with other values, under the paths and with the units of the command line.

        >>> import lissome as ls
        >>> "300 mm" in ls.demo("rod").replace({"rod.arm.length": "300 mm"}).to_toml()
        True
        """
        return Scene._of(_lissome.parse(self._name, self.to_toml(), _overrides(changes)), self._name)

    def solve(self, drives: Drives | None = None, *, check: bool = True, stability: str = "sign") -> Equilibrium:
        """The equilibrium with drives held at values (SI); those that are not named stand at their beginning. Raises
        :class:`Fold` or :class:`NotConverged` with the last equilibrium, unless ``check`` is False. ``stability`` is
        ``"sign"`` or, if the smallest eigenvalue is wanted at once, ``"eigenvalue"``.

        >>> import lissome as ls
        >>> eq = ls.demo("rod").solve({"tip.scale": 0.5})
        >>> eq.rod["arm"].tip.position.shape
        (3,)
        """
        if stability not in ("sign", "eigenvalue"):
            raise ValueError(f'stability is "sign" or "eigenvalue", not {stability!r}')
        held = pairs(drives)
        core = self._core.solve(held, stability == "eigenvalue")
        found = Equilibrium._of(core, self, dict(held))
        if check and not found.converged:
            _, complaint, _ = core.summary_json()
            factor = float(found.summary.get("load_factor", 0.0))
            if complaint is None:
                raise _errors.NotConverged(f"the search ended with `{found.status}`", [], found, factor)
            raise _errors.unsettled(complaint[1], complaint[0], found, factor)
        return found

    def _done(self, progress: Progress) -> Run:
        try:
            core = self._core.run(_shown(progress))
        finally:
            _ended(progress)
        return Run._of(core, self)

    def run(self, *, progress: Progress = False, check: bool = False) -> Run:
        """Does the job of the scene, as ``lissome run`` does it, to the bit.

        >>> import lissome as ls
        >>> ls.demo("rod").run().status
        'converged'
        """
        run = self._done(progress)
        return run.check() if check else run

    def trace(self, drives: Mapping[str, ArrayLike], *, progress: Progress = False, check: bool = False) -> Run:
        """Equilibria along drives, each from its predecessor: one array of values (SI) for each, all of one length. Every
        array of the result has a first axis that counts them; ``converged`` is a mask.

        >>> import lissome as ls, numpy as np
        >>> path = ls.demo("rod").trace({"tip.scale": np.linspace(0, 1, 5)})
        >>> path.rod["arm"].position.shape
        (5, 101, 3)
        """
        table, count = _columns(drives)
        if count < 2:
            raise ValueError("a path has at least two samples")
        changes: dict[str, object] = {"job": {"kind": "path", "samples": count}}
        changes.update((f'drive."{path}"', {"values": values}) for path, values in table.items())
        run = self.replace(changes)._done(progress)
        return run.check() if check else run

    def inverse(
        self,
        target: Mapping[str, object] | None = None,
        free: Mapping[str, object] | None = None,
        *,
        samples: int | None = None,
        progress: Progress = False,
        check: bool = False,
    ) -> Run:
        """Drives that bring outputs to targets: tables as ``[target]`` and ``[free]`` of a scene file have them, or those of the
        scene where nothing is given. ``run.summary["inverse"]`` says whether every target is met, by how much each is missed
        and which drives were found; ``run.table("path.csv")`` has every drive along the samples.

        >>> import lissome as ls
        >>> run = ls.demo("drawing-arm").inverse({"pen": {"of": "backbone", "position": [0.05, 0.0, 0.228]}})
        >>> run.summary["inverse"]["met"]
        True
        """
        job: dict[str, object] = {"kind": "inverse"}
        if samples is not None:
            job["samples"] = samples
        changes: dict[str, object] = {"job": job}
        if target is not None:
            changes["target"] = dict(target)
        if free is not None:
            changes["free"] = dict(free)
        run = self.replace(changes)._done(progress)
        return run.check() if check else run

    def optimise(
        self,
        free: Mapping[str, object] | None = None,
        *,
        minimise: str | None = None,
        maximise: str | None = None,
        constraints: Sequence[str] | None = None,
        progress: Progress = False,
        check: bool = False,
    ) -> Run:
        """Numbers of the scene that make a formula of outputs smallest or largest, under constraints: formulas as the job of a
        scene file has them, or those of the scene where nothing is given. ``run.summary["optimise"]`` has the numbers, the
        constraints and their prices; docs/how-to/optimise.md has the formulas.

        >>> import lissome as ls
        >>> run = ls.demo("rod").optimise({"tip.scale": {"min": 0, "max": 2}}, minimise="(arm.tip.position.z - 0.5 m)^2")
        >>> run.rod["arm"].tip.position.round(3).tolist()[2]
        0.5
        """
        changes: dict[str, object] = {}
        if minimise is not None or maximise is not None or constraints is not None:
            job: dict[str, object] = {"kind": "optimise"}
            asked = {"minimise": minimise, "maximise": maximise, "constraints": constraints}
            job.update((name, value) for name, value in asked.items() if value is not None)
            changes["job"] = job
        if free is not None:
            changes["free"] = dict(free)
        run = (self.replace(changes) if changes else self)._done(progress)
        return run.check() if check else run

    def fit(
        self,
        data: _measured.Measured,
        free: Iterable[str],
        *,
        noise: Mapping[str, object] | None = None,
        loss: str = "square",
        max_rounds: int = 100,
    ) -> _measured.Fit:
        """Numbers of the scene from measurements, as ``lissome fit`` finds them. ``data`` is a file or columns by their names:
        what was set and what was measured in each reading (NaN: not measured), SI unless a unit stands after the name. ``free``
        are paths of numbers, perhaps with limits; ``noise`` standard deviations by a word of the outputs' names.

        >>> import lissome as ls
        >>> tips = [ls.demo("rod").replace({"load.tip.force.2": f}).solve().rod["arm"].tip.position for f in (0.1, 0.2)]
        >>> data = {"load.tip.force.2": [0.1, 0.2], "arm.tip.position.z": [tip[2] for tip in tips]}
        >>> begun = ls.demo("rod").replace({"material.silicone.young": "150 kPa"})
        >>> fit = begun.fit(data, ["material.silicone.young"], noise={"position": "0.1 mm"})
        >>> round(fit.values["material.silicone.young"])
        200000
        """
        return _measured.fitted(self, data, free, noise, loss, max_rounds)

    def observe(
        self,
        markers: _measured.Measured,
        *,
        unknown: Iterable[str] = (),
        noise: Mapping[str, object] | Sequence[str] | str | None = None,
        energy: float | None = None,
        keep_outliers: bool = False,
    ) -> _measured.Observation:
        """The shape and the strain of a real robot from markers on it, as ``lissome observe`` finds them. ``markers`` is a file or
        columns by their names, one entry a frame (NaN: not seen). ``noise`` is how exact they are: ``"0.5 mm"``, or by
        ``"position"``, ``"rotation"`` and names of markers; ``unknown`` are paths of forces that are to be found.

        >>> import lissome as ls
        >>> tip = ls.demo("rod").solve().rod["arm"].tip.position
        >>> markers = {f"arm.tip.position.{axis}": [value] for axis, value in zip("xyz", tip)}
        >>> found = ls.demo("rod").replace({"load.tip.force": [0.0, 0.0, 0.1]}).observe(
        ...     markers, unknown=["load.tip.force.z"], noise="0.1 mm")
        >>> found.unknowns["value"].round(3).tolist()
        [0.25]
        """
        return _measured.observed(self, markers, unknown, noise, energy, keep_outliers)

    def modes(self, count: int = 6, *, progress: Progress = False) -> Run:
        """Natural modes about the equilibrium; ``run.table("modes.csv")`` has frequencies, Hz.

        >>> import lissome as ls
        >>> len(ls.demo("strip").modes(3).summary["modes"])
        3
        """
        return self.replace({"job": {"kind": "modes", "count": int(count)}})._done(progress)

    def shape(self, *, progress: Progress = False) -> Run:
        """The shape of every rod between its two held ends, without loads.

        >>> import lissome as ls
        >>> ls.demo("two-grippers").shape().status
        'converged'
        """
        return self.replace({"job": {"kind": "shape"}})._done(progress)

    def robot(self) -> Robot:
        """A robot that stands in the equilibrium of the scene and can be moved on from there.

        >>> import lissome as ls
        >>> robot = ls.demo("rod").robot()
        >>> robot.settle({"tip.scale": 0.9}).converged
        True
        """
        return Robot(self._core.robot(), self)

    def start(self) -> Motion:
        """A motion by hand, which begins where the job of the scene does, or in its equilibrium.

        >>> import lissome as ls
        >>> ls.demo("swing").start().time
        0.0
        """
        return Motion(self._core.start(), self)

    def solve_batch(
        self, drives: Mapping[str, ArrayLike], *, threads: int | None = None, progress: Progress = False
    ) -> Batch:
        """Many equilibria on all cores, each alone from nothing: the numbers do not depend on the number of threads. One array
        of values (SI) for each drive, all of one length. A case without an equilibrium is a row with its status and code.

        >>> import lissome as ls
        >>> ls.demo("rod").solve_batch({"tip.scale": [0.0, 0.5, 1.0]}).converged.all()
        np.True_
        """
        table, count = _columns(drives)
        values = np.column_stack(list(table.values())) if count else np.empty((0, len(table)))
        data = np.ascontiguousarray(values, dtype=np.float64).tobytes()
        try:
            columns, numbers, status, code = _lissome.solve_batch(
                self._core, list(table), data, _threads(threads), _shown(progress)
            )
        finally:
            _ended(progress)
        rows = np.frombuffer(numbers, dtype=np.float64).reshape(count, len(columns))
        by_name = {name: rows[:, index] for index, name in enumerate(columns)}
        return Batch(by_name, self.names, status, code)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self._name, self.to_toml()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and other.to_toml() == self.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<Scene {self.title!r}: {self.job}>"

    def __str__(self) -> str:
        parts = ", ".join(f"{len(names)} {family}" for family, names in self.names.items() if names)
        return f"{self.title}\n  {'job':<9}{self.job}\n  {'parts':<9}{parts}"


def _again(name: str, text: str) -> Scene:
    return loads(text, name=name)


def _threads(threads: int | None) -> int:
    if threads is None:
        return os.cpu_count() or 1
    if threads < 1:
        raise ValueError("threads is a number from 1 on")
    return threads


def _columns(drives: Mapping[str, ArrayLike]) -> tuple[dict[str, np.ndarray[Any, np.dtype[np.float64]]], int]:
    """Drives as arrays of one length, checked."""
    if not drives:
        raise ValueError("give at least one drive")
    table: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
    for path, values in drives.items():
        column = np.asarray(values, dtype=np.float64)
        if column.ndim != 1:
            raise ValueError(f"drive `{path}` takes an array of one dimension, not of shape {column.shape}")
        table[path] = column
    lengths = {path: len(column) for path, column in table.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"the drives have different lengths: {lengths}")
    return table, next(iter(lengths.values()))


def load(path: str | PathLike[str], changes: Mapping[str, object] | None = None) -> Scene:
    """Reads a scene file; ``changes`` as for :meth:`Scene.replace`.

    >>> import lissome as ls, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as there:
    ...     file = pathlib.Path(there) / "rod.toml"
    ...     _ = file.write_text(ls.demo("rod").to_toml())
    ...     ls.load(file).job
    'statics'
    """
    return Scene._of(_lissome.load(path, _overrides(changes or {})), os.fspath(path))


def loads(text: str, changes: Mapping[str, object] | None = None, *, name: str = "scene.toml") -> Scene:
    """Reads the text of a scene; ``name`` stands for the file in messages, and files it names are sought beside it.

    >>> import lissome as ls
    >>> ls.loads(ls.demo("rod").to_toml()) == ls.demo("rod")
    True
    """
    return Scene._of(_lissome.parse(name, text, _overrides(changes or {})), name)


def demos() -> list[str]:
    """Names of the scenes that are shipped.

    >>> import lissome as ls
    >>> "cable-arm" in ls.demos()
    True
    """
    return [name for name, _ in _lissome.templates()]


def demo(name: str = "tendon-arm") -> Scene:
    """A scene that is shipped.

    >>> import lissome as ls
    >>> ls.demo().title
    'Two-segment tendon-driven arm'
    """
    found = dict(_lissome.templates())
    if name not in found:
        raise KeyError(missing(name, found, "the list of demos"))
    return loads(found[name], name=f"{name}.toml")


def run_batch(scenes: Iterable[Scene], *, threads: int | None = None, progress: Progress = False) -> list[Run]:
    """Does the jobs of many scenes on all cores; the numbers do not depend on the number of threads.

    >>> import lissome as ls
    >>> [run.status for run in ls.run_batch([ls.demo("rod"), ls.demo("hooked")])]
    ['converged', 'converged']
    """
    all_scenes: Sequence[Scene] = list(scenes)
    try:
        runs = _lissome.run_batch([scene.core for scene in all_scenes], _threads(threads), _shown(progress))
    finally:
        _ended(progress)
    return [Run._of(run, scene) for run, scene in zip(runs, all_scenes, strict=True)]


def open_run(folder: str | PathLike[str]) -> Run:
    """Reads a run folder that the program or :meth:`Run.save` wrote.

    >>> import lissome as ls, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as there:
    ...     ls.open_run(ls.demo("rod").run().save(pathlib.Path(there) / "rod.run")).status
    'converged'
    """
    import json
    from pathlib import Path

    is_motion = _lissome.check_run(folder)
    place = Path(folder)
    manifest: dict[str, Any] = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    scene = load(place / "scene.toml")
    files = sorted(place.glob("motion-*.npz")) if is_motion else [place / "samples.npz"]
    if (place / "path.npz").exists():
        files = [place / "path.npz"]
    parts: list[dict[str, np.ndarray[Any, np.dtype[np.float64]]]] = []
    for file in files:
        with np.load(file) as archive:
            parts.append({name: archive[name] for name in archive.files})
    table = parts[0] if len(parts) == 1 else {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Run(scene, table, (manifest.get("result") or {}, []), str(manifest["status"]))
