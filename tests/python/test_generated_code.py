"""Python that graphs print runs: every operator has a name under torch.ops, and the code of a graph computes what the graph computes."""

from __future__ import annotations

import copy
import json
import math
import operator
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import capture_programs
import monograph as torch
import numpy as np
import pytest
from family_copies import is_copy, with_copies
from monograph import _C, fx

ROOT = Path(__file__).resolve().parents[2]
GLOBALS = {"torch": torch, "inf": math.inf, "nan": math.nan, "device": torch.device}
# Overloads that PyTorch has not, or under another name: of canonical graphs, of gradients, of a trace inside of which a gradient is taken, and of out=.
OURS = {"aten::conv2d_weight_backward.default", "aten::adaptive_avg_pool2d_backward.default", "prim::with_grad.default", "prim::function_result.default", "prim::bernoulli_like.default",
        "prim::fill_diagonal.default", "prim::log_of_sum.default", "prim::trigamma.default", "prim::huber_terms.default", "prim::is_inference_mode_enabled.default", "prim::smooth_l1_terms.default",
        "aten::narrow_scatter.default", "aten::linalg_diagonal_scatter.default", "aten::gather_backward.default",
        # Of two numbers of item(), which PyTorch's operators call by their name alone.
        *(f"{name}.Scalar_Scalar" for name in (
            "aten::add", "aten::sub", "aten::mul", "aten::floordiv", "aten::remainder", "aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge",
            "aten::div", "prim::min", "prim::max",
        )), "aten::pow.Number",
        # What scripts call of lists of any type, where PyTorch has an overload for each type; and what Python has and TorchScript lacks.
        "aten::Bool.Scalar", "aten::__contains__.t", "aten::__contains__.text", "aten::bin.int", "aten::count.t", "aten::eq.dtype", "aten::eq.layout", "aten::hex.int", "aten::index.t",
        "aten::log2.float", "aten::mul.str", "aten::ne.dtype", "aten::ne.layout", "aten::oct.int", "aten::remove.t", "aten::sort.t", "aten::sorted.t", "aten::trunc.float",
        "prim::device.str", "prim::device.with_index", "prim::dtype_of_number.default", "prim::number_of_dtype.default", "prim::number_of_layout.default", "prim::max.self_str", "prim::min.self_str",
         "prim::delete_slice.t", "prim::set_slice.t", "prim::pop_last.bool", "prim::pop_last.complex", "prim::pop_last.Tensor", "prim::pop_last.float", "prim::pop_last.int", "prim::pop_last.str", "prim::real_part.default", "prim::imaginary_part.default",
         "prim::format.default", "prim::repr.default", "prim::EnumMember.default", "prim::EnumValue.default",
         # Effects of Python that PyTorch's captures leave out.
         "prim::Write.default", "prim::Log.default", "aten::warn.at",
         # What PyTorch's interpreter knows without a schema.
         "prim::CreateObject.default", "prim::GetAttr.default", "prim::SetAttr.default", "prim::isinstance.default", "prim::index.Device",
         "prim::tolist.default"}  # fmt: skip


def every_overload() -> list[str]:
    # torch.ops.prim.name is the name of the namespace, as in PyTorch, and not the operator prim::name.
    return [f"{namespace}::{name}.{overload}" for namespace in ("aten", "prim") for name in dir(getattr(torch.ops, namespace)) if name != "name" for overload in
            getattr(getattr(torch.ops, namespace), name).overloads()]  # fmt: skip


def is_other_name(name: str) -> bool:
    stem = name.partition("::")[2].partition(".")[0].rstrip("_")
    function = getattr(torch.special, stem.removeprefix("special_"), None) if stem.startswith("special_") else getattr(torch, stem, None)
    return "Another name of" in (function.__doc__ or "")


def found(name: str) -> Any:
    namespace, _, rest = name.partition("::")
    at = getattr(torch.ops, namespace)
    for part in rest.split("."):
        at = getattr(at, part)
    return at


def run(code: str, inputs: list[Any], module: Any = None) -> Any:
    names = dict(GLOBALS)
    exec(code, names)
    return names["forward"](module, *inputs)


# Cases of tests/data/ops ------------------------------------------------------------------------------------------------------------------


def read(j: Any) -> Any:
    """A value as tools/oracle/freeze_ops.py writes it; a tensor as its parts."""
    if isinstance(j, list):
        return [read(x) for x in j]
    if not isinstance(j, dict):
        return j
    if "t" in j:
        data = (
            torch.frombuffer(bytearray.fromhex(j["x"]), dtype=getattr(torch, j["t"]))
            if j["x"]
            else torch.zeros(0, dtype=getattr(torch, j["t"]))
        )
        return torch.ops.aten.clone(data).as_strided(j["s"], j["st"], j["o"]) if hasattr(data, "as_strided") else strided(data, j)
    if "f" in j:
        return float(j["f"])
    if "z" in j:
        return complex(*j["z"])
    if "d" in j:
        return getattr(torch, j["d"])
    if "c" in j:
        return torch.device("cpu")
    return [torch.contiguous_format, torch.preserve_format, torch.channels_last][j["m"]]


def strided(data: Any, j: dict[str, Any]) -> Any:
    places = np.full(j["s"], j["o"], dtype=np.int64)
    for dim, (size, stride) in enumerate(zip(j["s"], j["st"], strict=True)):
        shape = [1] * len(j["s"])
        shape[dim] = size
        places = places + np.arange(size).reshape(shape) * stride
    return data[torch.from_numpy(np.ascontiguousarray(places))] if places.size else torch.zeros(j["s"], dtype=data.dtype)


def cases() -> list[tuple[str, list[Any]]]:
    """At most four calls of each operator that PyTorch computes."""
    out = []
    for file in sorted((ROOT / "tests" / "data" / "ops").glob("*.jsonl")):
        name, taken = "", 0
        for line in file.open():
            j = json.loads(line)
            if "op" in j:
                name, taken = j["op"], 0
            elif "r" in j and taken < 4:
                taken += 1
                out += [(each, j["a"]) for each in with_copies(name)]
    return out


def graph_of(name: str, arguments: list[Any], file: Path) -> tuple[Any, list[Any]]:
    """One call as a graph in operators, tensors as its inputs, every argument in its place as in a canonical graph; and the inputs."""
    graph, inputs = fx.Graph(), []

    def value(v: Any) -> Any:
        if isinstance(v, torch.Tensor):
            inputs.append(v)
            return graph.placeholder(f"x{len(inputs)}")
        return [value(x) for x in v] if isinstance(v, list) else v

    schema = found(name if "." in name else f"{name}.default")._schema
    places = list(zip(schema.arguments, (value(read(a)) for a in arguments), strict=True))
    if len(schema.returns) == 1:
        graph.output(graph.create_node("call_function", name, tuple(v for _, v in places)))
        file.write_text(graph._to_text("native").replace("graph(", "graph[level=operator](", 1))
        return torch.load_graph(file), inputs
    keywords = {a.name: v for a, v in places if a.kwarg_only}
    result = graph.create_node("call_function", name, tuple(v for a, v in places if not a.kwarg_only), keywords)
    graph.output(tuple(graph.call_function(operator.getitem, (result, k)) for k in range(len(schema.returns))))
    return graph._operators(), inputs


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if not isinstance(a, torch.Tensor):
        return a == b or a != a
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(np.asarray(a.detach()), np.asarray(b.detach()), equal_nan=not a.dtype.is_complex) \
        if a.dtype is not torch.bfloat16 else same(a.float(), b.float())  # fmt: skip


def test_every_record_has_a_name():
    names = every_overload()
    assert len(names) > 500 and {"aten::add.Tensor", "aten::relu.default", "aten::add_.Scalar", "aten::add.out", "prim::abs.int"} <= set(
        names
    )
    for name in names:
        overload = found(name)
        assert overload.name() == name.removesuffix(".default") == str(overload._schema).split("(")[0]
        assert str(overload) == name.replace("::", ".") and overload.overloadpacket._qualified_op_name == name.split(".")[0]


def test_the_objects_of_torch_ops():
    add, relu = torch.ops.aten.add, torch.ops.aten.relu.default
    assert type(add) is torch._ops.OpOverloadPacket and type(relu) is torch._ops.OpOverload
    assert (repr(add), str(add), add.__name__, repr(relu), str(relu), relu.__name__) == (
        "<OpOverloadPacket(op='aten.add')>", "aten.add", "add", "<OpOverload(op='aten.relu', overload='default')>", "aten.relu.default", "relu.default",
    )  # fmt: skip
    assert relu is torch.ops.aten.relu.default and relu._overloadname == "default" and relu._opname == "relu" and relu.namespace == "aten"
    assert add.Tensor.overloadpacket is add and add.overloads()[:2] == ["Tensor", "Scalar"]
    x = torch.tensor([-1.0, 2.0])
    assert relu(x).tolist() == [0, 2] and add(x, 1).tolist() == [0, 3] and add.Scalar(x, 1, 2).tolist() == [1, 4]
    assert add.Tensor(x, x, alpha=2).tolist() == [-3, 6] and add.Tensor(self=x, other=x).tolist() == [-2, 4]
    assert add.out(x, x, out=torch.empty(2)).tolist() == [-2, 4]
    with pytest.raises(RuntimeError, match=r"add\(\) takes 2 positional arguments but 3 were given; the schema is add.Tensor"):
        add.Tensor(x, x, 2)  # alpha has a name alone
    with pytest.raises(RuntimeError, match="sum"):
        torch.ops.aten.sum.default(x, [0])  # another overload
    with pytest.raises(AttributeError, match="'aten.index' has no overload name 'default'"):
        torch.ops.aten.index.default  # noqa: B018
    for f in (add, relu, torch.ops.aten):
        assert pickle.loads(pickle.dumps(f)) is f and copy.deepcopy(f) is f


@pytest.mark.parametrize(
    "program",
    [
        lambda x: torch.ops.aten.fill_(x + 0, 2.0),
        lambda x: torch.ops.aten.index_put(x, [torch.tensor([0])], torch.tensor(5.0)),
        lambda x: torch.ops.aten.index(x, [torch.tensor([0, 0])]),
        lambda x: torch.ops.aten.slice(x, 0, 1),
        lambda x: torch.ops.aten.copy_(x + 0, x * 2),
        lambda x: torch.ops.aten.zero_(x + 0),
        lambda x: torch.ops.aten.to(x, torch.float64),
        lambda x: torch.ops.aten.sum.dim_IntList(x, [0], keepdim=True),
        lambda x: torch.ops.aten.add.Tensor(x, x, alpha=3),
        lambda x: torch.ops.aten.zeros([2]) + x[0],
    ],
    ids=["fill_", "index_put", "index", "slice", "copy_", "zero_", "to", "sum", "add", "zeros"],
)  # fmt: skip
def test_a_symbolic_trace_spells_operators_of_torch_ops(program, tmp_path):
    x = torch.tensor([1.0, 2.0, 3.0])
    gm = fx.symbolic_trace(program)
    node = next(n for n in gm.graph.nodes if isinstance(n.target, _C.Builtin) and n.target.__module__ == "monograph._ops.aten")
    assert f"torch.ops.{node.target}(" in gm.code
    assert same(gm(x), program(x)) and same(gm.graph(x), program(x)) and same(run(gm.code, [x], gm), program(x))
    gm.graph.save(tmp_path / "g.mgraph")
    assert same(torch.load_graph(tmp_path / "g.mgraph")(x), program(x))
    assert same(pickle.loads(pickle.dumps(gm))(x), program(x)) and same(copy.deepcopy(gm)(x), program(x))


def test_nodes_of_overloads_are_named_and_resolved_as_torch_fx_does():
    gm = fx.symbolic_trace(lambda x: torch.ops.aten.add.Tensor(torch.ops.aten.relu.default(x), torch.ops.aten.sum(x, [0])))
    assert [n.name for n in gm.graph.nodes] == ["x", "relu_default", "sum_1", "add_tensor", "output"]
    assert [n.target for n in gm.graph.nodes][1] is torch.ops.aten.relu.default
    gm = fx.symbolic_trace(lambda x: (torch.ops.aten.fill_.Scalar(x, 1), x.exp())[1])
    gm.graph.eliminate_dead_code()
    assert [n.name for n in gm.graph.nodes] == ["x", "fill__scalar", "exp", "output"]


@pytest.mark.parametrize("name", sorted({name for name, _ in cases()}))
def test_the_code_of_one_call_computes_what_the_graph_computes(name, tmp_path):
    for case, arguments in cases_of()[name]:
        graph, inputs = graph_of(case, arguments, tmp_path / "graph.txt")
        code = graph._to_text("python")
        assert f"torch.ops.{case.replace('::', '.')}{'' if '.' in case else '.default'}(" in code
        assert same(run(code, [x.clone() for x in inputs]), graph(*[x.clone() for x in inputs])), code


@pytest.mark.oracle
def test_pytorch_has_the_same_names(oracle):
    theirs = oracle.run(
        "result = []\n"
        "for name in names:\n"
        "    namespace, _, rest = name.partition('::')\n"
        "    op, overload = rest.split('.')\n"
        "    try: getattr(getattr(getattr(torch.ops, namespace), op), overload)\n"
        "    except AttributeError: result.append(name)",
        names=[name for name in every_overload() if not is_copy(name)],
    )
    # Other names have all forms of their operator here, and in PyTorch some: subtract has no Scalar_out there.
    others = {name for name in theirs if is_other_name(name)}
    assert set(theirs) - others == OURS - {"aten::gather_backward.default", "prim::tolist.default"}  # which it has with other arguments
    assert len(others) < 30
    functions = {_C._qualified_name(f) for f in (*vars(torch).values(), *vars(torch.nn.functional).values()) if isinstance(f, _C.Builtin)}
    functions |= {_C._qualified_name(getattr(torch, name)) for name in torch.functional.__all__}
    lacking = oracle.run(
        "result = []\n"
        "for name in names:\n"
        "    at = torch\n"
        "    for part in name.split('.')[1:]: at = getattr(at, part, None)\n"
        "    if at is None: result.append(name)",
        names=sorted(name for name in functions if not is_copy(name)),
    )
    # Forms in place are functions here, methods alone in PyTorch; what gradients and canonical graphs use; and what PyTorch has in torch._VF alone.
    beside = [
        name
        for name in lacking
        if not name.endswith(("_", "_backward", ".alias", "_to_copy", "_nn.dropout", ".nonzero_numpy", ".unique_dim"))
    ]
    assert not beside, beside


@pytest.mark.oracle
def test_the_code_of_one_call_runs_in_pytorch(oracle, tmp_path):
    programs = []
    for name, arguments in cases():
        graph, inputs = graph_of(name, arguments, tmp_path / "graph.txt")
        if (name if "." in name else f"{name}.default") not in OURS and not is_copy(name):
            programs.append((graph._to_text("python"), inputs))
    errors = oracle.run(
        "result = []\n"
        "for code, inputs in programs:\n"
        "    names = {'torch': torch, 'inf': float('inf'), 'nan': float('nan'), 'device': torch.device}\n"
        "    try:\n"
        "        exec(code, names)\n"
        "        names['forward'](None, *inputs)\n"
        "    except Exception as error: result.append((code, str(error)))",
        programs=[
            (code, [np.array(x.detach().float() if x.dtype is torch.bfloat16 else x.detach(), order="C") for x in inputs])
            for code, inputs in programs
        ],
    )
    assert len(programs) > 800 and not errors, errors[:3]


_CASES: dict[str, list[Any]] = {}


def cases_of() -> dict[str, list[Any]]:
    if not _CASES:
        for name, arguments in cases():
            _CASES.setdefault(name, []).append((name, arguments))
    return _CASES


def module_of(tensors: dict[str, Any]) -> Any:
    """An object whose attributes are at these paths."""
    root = SimpleNamespace()
    for path, tensor in tensors.items():
        at = root
        *parents, last = path.split(".")
        for part in parents:
            at = at.__dict__.setdefault(part, SimpleNamespace())
        setattr(at, last, tensor)
    return root


@pytest.mark.parametrize("name", sorted(capture_programs.PROGRAMS))
def test_the_code_of_a_program_computes_what_its_graph_computes(name):
    model, inputs = capture_programs.PROGRAMS[name](capture_programs.Knobs())
    named = inputs if isinstance(inputs, dict) else {}
    traced = torch.jit.trace(model, None if named else inputs, example_kwarg_inputs=named or None, strict=False)
    graph = traced.inlined_graph
    inputs = [named[n.target] for n in graph.nodes if n.op == "placeholder"] if named else inputs
    attributes = [*graph.named_parameters(), *graph.named_buffers()]

    def copies(tree: Any) -> Any:
        return fx.node.map_aggregate(tree, lambda t: t.clone() if isinstance(t, torch.Tensor) else t)

    by_code = []
    with torch.no_grad():
        for form in (graph, graph.canonical()):
            tensors = {path: tensor.clone() for path, tensor in attributes}
            by_code.append((run(form._to_text("python"), copies(inputs), module_of(tensors)), tensors))
        wanted = graph(*copies(inputs))
    for result, tensors in by_code:
        assert same(result, wanted) and all(same(tensor, tensors[path]) for path, tensor in attributes)
