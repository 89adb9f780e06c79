"""The same episode in every process: digests under different hash seeds, both surfaces, whole diaries of it."""

import os
import subprocess
import sys

import pytest

PLAY = """
import hashlib
from medchain import medchain_v0
from tests.compliance.players import turns
env, seen = medchain_v0.env(surface={surface!r}, scenario={scenario!r}), hashlib.sha256()
for agent, last, action in turns(env, 17):
    seen.update(repr((agent, env.unwrapped.digest(), last[1:], str(action))).encode())
    seen.update(repr(last[0]).encode())
print(env.unwrapped.digest(), seen.hexdigest())
"""


@pytest.mark.parametrize(("surface", "scenario"), [("structured", "heavy"), ("text", "light")])
def test_hash_seeds_do_not_matter(surface: str, scenario: str) -> None:
    def played(hash_seed: str) -> str:
        code = PLAY.format(surface=surface, scenario=scenario)
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([".", *sys.path])}
        return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout

    outputs = {played(hash_seed) for hash_seed in ("0", "1", "4242")}
    assert len(outputs) == 1 and len(outputs.pop().split()) == 2
