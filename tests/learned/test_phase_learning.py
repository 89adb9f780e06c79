"""The train batch made array by array holds, summed over heads and SKUs, what RLlib's pipeline makes row by row."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learned roles need medchain[train]")
pytest.importorskip("ray", reason="learned roles need medchain[train]")

from ray.rllib.connectors.learner import AddOneTsToEpisodesAndTruncate, GeneralAdvantageEstimation  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402

from experiments.rllib.phase_learning import LOGP_EACH, PhaseTrainBatch, advantages  # noqa: E402
from medchain.scenario import load_scenario  # noqa: E402
from policies.learned import heads  # noqa: E402
from policies.learned.layout import layout  # noqa: E402
from policies.learned.module import FORESEEN  # noqa: E402
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
    for episode in episodes:  # RLlib's pipeline knows nothing of it
        for own in episode.agent_episodes.values():
            own.extra_model_outputs[FORESEEN].data[:] = 0.0
    pipeline = runner.config.build_learner_connector(*spaces)
    pipeline.prepend(AddOneTsToEpisodesAndTruncate())
    pipeline.append(GeneralAdvantageEstimation(gamma=0.98, lambda_=0.9))
    theirs = pipeline(rl_module=module, batch={}, episodes=copy.deepcopy(episodes), shared_data={})
    ours = PhaseTrainBatch(gamma=0.98, lambda_=0.9)(rl_module=module, batch={}, episodes=episodes)
    assert set(ours) == set(theirs)
    for name, columns in ours.items():
        real = theirs[name][Columns.LOSS_MASK]
        ours_by_row, theirs_by_row = row_order(columns[Columns.OBS]), row_order(theirs[name][Columns.OBS][real])
        mine = {key: value[ours_by_row] for key, value in columns.items()}
        other = {key: value[real][theirs_by_row] for key, value in theirs[name].items() if key != Columns.LOSS_MASK}
        for key in (Columns.OBS, Columns.ACTIONS):
            torch.testing.assert_close(mine[key], other[key], check_dtype=False)
        torch.testing.assert_close(mine[LOGP_EACH].sum(-1), other[Columns.ACTION_LOGP])
        torch.testing.assert_close(
            mine["value_targets"].sum(-1).double(), other["value_targets"].double(), rtol=1e-3, atol=1e-4
        )
        shape, head = module[name].unwrapped().layout, 0
        for group, _, used in heads.in_use(mine[Columns.OBS][:, shape.width :], shape.groups):
            told = other["advantages"][used].double()  # theirs are standardised over all rows, and the added ones
            whole = (told - told.mean()) / told.std(correction=0)
            torch.testing.assert_close(mine["advantages"][used, head].double(), whole, rtol=1e-3, atol=1e-4)
            head += group.count


def test_every_kind_of_decision_is_standardised_by_itself() -> None:
    """Audits and plans each have mean 0 and spread 1, head by head, in the steps at which they are decided."""
    runner = batched_runner(("coordinator",), batch=8)
    episodes, lines = runner.sample(keys=range(8)), 30
    batch = PhaseTrainBatch(lambda_=0.5, others=(0.5, 0.5))(rl_module=runner.module, batch={}, episodes=episodes)
    told = batch["coordinator"]["advantages"].reshape(8, -1, 2, 3 * lines + 1)
    for kind in (told[:, :, 0, :lines], told[:, :, 1, lines:]):
        torch.testing.assert_close(kind.mean((0, 1)), torch.zeros(kind.shape[-1]), rtol=0, atol=1e-5)
        torch.testing.assert_close(kind.std((0, 1), correction=0), torch.ones(kind.shape[-1]), rtol=0, atol=1e-4)


def test_only_whole_episodes() -> None:
    runner = batched_runner(("coordinator",), batch=2)
    episodes = runner.sample(keys=[1, 2])
    episodes[0].agent_episodes["coordinator"].is_terminated = False
    with pytest.raises(ValueError, match="whole episodes"):
        PhaseTrainBatch()(rl_module=runner.module, batch={}, episodes=episodes)


def test_what_a_head_is_told() -> None:
    """A line's level: what its SKU earns. Its audit: audits too. Orders: money too. Quarantine: everything."""
    shape = layout("coordinator", load_scenario().sizes)
    count, concern = shape.skus, shape.concern(0.25)
    gains = np.concatenate([2.0 ** np.arange(count), [10_000.0, 100_000.0]])
    told = gains @ concern
    sku, rest = 3, gains.sum() - 8.0
    at = dict(zip([g.name for g in shape.groups], np.cumsum([0] + [g.count for g in shape.groups]), strict=False))
    line = shape.skus + sku
    assert told[at["level"] + line] == 8.0 + 0.25 * rest
    assert told[at["audit"] + line] == 8.0 + 10_000.0 + 0.25 * (rest - 10_000.0)
    assert told[at["up_to"] + sku] == told[at["claim"] + sku] == 8.0 + 100_000.0 + 0.25 * (rest - 100_000.0)
    assert told[at["quarantine"]] == gains.sum()
    np.testing.assert_array_equal(gains @ shape.concern(1.0), np.full(concern.shape[1], gains.sum()))
