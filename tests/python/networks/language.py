"""Networks over words, in the structures of transformers."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

import monograph as torch
import monograph.nn as nn
from monograph import Tensor
from monograph.nn import functional as F

from .registry import network, tokens, vectors


def sentences(n: int) -> tuple[Any, ...]:
    """Words, the mask of those that are no padding, and the segment of each."""
    words = torch.randint(1, 20, (n, 6))
    mask = (torch.arange(6)[None, :] < torch.arange(6, 6 - n, -1)[:, None]).long()
    return words, mask, (torch.arange(6).expand(n, -1) >= 3).long()


@network("RoBERTa", sentences)
class Roberta(nn.Module):
    """Positions counted from the padding, a pooler, two heads."""

    def __init__(self, hidden_size=8, vocab_size=20, padding_idx=0):
        super().__init__()
        self.padding_idx = padding_idx
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=padding_idx)
        self.position_embeddings = nn.Embedding(16, hidden_size, padding_idx=padding_idx)
        self.token_type_embeddings = nn.Embedding(2, hidden_size)
        self.LayerNorm, self.dropout = nn.LayerNorm(hidden_size, eps=1e-05), nn.Dropout(0.1)
        self.query, self.key, self.value = (
            nn.Linear(hidden_size, hidden_size),
            nn.Linear(hidden_size, hidden_size),
            nn.Linear(hidden_size, hidden_size),
        )
        self.dense, self.classifier = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, 2)
        self.apply(self._init_weights)

    @torch.no_grad()
    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.2)
            if isinstance(module, nn.Embedding) and module.padding_idx is not None:
                module.weight.data[module.padding_idx].zero_()
        elif isinstance(module, nn.LayerNorm):
            module.bias.data.zero_()
            module.weight.data.fill_(1.0)

    def create_position_ids_from_input_ids(self, input_ids, past_key_values_length=0):
        mask = input_ids.ne(self.padding_idx).int()
        incremental_indices = (torch.cumsum(mask, dim=1).type_as(mask) + past_key_values_length) * mask
        return incremental_indices.long() + self.padding_idx

    def get_extended_attention_mask(self, attention_mask):
        extended = attention_mask[:, None, None, :]
        return (1.0 - extended.to(dtype=torch.float32)) * -10000.0

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        embeddings = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        embeddings += self.position_embeddings(self.create_position_ids_from_input_ids(input_ids))
        x = self.dropout(self.LayerNorm(embeddings))
        b, n, d = x.size()
        q, k, v = (f(x).view(b, n, 2, d // 2).transpose(1, 2) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) / math.sqrt(4)
        scores += self.get_extended_attention_mask(attention_mask)
        x = (scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(b, -1, d)
        pooled = torch.tanh(self.dense(x[:, 0]))
        return {"logits": self.classifier(pooled), "last_hidden_state": x}


@network("DistilBERT", lambda n: sentences(n)[:2])
class DistilBert(nn.Module):
    def __init__(self, dim=8, n_heads=2, n_layers=2):
        super().__init__()
        self.n_heads, self.dim = n_heads, dim
        self.embeddings = nn.ModuleDict(
            {"word": nn.Embedding(20, dim), "position": nn.Embedding(10, dim), "norm": nn.LayerNorm(dim, eps=1e-12)}
        )
        self.register_buffer("position_ids", torch.arange(10).expand((1, -1)), persistent=False)
        self.layer = nn.ModuleList(
            [nn.ModuleDict({k: nn.Linear(dim, dim) for k in ("q_lin", "k_lin", "v_lin", "out_lin")}) for _ in range(n_layers)]
        )

    def attention(self, layer, x, mask):
        bs, q_length, dim = x.size()
        dim_per_head = self.dim // self.n_heads

        def shape(x: torch.Tensor) -> torch.Tensor:
            return x.view(bs, -1, self.n_heads, dim_per_head).transpose(1, 2)

        def unshape(x: torch.Tensor) -> torch.Tensor:
            return x.transpose(1, 2).contiguous().view(bs, -1, self.n_heads * dim_per_head)

        q, k, v = shape(layer["q_lin"](x)), shape(layer["k_lin"](x)), shape(layer["v_lin"](x))
        q = q / math.sqrt(dim_per_head)
        scores = torch.matmul(q, k.transpose(2, 3))
        mask = (mask == 0).view((bs, 1, 1, q_length)).expand_as(scores)
        scores = scores.masked_fill(mask, torch.tensor(torch.finfo(torch.float32).min))
        return layer["out_lin"](unshape(torch.matmul(nn.functional.softmax(scores, dim=-1), v)))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, ...]:
        seq_length = input_ids.size(1)
        e = self.embeddings
        x = e["norm"](e["word"](input_ids) + e["position"](self.position_ids[:, :seq_length]))
        all_hidden_states = (x,)
        for layer in self.layer:
            x = x + self.attention(layer, x, attention_mask)
            all_hidden_states = all_hidden_states + (x,)
        return all_hidden_states


@network("ALBERT, one layer shared", tokens(5))
class Albert(nn.Module):
    def __init__(self, embedding_size=4, hidden_size=8, repeats=3):
        super().__init__()
        self.embed, self.embedding_hidden_mapping_in = nn.Embedding(20, embedding_size), nn.Linear(embedding_size, hidden_size)
        block = nn.ModuleDict(
            OrderedDict(qkv=nn.Linear(hidden_size, 3 * hidden_size), ffn=nn.Linear(hidden_size, 16), ffn_output=nn.Linear(16, hidden_size))
        )
        self.albert_layers = nn.ModuleList([block] * repeats)
        self.norm = nn.LayerNorm([hidden_size])

    @staticmethod
    def gelu_new(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))

    def forward(self, input_ids):
        x = self.embedding_hidden_mapping_in(self.embed(input_ids))
        for layer in self.albert_layers:
            q, k, v = layer["qkv"](x).chunk(3, -1)
            x = self.norm(x + torch.softmax(q.bmm(k.transpose(1, 2)) * q.size(-1) ** -0.5, -1).bmm(v))
            x = self.norm(x + layer["ffn_output"](self.gelu_new(layer["ffn"](x))))
        return x


@network("ELECTRA", tokens(6))
class Electra(nn.Module):
    """A generator and a discriminator with the generator's embeddings."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.Embedding(20, 8)
        self.generator = nn.Sequential(nn.Linear(8, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 20))
        self.discriminator = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1))

    def forward(self, ids):
        masked = torch.where(ids % 3 == 0, torch.full_like(ids, 1), ids)
        logits = self.generator(self.embeddings(masked))
        sampled = logits.detach().argmax(-1)
        corrupted = torch.where(ids % 3 == 0, sampled, ids)
        is_replaced = (corrupted != ids).to(torch.float)
        disc = self.discriminator(self.embeddings(corrupted)).squeeze(-1)
        loss = F.binary_cross_entropy_with_logits(disc, is_replaced) * 50.0 + F.cross_entropy(logits.view(-1, 20), ids.view(-1))
        return loss, disc


@network("DeBERTa, disentangled attention", vectors(5, 8))
class Deberta(nn.Module):
    def __init__(self, d=8, max_relative=4):
        super().__init__()
        self.span, self.in_proj, self.rel_embeddings = max_relative, nn.Linear(d, 3 * d, bias=False), nn.Embedding(2 * max_relative, d)
        self.pos_proj, self.pos_q_proj = nn.Linear(d, d, bias=False), nn.Linear(d, d)
        self.q_bias, self.v_bias = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))

    @staticmethod
    def build_relative_position(query_size, key_size):
        q_ids, k_ids = torch.arange(query_size, dtype=torch.long), torch.arange(key_size, dtype=torch.long)
        rel_pos_ids = q_ids[:, None] - k_ids.view(1, -1)
        return rel_pos_ids[:query_size, :].unsqueeze(0)

    def forward(self, hidden_states):
        n = hidden_states.size(-2)
        q, k, v = self.in_proj(hidden_states).split(8, dim=-1)
        q, v = q + self.q_bias[None, None, :], v + self.v_bias
        scale = (q.shape[-1] * 3) ** 0.5
        scores = torch.bmm(q, k.transpose(-1, -2)) / scale
        relative_pos = self.build_relative_position(n, n)
        rel = self.rel_embeddings.weight[0 : self.span * 2, :]
        c2p = torch.matmul(q, self.pos_proj(rel).transpose(-1, -2))
        index = torch.clamp(relative_pos + self.span, 0, self.span * 2 - 1)
        scores = scores + torch.gather(c2p, dim=-1, index=index.expand(q.size(0), n, n)) / scale
        p2c = torch.matmul(k, self.pos_q_proj(rel).transpose(-1, -2) / scale)
        index = torch.clamp(-relative_pos + self.span, 0, self.span * 2 - 1).expand([k.size(0), n, n])
        scores += torch.gather(p2c, -1, index).transpose(-1, -2)
        return torch.softmax(scores, -1) @ v


@network("XLNet, two streams", lambda n: (torch.randn(n, 5, 8), torch.randint(0, 2, (n, 5, 5)).float()))
class XLNet(nn.Module):
    def __init__(self, d=8, heads=2):
        super().__init__()
        self.h, self.size = heads, d // heads
        for name in "qkvro":
            self.register_parameter(name, nn.Parameter(torch.randn(d, d) * 0.3))
        self.r_w_bias, self.r_r_bias = nn.Parameter(torch.zeros(heads, 1, d // heads)), nn.Parameter(torch.zeros(heads, 1, d // heads))
        self.mask_emb = nn.Parameter(torch.randn(1, 1, d))

    def project(self, x, name):
        y = x.matmul(getattr(self, name))
        return y.view(y.shape[0], y.shape[1], self.h, -1).permute(0, 2, 1, 3)

    @staticmethod
    def rel_shift(x, klen):
        s = x.shape
        x = x.reshape(s[0], s[1], s[3], s[2])
        x = x[:, :, 1:, :].reshape(s[0], s[1], s[2], s[3] - 1)
        return x.index_select(3, torch.arange(klen, dtype=torch.long))

    def attend(self, q, k, v, r, mask):
        ac = torch.matmul(q + self.r_w_bias, k.transpose(-1, -2))
        bd = self.rel_shift(torch.matmul(q + self.r_r_bias, r.transpose(-1, -2)), ac.shape[3])
        score = (ac + bd) * (1 / (self.size**0.5))
        score = score - 1e30 * mask[:, None]
        out = torch.matmul(F.softmax(score, dim=3), v).permute(0, 2, 1, 3)
        return out.reshape(out.size(0), out.size(1), -1) @ self.o

    def forward(self, h, perm_mask):
        n = h.size(1)
        pos_seq = torch.arange(n, -n, -1.0)
        inv_freq = 1 / torch.pow(10000, torch.arange(0, 8, 2.0) / 8)
        sinusoid = pos_seq[:, None] * inv_freq[None]
        pos = torch.cat([torch.sin(sinusoid), torch.cos(sinusoid)], dim=-1)[None, :, :]
        r = self.project(pos, "r")
        non_target = perm_mask * (1 - torch.eye(n))
        k, v = self.project(h, "k"), self.project(h, "v")
        content = h + self.attend(self.project(h, "q"), k, v, r, non_target)
        g = self.mask_emb.expand(h.size(0), n, -1)
        query = g + self.attend(self.project(g, "q"), k, v, r, perm_mask * 0.5)
        return content, query


@network("T5", lambda n: (torch.randint(1, 20, (n, 6)), torch.randint(1, 20, (n, 4))))
class T5(nn.Module):
    class LayerNorm(nn.Module):
        def __init__(self, hidden_size, eps=1e-6):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(hidden_size))
            self.variance_epsilon = eps

        def forward(self, hidden_states):
            variance = hidden_states.to(torch.float32).pow(2).mean(-1, keepdim=True)
            hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
            return self.weight * hidden_states

    class Attention(nn.Module):
        def __init__(self, d, heads, has_relative_attention_bias=False, is_decoder=False):
            super().__init__()
            self.n_heads, self.d, self.is_decoder = heads, d, is_decoder
            self.q, self.k, self.v, self.o = [nn.Linear(d, d, bias=False) for _ in range(4)]
            if has_relative_attention_bias:
                self.relative_attention_bias = nn.Embedding(8, heads)

        @staticmethod
        def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=8, max_distance=16):
            relative_buckets = 0
            if bidirectional:
                num_buckets //= 2
                relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
                relative_position = torch.abs(relative_position)
            else:
                relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
            max_exact = num_buckets // 2
            is_small = relative_position < max_exact
            relative_position_if_large = max_exact + (
                torch.log(relative_position.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
            ).to(torch.long)
            relative_position_if_large = torch.min(relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1))
            relative_buckets += torch.where(is_small, relative_position, relative_position_if_large)
            return relative_buckets

        def compute_bias(self, query_length, key_length):
            context_position = torch.arange(query_length, dtype=torch.long)[:, None]
            memory_position = torch.arange(key_length, dtype=torch.long)[None, :]
            bucket = self._relative_position_bucket(memory_position - context_position, bidirectional=(not self.is_decoder))
            return self.relative_attention_bias(bucket).permute([2, 0, 1]).unsqueeze(0)

        def forward(self, x, key_value_states=None, position_bias=None):
            b, n = x.shape[:2]
            states = x if key_value_states is None else key_value_states
            q = self.q(x).view(b, n, self.n_heads, -1).transpose(1, 2)
            k = self.k(states).view(b, -1, self.n_heads, self.d // self.n_heads).transpose(1, 2)
            v = self.v(states).view(b, -1, self.n_heads, self.d // self.n_heads).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(3, 2))
            if position_bias is None and hasattr(self, "relative_attention_bias"):
                position_bias = self.compute_bias(n, n)
                if self.is_decoder:
                    causal = torch.arange(n)[None, :] > torch.arange(n)[:, None]
                    position_bias = position_bias + causal[None, None] * torch.finfo(torch.float32).min
            if position_bias is not None:
                scores += position_bias
            attn = F.softmax(scores.float(), dim=-1)
            return self.o(torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.d)), position_bias

    def __init__(self, d=8, heads=2):
        super().__init__()
        self.shared = nn.Embedding(20, d)
        A, N = self.Attention, self.LayerNorm
        self.encoder = nn.ModuleList(
            [nn.ModuleList([N(d), A(d, heads, i == 0), N(d), nn.Linear(d, 16), nn.Linear(16, d)]) for i in range(2)]
        )
        self.decoder = nn.ModuleList([nn.ModuleList([N(d), A(d, heads, True, True), N(d), A(d, heads, is_decoder=True)]) for _ in range(1)])
        self.final = N(d)

    def forward(self, input_ids, decoder_input_ids):
        x, bias = self.shared(input_ids), None
        for n1, attention, n2, wi, wo in self.encoder:
            y, bias = attention(n1(x), position_bias=bias)
            x = x + y
            x = x + wo(wi(n2(x)).relu())
        encoded, x = x, self.shared(decoder_input_ids)
        for n1, attention, n2, cross in self.decoder:
            x = x + attention(n1(x))[0]
            x = x + cross(n2(x), key_value_states=encoded)[0]
        return nn.functional.linear(self.final(x) * 8**-0.5, self.shared.weight)


class RotaryEmbedding(nn.Module):
    inv_freq: torch.Tensor

    def __init__(self, dim, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        inv_freq_expanded = self.inv_freq[None, :, None].float().expand(position_ids.shape[0], -1, 1)
        position_ids_expanded = position_ids[:, None, :].float()
        freqs = (inv_freq_expanded.float() @ position_ids_expanded.float()).transpose(1, 2)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def repeat_kv(hidden_states: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


@network("Mistral", tokens(7))
class Mistral(nn.Module):
    """Queries in groups, a sliding window, RMS norm, a gated MLP."""

    def __init__(self, hidden=16, heads=4, kv_heads=2, window=3, layers=2):
        super().__init__()
        self.config = {"head_dim": hidden // heads, "groups": heads // kv_heads, "window": window}
        self.embed_tokens = nn.Embedding(20, hidden)
        self.layers = nn.ModuleList()
        for _ in range(layers):
            layer = nn.Module()
            layer.self_attn = nn.ModuleDict(
                {n: nn.Linear(hidden, hidden // (1 if n in "qo" else heads // kv_heads), bias=False) for n in ["q", "k", "v", "o"]}
            )
            layer.mlp = nn.ModuleDict(
                {
                    "gate_proj": nn.Linear(hidden, 24, bias=False),
                    "up_proj": nn.Linear(hidden, 24, bias=False),
                    "down_proj": nn.Linear(24, hidden, bias=False),
                }
            )
            layer.norms = nn.ParameterList([torch.ones(hidden) for _ in range(2)])
            self.layers.append(layer)
        self.rotary_emb = RotaryEmbedding(hidden // heads)
        self.lm_head = nn.Linear(hidden, 20, bias=False)

    def norm(self, weight, x, eps=1e-6):
        return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps))

    def forward(self, input_ids, position_ids=None, **kwargs):
        h = self.embed_tokens(input_ids)
        n = input_ids.shape[1]
        if position_ids is None:
            position_ids = torch.arange(n).unsqueeze(0)
        cos, sin = self.rotary_emb(h, position_ids)
        distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
        allowed = (distance >= 0) & (distance < self.config["window"])
        causal_mask = torch.zeros(n, n).masked_fill_(allowed.logical_not(), torch.finfo(torch.float32).min)[None, None]
        for layer in self.layers:
            residual, a = h, layer.self_attn
            x = self.norm(layer.norms[0], h)
            input_shape = x.shape[:-1]
            shape = (input_shape[0], input_shape[1], -1, self.config["head_dim"])
            q, k, v = a["q"](x).view(shape).transpose(1, 2), a["k"](x).view(shape).transpose(1, 2), a["v"](x).view(shape).transpose(1, 2)
            q, k = apply_rotary_pos_emb(q, k, cos, sin)
            k, v = repeat_kv(k, self.config["groups"]), repeat_kv(v, n_rep=self.config["groups"])
            weights = torch.matmul(q, k.transpose(2, 3)) * self.config["head_dim"] ** -0.5
            weights = weights + causal_mask[:, :, :, : k.shape[-2]]
            weights = nn.functional.dropout(nn.functional.softmax(weights, dim=-1, dtype=torch.float32), p=0.0, training=self.training)
            h = residual + a["o"](torch.matmul(weights, v).transpose(1, 2).reshape(input_shape[0], input_shape[1], -1).contiguous())
            x = self.norm(layer.norms[1], h)
            h = h + layer.mlp["down_proj"](F.silu(layer.mlp["gate_proj"](x)) * layer.mlp["up_proj"](x))
        return self.lm_head(h[:, slice(-1, None), :])


@network("GPT-NeoX, part of each head rotated", vectors(6, 16))
class GPTNeoX(nn.Module):
    def __init__(self, hidden=16, heads=2, rotary_pct=0.5):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.rotary_ndims = int(self.size * rotary_pct)
        self.rotary = RotaryEmbedding(self.rotary_ndims)
        self.query_key_value, self.dense = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.n1, self.n2, self.up, self.down = nn.LayerNorm(hidden), nn.LayerNorm(hidden), nn.Linear(hidden, 24), nn.Linear(24, hidden)
        self.register_buffer("bias", (torch.arange(8)[:, None] >= torch.arange(8)).view(1, 1, 8, 8), persistent=False)
        self.register_buffer("masked_bias", torch.tensor(-1e9), persistent=False)

    def forward(self, x, use_parallel_residual: bool = True):
        b, n, _ = x.shape
        qkv = self.query_key_value(self.n1(x)).view(b, n, self.heads, 3 * self.size).transpose(1, 2)
        query, key, value = qkv[..., : self.size], qkv[..., self.size : 2 * self.size], qkv[..., 2 * self.size :]
        query_rot, query_pass = query[..., : self.rotary_ndims], query[..., self.rotary_ndims :]
        key_rot, key_pass = key[..., : self.rotary_ndims], key[..., self.rotary_ndims :]
        cos, sin = self.rotary(value, torch.arange(n)[None])
        query_rot, key_rot = apply_rotary_pos_emb(query_rot, key_rot, cos, sin)
        query, key = torch.cat((query_rot, query_pass), dim=-1), torch.cat((key_rot, key_pass), -1)
        scores = torch.matmul(query, key.transpose(-2, -1)) * (1.0 / self.size**0.5)
        scores = torch.where(self.bias[:, :, :n, :n], scores, self.masked_bias)
        attn = (scores.softmax(dim=-1) @ value).permute(0, 2, 1, 3).reshape(b, n, -1)
        if use_parallel_residual:
            return x + self.dense(attn) + self.down(F.gelu(self.up(self.n2(x))))
        x = x + self.dense(attn)
        return x + self.down(F.gelu(self.up(self.n2(x))))


@network("GPT-J, interleaved rotary", vectors(4, 8))
class GPTJ(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d, d, bias=False) for _ in range(3))
        inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2, dtype=torch.int64) / d))
        sinusoid = torch.arange(16, dtype=torch.float)[:, None] * inv_freq
        self.register_buffer("embed_positions", torch.cat((torch.sin(sinusoid), torch.cos(sinusoid)), dim=1), persistent=False)

    @staticmethod
    def rotate_every_two(x):
        x1, x2 = x[:, :, ::2], x[:, :, 1::2]
        return torch.stack((-x2, x1), dim=-1).flatten(-2)

    def rotate(self, x, sin, cos):
        sin = torch.stack([sin, sin], -1).flatten(-2)
        cos = torch.stack([cos, cos], -1).flatten(-2)
        return (x * cos) + (self.rotate_every_two(x) * sin)

    def forward(self, x):
        n = x.shape[-2]
        sin, cos = torch.split(self.embed_positions[:n][None], 4, dim=-1)
        q, k = self.rotate(self.q(x), sin, cos), self.rotate(self.k(x), sin, cos)
        return F.scaled_dot_product_attention(q, k, self.v(x), attn_mask=None, dropout_p=0.0, is_causal=True)


@network("BART", lambda n: (torch.randint(3, 20, (n, 6)), torch.randint(3, 20, (n, 5))))
class BART(nn.Module):
    """Encoder and decoder with embeddings and head of one weight, decoder words shifted right."""

    def __init__(self, d=8, vocab=20, pad=1, start=2):
        super().__init__()
        self.pad, self.start, self.embed_scale = pad, start, math.sqrt(d)
        self.shared = nn.Embedding(vocab, d, padding_idx=pad)
        self.encoder_positions, self.decoder_positions = nn.Embedding(12, d), nn.Embedding(12, d)
        self.attentions = nn.ModuleDict(
            {
                k: nn.ModuleDict({p: nn.Linear(d, d) for p in ("k_proj", "v_proj", "q_proj", "out_proj")})
                for k in ("encoder", "decoder", "cross")
            }
        )
        self.norms = nn.ModuleDict({k: nn.LayerNorm(d) for k in self.attentions.keys()})
        self.lm_head = nn.Linear(d, vocab, bias=False)
        self.lm_head.weight = self.shared.weight
        self.register_buffer("final_logits_bias", torch.zeros((1, vocab)))

    def shift_tokens_right(self, labels):
        shifted = labels.new_zeros(labels.shape)
        shifted[:, 1:] = labels[:, :-1].clone()
        shifted[:, 0] = self.start
        shifted.masked_fill_(shifted == -100, self.pad)
        return shifted

    def attend(self, kind, x, memory=None, mask=None):
        a = self.attentions[kind]
        memory = x if memory is None else memory
        (b, t, d), s = x.size(), memory.size(1)
        proj = lambda y, n: y.view(b, n, 2, 4).transpose(1, 2).contiguous().view(b * 2, -1, 4)  # noqa: E731
        q, k, v = proj(a.q_proj(x) * 4**-0.5, t), proj(a["k_proj"](memory), s), proj(a["v_proj"](memory), s)
        w = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            w = w.view(b, 2, t, s) + mask
            w = w.view(b * 2, t, s)
        out = torch.bmm(F.softmax(w, dim=-1), v).view(b, 2, t, 4).transpose(1, 2).reshape(b, t, d)
        return self.norms[kind](x + a["out_proj"](out))

    def forward(self, input_ids, labels):
        positions = torch.arange(0, input_ids.shape[-1]) + 2
        x = self.attend("encoder", self.shared(input_ids) * self.embed_scale + self.encoder_positions(positions))
        ids = self.shift_tokens_right(labels)
        n = ids.shape[1]
        causal = torch.full((n, n), float("-inf"))
        cond = torch.arange(n)
        causal = causal.masked_fill(cond < (cond + 1).view(n, 1), 0)
        y = self.shared(ids) * self.embed_scale + self.decoder_positions(cond + 2)
        y = self.attend("cross", self.attend("decoder", y, mask=causal[None, None, :, :]), memory=x)
        logits = self.lm_head(y) + self.final_logits_bias
        return F.cross_entropy(logits.view(-1, 20), labels.view(-1), ignore_index=self.pad), logits


@network("FNet", vectors(6, 8))
class FNet(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real)


@network("FNet, by matrices", vectors(6, 8))
class FNetByMatrices(nn.Module):
    def __init__(self, n=6, d=8):
        super().__init__()
        for name, size in (("n", n), ("d", d)):
            angle = -2 * math.pi * torch.arange(size)[:, None] * torch.arange(size)[None, :] / size
            self.register_buffer(f"cos_{name}", angle.cos())
            self.register_buffer(f"sin_{name}", angle.sin())
        self.norm, self.ff = nn.LayerNorm(d), nn.Linear(d, d)

    def forward(self, x):
        mixed = self.cos_n @ x @ self.cos_d - self.sin_n @ x @ self.sin_d
        return F.selu(self.ff(self.norm(x + mixed)), inplace=True)


@network("Transformer-XL, with memory", lambda n: (torch.randn(n, 3, 8), torch.randn(n, 4, 8)))
class TransformerXL(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.qkv, self.r, self.u, self.v = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))

    def forward(self, x, memory):
        qlen, klen = x.size(1), x.size(1) + memory.size(1)
        h = torch.cat([memory.detach(), x], 1)
        q, k, v = torch.chunk(self.qkv(h), 3, dim=-1)
        q = q[:, -qlen:]
        pos = torch.arange(klen - 1, -1, -1.0)
        sin = torch.sin(pos.unsqueeze(1) / 10 ** torch.arange(0, 8, dtype=torch.float))
        r = self.r(sin)
        score = (q + self.u) @ k.mT + (q + self.v) @ r.t()
        mask = torch.arange(klen)[None, :] > torch.arange(qlen)[:, None] + (klen - qlen)
        score = score.float().masked_fill(mask.unsqueeze(0), float("-inf")) / 8**0.5
        new_memory = h[:, klen - 4 :].detach()
        return score.softmax(2) @ v, new_memory


@network("ALiBi", tokens(6))
class ALiBi(nn.Module):
    def __init__(self, d=8, heads=4):
        super().__init__()
        self.heads, self.wte, self.Wqkv, self.fused = heads, nn.Embedding(20, d), nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d)
        slopes = torch.tensor([2 ** (-8 * (i + 1) / heads) for i in range(heads)])
        self.register_buffer("slopes", slopes.view(heads, 1, 1))

    def forward(self, ids):
        x = self.wte(ids)
        b, s, d = x.shape
        qkv = self.Wqkv(x).reshape(b, s, 3, self.heads, -1)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        q, k, v = q.permute(0, 2, 1, 3), k.permute(0, 2, 3, 1), v.permute(0, 2, 1, 3)
        distance = torch.arange(1 - s, 1, dtype=torch.int32).view(1, 1, s)
        bias = self.slopes * distance
        causal = torch.ones(s, s, dtype=torch.bool)
        rows = torch.arange(s)
        causal = causal & (rows.unsqueeze(1) >= rows.unsqueeze(0))
        w = torch.matmul(q, k).div(math.sqrt(2)).add_(bias).masked_fill(~causal, -1e38)
        return self.fused(w.softmax(-1).matmul(v).permute(0, 2, 1, 3).flatten(2))


@network("Perceiver", vectors(7, 6))
class Perceiver(nn.Module):
    def __init__(self, latents=3, d=4):
        super().__init__()
        self.latents, self.to_q, self.to_kv = nn.Parameter(torch.randn(latents, d)), nn.Linear(d, d), nn.Linear(6, 2 * d)
        self.net = nn.ModuleList([nn.ModuleList([nn.LayerNorm(d), nn.Linear(d, 2 * d)]) for _ in range(2)])

    def forward(self, data, mask=None, queries=None, return_embeddings=False):
        b, *_ = data.shape[0], data.shape[1]
        x = self.latents[None].expand(b, -1, -1)
        k, v = self.to_kv(data).chunk(2, dim=-1)
        sim = self.to_q(x).matmul(k.transpose(-1, -2)) * 0.5
        x = x + sim.softmax(dim=-1).matmul(v)
        for norm, ff in self.net:
            a, gate = ff(norm(x)).chunk(2, dim=-1)
            x = x + a * F.gelu(gate)
        return x if return_embeddings else x.mean(dim=-2)
