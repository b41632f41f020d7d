"""Wrong types, shapes and numbers; every one has its exception, none ends the interpreter."""

import lissome as ls
import numpy as np
import pytest


@pytest.fixture(scope="module")
def rod():
    return ls.demo("rod")


@pytest.mark.parametrize("value", ["6 N", None, [1.0, 2.0], np.zeros(3), object(), 1j])
def test_a_drive_is_one_number(rod, value):
    with pytest.raises(TypeError):
        rod.solve({"tip.scale": value})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_drive_is_finite(rod, value):
    for solve in (rod.solve, rod.robot().settle):
        with pytest.raises(ls.SceneError) as caught:
            solve({"tip.scale": value})
        assert caught.value.code == "E0302"
    with pytest.raises(ls.SceneError):
        rod.solve_batch({"tip.scale": [1.0, value]})
    with pytest.raises(ls.SceneError):
        rod.trace({"tip.scale": [1.0, value]})


def test_signs_and_limits_are_those_of_the_scene_file():
    arm = ls.demo("cable-arm")
    tension = next(path for path in arm.drivable if path.endswith(".tension"))
    with pytest.raises(ls.SceneError) as caught:
        arm.solve({tension: -1.0})
    assert caught.value.code == "E0304"


def test_a_name_that_is_not_there_is_a_key_error_with_the_nearest(rod):
    with pytest.raises(KeyError, match="tip.scale"):
        rod.solve({"tp.scale": 1.0})
    eq = rod.solve()
    with pytest.raises(KeyError, match="arm"):
        eq.rod["amr"]
    with pytest.raises(AttributeError, match="position"):
        eq.rod["arm"].positon
    with pytest.raises(KeyError, match="did you mean"):
        eq["arm.positio"]
    with pytest.raises(KeyError, match="rod"):
        ls.demo("rood")


@pytest.mark.parametrize(
    "drives",
    [{}, {"tip.scale": 1.0}, {"tip.scale": [[1.0, 2.0]]}, {"tip.scale": [1.0, 2.0], "world.gravity": [1.0]}],
)
def test_arrays_of_drives_have_one_length(rod, drives):
    with pytest.raises(ValueError):
        rod.trace(drives)
    with pytest.raises(ValueError):
        rod.solve_batch(drives)
    with pytest.raises(ValueError):
        rod.trace({"tip.scale": ["a", "b"]})


def test_tables_are_checked():
    for tables in ({"rod": {"arm": object()}}, {1: 2}, {"rod": {"arm": {"length": None}}}):
        with pytest.raises(TypeError):
            ls.Scene(tables)
    with pytest.raises(ls.SceneError) as caught:
        ls.Scene({"rod": {"arm": {"lenght": 1}}})
    assert "lenght" in str(caught.value)
    with pytest.raises(TypeError):
        ls.loads(3)
    with pytest.raises(TypeError):
        ls.load(None)


def test_arrays_are_taken_where_lists_are():
    tables = {
        "material": {"m": {"young": 2e5, "poisson": 0.45}},
        "rod": {
            "arm": {
                "material": "m",
                "length": np.float64(1.0),
                "section": {"shape": "circle", "radius": "2 cm"},
                "base": {"fixed_to": "world", "position": np.zeros(3), "tangent": np.array([1, 0, 0])},
            }
        },
        "load": {"tip": {"rod": "arm", "at": "tip", "force": np.array([0.0, 0.0, 0.1])}},
        "job": {"kind": "statics"},
    }
    scene = ls.Scene(tables)
    assert scene.solve().rod["arm"].tip.position[2] > 0.1
    assert ls.loads(scene.to_toml()) == scene


@pytest.mark.parametrize("h", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_is_positive(h):
    sim = ls.demo("swing").start()
    with pytest.raises(ls.SceneError):
        sim.step(h)
    assert sim.time == 0.0


def test_a_hand_pulls_only_what_it_holds(rod):
    robot = rod.robot()
    with pytest.raises(RuntimeError):
        robot.pull([0, 0, 1])
    for rod_name, s in (("leg", 0.5), ("arm", 2.0), ("arm", float("nan"))):
        with pytest.raises(ls.SceneError):
            robot.grab(rod_name, s)
    with pytest.raises(ValueError):
        robot.grab("arm", 0.5)
        robot.pull([0, 0])
    with pytest.raises(ls.SceneError):
        robot.pull([0, 0, float("nan")])


def test_without_an_equilibrium_the_exception_has_the_last_one():
    strut = ls.demo("rod").replace({"job.max_iterations": 1})
    with pytest.raises(ls.NotConverged) as caught:
        strut.solve()
    assert caught.value.code.startswith("E05")
    assert caught.value.equilibrium is not None and not caught.value.equilibrium.converged
    assert strut.solve(check=False).status == "not_converged"


def test_derivatives_are_asked_for_by_names(rod):
    eq = rod.solve()
    with pytest.raises(KeyError):
        eq.jacobian("arm.tp", "tip.scale")
    with pytest.raises(KeyError):
        eq.jacobian("arm.tip", "tp.scale")
