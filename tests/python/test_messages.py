"""The messages of wrong calls, as a user reads them: tests/errors/NAME.txt holds the message of the call NAME.

MONOGRAPH_WRITE_MESSAGES=1 writes the files again; read what changed. In them DIR is a fresh folder, HERE:LINE a line of this
file, and <eval_with_key>:LINE a line of the code of a GraphModule.
"""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import numpy as np
import pytest
from monograph import fx

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = ROOT / "tests" / "errors"
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")


class Tiny(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))


class WithoutSuper(nn.Module):
    def __init__(self) -> None:
        self.fc = nn.Linear(2, 2)


def opens_in_a_loop(x):
    while x.sum() < 10:
        open("log")
        x = x + 1
    return x


def branch(x):
    if x.sum() > 0:
        return x
    return -x


def catches(x):
    try:
        return x @ torch.ones(7, 7)
    except RuntimeError:
        return x


def backward_twice():
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    y.backward()
    y.backward()


def modified_in_place():
    y = torch.ones(2, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def write_outside():
    total = torch.ones(2)
    torch.jit.trace(lambda x: total.add_(x), torch.ones(2))


def grad_from_outside():
    w = torch.ones(2, requires_grad=True) * 2
    torch.jit.trace(lambda x: x * w, torch.ones(2))


def erase_used():
    graph = fx.symbolic_trace(Tiny()).graph
    graph.erase_node(list(graph.nodes)[1])


def node_of_another_graph():
    a, b = fx.symbolic_trace(lambda x: x + 1).graph, fx.symbolic_trace(lambda x: x * 2).graph
    list(a.nodes)[1].args = (list(b.nodes)[0], 1)
    a.lint()


def counts():
    calls: list[int] = []

    def f(x):
        calls.append(1)
        return x * len(calls)

    torch.capture(f, torch.ones(2))


def assign_part():
    x = torch.ones(3)
    x[0:2] = torch.ones(5)


def grad_of_another_size():
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(3)


def grad_unused():
    x, z = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.autograd.grad((x * 2).sum(), z)


def gradient_of_gradient():
    x = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((x**2).sum(), x)
    g.sum().backward()


def write_part_of_leaf():
    x = torch.ones(4, requires_grad=True)
    x[0] = 5.0


def assign_to_parameter():
    layer = nn.Linear(2, 2)
    layer.weight = torch.ones(2, 2)


def use_before_definition():
    graph = fx.symbolic_trace(Tiny()).graph
    nodes = list(graph.nodes)
    nodes[1].args = (nodes[2],)
    graph.lint()


def call_of_missing_module():
    gm = fx.symbolic_trace(Tiny())
    *_, output = gm.graph.nodes
    with gm.graph.inserting_before(output):
        output.args = (gm.graph.call_module("fc2", (next(iter(gm.graph.nodes)),)),)
    gm.recompile()
    gm(torch.ones(1, 3))


def write_in_cond():
    total = torch.zeros(2)
    torch.jit.trace(lambda x: torch.cond(x.sum() > 0, lambda a: total.add_(a), lambda a: a, (x,)), torch.ones(2))


def custom_op_argument():
    @torch.library.custom_op("messages::scale", mutates_args=())
    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        return x * factor

    scale(torch.ones(2), "3")


def custom_op(name, result):
    @torch.library.custom_op(f"messages::{name}", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return result(x)

    return f


def custom_op_backward(name, backward):
    f = custom_op(name, lambda x: x * 2)
    f.register_autograd(backward)
    f(torch.ones(2, requires_grad=True)).sum().backward()


def graph_with(target, *args):
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(target, (x, *args)))
    return graph


def lint_of_missing_module():
    gm = fx.symbolic_trace(Tiny())
    list(gm.graph.nodes)[1].target = "7"
    gm.graph.lint()


def sizes_differ(x, y):
    return x if x.shape != y.shape else x + y


def cut_pipe(path):
    os.mkfifo(path)
    torch.load(path)


class Image(nn.Module):
    """A layer has the wrong number of features: (26 / 2) ** 2 * 8 is 1352."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(100, 10)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class TakesWords(nn.Module):
    def forward(self, x, **words):
        return x * words["scale"]


class CallsNumpy(nn.Module):
    def forward(self, x):
        return x * np.sqrt(2.0)


class HoldsFunction(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.f = lambda x: x


class TwoGradients(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


class Lengths(torch.utils.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return torch.ones(i + 2)


SCALE = 2.0


def scaled(x):
    return x * SCALE


def changed_global():
    global SCALE
    SCALE = 2.0
    traced = torch.jit.trace(scaled, torch.ones(2))
    SCALE = 3.0
    traced(torch.ones(2))


def write_masked():
    x = torch.ones(3)
    x[x > 0] = torch.ones(2)


def args_of_node():
    nodes = list(fx.symbolic_trace(Tiny()).graph.nodes)
    nodes[1].args = nodes[0]


def sgd(module=None):
    return torch.optim.SGD((module or Tiny()).parameters(), lr=0.1)


def used_generator():
    parameters = Tiny().parameters()
    list(parameters)
    torch.optim.SGD(parameters, lr=0.1)


def saved_graph():
    torch.capture(Tiny(), torch.ones(1, 3)).graph.save("tiny2.mgraph")
    return torch.load_graph("tiny2.mgraph")


CALLS: dict[str, Callable[[], object]] = {
    # Shapes
    "matmul_shapes": lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    "linear_features": lambda: nn.Linear(3, 4)(torch.ones(2, 5)),
    "add_sizes": lambda: torch.ones(2, 3) + torch.ones(4),
    "cat_sizes": lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 4)]),
    "view_size": lambda: torch.ones(2, 3).view(4, 2),
    "view_strides": lambda: torch.ones(2, 3).t().view(6),
    "reshape_two_unknown": lambda: torch.ones(4).reshape(-1, -1),
    "expand_size": lambda: torch.ones(2, 3).expand(4, 3),
    "dim_range": lambda: torch.ones(2, 3).sum(2),
    "index_range": lambda: torch.ones(3)[5],
    "index_by_floats": lambda: torch.ones(3)[torch.ones(2)],
    "conv_channels": lambda: F.conv2d(torch.ones(1, 3, 8, 8), torch.ones(4, 2, 3, 3)),
    "cross_entropy_batch": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2])),
    "embedding_range": lambda: nn.Embedding(4, 2)(torch.tensor([1, 9])),
    "bmm_dims": lambda: torch.bmm(torch.ones(2, 3), torch.ones(2, 3)),
    "stack_sizes": lambda: torch.stack([torch.ones(2), torch.ones(3)]),
    "stack_nothing": lambda: torch.stack([]),
    "where_sizes": lambda: torch.where(torch.ones(3) > 0, torch.ones(2), torch.ones(3)),
    "transpose_dim": lambda: torch.ones(2, 3).transpose(0, 2),
    "permute_dims": lambda: torch.ones(2, 3).permute(0),
    "split_sizes": lambda: torch.ones(5).split([2, 2]),
    "mask_size": lambda: torch.ones(3)[torch.ones(4) > 0],
    "assign_part": assign_part,
    "too_many_indices": lambda: torch.ones(2, 3)[0, 0, 0],
    "negative_step": lambda: torch.ones(4)[::-1],
    "index_by_text": lambda: torch.ones(2)["a"],
    "gather_dims": lambda: torch.gather(torch.ones(2, 3), 1, torch.tensor([0])),
    "scatter_range": lambda: torch.zeros(3).scatter(0, torch.tensor([5]), 1.0),
    "pool_window": lambda: F.max_pool2d(torch.ones(1, 1, 2, 2), 3),
    "conv_image_dims": lambda: nn.Conv2d(3, 4, 3)(torch.ones(8, 8)),
    "batch_norm_channels": lambda: nn.BatchNorm2d(3)(torch.ones(2, 4, 5, 5)),
    "batch_norm_one_value": lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
    "layer_norm_sizes": lambda: nn.LayerNorm(4)(torch.ones(2, 3)),
    "attention_query": lambda: F.scaled_dot_product_attention(torch.ones(2, 3, 4), torch.ones(2, 3, 5), torch.ones(2, 3, 5)),
    "attention_value": lambda: F.scaled_dot_product_attention(torch.ones(2, 3, 4), torch.ones(2, 3, 4), torch.ones(2, 5, 4)),
    "attention_heads": lambda: nn.MultiheadAttention(5, 2),
    "class_range": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3])),
    "one_hot_classes": lambda: F.one_hot(torch.tensor([1, 5]), 3),
    "topk_range": lambda: torch.ones(3).topk(5),
    "lstm_features": lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 7)),
    "reshape_remainder": lambda: torch.ones(2, 3).reshape(5, -1),
    "target_sizes": lambda: F.cross_entropy(torch.ones(4, 10), torch.ones(4, 1, dtype=torch.int64)),
    "lstm_cell_batch": lambda: nn.LSTMCell(3, 5)(torch.ones(2, 3), (torch.ones(3, 5), torch.ones(3, 5))),
    "gru_cell_features": lambda: nn.GRUCell(3, 5)(torch.ones(2, 4)),
    "lstm_one_state": lambda: nn.LSTM(2, 3)(torch.ones(4, 1, 2), torch.zeros(1, 1, 3)),
    "lstm_state_batch": lambda: nn.LSTM(2, 3)(torch.ones(4, 1, 2), (torch.zeros(1, 2, 3), torch.zeros(1, 2, 3))),
    "attention_mask": lambda: F.scaled_dot_product_attention(*[torch.ones(2, 4, 8, 16)] * 3, attn_mask=torch.ones(7, 8) > 0),
    "conv1d_bias": lambda: F.conv1d(torch.ones(1, 2, 5), torch.ones(3, 2, 3), bias=torch.ones(4)),
    "pool_kernel": lambda: F.avg_pool2d(torch.ones(1, 1, 4, 4), 0),
    "padding_idx": lambda: nn.Embedding(4, 2, padding_idx=7),
    "channels_last_image": lambda: nn.Conv2d(3, 8, 3)(torch.ones(1, 28, 28, 3)),
    "layer_in_network": lambda: Image()(torch.ones(2, 1, 28, 28)),
    "gru_hidden": lambda: nn.GRU(4, 8, batch_first=True)(torch.ones(2, 5, 4), torch.zeros(2, 1, 8)),
    "lstm_dims": lambda: nn.LSTM(4, 8)(torch.ones(4)),
    "encoder_features": lambda: nn.TransformerEncoderLayer(8, 2)(torch.ones(5, 2, 6)),
    "one_hot_target": lambda: F.cross_entropy(torch.ones(2, 3), torch.ones(2, 3, dtype=torch.int64)),
    "probabilities_size": lambda: F.cross_entropy(torch.ones(2, 3), torch.ones(2)),
    "class_weights": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1]), weight=torch.ones(2)),
    "bce_size": lambda: nn.BCEWithLogitsLoss()(torch.ones(4, 1), torch.ones(4)),
    "bce_range": lambda: nn.BCELoss()(torch.ones(2) * 2, torch.ones(2)),
    "nll_range": lambda: F.nll_loss(torch.ones(2, 3), torch.tensor([0, 3])),
    "loss_sizes": lambda: F.mse_loss(torch.ones(4), torch.ones(3)),
    "batch_norm_dims": lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)),
    "group_norm_channels": lambda: nn.GroupNorm(3, 4),
    "conv_groups": lambda: nn.Conv2d(3, 8, 3, groups=2),
    "dropout_range": lambda: nn.Dropout(1.5),
    "embedding_negative": lambda: nn.Embedding(10, 4)(torch.tensor([-1])),
    "interpolate_dims": lambda: F.interpolate(torch.ones(2, 3), scale_factor=2),
    "interpolate_size": lambda: F.interpolate(torch.ones(1, 1, 2, 3)),
    "pad_odd": lambda: F.pad(torch.ones(2), (1,)),
    "einsum_sizes": lambda: torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 5)),
    "einsum_letters": lambda: torch.einsum("ij,jk->il", torch.ones(2, 3), torch.ones(3, 5)),
    "permute_twice": lambda: torch.ones(2, 3, 4).permute(0, 0, 1),
    "zeros_negative": lambda: torch.zeros(-1),
    "arange_sign": lambda: torch.arange(0, 5, -1),
    "cat_nothing": lambda: torch.cat([]),
    "cat_dims": lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]),
    "inverse_size": lambda: torch.linalg.inv(torch.ones(2, 3)),
    "inverse_singular": lambda: torch.linalg.inv(torch.zeros(2, 2)),
    "solve_sizes": lambda: torch.linalg.solve(torch.eye(3), torch.ones(2)),
    "cholesky": lambda: torch.linalg.cholesky(-torch.eye(2)),
    "bmm_batch": lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(3, 4, 5)),
    "write_masked": write_masked,
    "index_list": lambda: torch.ones(2, 3)[[0, 5]],
    "conv_large": lambda: F.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3)),
    "repeat_dims": lambda: torch.ones(2, 3).repeat(2),
    "loader_sizes": lambda: list(torch.utils.data.DataLoader(Lengths(), batch_size=2)),
    # Dtypes and types
    "linear_dtype": lambda: nn.Linear(2, 2)(torch.ones(1, 2, dtype=torch.float64)),
    "addmm_dtype": lambda: torch.addmm(torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2), torch.ones(2, 2)),
    "embedding_of_floats": lambda: nn.Embedding(4, 2)(torch.ones(2)),
    "cross_entropy_int32": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1], dtype=torch.int32)),
    "subtract_bools": lambda: torch.tensor([True]) - torch.tensor([False]),
    "shift_floats": lambda: torch.ones(2) << 1,
    "zeros_of_float": lambda: torch.zeros(2.5),
    "full_without_value": lambda: torch.full((2,)),
    "from_numpy_list": lambda: torch.from_numpy([1, 2]),
    "grad_of_ints": lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
    "tensor_of_none": lambda: torch.tensor([1, None]),
    "sum_over_name": lambda: torch.ones(2).sum("rows"),
    "cat_of_tensor": lambda: torch.cat(torch.ones(2), torch.ones(2)),
    "to_gpu": lambda: torch.ones(2).to("gpu"),
    "requires_grad_text": lambda: torch.ones(2).requires_grad_("no"),
    "requires_grad_keyword": lambda: torch.ones(2).requires_grad_(required=False),
    "node_name": lambda: setattr(next(iter(fx.symbolic_trace(Tiny()).graph.nodes)), "name", 3),
    "insert_after_number": lambda: fx.symbolic_trace(Tiny()).graph.inserting_after(3),
    "to_misspelled": lambda: torch.ones(2).to("flot32"),
    "reduction_word": lambda: F.mse_loss(torch.ones(2), torch.ones(2), reduction="avg"),
    "padding_mode": lambda: F.pad(torch.ones(1, 1, 3), (1, 1), mode="mirror"),
    "mixed_devices": lambda: torch.ones(2) + torch.ones(2, device="meta"),
    "len_of_scalar": lambda: len(torch.tensor(1)),
    "mm_dtypes": lambda: torch.ones(2, 2).mm(torch.ones(2, 2, dtype=torch.float64)),
    "mean_of_ints": lambda: torch.ones(3, dtype=torch.int64).mean(),
    "bitwise_of_floats": lambda: torch.ones(2) & torch.ones(2),
    "in_place_result": lambda: torch.ones(2, dtype=torch.int64).add_(1.5),
    "missing_argument": lambda: torch.softmax(torch.ones(3)),
    "missing_operand": lambda: torch.add(torch.ones(2)),
    "unknown_keyword": lambda: torch.sum(torch.ones(2), axes=0),
    "list_for_tensor": lambda: torch.relu([1.0, 2.0]),
    "dtype_as_text": lambda: torch.ones(2, dtype="float32"),
    "item_of_many": lambda: torch.ones(3).item(),
    "bool_of_many": lambda: bool(torch.ones(3)),
    "tensor_of_text": lambda: torch.tensor("abc"),
    "ragged_list": lambda: torch.tensor([[1, 2], [3]]),
    "array_for_tensor": lambda: nn.Linear(3, 4)(np.ones((2, 3), dtype=np.float32)),
    "array_of_text": lambda: torch.from_numpy(np.array(["a", "b"])),
    "array_byte_order": lambda: torch.from_numpy(np.arange(4, dtype=">f4")),
    "from_numpy_none": lambda: torch.from_numpy(None),
    "as_tensor_none": lambda: torch.as_tensor(None),
    "dtype_of_numpy": lambda: torch.zeros(2, dtype=np.float32),
    "device_argument": lambda: torch.zeros(2, device="gpu"),
    "number_too_large": lambda: torch.tensor([300], dtype=torch.uint8),
    "tensor_of_tensors": lambda: torch.tensor([torch.ones(2), torch.ones(2)]),
    "power_of_ints": lambda: torch.tensor([2]) ** -1,
    "mask_of_ints": lambda: torch.masked_select(torch.ones(3), torch.tensor([1, 0, 1])),
    "text_times": lambda: torch.ones(2) * "a",
    "threads_text": lambda: torch.set_num_threads("2"),
    "pad_lists": lambda: nn.utils.rnn.pad_sequence([[1, 2], [3]]),
    "linear_text": lambda: nn.Linear("3", 4),
    "linear_ints": lambda: nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.int64)),
    "conv_float_kernel": lambda: nn.Conv2d(3, 8, 3.0),
    "conv_half": lambda: nn.Conv2d(1, 1, 1).half()(torch.ones(1, 1, 2, 2)),
    "layer_norm_dtype": lambda: nn.LayerNorm(4)(torch.ones(2, 4, dtype=torch.float64)),
    "bce_ints": lambda: nn.BCEWithLogitsLoss()(torch.ones(4), torch.ones(4, dtype=torch.int64)),
    "reshape_float": lambda: torch.ones(2, 3).reshape(6 / 2, 2),
    "view_text": lambda: torch.ones(2, 3).view("6"),
    "zeros_of_tensor": lambda: torch.zeros(torch.ones(2)),
    "linspace_steps": lambda: torch.linspace(0, 1),
    "cat_of_none": lambda: torch.cat([torch.ones(2), None]),
    "stack_arguments": lambda: torch.stack(torch.ones(2), torch.ones(2)),
    "where_two": lambda: torch.where(torch.ones(2) > 0, torch.ones(2)),
    "norm_of_ints": lambda: torch.norm(torch.tensor([1, 2])),
    "multinomial_weights": lambda: torch.multinomial(torch.tensor([-1.0, 2.0]), 1),
    "type_misspelled": lambda: torch.ones(2).type("torch.FloatTensr"),
    "default_int": lambda: torch.set_default_dtype(torch.int64),
    "default_text": lambda: torch.set_default_dtype("float32"),
    "seed_of_text": lambda: torch.manual_seed("a"),
    "captured_asked": lambda: torch.capture(Tiny(), torch.ones(2, 3)).named_parameters(),
    "masked_fill_ints": lambda: torch.ones(2).masked_fill(torch.tensor([1, 0]), 0),
    "index_float": lambda: torch.ones(2, 3)[0.5],
    "gather_floats": lambda: torch.gather(torch.ones(2, 3), 1, torch.tensor([[1.0]])),
    "one_hot_floats": lambda: F.one_hot(torch.tensor([1.0])),
    "allclose_dtypes": lambda: torch.allclose(torch.ones(2), torch.ones(2, dtype=torch.float64)),
    "sum_dtype_text": lambda: torch.ones(2).sum(dtype="float64"),
    "attention_keyword": lambda: F.scaled_dot_product_attention(*[torch.ones(2, 3, 4)] * 3, mask=None),
    "tensor_class_of_text": lambda: torch.Tensor("abc"),
    # Names that are missing
    "missing_name": lambda: torch.export(Tiny()),
    "unknown_operator": lambda: torch.ops.aten.nope(torch.ones(2)),
    "unknown_namespace": lambda: torch.ops.nowhere_at_all.an_operator(torch.ones(2)),
    "cuda": lambda: torch.ones(2, device="cuda"),
    "cuda_method": lambda: torch.ones(2).cuda(),
    "cuda_module": lambda: Tiny().to("cuda"),
    "device_name": lambda: torch.device("gpu"),
    "unknown_overload": lambda: torch.ops.aten.add.Tensr(torch.ones(2), torch.ones(2)),
    "load_missing_checkpoint": lambda: torch.load("DIR/nope.pt"),
    "missing_module": lambda: torch.package.PackageExporter("model.pt"),
    "missing_in_functional": lambda: nn.functional.grouped_mm,
    "missing_function": lambda: torch.lobpcg,
    "onnx_export": lambda: torch.onnx.export(Tiny(), torch.ones(1, 3), "a.onnx"),
    "layer_misspelled": lambda: nn.Conv2D(3, 4, 3),
    "cuda_synchronize": lambda: torch.cuda.synchronize(),
    "cuda_tensor": lambda: torch.cuda.FloatTensor(2),
    "loader_workers": lambda: torch.utils.data.DataLoader(Lengths(), num_workers=4),
    # Gradients and modules
    "leaf_in_place": lambda: torch.ones(2, requires_grad=True).add_(1),
    "backward_twice": backward_twice,
    "backward_of_many": lambda: (torch.ones(2, requires_grad=True) * 2).backward(),
    "backward_without_grad": lambda: torch.ones(2).sum().backward(),
    "modified_in_place": modified_in_place,
    "numpy_of_grad": lambda: torch.ones(2, requires_grad=True).numpy(),
    "state_dict_key": lambda: Tiny().load_state_dict({"fc.weight": torch.ones(4, 3)}),
    "state_dict_size": lambda: nn.Linear(3, 4).load_state_dict({"weight": torch.ones(4, 2), "bias": torch.ones(4)}),
    "without_super": WithoutSuper,
    "grad_unused": grad_unused,
    "grad_of_another_size": grad_of_another_size,
    "backward_size": lambda: (torch.ones(2, requires_grad=True) * 2).backward(torch.ones(3)),
    "gradient_of_gradient": gradient_of_gradient,
    "write_part_of_leaf": write_part_of_leaf,
    "sequential_of_function": lambda: nn.Sequential(lambda x: x),
    "sequential_of_class": lambda: nn.Sequential(nn.Linear(2, 2), nn.ReLU),
    "sequential_of_text": lambda: nn.Sequential(nn.Linear(2, 2), "relu"),
    "parameter_of_list": lambda: nn.Parameter([1.0]),
    "assign_to_parameter": assign_to_parameter,
    "state_dict_path": lambda: Tiny().load_state_dict("model.pt"),
    "module_list_called": lambda: nn.ModuleList([nn.ReLU()])(torch.ones(2)),
    "linear_of_float": lambda: nn.Linear(3.5, 4),
    "custom_op_argument": custom_op_argument,
    "custom_op_result": lambda: custom_op("three", lambda x: 3)(torch.ones(2)),
    "custom_op_same": lambda: custom_op("same", lambda x: x)(torch.ones(2)),
    "custom_op_backward_size": lambda: custom_op_backward("back3", lambda ctx, g: torch.ones(3)),
    "custom_op_backward_count": lambda: custom_op_backward("back2", lambda ctx, g: (g, g)),
    "grad_of_number": lambda: torch.autograd.grad(3.0, torch.ones(2, requires_grad=True)),
    "backward_text": lambda: torch.ones(2, requires_grad=True).backward("x"),
    "missing_method_of_layer": lambda: nn.DataParallel(nn.Linear(2, 2)).gather(),
    "out_requires_grad": lambda: torch.add(torch.ones(2), 1, out=torch.zeros(2, requires_grad=True)),
    "optimizer_of_module": lambda: torch.optim.SGD(Tiny(), lr=0.1),
    "optimizer_of_result": lambda: torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1),
    "optimizer_group": lambda: torch.optim.SGD([{"param": [torch.ones(2, requires_grad=True)], "lr": 0.1}]),
    "optimizer_of_tensor": lambda: torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1),
    "optimizer_of_nothing": used_generator,
    "optimizer_state": lambda: sgd().load_state_dict({"w": 1}),
    "optimizer_state_of_other": lambda: sgd().load_state_dict(sgd(nn.Linear(2, 2, bias=False)).state_dict()),
    "schedule_of_number": lambda: torch.optim.lr_scheduler.StepLR(0.1, 3),
    "sequential_of_list": lambda: nn.Sequential([nn.ReLU()]),
    "module_list_of_module": lambda: nn.ModuleList(nn.Linear(2, 2)),
    "state_dict_of_wrapper": lambda: Tiny().load_state_dict({f"module.{k}": v for k, v in Tiny().state_dict().items()}),
    "state_dict_of_checkpoint": lambda: Tiny().load_state_dict({"epoch": 3, "model": Tiny().state_dict()}),
    "function_called": lambda: TwoGradients()(torch.ones(2)),
    "function_gradients": lambda: TwoGradients.apply(torch.ones(2, requires_grad=True)).sum().backward(),
    "buffer_of_number": lambda: Tiny().register_buffer("n", 3),
    "custom_op_annotation": lambda: torch.library.custom_op("messages::a", mutates_args=())(lambda x: x),
    "custom_op_name": lambda: torch.library.custom_op("scale", mutates_args=())(lambda x: x),
    # Symbolic traces
    "fx_branch": lambda: fx.symbolic_trace(branch, control_flow="error"),
    "fx_kept_branch": lambda: fx.symbolic_trace(lambda x: {"even" if x.sum() > 0 else "odd": x}),
    "fx_kept_loop": lambda: fx.symbolic_trace(opens_in_a_loop),
    "fx_control_flow": lambda: fx.symbolic_trace(branch, control_flow="guard"),
    "fx_iteration": lambda: fx.symbolic_trace(lambda x: [y * 2 for y in x], control_flow="error"),
    "fx_len": lambda: fx.symbolic_trace(lambda x: x * len(x), control_flow="error"),
    "fx_number": lambda: fx.symbolic_trace(lambda x: x * int(x[0]), control_flow="error"),
    "fx_size_as_number": lambda: fx.symbolic_trace(lambda x: [x * i for i in range(x.shape[0])], control_flow="error"),
    "fx_text": lambda: fx.symbolic_trace(lambda x: {"3": x}[f"{x.shape[0]}"]),
    "fx_isinstance": lambda: fx.symbolic_trace(lambda x: x if isinstance(x, torch.Tensor) else x),
    "fx_key": lambda: fx.symbolic_trace(lambda x: {1: 2}[x]),
    "fx_and": lambda: fx.symbolic_trace(lambda x, y: x and y, control_flow="error"),
    "fx_star": lambda: fx.symbolic_trace(lambda x: torch.cat(*x)),
    "fx_loop": lambda: fx.symbolic_trace(lambda x: [x for _ in range(int(x.sum()))], control_flow="error"),
    "fx_misspelled": lambda: fx.symbolic_trace(lambda x: x.sofmax(1)).graph.hash(),
    "fx_wrong_keyword": lambda: fx.symbolic_trace(lambda x: torch.sum(x, axes=1)).graph.hash(),
    "fx_shapes_when_run": lambda: fx.symbolic_trace(lambda x: x @ torch.ones(7, 7))(torch.ones(2, 3)),
    "fx_shapes_of_graph": lambda: fx.symbolic_trace(lambda x: x @ torch.ones(7, 7)).graph(torch.ones(2, 3)),
    "fx_example": lambda: fx.symbolic_trace(Tiny(), torch.ones(1, 3)),
    "fx_class": lambda: fx.symbolic_trace(nn.Linear),
    "fx_tensor": lambda: fx.symbolic_trace(torch.ones(2)),
    "fx_list_index": lambda: fx.symbolic_trace(lambda x: [1, 2, 3][x.argmax()]),
    "fx_shapes_of_layer": lambda: fx.symbolic_trace(Tiny())(torch.ones(2, 5)),
    "fx_star_saved": lambda: fx.symbolic_trace(lambda *xs: xs[0] + xs[1]).graph.save("a.mgraph"),
    # Traces and captures
    "trace_without_inputs": lambda: torch.jit.trace(Tiny()),
    "trace_size": lambda: torch.jit.trace(Tiny(), torch.ones(2, 5)),
    "trace_mode": lambda: torch.jit.trace(branch, torch.ones(2), control_flow="gard"),
    "trace_numpy_function": lambda: torch.jit.trace(lambda x: np.sin(x), torch.ones(2)),
    "trace_list": lambda: torch.jit.trace(lambda x: x * x.tolist()[0], torch.ones(17)),  # of up to 16 elements it gives numbers
    "traced_with_list": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3))([1.0]),
    "traced_dtype": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3))(torch.ones(1, 3, dtype=torch.int64)),
    "traced_array": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3))(np.ones((1, 3))),
    "traced_too_many": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3))(torch.ones(1, 3), torch.ones(1, 3)),
    "capture_bool": lambda: torch.capture(lambda x, b: x if b else -x, torch.ones(2), True),
    "capture_tensor": lambda: torch.capture(torch.ones(2)),
    "cond_tensor": lambda: torch.cond(torch.tensor(True), torch.ones(2), torch.ones(2)),
    "cond_operand": lambda: torch.cond(torch.tensor(True), lambda a: a, lambda a: -a, torch.ones(2)),
    "cond_text": lambda: torch.cond("yes", lambda a: a, lambda a: -a, (torch.ones(2),)),
    "cond_arguments": lambda: torch.jit.trace(lambda x: torch.cond(x.sum() > 0, lambda: x, lambda a: a, (x,)), torch.ones(2)),
    "fx_cond_arguments": lambda: fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x, lambda a: a, (x,))),
    "cond_write": write_in_cond,
    "while_loop_condition": lambda: torch.while_loop(lambda y: y > 1, lambda y: (y / 2,), (torch.ones(2) * 4,)),
    "while_loop_arguments": lambda: torch.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0), torch.ones(2))),
    "while_loop_number": lambda: torch.jit.trace(lambda x: torch.while_loop(lambda i: 1, lambda i: (i + 1,), (x,)), torch.ones(2)),
    "trace_class": lambda: torch.jit.trace(nn.Linear, torch.ones(2, 3)),
    "trace_arguments": lambda: torch.jit.trace(lambda x, y: x + y, torch.ones(2)),
    "trace_text": lambda: torch.jit.trace(lambda x, s: x, (torch.ones(2), "a")),
    "trace_numpy": lambda: torch.jit.trace(lambda x: torch.tensor(x.numpy()), torch.ones(2)),
    "trace_try": lambda: torch.jit.trace(catches, torch.ones(2, 3)),
    "trace_write_outside": write_outside,
    "trace_grad_from_outside": grad_from_outside,
    "trace_control_flow": lambda: torch.jit.trace(branch, torch.ones(2), control_flow="error"),
    "capture_how": lambda: torch.capture(branch, torch.ones(2), how="script"),
    "capture_without_example": lambda: torch.capture(branch, control_flow="error"),
    "capture_state": counts,
    "cond_many": lambda: torch.cond(torch.ones(2), lambda x: x, lambda x: -x, (torch.ones(2),)),
    "cond_results": lambda: torch.jit.trace(lambda x: torch.cond(x.sum() > 0, lambda a: a, lambda a: (a, a), (x,)), torch.ones(2)),
    "while_loop_results": lambda: torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1,), (torch.tensor(0), torch.ones(2))),
    "trace_size_for_tensor": lambda: torch.jit.trace(Tiny(), (1, 3)),
    "trace_dict": lambda: torch.jit.trace(lambda x: {"a": x}, torch.ones(2)),
    "trace_tensor": lambda: torch.jit.trace(torch.ones(2), torch.ones(2)),
    "trace_changed_global": changed_global,
    "script_words": lambda: torch.jit.script(TakesWords()),
    "script_numpy": lambda: torch.jit.script(CallsNumpy()),
    "script_lambda": lambda: torch.jit.script(lambda x: x + 1),
    "script_missing_input": lambda: torch.jit.script(Tiny())(),
    "script_list": lambda: torch.jit.script(Tiny())([1.0]),
    "compile_backend": lambda: torch.compile(Tiny(), backend="foo")(torch.ones(1, 3)),
    "compile_mode": lambda: torch.compile(Tiny(), mode="fast"),
    "compile_tensor": lambda: torch.compile(torch.ones(2)),
    "compile_print": lambda: torch.compile(lambda x: print(x), fullgraph=True, backend=lambda gm, inputs: gm)(torch.ones(2)),
    "capture_size": lambda: torch.capture(Tiny(), torch.ones(2, 5)),
    "captured_two": lambda: torch.capture(Tiny(), torch.ones(1, 3))(torch.ones(1, 3), torch.ones(1, 3)),
    # Graphs
    "guard": lambda: torch.capture(branch, torch.ones(2), how="trace", control_flow="guard")(-torch.ones(2)),
    "graph_missing_input": lambda: fx.symbolic_trace(Tiny()).graph(),
    "graph_input_kind": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph([1.0]),
    "graph_input_dims": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph(torch.ones(2, 3, 4)),
    "graph_erase_used": erase_used,
    "graph_foreign_node": node_of_another_graph,
    "graph_keyword": lambda: torch.capture(Tiny(), torch.ones(1, 3)).graph(y=torch.ones(1, 3)),
    "graph_use_before_definition": use_before_definition,
    "graph_missing_module": call_of_missing_module,
    "graph_opcode": lambda: fx.Graph().create_node("call_fn", torch.relu, ()),
    "graph_target_text": lambda: graph_with("relu"),
    "graph_array": lambda: graph_with(torch.add, np.ones(2)),
    "graph_lint": lint_of_missing_module,
    "guard_of_sizes": lambda: torch.jit.trace(sizes_differ, (torch.ones(4, 1), torch.ones(4, 1)))(torch.ones(4, 1), torch.ones(1, 1)),
    "guard_of_loss": lambda: torch.jit.trace(lambda x, y: F.binary_cross_entropy(x, y), (torch.ones(4), torch.ones(4)))(
        torch.ones(4), torch.ones(1)
    ),
    "node_args": args_of_node,
    "pattern_text": lambda: fx.replace_pattern(fx.symbolic_trace(Tiny()), "relu", "gelu"),
    "interpreter_inputs": lambda: fx.Interpreter(fx.symbolic_trace(Tiny())).run(),
    "differentiate_ints": lambda: torch.jit.trace(lambda x: x + 1, torch.ones(2, dtype=torch.int64)).graph.differentiate(),
    "view_of_module": lambda: torch.view(Tiny()),
    "graph_array_input": lambda: saved_graph()(np.ones((2, 3), dtype=np.float32)),
    "graph_dict_input": lambda: saved_graph()({"x": torch.ones(1, 3)}),
    # Files
    "load_folder": lambda: torch.load_graph("DIR"),
    "load_bytes": lambda: torch.load_graph(b"nope.mgraph"),
    "load_weights": lambda: torch.load_graph("DIR/w.safetensors"),
    "load_file_text": lambda: torch.safetensors.load_file("DIR/other.mgraph"),
    "save_file_list": lambda: torch.safetensors.save_file({"a": [1.0]}, "DIR/a.safetensors"),
    "load_missing": lambda: torch.load_graph("DIR/nope.mgraph"),
    "load_other": lambda: torch.load_graph("DIR/other.mgraph"),
    "load_truncated": lambda: torch.load_graph("DIR/short.mgraph"),
    "save_nowhere": lambda: torch.capture(lambda x: x + 1, torch.ones(2)).graph.save("DIR/none/x.mgraph"),
    "run_without_weights": lambda: torch.load_graph("DIR/big.txt")(torch.ones(1, 8)),
    "load_checkpoint_text": lambda: torch.load("DIR/other.mgraph"),
    "load_checkpoint_array": lambda: torch.load("DIR/x.npy"),
    "load_checkpoint_graph": lambda: torch.load("DIR/tiny.mgraph"),
    "load_checkpoint_pipe": lambda: cut_pipe("DIR/pipe"),
    "load_file_checkpoint": lambda: torch.safetensors.load_file("DIR/w.pt"),
    "save_module_with_lambda": lambda: torch.save(HoldsFunction(), "DIR/f.pt"),
    "save_file_module": lambda: torch.safetensors.save_file(Tiny(), "DIR/a.safetensors"),
    "load_whole_module": lambda: torch.load("DIR/whole.pt"),
    "load_empty": lambda: torch.load("DIR/empty.pt"),
    "load_archive": lambda: torch.load("DIR/archive.pt", weights_only=True),
    "jit_load_checkpoint": lambda: torch.jit.load("DIR/w.pt"),
    "jit_load_text": lambda: torch.jit.load("DIR/other.mgraph"),
    "jit_save_module": lambda: torch.jit.save(Tiny(), "DIR/m.pt"),
    "load_graph_checkpoint": lambda: torch.load_graph("DIR/w.pt"),
    "load_graph_onnx": lambda: torch.load_graph("DIR/m.onnx"),
    "load_graph_empty": lambda: torch.load_graph("DIR/empty.pt"),
    "save_swapped": lambda: torch.save("x.pt", torch.ones(2)),
}

# Arguments of the program `monograph`, in a folder with the files below.
COMMANDS: dict[str, list[str]] = {
    "cli_verb": ["rum", "tiny.mgraph"],
    "cli_option": ["run", "tiny.mgraph", "--imput", "random:2x3:float32"],
    "cli_no_file": ["run"],
    "cli_missing_file": ["run", "nope.mgraph"],
    "cli_missing_input": ["run", "tiny.mgraph"],
    "cli_unknown_input": ["run", "tiny.mgraph", "--input", "y=random:2x3:float32"],
    "cli_too_many_inputs": ["run", "tiny.mgraph", "--input", "random", "--input", "random"],
    "cli_dtype_name": ["run", "tiny.mgraph", "--input", "random:2x3:float31"],
    "cli_input_dtype": ["run", "tiny.mgraph", "--input", "random:2x3:int64"],
    "cli_input_array": ["run", "tiny.mgraph", "--input", "x.npy"],
    "cli_input_dims": ["run", "tiny.mgraph", "--input", "random:2x3x4:float32"],
    "cli_input_features": ["run", "tiny.mgraph", "--input", "random:2x5:float32"],
    "cli_form": ["print", "tiny.mgraph", "--form", "xml"],
    "cli_suffix": ["convert", "tiny.mgraph", "tiny.onnx"],
    "cli_text": ["print", "broken.txt"],
    "cli_verb_missing": ["tiny.mgraph"],
    "cli_input_word": ["run", "tiny.mgraph", "--input", "text:abc"],
    "cli_input_rows": ["run", "tiny.mgraph", "--input", "text:1.0,2.0;3.0"],
    "cli_input_size": ["run", "tiny.mgraph", "--input", "random:2,3:float32"],
    "cli_input_file": ["run", "tiny.mgraph", "--input", "other.mgraph"],
    "cli_dim": ["run", "tiny.mgraph", "--input", "random", "--dim", "5"],
    "cli_dim_name": ["run", "tiny.mgraph", "--input", "random", "--dim", "batch=5"],
    "cli_seed": ["run", "tiny.mgraph", "--input", "random", "--seed", "x"],
    "cli_function": ["run", "tiny.mgraph", "--input", "random", "--function", "encode"],
    "cli_seconds": ["bench", "tiny.mgraph", "--seconds", "-1"],
    "cli_compare_one": ["compare", "tiny.mgraph"],
    "cli_compare_kinds": ["compare", "tiny.mgraph", "w.safetensors"],
    "cli_no_suffix": ["convert", "tiny.mgraph", "tiny"],
    "cli_run_weights": ["run", "w.safetensors"],
    "cli_cut_weights": ["info", "cut.safetensors"],
    "cli_form_missing": ["print", "tiny.mgraph", "--form"],
    "cli_json": ["info", "a.json"],
    "cli_folder": ["convert", "tiny.mgraph", "none/tiny.txt"],
    "cli_weights": ["run", "big.txt", "--input", "random:1x8:float32"],
    "cli_array_without_option": ["run", "tiny.mgraph", "x.npy"],
    "cli_array_missing": ["run", "tiny.mgraph", "--input", "x.pt"],
    "cli_onnx": ["info", "m.onnx"],
    "cli_empty": ["info", "empty.pt"],
    "cli_program": ["info", "train.py"],
    "cli_convert_checkpoint": ["convert", "tiny.mgraph", "tiny.pt"],
    "cli_threads": ["run", "tiny.mgraph", "--input", "random", "--threads", "0"],
    "cli_output_missing": ["view", "tiny.mgraph"],
    "cli_dim_negative": ["run", "tiny.mgraph", "--input", "random", "--dim", "s0_0=-1"],
    "cli_run_checkpoint": ["run", "w.pt"],
    "cli_weights_of_text": ["convert", "big.txt", "big.safetensors"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("messages")
    torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph.save(path / "tiny.mgraph")
    torch.capture(nn.Linear(8, 4), torch.ones(1, 8)).graph.save(path / "big.mgraph")
    subprocess.run([PROGRAM, "convert", "big.mgraph", "big.txt"], cwd=path, check=True, capture_output=True)
    (path / "other.mgraph").write_bytes(b"hello world")
    (path / "short.mgraph").write_bytes((path / "tiny.mgraph").read_bytes()[:200])
    (path / "broken.txt").write_text("graph(%x : Tensor):\n  %y = aten::relu(%z)\n  return (%y)\n")
    np.save(path / "x.npy", np.ones((2, 3)))
    torch.safetensors.save_file({"w": torch.zeros(2, 2)}, path / "w.safetensors")
    torch.save({"w": torch.zeros(2, 2)}, path / "w.pt")
    (path / "cut.safetensors").write_bytes((path / "w.safetensors").read_bytes()[:-6])
    (path / "a.json").write_text('{"a": 1}')
    (path / "train.py").write_text("import torch\n")
    (path / "empty.pt").write_bytes(b"")
    (path / "m.onnx").write_bytes(b"\x08\x08\x12\x07pytorch\x1a\x052.0.0:\x10")
    torch.save(Tiny(), path / "whole.pt")
    torch.jit.trace(Tiny(), torch.ones(1, 3)).save(path / "archive.pt")
    return path


def compare(name: str, text: str) -> None:
    path = MESSAGES / f"{name}.txt"
    if os.environ.get("MONOGRAPH_WRITE_MESSAGES"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_says(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "DIR").mkdir(exist_ok=True)
    for file in folder.glob("*.*"):
        if not (folder / "DIR" / file.name).exists():
            (folder / "DIR" / file.name).symlink_to(file)
    monkeypatch.chdir(folder)
    with warnings.catch_warnings(), pytest.raises(Exception) as caught:
        warnings.simplefilter("ignore")
        CALLS[name]()
    lines = [f"{type(caught.value).__name__}: {caught.value}", *getattr(caught.value, "__notes__", [])]
    text = re.sub(rf"{re.escape(__file__)}:\d+", "HERE:LINE", "\n".join(lines))
    text = re.sub(r"<eval_with_key>\.\d+:\d+", "<eval_with_key>:LINE", text)
    text = re.sub(rf'File "{re.escape(__file__)}", line \d+', 'File "HERE", line LINE', text)
    compare(name, re.sub(r"\b[0-9a-f]{64}\b", "HASH", text) + "\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_command_says(name: str, folder: Path) -> None:
    done = subprocess.run([PROGRAM, *COMMANDS[name]], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2)
    assert not done.stdout
    text = re.sub(rf"{re.escape(__file__)}:\d+|\S*test_messages\.py:\d+", "HERE:LINE", done.stderr)
    compare(name, f"exit {done.returncode}\n" + re.sub(r"\b[0-9a-f]{64}\b", "HASH", text))


def test_each_message_belongs_to_a_call() -> None:
    assert {path.stem for path in MESSAGES.glob("*.txt")} == {*CALLS, *COMMANDS}
