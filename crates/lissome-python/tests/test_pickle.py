"""Everything goes to another process and comes back."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import lissome as ls
import numpy as np
import pytest


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def test_scenes_and_results():
    scene = ls.demo("cable-arm")
    assert again(scene) == scene
    eq = ls.demo("rod").solve({"tip.scale": 0.5})
    lowest = eq.smallest_eigenvalue
    for column in eq:
        np.testing.assert_array_equal(again(eq)[column], eq[column])
    assert again(eq).smallest_eigenvalue == lowest and again(eq).summary == eq.summary
    with pytest.raises(RuntimeError, match="unpickled"):
        again(eq).jacobian("arm.tip", "tip.scale")
    run = ls.demo("swing").run()
    np.testing.assert_array_equal(again(run)["arm.position"], run["arm.position"])
    batch = ls.demo("rod").solve_batch({"tip.scale": [0.0, 1.0]})
    assert again(batch).status == batch.status


def test_robots_stand_where_they_stood():
    robot = ls.demo("rod").robot()
    before = robot.settle({"tip.scale": 0.4})
    other = again(robot)
    assert other["tip.scale"] == 0.4
    np.testing.assert_allclose(other.equilibrium.rod["arm"].position, before.rod["arm"].position, atol=1e-9)


def test_motions_go_on_to_the_bit():
    sim = ls.demo("swing").start()
    sim.step(0.02, {"world.gravity": 0.9})
    other = again(sim)
    for one in (sim, other):
        one.step(0.02)
    assert other.time == sim.time
    np.testing.assert_array_equal(other.rod["arm"].position, sim.rod["arm"].position)


def test_exceptions():
    for make in (lambda: ls.demo("rod").replace({"rod.arm.length": "3 kg"}), lambda: ls.demo("rod").solve({"x": 1})):
        with pytest.raises(ls.LissomeError) as caught:
            make()
        other = again(caught.value)
        assert (type(other), other.code, str(other)) == (type(caught.value), caught.value.code, str(caught.value))


def tip(scale):
    return ls.demo("rod").solve({"tip.scale": scale}).rod["arm"].tip.position


def test_other_processes_find_the_same_bits():
    scales = [0.0, 0.5, 1.0]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        np.testing.assert_array_equal(list(pool.map(tip, scales)), [tip(scale) for scale in scales])
