"""A function over many jobs, in order, in this process or in spawned ones."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
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
    pool = ProcessPoolExecutor(min(workers, len(jobs)), get_context("spawn"))
    try:
        with _interrupts_held_back():  # the processes start now: Ctrl-C is for the parent alone
            waiting: list[Future[Done]] = [pool.submit(function, jobs[0])]
        waiting += [pool.submit(function, job) for job in jobs[1:]]
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)  # `with pool` would forget to cancel


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold SIGINT back for a moment: it is not lost, and processes that are started meanwhile never see one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # the first process starts it, and it would let signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
