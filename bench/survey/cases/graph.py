"""Modules of torch-geometric and egnn."""

import torch
import torch_geometric.nn as g
from registry import add, fn, vec
from torch import nn


def E(d, k, n=8, e=20):
    n, e = n + 2 * k, e + 5 * k
    return d.n(n, 6), d.i(n, 2, e)


def EA(d, k):
    return (*E(d, k), d.n(20 + 5 * k, 4))


for n, kw in {
    "GCNConv": {},
    "SAGEConv": {},
    "GraphConv": {},
    "GATConv": {"heads": 2},
    "GATv2Conv": {"heads": 2},
    "TransformerConv": {"heads": 2},
    "ChebConv": {"K": 2},
    "TAGConv": {},
    "SGConv": {},
    "ARMAConv": {},
    "LEConv": {},
    "ClusterGCNConv": {},
    "FeaStConv": {},
    "ResGatedGraphConv": {},
    "GENConv": {},
    "PNAConv": {"aggregators": ["mean", "max"], "scalers": ["identity", "amplification"], "deg": torch.tensor([0, 3, 4, 1])},
    "SuperGATConv": {},
    "EGConv": {"num_heads": 2},
    "GeneralConv": {},
    "MFConv": {},
}.items():
    add(n, (lambda n, kw: lambda: getattr(g, n)(6, 8, **kw))(n, kw), E)
add("GINConv", lambda: g.GINConv(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8))), E)
add("GINEConv", lambda: g.GINEConv(nn.Linear(6, 8), edge_dim=4), EA)
add("EdgeConv", lambda: g.EdgeConv(nn.Linear(12, 8)), E)
add("NNConv", lambda: g.NNConv(6, 8, nn.Linear(4, 48)), EA)
add("CGConv", lambda: g.CGConv(6, dim=4), EA)
add("GMMConv", lambda: g.GMMConv(6, 8, dim=4, kernel_size=3), EA)
add("APPNP", lambda: g.APPNP(K=3, alpha=0.1), E)
add("GatedGraphConv", lambda: g.GatedGraphConv(8, num_layers=2), E)
add("RGCNConv", lambda: g.RGCNConv(6, 8, num_relations=3), lambda d, k: (*E(d, k), d.i(3, 20 + 5 * k)))
add("PointNetConv", lambda: g.PointNetConv(nn.Linear(9, 8)), lambda d, k: (lambda x, e: (x, d.n(x.shape[0], 3), e))(*E(d, k)))
add("HypergraphConv", lambda: g.HypergraphConv(6, 8), E)
add("GCN", lambda: g.GCN(6, 8, num_layers=2, out_channels=3), E)
add("GAT", lambda: g.GAT(6, 8, num_layers=2, out_channels=3), E)
add("GIN", lambda: g.GIN(6, 8, num_layers=2, out_channels=3), E)
add("GraphSAGE", lambda: g.GraphSAGE(6, 8, num_layers=2, out_channels=3, jk="cat"), E)
add("MLP", lambda: g.MLP([6, 8, 3]), vec(6, (5, 8)))
add("LinkPredictor", lambda: g.InnerProductDecoder(), lambda d, k: E(d, k))
add("MeanAggregation", lambda: g.aggr.MeanAggregation(), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("SoftmaxAggregation", lambda: g.aggr.SoftmaxAggregation(learn=True), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("MedianAggregation", lambda: g.aggr.MedianAggregation(), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("LSTMAggregation", lambda: g.aggr.LSTMAggregation(4, 5), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("Set2Set", lambda: g.aggr.Set2Set(4, processing_steps=2), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("SortAggregation", lambda: g.aggr.SortAggregation(k=2), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add(
    "AttentionalAggregation", lambda: g.aggr.AttentionalAggregation(nn.Linear(4, 1)), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3)
)


class Pool(nn.Module):
    def forward(self, x, b):
        return g.global_mean_pool(x, b), g.global_max_pool(x, b), g.global_add_pool(x, b)


add("global pools", Pool, lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("BatchNorm", lambda: g.BatchNorm(4), vec(4))
add("GraphNorm", lambda: g.GraphNorm(4), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
add("PairNorm", lambda: g.PairNorm(), vec(4))
add("LayerNorm", lambda: g.LayerNorm(4), vec(4))
add("DenseGCNConv", lambda: g.DenseGCNConv(6, 8), lambda d, k: (d.n(2, 5 + k, 6), d.u(2, 5 + k, 5 + k)))
add("dense_diff_pool", lambda: fn(g.dense_diff_pool)(), lambda d, k: (d.n(2, 5 + k, 6), d.u(2, 5 + k, 5 + k), d.n(2, 5 + k, 3)))
add("TopKPooling", lambda: g.TopKPooling(6, ratio=0.5), E)
add(
    "Sequential",
    lambda: g.Sequential("x, edge_index", [(g.GCNConv(6, 8), "x, edge_index -> x"), nn.ReLU(), (g.GCNConv(8, 3), "x, edge_index -> x")]),
    E,
)
add(
    "SchNet",
    lambda: g.SchNet(hidden_channels=8, num_filters=8, num_interactions=1, num_gaussians=5),
    lambda d, k: (d.i(8, 6 + k), d.n(6 + k, 3)),
)
add("GravNetConv", lambda: g.GravNetConv(6, 8, 2, 3, k=2), lambda d, k: (d.n(8 + k, 6),))
add("GRUAggregation", lambda: g.aggr.GRUAggregation(4, 5), lambda d, k: (d.n(9 + k, 4), torch.arange(9 + k) // 3))
