"""Gymnasium environments: three tasks with soft robots. Needs gymnasium.

>>> import gymnasium, lissome.gym
>>> env = gymnasium.make("lissome/TendonReach-v0")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

The robots are quasi-static: a step changes the drives and lets the robot settle. Everything follows from the seed, to the bit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _errors
from ._robot import Robot
from ._scene import Scene, loads

Floats = np.ndarray[Any, np.dtype[np.float32]]
Numbers = np.ndarray[Any, np.dtype[np.float64]]

_TENDON_ARM = """schema = 1
title = "Arm with six tendons"
[material.nitinol]
young = "60 GPa"
poisson = 0.33
[rod.arm]
material = "nitinol"
length = "240 mm"
section = { shape = "circle", radius = "0.6 mm" }
base = { fixed_to = "world", tangent = [0, 0, 1] }
model = { spline = { degree = 3, spans = 8 } }
[tendon.lower]
rod = "arm"
count = 3
to = "120 mm"
radius = "8 mm"
angle = "-90 deg"
tension = [0, 0, 0]
[tendon.upper]
rod = "arm"
count = 3
radius = "8 mm"
angle = "90 deg"
tension = [0, 0, 0]
"""

_TUBES = """schema = 1
title = "Two concentric tubes"
[material.nitinol]
young = "58 GPa"
poisson = 0.3
[tubes.robot]
entry = { fixed_to = "world", tangent = [0, 0, 1] }
material = "nitinol"
model = { spline = { degree = 3, spans = 4 } }
[tubes.robot.tube.inner]
inner_diameter = "0.7 mm"
outer_diameter = "1.0 mm"
length = "430 mm"
curved_length = "60 mm"
curvature = [0, "15 1/m"]
insertion = "110 mm"
[tubes.robot.tube.outer]
inner_diameter = "1.2 mm"
outer_diameter = "1.8 mm"
length = "300 mm"
curved_length = "60 mm"
curvature = [0, "6 1/m"]
insertion = "60 mm"
"""

_CATHETER = """schema = 1
title = "Catheter in a bent vessel"
[material.polymer]
young = "200 MPa"
poisson = 0.4
[joint.hand]
kind = "cylindrical"
axis = [1, 0, 0]
parent = { position = ["5 mm", 0, 0] }
angle = 0
travel = 0
[rod.catheter]
material = "polymer"
length = "12 cm"
section = { shape = "circle", radius = "0.6 mm" }
base = { fixed_to = "hand" }
model = { spline = { degree = 3, spans = 16 } }
[tendon.steer]
rod = "catheter"
radius = "0.4 mm"
tension = 0
[obstacle.vessel]
bore = { radius = "5 mm", axis = [{ straight = "13 cm" }, { arc = "60 deg", radius = "5 cm" }, { straight = "5 cm" }] }
[contact]
friction = 0.05
"""


class RobotEnv(gymnasium.Env[Floats, Floats]):
    """What the tasks share: an action changes drives by parts of a largest change, then the robot settles."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}
    scene_text: ClassVar[str]
    drives: ClassVar[tuple[str, ...]]
    """Paths of the drives, in the order of actions."""
    low: ClassVar[tuple[float, ...]]
    high: ClassVar[tuple[float, ...]]
    """Bounds of the drives, SI."""
    change: ClassVar[tuple[float, ...]]
    """Largest change of each drive in a step, SI."""
    extra: ClassVar[int]
    """Numbers of an observation beside the drives."""
    steps: ClassVar[int]
    """An episode is cut after so many steps."""

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'render_mode is None or "rgb_array", not {render_mode!r}')
        self.render_mode = render_mode
        self._scene: Scene = loads(self.scene_text, name=f"{type(self).__name__}.toml")
        self._low: Numbers = np.array(self.low, np.float64)
        self._high: Numbers = np.array(self.high, np.float64)
        self._change: Numbers = np.array(self.change, np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (len(self.drives),), np.float32)
        self.observation_space = spaces.Box(-1.0, 1.0, (len(self.drives) + self.extra,), np.float32)
        self._robot: Robot | None = None
        self._values: Numbers = self._low.copy()
        self._count = 0

    # What a task says.

    def start(self) -> Numbers:
        """Values of the drives at the beginning."""
        raise NotImplementedError

    def begin(self) -> None:
        """Draws what differs from episode to episode, with ``self.np_random``."""

    def look(self) -> Numbers:
        """The numbers of an observation beside the drives, about 1 in size."""
        raise NotImplementedError

    def judge(self) -> tuple[float, bool, dict[str, Any]]:
        """Reward, whether the task is done, and what else there is to know."""
        raise NotImplementedError

    # What all tasks do.

    @property
    def robot(self) -> Robot:
        """The robot; :meth:`reset` makes it."""
        if self._robot is None:
            raise RuntimeError("reset the environment before you use it")
        return self._robot

    @property
    def tip(self) -> Numbers:
        """Position of the tip, m."""
        return self.robot.draw(2)[0, -1].astype(np.float64)

    def place(self, values: Numbers) -> bool:
        """Sets the drives and settles; False if there is no equilibrium."""
        try:
            self.robot.move({path: float(value) for path, value in zip(self.drives, values, strict=True)})
        except (_errors.NotConverged, _errors.Fold):
            return False
        return True

    def fresh(self, values: Numbers) -> bool:
        """The same from the natural shape: nothing that came before plays a part."""
        self._robot = self._scene.robot()
        return self.place(values)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._values, self._count = self.start(), 0
        self.begin()
        if not self.fresh(self._values):
            raise RuntimeError("the robot has no equilibrium to begin with")
        _, _, info = self.judge()
        return self._observation(), info

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        moves = np.clip(np.asarray(action, np.float64).reshape(self._change.shape), -1.0, 1.0)
        before = self._values
        self._values = np.clip(before + moves * self._change, self._low, self._high)
        self._count += 1
        if not self.place(self._values):
            # The robot stands where it stood; what was asked for does not exist.
            self._values = before
            _, _, info = self.judge()
            return self._observation(), -1.0, True, False, {"lost": True, **info}
        reward, done, info = self.judge()
        return self._observation(), reward, done, self._count >= self.steps, info

    def _observation(self) -> Floats:
        drives = 2.0 * (self._values - self._low) / (self._high - self._low) - 1.0
        return np.clip(np.concatenate([drives, self.look()]), -1.0, 1.0).astype(np.float32)

    def render(self) -> Any:
        """The robot from the side and from above, beside each other."""
        if self.render_mode is None:
            return None
        size, points = 128, self.robot.draw(200).reshape(-1, 3).astype(np.float64)
        picture = np.full((size, 2 * size, 3), 255, np.uint8)
        reach = 1.1 * max(0.05, float(np.abs(points).max()))
        for offset, (across, up) in ((0, (0, 2)), (size, (0, 1))):
            column = ((points[:, across] / reach + 1.0) * 0.5 * (size - 1)).astype(int) + offset
            row = ((1.0 - points[:, up] / reach) * 0.5 * (size - 1)).astype(int)
            picture[np.clip(row, 0, size - 1), np.clip(column, 0, 2 * size - 1)] = (0, 103, 179)
        return picture


class TendonReach(RobotEnv):
    """Reach a point with the tip of an arm that six tendons bend. The point is one that some tensions reach.

    Actions change the tensions by up to 1 N. Observed are tensions, tip, target and their difference, in lengths of the arm.
    The reward is the way made good, in lengths; one more when the tip is within 5 mm, which ends the episode.
    """

    scene_text = _TENDON_ARM
    drives = tuple(f"{group}.{k}.tension" for group in ("lower", "upper") for k in (1, 2, 3))
    low, high, change = (0.0,) * 6, (4.0,) * 6, (0.5,) * 6
    extra, steps = 9, 50
    length = 0.24
    near = 0.005

    def start(self) -> Numbers:
        return np.zeros(6)

    def begin(self) -> None:
        while True:
            tensions = self.np_random.uniform(0.0, 3.0, 6)
            if self.fresh(tensions):
                break
        self._target = self.tip
        self._distance = np.inf

    def look(self) -> Numbers:
        tip = self.tip
        return np.concatenate([tip, self._target, self._target - tip]) / self.length

    def judge(self) -> tuple[float, bool, dict[str, Any]]:
        distance = float(np.linalg.norm(self._target - self.tip))
        gained = 0.0 if np.isinf(self._distance) else (self._distance - distance) / self.length
        self._distance = distance
        done = distance < self.near
        return gained + float(done), done, {"distance": distance}


class TubesFollow(RobotEnv):
    """Follow a point that moves along an arc with the tip of two concentric tubes, which turn and slide.

    Actions change rotations by up to 0.2 rad and insertions by up to 3 mm. Observed are the drives, the difference to the
    point, and where it will be in three steps. The reward is minus the distance, in parts of 20 mm.
    """

    scene_text = _TUBES
    drives = ("robot.inner.rotation", "robot.outer.rotation", "robot.inner.insertion", "robot.outer.insertion")
    low, high = (-3.2, -3.2, 0.09, 0.03), (3.2, 3.2, 0.13, 0.07)
    change = (0.2, 0.2, 0.003, 0.003)
    extra, steps = 6, 40
    size = 0.02

    def start(self) -> Numbers:
        return np.array([0.0, 0.0, 0.11, 0.05])

    def begin(self) -> None:
        # The way of the tip as some drives change evenly: it can be followed.
        first = self.start()
        last = first + self.np_random.uniform(-1.0, 1.0, 4) * np.array([1.5, 1.0, 0.015, 0.015])
        ends: list[Numbers] = []
        for part in (0.0, 0.5, 1.0):
            if not self.fresh(first + part * (last - first)):
                raise RuntimeError("the way of the target leaves the reach of the robot")
            ends.append(self.tip)
        self._way = np.array(ends)

    def target(self, step: int) -> Numbers:
        """Where the point is: on the parabola through three places of the tip."""
        t = min(step / self.steps, 1.0)
        weights = np.array([(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)])
        return weights @ self._way

    def look(self) -> Numbers:
        tip = self.tip
        return np.concatenate([self.target(self._count) - tip, self.target(self._count + 3) - tip]) / (2.0 * self.size)

    def judge(self) -> tuple[float, bool, dict[str, Any]]:
        distance = float(np.linalg.norm(self.target(self._count) - self.tip))
        return -distance / self.size, False, {"distance": distance}


class CatheterInsert(RobotEnv):
    """Push a catheter into a bent vessel, turning it and bending it with a tendon so that it presses little on the wall.

    Actions turn it by up to 0.3 rad, push it by up to 5 mm and change the tension by up to 0.1 N. Observed are these, the
    tip, and the force on the wall. The reward is the way made, in steps, less the force, in parts of 10 mN; at 10 cm
    the task is done. It begins turned at random.
    """

    scene_text = _CATHETER
    drives = ("hand.angle", "hand.travel", "steer.tension")
    low, high, change = (-6.4, 0.0, 0.0), (6.4, 0.1, 0.5), (0.3, 0.005, 0.1)
    extra, steps = 4, 40
    force_unit = 0.01

    def start(self) -> Numbers:
        return np.array([self.np_random.uniform(-3.0, 3.0), 0.0, 0.0])

    def begin(self) -> None:
        self._travel = 0.0

    def force(self) -> float:
        """What presses on the wall, N: the sizes of all forces together."""
        found = self.robot.equilibrium
        assert found is not None, "an episode begins in an equilibrium"
        forces = np.asarray(found["contact.catheter.vessel.force"]).reshape(-1, 3)
        return float(np.linalg.norm(forces, axis=1).sum())

    def look(self) -> Numbers:
        return np.concatenate([self.tip / 0.25, [min(self._force / (10.0 * self.force_unit), 1.0)]])

    def judge(self) -> tuple[float, bool, dict[str, Any]]:
        self._force = self.force()
        travel = float(self._values[1])
        reward = (travel - self._travel) / self.change[1] - self._force / self.force_unit
        self._travel = travel
        return reward, travel > self.high[1] - 1e-9, {"force": self._force, "travel": travel}


class RobotVectorEnv(VectorEnv[Floats, Floats, Any]):
    """Many robots of one task at once, on all cores. With ``seed`` the k-th has the seed ``seed + k``, and does what a single
    environment of that seed does, to the bit."""

    def __init__(self, task: type[RobotEnv], num_envs: int = 1, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self.envs = [task() for _ in range(num_envs)]
        self.metadata = {**task.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        one: RobotEnv = self.envs[0]
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.action_space = batch_space(one.action_space, num_envs)
        # Robots work without Python's lock, so that threads are enough.
        self._pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
        self._ended = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        if seed is None or isinstance(seed, int):
            seeds: list[int | None] = [None if seed is None else seed + k for k in range(self.num_envs)]
        else:
            seeds = list(seed)

        def one(index: int) -> tuple[Floats, dict[str, Any]]:
            return self.envs[index].reset(seed=seeds[index], options=options)

        found = list(self._pool.map(one, range(self.num_envs)))
        self._ended[:] = False
        return np.stack([observation for observation, _ in found]), self._infos([info for _, info in found])

    def step(self, actions: Floats) -> tuple[Floats, Numbers, Any, Any, dict[str, Any]]:
        def one(index: int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
            if self._ended[index]:
                observation, info = self.envs[index].reset()
                return observation, 0.0, False, False, info
            return self.envs[index].step(actions[index])

        found = list(self._pool.map(one, range(self.num_envs)))
        terminated = np.array([each[2] for each in found])
        truncated = np.array([each[3] for each in found])
        self._ended = terminated | truncated
        observations = np.stack([each[0] for each in found])
        rewards = np.array([each[1] for each in found], np.float64)
        return observations, rewards, terminated, truncated, self._infos([each[4] for each in found])

    def _infos(self, infos: list[dict[str, Any]]) -> dict[str, Any]:
        gathered: dict[str, Any] = {}
        for index, info in enumerate(infos):
            gathered = self._add_info(gathered, info, index)
        return gathered

    def close_extras(self, **kwargs: Any) -> None:
        self._pool.shutdown()


TASKS: dict[str, type[RobotEnv]] = {
    "lissome/TendonReach-v0": TendonReach,
    "lissome/TubesFollow-v0": TubesFollow,
    "lissome/CatheterInsert-v0": CatheterInsert,
}


def _vector(task: type[RobotEnv]) -> Any:
    def make(num_envs: int = 1, **kwargs: Any) -> RobotVectorEnv:
        return RobotVectorEnv(task, num_envs, **kwargs)

    return make


def _single(task: type[RobotEnv]) -> Any:
    def make(**kwargs: Any) -> RobotEnv:
        return task(**kwargs)

    return make


_register: Any = getattr(gymnasium, "register")  # noqa: B009
for _name, _task in TASKS.items():
    if _name not in gymnasium.registry:
        _register(_name, entry_point=_single(_task), vector_entry_point=_vector(_task))
