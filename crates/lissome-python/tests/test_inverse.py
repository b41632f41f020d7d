"""Drives that bring outputs to targets, from Python."""

import lissome as ls
import numpy as np
import pytest


def test_a_place_is_reached_and_drives_are_told():
    run = ls.demo("drawing-arm").inverse({"pen": {"of": "backbone", "position": [0.05, 0.0, 0.228]}})
    found = run.summary["inverse"]
    assert found["met"] and found["end"] == "met" and found["distance"] < 1e-8
    assert set(found["drives"]) == {f"{set_}.{k}.tension" for set_ in ("lower", "upper") for k in (1, 2, 3)}
    assert all(0.0 <= tension <= 12.0 for tension in found["drives"].values())
    # The tensions that were found, held: the tip is there.
    tip = ls.demo("drawing-arm").solve(found["drives"]).rod["backbone"].tip.position
    assert np.allclose(tip, [0.05, 0.0, 0.228], atol=1e-8)


def test_a_course_has_a_row_for_each_sample():
    x = {"ramp": [0.02, 0.06]}
    run = ls.demo("drawing-arm").inverse({"pen": {"of": "backbone", "position": [x, 0.0, "any"]}}, samples=5)
    assert run.summary["inverse"]["samples_met"] == 5
    assert np.allclose(run.rod["backbone"].position[:, -1, 0], np.linspace(0.02, 0.06, 5), atol=1e-8)


def test_out_of_reach_is_the_nearest_point_and_says_how_far():
    run = ls.demo("drawing-arm").inverse({"pen": {"of": "backbone", "position": [0.0, 0.0, 0.3]}})
    found = run.summary["inverse"]
    assert not found["met"] and found["end"] == "nearest"
    # The arm is 240 mm long, and a little shorter under its tendons.
    assert 0.06 < found["targets"]["pen"]["gap"] < 0.061


def test_names_that_are_not_there_are_refused():
    with pytest.raises(ls.SceneError) as refused:
        ls.demo("drawing-arm").inverse({"pen": {"of": "backbon", "position": [0.0, 0.0, 0.2]}})
    assert "backbone" in str(refused.value)
    with pytest.raises(ls.SceneError) as refused:
        ls.demo("drawing-arm").inverse(free={"lower.1.tensions": {}})
    assert "lower.1.tension" in str(refused.value)
