"""Where things are: the program that was built with the package, and the workspace."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def program():
    """Runs the program; the result of the process."""
    found = os.environ.get("LISSOME_PROGRAM", str(ROOT / "target/release/lissome"))

    def run(*arguments, cwd=None):
        return subprocess.run([found, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300)

    return run
