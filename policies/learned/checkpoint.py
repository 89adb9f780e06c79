"""A learned role as one file: its weights, and what they expect to see and to choose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from medchain.errors import ConfigError
from medchain.scenario import Sizes
from policies.learned.layout import Layout, layout
from policies.learned.nets import FlatNet, LineNet, new_net

SCHEMA = 2
"""Raised when what a feature or a choice means changes under the same name, or what a network is told."""

Net = LineNet | FlatNet


def save_net(path: Path, net: Net, kind: str, hidden: int) -> None:
    """Write a role's file, whole or not at all."""
    part = path.with_name(path.name + ".part")
    torch.save({"expects": expectations(net.layout, kind), "kind": kind, "hidden": hidden, "state": net.state_dict()}, part)
    part.replace(path)


def expectations(layout: Layout, kind: str) -> dict[str, Any]:
    """What weights are bound to. Shared weights are not bound to the number of lines."""
    groups = [[g.name, g.per, g.size] for g in layout.groups]
    bound = {
        "schema": SCHEMA,
        "role": layout.role,
        "line features": list(layout.line_features),
        "global features": list(layout.global_features),
        "choices": groups,
    }
    return {**bound, "lines": layout.lines, "skus": layout.skus} if kind == "mlp" else bound


def load_net(path: Path, z: Sizes) -> Net:
    """The network in a role's file, for scenarios of sizes `z`.

    Raises:
        ConfigError: there is no such file, it is none, or it expects another role, other features, choices or sizes.
    """
    if not path.is_file():
        raise ConfigError(f"checkpoint {path}: expected a file that `medchain train` wrote, there is none")
    try:
        data = torch.load(path, map_location="cpu", weights_only=True)
        expects, kind = data["expects"], data["kind"]
        shape = layout(expects["role"], z)
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise ConfigError(f"checkpoint {path}: expected a file that `medchain train` wrote: {why}") from None
    now = expectations(shape, kind)
    for key, value in now.items():
        if expects.get(key) != value:
            raise ConfigError(f"checkpoint {path}: it was trained for other {key}: {expects.get(key)}; here: {value}")
    net = new_net(shape, kind, data["hidden"])
    net.load_state_dict(data["state"])
    return net.eval()
