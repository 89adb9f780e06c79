"""YAML files to mappings, and what pydantic finds wrong with them to sentences: file, key, value, what is legal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from medchain.errors import ScenarioError


class StrictLoader(yaml.SafeLoader):
    """YAML's safe loader, which here refuses a mapping that holds a key twice: the first would be lost silently."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Build a mapping of distinct keys."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is there twice", node.start_mark)
        return super().construct_mapping(node, deep)


def merge(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """`base` with the entries of `top` over it, mapping by mapping."""
    merged = dict(base)
    for key, value in top.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = merge(base[key], value) if both else value
    return merged


def read_yaml(path: Path, heirs: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Read a YAML mapping, following `extends`; `heirs` are the files that led here.

    Raises:
        ScenarioError: it cannot be read, is no mapping, or extends itself.
    """
    if path.resolve() in heirs:
        raise ScenarioError(f"{path}: extends = {path.name!r}: the file ends up extending itself; legal: another file")
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), StrictLoader)
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"{path}: expected a mapping of keys, got {type(data).__name__}")
    parent = data.pop("extends", None)
    return merge(read_yaml(path.parent / str(parent), (*heirs, path.resolve())), data) if parent else data


def describe(error: ValidationError, path: object, model: type[BaseModel] | None = None) -> str:
    """One line per wrong entry: file, key, value, what is legal; `model` is what the file was read as."""
    return "\n".join(_sentence(item, path, model) for item in error.errors(include_url=False))


def _sentence(item: Any, path: object, model: type[BaseModel] | None) -> str:
    key, message = ".".join(str(part) for part in item["loc"]), item["msg"].removeprefix("Value error, ")
    shown = "" if isinstance(item["input"], dict | BaseModel) else f" = {item['input']!r}"
    if item["type"] == "extra_forbidden":
        legal = legal_keys(model, item["loc"]) if model else []
        message = "unknown key" + (f"; legal: {', '.join(legal)}" if legal else "")
    elif item["type"] == "missing":
        message = "missing key; every key must be given"
    return f"{path}: {key}{shown}: {message}" if key else f"{path}: {message}"


def legal_keys(model: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    """The keys that may stand where the last of `place` stands."""
    kind: Any = model
    for part in place[:-1]:
        is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
        kind = kind.model_fields[part].annotation if is_model else get_args(kind)[-1]
    return list(kind.model_fields)
