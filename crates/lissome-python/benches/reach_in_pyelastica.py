"""Steps a second of the task TendonReach, here and in PyElastica; needs gymnasium and pyelastica.

PyElastica has no tendons and no statics: the same arm (240 mm of nitinol, 20 elements, clamped) carries the bending moments of its
six tendons, tension times 8 mm, at the place where each is tied; compression by the tendons is left out, which favours
PyElastica. A step of the environment simulates 20 ms, a fifth of the period of the arm's first mode: it moves, but does
not settle, which favours it again. The time step is the longest, to a factor of two, at which the arm stays finite.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import elastica as ea
import numpy as np

import lissome.gym as tasks

CONTROL = 0.02
PLACES = np.deg2rad([-90.0, 30.0, 150.0, 90.0, 210.0, 330.0])


class Tendons(ea.NoForces):
    """Bending moments of six tendons: three end half way, three at the tip."""

    def __init__(self, tensions: Any) -> None:
        super().__init__()
        self.tensions = tensions

    def apply_torques(self, system: Any, time: float = 0.0) -> None:
        moments = 8e-3 * self.tensions * np.array([-np.sin(PLACES), np.cos(PLACES)])
        for first, element in ((0, system.n_elems // 2), (3, system.n_elems - 1)):
            system.external_torques[:2, element] += moments[:, first : first + 3].sum(axis=1)


class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping):
    """What PyElastica composes."""


class Arm:
    """The arm in PyElastica."""

    def __init__(self, step: float) -> None:
        self.step_length, self.time, self.tensions = step, 0.0, np.zeros(6)
        self.rod = ea.CosseratRod.straight_rod(
            20, np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), 0.24, 0.6e-3, 6450.0,
            youngs_modulus=60e9, shear_modulus=60e9 / 2.66,
        )
        simulator = Simulator()
        simulator.append(self.rod)
        simulator.constrain(self.rod).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
        simulator.add_forcing_to(self.rod).using(Tendons, tensions=self.tensions)
        simulator.dampen(self.rod).using(ea.AnalyticalLinearDamper, damping_constant=5.0, time_step=step)
        simulator.finalize()
        self.simulator, self.stepper = simulator, ea.PositionVerlet()

    def advance(self, seconds: float) -> None:
        for _ in range(round(seconds / self.step_length)):
            self.time = self.stepper.step(self.simulator, np.float64(self.time), np.float64(self.step_length))


def finite(step: float) -> bool:
    arm = Arm(step)
    arm.tensions[:] = [3.0, 0, 0, 1.0, 0, 0]
    with np.errstate(all="ignore"):
        arm.advance(CONTROL)
    return bool(np.isfinite(arm.rod.position_collection).all() and np.abs(arm.rod.position_collection).max() < 1.0)


def main() -> int:
    step = 1.6e-5
    while not finite(step):
        step /= 2.0
    random = np.random.default_rng(1)
    arm = Arm(step)
    arm.advance(CONTROL)
    steps, begun = 5, time.perf_counter()
    for _ in range(steps):
        arm.tensions[:] = np.clip(arm.tensions + random.uniform(-0.5, 0.5, 6), 0.0, 4.0)
        arm.advance(CONTROL)
    there = steps / (time.perf_counter() - begun)

    env = tasks.TendonReach()
    env.reset(seed=1)
    env.action_space.seed(1)
    steps, begun = 200, time.perf_counter()
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    here = steps / (time.perf_counter() - begun)
    print(f"PyElastica {ea.__version__ if hasattr(ea, '__version__') else ''}: {there:.2f} steps a second, time step {step:g} s")
    print(f"lissome: {here:.1f} steps a second on one core, resets included; {here / there:.0f} times as many")
    return 0 if here >= 10.0 * there else 1


if __name__ == "__main__":
    sys.exit(main())
