"""Shared weights see lines as a set; the arbiter's sees one line at a time; the first policy is the preferred one."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learned roles need medchain[train]")

from medchain.env.vector import VectorEnv  # noqa: E402
from medchain.errors import ConfigError, UnknownNameError  # noqa: E402
from medchain.scenario import Sizes, load_scenario  # noqa: E402
from policies.learned import heads  # noqa: E402
from policies.learned.checkpoint import load_net, save_net  # noqa: E402
from policies.learned.layout import FORESIGHT, ROLES, Layout, layout, role_of  # noqa: E402
from policies.learned.nets import KINDS, new_net  # noqa: E402

SIZES = load_scenario().sizes


def other_sizes() -> Sizes:
    """Five wards, seven SKUs."""
    return SIZES._replace(wards=5, skus=7)


def seen(shape: Layout, n: int = 3) -> torch.Tensor:
    """Random observations; every third line does not exist and is all zeros."""
    torch.manual_seed(n)
    x = torch.randn(n, shape.lines, len(shape.line_features))
    x[..., 0] = 1.0
    x[:, ::3] = 0.0
    return torch.cat([x.flatten(1), torch.randn(n, len(shape.global_features))], 1)


def parts(shape: Layout, flat: torch.Tensor) -> dict:
    """Logits by group, [n, count, size]."""
    cut = torch.split(flat, [g.count * g.size for g in shape.groups], -1)
    return {g.name: part.reshape(len(flat), g.count, g.size) for g, part in zip(shape.groups, cut, strict=True)}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_gradients(role: str, kind: str) -> None:
    shape = layout(role, SIZES)
    net = new_net(shape, kind, 16)
    logits, values = net.logits(seen(shape)), net.values(seen(shape), torch.rand(3, shape.lines, FORESIGHT))
    assert logits.shape == (3, shape.choices)
    assert values.shape == (3, shape.ledgers)
    (heads.entropy(logits, shape.groups).sum() + (values**2).sum()).backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in net.parameters())


def test_layout_agrees_with_the_environment() -> None:
    env = VectorEnv(load_scenario(), 1)
    for agent in range(SIZES.agents):
        shape = layout(role_of(agent, SIZES), SIZES)
        np.testing.assert_array_equal(shape.heads, env.heads(agent))
        assert list(shape.line_features) == env.line_features(agent)
        assert list(shape.global_features) == env.global_features(agent)
        assert shape.lines == env.lines(agent)
        assert shape.choices == len(env.mask(agent))


@pytest.mark.parametrize("kind", ["lines", "attention"])
def test_wards_and_skus_in_another_order(kind: str) -> None:
    """Swapping two wards, or two SKUs, swaps what is decided and expected for them, and changes nothing else."""
    shape = layout("coordinator", SIZES)
    net, given = new_net(shape, kind, 16), seen(shape)
    at = shape.lines * len(shape.line_features)
    rows = given[:, :at].reshape(3, SIZES.wards, SIZES.skus, -1)
    for order, axis, groups in (([2, 1, 0], 1, ["level"]), ([1, 0, *range(2, 10)], 2, ["level", "up_to"])):
        turned = torch.cat([rows.index_select(axis, torch.tensor(order)).flatten(1), given[:, at:]], 1)
        values = net.values(given, torch.ones(3, shape.lines, FORESIGHT))
        expected = values if axis == 1 else torch.cat([values[:, order], values[:, -2:]], 1)
        torch.testing.assert_close(net.values(turned, torch.ones(3, shape.lines, FORESIGHT)), expected, rtol=1e-4, atol=1e-5)
        before, after = parts(shape, net.logits(given)), parts(shape, net.logits(turned))
        for name in groups:
            old = before[name]
            if name == "level":
                lines = old.reshape(3, SIZES.wards, SIZES.skus, -1).index_select(axis, torch.tensor(order))
                expected = lines.reshape(old.shape)
            else:
                expected = old[:, order]
            torch.testing.assert_close(after[name], expected, rtol=1e-4, atol=1e-5)


def test_alone_is_blind_to_other_lines() -> None:
    shape = layout("arbiter", SIZES)
    net, given = new_net(shape, "alone", 16), seen(shape)
    only = given.clone()
    width = len(shape.line_features)
    only[:, : 4 * width] = 0.0
    only[:, 5 * width : shape.lines * width] = 0.0
    both = [parts(shape, net.logits(x))["ruling"][:, 4] for x in (given, only)]
    torch.testing.assert_close(both[0], both[1])


@pytest.mark.parametrize("kind", ["lines", "attention", "alone"])
def test_weights_run_on_other_hospitals(kind: str, tmp_path: object) -> None:
    path = tmp_path / "net.pt"
    save_net(path, new_net(layout("coordinator", SIZES), kind, 16), kind, 16)
    other = other_sizes()
    net = load_net(path, other)
    shape = layout("coordinator", other)
    assert shape.lines == 35
    assert net.logits(seen(shape)).shape == (3, shape.choices)


def test_files_say_what_does_not_fit(tmp_path: object) -> None:
    path = tmp_path / "net.pt"
    with pytest.raises(ConfigError, match="there is none"):
        load_net(path, SIZES)
    path.write_text("no network")
    with pytest.raises(ConfigError, match="expected a file that `medchain train` wrote"):
        load_net(path, SIZES)
    save_net(path, new_net(layout("coordinator", SIZES), "mlp", 8), "mlp", 8)
    with pytest.raises(ConfigError, match="trained for other lines: 30; here: 35"):
        load_net(path, other_sizes())
    again = load_net(path, SIZES)
    given = seen(again.layout)
    torch.testing.assert_close(again.logits(given), load_net(path, SIZES).logits(given))


@pytest.mark.parametrize("kind", KINDS)
def test_first_policy_is_near_the_preferred_one(kind: str) -> None:
    shape = layout("coordinator", SIZES)
    net = new_net(shape, kind, 32, {"audit": [0.9, 0.06, 0.04], "quarantine": [0.1, 0.9]})
    found = torch.softmax(parts(shape, net.logits(seen(shape)))["audit"], -1).mean((0, 1))
    assert (found - torch.tensor([0.9, 0.06, 0.04])).abs().max() < 0.1


def test_wrong_names_are_refused() -> None:
    shape = layout("ward", SIZES)
    with pytest.raises(UnknownNameError, match="known: mlp, lines, attention, alone"):
        new_net(shape, "transformer", 8)
    with pytest.raises(UnknownNameError, match="known: inflation, redaction"):
        new_net(shape, "lines", 8, {"audit": [1, 1, 1]})
    with pytest.raises(ConfigError, match="expected 3 weights above 0"):
        new_net(shape, "lines", 8, {"redaction": [1, 1]})
    with pytest.raises(UnknownNameError, match="coordinator, ward, arbiter"):
        layout("nurse", SIZES)
