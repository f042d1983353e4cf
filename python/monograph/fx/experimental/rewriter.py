"""torch.fx.experimental.rewriter: rewrites the text of functions so that they can be traced: `assert` becomes torch._assert."""

from __future__ import annotations

import ast
import copy
import inspect
from types import CellType, FunctionType
from typing import Any

from ..._package import package
from ...nn import Module
from .._codegen import LEAVES
from .._symbolic_trace import Tracer, _wrapped_fns_to_patch, _wrapped_functions
from ..annotate import annotate
from ..graph import Graph


def _parsed(source: str) -> ast.Module:
    """The text of a function, which may be indented. Texts in quotes stay as they are."""
    if source[:1] not in " \t":
        return ast.parse(source)
    tree = ast.parse("if True:\n" + source)
    tree.body = tree.body[0].body  # type: ignore[attr-defined]
    ast.increment_lineno(tree, -1)
    return tree


class AST_Rewriter(ast.NodeTransformer):
    """Gives a function of the rewritten text. Derive from it, and add visit_ methods, to rewrite more."""

    def rewrite(self, fn: FunctionType) -> FunctionType:
        tree = _parsed(inspect.getsource(fn))
        tree = ast.fix_missing_locations(self.visit(tree))
        ast.increment_lineno(tree, fn.__code__.co_firstlineno - 1)
        definition = tree.body[0]
        definition.decorator_list = []  # fn is what they gave
        # A function around it gives the compiled code the same free names.
        outer = ast.parse(f"def _outer({', '.join(fn.__code__.co_freevars)}):\n    pass\n    return {definition.name}")
        around: Any = outer.body[0]
        around.body[0] = definition
        names = {"annotate": annotate, **fn.__globals__, "torch": fn.__globals__.get("torch", package())}
        exec(compile(ast.fix_missing_locations(outer), fn.__code__.co_filename, "exec"), names)
        made = names["_outer"](*(None for _ in fn.__code__.co_freevars))
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        closure = tuple(cells.get(name, CellType()) for name in made.__code__.co_freevars)
        # What torch.fx.wrap makes a leaf in the module of the function is one in these globals too.
        names[LEAVES] = (*names.get(LEAVES, ()), *(name for where, name in (*_wrapped_fns_to_patch, *_wrapped_functions) if where == id(fn.__globals__)))
        result = FunctionType(made.__code__, names, fn.__name__, fn.__defaults__, closure)
        result.__dict__.update(fn.__dict__)
        result.__kwdefaults__, result.__annotations__ = copy.copy(fn.__kwdefaults__), dict(fn.__annotations__)
        result.__qualname__, result.__module__, result.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
        return result

    def visit_Assert(self, node: ast.Assert) -> ast.Expr:
        call = ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch", ctx=ast.Load()), attr="_assert", ctx=ast.Load()),
            args=[node.test, node.msg or ast.Constant(value="")],
            keywords=[],
        )
        return ast.copy_location(ast.Expr(value=call), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """`y: T = f(x)` becomes `y = annotate(f(x), T)`, of torch.fx.annotate."""
        if node.value is None:
            return node
        call = ast.Call(func=ast.Name(id="annotate", ctx=ast.Load()), args=[node.value, node.annotation], keywords=[])
        return ast.copy_location(ast.Assign(targets=[node.target], value=call), node)


class RewritingTracer(Tracer):
    """A Tracer that records `assert` as torch._assert."""

    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(fn: Any) -> Any:
    """The function or module with rewritten text. A module is a copy that shares its tensors, and so are the modules inside."""
    if not isinstance(fn, Module):
        return AST_Rewriter().rewrite(fn)
    forward = type(fn).forward
    made = copy.copy(fn)
    made.__dict__["_modules"] = {
        name: child if child is None or Tracer().is_leaf_module(child, name) else _rewrite(child) for name, child in fn._modules.items()
    }
    if isinstance(forward, FunctionType):
        made.__class__ = type(type(fn).__name__, (type(fn),), {"forward": AST_Rewriter().rewrite(forward), "__module__": type(fn).__module__})
    return made
