"""A function over many jobs, in order, in this process or in spawned ones."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")


def in_order(function: Callable[[Job], Done], jobs: Sequence[Job], workers: int) -> Iterator[Done]:
    """Results of `function` for each of `jobs`, in their order, as they come.

    `workers` > 1 spawns processes; `function` and jobs must then be picklable. Ctrl-C, or an error of a job, drops the jobs
    that have not begun and waits for those that have.
    """
    if workers == 1 or len(jobs) < 2:
        yield from map(function, jobs)
        return
    with ProcessPoolExecutor(min(workers, len(jobs)), get_context("spawn")) as pool:
        with _interrupts_ignored():  # the processes start now, and inherit it: Ctrl-C is for the parent alone
            waiting: list[Future[Done]] = [pool.submit(function, jobs[0])]
        try:
            waiting += [pool.submit(function, job) for job in jobs[1:]]
            for future in waiting:
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore SIGINT for a moment; only a main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
