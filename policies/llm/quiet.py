"""Progress bars and notes of libraries, kept off the terminal of commands that have their own to say."""

from __future__ import annotations

import logging
import warnings


def hush() -> None:
    """Silence what loading and quantising a model says of itself, in this process."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    for name in ("is_gradient_checkpointing", "gradient_checkpointing_enable"):
        warnings.filterwarnings("ignore", f"`{name}`", FutureWarning)
