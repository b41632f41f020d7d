"""What Python costs: calls beside the same calls in Rust, batches beside single solves, memory, Ctrl-C, import.

`cargo xtask bench-python` builds everything and runs this. It prints figures and judges nothing: how fast a machine is, and what else
it does, is not the package's to answer for. Times are medians.
"""

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time

import lissome as ls
import numpy as np

ROUNDS = 400
PRODUCT = 42e-9
"""Time of one product of the calibration on the machine that bars are written for, s."""


def median(work, rounds=ROUNDS):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def line(name, figure, bar):
    print(f"{name:<44} {figure:<44} {bar}", flush=True)


def calibration():
    """Time of one product on this machine, s."""
    told = subprocess.run([os.environ["LISSOME_PROGRAM"], "bench", "circle", "--json"], capture_output=True, text=True)
    found = json.loads(told.stdout)
    reports = found["benchmarks"] if isinstance(found, dict) else found
    return reports[0]["calibration_seconds"] / 1e6


def in_rust():
    told = subprocess.run([os.environ["LISSOME_TIMINGS_IN_RUST"]], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (row.split() for row in told.stdout.splitlines())}


def calls():
    rod = ls.demo("rod")
    robot = rod.robot()
    turn = 0

    def settle():
        nonlocal turn
        turn += 1
        robot.move({"tip.scale": 1.0 if turn % 2 == 0 else 0.98})

    sim = ls.demo("swing").start()
    return {"solve": median(rod.solve), "settle": median(settle), "step": median(lambda: sim.step(1e-3))}


def overhead():
    # Rust, Python, Rust, Python: whatever else the machine does slows both.
    rounds = [(in_rust(), calls()) for _ in range(3)]
    rust = {name: min(one[0][name] for one in rounds) for name in rounds[0][0]}
    python = {name: min(one[1][name] for one in rounds) for name in rounds[0][1]}
    for name in ("solve", "settle"):
        over = 1e6 * (python[name] - rust[name])
        figure = f"{over:.1f} µs ({1e6 * python[name]:.0f} beside {1e6 * rust[name]:.0f} µs)"
        line(f"{name}: Python over Rust", figure, "at most 20 µs")
    line("step of 1 ms by hand, swing", f"{1e6 * python['step']:.0f} beside {1e6 * rust['step']:.0f} µs in Rust", "")
    product = calibration()
    figure = f"{1e3 * python['solve'] / product * PRODUCT:.2f} ms ({1e9 * product:.0f} ns a product here)"
    line("solve of rod.toml at 42 ns a product", figure, "at most 1 ms")


def gain_of_the_machine(cores):
    """What programs of pure arithmetic that share nothing gain by running side by side: cores may be halves of one."""

    def product(side_by_side):
        command = [os.environ["LISSOME_PROGRAM"], "bench", "circle", "--json"]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(side_by_side)]
        found = [json.loads(one.communicate()[0]) for one in running]
        reports = [one["benchmarks"] if isinstance(one, dict) else one for one in found]
        return statistics.mean(one[0]["calibration_seconds"] for one in reports)

    rounds = [(product(1), product(cores)) for _ in range(3)]
    return cores * min(alone for alone, _ in rounds) / min(together for _, together in rounds)


def batches():
    arm = ls.demo("cable-arm")
    names = [path for path in arm.drivable if path.endswith(".tension")][:2]
    random = np.random.default_rng(1)

    def values(count):
        return {name: random.uniform(0, 5, count) for name in names}

    some = values(200)
    cores = len(os.sched_getaffinity(0))
    times = {threads: [] for threads in (1, cores)}
    for _ in range(3):
        for threads, found in times.items():
            begin = time.perf_counter()
            arm.solve_batch(some, threads=threads)
            found.append(time.perf_counter() - begin)
    gain = min(times[1]) / min(times[cores])
    line(f"batch of 200 cable arms on {cores} cores", f"{gain:.2f} times one thread", f"at least {0.9 * cores:.1f}")
    line(f"{cores} programs side by side, sharing nothing", f"{gain_of_the_machine(cores):.2f} times one", "")
    peaks = []
    for _ in range(10):
        arm.solve_batch(values(1000))
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
    grown = peaks[-1] - peaks[0]
    line("10,000 cable arms, growth after the first 1,000", f"{grown:.1f} MB ({peaks[-1]:.0f} MB at most)", "none")


def ctrl_c():
    # A shell that starts it in the background has it ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    scene = ls.demo("rod").replace({"rod.arm.model": {"spline": {"spans": 1000}}})
    moving = ls.demo("swing").replace({"job.duration": 60.0})
    scales = np.linspace(0, 1, 1000)
    works = {
        "solve": scene.solve,
        "batch": lambda: scene.solve_batch({"tip.scale": scales}),
        "run": moving.run,
        "sweep": lambda: ls.sweep(scene, {"load.tip.force.2": "0..1 N:1000"}),
    }
    for name, work in works.items():
        times = []
        for moment in np.linspace(0.15, 0.6, 10):
            sent = []

            def send(sent=sent):
                sent.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(moment, send)
            timer.start()
            try:
                while True:
                    work()
            except KeyboardInterrupt:
                times.append(time.perf_counter() - sent[0])
            timer.join()
        figure = f"median {statistics.median(times):.3f} s, largest {max(times):.3f} s"
        line(f"Ctrl-C in {name}, rods of 1,000 poses", figure, "at most 0.1 s")


def imports():
    code = "import numpy, time; t = time.perf_counter(); import lissome; print(time.perf_counter() - t)"
    # As installed: an installer compiles the modules. The first import here does that, and is left out.
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once():
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=compiled)
        return float(told.stdout)

    once()
    times = [once() for _ in range(7)]
    line("import after numpy", f"{1e3 * statistics.median(times):.1f} ms", "at most 20 ms")


if __name__ == "__main__":
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    imports()
    overhead()
    ctrl_c()
    batches()
