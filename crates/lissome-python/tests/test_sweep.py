"""Sweeps in Python: the bytes of the program, whoever begins, goes on or solves."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import lissome as ls
import numpy as np
import pandas
import pytest
from lissome import _lissome, _sweep

GRID = {"rod.arm.length": "500..1000 mm:4", "load.tip.force.2": "0..1 N:3"}


def contents(folder):
    return {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}


@pytest.fixture
def rod(tmp_path):
    (tmp_path / "rod.toml").write_text(ls.demo("rod").to_toml())
    return tmp_path / "rod.toml"


def arguments(plan):
    return [f"{path}={value}" for path, value in plan.items()]


def test_the_folder_is_that_of_the_program(rod, tmp_path, program):
    assert program("sweep", rod, *arguments(GRID), "--out", "there.sweep", "--quiet", cwd=tmp_path).returncode == 0
    table = ls.sweep(ls.load(rod), GRID, out=tmp_path / "here.sweep", threads=1)
    assert contents(tmp_path / "here.sweep") == contents(tmp_path / "there.sweep")
    assert ls.sweep(ls.load(rod), GRID).csv == table.csv, "kept or not"
    archive = np.load(tmp_path / "here.sweep/table.npz")
    for name in archive.files:
        assert np.array_equal(archive[name], table[name], equal_nan=True)
    assert table.answered.all() and len(table) == 12
    assert list(table.to_pandas().columns) == table.columns
    table.to_parquet(tmp_path / "table.parquet")
    again = pandas.read_parquet(tmp_path / "table.parquet")
    pandas.testing.assert_frame_equal(again, table.to_pandas())


def test_a_scene_brings_its_cases_along():
    cases = {"rod": {"arm": {"length": ["0.8 m", 1.0]}}, "load": {"tip": {"force": [[0, 0, 0.1], "[0, 0, 0.2] N"]}}}
    table = ls.sweep(ls.demo("rod").replace({"cases": cases}))
    same = ls.sweep(ls.demo("rod"), {"rod.arm.length": ["0.8 m", 1.0], "load.tip.force": ["[0, 0, 0.1]", "[0, 0, 0.2] N"]})
    assert table["rod.arm.length"].tolist() == [0.8, 1.0]
    np.testing.assert_array_equal(table["arm.tip.position.z"], same["arm.tip.position.z"])
    with pytest.raises(ls.SceneError) as caught:
        ls.sweep(ls.demo("rod"))
    assert caught.value.code == "E0707"


def test_hypercubes_and_tables_are_those_of_the_program(rod, tmp_path, program):
    ranges = {"rod.arm.length": "0.5..1 m", "load.tip.force.2": "0..1 N"}
    done = program("sweep", rod, *arguments(ranges), "--latin", 5, "--seed", 3, "--out", "a", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    here = ls.sweep(ls.load(rod), ranges, latin=5, seed=3, outputs=[])
    assert here.csv == (tmp_path / "a/table.csv").read_text()
    (tmp_path / "cases.csv").write_text('rod.arm.length,load.tip.force\n0.8,"[0, 0, 0.1]"\n-1.0,"[0, 0, 0.2]"\n')
    assert program("sweep", rod, "--cases", "cases.csv", "--out", "b", "--quiet", cwd=tmp_path).returncode == 0
    file = ls.sweep(ls.load(rod), tmp_path / "cases.csv")
    assert file.csv == (tmp_path / "b/table.csv").read_text()
    lists = ls.sweep(ls.load(rod), {"rod.arm.length": [0.8, -1.0], "load.tip.force": ["[0, 0, 0.1]", "[0, 0, 0.2]"]})
    assert lists.csv == file.csv
    assert lists.status.tolist() == ["converged", "refused"] and lists["code"].tolist() == ["", "E0303"]


def test_what_the_program_began_is_gone_on_with_here_and_back(rod, tmp_path, program):
    plan = {"rod.arm.length": "0.5..1 m:100"}
    whole = ls.sweep(ls.load(rod), plan)
    begun = program("sweep", rod, *arguments(plan), "--limit", 0.02, "--out", "cut.sweep", cwd=tmp_path)
    assert begun.returncode == 4, begun.stderr
    assert ls.resume_sweep(tmp_path / "cut.sweep").csv == whole.csv
    assert program("sweep", "--resume", "cut.sweep", "--quiet", cwd=tmp_path).returncode == 0
    assert (tmp_path / "cut.sweep/table.csv").read_text() == whole.csv


def test_rows_solved_elsewhere_in_any_order_make_the_same_folder(rod, tmp_path):
    """What a cluster does, without one."""
    scene = ls.load(rod)
    ls.sweep(scene, GRID, out=tmp_path / "here.sweep")
    core = _lissome.Sweep.grid(scene.core, arguments(GRID), [])
    folder = core.create(tmp_path / "apart.sweep")
    for batch in ([11, 3], [0], [5, 4, 10, 9], [1, 2, 6, 7, 8], [0, 11]):
        rows, seconds = _sweep._solve_texts(*core.texts(), batch)
        assert [case for case, _ in rows] == sorted(batch) and seconds > 0
        folder.add(rows)
    assert folder.missing() == []
    folder.finish()
    assert contents(tmp_path / "apart.sweep") == contents(tmp_path / "here.sweep")


@pytest.mark.parametrize(
    ("plan", "options", "code"),
    [
        ({"rod.arn.length": "1..2:3"}, {}, "E0210"),
        ({"rod.arm.length": "1..2 kg:3"}, {}, "E0306"),
        ({"rod.arm.length": "1..2"}, {}, "E0701"),
        ({"rod.arm.length": "1..nan:3"}, {}, "E0701"),
        ({"rod.arm.length": "0..1:1000000", "load.tip.force.2": "0..1:1000000"}, {}, "E0702"),
        ({"rod.arm.length": "1..2:3", "arm.length": "1..2:3"}, {}, "E0706"),
        ({"rod.arm.length": "1..2:3"}, {"outputs": ["arm.tpi"]}, "E0704"),
        ({}, {}, "E0707"),
        ("absent.csv", {}, "E0601"),
    ],
)
def test_faults_have_the_codes_of_the_program(plan, options, code):
    with pytest.raises(ls.SceneError) as refused:
        ls.sweep(ls.demo("rod"), plan, **options)
    assert refused.value.code == code


def test_wrong_plans_are_refused_in_words():
    scene = ls.demo("rod")
    with pytest.raises(TypeError, match="not both"):
        ls.sweep(scene, {"rod.arm.length": "1..2:3", "load.tip.force.2": [1.0]})
    with pytest.raises(ValueError, match="lengths differ"):
        ls.sweep(scene, {"rod.arm.length": [1.0], "load.tip.force.2": [1.0, 2.0]})
    with pytest.raises(KeyError, match="energy.elastic"):
        ls.sweep(scene, {"load.tip.force.2": "0..1:2"})["energy.elastik"]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_it_and_keeps_the_rows(rod, tmp_path):
    code = (
        "import lissome as ls, sys\n"
        "print('begun', flush=True)\n"
        f"ls.sweep(ls.load({str(rod)!r}), {{'rod.arm.length': '0.5..1 m:100000'}}, out={str(tmp_path / 'long.sweep')!r})\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.readline()
    while not (tmp_path / "long.sweep").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in told
    parts = list((tmp_path / "long.sweep").glob("part-*.csv"))
    assert parts and sum(len(part.read_text().splitlines()) - 2 for part in parts) > 0


def test_progress_is_shown():
    seen = []
    ls.sweep(ls.demo("rod"), {"rod.arm.length": "0.5..1 m:60"}, progress=seen.append)
    assert seen == sorted(seen) and all(0.0 <= part <= 1.0 for part in seen)
