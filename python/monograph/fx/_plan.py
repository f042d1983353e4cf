"""Makes a plan of the generated code of a GraphModule: a list of steps that C++ runs, so that two threads run one GraphModule at once.

    def forward(self, x):
        relu = torch.relu(x)       a step of C++: torch.relu is an operator
        add = relu + 1             the same, where relu is a tensor or a number when the step runs
        size = add.size(0)         the same
        l = self.l(add)            the operators that this line called when it was recorded (_recorded.py); the same for x[0] and nn.functional
        mine = f(l)                a step that calls a Python function made from this line

The plan is made from the text of the code, not from the graph, which may have been edited since. A Python step has the file and line of the generated code, so
tracebacks show the same lines. python/bindings/call_plan.cpp runs the steps, or says that the code itself has to run.
"""

from __future__ import annotations

import ast
import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module, functional
from ..nn.parameter import Parameter
from ._recorded import is_function_of_library, is_of_library, recorder

FEWEST_STEPS = 16  # a plan is made only for code with at least this many C++ steps
_SLOT = type(int.__add__)  # the type of operator methods that C defines; one that a class defines in Python is a function

def _by_class(form: str, kind: Any, written: Callable[[Any], str]) -> dict[type, str]:
    """The names of Python's operators of one form ("binary"), by their classes in a syntax tree (ast.Add). `written` gives the symbol of an instance."""
    names = {symbol: name for name, symbol, of_form in _C._python_operators() if of_form == form and symbol}
    symbols = {operator: written(operator()) for operator in kind.__subclasses__()}
    return {operator: names[symbol] for operator, symbol in symbols.items() if symbol in names}


_A = ast.Name("a", ast.Load())
_BINARY = _by_class("binary", ast.operator, lambda op: ast.unparse(ast.BinOp(_A, op, _A)).split()[1])
_COMPARISONS = _by_class("comparison", ast.cmpop, lambda op: ast.unparse(ast.Compare(_A, [op], [_A])).split()[1])
_UNARY = _by_class("unary", ast.unaryop, lambda op: ast.unparse(ast.UnaryOp(op, _A)).removesuffix("a"))
del _UNARY[ast.UAdd]  # +x is x itself
_FACTS: dict[str, bool] = _C._tensor_facts()


class _PythonOnly(Exception):
    """Raised where a line, or the whole code, has to run in Python."""


@dataclass
class _Line:
    """One statement of the code, as a step of the plan."""

    statement: ast.stmt
    kind: str
    target: Any = None
    operands: tuple[Any, ...] = ()
    keywords: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    frees: list[str] = field(default_factory=list)
    layer: tuple[str, ...] | None = None  # for a line that can be recorded: the path of the layer that it calls, or (); else None


def _names(tree: ast.AST, of: type) -> list[str]:
    return list(dict.fromkeys(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, of)))


# Statements and expressions that change the names of a function, or leave it. A line with one of them cannot become a function of its own.
_WHOLE = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Delete, ast.Try, ast.With)


class _StatementReader:
    """Reads the statements of the generated function."""

    def __init__(self, function: ast.FunctionDef, names: dict[str, Any], root: Any):
        self.globals, self.root = names, root
        self.parameters = [a.arg for a in function.args.args]
        self.locals = {*self.parameters, *_names(function, ast.Store)}
        # The plan holds as long as these do not change: the values of global names, by (name, attributes), and methods of Tensor by name.
        self.used: dict[tuple[str, tuple[str, ...]], Any] = {}
        self.methods: dict[str, Any] = {}
        self.lines = [line for line in map(self.line, function.body) if line is not None]

    def line(self, s: ast.stmt) -> _Line | None:
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None:
            if not all(isinstance(t, ast.Name) for t in s.targets):
                raise _PythonOnly
            return _Line(s, "free", frees=[t.id for t in s.targets if isinstance(t, ast.Name)])
        if isinstance(s, ast.Return):
            reads = tuple(n for n in _names(s, ast.Load) if n in self.locals)
            return _Line(s, "return", reads=reads)
        if isinstance(s, ast.Pass):
            return None
        if any(isinstance(n, _WHOLE) for n in ast.walk(s)):
            raise _PythonOnly
        value, name = _assigned(s)
        if value is not None and name is not None:
            path = self.attribute(value)
            if path is not None:
                return _Line(s, "attribute", target=path, reads=("self",), writes=(name,))
            layer = self.recordable(value)
            try:
                kind, target, operands, keywords = self.call(value)
            except _PythonOnly:
                if layer is not None:
                    return _Line(s, "recorded", None, (), (), self.reads(s), (name,), layer=layer)
            else:
                return _Line(s, kind, target, operands, keywords, self.reads(s), (name,), layer=layer if kind == "part" else None)
        return _Line(s, "python", reads=self.reads(s), writes=tuple(_names(s, ast.Store)))

    def reads(self, s: ast.stmt) -> tuple[str, ...]:
        names = _names(s, ast.Load)
        if isinstance(s, ast.AugAssign):
            names += _names(s.target, ast.Store)
        return tuple(n for n in dict.fromkeys(names) if n in self.locals)

    def attribute(self, e: ast.expr) -> tuple[str, ...] | None:
        """The path of an attribute of self: ("layers", "weight") for self.layers.weight, ("layers", "0") for getattr(self.layers, "0"). None for others."""
        path = []
        while True:
            if isinstance(e, ast.Attribute):
                path.append(e.attr)
                e = e.value
            elif isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "getattr" and len(e.args) == 2 and not e.keywords:
                if "getattr" in self.locals or "getattr" in self.globals or not isinstance(e.args[1], ast.Constant) or type(e.args[1].value) is not str:
                    return None
                path.append(e.args[1].value)
                e = e.args[0]
            else:
                return tuple(reversed(path)) if path and isinstance(e, ast.Name) and e.id == "self" else None

    def recordable(self, e: ast.expr) -> tuple[str, ...] | None:
        """For a line that only calls one layer, function or method of the library, or reads an item: the path of the layer, or () without a layer. None for
        others."""
        if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name) and e.value.id in self.locals:
            return () if self.is_plain(e.slice) else None
        if not isinstance(e, ast.Call) or any(k.arg is None for k in e.keywords) or not all(map(self.is_plain, (*e.args, *(k.value for k in e.keywords)))):
            return None
        path = self.attribute(e.func)
        if path is not None:
            layer: Any = self.root
            for name in path:
                layer = getattr(layer, name, None)
            return path if is_of_library(layer) else None
        try:
            if isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Name) and e.func.value.id in self.locals:
                method = _C._type_attribute(Tensor, e.func.attr)
                if method is None:  # keys() of a dict
                    return None
                self.methods[e.func.attr] = method
                return () if e.func.value.id != "self" and _C._is_operator(method) else None
            function = self.named(e.func)
        except _PythonOnly:
            return None
        return () if _C._is_operator(function) or is_function_of_library(function) else None

    def is_plain(self, e: ast.expr) -> bool:
        """Whether an argument consists of values of the code and constants only."""
        if isinstance(e, ast.Name):
            return e.id != "self" if e.id in self.locals else e.id in ("slice", "Ellipsis") and e.id not in self.globals or self.is_constant(e)
        if isinstance(e, ast.Attribute):
            return self.is_constant(e)
        if isinstance(e, ast.Call):
            return isinstance(e.func, ast.Name) and e.func.id == "slice" and not e.keywords and "slice" not in {*self.locals, *self.globals} and all(map(self.is_plain, e.args))
        if isinstance(e, (ast.Tuple, ast.List)):
            return all(map(self.is_plain, e.elts))
        if isinstance(e, ast.Slice):
            return all(self.is_plain(x) for x in (e.lower, e.upper, e.step) if x is not None)
        return isinstance(e, ast.Constant) or isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant)

    def is_constant(self, e: ast.expr) -> bool:
        try:
            _constant(self.named(e))
        except _PythonOnly:
            return False
        return True

    def call(self, e: ast.expr) -> tuple[str, Any, tuple[Any, ...], tuple[str, ...]]:
        if isinstance(e, ast.BinOp) and type(e.op) in _BINARY:
            return "binary", self.operator(_BINARY[type(e.op)]), (self.operand(e.left), self.operand(e.right)), ()
        if isinstance(e, ast.UnaryOp) and type(e.op) in _UNARY:
            return "unary", self.operator(_UNARY[type(e.op)]), (self.operand(e.operand),), ()
        if isinstance(e, ast.Compare) and len(e.ops) == 1 and type(e.ops[0]) in _COMPARISONS:
            return "comparison", self.operator(_COMPARISONS[type(e.ops[0])]), (self.operand(e.left), self.operand(e.comparators[0])), ()
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and _FACTS.get(e.attr) is False:
            return "fact", self.fact(e.attr), (self.operand(e.value),), ()
        if isinstance(e, ast.Subscript):
            return "part", None, (self.operand(e.value), self.operand(e.slice)), ()
        if not isinstance(e, ast.Call) or any(k.arg is None for k in e.keywords) or not isinstance(e.func, ast.Attribute):
            raise _PythonOnly
        keywords = tuple(str(k.arg) for k in e.keywords)
        operands = tuple(self.operand(a) for a in (*e.args, *(k.value for k in e.keywords)))
        owner = e.func.value
        if isinstance(owner, ast.Name) and owner.id in self.locals and _FACTS.get(e.func.attr) and not keywords and len(operands) <= (e.func.attr == "size"):
            return "fact", self.fact(e.func.attr), (self.operand(owner), *operands), ()
        if isinstance(owner, ast.Name) and owner.id in self.locals:
            method = _C._type_attribute(Tensor, e.func.attr)
            if owner.id == "self" or method is None or not _C._may_be_step(method, True, len(e.args) + 1, keywords):
                raise _PythonOnly
            self.methods[e.func.attr] = method
            return "method", method, (self.operand(owner), *operands), keywords
        function = self.named(e.func)
        if not _C._may_be_step(function, False, len(e.args), keywords):
            raise _PythonOnly
        return "function", function, operands, keywords

    def fact(self, name: str) -> str:
        self.methods[name] = _C._type_attribute(Tensor, name)
        return name

    def operator(self, name: str) -> str:
        """The name itself, if C++ defines this operator of tensors; a method that was replaced in Python has to run in Python."""
        stem = name.rstrip("_")
        for method_name in (f"__{stem}__", f"__r{stem}__"):
            method = _C._type_attribute(Tensor, method_name)
            if method is not None and not isinstance(method, _SLOT):
                raise _PythonOnly
            self.methods[method_name] = method
        return name

    def named(self, e: ast.expr) -> Any:
        """The value of a global name or of its attribute, such as torch.relu."""
        path: list[str] = []
        expression = e
        while isinstance(e, ast.Attribute):
            path.insert(0, e.attr)
            e = e.value
        if not isinstance(e, ast.Name) or e.id in self.locals or e.id not in self.globals:
            raise _PythonOnly
        value = self.globals[e.id]
        for name in path:
            value = getattr(value, name, None)
        if value is None or isinstance(expression, ast.Name) and isinstance(value, Tensor):
            raise _PythonOnly
        self.used[e.id, tuple(path)] = value
        return value

    def operand(self, e: ast.expr) -> tuple[str, Any]:
        if isinstance(e, ast.Name) and e.id in self.locals:
            if e.id == "self":
                raise _PythonOnly
            return "register", e.id
        if isinstance(e, ast.Constant) or isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) and isinstance(e.operand, ast.Constant):
            return _constant(ast.literal_eval(e))
        if isinstance(e, (ast.List, ast.Tuple)):
            return "list" if isinstance(e, ast.List) else "tuple", tuple(self.operand(x) for x in e.elts)
        if isinstance(e, (ast.Attribute, ast.Name)):
            return _constant(self.named(e))
        raise _PythonOnly


def _constant(value: Any) -> tuple[str, Any]:
    if value is None:
        return "constant", None
    plain = type(value) in (bool, int, float, complex, str) or isinstance(value, (_C.dtype, _C.memory_format, _C.layout))
    if not plain or isinstance(value, int) and not -(2**63) <= value < 2**63 or not _C._may_be_constant(value):
        raise _PythonOnly
    return "constant", value


def _assigned(s: ast.stmt) -> tuple[ast.expr | None, str | None]:
    """The value and the name of `name = value`."""
    if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
        return s.value, s.targets[0].id
    if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) and s.value is not None:
        return s.value, s.target.id
    return None, None


class Lines:
    """The statements as Python functions, compiled at first use. They have the file and lines of the generated code."""

    def __init__(self, where: str, function: str, names: dict[str, Any]):
        self.where, self.name, self.globals = where, function, names
        self.lines: list[tuple[_Line, tuple[int, ...], tuple[int, ...]]] = []  # by step: the line, the registers that it reads, and those that it writes
        self.functions: dict[int, Any] = {}  # by step
        self.raisers: dict[int, Any] = {}  # by step

    def function(self, step: int) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
        """A function of the values that the step reads, the registers that they come from, and those that its results go to."""
        line, inputs, results = self.lines[step]
        function = self.functions.get(step)
        if function is None:
            if line.kind == "return":
                body = [line.statement]
            else:
                names = [ast.Name(w, ast.Load()) for w in line.writes]
                body = [line.statement, ast.Return(names[0] if len(names) == 1 else ast.Tuple(list(names), ast.Load()))]
            function = self.functions[step] = self._compiled(body, [n for n in line.reads if n != "self"], self.globals)
        return function, inputs, results

    def text(self, step: int) -> str:
        return ast.unparse(self.lines[step][0].statement)

    def alone(self, step: int) -> Any:
        return self.function(step)[0]

    def raiser(self, step: int) -> Any:
        """A function that raises the error of the last operator, with the place of the step in its traceback."""
        raiser = self.raisers.get(step)
        if raiser is None:
            place = self.lines[step][0].statement.value  # type: ignore[attr-defined]
            function = ast.copy_location(ast.Name("__fx_raise__", ast.Load()), place)
            body = ast.copy_location(ast.Expr(ast.copy_location(ast.Call(function, [], []), place)), place)
            raiser = self.raisers[step] = self._compiled([body], [], {"__fx_raise__": _C._rethrow})
        return raiser

    def _compiled(self, body: list[Any], parameters: list[str], names: dict[str, Any]) -> Any:
        arguments = ast.arguments([], [ast.arg("self"), *map(ast.arg, parameters)], None, [], [], None, [])
        definition = ast.copy_location(ast.FunctionDef(self.name, arguments, body, [], None), body[0])
        for added in body[1:]:
            ast.copy_location(added, body[0])
        module = ast.fix_missing_locations(ast.Module([definition], []))
        namespace: dict[str, Any] = {}
        code = compile(module, self.where, "exec")
        exec(code, names, namespace)
        return namespace[self.name]


class _PlanParts:
    """A plan in the form that _C._CallPlan takes: steps over registers. C++ reads the attributes by their names."""

    def __init__(self, reader: _StatementReader, where: str, function: str):
        self.lines = Lines(where, function, reader.globals)
        self.parameter_type, self.module_getattr, self.functional = Parameter, _C._type_attribute(Module, "__getattr__"), vars(functional)
        self.root = weakref.ref(reader.root)
        registers = {name: k for k, name in enumerate(n for n in reader.parameters if n != "self")}
        self.inputs = len(registers)
        self.steps: list[tuple[Any, ...]] = []
        self.attributes: list[tuple[int, tuple[str, ...]]] = []
        self.result = -1
        self.native = 0
        for k, line in enumerate(reader.lines):
            self._add(line, registers, reader.lines[k + 1 :])
        self.registers = len(registers)
        self.names = [(reader.globals, root, path, found) for (root, path), found in reader.used.items()]
        self.methods = list(reader.methods.items())

    def _add(self, line: _Line, registers: dict[str, int], rest: list[_Line]) -> None:
        if self.result >= 0:
            raise _PythonOnly  # code after the return
        if line.kind == "free":
            freed = [registers[name] for name in line.frees if name in registers]
            if self.steps:
                self.steps[-1][5].extend(freed)
            return
        if line.kind == "return":
            value = line.statement.value  # type: ignore[attr-defined]
            if isinstance(value, ast.Name) and value.id in registers:
                self.result = registers[value.id]
                return
            line.writes = ("",)  # the result gets a register without a name
        if any(name not in registers for name in line.reads if name != "self"):
            raise _PythonOnly  # the name is assigned on some paths only
        reads = tuple(registers[name] for name in line.reads if name != "self")
        writes = line.writes
        if isinstance(line.statement, (ast.If, ast.While, ast.For)):
            used = {name for later in rest for name in later.reads}
            writes = line.writes = tuple(name for name in writes if name in used)
        first_assignment = not any(name in registers for name in writes)
        results = [registers.setdefault(name, len(registers)) for name in writes]
        if line.kind == "attribute" and first_assignment and not any(step[0] == "python" for step in self.steps):
            self.attributes.append((results[0], line.target))
            return
        self.lines.lines.append((line, reads, tuple(results)))
        if line.kind in ("python", "attribute", "return"):
            self.steps.append(("python", self.lines.function(len(self.steps))[0], reads, (), results, [], None))
            self.result = results[0] if line.kind == "return" else -1
            return
        self.native += 1
        operands = tuple(_in_registers(o, registers) for o in line.operands)
        recorded = None
        if line.layer is not None:
            recorded = recorder(self.root, line.layer, functools.partial(self.lines.alone, len(self.steps))), line.layer, reads
        self.steps.append((line.kind, line.target, operands, line.keywords, results, [], recorded))


def _in_registers(operand: tuple[str, Any], registers: dict[str, int]) -> tuple[str, Any]:
    """An operand with the numbers of registers in place of names."""
    kind, value = operand
    if kind == "register":
        return kind, registers[value]
    return (kind, value) if kind == "constant" else (kind, tuple(_in_registers(o, registers) for o in value))


def _without_trees(function: ast.FunctionDef) -> bool:
    """Makes the function that a _PyTreeCodeGen wrote one of leaves: without the lines that flatten its arguments and build its result. False if it is not such
    a function."""
    statements = list(function.body)
    while statements and isinstance(statements[0], ast.AnnAssign) and statements[0].value is None:
        del statements[0]  # x : torch.Tensor;
    if len(statements) < 2:
        return False
    first, last = statements[0], statements[-1]
    if not isinstance(first, ast.Assign) or not _calls(first.value, "fx_pytree.tree_flatten_spec") or not isinstance(first.targets[0], ast.Tuple):
        return False
    leaves = [t.id for t in first.targets[0].elts if isinstance(t, ast.Name)]
    if isinstance(last, ast.Return) and _calls(last.value, "pytree.tree_unflatten"):
        last.value = last.value.args[0]  # type: ignore[union-attr]
    function.args.args = [ast.arg(name) for name in ("self", *(n for n in leaves if n != "self"))]
    function.args.defaults, function.body = [], statements[1:]
    return True


def _calls(e: ast.expr | None, name: str) -> bool:
    return isinstance(e, ast.Call) and ast.unparse(e.func) == name


def plan_of(text: str, forward: Any, root: Any, takes_trees: bool = False) -> Any:
    """The plan of a function that was compiled from this text, for this module; None where running the code itself is as good.

    takes_trees: the code flattens its arguments first. Then the plan takes their leaves, and gives those of the result.
    """
    where, name, global_names = forward.__code__.co_filename, forward.__name__, forward.__globals__
    definitions = [s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef) and s.name == name]
    if len(definitions) != 1:
        return None
    a = definitions[0].args
    if definitions[0].decorator_list or a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg or not a.args or a.args[0].arg != "self":
        return None
    if takes_trees and not _without_trees(definitions[0]):
        return None
    try:
        reader = _StatementReader(definitions[0], global_names, root)
        plan = _PlanParts(reader, where, name)
    except _PythonOnly:
        return None
    if plan.native < FEWEST_STEPS or plan.result < 0:
        return None
    return _C._CallPlan(plan)
