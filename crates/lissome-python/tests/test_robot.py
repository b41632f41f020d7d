"""Robots at hand, motions by hand, and derivatives."""

import lissome as ls
import numpy as np
import pytest

# Equilibria are found until the next step of Newton's method is below 1e-10 or so of the length; two ways to one agree to that.
SAME = 1e-7


def test_a_robot_settles_where_a_search_from_nothing_does():
    rod = ls.demo("rod")
    robot = rod.robot()
    for scale in (1.0, 0.3, 1.7, 0.0):
        warm, cold = robot.settle({"tip.scale": scale}), rod.solve({"tip.scale": scale})
        np.testing.assert_allclose(warm.rod["arm"].position, cold.rod["arm"].position, atol=SAME)
        assert warm.energy.total == pytest.approx(cold.energy.total, abs=1e-9)
        assert robot.settled and robot["tip.scale"] == scale
        np.testing.assert_allclose(robot.draw(101)[0], warm.rod["arm"].position, atol=1e-6)
    robot["tip.scale"] = 0.5
    assert not robot.settled


def test_forgetting_starts_from_the_natural_shape():
    robot = ls.demo("rod").robot()
    before = robot.settle({"tip.scale": 0.7}).rod["arm"].tip.position
    robot.forget()
    assert robot.equilibrium is None
    np.testing.assert_allclose(robot.settle().rod["arm"].tip.position, before, atol=SAME)


def test_pulling_by_hand_is_a_load():
    rod = ls.demo("rod")
    robot = rod.robot()
    robot.grab("arm", 1.0)
    robot.pull([0, 0, 0.25])
    pulled = robot.settle({"tip.scale": 0.0}).rod["arm"].tip.position
    wanted = rod.replace({"load.tip.force": [0, 0, 0.25]}).solve().rod["arm"].tip.position
    np.testing.assert_allclose(pulled, wanted, atol=SAME)
    robot.release()
    np.testing.assert_allclose(robot.settle().rod["arm"].tip.position, [1, 0, 0], atol=SAME)


def test_tubes_are_pushed_and_turned():
    scene = ls.demo("concentric-tubes")
    path = next(path for path in scene.drivable if path.endswith(".insertion"))
    robot = scene.robot()
    now = robot[path]
    warm = robot.settle({path: 1.02 * now})
    cold = scene.solve({path: 1.02 * now})
    # The divisions of both differ, so they agree to what divisions leave: the scene's tolerance, 1e-5 of the length.
    np.testing.assert_allclose(
        warm.rod["robot"].tip.position, cold.rod["robot"].tip.position, atol=2e-5 * cold.rod["robot"].s[-1]
    )


@pytest.mark.parametrize("name", ["rod", "tendon-arm", "six-rod-robot", "sprung-arm"])
def test_derivatives_are_those_of_differences(name):
    scene = ls.demo(name)
    robot = scene.robot()
    robot.settle()
    tip = f"{scene.names['rod'][-1]}.tip"
    # Gravity is a factor that nothing answers to where there is none.
    for path in [path for path in robot.drives if path != "world.gravity"][:4]:
        here = robot[path]
        h = 1e-4 * max(1.0, abs(here))
        if path.endswith(".tension") and here < 2 * h:
            here = 4 * h
            robot.settle({path: here})
        column = robot.jacobian(tip, path)[3:, 0]
        ahead = robot.settle({path: here + h})[f"{tip}.position"]
        behind = robot.settle({path: here - h})[f"{tip}.position"]
        robot.settle({path: here})
        # Central differences err by h² times the third derivative, and by the search over h.
        slope = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(column, slope, atol=1e-4 * max(np.abs(slope).max(), 1e-3), err_msg=path)


def test_a_jacobian_has_six_rows_a_pose():
    eq = ls.demo("six-rod-robot").solve()
    drives = eq.scene.drivable[:3]
    found = eq.jacobian(["leg_1.tip", f"{eq.scene.names['body'][0]}"], drives)
    assert found.shape == (12, 3)
    np.testing.assert_array_equal(found[:6], eq.jacobian("leg_1.tip", drives))


def test_a_motion_by_hand_is_the_motion_of_the_job():
    scene = ls.demo("swing")
    run = scene.run()
    sim = scene.start()
    for time, position in zip(run["time"][1:6], run.rod["arm"].position[1:6], strict=True):
        sim.step(time - sim.time)
        assert sim.time == pytest.approx(time, abs=1e-12)
        # Steps end at the same times and begin from the same numbers; the last bits of the times differ.
        np.testing.assert_allclose(sim.rod["arm"].position, position, atol=1e-6)


def test_drives_go_evenly_and_are_told():
    sim = ls.demo("swing").start()
    load = next(path for path in sim.scene.drivable if path == "world.gravity")
    sim.step(0.02, {load: 0.5})
    assert sim[f"drive.{load}"] == 0.5
    sim.step(0.02)
    assert sim[f"drive.{load}"] == 0.5


def test_functions_of_the_user_drive_and_watch():
    sim = ls.demo("swing").start()
    seen = []
    sim.run(0.05, 0.01, drives=lambda sim: {"world.gravity": 1 + sim.time}, observe=lambda sim: seen.append(sim.time))
    np.testing.assert_allclose(seen, [0.01, 0.02, 0.03, 0.04, 0.05], atol=1e-12)
    assert sim["drive.world.gravity"] == pytest.approx(1.04)
    sim.run(1.0, 0.01, observe=lambda sim: sim.time < 0.065)
    assert sim.time == pytest.approx(0.07)

    def broken(sim):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sim.run(1.0, 0.01, drives=broken)
