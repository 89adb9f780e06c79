"""Masked heads against torch's own categorical, and what a head that is not in use adds: nothing."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learned roles need medchain[train]")

from policies.learned import heads  # noqa: E402
from policies.learned.draw import draw  # noqa: E402
from policies.learned.layout import LINE, SKU, Group  # noqa: E402
from policies.learned.module import MaskedHeads  # noqa: E402

GROUPS = (Group("audit", LINE, 4, 3), Group("order", SKU, 2, 5))
IN_USE = [0, 2, 4]


def case(n: int = 6) -> tuple:
    """Logits, mask and legal actions: heads 0, 2 and 4 have two or three choices, the others one."""
    torch.manual_seed(0)
    mask = torch.zeros(22)
    legal = [[0, 2], [0], [0, 1, 2], [1], [1, 2, 4], [0]]
    starts = [0, 3, 6, 9, 12, 17]
    for start, choices in zip(starts, legal, strict=True):
        mask[[start + c for c in choices]] = 1
    logits = torch.randn(n, 22, requires_grad=True)
    actions = torch.stack([torch.tensor([c[i % len(c)] for c in legal]) for i in range(n)])
    return logits, mask.expand(n, -1), actions, starts


def parts(flat: torch.Tensor) -> list[torch.Tensor]:
    return [*flat[:, :12].reshape(-1, 4, 3).unbind(1), *flat[:, 12:].reshape(-1, 2, 5).unbind(1)]


def test_sums_of_categoricals_in_use() -> None:
    logits, mask, actions, _ = case()
    masked = heads.mask_logits(logits, mask)
    each = [torch.distributions.Categorical(logits=part) for part in parts(masked)]
    logs = sum(each[h].log_prob(actions[:, h]) for h in IN_USE)
    torch.testing.assert_close(heads.log_prob(masked, GROUPS, actions), logs)
    probs = [torch.softmax(parts(masked)[h], -1) for h in IN_USE]
    entropy = sum(-(p * torch.log(p.clamp(min=1e-30))).sum(-1) for p in probs)
    torch.testing.assert_close(heads.entropy(masked, GROUPS), entropy)
    other = heads.mask_logits(torch.randn_like(logits), mask)
    others = [torch.softmax(parts(other)[h], -1) for h in IN_USE]
    kl = sum((p * (p.clamp(min=1e-30) / q.clamp(min=1e-30)).log()).sum(-1) for p, q in zip(probs, others, strict=True))
    torch.testing.assert_close(heads.kl(masked, other, GROUPS), kl)
    assert heads.kl(masked, masked, GROUPS).abs().max() == 0


def test_a_head_with_one_choice_adds_nothing() -> None:
    """Moving the logits of heads that are not in use, or of forbidden choices, moves nothing; they get no gradient."""
    logits, mask, actions, starts = case()
    moved = logits.detach().clone()
    for h in (1, 3, 5):
        moved[:, starts[h] : starts[h] + (3 if h < 4 else 5)] += 7.0
    moved[:, 1] -= 5.0
    moved.requires_grad_(True)
    for function in (
        lambda x: heads.log_prob(heads.mask_logits(x, mask), GROUPS, actions),
        lambda x: heads.entropy(heads.mask_logits(x, mask), GROUPS),
    ):
        torch.testing.assert_close(function(moved), function(logits), rtol=0, atol=0)
        (gradient,) = torch.autograd.grad(function(logits).sum(), logits)
        assert gradient[mask == 0].abs().max() == 0
        assert gradient[:, 3:6].abs().max() == 0
        assert gradient[:, 9:12].abs().max() == 0
        assert gradient[:, 6:9].abs().max() > 0


def test_draws_are_legal_and_as_frequent_as_their_probability() -> None:
    logits, mask, _, starts = case(1)
    masked = heads.mask_logits(logits.detach(), mask).expand(20_000, -1)
    torch.manual_seed(1)
    drawn, logp = heads.sample(masked, GROUPS)
    torch.testing.assert_close(logp, heads.log_prob(masked, GROUPS, drawn))
    at = torch.tensor(starts)
    assert (mask[0][at + drawn] == 1).all()
    probability = torch.softmax(masked[0, 6:9], -1)
    frequency = torch.bincount(drawn[:, 2], minlength=3) / len(drawn)
    assert (frequency - probability).abs().max() < 0.015
    assert (heads.best(masked[:1], GROUPS)[0, 2] == probability.argmax()).all()


def test_a_draw_inverts_the_distribution_function() -> None:
    """By hand: weights 1, 2 and 1 with the second forbidden leave 1/2 each; a head with one choice draws it, and adds 0."""
    logits = np.log(np.array([[1, 2, 1, 1, 3]] * 3, np.float32))
    logits[:, 1] = heads.FORBIDDEN
    logits[:, 4] = heads.FORBIDDEN
    chosen, logp = np.empty((3, 2), np.int64), np.empty(3, np.float32)
    numbers = np.array([[0.0, 0.9], [0.49, 0.9], [0.999, 0.9]], np.float32)
    draw(logits, np.array([3, 2]), heads.FORBIDDEN, numbers, chosen, logp)
    assert chosen.tolist() == [[0, 0], [0, 0], [2, 0]]
    np.testing.assert_allclose(logp, np.log(0.5), rtol=1e-6)


def test_the_distribution_knows_the_log_probability_of_its_own_draw_only() -> None:
    logits, mask, actions, _ = case()
    own = MaskedHeads.of(GROUPS).from_logits(heads.mask_logits(logits.detach(), mask))
    drawn = own.sample()
    torch.testing.assert_close(own.logp(drawn), own.logp(drawn.clone()))
    torch.testing.assert_close(own.logp(actions), heads.log_prob(own.logits, GROUPS, actions), rtol=0, atol=0)
    learning = MaskedHeads.of(GROUPS).from_logits(heads.mask_logits(logits, mask))
    assert learning.logp(learning.sample()).requires_grad


def test_what_is_broken_shows_in_the_log_probability() -> None:
    """A network that has come to nothing is not mistaken for one that is certain; nor does it draw the forbidden."""
    logits, mask, _, starts = case()
    drawn, logp = heads.sample(heads.mask_logits(torch.full_like(logits, torch.nan), mask), GROUPS)
    assert logp.isnan().all()
    assert (mask.gather(1, torch.tensor(starts) + drawn) == 1).all()


def test_half_precision_draws_too() -> None:
    logits, mask, _, _ = case()
    torch.manual_seed(3)
    drawn, logp = heads.sample(heads.mask_logits(logits.detach(), mask).bfloat16(), GROUPS)
    assert drawn.shape == (6, 6)
    assert logp.isfinite().all()
