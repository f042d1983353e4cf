"""Networks over tables, graphs, points and coordinates, and those that make the weights of others."""

from __future__ import annotations

import math
from collections import namedtuple

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F

from .registry import network, vectors


def clicks(n):
    return torch.randn(n, 4), torch.randint(0, 6, (n, 3))


@network("DLRM", clicks)
class DLRM(nn.Module):
    def __init__(self, d=4, fields=3):
        super().__init__()
        self.emb_l = nn.ModuleList([nn.Embedding(6, d) for _ in range(fields)])
        self.bot_l = self.create_mlp([4, 6, d], sigmoid_layer=-1)
        self.top_l = self.create_mlp([d + (fields + 1) * fields // 2, 5, 1], sigmoid_layer=1)

    def create_mlp(self, ln, sigmoid_layer):
        layers = nn.ModuleList()
        for i in range(len(ln) - 1):
            n, m = ln[i], ln[i + 1]
            LL = nn.Linear(int(n), int(m), bias=True)
            LL.weight.data.normal_(0.0, math.sqrt(2 / (m + n)))
            layers.append(LL)
            layers.append(nn.Sigmoid() if i == sigmoid_layer else nn.ReLU())
        return torch.nn.Sequential(*layers)

    def forward(self, dense_x, sparse_x):
        x = self.bot_l(dense_x)
        ly = [emb(sparse_x[:, k]) for k, emb in enumerate(self.emb_l)]
        (batch_size, d) = x.shape
        T = torch.cat([x] + ly, dim=1).view((batch_size, -1, d))
        Z = torch.bmm(T, torch.transpose(T, 1, 2))
        li = torch.tensor([i for i in range(4) for j in range(i)])
        lj = torch.tensor([j for i in range(4) for j in range(i)])
        Zflat = Z[:, li, lj]
        return self.top_l(torch.cat([x] + [Zflat], dim=1))


@network("DeepFM", clicks)
class DeepFM(nn.Module):
    def __init__(self, field_dims=(6, 6, 6), k=4):
        super().__init__()
        self.embedding, self.fc, self.bias = nn.Embedding(sum(field_dims), k), nn.Embedding(sum(field_dims), 1), nn.Parameter(torch.zeros((1,)))
        self.register_buffer("offsets", torch.tensor([0, 6, 12]), persistent=False)
        nn.init.xavier_uniform_(self.embedding.weight.data)
        self.mlp, a = nn.Sequential(), len(field_dims) * k
        for i, b in enumerate([6, 4]):
            self.mlp.add_module(f"linear{i}", nn.Linear(a, b))
            self.mlp.add_module(f"bn{i}", nn.BatchNorm1d(b))
            self.mlp.add_module(f"relu{i}", nn.ReLU())
            a = b
        self.mlp.add_module("out", nn.Linear(a, 1))

    def forward(self, dense, x):
        x = x + self.offsets.unsqueeze(0)
        embed_x = self.embedding(x)
        square_of_sum = torch.sum(embed_x, dim=1) ** 2
        sum_of_square = torch.sum(embed_x**2, dim=1)
        fm = 0.5 * torch.sum(square_of_sum - sum_of_square, dim=1, keepdim=True)
        linear = torch.sum(self.fc(x), dim=1) + self.bias
        y = linear + fm + self.mlp(embed_x.view(-1, 12)) + 0 * dense.mean(1, True)
        return torch.sigmoid(y.squeeze(1))


@network("neural collaborative filtering", lambda n: (torch.randint(0, 5, (n,)), torch.randint(0, 7, (n,))))
class NCF(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.tables = nn.ModuleDict({f"{side}_{kind}": nn.Embedding(num, d) for side, num in (("user", 5), ("item", 7)) for kind in ("gmf", "mlp")})
        self.mlp = nn.Sequential(nn.Linear(2 * d, 4), nn.ReLU(), nn.Linear(4, 2), nn.ReLU())
        self.output, self.mean = nn.Linear(d + 2, 1), nn.Parameter(torch.tensor(3.5), requires_grad=False)

    def forward(self, user, item):
        lookup = {name: table(user if name.startswith("user") else item) for name, table in self.tables.items()}
        gmf = lookup["user_gmf"] * lookup["item_gmf"]
        mlp = self.mlp(torch.cat([lookup["user_mlp"], lookup["item_mlp"]], dim=-1))
        return self.output(torch.cat([gmf, mlp], dim=-1)).squeeze() + self.mean


@network("deep and cross", vectors(5))
class DeepCross(nn.Module):
    def __init__(self, d=5, layers=3):
        super().__init__()
        self.w = nn.ParameterList(nn.Parameter(torch.randn(d, 1) * 0.2) for _ in range(layers))
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(d)) for _ in range(layers)])

    def forward(self, x0):
        x = x0
        for w, b in zip(self.w, self.b):  # noqa: B905
            xw = torch.matmul(x, w)
            x = x0 * xw + b + x
        return x


@network("graph attention", lambda n: (torch.randn(n, 5, 4), torch.rand(n, 5, 5) > 0.4))
class GAT(nn.Module):
    def __init__(self, in_features=4, out_features=3, heads=2, alpha=0.2):
        super().__init__()
        self.W = nn.Parameter(torch.empty(size=(heads, in_features, out_features)))
        self.a = nn.Parameter(torch.empty(size=(heads, 2 * out_features, 1)))
        for p in (self.W, self.a):
            nn.init.xavier_uniform_(p.data, gain=1.414)
        self.leakyrelu, self.out_features = nn.LeakyReLU(alpha), out_features

    def forward(self, h, adj):
        eye = torch.eye(h.shape[1], dtype=torch.bool)
        adj = adj | eye
        Wh = torch.matmul(h.unsqueeze(1), self.W)
        Wh1 = torch.matmul(Wh, self.a[:, : self.out_features, :])
        Wh2 = torch.matmul(Wh, self.a[:, self.out_features :, :])
        e = self.leakyrelu(Wh1 + Wh2.transpose(2, 3))
        zero_vec = -9e15 * torch.ones_like(e)
        attention = torch.where(adj.unsqueeze(1) > 0, e, zero_vec)
        attention = F.softmax(attention, dim=3)
        attention = F.dropout(attention, 0.6, training=self.training)
        h_prime = torch.matmul(attention, Wh)
        return F.elu(torch.cat(h_prime.unbind(1) if self.training else [h_prime[:, 0], h_prime[:, 1]], dim=2))


@network("message passing over edges", lambda n: (torch.randn(4 * n, 3), torch.randint(0, 4 * n, (2, 6 * n))))
class MessagePassing(nn.Module):
    def __init__(self, d=3):
        super().__init__()
        self.message, self.update = nn.Sequential(nn.Linear(2 * d, 4), nn.ReLU(), nn.Linear(4, d)), nn.Linear(2 * d, d)
        self.eps = nn.Parameter(torch.Tensor([0.1]))

    def forward(self, x, edge_index):
        row, col = edge_index[0], edge_index[1]
        m = self.message(torch.cat([x[row], x[col]], dim=-1))
        out = torch.zeros_like(x).index_add(0, col, m)
        degree = torch.zeros(x.size(0)).index_add(0, col, torch.ones(col.shape[0])).clamp(min=1).unsqueeze(-1)
        x = (1 + self.eps) * x + out / degree
        return self.update(torch.cat([x, out], dim=1)).mean(0, keepdim=True), x


@network("PointNet++ ball query", lambda n: (torch.randn(n, 8, 3),))
class BallQuery(nn.Module):
    """Distances, nearest neighbours, and their features, max over each group."""

    def __init__(self, k=3, centres=4):
        super().__init__()
        self.k, self.centres, self.mlp = k, centres, nn.ModuleList([nn.Conv2d(6, 8, 1), nn.Conv2d(8, 5, 1)])
        self.bns = nn.ModuleList([nn.BatchNorm2d(8), nn.BatchNorm2d(5)])

    @staticmethod
    def square_distance(src, dst):
        B, N, _ = src.shape
        _, M, _ = dst.shape
        dist = -2 * torch.matmul(src, dst.permute(0, 2, 1))
        dist += torch.sum(src**2, -1).view(B, N, 1)
        dist += torch.sum(dst**2, -1).view(B, 1, M)
        return dist

    @staticmethod
    def index_points(points, idx):
        B = points.shape[0]
        batch_indices = torch.arange(B, dtype=torch.long).view(-1, 1, 1).expand(idx.shape[0], idx.shape[1], idx.shape[2])
        return points[batch_indices, idx, :]

    def forward(self, xyz):
        new_xyz = xyz[:, :: 8 // self.centres]
        _, idx = self.square_distance(new_xyz, xyz).topk(self.k, dim=-1, largest=False, sorted=True)
        grouped = self.index_points(xyz, idx)
        grouped_norm = grouped - new_xyz[:, :, None]
        features = torch.cat((grouped, grouped_norm), dim=-1).permute(0, 3, 2, 1)
        for conv, bn in zip(self.mlp, self.bns):  # noqa: B905
            features = F.relu(bn(conv(features)))
        return new_xyz, torch.max(features, 2)[0].permute(0, 2, 1)


@network("dynamic graph of nearest neighbours", vectors(3, 6))
class EdgeConv(nn.Module):
    def __init__(self, k=2):
        super().__init__()
        self.k, self.conv = k, nn.Sequential(nn.Conv2d(6, 4, kernel_size=1, bias=False), nn.BatchNorm2d(4), nn.LeakyReLU(negative_slope=0.2))

    def forward(self, x):
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        xx = torch.sum(x**2, dim=1, keepdim=True)
        idx = (-xx - inner - xx.transpose(2, 1)).topk(k=self.k, dim=-1)[1]
        batch_size, num_dims, num_points = x.size()
        idx_base = torch.arange(0, batch_size).view(-1, 1, 1) * num_points
        idx = (idx + idx_base).view(-1)
        x = x.transpose(2, 1).contiguous()
        feature = x.view(batch_size * num_points, -1)[idx, :].view(batch_size, num_points, self.k, num_dims)
        x = x.view(batch_size, num_points, 1, num_dims).expand(-1, -1, self.k, -1)
        feature = torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()
        return self.conv(feature).max(dim=-1, keepdim=False)[0]


@network("SIREN", vectors(2))
class Siren(nn.Module):
    class SineLayer(nn.Module):
        def __init__(self, in_features, out_features, is_first=False, omega_0=30.0):
            super().__init__()
            self.omega_0, self.is_first, self.in_features = omega_0, is_first, in_features
            self.linear = nn.Linear(in_features, out_features)
            with torch.no_grad():
                bound = 1 / self.in_features if is_first else (6 / self.in_features) ** 0.5 / omega_0
                self.linear.weight.uniform_(-bound, bound)

        def forward(self, input):
            return torch.sin(self.omega_0 * self.linear(input))

        def forward_with_intermediate(self, input):
            intermediate = self.omega_0 * self.linear(input)
            return torch.sin(intermediate), intermediate

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(self.SineLayer(2, 6, is_first=True), self.SineLayer(6, 6, omega_0=3.0), nn.Linear(6, 1))

    def forward(self, coords):
        coords = coords.clone().detach()
        x, activations = coords, {}
        for i, layer in enumerate(self.net):
            if isinstance(layer, self.SineLayer):
                x, intermediate = layer.forward_with_intermediate(x)
                activations["_".join(("SineLayer", str(i)))] = intermediate
            else:
                x = layer(x)
        return x, activations


@network("hypernetwork", lambda n: (torch.randn(n, 3), torch.randn(2)))
class HyperNetwork(nn.Module):
    SHAPES = {"w1": (5, 3), "b1": (5,), "w2": (2, 5), "b2": (2,)}

    def __init__(self):
        super().__init__()
        self.generators = nn.ModuleDict({name: nn.Linear(2, math.prod(shape)) for name, shape in self.SHAPES.items()})

    def forward(self, x, task):
        p = {name: g(task).view(*self.SHAPES[name]) for name, g in self.generators.items()}
        return F.linear(torch.tanh(F.linear(x, p["w1"], p["b1"])), weight=p["w2"], bias=p["b2"])


@network("FiLM", lambda n: (torch.randn(n, 3, 5, 5), torch.randn(n, 4)))
class FiLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.film = nn.Conv2d(3, 6, 3, padding=1), nn.Linear(4, 12)

    def forward(self, x, condition):
        gammas, betas = self.film(condition).chunk(2, dim=-1)
        gammas, betas = [p.unsqueeze(2).unsqueeze(3) for p in (gammas, betas)]
        out = self.conv(x)
        out *= 1 + gammas
        out += betas
        return F.relu(out)


@network("capsules, routed", vectors(6, 4))
class Capsules(nn.Module):
    def __init__(self, n_in=6, d_in=4, n_out=3, d_out=5, iterations=3):
        super().__init__()
        self.W, self.iterations = nn.Parameter(0.1 * torch.randn(1, n_out, n_in, d_out, d_in)), iterations

    @staticmethod
    def squash(x, dim=-1):
        squared_norm = (x**2).sum(dim=dim, keepdim=True)
        scale = squared_norm / (1 + squared_norm)
        return scale * x / (squared_norm.sqrt() + 1e-8)

    def forward(self, x):
        u_hat = torch.matmul(self.W, x[:, None, :, :, None]).squeeze(-1)
        temp_u_hat = u_hat.detach()
        b = torch.zeros(x.size(0), 3, 6, 1)
        for _ in range(self.iterations - 1):
            c = b.softmax(dim=1)
            s = (c * temp_u_hat).sum(dim=2)
            v = self.squash(s)
            uv = torch.matmul(temp_u_hat, v.unsqueeze(-1))
            b += uv
        c = F.softmax(b, 1)
        return torch.sqrt((self.squash((c * u_hat).sum(2)) ** 2).sum(-1))


@network("Kolmogorov-Arnold", vectors(3))
class KAN(nn.Module):
    """B-splines by the recurrence of de Boor."""

    def __init__(self, a=3, b=2, grid_size=4, k=2):
        super().__init__()
        self.k, h = k, 2 / grid_size
        self.register_buffer("grid", (torch.arange(-k, grid_size + k + 1) * h - 1).expand(a, -1).contiguous())
        self.base_weight, self.spline_weight = nn.Parameter(torch.randn(b, a)), nn.Parameter(torch.randn(b, a, grid_size + k) * 0.1)

    def b_splines(self, x):
        grid = self.grid
        x = x.unsqueeze(-1)
        bases = ((x >= grid[:, :-1]) & (x < grid[:, 1:])).to(torch.float32)
        for k in range(1, self.k + 1):
            bases = (x - grid[:, : -(k + 1)]) / (grid[:, k:-1] - grid[:, : -(k + 1)]) * bases[:, :, :-1] + (grid[:, k + 1 :] - x) / (
                grid[:, k + 1 :] - grid[:, 1:(-k)]
            ) * bases[:, :, 1:]
        return bases.contiguous()

    def forward(self, x):
        base_output = F.linear(F.silu(x), self.base_weight)
        return base_output + F.linear(self.b_splines(x).view(x.size(0), -1), self.spline_weight.view(2, -1))


Flow = namedtuple("Flow", ["z", "log_det"])


@network("RealNVP", vectors(4))
class RealNVP(nn.Module):
    def __init__(self, d=4, layers=4):
        super().__init__()
        self.register_buffer("masks", torch.tensor([[i % 2 ^ j % 2 for j in range(d)] for i in range(layers)], dtype=torch.float32))
        nets = lambda last: nn.ModuleList([nn.Sequential(nn.Linear(d, 6), nn.LeakyReLU(), nn.Linear(6, d), *last) for _ in range(layers)])  # noqa: E731
        self.s, self.t = nets([nn.Tanh()]), nets([])

    def forward(self, x):
        log_det, z = torch.zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            mask = self.masks[i]
            z_ = mask * z
            s, t = self.s[i](z_) * (1 - mask), self.t[i](z_) * (1 - mask)
            z = (1 - mask) * (z - t) * torch.exp(-s) + z_
            log_det -= s.sum(dim=1)
        log_prob = (-0.5 * z**2 - 0.5 * math.log(2 * math.pi)).sum(-1) + log_det
        return Flow(z, log_prob)


@network("masked autoencoder of densities", vectors(4))
class MADE(nn.Module):
    class MaskedLinear(nn.Linear):
        def __init__(self, in_features, out_features, mask):
            super().__init__(in_features, out_features)
            self.register_buffer("mask", mask)

        def forward(self, x):
            return F.linear(x, self.weight * self.mask, self.bias)

    def __init__(self, d=4, h=6):
        super().__init__()
        m_in, m_h = torch.arange(d), torch.arange(h) % (d - 1)
        self.fc1 = self.MaskedLinear(d, h, (m_h[:, None] >= m_in[None, :]).float())
        self.fc2 = self.MaskedLinear(h, 2 * d, torch.cat([(m_in[:, None] > m_h[None, :]).float()] * 2, 0))

    def forward(self, x):
        mu, log_sigma = self.fc2(self.fc1(x).relu()).chunk(2, 1)
        u = (x - mu) * (-log_sigma).exp()
        return u, -(0.5 * u.pow(2) + log_sigma + 0.5 * math.log(2 * math.pi)).sum(1)


@network("diffusion step", lambda n: (torch.randn(n, 2, 4, 4), torch.randint(0, 10, (n,))))
class Diffusion(nn.Module):
    def __init__(self, steps=10, c=4):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps, dtype=torch.float64)
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        for name, value in {"betas": betas, "sqrt_recip": (1 / alphas_cumprod).sqrt(), "sqrt_recipm1": torch.sqrt(1.0 / alphas_cumprod - 1)}.items():
            self.register_buffer(name, value.to(torch.float32))
        self.time_mlp = nn.Sequential(nn.Linear(c, 8), nn.SiLU(), nn.Linear(8, 2 * c))
        self.init, self.final = nn.Conv2d(2, c, 3, padding=1), nn.Conv2d(c, 2, 1)

    @staticmethod
    def extract(a, t, x_shape):
        b, *_ = t.shape[0], None
        out = a.gather(-1, t)
        return out.reshape(b, 1, 1, 1)

    def timestep_embedding(self, timesteps, dim=4, max_period=10000):
        half = dim // 2
        freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half).to(device=timesteps.device)
        args = timesteps[:, None].float() * freqs[None]
        return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)

    def forward(self, x, t):
        scale, shift = self.time_mlp(self.timestep_embedding(t)).unsqueeze(-1).unsqueeze(-1).chunk(2, dim=1)
        noise = self.final(F.silu(self.init(x) * (scale + 1) + shift))
        x_start = self.extract(self.sqrt_recip, t, x.shape) * x - self.extract(self.sqrt_recipm1, t, x.shape) * noise
        return x_start.clamp(-1.0, 1.0)


@network("actor and critic", lambda n: ({"image": torch.randn(n, 2, 4, 4), "state": torch.randn(n, 3)},))
class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(2, 4, 3), nn.Linear(16 + 3, 8)
        self.mean, self.log_std, self.value = nn.Linear(8, 2), nn.Parameter(torch.full((2,), -0.5)), nn.Linear(8, 1)

    def forward(self, observation):
        h = F.relu(self.conv(observation["image"])).flatten(start_dim=1)
        h = torch.tanh(self.fc(torch.cat((h, observation["state"]), dim=-1)))
        mean, std = self.mean(h), self.log_std.clamp(-5, 2).exp()
        action = mean.tanh()
        log_prob = (-((action - mean) ** 2) / (2 * std**2) - std.log() - math.log(math.sqrt(2 * math.pi))).sum(-1)
        return {"action": action, "log_prob": log_prob, "value": self.value(h).squeeze(-1)}


@network("TabNet, gated steps", vectors(6))
class TabNet(nn.Module):
    def __init__(self, d=6, steps=2, gamma=1.3):
        super().__init__()
        self.bn, self.shared, self.gamma = nn.BatchNorm1d(d), nn.Linear(d, 8), gamma
        self.attention, self.own = nn.ModuleList([nn.Linear(4, d) for _ in range(steps)]), nn.ModuleList([nn.Linear(8, 8) for _ in range(steps)])

    def glu(self, x):
        return x[..., : x.size(-1) // 2] * torch.sigmoid(x[..., x.size(-1) // 2 :])

    def forward(self, x):
        x = self.bn(x)
        prior, out, M_loss = torch.ones(x.shape), 0, 0
        a = self.glu(self.shared(x))
        for attention, own in zip(self.attention, self.own):  # noqa: B905
            M = torch.softmax(attention(a) * prior, dim=-1)
            M_loss += torch.mean(torch.sum(torch.mul(M, torch.log(M + 1e-15)), dim=1))
            prior = torch.mul(self.gamma - M, prior)
            h = self.shared(torch.mul(M, x))
            h = (h + own(h)) * math.sqrt(0.5)
            a = self.glu(h)
            out = out + F.relu(a)
        return out, M_loss


@network("mixture density", vectors(3))
class MixtureDensity(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.hidden, self.heads = nn.Linear(3, 6), nn.ModuleDict({n: nn.Linear(6, k) for n in ("pi", "mu", "sigma")})
        self.hidden.bias.requires_grad_(False)

    def forward(self, x):
        h = self.hidden(x).tanh()
        log_pi, mu, sigma = F.log_softmax(self.heads.pi(h), -1), self.heads["mu"](h), F.softplus(self.heads["sigma"](h)) + 1e-3
        log_prob = -0.5 * ((x[:, :1] - mu) / sigma).pow(2) - sigma.log() - 0.5 * math.log(2 * math.pi)
        return -torch.logsumexp(log_pi + log_prob, dim=1).mean(), (log_pi.exp() * mu).sum(1)


@network("switch, the best experts only", vectors(4, 5))
class TopKExperts(nn.Module):
    def __init__(self, d=5, experts=3, k=2):
        super().__init__()
        self.gate, self.k = nn.Linear(d, experts, bias=False), k
        self.w1, self.w2 = nn.Parameter(torch.randn(experts, d, 6) * 0.3), nn.Parameter(torch.randn(experts, 6, d) * 0.3)

    def forward(self, x):
        batch_size, sequence_length, hidden_dim = x.shape
        x = x.view(-1, hidden_dim)
        routing_weights = F.softmax(self.gate(x), dim=1, dtype=torch.float)
        routing_weights, selected = torch.topk(routing_weights, self.k, dim=-1)
        routing_weights /= routing_weights.sum(dim=-1, keepdim=True)
        expert_mask = F.one_hot(selected, num_classes=3).permute(2, 1, 0)
        final = torch.zeros((batch_size * sequence_length, hidden_dim))
        for e in range(3):
            y = torch.relu(x @ self.w1[e]) @ self.w2[e]
            weight = (routing_weights.t() * expert_mask[e]).sum(0)
            final += y * weight[:, None]
        return final.reshape(batch_size, sequence_length, hidden_dim)
