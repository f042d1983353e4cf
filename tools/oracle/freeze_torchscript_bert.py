"""Writes tests/data/torchscript_zoo with the real PyTorch and transformers: BERT of a small random configuration, traced with each of its two forms of attention, with
two inputs and what PyTorch gives for them.

    .venv-oracle/bin/python tools/oracle/freeze_torchscript_bert.py        in an environment that has transformers too (4.57)

torch.jit.script refuses BertModel: its configuration takes any number of arguments.
"""

import pathlib

import pinned  # noqa: F401
import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "torchscript_zoo"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    runs = {}
    for attention in ("eager", "sdpa"):
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=24, return_dict=False,
            attn_implementation=attention, torchscript=True,
        )  # fmt: skip
        model = transformers.BertModel(config).eval()
        tokens, mask = torch.randint(0, 40, (2, 7)), torch.tensor([[1] * 7, [1, 1, 1, 1, 0, 0, 0]])
        traced = torch.jit.trace(model, (tokens, mask))
        traced.save(str(FOLDER / f"bert_{attention}.pt"))
        other = torch.randint(0, 40, (3, 5)), torch.tensor([[1, 1, 1, 0, 0], [1] * 5, [1] * 5])
        with torch.no_grad():
            runs[f"bert_{attention}"] = [(inputs, model(*inputs)) for inputs in ((tokens, mask), other)]
    torch.save({"runs": runs}, FOLDER / "expected.pt")


if __name__ == "__main__":
    main()
