"""What a run will need per learner and per runner, before anything is loaded."""

from __future__ import annotations

from typing import NamedTuple

from experiments.train_config import TrainConfig

GIB = 1 << 30
BYTES = {"none": {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}, "nf4": 0.53, "int8": 1.05}


class Shape(NamedTuple):
    """Sizes of a model that decide its memory."""

    parameters: int
    linear: int  # of the parameters, those in linear layers: the ones that are quantised
    adapter: int
    layers: int
    width: int
    cache: int  # numbers per token in the cache
    vocabulary: int


class Need(NamedTuple):
    """Bytes: weights, adapter with gradients and optimizer, activations of a micro-batch, cache of a batch of contexts."""

    weights: float
    adapter: float
    activations: float
    cache: float

    @property
    def learner(self) -> float:
        """Of a learner."""
        return self.weights + self.adapter + self.activations

    @property
    def runner(self) -> float:
        """Of a runner."""
        return self.weights + self.adapter / 4 + self.cache


def shape_of(config: TrainConfig, base: str) -> Shape:
    """Sizes of the experiment's model, from its configuration alone."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from policies.llm.where import locate

    path, file = locate(base)
    settings = AutoConfig.from_pretrained(path, **({"gguf_file": file} if file else {}))
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(settings)
    rank = config.model.lora.rank
    inner = [m for name, m in model.named_modules() if isinstance(m, torch.nn.Linear) and not name.endswith("lm_head")]
    heads = getattr(settings, "num_key_value_heads", None) or settings.num_attention_heads
    head = getattr(settings, "head_dim", None) or settings.hidden_size // settings.num_attention_heads
    return Shape(
        sum(p.numel() for p in model.parameters()),
        sum(m.weight.numel() for m in inner),
        sum(rank * (m.in_features + m.out_features) for m in inner),
        settings.num_hidden_layers,
        settings.hidden_size,
        2 * settings.num_hidden_layers * heads * head,
        settings.vocab_size,
    )


def need_of(config: TrainConfig, s: Shape) -> Need:
    """Bytes that a learner and a runner will need; activations: about 34 numbers per token, width and layer."""
    part = config.model
    full: dict[str, float] = BYTES["none"]  # type: ignore[assignment]
    size = full[part.dtype]
    each = size if part.quantisation == "none" else BYTES[part.quantisation]
    weights = s.linear * float(each) + (s.parameters - s.linear) * size  # type: ignore[arg-type]
    tokens = config.grpo.micro_batch * min(config.text.context_tokens, 4 * config.text.turn_tokens + 500)
    kept = 2 if part.gradient_checkpointing else 34
    activations = tokens * s.width * s.layers * kept * size + 2 * 4.0 * tokens * s.vocabulary * 0.5
    cache = min(config.text.batch, 512) * config.text.context_tokens * s.cache * size
    return Need(weights, s.adapter * 16.0, activations, cache)


def estimate_lines(config: TrainConfig, base: str) -> list[str]:
    """The estimate as text; one line where the model's configuration cannot be had."""
    try:
        shape = shape_of(config, base)
    except (OSError, ValueError) as error:
        return [f"no memory estimate: {str(error).splitlines()[0]}"]
    n = need_of(config, shape)
    return [
        f"{shape.parameters / 1e6:.1f} M parameters, adapter {shape.adapter / 1e6:.2f} M",
        f"estimate per learner {gib(n.learner)} (weights {gib(n.weights)}, adapter with optimizer {gib(n.adapter)}, "
        f"activations {gib(n.activations)})",
        f"estimate per runner {gib(n.runner)} (cache {gib(n.cache)})",
        *gpu_lines(config, n, gpu_bytes()),
    ]


def gib(count: float) -> str:
    """Bytes for people."""
    return f"{count / GIB:.2f} GiB" if count > GIB / 10 else f"{count / (1 << 20):.1f} MiB"


def gpu_bytes() -> int | None:
    """Memory of this machine's first GPU; None where there is none."""
    import torch

    return int(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else None


def gpu_lines(config: TrainConfig, n: Need, available: int | None) -> list[str]:
    """What each kind of GPU will hold, and whether this machine's (of `available` bytes, if it is known) is enough."""
    scale, found = config.scale, []
    shares = (
        ("learner", scale.num_gpus_per_learner, n.learner),
        ("runner", scale.num_gpus_per_env_runner, n.runner),
    )
    for what, share, each in shares:
        if not share:
            continue
        count = max(1, int(1 / share))  # that Ray puts on one
        need = each * count / max(1.0, share)
        line = f"a GPU with {count} {what}{'s' if count > 1 else ''} needs {gib(need)}"
        if available is not None and not scale.ray_address:
            line += f" of {gib(available)}"
            if need > available:
                line += ": TOO MUCH; try gradient_checkpointing, nf4, a smaller micro_batch, batch or context_tokens"
        found.append(line)
    return found
