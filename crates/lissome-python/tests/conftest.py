"""Where things are: the program that was built with the package, and the workspace."""

import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]

# A shell that starts something in the background lets it ignore Ctrl-C, and what that starts in turn; Python then does so too.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program():
    """Runs the program; the result of the process."""
    found = os.environ.get("LISSOME_PROGRAM", str(ROOT / "target/release/lissome"))

    def run(*arguments, cwd=None):
        return subprocess.run([found, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300)

    return run
