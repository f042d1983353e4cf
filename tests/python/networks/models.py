"""Language, speech, graphs and tables, in the structures of transformers, torchaudio, ESPnet and PyTorch Geometric."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import monograph as torch
import monograph.nn.functional as F
from monograph import Tensor, nn

from .registry import network, tokens, vectors


class LlamaRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)

    def extra_repr(self):
        return f"{tuple(self.weight.shape)}, eps={self.variance_epsilon}"


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def repeat_kv(hidden_states: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class LlamaRotary(nn.Module):
    inv_freq: torch.Tensor

    def __init__(self, dim, base=10000.0):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).to(dtype=torch.float) / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        inv_freq_expanded = self.inv_freq[None, :, None].float().expand(position_ids.shape[0], -1, 1)
        position_ids_expanded = position_ids[:, None, :].float()
        with torch.autocast(device_type="cpu", enabled=False):
            freqs = (inv_freq_expanded.float() @ position_ids_expanded.float()).transpose(1, 2)
            emb = torch.cat((freqs, freqs), dim=-1)
            cos, sin = emb.cos(), emb.sin()
        return cos.to(dtype=x.dtype), sin.to(dtype=x.dtype)


@network("Llama, grouped attention and a causal mask", lambda n: (torch.randint(0, 20, (n, 6)), (torch.arange(6).flip(0).expand(n, 6) < 5).long()))
class Llama(nn.Module):
    """Written as transformers does: a 4-d mask made of the padding by writes into it, positions by cumsum, rotary positions under no_grad."""

    def __init__(self, vocab=20, hidden=8, heads=4, kv=2, layers=2):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab, hidden, padding_idx=0)
        self.rotary_emb = LlamaRotary(hidden // heads)
        self.heads, self.kv, self.head_dim = heads, kv, hidden // heads
        make = {
            "q_proj": lambda: nn.Linear(hidden, hidden, bias=False), "k_proj": lambda: nn.Linear(hidden, kv * self.head_dim, bias=False),
            "v_proj": lambda: nn.Linear(hidden, kv * self.head_dim, bias=False), "o_proj": lambda: nn.Linear(hidden, hidden, bias=False),
            "gate_proj": lambda: nn.Linear(hidden, 12, bias=False), "up_proj": lambda: nn.Linear(hidden, 12, bias=False),
            "down_proj": lambda: nn.Linear(12, hidden, bias=False), "input_layernorm": lambda: LlamaRMSNorm(hidden),
            "post_attention_layernorm": lambda: LlamaRMSNorm(hidden),
        }  # fmt: skip
        self.layers = nn.ModuleList([nn.ModuleDict({name: f() for name, f in make.items()}) for _ in range(layers)])
        self.norm = LlamaRMSNorm(hidden)
        self.lm_head = nn.Linear(hidden, vocab, bias=False)
        self.lm_head.weight = self.embed_tokens.weight

    def causal_mask(self, attention_mask, input_tensor):
        dtype, min_dtype = input_tensor.dtype, torch.finfo(input_tensor.dtype).min
        sequence_length, batch_size = input_tensor.shape[1], input_tensor.shape[0]
        causal_mask = torch.full((sequence_length, sequence_length), fill_value=min_dtype, dtype=dtype)
        causal_mask = torch.triu(causal_mask, diagonal=1)
        causal_mask = causal_mask[None, None, :, :].expand(batch_size, 1, -1, -1).clone()
        mask_length = attention_mask.shape[-1]
        padding_mask = causal_mask[:, :, :, :mask_length] + attention_mask[:, None, None, :]
        padding_mask = padding_mask == 0
        causal_mask[:, :, :, :mask_length] = causal_mask[:, :, :, :mask_length].masked_fill(padding_mask, min_dtype)
        return causal_mask

    def attend(self, layer, x, mask, cos, sin):
        shape = (*x.shape[:-1], -1, self.head_dim)
        q = layer["q_proj"](x).view(shape).transpose(1, 2)
        k = layer["k_proj"](x).view(shape).transpose(1, 2)
        v = layer["v_proj"](x).view(shape).transpose(1, 2)
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        q, k = (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)
        k, v = repeat_kv(k, self.heads // self.kv), repeat_kv(v, self.heads // self.kv)
        weights = torch.matmul(q, k.transpose(2, 3)) * self.head_dim**-0.5
        weights = weights + mask[:, :, :, : k.shape[-2]]
        weights = F.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous()
        return layer["o_proj"](out.reshape(*x.shape[:-1], -1).contiguous())

    def forward(self, input_ids, attention_mask):
        x = self.embed_tokens(input_ids)
        position_ids = attention_mask.cumsum(-1) - 1
        position_ids.masked_fill_(attention_mask == 0, 1)
        mask = self.causal_mask(attention_mask, x)
        cos, sin = self.rotary_emb(x, position_ids)
        for layer in self.layers:
            residual = x
            x = residual + self.attend(layer, layer["input_layernorm"](x), mask, cos, sin)
            y = layer["post_attention_layernorm"](x)
            x = x + layer["down_proj"](F.silu(layer["gate_proj"](y)) * layer["up_proj"](y))
        return self.lm_head(self.norm(x))[:, -3:, :]


@network("T5's relative positions, in buckets", lambda n: (torch.randn(n, 7, 8), torch.randn(n, 5, 8)))
class T5Attention(nn.Module):
    def __init__(self, d_model=8, n_heads=2, num_buckets=8, max_distance=16, bidirectional=True):
        super().__init__()
        self.n_heads, self.num_buckets, self.max_distance, self.bidirectional = n_heads, num_buckets, max_distance, bidirectional
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.relative_attention_bias = nn.Embedding(num_buckets, n_heads)

    @staticmethod
    def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
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
        bucket = self._relative_position_bucket(memory_position - context_position, self.bidirectional, self.num_buckets, self.max_distance)
        return self.relative_attention_bias(bucket).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, hidden_states, key_value_states):
        batch_size, seq_length = hidden_states.shape[:2]

        def shape(states):
            return states.view(batch_size, -1, self.n_heads, states.shape[-1] // self.n_heads).transpose(1, 2)

        q, k, v = shape(self.q(hidden_states)), shape(self.k(key_value_states)), shape(self.v(key_value_states))
        scores = torch.matmul(q, k.transpose(3, 2))
        scores += self.compute_bias(seq_length, key_value_states.shape[1])
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous().view(batch_size, -1, hidden_states.shape[-1])
        return self.o(out), weights


@network("Mamba, a scan over time with convolution", vectors(7, 6))
class MambaMixer(nn.Module):
    """The slow forward of transformers: a causal convolution whose end is cut off, a discretized state, a loop over time."""

    def __init__(self, hidden=6, state=3, conv=4, expand=2, time_rank=2):
        super().__init__()
        self.intermediate, self.state, self.time_rank = expand * hidden, state, time_rank
        self.conv1d = nn.Conv1d(self.intermediate, self.intermediate, conv, groups=self.intermediate, padding=conv - 1)
        self.in_proj = nn.Linear(hidden, self.intermediate * 2, bias=False)
        self.x_proj = nn.Linear(self.intermediate, time_rank + state * 2, bias=False)
        self.dt_proj = nn.Linear(time_rank, self.intermediate, bias=True)
        A = torch.arange(1, state + 1, dtype=torch.float32)[None, :].expand(self.intermediate, -1).contiguous()
        self.A_log, self.D = nn.Parameter(torch.log(A)), nn.Parameter(torch.ones(self.intermediate))
        self.out_proj = nn.Linear(self.intermediate, hidden, bias=False)

    def forward(self, input_states):
        batch_size, seq_len, _ = input_states.shape
        dtype = input_states.dtype
        hidden_states, gate = self.in_proj(input_states).transpose(1, 2).chunk(2, dim=1)
        ssm_state = torch.zeros((batch_size, self.intermediate, self.state), device=hidden_states.device, dtype=dtype)
        hidden_states = F.silu(self.conv1d(hidden_states)[..., :seq_len])
        time_step, B, C = torch.split(self.x_proj(hidden_states.transpose(1, 2)), [self.time_rank, self.state, self.state], dim=-1)
        discrete = F.softplus(self.dt_proj(time_step)).transpose(1, 2)
        A = -torch.exp(self.A_log.float())
        discrete_A = torch.exp(A[None, :, None, :] * discrete[:, :, :, None])
        deltaB_u = discrete[:, :, :, None] * B[:, None, :, :].float() * hidden_states[:, :, :, None].float()
        scan_outputs = []
        for i in range(seq_len):
            ssm_state = discrete_A[:, :, i, :] * ssm_state + deltaB_u[:, :, i, :]
            scan_outputs.append(torch.matmul(ssm_state.to(dtype), C[:, i, :].unsqueeze(-1))[:, :, 0])
        scan_output = torch.stack(scan_outputs, dim=-1) + (hidden_states * self.D[None, :, None])
        return self.out_proj((scan_output * F.silu(gate)).transpose(1, 2))


@network("graph network with index_add", lambda n: (torch.randn(5 * n, 4), torch.randint(0, 5 * n, (2, 8 * n)), torch.randn(8 * n, 2), torch.arange(5 * n) // 5))
class Gnn(nn.Module):
    """Degrees by scatter_add_, messages by index_add_, a softmax over the edges of each node by scatter_reduce, and a pool by graph."""

    def __init__(self, i=4, h=6, e=2, layers=2):
        super().__init__()
        self.lin = nn.ModuleList([nn.Linear(i if k == 0 else h, h) for k in range(layers)])
        self.edge = nn.ModuleList([nn.Linear(2 * h + e, 1) for _ in range(layers)])
        self.eps = nn.ParameterList([nn.Parameter(torch.zeros(1)) for _ in range(layers)])
        self.norm, self.out = nn.BatchNorm1d(h), nn.Linear(2 * h, 3)

    @staticmethod
    def softmax(src, index, num_nodes):
        src_max = src.detach().new_full((num_nodes,), -math.inf).scatter_reduce(0, index, src.detach(), reduce="amax", include_self=False)
        out = (src - src_max.index_select(0, index)).exp()
        out_sum = out.new_zeros(num_nodes).scatter_add_(0, index, out) + 1e-16
        return out / out_sum.index_select(0, index)

    def forward(self, x, edge_index, edge_attr, batch):
        row, col = edge_index[0], edge_index[1]
        num_nodes = x.size(0)
        deg = torch.zeros(num_nodes).scatter_add_(0, col, torch.ones_like(col, dtype=x.dtype))
        deg_inv_sqrt = deg.pow(-0.5).masked_fill_(deg == 0, 0.0)
        norm = deg_inv_sqrt[row] * deg_inv_sqrt[col]
        for lin, edge, eps in zip(self.lin, self.edge, self.eps):
            h = lin(x)
            alpha = F.leaky_relu(edge(torch.cat([h[row], h[col], edge_attr], dim=-1)).squeeze(-1), 0.2)
            alpha = self.softmax(alpha, col, num_nodes) * norm
            out = torch.zeros_like(h)
            out.index_add_(0, col, h[row] * alpha.unsqueeze(-1))
            x = F.elu((1 + eps) * h + out)
        x = self.norm(x)
        size = num_nodes // 5
        count = x.new_zeros(size).index_add(0, batch, x.new_ones(num_nodes)).clamp(min=1)
        mean = x.new_zeros(size, x.size(1)).index_add_(0, batch, x) / count.view(-1, 1)
        top = x.new_zeros(size, x.size(1)).scatter_reduce_(0, batch.view(-1, 1).expand_as(x), x, reduce="amax", include_self=False)
        return self.out(torch.cat([mean, top], dim=1))


class Chomp1d(nn.Module):
    def __init__(self, chomp_size):
        super().__init__()
        self.chomp_size = chomp_size

    def forward(self, x):
        return x[:, :, : -self.chomp_size].contiguous()


@network("WaveNet, conditioned, with weight norm", lambda n: (torch.randint(0, 16, (n, 20)), torch.randn(n, 3, 5)))
class WaveNet(nn.Module):
    """Samples as classes; the condition is stretched by a transposed convolution; weight norm by parametrization."""

    def __init__(self, classes=16, width=4, layers=3):
        super().__init__()
        self.classes = classes
        self.upsample = nn.ConvTranspose1d(3, 3, 4, stride=4)
        self.first = torch.nn.utils.parametrizations.weight_norm(nn.Conv1d(classes, width, 1))
        self.filters, self.gates, self.conds, self.skips, self.chomps = (nn.ModuleList() for _ in range(5))
        for i in range(layers):
            d = 2**i
            self.filters.append(torch.nn.utils.parametrizations.weight_norm(nn.Conv1d(width, width, 2, dilation=d, padding=d)))
            self.gates.append(nn.Conv1d(width, width, 2, dilation=d, padding=d))
            self.conds.append(nn.Conv1d(3, 2 * width, 1, bias=False))
            self.skips.append(nn.Conv1d(width, width, 1))
            self.chomps.append(Chomp1d(d))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, classes, 1))

    def forward(self, x, mel):
        h = self.first(F.one_hot(x, self.classes).permute(0, 2, 1).float())
        c = self.upsample(mel)[..., : h.size(-1)]
        total = None
        for conv_f, conv_g, cond, skip, chomp in zip(self.filters, self.gates, self.conds, self.skips, self.chomps):
            cf, cg = torch.chunk(cond(c), 2, dim=1)
            z = torch.tanh(chomp(conv_f(h)) + cf) * torch.sigmoid(chomp(conv_g(h)) + cg)
            s = skip(z)
            total = s if total is None else total.add(s)
            h = (h + s) * 0.5**0.5
        return F.log_softmax(self.end(total), dim=1)


@network("CRNN, reading text", lambda n: (torch.randn(n, 1, 16, 24),))
class Crnn(nn.Module):
    class BidirectionalLSTM(nn.Module):
        def __init__(self, nIn, nHidden, nOut):
            super().__init__()
            self.rnn = nn.LSTM(nIn, nHidden, bidirectional=True)
            self.embedding = nn.Linear(nHidden * 2, nOut)

        def forward(self, input):
            recurrent, _ = self.rnn(input)
            T, b, h = recurrent.size()
            t_rec = recurrent.view(T * b, h)
            output = self.embedding(t_rec)
            return output.view(T, b, -1)

    def __init__(self, nc=1, nclass=7, nh=5):
        super().__init__()
        cnn = nn.Sequential()
        for i, (a, b, k) in enumerate([(nc, 4, 3), (4, 6, 3), (6, 8, 2)]):
            cnn.add_module(f"conv{i}", nn.Conv2d(a, b, k, 1, 1 if k == 3 else 0))
            if i == 1:
                cnn.add_module(f"batchnorm{i}", nn.BatchNorm2d(b))
            cnn.add_module(f"relu{i}", nn.ReLU(True))
            if i < 2:
                cnn.add_module(f"pooling{i}", nn.MaxPool2d((2, 2), (2, 1 + (i == 0)), (0, i)))
        self.cnn = cnn
        self.rnn = nn.Sequential(self.BidirectionalLSTM(8, nh, nh), self.BidirectionalLSTM(nh, nh, nclass))

    def forward(self, input):
        conv = self.cnn(input)
        conv = conv.max(dim=2, keepdim=True)[0]
        b, c, h, w = conv.size()
        assert h == 1, "the height of conv must be 1"
        conv = conv.squeeze(2).permute(2, 0, 1)
        return self.rnn(conv).log_softmax(2)


@network("CTC speech encoder, conformer", lambda n: (torch.randn(n, 17, 8), torch.full((n,), 17) - torch.arange(n)))
class Conformer(nn.Module):
    """Subsampled by convolutions, relative positions by a shift, a mask of lengths, the loss of CTC inside."""

    def __init__(self, feats=8, d=8, heads=2, vocab=6):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.ReLU(), nn.Conv2d(4, 4, 3, 2), nn.ReLU())
        self.out = nn.Linear(4 * (((feats - 1) // 2 - 1) // 2), d)
        self.d, self.h, self.d_k = d, heads, d // heads
        self.ff1 = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d))
        self.ff2 = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d))
        self.linear_q, self.linear_k, self.linear_v, self.linear_pos = (nn.Linear(d, d) for _ in range(4))
        self.pos_bias_u, self.pos_bias_v = nn.Parameter(torch.Tensor(heads, d // heads)), nn.Parameter(torch.Tensor(heads, d // heads))
        nn.init.xavier_uniform_(self.pos_bias_u)
        nn.init.xavier_uniform_(self.pos_bias_v)
        self.norm_mha, self.norm_conv, self.norm_final = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.pointwise1, self.depthwise = nn.Conv1d(d, 2 * d, 1), nn.Conv1d(d, d, 3, padding=1, groups=d)
        self.norm, self.pointwise2 = nn.BatchNorm1d(d), nn.Conv1d(d, d, 1)
        self.ctc = nn.Linear(d, vocab)

    def positions(self, x):
        positions = torch.arange(x.size(1) - 1, -x.size(1), -1.0).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, self.d, 2, dtype=torch.float32) * -(math.log(10000.0) / self.d))
        pe = torch.zeros(2 * x.size(1) - 1, self.d)
        pe[:, 0::2] = torch.sin(positions * div_term)
        pe[:, 1::2] = torch.cos(positions * div_term)
        return pe.unsqueeze(0)

    def rel_shift(self, x):
        zero_pad = torch.zeros((*x.size()[:3], 1), device=x.device, dtype=x.dtype)
        x_padded = torch.cat([zero_pad, x], dim=-1)
        x_padded = x_padded.view(*x.size()[:2], x.size(3) + 1, x.size(2))
        return x_padded[:, :, 1:].view_as(x)[:, :, :, : x.size(-1) // 2 + 1]

    def attention(self, x, pos, mask):
        n_batch = x.size(0)
        q = self.linear_q(x).view(n_batch, -1, self.h, self.d_k)
        k = self.linear_k(x).view(n_batch, -1, self.h, self.d_k).transpose(1, 2)
        v = self.linear_v(x).view(n_batch, -1, self.h, self.d_k).transpose(1, 2)
        p = self.linear_pos(pos).view(pos.size(0), -1, self.h, self.d_k).transpose(1, 2)
        ac = torch.matmul((q + self.pos_bias_u).transpose(1, 2), k.transpose(-2, -1))
        bd = self.rel_shift(torch.matmul((q + self.pos_bias_v).transpose(1, 2), p.transpose(-2, -1)))
        scores = (ac + bd) / math.sqrt(self.d_k)
        mask = mask.unsqueeze(1).eq(0)
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        attn = torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)
        return torch.matmul(attn, v).transpose(1, 2).contiguous().view(n_batch, -1, self.h * self.d_k)

    def forward(self, x, lengths):
        x = self.conv(x.unsqueeze(1))
        b, c, t, f = x.size()
        x = self.out(x.transpose(1, 2).contiguous().view(b, t, c * f)) * self.d**0.5
        lengths = ((lengths - 1) // 2 - 1) // 2
        mask = torch.arange(0, t, dtype=torch.int64)[None, :] < lengths[:, None]
        x = x + 0.5 * self.ff1(x)
        x = x + self.attention(self.norm_mha(x), self.positions(x), mask[:, None, :])
        y = F.glu(self.pointwise1(self.norm_conv(x).transpose(1, 2)), dim=1)
        y = F.silu(self.norm(self.depthwise(y)))
        x = x + self.pointwise2(y).transpose(1, 2)
        x = self.norm_final(x + 0.5 * self.ff2(x))
        log_probs = self.ctc(x).log_softmax(2)
        targets = torch.arange(1, 3).expand(b, 2)
        loss = F.ctc_loss(log_probs.transpose(0, 1), targets, lengths, torch.full((b,), 2), reduction="none", zero_infinity=True)
        return log_probs, loss


class TNet(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(k, 6, 1), nn.Conv1d(6, 8, 1)
        self.fc, self.bn1, self.bn2, self.k = nn.Linear(8, k * k), nn.BatchNorm1d(6), nn.BatchNorm1d(8), k

    def forward(self, x):
        batchsize = x.size()[0]
        x = F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))
        x = torch.max(x, 2, keepdim=True)[0].view(-1, 8)
        iden = torch.eye(self.k).flatten().view(1, self.k * self.k).repeat(batchsize, 1)
        return (self.fc(x) + iden).view(-1, self.k, self.k)


@network("PointNet, transformed, with segmentation", vectors(6, 11))
class PointNetSegmentation(nn.Module):
    def __init__(self):
        super().__init__()
        self.stn, self.fstn = TNet(3), TNet(6)
        self.conv1, self.conv2 = nn.Conv1d(6, 6, 1), nn.Conv1d(6, 8, 1)
        self.seg = nn.Sequential(nn.Conv1d(14, 6, 1), nn.BatchNorm1d(6), nn.ReLU(), nn.Conv1d(6, 3, 1))

    def forward(self, x):
        n_pts = x.size()[2]
        trans = self.stn(x[:, :3])
        x = x.transpose(2, 1)
        x, feature = x.split(3, dim=2)
        x = torch.bmm(x, trans)
        x = torch.cat([x, feature], dim=2).transpose(2, 1)
        x = F.relu(self.conv1(x))
        trans_feat = self.fstn(x)
        x = torch.bmm(x.transpose(2, 1), trans_feat).transpose(2, 1)
        pointfeat = x
        x = torch.max(self.conv2(x), 2, keepdim=True)[0].view(-1, 8, 1).repeat(1, 1, n_pts)
        x = self.seg(torch.cat([x, pointfeat], 1)).transpose(2, 1).contiguous()
        identity = torch.eye(6)[None, :, :]
        regularizer = torch.mean(torch.linalg.norm(torch.bmm(trans_feat, trans_feat.transpose(2, 1)) - identity, dim=(1, 2)))
        return F.log_softmax(x.view(-1, 3), dim=-1).view(x.size(0), n_pts, 3), regularizer


@network("memory-efficient attention, in chunks", lambda n: (torch.randn(n, 2, 9, 4), torch.randn(n, 2, 12, 4), torch.randn(n, 2, 12, 4)))
class ChunkedAttention(nn.Module):
    """The softmax of an attention over pieces of the keys, joined by their maxima and sums; each piece recomputed in the backward pass."""

    def __init__(self, chunk=4, dim=4):
        super().__init__()
        self.chunk, self.scale = chunk, nn.Parameter(torch.full((2, 1, 1), dim**-0.5))

    def piece(self, q, k, v):
        weights = q @ k.transpose(-1, -2)
        largest = weights.amax(-1, keepdim=True).detach()
        exp = (weights - largest).exp()
        return exp @ v, exp.sum(-1, keepdim=True), largest

    def forward(self, q, k, v):
        q = q * self.scale
        parts = [torch.utils.checkpoint.checkpoint(self.piece, q, a, b, use_reentrant=False) for a, b in zip(k.split(self.chunk, -2), v.split(self.chunk, -2))]
        values, sums, maxima = map(torch.stack, zip(*parts))
        factors = (maxima - maxima.amax(0, keepdim=True)).exp()
        return (values * factors).sum(0) / (sums * factors).sum(0)


@network("mixture of experts, top k, one weight for all", vectors(5, 6))
class MixtralMoe(nn.Module):
    """Routed by topk, each expert over the rows that chose it, added back by index_add_."""

    def __init__(self, hidden=6, ffn=8, experts=4, top_k=2):
        super().__init__()
        self.gate = nn.Linear(hidden, experts, bias=False)
        self.w1, self.w2 = nn.Parameter(torch.randn(experts, hidden, 2 * ffn) * 0.3), nn.Parameter(torch.randn(experts, ffn, hidden) * 0.3)
        self.experts, self.top_k = experts, top_k

    def forward(self, hidden_states):
        batch_size, sequence_length, hidden_dim = hidden_states.shape
        hidden_states = hidden_states.view(-1, hidden_dim)
        router_logits = self.gate(hidden_states)
        routing_weights = F.softmax(router_logits, dim=1, dtype=torch.float)
        routing_weights, selected_experts = torch.topk(routing_weights, self.top_k, dim=-1)
        routing_weights /= routing_weights.sum(dim=-1, keepdim=True)
        routing_weights = routing_weights.to(hidden_states.dtype)
        final = torch.zeros((batch_size * sequence_length, hidden_dim), dtype=hidden_states.dtype, device=hidden_states.device)
        expert_mask = F.one_hot(selected_experts, num_classes=self.experts).permute(2, 1, 0)
        for expert_idx in range(self.experts):
            idx, top_x = torch.where(expert_mask[expert_idx])
            current = hidden_states[None, top_x].reshape(-1, hidden_dim)
            up, gate = (current @ self.w1[expert_idx]).chunk(2, -1)
            current = (F.silu(gate) * up) @ self.w2[expert_idx] * routing_weights[top_x, idx, None]
            final.index_add_(0, top_x, current.to(hidden_states.dtype))
        load = expert_mask.float().mean((1, 2))
        return final.reshape(batch_size, sequence_length, hidden_dim), (load * routing_weights.mean()).sum()


class Output(NamedTuple):
    logits: Tensor
    hidden: Tensor | None = None


ACT2FN: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu_new": lambda x: 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0)))),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
}


@network("GPT-2, as transformers has it", lambda n: (torch.randint(0, 20, (n, 6)),))
class Gpt2(nn.Module):
    class Conv1D(nn.Module):
        def __init__(self, nf, nx):
            super().__init__()
            self.nf = nf
            self.weight, self.bias = nn.Parameter(torch.empty(nx, nf)), nn.Parameter(torch.zeros(nf))
            nn.init.normal_(self.weight, std=0.3)

        def forward(self, x):
            size_out = x.size()[:-1] + (self.nf,)
            x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
            return x.view(size_out)

    def __init__(self, vocab=20, d=8, heads=2, ctx=10, layers=2):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.h = nn.ModuleList()
        for k in range(layers):
            block = nn.Module()
            block.ln_1, block.ln_2 = nn.LayerNorm(d, eps=1e-5), nn.LayerNorm(d)
            block.c_attn, block.c_proj, block.c_fc, block.out = self.Conv1D(3 * d, d), self.Conv1D(d, d), self.Conv1D(4 * d, d), self.Conv1D(d, 4 * d)
            block.act = list(ACT2FN)[k % 2]
            block.register_buffer("bias", torch.tril(torch.ones((ctx, ctx), dtype=torch.bool)).view(1, 1, ctx, ctx), persistent=False)
            self.h.append(block)
        self.ln_f, self.heads = nn.LayerNorm(d), heads

    def forward(self, input_ids, past: Any = None):
        input_shape = input_ids.size()
        input_ids = input_ids.view(-1, input_shape[-1])
        position_ids = torch.arange(0, input_shape[-1], dtype=torch.long, device=input_ids.device).unsqueeze(0)
        x = self.wte(input_ids) + self.wpe(position_ids)
        for block in self.h:
            q, k, v = block.c_attn(block.ln_1(x)).split(x.shape[-1], dim=2)
            q, k, v = (t.view((*t.shape[:-1], -1, t.shape[-1] // self.heads)).transpose(1, 2) for t in (q, k, v))
            w = torch.matmul(q, k.transpose(-1, -2))
            w = w / torch.full([], v.size(-1) ** 0.5, dtype=w.dtype, device=w.device)
            causal = block.bias[:, :, k.size(-2) - q.size(-2) : k.size(-2), : k.size(-2)]
            mask_value = torch.full([], torch.finfo(w.dtype).min, dtype=w.dtype, device=w.device)
            w = torch.where(causal, w.to(w.dtype), mask_value)
            a = torch.matmul(F.softmax(w, dim=-1), v).permute(0, 2, 1, 3).contiguous()
            x = x + block.c_proj(a.view(a.size()[:-2] + (-1,)))
            x = x + block.out(ACT2FN[block.act](block.c_fc(block.ln_2(x))))
        x = self.ln_f(x).view((-1,) + input_shape[1:] + (x.size(-1),))
        return Output(logits=F.linear(x, self.wte.weight), hidden=x)[:]


@network("Longformer, sliding windows by unfold", vectors(8, 8))
class SlidingWindow(nn.Module):
    def __init__(self, d=8, heads=2, w=2):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.heads, self.w = heads, w

    def pieces(self, x):
        """Of each place, the keys that are at most w places away: padded, then cut into overlapping windows."""
        padded = F.pad(x, (0, 0, self.w, self.w), value=0.0)
        return padded.unfold(1, 2 * self.w + 1, 1)

    def forward(self, x):
        b, s, d = x.shape
        q = self.query(x).view(b, s, self.heads, d // self.heads).transpose(1, 2) / math.sqrt(d // self.heads)
        k, v = (self.pieces(t(x)).view(b, s, self.heads, -1, 2 * self.w + 1).permute(0, 2, 1, 4, 3) for t in (self.key, self.value))
        scores = torch.einsum("bhsd,bhswd->bhsw", q, k)
        at = torch.arange(s).unsqueeze(1) + torch.arange(-self.w, self.w + 1)
        scores = scores.masked_fill(((at < 0) | (at >= s))[None, None], -1e4)
        out = torch.einsum("bhsw,bhswd->bhsd", scores.softmax(-1), v)
        return out.transpose(1, 2).flatten(-2)


@network("Hyena, long convolution by FFT", vectors(9, 4))
class Hyena(nn.Module):
    def __init__(self, d=4, emb=3, length=16):
        super().__init__()
        self.in_proj, self.out_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.short = nn.Conv1d(3 * d, 3 * d, 3, padding=2, groups=3 * d)
        t = torch.linspace(0, 1, length)[None, :, None]
        w = 2 * math.pi * torch.linspace(0, length - 1, length)[None, :, None] / length
        f = torch.linspace(1e-4, (emb - 1) // 2 - 1, (emb - 1) // 2)[None, None]
        z = torch.exp(-1j * f * w)
        self.register_buffer("z", torch.cat([t, z.real, z.imag], dim=-1))
        self.filter = nn.Sequential(nn.Linear(emb, 6), nn.SiLU(), nn.Linear(6, d, bias=False))
        self.bias = nn.Parameter(torch.randn(d))

    def forward(self, u):
        length = u.size(-2)
        u = self.short(self.in_proj(u).transpose(1, 2))[..., :length]
        x1, x2, v = u.split(u.size(1) // 3, dim=1)
        k = self.filter(self.z[:, :length]).transpose(1, 2)
        v = v * x1
        fft_size = 2 * length
        k_f = torch.fft.rfft(k, n=fft_size) / fft_size
        u_f = torch.fft.rfft(v, n=fft_size)
        y = torch.fft.irfft(u_f * k_f, n=fft_size, norm="forward")[..., :length]
        return self.out_proj(((y + v * self.bias.unsqueeze(-1)) * x2).transpose(1, 2))


@network("speech enhancement, masks over a spectrogram", vectors(64))
class Enhancer(nn.Module):
    def __init__(self, n_fft=16, hop=4):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.gru, self.linear = nn.GRU(n_fft // 2 + 1, 6, batch_first=True), nn.Linear(6, n_fft // 2 + 1)

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, center=True, return_complex=True)
        magnitude = torch.log1p(spec.abs())
        h, _ = self.gru(magnitude.transpose(1, 2))
        mask = torch.sigmoid(self.linear(h)).transpose(1, 2)
        return torch.istft(spec * mask, self.n_fft, self.hop, window=self.window, length=wave.size(-1)), mask


@network("masked language model with losses", lambda n: (torch.randint(3, 20, (n, 6)), torch.randint(0, 2, (n, 6)).bool() | (torch.arange(6) < 2)))
class MaskedLm(nn.Module):
    """Labels of -100 are written where nothing is masked; the loss reads those alone."""

    def __init__(self, vocab=20, d=8):
        super().__init__()
        self.embeddings = nn.Embedding(vocab, d)
        layer = nn.TransformerEncoderLayer(d_model=d, nhead=2, dim_feedforward=12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.decoder = nn.Linear(d, vocab)
        self.decoder.weight = self.embeddings.weight

    def forward(self, input_ids, masked):
        labels = input_ids.clone()
        labels[~masked] = -100
        input_ids = torch.where(masked, torch.full_like(input_ids, 2), input_ids)
        x = self.encoder(self.embeddings(input_ids), src_key_padding_mask=input_ids.eq(1))
        logits = self.decoder(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1), ignore_index=-100)
        accuracy = ((logits.argmax(-1) == labels) & masked).sum().float() / masked.sum().clamp(min=1)
        return loss, accuracy, logits


@network("recommender with bags of words", lambda n: (torch.randint(0, 12, (n, 4)), torch.randint(0, 9, (n,)), torch.rand(n, 3)))
class WideAndDeep(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(12, 4, mode="mean")
        self.emb = nn.ModuleDict({"item": nn.Embedding(9, 4, max_norm=None), "wide": nn.Embedding(9, 1)})
        self.bn = nn.LazyBatchNorm1d() if False else nn.BatchNorm1d(11)
        self.mlp = nn.Sequential(nn.Linear(11, 8), nn.Dropout(p=0.0), nn.SELU(), nn.Linear(8, 1))
        self.temperature = nn.Parameter(torch.tensor(0.5), requires_grad=False)

    def forward(self, words, item, dense):
        dense = (dense - dense.mean(0, keepdim=True)) / (dense.std(0, unbiased=False, keepdim=True) + 1e-5)
        x = torch.hstack([self.bag(words), self.emb["item"](item), torch.log1p(dense.abs()) * dense.sign()])
        return torch.sigmoid((self.mlp(self.bn(x)) + self.emb["wide"](item)).squeeze(1) / self.temperature)


@network("N-BEATS, blocks of backcast and forecast", vectors(10))
class NBeats(nn.Module):
    def __init__(self, backcast=10, forecast=4):
        super().__init__()
        t = torch.arange(backcast + forecast) / forecast
        self.register_buffer("trend", torch.stack([t**p for p in range(3)]))
        self.stacks = nn.ModuleList(nn.Sequential(nn.Linear(backcast, 8), nn.ReLU(), nn.Linear(8, 6)) for _ in range(2))
        self.backcast = backcast

    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-3)
        residual, total = x.flip(dims=(1,)) / scale, x[:, -1:] / scale
        for stack in self.stacks:
            theta = stack(residual).unflatten(-1, (2, 3))
            b = torch.einsum("nk,kt->nt", theta[:, 0], self.trend[:, : self.backcast])
            f = theta[:, 1].matmul(self.trend[:, self.backcast :])
            residual, total = residual.sub(b), total.add(f)
        return total.mul(scale)


@network("beam of a decoder with an LSTM cell", tokens(4, 9))
class Beam(nn.Module):
    """Two steps of beam search: topk over beams and words, parents by division, states by gather."""

    def __init__(self, vocab=9, d=5, k=3):
        super().__init__()
        self.emb, self.cell, self.out, self.k, self.vocab = nn.Embedding(vocab, d), nn.LSTMCell(d, d), nn.Linear(d, vocab), k, vocab

    def forward(self, prompt):
        b = prompt.size(0)
        h = c = torch.zeros(b, self.emb.embedding_dim)
        for t in range(prompt.size(1)):
            h, c = self.cell(self.emb(prompt[:, t]), (h, c))
        score = torch.zeros(b, 1)
        h, c = h.unsqueeze(1), c.unsqueeze(1)
        words = []
        for _ in range(2):
            logp = score.unsqueeze(-1) + F.log_softmax(self.out(h), -1)
            score, flat = logp.view(b, -1).topk(self.k, dim=-1)
            parent, word = flat // self.vocab, flat.remainder(self.vocab)
            index = parent.unsqueeze(-1).expand(-1, -1, h.size(-1))
            h, c = h.gather(1, index), c.gather(1, index)
            h, c = self.cell(self.emb(word).flatten(0, 1), (h.flatten(0, 1), c.flatten(0, 1)))
            h, c = h.view(b, self.k, -1), c.view(b, self.k, -1)
            words = [w.gather(1, parent) for w in words] + [word]
        return score, torch.stack(words, -1)
