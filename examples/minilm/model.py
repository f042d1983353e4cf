"""all-MiniLM-L6-v2 in plain PyTorch spelling: a BERT encoder of 6 layers and 384 features, mean-pooled and normalized.

The only line that differs from a program written for PyTorch is the import.
"""

import math

import monograph as torch
import monograph.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.head_size = heads, hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head_size).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_size)
        mixed = torch.matmul(torch.softmax(scores, -1), v)
        return mixed.transpose(1, 2).reshape(x.size(0), x.size(1), x.size(2))


class Layer(nn.Module):
    def __init__(self, hidden, heads, intermediate, eps):
        super().__init__()
        self.attention = SelfAttention(hidden, heads)
        self.attention_output = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps=eps)
        self.intermediate = nn.Linear(hidden, intermediate)
        self.output = nn.Linear(intermediate, hidden)
        self.output_norm = nn.LayerNorm(hidden, eps=eps)

    def forward(self, x):
        x = self.attention_norm(self.attention_output(self.attention(x)) + x)
        h = torch.nn.functional.gelu(self.intermediate(x))
        return self.output_norm(self.output(h) + x)


class MiniLM(nn.Module):
    """Token numbers [batch, length] (int64, all of them real tokens) to sentence embeddings [batch, 384] of length 1."""

    def __init__(self, vocabulary=30522, hidden=384, layers=6, heads=12, intermediate=1536, positions=512, eps=1e-12):
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.positions = nn.Embedding(positions, hidden)
        self.types = nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden, eps=eps)
        self.layers = nn.ModuleList([Layer(hidden, heads, intermediate, eps) for _ in range(layers)])

    def forward(self, tokens):
        where = torch.arange(tokens.size(1))
        x = self.words(tokens) + self.positions(where) + self.types(torch.zeros_like(tokens))
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        x = x.mean(1)
        return x / torch.sqrt((x * x).sum(-1, keepdim=True))


# Names in the published checkpoint -> names here.
_RENAMED = [
    ("embeddings.word_embeddings", "words"),
    ("embeddings.position_embeddings", "positions"),
    ("embeddings.token_type_embeddings", "types"),
    ("embeddings.LayerNorm", "norm"),
    ("encoder.layer.", "layers."),
    ("attention.self.", "attention."),
    ("attention.output.dense", "attention_output"),
    ("attention.output.LayerNorm", "attention_norm"),
    ("intermediate.dense", "intermediate"),
    ("output.dense", "output"),
    ("output.LayerNorm", "output_norm"),
]


def load(path):
    """The model with the weights of a published `model.safetensors`."""
    from monograph.safetensors import load_file

    state = {}
    for name, tensor in load_file(path).items():
        if name.startswith("pooler.") or name.endswith("position_ids"):
            continue  # the sentence embedding does not use them
        for old, new in _RENAMED:
            name = name.replace(old, new)
        state[name] = tensor
    model = MiniLM()
    model.load_state_dict(state)
    return model.eval()
