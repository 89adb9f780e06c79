"""`medchain eval` as a process: hash seeds, workers, exit codes, Ctrl-C."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from experiments.workers import in_order
from medchain.errors import UnknownNameError

EVAL = [sys.executable, "-m", "experiments.cli", "eval"]
SMALL = ["--policy", "rubber_stamp,zero", "--seeds", "50-52", "--difficulty", "light,heavy"]


def hear_ctrl_c() -> None:
    """In the child: a test run started in the background has SIGINT ignored, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*EVAL, *arguments], stdout=subprocess.PIPE, preexec_fn=hear_ctrl_c, **options)


def run(*arguments: str, hash_seed: str = "0") -> str:
    """What it prints."""
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run([*EVAL, *arguments], env=env, capture_output=True, text=True, check=True).stdout


def test_hash_seeds_and_workers_change_nothing(tmp_path: Path) -> None:
    one, two, three = (str(tmp_path / name) for name in ("1.json", "2.json", "3.json"))
    printed = run(*SMALL, "--json", one, hash_seed="1")
    assert run(*SMALL, "--json", two, hash_seed="2") == printed
    assert run(*SMALL, "--json", three, "--workers", "2", hash_seed="random") == printed
    first = Path(one).read_text()
    assert len(json.loads(first)["episodes"]) == 12
    assert first == Path(two).read_text() == Path(three).read_text()


def test_wrong_input_exits_2_with_one_line() -> None:
    done = subprocess.run([*EVAL, "--policy", "nobody"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("medchain: unknown policy 'nobody'; known: zero, ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_ctrl_c_ends_it_cleanly(workers: str, seconds: float, tmp_path: Path) -> None:
    """A terminal sends SIGINT to the whole process group: to the workers too, which may be starting or playing."""
    ours, theirs = pty.openpty()
    long = ["--policy", "auditor", "--seeds", "0-49999", "--workers", workers, "--json", str(tmp_path / "out.json")]
    process = start(*long, stderr=theirs, start_new_session=True, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    said = read_until(ours, b"playing")
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    said += read_until(ours, None)
    assert process.wait(60) == 130
    assert b"medchain: interrupted" in said and b"Traceback" not in said
    assert process.stdout is not None and process.stdout.read() == b""
    assert not list(tmp_path.iterdir())
    assert is_gone(process.pid)


def is_gone(group: int) -> bool:
    """Whether no process of a group is left; the tracker of shared memory takes a moment to notice that it is alone."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def read_until(terminal: int, word: bytes | None) -> bytes:
    """What comes until `word`, or until the other side is closed."""
    said = b""
    while word is None or word not in said:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # Linux: the other side is closed
            break
        if not more:
            break
        said += more
    return said


def test_jobs_come_back_in_order_and_their_errors_as_they_were() -> None:
    assert list(in_order(abs, [-3, 2, -1], workers=2)) == [3, 2, 1]
    with pytest.raises(UnknownNameError, match="unknown policy 'x'; known: y"):
        list(in_order(_fail, ["x", "x"], workers=2))


def _fail(name: str) -> None:
    raise UnknownNameError("policy", name, ["y"])
