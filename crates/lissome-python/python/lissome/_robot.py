"""A robot at hand, and a motion by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _errors, _lissome
from ._names import Array, Results, as_arrays
from ._results import Equilibrium, matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._scene import Scene

Drives = Mapping[str, float]


def pairs(drives: Drives | None) -> list[tuple[str, float]]:
    """Drives as the compiled half takes them, numbers alone."""
    found: list[tuple[str, float]] = []
    for path, value in (drives or {}).items():
        if isinstance(value, str) or np.ndim(value) != 0:
            raise TypeError(f"drive `{path}` takes one number in SI units, not {value!r}")
        found.append((path, float(value)))
    return found


class Robot:
    """A scene compiled once that stands in its present equilibrium. Setting drives and settling again is many times faster
    than solving from nothing, and follows the branch that the robot is on.

    >>> import lissome as ls
    >>> arm = ls.demo("cable-arm").robot()
    >>> name = arm.drives[0]
    >>> arm.settle({name: arm[name] + 0.1}).status
    'converged'
    """

    def __init__(self, core: _lissome.Robot, scene: Scene) -> None:
        self._core = core
        self._scene = scene
        self._held = False

    @property
    def scene(self) -> Scene:
        """The scene it was made of."""
        return self._scene

    @property
    def drives(self) -> list[str]:
        """What can be set."""
        return list(self._core.drives)

    def __getitem__(self, path: str) -> float:
        return self._core.get(path)

    def __setitem__(self, path: str, value: float) -> None:
        [(path, value)] = pairs({path: value})
        self._core.set(path, value)

    @property
    def settled(self) -> bool:
        """True if it stands in an equilibrium under what is set."""
        return self._core.settled

    def settle(self, drives: Drives | None = None) -> Equilibrium:
        """Goes to the equilibrium under what is set, and records it. Raises :class:`Fold` or :class:`NotConverged` where there
        is none: the robot then stands where it stood, which is the ``equilibrium`` of the exception."""
        self.move(drives)
        found = self.equilibrium
        assert found is not None, "a robot that settled has an equilibrium"
        return found

    def move(self, drives: Drives | None = None) -> None:
        """The same without recording anything, for loops that look at little: :meth:`draw`, :meth:`jacobian`."""
        for path, value in pairs(drives):
            self._core.set(path, value)
        complaint = self._core.settle()
        if complaint is not None:
            diagnostic, text, factor = complaint
            raise _errors.unsettled(text, diagnostic, self.equilibrium, factor)

    @property
    def equilibrium(self) -> Equilibrium | None:
        """The present equilibrium; its errors are not estimated."""
        recorded = self._core.record()
        if recorded is None:
            return None
        arrays, columns, stable = recorded
        table = as_arrays(arrays)
        table.update((name, np.asarray(value, dtype=np.float64)) for name, value in columns)
        drives = {name[len("drive.") :]: float(value) for name, value in columns if name.startswith("drive.")}
        return Equilibrium(None, self._scene, table, drives, stable)

    def forget(self) -> None:
        """Leaves the present equilibrium: the next search begins with the natural shape."""
        self._core.forget()

    def draw(self, stations: int = 33) -> NDArray[np.float32]:
        """Positions of the rods, shape (rods, stations, 3), m."""
        points = np.frombuffer(self._core.draw(stations), dtype=np.float32)
        return points.reshape(-1, max(stations, 2), 3)

    def jacobian(self, of: str | Sequence[str], wrt: str | Sequence[str]) -> Array:
        """As :meth:`Equilibrium.jacobian`, at the present equilibrium."""
        return matrix(self._core.jacobian, of, wrt)

    def grab(self, rod: str, s: float) -> None:
        """Takes hold of a rod at an arc length, m."""
        self._core.grab(rod, float(s))
        self._held = True

    def pull(self, force: Sequence[float] | Array) -> None:
        """Pulls where it is held, N, world axes, from the next :meth:`settle` on."""
        x, y, z = (float(part) for part in np.asarray(force, dtype=np.float64).reshape(3))
        if not self._core.pull((x, y, z)):
            raise RuntimeError("grab the robot before you pull it")

    def release(self) -> None:
        """Lets go."""
        self._core.release()
        self._held = False

    def __getstate__(self) -> dict[str, Any]:
        if self._held:
            raise TypeError("a robot that is held cannot be pickled: release it first")
        drives = {path: self._core.get(path) for path in self._core.drives}
        return {"scene": self._scene, "drives": drives, "snapshot": self._core.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._scene = state["scene"]
        self._held = False
        self._core = self._scene.core.robot()
        for path, value in state["drives"].items():
            if self._core.get(path) != value:
                self._core.set(path, value)
        if state["snapshot"] is None:
            self._core.forget()
        elif not self._core.restore(state["snapshot"]):
            raise ValueError("the snapshot is not of this scene")

    def __repr__(self) -> str:
        return f"<Robot {self._scene.title!r}>"


class Motion(Results):
    """A motion by hand: it moves as far as it is told. Its arrays are those of a motion's run folder, at this moment.

    >>> import lissome as ls
    >>> sim = ls.demo("swing").start()
    >>> sim.step(0.01)
    >>> round(sim.time, 6), sim.rod["arm"].position.shape
    (0.01, (33, 3))
    """

    def __init__(self, core: _lissome.Motion, scene: Scene) -> None:
        super().__init__(None, scene.names)
        self._core = core
        self._scene = scene

    def _fill(self) -> dict[str, Array]:
        return {name: array[0] for name, array in as_arrays(self._core.arrays()).items()}

    @property
    def scene(self) -> Scene:
        """The scene that moves."""
        return self._scene

    @property
    def time(self) -> float:
        """Time, s."""
        return self._core.time

    def step(self, h: float, drives: Drives | None = None) -> None:
        """Goes on by ``h`` seconds, in as many steps of the integrator as it takes. Each drive goes evenly from where it is to
        its value (SI), so that nothing jumps; the others stay, or follow the scene."""
        self._core.step(float(h), pairs(drives))
        self._filled = None

    def run(
        self,
        until: float,
        h: float,
        drives: Callable[[Motion], Drives | None] | None = None,
        observe: Callable[[Motion], object] | None = None,
    ) -> None:
        """Goes on to a time in steps of ``h`` seconds. ``drives(sim)`` is called before each step and says what the drives go
        to in it, loads among them as ``NAME.scale``; ``observe(sim)`` is called after each and stops the motion by
        returning False. A call costs about a microsecond beside the step itself, the first look at an array after a step about
        a tenth of a millisecond.

        >>> import lissome as ls
        >>> sim = ls.demo("swing").start()
        >>> tips = []
        >>> sim.run(0.03, 0.01, observe=lambda sim: tips.append(sim.rod["arm"].tip.position[2]))
        >>> len(tips)
        3
        """
        begin = self.time
        count = int(np.ceil((until - begin) / h - 1e-9))
        for index in range(count):
            target = min(until, begin + (index + 1) * h)
            self.step(target - self.time, drives(self) if drives else None)
            if observe is not None and observe(self) is False:
                return

    def __getstate__(self) -> dict[str, Any]:
        return {"scene": self._scene, "snapshot": self._core.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._scene = state["scene"]
        self._names = self._scene.names
        self._core = self._scene.core.start()
        self._core.restore(state["snapshot"])
        self._filled = None

    def __repr__(self) -> str:
        return f"<Motion {self._scene.title!r} at {self.time:.6g} s>"
