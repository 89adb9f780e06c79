"""What a run loses of its actors, and how it is told."""

from __future__ import annotations

from typing import Any


class LostError(RuntimeError):
    """Runners or learners that no longer answer; a run can go on from its last checkpoint."""


def need_learners(group: Any) -> None:
    """Check that every learner of a LearnerGroup is alive.

    Raises:
        LostError: one is not.
    """
    if group.is_remote:
        alive, wanted = group._worker_manager.num_healthy_actors(), len(group)
        if alive < wanted:
            raise LostError(f"{wanted - alive} of {wanted} learners do not answer")
