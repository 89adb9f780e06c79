"""Keeps the libraries' chatter out of a run's log: what a line of it says should be about the run."""

from __future__ import annotations

import logging
import os
import warnings
from importlib.util import find_spec


def hush() -> None:
    """Silence progress bars and remarks of Ray, Gymnasium, transformers, peft and bitsandbytes; errors are still told.

    Call it before Ray starts: its workers inherit the environment.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # a remark on every actor that may be restarted
    for name in ("bitsandbytes", "ray.rllib.algorithms.algorithm_config", "ray.tune", "ray._common"):
        logging.getLogger(name).setLevel(logging.ERROR)
    for module in ("transformers", "peft", "torch", "ray"):
        warnings.filterwarnings("ignore", category=FutureWarning, module=module)
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=module)
    warnings.filterwarnings("ignore", message=".*Overriding environment rllib", category=UserWarning)
    if find_spec("transformers") is None:
        return
    from transformers.utils import logging as told

    told.set_verbosity_error()
    told.disable_progress_bar()
