"""Sweeps on a Ray cluster of two workers: the same bytes as without one. Run by ``cargo xtask test-ray``."""

import os
import pathlib
import subprocess

import lissome as ls
import pytest
import ray


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=2, include_dashboard=False)
    yield
    ray.shutdown()


def contents(folder):
    return {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}


def test_the_folder_is_the_same(cluster, tmp_path):
    scene, plan = ls.demo("rod"), {"rod.arm.length": "-0.1..1 m:30", "load.tip.force.2": "0..1 N:5"}
    here = ls.sweep(scene, plan, out=tmp_path / "here.sweep")
    there = ls.sweep(scene, plan, out=tmp_path / "there.sweep", ray=True)
    assert there.csv == here.csv and not here.answered.all()
    assert contents(tmp_path / "there.sweep") == contents(tmp_path / "here.sweep")


def test_a_cluster_goes_on_with_what_the_program_began(cluster, tmp_path):
    plan = {"rod.arm.length": "0.5..1 m:100"}
    (tmp_path / "rod.toml").write_text(ls.demo("rod").to_toml())
    program = [os.environ["LISSOME_PROGRAM"], "sweep", "rod.toml", "rod.arm.length=0.5..1 m:100", "--limit", "0.02"]
    begun = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert begun.returncode == 4, begun.stderr
    assert ls.resume_sweep(tmp_path / "rod.sweep", ray=True).csv == ls.sweep(ls.demo("rod"), plan).csv
