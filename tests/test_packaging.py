"""The built wheel, installed elsewhere, is complete and runs."""

import os
import shutil
import site
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("medchain", "policies", "experiments", "configs")
BUILD_FILES = ("pyproject.toml", "setup.cfg", "README.md", "LICENSE")
TRAINING_STACK = ("ray", "torch", "transformers")
IMPORT_ALL = """
import importlib, pkgutil, sys, medchain
for module in pkgutil.walk_packages(medchain.__path__, "medchain."):
    importlib.import_module(module.name)
print(medchain.__file__, *{name.split(".")[0] for name in sys.modules})
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of `command`, with nothing of this checkout on its import path."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def sources(pattern: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob(pattern)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a clean copy: a `build` folder left in the checkout must not lend it files."""
    copy = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BUILD_FILES:
        shutil.copy(ROOT / name, copy)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=copy)
    (built,) = (copy / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scripts folder of a fresh environment that holds the wheel and borrows this one's dependencies."""
    fresh = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", fresh, cwd=fresh)
    python = fresh / "bin" / "python"
    pip_options = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
    run(sys.executable, "-m", "pip", "--python", python, "install", *pip_options, wheel, cwd=fresh)
    # A line in a .pth file adds a folder without reading that folder's own .pth files: this checkout stays hidden.
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(fresh), "platbase": str(fresh)}))
    (packages / "borrowed.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python.parent


def test_wheel_holds_every_module_and_every_config_and_nothing_else(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held - {"medchain/py.typed"} == sources("*.py") | sources("*.yaml")
    assert any(name.startswith("configs/scenario/") for name in held)


def test_commands_run_in_another_folder(installed: Path, tmp_path: Path) -> None:
    for command in ([installed / "medchain"], [installed / "python", "-m", "experiments.cli"]):
        assert "Usage" in run(*command, "--help", cwd=tmp_path)


def test_all_of_medchain_imports_from_the_wheel_without_the_training_stack(installed: Path, tmp_path: Path) -> None:
    where, *loaded = run(installed / "python", "-c", IMPORT_ALL, cwd=tmp_path).split()
    assert Path(where).is_relative_to(installed.parent)
    assert not set(TRAINING_STACK) & set(loaded)
