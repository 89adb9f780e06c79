"""Networks over lines. All map a flat observation [n, width] to flat logits [n, choices] and a value [n].

| kind      | weights                                                                                                  |
|-----------|----------------------------------------------------------------------------------------------------------|
| mlp       | of its own for every feature of every line: one scenario only                                              |
| lines     | shared by all lines, each of which sees itself, its SKU's other lines and the mean of all                  |
| attention | shared by all lines, which attend to one another                                                           |
| alone     | shared by all lines, each of which sees itself and the globals only: the arbiter, who is shown one at a time |

All but `mlp` hold no number of lines, wards or SKUs: their weights also run on other hospitals.

In training the value may also know what is to come (`foresight`): chance that no choice can change, so that a choice is
not blamed for it, and the policy, which does not see it, is led to the same place (Mao et al., "Variance Reduction for
Reinforcement Learning in Input-Driven Environments", 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from medchain.errors import UnknownNameError
from policies.learned.layout import ALL, FORESIGHT, SKU, Group, Layout

KINDS = ("mlp", "lines", "attention", "alone")


class Rows(nn.Module):
    """Lines to embeddings [n, lines, hidden], with weights that all lines share."""

    def __init__(self, layout: Layout, hidden: int, kind: str, more: int = 0) -> None:
        super().__init__()
        self.layout, self.kind = layout, kind
        self.own = nn.Linear(len(layout.line_features) + more, hidden)
        self.hospital = nn.Linear(len(layout.global_features), hidden)
        self.mix = nn.Linear(hidden, hidden)
        if kind == "lines":
            self.sku, self.all = nn.Linear(hidden, hidden, bias=False), nn.Linear(hidden, hidden, bias=False)
        elif kind == "attention":
            self.attend = nn.MultiheadAttention(hidden, 4, batch_first=True)

    def forward(self, x: Tensor, g: Tensor, exists: Tensor) -> Tensor:
        """x [n, lines, F], g [n, G], exists [n, lines, 1] in {0, 1}."""
        h = self.own(x).add_(self.hospital(g).unsqueeze(1)).mul_(exists).relu_()
        if self.kind == "lines":
            by_sku = h.unflatten(1, (-1, self.layout.skus)).sum(1)
            mixed = self.mix(h)
            mixed.unflatten(1, (-1, self.layout.skus)).add_(self.sku(by_sku).unsqueeze(1))
            mixed.add_(self.all(mean(h, exists)).unsqueeze(1))
        elif self.kind == "attention":
            absent = exists.squeeze(-1) < 0.5
            absent = absent & ~absent.all(1, keepdim=True)
            mixed = self.mix(h + self.attend(h, h, h, key_padding_mask=absent, need_weights=False)[0])
        else:
            mixed = self.mix(h)
        return mixed.mul_(exists).relu_()


def mean(h: Tensor, exists: Tensor) -> Tensor:
    """Mean over the lines that exist, [n, hidden]."""
    return h.sum(1) / exists.sum(1).clamp(min=1.0)


class LineNet(nn.Module):
    """Heads and value over rows; separate rows for the value, so that its errors do not move the policy."""

    def __init__(self, layout: Layout, hidden: int, kind: str) -> None:
        super().__init__()
        self.layout = layout
        half = hidden // 2
        self.policy = Rows(layout, hidden, kind)
        self.critic = Rows(layout, half, "lines" if kind == "alone" else kind, FORESIGHT)
        self.heads = nn.ModuleDict({g.name: nn.Linear(hidden, g.size) for g in layout.groups})
        self.value, self.sku_value = (nn.Sequential(nn.Linear(half, half), nn.ReLU(), nn.Linear(half, n)) for n in (2, 1))

    def _parts(self, observation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        at = self.layout.lines * len(self.layout.line_features)
        x = observation[:, :at].reshape(observation.shape[0], self.layout.lines, -1)
        return x, observation[:, at:], x[..., :1]

    def embed(self, observation: Tensor) -> Tensor:
        """What the heads see: [n, lines, hidden]."""
        return self.policy(*self._parts(observation))

    def head(self, group: Group, h: Tensor) -> Tensor:
        """Flat logits of a group [n, count * size] from embeddings, not masked."""
        if group.per == SKU:
            h = h.reshape(h.shape[0], -1, self.layout.skus, h.shape[-1]).sum(1)
        elif group.per == ALL:
            h = h.amax(1)
        return self.heads[group.name](h).flatten(1)

    def logits(self, observation: Tensor) -> Tensor:
        """Flat logits [n, choices], not masked."""
        h = self.embed(observation)
        return torch.cat([self.head(group, h) for group in self.layout.groups], -1)

    def values(self, observation: Tensor, foresight: Tensor) -> Tensor:
        """Expected return from here [n, ledgers]: what each SKU earns, audits, and the rest. foresight [n, lines, 3]."""
        x, g, exists = self._parts(observation)
        h = self.critic(torch.cat([x, foresight], -1), g, exists)
        by_sku = h.reshape(h.shape[0], -1, self.layout.skus, h.shape[-1]).sum(1)
        return torch.cat([self.sku_value(by_sku).squeeze(-1), self.value(mean(h, exists))], -1)


class FlatNet(nn.Module):
    """Two plain multilayer perceptrons over the flat observation."""

    def __init__(self, layout: Layout, hidden: int) -> None:
        super().__init__()
        self.layout = layout
        self.policy = nn.Sequential(*_layers(layout.width, hidden))
        self.heads = nn.ModuleDict({g.name: nn.Linear(hidden, g.count * g.size) for g in layout.groups})
        told = layout.width + FORESIGHT * layout.lines
        self.critic = nn.Sequential(*_layers(told, hidden), nn.Linear(hidden, layout.ledgers))

    def embed(self, observation: Tensor) -> Tensor:
        """What the heads see: [n, hidden]."""
        return self.policy(observation)

    def head(self, group: Group, h: Tensor) -> Tensor:
        """Flat logits of a group [n, count * size] from embeddings, not masked."""
        return self.heads[group.name](h)

    def logits(self, observation: Tensor) -> Tensor:
        """Flat logits [n, choices], not masked."""
        h = self.embed(observation)
        return torch.cat([self.head(group, h) for group in self.layout.groups], -1)

    def values(self, observation: Tensor, foresight: Tensor) -> Tensor:
        """Expected return from here [n, ledgers]: what each SKU earns, audits, and the rest. foresight [n, lines, 3]."""
        return self.critic(torch.cat([observation, foresight.flatten(1)], -1))


def _layers(width: int, hidden: int) -> list[nn.Module]:
    return [nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()]


def new_net(
    layout: Layout, kind: str, hidden: int, prefer: Mapping[str, Sequence[float]] | None = None
) -> LineNet | FlatNet:
    """A network whose first policy is close to `prefer`: per group the weights with which its choices are drawn.

    Raises:
        UnknownNameError: no such kind, or `prefer` names a group that is not there.
        ConfigError: weights of the wrong length.
    """
    if kind not in KINDS:
        raise UnknownNameError("network", kind, list(KINDS))
    net = FlatNet(layout, hidden) if kind == "mlp" else LineNet(layout, hidden, kind)
    prefer = prefer or {}
    known = {g.name: g for g in layout.groups}
    for name in prefer:
        if name not in known:
            raise UnknownNameError(f"group of heads of the {layout.role}", name, list(known))
    with torch.no_grad():
        for group in layout.groups:
            head = net.heads[group.name]
            head.weight.mul_(0.1)
            head.bias.copy_(_bias(group, prefer.get(group.name), head.bias.shape[0] // group.size))
    return net


def _bias(group: Group, weights: Sequence[float] | None, times: int) -> Tensor:
    from medchain.errors import ConfigError

    if weights is None:
        return torch.zeros(group.size * times)
    if len(weights) != group.size or min(weights) <= 0:
        raise ConfigError(f"prefer.{group.name}: expected {group.size} weights above 0, one per choice, got {list(weights)}")
    return torch.tensor(weights, dtype=torch.float32).log().repeat(times)
