"""Value, FunctionSchema and Type: the faces of a graph that TorchScript's API shows."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph import _C


def two_results(x, w):
    y, mean, rstd = torch.native_layer_norm(x, [3], w, None, 1e-5)
    return y * mean, y


@pytest.fixture
def graph():
    return torch.jit.trace(two_results, (torch.ones(2, 3), torch.ones(3))).inlined_graph


def test_inputs_and_outputs_are_values(graph):
    assert [v.debugName() for v in graph.inputs()] == ["x", "w"]
    (whole,) = graph.outputs()  # as in PyTorch: one tuple
    assert whole.node().kind() == "prim::TupleConstruct"
    product, normed = whole.node().inputs()
    assert product.node().kind() == "aten::mul"
    assert normed in list(product.node().inputs())
    assert repr(product).startswith(f"{product.debugName()} defined in (")


def test_a_value_is_its_node(graph):
    first, again = next(graph.inputs()), next(graph.inputs())
    assert first == again and hash(first) == hash(again) and first.node() is again.node()
    assert first != list(graph.inputs())[1]
    first.setDebugName("image")
    assert again.debugName() == "image" and "%image" in str(graph)


def test_results_and_uses(graph):
    norm = next(n for n in graph.nodes if n.kind() == "aten::native_layer_norm")
    y, mean, rstd = norm.outputs()
    assert [(use.user.kind(), use.offset) for use in y.uses()] == [("aten::mul", 0), ("prim::TupleConstruct", 1)]
    assert [(use.user.kind(), use.offset) for use in mean.uses()] == [("aten::mul", 1)]
    assert rstd.uses() == [] and rstd.node() is norm and [v.offset() for v in (y, mean, rstd)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="has 3 results"):
        norm.output()
    assert list(next(n for n in graph.nodes if n.kind() == "prim::Return").outputs()) == []


def test_replacing_all_uses(graph):
    x, w = graph.inputs()
    norm = next(n for n in graph.nodes if n.kind() == "aten::native_layer_norm")
    w.replaceAllUsesWith(x)
    assert [v for v in norm.inputs() if v.node().kind() == "prim::Param"] == [x, x] and w.uses() == []


def test_types(graph):
    x = next(graph.inputs())
    assert x.type().kind() == "TensorType" and str(x.type()) == x.node().value_type
    assert x.type().sizes() == [None, None]  # symbols
    some = _C.parse_schema("a::b(int[2] x, Tensor? y=None) -> Tensor[]")
    pair, maybe = (a.type for a in some.arguments)
    assert pair.kind() == "ListType" and pair.getElementType().kind() == "IntType" and some.arguments[0].N == 2
    assert maybe.kind() == "OptionalType" and maybe.getElementType() == some.returns[0].type.getElementType()
    with pytest.raises(AttributeError, match="sizes"):
        pair.sizes()


def test_schemas(graph):
    add, *_ = torch.ops.aten.add._schemas
    assert str(add) == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert (add.name, add.overload_name, add.is_mutable) == ("aten::add", "Tensor", False)
    alpha = add.arguments[2]
    assert alpha.kwarg_only and alpha.has_default_value() and alpha.default_value == 1 and alpha.alias_info is None
    assert not add.arguments[0].has_default_value() and add.arguments[0].default_value is None
    into = next(s for s in torch.ops.aten.add._schemas if s.overload_name == "out")
    assert into.arguments[-1].is_out and into.arguments[-1].alias_info.is_write and into.is_mutable
    view = torch.ops.aten.view._schemas[0]
    assert view.arguments[0].alias_info.before_set == {"a"} and not view.arguments[0].alias_info.is_write
    assert _C.parse_schema(str(view)) == view and hash(_C.parse_schema(str(view))) == hash(view)
    assert next(next(graph.outputs()).node().inputs()).node().schema() == torch.ops.aten.mul._schemas[0]
    assert next(graph.inputs()).node().schema() is None
    with pytest.raises(RuntimeError, match="column"):
        _C.parse_schema("aten::add(Tensor self")


def test_types_are_unified():
    """As PyTorch 2.13 answers."""

    def unified(*words):
        return str(torch.unify_type_list([torch.parse_schema(f"f({word} x) -> ()").arguments[0].type for word in words]))

    assert unified("int", "int") == "int" and unified("Tensor", "Tensor?", "Tensor") == unified("Tensor?") == "Optional[Tensor]"
    assert unified("(int, int?)", "(int?, int)") == "Tuple[Optional[int], Optional[int]]" and unified("int[]", "int[]") == "List[int]"
    with pytest.raises(RuntimeError, match=r"Could not unify type list since element 1 of type float did not match the types before it \(int\)"):
        unified("int", "float")
    with pytest.raises(RuntimeError, match="Cannot get unified type from empty list"):
        torch.unify_type_list([])


# empty has no memory_format yet; gather_backward is an operator of ours that has another's name.
OTHERWISE = {"empty", "gather_backward", "grid_sampler_2d_backward", "grid_sampler_3d_backward"}  # the last two take the mask as a number
# Factories of integers state dtype=None, which stands for int64; PyTorch states int64, by its number.
OF_INT64 = {"randint", "randperm", "tril_indices", "triu_indices"}


@pytest.mark.oracle
def test_schemas_have_what_pytorchs_have(oracle):
    """Every overload that PyTorch has too: names, defaults, kinds, alias marks."""
    ours = {}
    for functions in _C._functions().values():
        for function in functions.values():
            for s in function._schemas:
                if s.name.startswith("aten::"):
                    ours[s.name[6:], s.overload_name or "default"] = shown(s)
    theirs = oracle.run(
        "result = {}\n"
        "for base, overload in names:\n"
        "    try: s = getattr(getattr(torch.ops.aten, base), overload)._schema\n"
        "    except AttributeError: continue\n"
        "    result[base, overload] = [s.is_mutable, [[a.name, repr(a.default_value), a.has_default_value(), a.kwarg_only, a.N, a.is_out,"
        " None if a.alias_info is None else [a.alias_info.is_write, sorted(a.alias_info.before_set), sorted(a.alias_info.after_set)]]"
        " for a in [*s.arguments, *s.returns]]]",
        names=list(ours),
    )
    assert len(theirs) > 300
    bare = lambda mark: mark and [mark[0], [n.rsplit("::")[-1] for n in mark[1]], [n.rsplit("::")[-1] for n in mark[2]]]  # noqa: E731
    for key, (mutable, arguments) in theirs.items():
        expected = [[*a[:-1], bare(a[-1])] for a in arguments]
        if key[0] in OF_INT64:
            expected = [[name, {"4": "None"}[default] if name == "dtype" else default, *rest] for name, default, *rest in expected]
        if key == ("add_", "t"):  # Python's += of lists gives the list itself, which PyTorch's schema does not mark
            expected[-1][-1] = [True, ["a"], ["a"]]
        if key == ("quantize_per_tensor", "tensors_out"):  # its out= is a list of tensors
            continue
        if key[0] not in OTHERWISE:
            assert ours[key] == [mutable, expected], key


def shown(s):
    marks = [
        a.alias_info and [a.alias_info.is_write, sorted(a.alias_info.before_set), sorted(a.alias_info.after_set)]
        for a in [*s.arguments, *s.returns]
    ]
    return [
        s.is_mutable,
        [
            [a.name, repr(a.default_value), a.has_default_value(), a.kwarg_only, a.N, a.is_out, mark]
            for a, mark in zip([*s.arguments, *s.returns], marks)
        ],
    ]
