"""Sweeps: one scene, many cases, one table; the same bytes as ``lissome sweep``, here or on a Ray cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lissome, _toml
from ._names import missing

# The modules of files and tables are imported where they are used: together they take longer than the rest of the package.
if TYPE_CHECKING:
    from pathlib import Path

    from ._scene import Scene

Plan = Mapping[str, Any] | str | PathLike[str]

# A task for a cluster takes about this long: far longer than sending it, and short enough that little is lost with it.
_TASK_SECONDS = 5.0


class SweepTable:
    """The table of a sweep: columns by their names.

    >>> import lissome as ls
    >>> table = ls.sweep(ls.demo("rod"), {"load.tip.force.2": "0..1 N:3"}, outputs=["energy.elastic"])
    >>> len(table), table.columns[:3]
    (3, ['case', 'load.tip.force.2', 'energy.elastic'])
    >>> table["load.tip.force.2"].tolist(), table.status.tolist()
    ([0.0, 0.5, 1.0], ['converged', 'converged', 'converged'])
    """

    def __init__(self, text: str, folder: Path | None) -> None:
        self.csv = text
        """The whole table as ``table.csv`` has it."""
        self.folder = folder
        """The folder of the sweep; None if it was not kept."""
        import csv

        rows = list(csv.reader(text.splitlines()))
        self.columns = rows[0]
        self._rows = rows[1:]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        if name not in self.columns:
            raise KeyError(missing(name, self.columns, "the table"))
        index = self.columns.index(name)
        texts = [row[index] for row in self._rows]
        if name in ("status", "code"):
            return np.array(texts, dtype=np.str_)
        try:
            return np.array([float(text) for text in texts])
        except ValueError:
            return np.array(texts, dtype=np.str_)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @property
    def status(self) -> np.ndarray[Any, np.dtype[Any]]:
        """How each case ended."""
        return self["status"]

    @property
    def answered(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """True for each case that has an answer."""
        return np.isin(self.status, ["converged", "finished"])

    def to_pandas(self) -> Any:
        """A data frame; needs pandas."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.columns})

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """A Parquet file; needs pandas and pyarrow."""
        self.to_pandas().to_parquet(path)

    def __repr__(self) -> str:
        return f"<SweepTable of {len(self)} cases, {int(self.answered.sum())} with an answer>"


def sweep(
    scene: Scene,
    plan: Plan | None = None,
    *,
    out: str | PathLike[str] | None = None,
    outputs: Sequence[str] = (),
    latin: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    ray: bool = False,
    progress: Callable[[float], object] | None = None,
) -> SweepTable:
    """Solves a scene for many values. ``plan`` has ranges by path, as on the command line, lists of values by path (one case for
    each entry), or is the name of a table of cases; without it the ``cases`` of the scene are solved. With ``out`` the folder is kept, and a sweep that was cut short
    goes on by :func:`resume_sweep`. With ``ray`` the cases are solved on a Ray cluster; the table is the same.

    >>> import lissome as ls
    >>> table = ls.sweep(ls.demo("rod"), {"rod.arm.length": ["0.8 m", "1 m"], "load.tip.force.2": [0.1, 0.2]})
    >>> table["rod.arm.length"].tolist()
    [0.8, 1.0]
    """
    import tempfile
    from pathlib import Path

    core = _planned(scene, plan, list(outputs), latin, seed)
    if out is None:
        with tempfile.TemporaryDirectory() as there:
            place = Path(there) / "sweep"
            return _worked(core, core.create(place), place, False, threads, ray, progress)
    place = Path(out)
    return _worked(core, core.create(place), place, True, threads, ray, progress)


def resume_sweep(
    folder: str | PathLike[str],
    *,
    threads: int | None = None,
    ray: bool = False,
    progress: Callable[[float], object] | None = None,
) -> SweepTable:
    """Goes on with a sweep that was not finished, whoever began it.

    >>> import lissome as ls, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as there:
    ...     place = pathlib.Path(there) / "rod.sweep"
    ...     first = ls.sweep(ls.demo("rod"), {"load.tip.force.2": "0..1 N:3"}, out=place)
    ...     ls.resume_sweep(place).csv == first.csv
    True
    """
    from pathlib import Path

    core, opened = _lissome.open_sweep(folder)
    return _worked(core, opened, Path(folder), True, threads, ray, progress)


def _planned(scene: Scene, plan: Plan | None, outputs: list[str], latin: int | None, seed: int) -> _lissome.Sweep:
    if plan is None:
        if latin is not None:
            raise TypeError("a Latin hypercube needs ranges")
        return _lissome.Sweep.own(scene.core, outputs)
    if isinstance(plan, str | PathLike):
        if latin is not None:
            raise TypeError("a Latin hypercube needs ranges, not a table of cases")
        return _lissome.Sweep.file(scene.core, plan, outputs)
    ranges = [isinstance(value, str) for value in plan.values()]
    if all(ranges):
        axes = [f"{path}={value}" for path, value in plan.items()]
        if latin is None:
            return _lissome.Sweep.grid(scene.core, axes, outputs)
        return _lissome.Sweep.latin(scene.core, axes, latin, seed, outputs)
    if any(ranges) or latin is not None:
        raise TypeError("a plan has ranges by path, or lists of values by path, not both")
    lists = {path: list(values) for path, values in plan.items()}
    if len({len(values) for values in lists.values()}) != 1:
        raise ValueError("all lists of a plan have one value for each case: their lengths differ")
    columns = [[_text(value, path) for value in values] for path, values in lists.items()]
    return _lissome.Sweep.cases(scene.core, list(lists), [list(row) for row in zip(*columns, strict=True)], outputs)


def _text(value: Any, path: str) -> str:
    """A value as it stands after ``path=``."""
    return value if isinstance(value, str) else _toml.value(value, path)


def _worked(
    core: _lissome.Sweep,
    folder: _lissome.Folder,
    place: Path,
    kept: bool,
    threads: int | None,
    ray: bool,
    progress: Callable[[float], object] | None,
) -> SweepTable:
    if ray:
        _on_ray(core, folder, progress)
    else:
        folder.run(threads or os.cpu_count() or 1, progress)
    folder.finish()
    return SweepTable((place / "table.csv").read_text(encoding="utf-8"), place if kept else None)


def _solve_texts(scene: str, plan: str, cases: list[int]) -> tuple[list[tuple[int, str]], float]:
    """What a worker of a cluster does: rows of cases, and how long they took."""
    begun = time.perf_counter()
    rows = _lissome.Sweep.of_texts(scene, plan).solve(cases, 1)
    return rows, time.perf_counter() - begun


def _on_ray(core: _lissome.Sweep, folder: _lissome.Folder, progress: Callable[[float], object] | None) -> None:
    """Sends scene, plan and numbers of cases; rows come back and are written here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray as cluster  # pyright: ignore[reportMissingImports]

    ray: Any = cluster
    if not ray.is_initialized():
        ray.init(include_dashboard=False)
    solve = ray.remote(num_cpus=1)(_solve_texts)
    scene, plan = (ray.put(text) for text in core.texts())
    waiting = folder.missing()
    missing_at_first, size = len(waiting), 1
    workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    running: list[Any] = []
    try:
        while waiting or running:
            while waiting and len(running) < 2 * workers:
                batch, waiting = waiting[:size], waiting[size:]
                running.append(solve.remote(scene, plan, batch))
            done, running = ray.wait(running, num_returns=1)
            rows, seconds = ray.get(done[0])
            folder.add(rows)
            # The next tasks are as long as the last one tells.
            each = seconds / max(1, len(rows))
            fair = max(1, len(waiting) // (2 * workers))
            size = max(1, min(int(_TASK_SECONDS / max(each, 1e-6)), fair))
            if progress is not None:
                progress(1.0 - len(folder.missing()) / max(1, missing_at_first))
    finally:
        for task in running:
            ray.cancel(task)
