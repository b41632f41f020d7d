"""Threads, Python's lock, Ctrl-C, and batches."""

import os
import resource
import signal
import threading
import time

import lissome as ls
import numpy as np
import pytest

# A rod of a thousand poses under ten samples: long enough to be interrupted.
LONG = {"rod.arm.model": {"spline": {"spans": 1000}}}


def long_scene():
    return ls.demo("rod").replace(LONG)


def test_two_robots_in_two_threads_and_one_from_two():
    def work(robot, found):
        try:
            for scale in np.linspace(0.1, 1.0, 20):
                found.append(robot.settle({"tip.scale": scale}).rod["arm"].tip.position)
        except RuntimeError as error:
            found.append(error)

    def together(robots):
        found = [[], []]
        threads = [threading.Thread(target=work, args=pair) for pair in zip(robots, found, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    scene = ls.demo("rod")
    first, second = together([scene.robot(), scene.robot()])
    np.testing.assert_array_equal(first, second)
    one = scene.robot()
    for results in together([one, one]):
        # Each settled, or was told that another thread has the robot; nothing else happens.
        for result in results:
            assert not isinstance(result, Exception) or "borrowed" in str(result).lower()
    one.settle({"tip.scale": 1.0})


def test_the_lock_is_free_while_it_works():
    beats, stop = [time.perf_counter()], threading.Event()

    def beat():
        while not stop.is_set():
            time.sleep(0.005)
            beats.append(time.perf_counter())

    heart = threading.Thread(target=beat)
    heart.start()
    begin = time.perf_counter()
    long_scene().trace({"tip.scale": np.linspace(0, 1, 4)})
    took = time.perf_counter() - begin
    stop.set()
    heart.join()
    # With the lock held all the while there would be one gap as long as the work.
    assert max(np.diff(beats)) < 0.5 * took, (max(np.diff(beats)), took)


def interrupted(work):
    """Seconds from Ctrl-C to the exception, the best of three."""
    best = float("inf")
    for _ in range(3):
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, send)
        timer.start()
        deadline = time.perf_counter() + 60.0
        with pytest.raises(KeyboardInterrupt):
            while time.perf_counter() < deadline:
                work()
        best = min(best, time.perf_counter() - sent[0])
        timer.join()
    return best


@pytest.mark.parametrize("what", ["solve", "trace", "run", "batch", "run_batch", "motion"])
def test_ctrl_c_is_heard(what):
    scene = long_scene()
    moving = ls.demo("swing").replace({"job.duration": 60.0})
    scales = np.linspace(0, 1, 1000)
    sim = moving.start()
    work = {
        "solve": scene.solve,
        "trace": lambda: scene.trace({"tip.scale": scales}),
        "run": moving.run,
        "batch": lambda: scene.solve_batch({"tip.scale": scales}),
        "run_batch": lambda: ls.run_batch([moving] * 4),
        "motion": lambda: sim.step(60.0),
    }
    took = interrupted(work[what])
    print(f"{what}: {took:.3f} s")
    # A tenth of a second is what is aimed at. On a machine with other things to do the clock says nothing.
    assert took < (0.1 if os.environ.get("LISSOME_TIMINGS") else 2.0)


def test_a_batch_is_its_cases_one_by_one_for_any_number_of_threads():
    arm = ls.demo("cable-arm")
    names = [path for path in arm.drivable if path.endswith(".tension")][:2]
    random = np.random.default_rng(1)
    values = {name: random.uniform(0, 5, 6) for name in names}
    batches = [arm.solve_batch(values, threads=threads) for threads in (1, 2, 3)]
    for other in batches[1:]:
        assert list(other) == list(batches[0]) and other.status == batches[0].status
        for column in other:
            np.testing.assert_array_equal(other[column], batches[0][column])
    for index in range(6):
        alone = arm.solve({name: values[name][index] for name in names})
        for column in ("arm.tip.position", "energy.elastic", "residual"):
            np.testing.assert_array_equal(alone[column], batches[0][column][index])
    table = batches[0].to_pandas()
    assert len(table) == 6 and list(table["status"]) == ["converged"] * 6


def test_a_case_without_an_equilibrium_is_a_row():
    batch = ls.demo("rod").replace({"job.max_iterations": 3}).solve_batch({"tip.scale": [0.0, 1.0]})
    assert batch.status == ["converged", "not_converged"] and batch.code == ["", "E0501"]
    assert list(batch.converged) == [True, False]


def test_a_batch_does_not_grow():
    rod = ls.demo("rod").replace({"rod.arm.model": {"spline": {"spans": 6}}})
    cases = np.linspace(0, 1, 200)
    rod.solve_batch({"tip.scale": cases})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(4):
        rod.solve_batch({"tip.scale": cases})
    # Of 200 rows of 40 numbers nothing stays: a few megabytes are what an allocator may keep.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096


def test_progress_is_told():
    seen = []
    long_scene().trace({"tip.scale": np.linspace(0, 1, 3)}, progress=seen.append)
    assert seen == sorted(seen) and all(0 <= part <= 1 for part in seen)

    def broken(part):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        while True:
            long_scene().run(progress=broken)
