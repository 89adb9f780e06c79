"""The train batch made array by array is the one that RLlib's pipeline makes row by row."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learned roles need medchain[train]")
pytest.importorskip("ray", reason="learned roles need medchain[train]")

from ray.rllib.connectors.learner import AddOneTsToEpisodesAndTruncate, GeneralAdvantageEstimation  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402

from experiments.rllib.phase_learning import PhaseTrainBatch, advantages  # noqa: E402
from tests.learned.setups import LEARNERS, batched_runner  # noqa: E402


def test_advantages_by_hand() -> None:
    """gamma 1, lambda 0.5: deltas are 1+2-1=2, 0+4-2=2, 3-4=-1; from the end -1, 2-0.5=1.5, 2+0.75=2.75."""
    found = advantages(np.array([[1.0, 2.0, 4.0]]), np.array([[1.0, 0.0, 3.0]]), 1.0, 0.5)
    np.testing.assert_allclose(found, [[2.75, 1.5, -1.0]])
    without = advantages(np.array([[1.0, 2.0, 4.0]]), np.array([[1.0, 0.0, 3.0]]), 1.0, 1.0)
    np.testing.assert_allclose(without, [[3.0, 1.0, -1.0]])


def row_order(observations: "torch.Tensor") -> "torch.Tensor":
    """Rows sorted by what was observed: RLlib walks its agents in the order of a set, which changes with the hash seed."""
    return torch.from_numpy(np.lexsort(observations.numpy().T))


@pytest.mark.parametrize("learners", LEARNERS)
def test_same_batch_as_rllib(learners: tuple[str, ...]) -> None:
    runner = batched_runner(learners, batch=4)
    episodes, module = runner.sample(keys=range(4)), runner.module
    spaces = runner.env.single_observation_space, runner.env.single_action_space
    pipeline = runner.config.build_learner_connector(*spaces)
    pipeline.prepend(AddOneTsToEpisodesAndTruncate())
    pipeline.append(GeneralAdvantageEstimation(gamma=0.98, lambda_=0.9))
    theirs = pipeline(rl_module=module, batch={}, episodes=copy.deepcopy(episodes), shared_data={})
    ours = PhaseTrainBatch(gamma=0.98, lambda_=0.9)(rl_module=module, batch={}, episodes=episodes)
    assert set(ours) == set(theirs)
    for name, columns in ours.items():
        real = theirs[name][Columns.LOSS_MASK]
        ours_by_row, theirs_by_row = row_order(columns[Columns.OBS]), row_order(theirs[name][Columns.OBS][real])
        for key in (Columns.OBS, Columns.ACTIONS, Columns.ACTION_LOGP, Columns.ACTION_DIST_INPUTS):
            other = theirs[name][key][real][theirs_by_row]
            torch.testing.assert_close(columns[key][ours_by_row], other, check_dtype=False)
        for key in ("value_targets", "advantages"):
            mine = columns[key].double()[ours_by_row]
            other = theirs[name][key][real].double()[theirs_by_row]
            if key == "advantages":  # theirs are standardised over the added rows too
                mine, other = ((x - x.mean()) / x.std() for x in (mine, other))
            torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-4)


def test_audits_and_plans_are_standardised_apart() -> None:
    """Each kind of decision has mean 0 and spread 1 of its own; within a kind the order is as it was."""
    runner = batched_runner(("coordinator",), batch=8)
    episodes = runner.sample(keys=range(8))

    def kinds(apart: bool) -> np.ndarray:
        batch = PhaseTrainBatch(lambda_=0.5, apart=apart)(rl_module=runner.module, batch={}, episodes=episodes)
        return batch["coordinator"]["advantages"].numpy().reshape(-1, 2)

    together, apart = kinds(False), kinds(True)
    np.testing.assert_allclose(apart.mean(0), 0.0, atol=1e-5)
    np.testing.assert_allclose(apart.std(0), 1.0, atol=1e-4)
    assert not np.allclose(together.std(0), 1.0, atol=1e-2)
    assert (apart.argsort(0) == together.argsort(0)).all()


def test_only_whole_episodes() -> None:
    runner = batched_runner(("coordinator",), batch=2)
    episodes = runner.sample(keys=[1, 2])
    episodes[0].agent_episodes["coordinator"].is_terminated = False
    with pytest.raises(ValueError, match="whole episodes"):
        PhaseTrainBatch()(rl_module=runner.module, batch={}, episodes=episodes)
