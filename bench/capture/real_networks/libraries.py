"""Programs of einops, safetensors and transformers: what they return is equal for both libraries."""

from __future__ import annotations

from typing import Any

from .registry import Draw, images, network, program


@program("einops functions", "einops")
def functions() -> Any:
    import torch
    from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack

    x = Draw(1).normal(2, 4, 6, 3)
    packed, shapes = pack([x, x[:, 0]], "b * c")
    return {
        "rearrange": rearrange(x, "b (h p) w c -> b h w (p c)", p=2),
        "a list": rearrange([x[0], x[1]], "b h w c -> h (b w) c"),
        "reduce": [reduce(x, "b h w c -> b c", how) for how in ("mean", "sum", "max", "min")],
        "pooling": reduce(x, "b (h 2) (w 3) c -> b h w c", "max"),
        "repeat": repeat(x, "b h w c -> b (h 2) w c"),
        "einsum": einsum(x, x, "b h w c, b v w c -> b h v"),
        "pack": packed,
        "unpack": unpack(packed, shapes, "b * c"),
        "shape": parse_shape(x, "b h w _"),
        "an error": raised(lambda: rearrange(x, "b h -> h b")),
        "device": str(rearrange(torch.ones(2, 1), "a b -> b a").device),
    }


def raised(call: Any) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"


@network("einops layers", "einops", images(16), short=True, symbolic_trace="ndim cannot be hashed")
def layers() -> Any:
    from einops.layers.torch import EinMix, Rearrange, Reduce
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
        EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=128, d=16),
        nn.LayerNorm(16),
        Reduce("b t d -> b d", "mean"),
        nn.Linear(16, 4),
    )


@program("safetensors files", "safetensors")
def files() -> Any:
    import tempfile

    import torch
    from safetensors import safe_open
    from safetensors.torch import load, load_file, load_model, save, save_file, save_model

    draw = Draw(2)
    tensors = {
        "a": draw.normal(3, 4),
        "b": draw.integers(9, 5),
        "c": torch.ones(2, dtype=torch.bfloat16),
        "d": torch.zeros(0, 2),
        "e": torch.tensor(True),
    }
    data = save(tensors, metadata={"made": "here"})
    model, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    with tempfile.TemporaryDirectory() as folder:
        save_file(tensors, f"{folder}/t.safetensors", metadata={"made": "here"})
        with safe_open(f"{folder}/t.safetensors", framework="pt") as file:
            opened = [
                sorted(file.keys()),
                file.metadata(),
                file.get_tensor("a"),
                file.get_slice("a")[1:, :2],
                file.get_slice("a").get_shape(),
            ]
        loaded = load_file(f"{folder}/t.safetensors")
        save_model(model, f"{folder}/m.safetensors")
        missing, unexpected = load_model(other, f"{folder}/m.safetensors")
        with open(f"{folder}/t.safetensors", "rb") as file:
            written = file.read()
    return {
        "bytes": data,
        "file": written,
        "opened": opened,
        "loaded": {name: [loaded[name].float(), str(loaded[name].dtype)] for name in sorted(loaded)},
        "from bytes": {name: tensor.float() for name, tensor in sorted(load(data).items())},
        "model": [bool((model.weight == other.weight).all()), sorted(missing), sorted(unexpected)],
        "shared memory": raised(lambda: save({"a": tensors["a"], "b": tensors["a"]})),
    }


@program("models that are saved and loaded again", "transformers")
def saved_and_loaded() -> Any:
    import tempfile
    from pathlib import Path

    import torch
    import transformers

    size = {"vocab_size": 20, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24}
    tokens = torch.tensor([[3, 4, 5]])
    models = [
        ("BertModel", transformers.BertConfig(**size)),
        ("LlamaForCausalLM", transformers.LlamaConfig(**size, tie_word_embeddings=True)),
        ("GPT2LMHeadModel", transformers.GPT2Config(vocab_size=20, n_embd=16, n_layer=1, n_head=2)),
    ]
    found: dict[str, Any] = {}
    for kind, config in models:
        model = getattr(transformers, kind)(config).eval()
        for number, weight in enumerate(model.parameters()):
            weight.data.copy_(Draw(number).normal(*weight.shape) / 10)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            expected = model(tokens)[0]
            model.save_pretrained(f"{folder}/one")
            model.save_pretrained(f"{folder}/parts", max_shard_size="4KB")
            loaded = [type(model).from_pretrained(f"{folder}/{name}").eval() for name in ("one", "parts")]
            narrow = type(model).from_pretrained(f"{folder}/one", torch_dtype=torch.bfloat16)
            found[kind] = {
                "result": expected,
                "equal": [torch.equal(other(tokens)[0], expected) for other in loaded],
                "names": [[name for name, _ in other.named_parameters()] for other in loaded],
                "dtypes": sorted({str(weight.dtype) for weight in narrow.parameters()}),
                "file": Path(folder, "one", "model.safetensors").read_bytes(),
                "parts": {file.name: file.read_bytes() for file in sorted(Path(folder, "parts").glob("*.safetensors"))},
            }
    return found
