"""The CodeGen of a graph whose function takes or returns lists, dicts and other trees: the graph itself has their leaves as inputs and results.

    gm = fx.symbolic_trace(lambda d: d["a"] + d["b"], {"d": {"a": PH, "b": PH}})

    def forward(self, d):
        d_1, d_2, = fx_pytree.tree_flatten_spec([d], self._in_spec)
        add = d_1 + d_2;  d_1 = d_2 = None
        return pytree.tree_unflatten([add], self._out_spec)

After graph.set_codegen(CodeGen()) and recompile(), the module takes the leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import _C, _tree
from .._tree import NODES, TreeSpec
from . import _pytree
from ._codegen import CodeGen


class _PyTreeInfo(NamedTuple):
    """The names of the function's parameters ("self" first, of a module's forward), the tree of its arguments, and that of its result."""

    orig_args: list[str]
    in_spec: TreeSpec
    out_spec: TreeSpec | None


class _PyTreeCodeGen(CodeGen):
    """Writes code that flattens the arguments and builds the result again."""

    of_signature = False  # whether in_spec has one child for each parameter. If not, it may be (positional arguments, keyword arguments).

    def __init__(self, pytree_info: _PyTreeInfo):
        super().__init__()
        self.pytree_info = pytree_info

    # Values --------------------------------------------------------------------------------------------------------------------------
    def process_inputs(self, *inputs: Any) -> Any:
        """The leaves of the arguments. Arguments of another structure than in_spec give all leaves that they have."""
        specs = self._specs_of_arguments()
        return [leaf for k, value in enumerate(inputs) for leaf in _leaves_like(value, specs[k] if k < len(specs) else None)]

    def process_outputs(self, out: Any) -> Any:
        """The result of the function, of the leaves that the graph returns."""
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        return self.pytree_info.out_spec.unflatten(out if isinstance(out, (list, tuple)) else [out])

    def _specs_of_arguments(self) -> list[TreeSpec]:
        """The trees of the positional arguments, without the module; [] if they are not known."""
        names, spec = self.pytree_info.orig_args, self.pytree_info.in_spec
        if self._has_keywords():
            return spec.child(0).children()
        return spec.children()[_takes_self(names) :] if spec.num_children == len(names) else []

    def _has_keywords(self) -> bool:
        """Whether in_spec is that of (args, kwargs)."""
        spec = self.pytree_info.in_spec
        return not self.of_signature and spec.type is tuple and spec.num_children == 2 and spec.child(0).type is tuple and spec.child(1).type is dict

    # Text ----------------------------------------------------------------------------------------------------------------------------
    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = self.pytree_info.orig_args
        if _takes_self(names):
            free_vars.insert(0, "self")
        parameters = [name if name.startswith("*") else name + default for name, default in zip(names, self._defaults(free_vars), strict=True)]
        head = super().gen_fn_def(parameters, maybe_return_annotation, expanded_def=expanded_def)
        return head + self.gen_var_bindings(names, free_vars, expanded_def) if free_vars else head

    def _defaults(self, free_vars: list[str]) -> list[str]:
        """The default of each parameter as text, " = 2" or "": that of its first leaf."""
        names, spec = self.pytree_info.orig_args, self.pytree_info.in_spec
        texts = [f" = {default}" if equals else "" for _, equals, default in (v.partition(" = ") for v in free_vars)]
        if spec.num_children != len(names) or spec.num_leaves != len(free_vars):
            return [""] * len(names)
        leaves, defaults = iter(texts), list[str]()
        for child in spec.children():
            of_child = [next(leaves) for _ in range(child.num_leaves)]
            after_default = bool(defaults and defaults[-1])  # Python wants one here, too
            defaults.append(of_child[0] if of_child else " = None" if after_default else "")
        return defaults

    def gen_var_bindings(self, fn_args: list[str], free_vars: list[str], expanded_def: bool) -> str:
        """The lines that give the placeholders the leaves of the arguments."""
        declared = [v.partition(" = ")[0] for v in free_vars]
        given = f"[{', '.join(a.lstrip('*') for a in fn_args)}]"
        if self._has_keywords():
            args, kwargs = self.pytree_info.in_spec.children()
            positional, keywords = fn_args[: args.num_children], fn_args[args.num_children :]
            named = ", ".join(f"'{key}':{name}" for key, name in zip(kwargs.context, keywords, strict=False))
            given = f"([{', '.join(positional)}], {{{named}}})"
        annotated = [v for v in declared if ":" in v]
        notes = ""
        if annotated:
            notes = "\n    " + ("\n    ".join(annotated) if expanded_def else "".join(v + "; " for v in annotated) + "\n")
        leaves = ", ".join(v.lstrip("*").split(":")[0].split("#")[0] for v in declared)
        return f"{notes}\n    {leaves}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"

    def generate_output(
        self, output_args: Any, *, descs: Sequence[str] | None = None, repr_fn: Callable[[Any], str] | None = None
    ) -> str:
        text = super().generate_output(output_args, descs=descs, repr_fn=repr_fn)
        if not (self.pytree_info and self.pytree_info.out_spec):
            return text
        return f"return pytree.tree_unflatten({text.removeprefix('return ')}, self._out_spec)"


def _takes_self(names: list[str]) -> bool:
    return names[:1] == ["self"]


def _leaves_like(value: Any, spec: TreeSpec | None) -> list[Any]:
    """The parts of a value where the spec has leaves; all of its leaves, if it has another structure."""
    if spec is not None and spec.is_leaf():
        return [value]
    kind = _tree.node_type(value)
    if spec is None or (kind != spec.type and not (kind in _tree.DICTS and spec.type in _tree.DICTS)):
        return _tree.leaves_of(value)
    children_of = _pytree.SUPPORTED_NODES.get(spec.type)
    children = children_of(value, spec) if children_of is not None else NODES[kind].flatten_fn(value)[0]
    return [leaf for part, inner in zip(children, spec.children(), strict=False) for leaf in _leaves_like(part, inner)]


@_C._natively
def _with_leaves(spec: TreeSpec, leaves: tuple[Any, ...]) -> Any:
    return spec.unflatten(leaves)


@_C._natively
def _flat_result(graph: Any, result: Any) -> list[Any]:
    """The leaves of the function's result. The CodeGen gets their tree."""
    leaves, spec = _tree.flatten(result)
    codegen = graph._codegen
    if not isinstance(codegen, _PyTreeCodeGen):
        raise AssertionError(f"Expected _codegen to be _PyTreeCodeGen, got {type(codegen)}: the graph got another CodeGen while the function was traced")
    codegen.pytree_info = codegen.pytree_info._replace(out_spec=spec)
    return leaves


def flat_function(graph: Any, names: list[str], arguments: list[Any], call: Callable[..., Any]) -> tuple[Callable[..., Any], list[Any]]:
    """A function that takes the leaves of these arguments and returns those of call(*arguments), and these leaves. The graph gets a CodeGen for it.

    names: of the parameters; arguments: one for each, "self" and the module first for a method.
    """
    leaves, spec = _tree.flatten(tuple(arguments))
    graph._codegen = codegen = _PyTreeCodeGen(_PyTreeInfo(names, spec, None))
    codegen.of_signature = True

    def flatten_fn(*args: Any) -> Any:
        return _flat_result(graph, call(*_with_leaves(spec, args)))

    return flatten_fn, leaves


for _class in (_PyTreeInfo, _PyTreeCodeGen):
    _class.__module__ = "monograph.fx.graph"
