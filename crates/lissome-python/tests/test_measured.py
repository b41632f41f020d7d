"""Numbers and shapes from measurements, and the best numbers, from Python."""

import json
import os
import pathlib
import pickle
import subprocess

import lissome as ls
import numpy as np
import pytest

FORCES = [0.1, 0.2, 0.3]
YOUNG = "material.silicone.young"


def readings():
    """Tips of the rod under forces, without noise."""
    arm = ls.demo("rod")
    tips = [arm.replace({"load.tip.force.2": force}).solve().rod["arm"].tip.position for force in FORCES]
    columns = {"load.tip.force.2": FORCES, "arm.tip.position.x": [tip[0] for tip in tips]}
    columns["arm.tip.position.z (mm)"] = [1e3 * tip[2] for tip in tips]
    return columns


def begun():
    return ls.demo("rod").replace({YOUNG: "150 kPa"})


def test_a_fit_finds_what_the_data_were_made_with(tmp_path):
    fit = begun().fit(readings(), [YOUNG], noise={"position": 1e-4})
    assert fit.succeeded and fit.status == "converged"
    assert abs(fit.values[YOUNG] - 200e3) < 1e-6 * 200e3
    low, high = fit.intervals[YOUNG]
    assert low < 200e3 < high and 0 < fit.standard_errors[YOUNG] < high - low
    assert fit.correlations.tolist() == [[1.0]]
    assert len(fit.residuals["residual"]) == 6 and np.abs(fit.residuals["residual"]).max() < 1e-8
    tip = fit.fitted.replace({"load.tip.force.2": 0.2}).solve().rod["arm"].tip.position
    assert abs(1e3 * tip[2] - readings()["arm.tip.position.z (mm)"][1]) < 1e-4
    assert (fit.save(tmp_path / "rod.fit") / "report.html").is_file()


def test_the_program_fits_the_same(tmp_path):
    columns = readings()
    rows = [",".join(columns), *(",".join(repr(float(one)) for one in row) for row in zip(*columns.values(), strict=True))]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(rows) + "\n")
    scene = tmp_path / "rod.toml"
    scene.write_text(begun().to_toml())
    program = os.environ.get("LISSOME_PROGRAM", "lissome")
    command = [program, "fit", scene, data, "--free", YOUNG, "--noise", "position=0.0001", "--json", "--out", tmp_path / "o"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=120).stdout)
    for source in (columns, str(data), pathlib.Path(data)):
        fit = begun().fit(source, [YOUNG], noise={"position": 1e-4})
        assert fit.values[YOUNG] == told["numbers"][0]["value"]


def test_what_was_not_measured_is_left_out():
    columns = readings()
    columns["arm.tip.position.x"][1] = np.nan
    fit = begun().fit(columns, [YOUNG])
    assert len(fit.residuals["residual"]) == 5


def test_faults_have_code_and_place():
    with pytest.raises(ls.SceneError) as refused:
        begun().fit({**readings(), "arm.tip.positon.y": [0, 0, 0]}, [YOUNG])
    assert refused.value.code.startswith("E074") and "arm.tip.position.y" in str(refused.value)
    with pytest.raises(ls.SceneError):
        begun().fit(readings(), ["material.silicone.yuong"])
    with pytest.raises(ls.SceneError):
        begun().fit("no such file.csv", [YOUNG])
    with pytest.raises(ValueError, match="different lengths"):
        begun().fit({**readings(), "arm.tip.position.y": [0.0]}, [YOUNG])
    with pytest.raises(ValueError, match="huber"):
        begun().fit(readings(), [YOUNG], loss="hubber")
    with pytest.raises(TypeError):
        begun().fit(readings(), YOUNG)
    with pytest.raises(ls.SceneError):
        begun().observe({"arm.tip.position.x": [0.5]}, noise="0.5 kg")
    with pytest.raises(ValueError, match="energy"):
        begun().observe({"arm.tip.position.x": [0.5]}, noise="0.5 mm", energy=float("nan"))


def test_an_observation_finds_the_force(tmp_path):
    arm = ls.demo("rod")
    eq = arm.solve()
    markers = {f"arm.tip.position.{axis}": [eq.rod["arm"].tip.position[index]] for index, axis in enumerate("xyz")}
    begun = arm.replace({"load.tip.force": [0.0, 0.0, 0.1]})
    seen = begun.observe(markers, unknown=["load.tip.force.z"], noise={"position": 1e-4})
    assert seen.succeeded and len(seen.frames) == 1
    assert abs(seen.unknowns["value"][0] - 0.25) < 1e-4
    assert seen.unknowns["low"][0] < 0.25 < seen.unknowns["high"][0]
    strain = seen.shape["curvature.y"]
    assert np.allclose(strain[0], eq.rod["arm"].curvature[0, 1], rtol=1e-4)
    assert (seen.save(tmp_path / "rod.observe") / "shape.csv").is_file()


def test_what_was_found_pickles(tmp_path):
    fit = begun().fit(readings(), [YOUNG])
    again = pickle.loads(pickle.dumps(fit))
    assert again.values == fit.values and again.fitted == fit.fitted
    assert again.residuals["measured"].tolist() == fit.residuals["measured"].tolist()
    with pytest.raises(RuntimeError):
        again.save(tmp_path / "again.fit")


def test_the_best_number_and_its_scene(tmp_path):
    run = ls.demo("rod").optimise(
        {"rod.arm.length": {"min": "0.5 m", "max": "1.5 m"}},
        maximise="arm.tip.position.z",
        constraints=["arm.tip.position.x <= 0.6 m"],
    )
    assert run.succeeded
    assert run.summary["optimise"]["end"] == "converged"
    assert run.rod["arm"].tip.position[0] <= 0.6 + 1e-6
    again = ls.load(run.save(tmp_path / "rod.run") / "optimised.toml", {"job": {"kind": "statics"}}).solve()
    assert np.allclose(again.rod["arm"].tip.position, run.rod["arm"].tip.position, atol=1e-9)


def test_derivatives_of_the_job_come_with_the_run():
    asked = [{"of": "arm.tip.position", "wrt": ["load.tip.force"]}]
    run = ls.demo("rod").replace({"job.derivatives": asked}).run()
    found = run.summary["derivatives"][0]
    assert found["of"][2] == "arm.tip.position.z" and found["wrt"][2] == "load.tip.force.z"
    step = 1e-4
    tips = [ls.demo("rod").replace({"load.tip.force.2": 0.25 + side}).solve().rod["arm"].tip.position[2] for side in (step, -step)]
    # Central differences of second order: their error is of the order of the step squared, of a rate of order one.
    assert abs(found["values"][2][2] - (tips[0] - tips[1]) / (2 * step)) < 1e-5
