"""lissome: statics and motion of soft and continuum robots.

>>> import lissome as ls
>>> arm = ls.demo("rod")
>>> eq = arm.solve({"tip.scale": 0.5})
>>> eq.rod["arm"].tip.position.round(3)
array([0.842, 0.   , 0.455])

Scenes are those of the scene file (``load``, ``loads``, ``Scene``), results have the names of the run folder, numbers are
SI. The reference is docs/how-to/python.md.
"""

from ._errors import Fold, LissomeError, MotionStopped, NotConverged, SceneError, UnknownName
from ._lissome import __version__
from ._measured import Fit, Observation
from ._results import Batch, Equilibrium, Run
from ._robot import Motion, Robot
from ._scene import Scene, demo, demos, load, loads, open_run, run_batch
from ._sweep import SweepTable, resume_sweep, sweep

__all__ = [
    "Batch",
    "Equilibrium",
    "Fit",
    "Fold",
    "LissomeError",
    "Motion",
    "MotionStopped",
    "NotConverged",
    "Observation",
    "Robot",
    "Run",
    "Scene",
    "SceneError",
    "SweepTable",
    "UnknownName",
    "__version__",
    "demo",
    "demos",
    "load",
    "loads",
    "open_run",
    "resume_sweep",
    "run_batch",
    "sweep",
]
