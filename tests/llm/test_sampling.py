import numpy as np
import pytest
import torch

from policies.llm.conversation import Stretch
from policies.llm.embedded import turn_automata
from policies.llm.loading import Lora, Source, base_digest, is_lora, load_base, lora_tensors, with_lora
from policies.llm.logprobs import pad, token_logps
from policies.llm.sampling import LONG, SLICE, Rows, Sampling, Writer, write_turns


@pytest.fixture(scope="module")
def model(tiny_folder):
    torch.manual_seed(1)
    made = with_lora(load_base(Source(str(tiny_folder))), Lora(4, 8))
    with torch.no_grad():
        for tensor in lora_tensors(made).values():
            tensor.normal_(std=0.05)
    return made.eval()


def turns_of(rows, writers, fresh, how):
    for writer, ids in zip(writers, fresh, strict=True):
        writer.begin(ids, "turn", how)
    return write_turns(rows, writers, how)


def stretches(model, tokenizer, medium, constrained):
    """Two rows of different lengths, two turns each, the cache kept between them."""
    automata = turn_automata(medium, tokenizer) if constrained else None
    how = Sampling(40, tokenizer.eos_token_id, 1.0, automata)
    texts = ["round 3 money 80", "round 1 left 7 money 100 BLOOD-RBC 100 95 90 0 0 5 160 0"]
    made = [Stretch(0, 1, tokenizer.encode(t, add_special_tokens=False)) for t in texts]
    rows, writers = Rows(model, 2), [Writer(np.random.default_rng(i)) for i in range(2)]
    fresh = [list(s.ids) for s in made]
    for _ in range(2):
        for s, turn in zip(made, turns_of(rows, writers, fresh, how), strict=True):
            s.turns.append((len(s.ids), len(turn.ids), "turn", 40))
            s.ids += turn.ids
            s.logps += turn.logps
            s.choice += turn.choice
        fresh = [tokenizer.encode(t, add_special_tokens=False) for t in ("ok", "EV-3 ward_er SYR-10 85 ok ok")]
        for s, ids in zip(made, fresh, strict=True):
            s.ids += ids
    return made, automata


@pytest.mark.parametrize("constrained", [True, False])
def test_the_learner_sees_the_samplers_probabilities(model, tokenizer, medium, constrained):
    made, automata = stretches(model, tokenizer, medium, constrained)
    padded = pad(made, tokenizer.pad_token_id, automata)
    logps, _ = token_logps(model, padded)
    old = torch.tensor([lp for s in made for lp, free in zip(s.logps, s.choice, strict=True) if free])
    assert len(old) == len(logps) > 10
    assert float((torch.exp(logps.detach() - old) - 1).abs().max()) < 1e-4


def test_forced_tokens_are_no_choices_and_certain(model, tokenizer, medium):
    made, _ = stretches(model, tokenizer, medium, True)
    forced = [lp for s in made for lp, free in zip(s.logps, s.choice, strict=True) if not free]
    assert forced and set(forced) == {0.0}


def test_a_rows_draws_do_not_depend_on_its_neighbours(model, tokenizer, medium):
    automata = turn_automata(medium, tokenizer)
    how = Sampling(30, tokenizer.eos_token_id, 1.0, automata)
    ids = [tokenizer.encode(t, add_special_tokens=False) for t in ("round 3 money 80", "round 1")]
    alone = turns_of(Rows(model, 1), [Writer(np.random.default_rng(7))], ids[1:], how)[0]
    beside = turns_of(Rows(model, 2), [Writer(np.random.default_rng(i)) for i in (0, 7)], ids, how)[1]
    assert alone.ids == beside.ids


def test_gradients_reach_the_adapter_only_and_the_base_stays(model, tokenizer, medium):
    digest = base_digest(model)
    made, automata = stretches(model, tokenizer, medium, True)
    token_logps(model.train(), pad(made, tokenizer.pad_token_id, automata))[0].sum().backward()
    reached = {name for name, p in model.named_parameters() if p.grad is not None}
    assert reached and all(map(is_lora, reached))
    torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1).step()
    model.zero_grad(set_to_none=True)
    model.eval()
    assert base_digest(model) == digest


def test_a_row_that_is_used_again_or_moved_up_gives_what_a_fresh_one_gives(model, tokenizer):
    texts = ("round 3 money 80", "round 1 left 7", "round 2 ok", "EV-3 ward_er SYR-10 85 " * 60)
    ids = [tokenizer.encode(t, add_special_tokens=False) for t in texts]
    fresh = [Rows(model, 1).feed([0], [one])[0] for one in ids]
    rows = Rows(model, 3)
    rows.feed([0, 1, 2], [ids[3], ids[0], ids[1][:-2]])  # the first one is longer than the first room
    rows.move(2, 0)
    rows.clear(1)
    logits = rows.feed([0, 1], [ids[1][-2:], ids[2]])
    assert torch.allclose(logits[0], fresh[1], atol=1e-4) and torch.allclose(logits[1], fresh[2], atol=1e-4)
    assert rows.length.tolist()[:2] == [len(ids[1]), len(ids[2])]
    assert len(ids[3]) > 256 and not torch.allclose(fresh[1], fresh[2], atol=1e-2)


def test_reading_in_slices_and_apart_is_reading_at_once(model, tokenizer):
    how = Sampling(12, tokenizer.eos_token_id, 0.0)
    whole = tokenizer.encode("EV-3 ward_er SYR-10 85 " * 20, add_special_tokens=False)
    ids = [whole[:3], whole[:9], whole]
    assert len(ids[0]) < SLICE < len(ids[1]) < LONG < len(ids[2])
    together = turns_of(Rows(model, 3), [Writer(np.random.default_rng(0)) for _ in ids], ids, how)
    for one, turn in zip(ids, together, strict=True):
        rows, written = Rows(model, 1), []
        logits = rows.feed([0], [one])
        while len(written) < len(turn.ids):
            written.append(int(logits[0].argmax()))
            logits = rows.feed([0], [written[-1:]])
        assert written == turn.ids
