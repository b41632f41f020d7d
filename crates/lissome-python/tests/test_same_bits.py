"""Every shipped scene: the same bytes as `lissome run` leaves, and every column under the same name."""

import lissome as ls
import numpy as np
import pytest


def names_of(folder):
    files = [file for file in folder.glob("*.npz") if not file.name.startswith("checkpoint")]
    return {name for file in files for name in np.load(file).files}


@pytest.mark.parametrize("name", ls.demos())
def test_the_run_folder_is_the_same(name, program, tmp_path):
    scene = ls.demo(name)
    (tmp_path / f"{name}.toml").write_text(scene.to_toml())
    told = program("run", f"{name}.toml", "--out", "program.run", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    run = ls.load(tmp_path / f"{name}.toml").run()
    run.save(tmp_path / "python.run")
    theirs, ours = tmp_path / "program.run", tmp_path / "python.run"
    assert sorted(file.name for file in theirs.iterdir()) == sorted(file.name for file in ours.iterdir())
    for file in theirs.iterdir():
        # The manifest holds the time it took; a motion's page too.
        if file.name == "manifest.json" or (file.name == "report.html" and scene.job == "dynamics"):
            continue
        assert file.read_bytes() == (ours / file.name).read_bytes(), file.name
    wanted = set(np.load(theirs / "path.npz").files) if scene.job in ("path", "inverse") else names_of(theirs)
    assert set(run) == wanted
    again = ls.open_run(ours)
    assert set(again) == wanted
    for column in wanted:
        np.testing.assert_array_equal(again[column], run[column])


@pytest.mark.parametrize("name", ["rod", "hooked", "two-grippers", "sheathed-cable", "sprung-arm", "tendon-arm"])
def test_solve_by_sign_finds_the_same_bits(name):
    scene = ls.demo(name).replace({"job": {"kind": "statics"}})
    run, eq = scene.run(), scene.solve()
    assert eq.stable == run.summary["stable"]
    for column in run:
        np.testing.assert_array_equal(run[column], eq[column], err_msg=column)
    lowest = run.summary["stability"]["smallest_eigenvalue"]
    assert eq.smallest_eigenvalue == pytest.approx(lowest, rel=1e-9)


def test_every_column_of_a_path_is_there(program, tmp_path):
    scene = ls.demo("finger")
    (tmp_path / "finger.toml").write_text(scene.to_toml())
    assert program("run", "finger.toml", "--out", "finger.run", cwd=tmp_path).returncode == 0
    header = (tmp_path / "finger.run/path.csv").read_text().splitlines()[0].split(",")
    run = scene.run()
    assert set(header) <= set(run)
    eq = scene.solve()
    assert set(header) - {"sample", "parameter", "branch", "arc"} <= set(eq)
