"""Networks over time: audio, recurrence written by hand, state spaces, attention between sequences."""

from __future__ import annotations

import math
from typing import Any

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F

from .registry import network, tokens, vectors


@network("Whisper encoder", vectors(6, 8))
class Whisper(nn.Module):
    def __init__(self, n_mels=6, n_ctx=4, n_state=8, n_head=2):
        super().__init__()
        self.n_head = n_head
        self.conv1 = nn.Conv1d(n_mels, n_state, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(n_state, n_state, kernel_size=3, stride=2, padding=1)
        self.register_buffer("positional_embedding", self.sinusoids(n_ctx, n_state))
        self.query, self.key, self.value = nn.Linear(n_state, n_state), nn.Linear(n_state, n_state, bias=False), nn.Linear(n_state, n_state)
        self.ln_post = nn.LayerNorm(n_state)

    @staticmethod
    def sinusoids(length, channels, max_timescale=10000):
        log_timescale_increment = math.log(max_timescale) / (channels // 2 - 1)
        inv_timescales = torch.exp(-log_timescale_increment * torch.arange(channels // 2))
        scaled_time = torch.arange(length)[:, None] * inv_timescales[None, :]
        return torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)

    def qkv_attention(self, q, k, v):
        n_batch, n_ctx, n_state = q.shape
        scale = (n_state // self.n_head) ** -0.25
        q = q.view(*(n_batch, n_ctx, self.n_head, -1)).permute(0, 2, 1, 3) * scale
        k = k.view(n_batch, n_ctx, self.n_head, -1).permute(0, 2, 3, 1) * scale
        v = v.view(n_batch, n_ctx, self.n_head, -1).permute(0, 2, 1, 3)
        w = F.softmax((q @ k).float(), dim=-1)
        return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)

    def forward(self, x):
        x = F.gelu(self.conv1(x))
        x = F.gelu(self.conv2(x))
        x = x.permute(0, 2, 1)
        x = x + self.positional_embedding
        x = x + self.qkv_attention(self.query(x), self.key(x), self.value(x))
        return self.ln_post(x)


@network("wav2vec 2.0 features", vectors(40))
class Wav2Vec(nn.Module):
    def __init__(self):
        super().__init__()
        conv_layers, in_d = [(4, 10, 5), (6, 3, 2)], 1
        self.conv_layers = nn.ModuleList()
        for dim, k, stride in conv_layers:
            self.conv_layers.append(nn.ModuleList([nn.Conv1d(in_d, dim, k, stride=stride, bias=False), nn.LayerNorm(dim)]))
            in_d = dim
        self.pos_conv, self.post = nn.Conv1d(6, 6, 4, padding=2, groups=2), nn.Linear(6, 5)
        self.codebook = nn.Parameter(torch.randn(5, 4))

    def forward(self, x):
        x = (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-7)
        x = x.unsqueeze(1)
        for conv, norm in self.conv_layers:
            x = conv(x)
            x = norm(x.transpose(-2, -1)).transpose(-2, -1)
            x = F.gelu(x)
        x = x + F.gelu(self.pos_conv(x)[:, :, :-1])
        logits = self.post(x.transpose(1, 2))
        probs = logits.softmax(-1)
        hard = F.one_hot(logits.argmax(-1), num_classes=5).float()
        quantized = (hard + probs - probs.detach()) @ self.codebook
        entropy = -(probs.mean((0, 1)) * (probs.mean((0, 1)) + 1e-7).log()).sum().exp()
        return quantized, entropy


@network("temporal convolutions", vectors(3, 12))
class TCN(nn.Module):
    class Chomp1d(nn.Module):
        def __init__(self, chomp_size):
            super().__init__()
            self.chomp_size = chomp_size

        def forward(self, x):
            return x[:, :, : -self.chomp_size].contiguous()

    class TemporalBlock(nn.Module):
        def __init__(self, n_inputs, n_outputs, kernel_size, dilation):
            super().__init__()
            padding = (kernel_size - 1) * dilation
            self.net = nn.Sequential(
                nn.Conv1d(n_inputs, n_outputs, kernel_size, stride=1, padding=padding, dilation=dilation), TCN.Chomp1d(padding), nn.ReLU(), nn.Dropout(0.2)
            )
            self.downsample = nn.Conv1d(n_inputs, n_outputs, 1) if n_inputs != n_outputs else None
            self.relu = nn.ReLU()

        def forward(self, x):
            out = self.net(x)
            res = x if self.downsample is None else self.downsample(x)
            return self.relu(out + res)

    def __init__(self, num_channels=(4, 4), kernel_size=2):
        super().__init__()
        channels = [3] + list(num_channels)
        self.network = nn.Sequential(*[self.TemporalBlock(a, b, kernel_size, 2**i) for i, (a, b) in enumerate(zip(channels, channels[1:]))])  # noqa: B905
        self.linear = nn.Linear(num_channels[-1], 2)

    def forward(self, inputs):
        y1 = self.network(inputs)
        return F.log_softmax(self.linear(y1[:, :, -1]), dim=1)


@network("WaveNet", vectors(2, 12))
class WaveNet(nn.Module):
    def __init__(self, residual=4, skip=3, dilations=(1, 2)):
        super().__init__()
        self.start_conv, self.dilations = nn.Conv1d(2, residual, 1), dilations
        self.filter_convs = nn.ModuleList(nn.Conv1d(residual, residual, 2, dilation=d) for d in dilations)
        self.gate_convs = nn.ModuleList(nn.Conv1d(residual, residual, 2, dilation=d) for d in dilations)
        self.residual_convs = nn.ModuleList(nn.Conv1d(residual, residual, 1) for _ in dilations)
        self.skip_convs = nn.ModuleList(nn.Conv1d(residual, skip, 1) for _ in dilations)

    def forward(self, input):
        x, skip = self.start_conv(input), 0
        for i, d in enumerate(self.dilations):
            residual = x
            x = torch.tanh(self.filter_convs[i](x)) * torch.sigmoid(self.gate_convs[i](x))
            s = self.skip_convs[i](x)
            try:
                skip = skip[:, :, -s.size(2) :]
            except TypeError:
                skip = 0
            skip = s + skip
            x = self.residual_convs[i](x) + residual[:, :, d:]
        return F.relu(skip)


@network("GRU cell over time", vectors(5, 3))
class CellOverTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x):
        h = torch.zeros(x.size(0), 4)
        for t in range(5):
            h = self.cell(x[:, t], h)
        return h


@network("GRU, two directions", vectors(4, 3))
class BidirectionalGRU(nn.Module):
    """Weights as PyTorch's nn.GRU keeps them; time backwards by flip."""

    def __init__(self, i=3, h=4):
        super().__init__()
        for suffix in ("", "_reverse"):
            for name, shape in (("weight_ih", (3 * h, i)), ("weight_hh", (3 * h, h)), ("bias_ih", (3 * h,)), ("bias_hh", (3 * h,))):
                setattr(self, f"{name}_l0{suffix}", nn.Parameter(torch.empty(*shape)))
        self.reset_parameters(h)

    def reset_parameters(self, h):
        stdv = 1.0 / math.sqrt(h) if h > 0 else 0
        for weight in self.parameters():
            nn.init.uniform_(weight, -stdv, stdv)

    def run(self, x, suffix):
        h, outputs = torch.zeros(x.shape[0], 4), []
        weights = [getattr(self, f"{n}_l0{suffix}") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        for t in range(4):
            gi, gh = F.linear(x[:, t, :], weights[0], weights[2]), F.linear(h, weights[1], weights[3])
            i_r, i_i, i_n = gi.chunk(3, 1)
            h_r, h_i, h_n = gh.chunk(3, 1)
            resetgate, inputgate = torch.sigmoid(i_r + h_r), torch.sigmoid(i_i + h_i)
            newgate = torch.tanh(i_n + resetgate * h_n)
            h = newgate + inputgate * (h - newgate)
            outputs.append(h)
        return torch.stack(outputs, 1), h

    def forward(self, x):
        forward, h1 = self.run(x, "")
        backward, h2 = self.run(torch.flip(x, dims=[1]), "_reverse")
        return torch.cat((forward, backward.flip(1)), -1), torch.stack((h1, h2))


@network("attention seq2seq", lambda n: (torch.randint(0, 20, (n, 5)), torch.randint(0, 20, (n, 3))))
class Seq2Seq(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.embedding, self.encoder, self.decoder = nn.Embedding(20, d), nn.LSTMCell(d, d), nn.LSTMCell(2 * d, d)
        self.attn, self.v, self.out = nn.Linear(2 * d, d), nn.Parameter(torch.rand(d)), nn.Linear(2 * d, 20)

    def forward(self, src, trg, teacher_forcing=True):
        batch_size = src.shape[0]
        h, c = torch.zeros(batch_size, 6), torch.zeros(batch_size, 6)
        encoder_outputs = []
        for word in self.embedding(src).split(1, dim=1) if self.training else [self.embedding(src[:, t]).unsqueeze(1) for t in range(5)]:
            h, c = self.encoder(word.squeeze(1), (h, c))
            encoder_outputs += [h]
        encoder_outputs = torch.stack(encoder_outputs, dim=1)
        outputs = torch.zeros(3, batch_size, 20)
        input = trg[:, 0]
        for t in range(3):
            energy = torch.tanh(self.attn(torch.cat((h.unsqueeze(1).expand(-1, 5, -1), encoder_outputs), 2)))
            a = F.softmax(torch.sum(self.v * energy, dim=2), dim=1)
            context = torch.bmm(a.unsqueeze(1), encoder_outputs).squeeze(1)
            h, c = self.decoder(torch.cat([self.embedding(input), context], 1), (h, c))
            output = self.out(torch.cat([h, context], dim=-1))
            outputs[t] = output
            input = trg[:, t] if teacher_forcing else output.argmax(1)
        return outputs.transpose(0, 1)


@network("pointer network", vectors(4, 2))
class PointerNetwork(nn.Module):
    def __init__(self, d=5, steps=4):
        super().__init__()
        self.embedding, self.w1, self.w2, self.vt, self.cell = nn.Linear(2, d), nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, 1, bias=False), nn.LSTMCell(d, d)
        self.steps = steps

    def forward(self, x):
        e = self.embedding(x)
        state = (e.mean(1), torch.zeros(e.size(0), 5))
        inputs, mask, tour, log_probs = e.sum(1), torch.zeros(x.size(0), 4, dtype=torch.bool), [], 0.0
        for _ in range(self.steps):
            state = self.cell(inputs, state)
            u = self.vt(torch.tanh(self.w1(e) + self.w2(state[0]).unsqueeze(1))).squeeze(-1)
            u = u.masked_fill(mask, float("-inf"))
            p = u.log_softmax(-1)
            score, pick = p.max(dim=-1)
            log_probs = log_probs + score
            mask = mask | (torch.arange(4)[None] == pick[:, None])
            inputs = torch.gather(e, 1, pick[:, None, None].expand(-1, 1, 5)).squeeze(1)
            tour.append(pick)
        return torch.stack(tour, -1), log_probs


@network("Mamba", vectors(5, 4))
class Mamba(nn.Module):
    def __init__(self, d_model=4, d_state=3, d_conv=2, expand=2):
        super().__init__()
        self.d_inner, self.d_state, self.dt_rank = int(expand * d_model), d_state, math.ceil(d_model / 16)
        self.in_proj = nn.Linear(d_model, self.d_inner * 2, bias=False)
        self.conv1d = nn.Conv1d(self.d_inner, self.d_inner, bias=True, kernel_size=d_conv, groups=self.d_inner, padding=d_conv - 1)
        self.x_proj, self.dt_proj = nn.Linear(self.d_inner, self.dt_rank + d_state * 2, bias=False), nn.Linear(self.dt_rank, self.d_inner, bias=True)
        A = torch.arange(1, d_state + 1, dtype=torch.float32).expand(self.d_inner, -1)
        self.A_log, self.D = nn.Parameter(torch.log(A)), nn.Parameter(torch.ones(self.d_inner))
        self.out_proj = nn.Linear(self.d_inner, d_model, bias=False)

    def forward(self, x):
        x_and_res = self.in_proj(x)
        x, res = x_and_res.split(split_size=[self.d_inner, self.d_inner], dim=-1)
        x = self.conv1d(x.transpose(1, 2))[:, :, :5].transpose(1, 2)
        x = F.silu(x)
        y = self.ssm(x) * F.silu(res)
        return self.out_proj(y)

    def ssm(self, x):
        n = self.A_log.shape[1]
        A, D = -torch.exp(self.A_log.float()), self.D.float()
        delta, B, C = self.x_proj(x).split(split_size=[self.dt_rank, n, n], dim=-1)
        delta = F.softplus(self.dt_proj(delta))
        return self.selective_scan(x, delta, A, B, C, D)

    def selective_scan(self, u, delta, A, B, C, D):
        b = u.shape[0]
        deltaA = torch.exp(delta.unsqueeze(-1) * A)
        deltaB_u = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
        x, ys = torch.zeros((b, self.d_inner, self.d_state), device=deltaA.device), []
        for i in range(5):
            x = deltaA[:, i] * x + deltaB_u[:, i]
            ys.append((x * C[:, i, None, :]).sum(-1))
        y = torch.stack(ys, dim=1)
        return y + u * D


@network("RWKV", vectors(4, 6))
class RWKV(nn.Module):
    def __init__(self, d=6, t=4):
        super().__init__()
        self.t, self.time_decay, self.time_first = t, nn.Parameter(torch.linspace(-5, 3, d)), nn.Parameter(torch.ones(d) * math.log(0.3))
        self.time_mix = nn.ParameterDict({k: nn.Parameter(torch.rand(1, 1, d)) for k in "kvr"})
        self.key, self.value, self.receptance, self.output = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x):
        shifted = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], dim=1)
        xk, xv, xr = (x * self.time_mix[m] + shifted * (1 - self.time_mix[m]) for m in "kvr")
        k, v, r = self.key(xk), self.value(xv), torch.sigmoid(self.receptance(xr))
        w, u, out = -torch.exp(self.time_decay), self.time_first, torch.zeros_like(x)
        aa, bb, pp = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0]), torch.full_like(x[:, 0], -1e38)
        for i in range(self.t):
            kk, vv = k[:, i], v[:, i]
            ww = u + kk
            p = torch.maximum(pp, ww)
            e1, e2 = torch.exp(pp - p), torch.exp(ww - p)
            out[:, i] = (e1 * aa + e2 * vv) / (e1 * bb + e2)
            ww = pp + w
            p = torch.maximum(ww, kk)
            e1, e2 = torch.exp(ww - p), torch.exp(kk - p)
            aa, bb, pp = e1 * aa + e2 * vv, e1 * bb + e2, p
        return self.output(r * out)


@network("linear attention", vectors(5, 8))
class LinearAttention(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.to_qkv = nn.Linear(d, 3 * d, False)

    def forward(self, x):
        q, k, v = torch.tensor_split(self.to_qkv(x), 3, dim=-1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        context = k.transpose(1, 2) @ v
        return q @ context / (q @ k.sum(1).unsqueeze(-1))


@network("state space, diagonal", vectors(6, 4))
class S4D(nn.Module):
    """A convolution with a kernel that is computed from the parameters."""

    def __init__(self, d=4, n=3, length=6):
        super().__init__()
        self.log_dt, self.C = nn.Parameter(torch.rand(d) - 3), nn.Parameter(torch.randn(d, n))
        self.log_A_real, self.length = nn.Parameter(torch.log(0.5 * torch.ones(d, n))), length
        self.D = nn.Parameter(torch.randn(d))

    def kernel(self, L: int) -> Any:
        dt, A = self.log_dt.exp(), -self.log_A_real.exp()
        dtA = A * dt.unsqueeze(-1)
        K = dtA.unsqueeze(-1) * torch.arange(L)
        return (self.C.unsqueeze(-1) * (torch.exp(dtA) - 1.0).unsqueeze(-1) / A[..., None] * K.exp()).sum(1)

    def forward(self, u):
        u = u.transpose(-1, -2)
        k = self.kernel(self.length)
        y = F.conv1d(u, k.flip(-1).unsqueeze(1), padding=self.length - 1, groups=u.size(1))[..., : self.length]
        y = y + u * self.D.unsqueeze(-1)
        return F.gelu(y).transpose(1, 2)


@network("neural ODE", vectors(3))
class NeuralODE(nn.Module):
    def __init__(self, steps=4):
        super().__init__()
        self.func, self.steps = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), steps
        self.times = torch.linspace(0, 1, steps + 1)[:-1].tolist()

    def f(self, t, y):
        return self.func(torch.cat([y, torch.ones_like(y[:, :1]) * t], 1))

    def forward(self, y):
        h, trajectory = 1 / self.steps, [y]
        for t in self.times:
            k1 = self.f(t, y)
            k2 = self.f(t + h / 2, y + h * k1 / 2)
            k3 = self.f(t + h / 2, y + h * k2 / 2)
            k4 = self.f(t + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            trajectory.append(y)
        return torch.stack(trajectory)


@network("Tacotron postnet and prenet", vectors(7, 5))
class Tacotron(nn.Module):
    def __init__(self):
        super().__init__()
        self.prenet = nn.ModuleList([nn.Linear(a, b, bias=False) for a, b in ((5, 6), (6, 5))])
        self.convolutions = nn.ModuleList()
        for i, (a, b) in enumerate([(5, 4), (4, 5)]):
            self.convolutions.append(nn.Sequential(nn.Conv1d(a, b, kernel_size=5, padding=2), nn.BatchNorm1d(b), nn.Tanh() if i == 0 else nn.Identity()))

    def forward(self, x):
        for linear in self.prenet:
            x = F.dropout(F.relu(linear(x)), p=0.5, training=self.training)
        y = x.transpose(1, 2)
        for conv in self.convolutions:
            y = F.dropout(conv(y), 0.5, self.training)
        return x, x + y.transpose(2, 1)


@network("language model of characters, generating", tokens(1))
class Generating(nn.Module):
    """Greedy words from a cache that grows."""

    def __init__(self, d=6):
        super().__init__()
        self.embed, self.qkv, self.head = nn.Embedding(20, d), nn.Linear(d, 3 * d), nn.Linear(d, 20)

    def forward(self, ids):
        past = None
        for _ in range(3):
            q, k, v = self.qkv(self.embed(ids[:, -1:])).chunk(3, dim=2)
            if past is not None:
                k, v = torch.cat((past[0], k), dim=1), torch.cat((past[1], v), dim=1)
            past = (k, v)
            y = F.softmax(q @ k.transpose(1, 2) / 6**0.5, -1) @ v
            logits = self.head(y)[:, -1, :]
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
        return ids, past
