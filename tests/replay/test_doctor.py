"""`medchain doctor` says what is there and never fails."""

import subprocess

import numpy as np
from typer.testing import CliRunner

import medchain
from experiments import health
from experiments.cli import app


def test_the_table_has_versions_extras_kernels_and_browser():
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    for told in (medchain.__version__, f"{np.__version__}", "extra train", "extra serve", "core kernels", "GPU", "browser"):
        assert told in shown, told


def test_a_machine_with_nothing_is_told_so(monkeypatch):
    monkeypatch.setattr(health.shutil, "which", lambda name: None)
    monkeypatch.setattr(health, "installed", lambda name: None)
    found = {finding.what: finding for finding in health.findings()}
    assert found["GPU"].told == "no nvidia-smi, no torch: CPU only"
    assert found["browser for page tests"].state == health.NOTE
    assert found["extra serve"] == ("extra serve", health.MISSING, "not installed: openai")


def test_tools_that_hang_or_break_are_survived(monkeypatch):
    def hangs(command, **options):
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(health.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(health, "installed", lambda name: "1.0")
    monkeypatch.setattr(health.subprocess, "run", hangs)
    assert health.gpu().told.startswith("nvidia-smi says nothing; torch is there but gave no answer")


def test_a_cold_cache_is_told(monkeypatch):
    monkeypatch.setattr(health.Path, "glob", lambda self, pattern: iter(()))
    assert [finding.told.split(":")[0] for finding in health.caches()] == ["cold", "cold"]
