"""Reads one file: which names of torch its text uses, by Python's `ast`, and which modules it imports.

A scope knows what its names are bound to: a name of torch ("torch.nn" after `from torch import nn`), a value that is plainly a tensor, or anything else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ._names import gives_tensor, is_module, names_in

_TENSOR = "a tensor"  # what a name is bound to, where it is plainly one
_OTHER = "something else"
_SAME_TENSOR = ("T", "mT", "H", "mH", "data", "grad", "real", "imag")  # attributes of a tensor that are tensors
_CATCH_ALL = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException", "NotImplementedError", "RuntimeError"}
_NEVER_HERE = {"torch.cuda.is_available", "torch.backends.mps.is_available", "torch.xpu.is_available", "torch.mps.is_available", "torch.distributed.is_available"}


@dataclass(frozen=True)
class NameUse:
    """One place where a file uses a name of torch, or calls a method that may be a tensor's."""

    name: str  # torch.nn.Linear.weight; of a method: its name alone
    line: int
    method: bool = False
    plainly: bool = True  # of a method: whether the receiver is plainly a tensor
    guarded: bool = False  # in a `try` that catches what a missing name raises, or behind a question whose answer is no here


@dataclass
class Imported:
    """A module that the file imports: `level` dots, then the name; `names` are what `from` takes out of it."""

    module: str
    level: int
    names: list[str]


@dataclass
class Reading:
    uses: list[NameUse] = field(default_factory=list)
    imports: list[Imported] = field(default_factory=list)


def read(text: str, file: str) -> Reading:
    """SyntaxError where the text is not Python."""
    reader = _UseReader()
    reader.visit(ast.parse(text, file))
    return reader.reading


class _Scope:
    def __init__(self, is_class: bool = False) -> None:
        self.bound: dict[str, str] = {}
        self.is_class = is_class


def _imported(call: ast.Call) -> str | None:
    """The module of torch that importlib.import_module("torch.nn") gives, or __import__("torch"), which gives the outermost one."""
    name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    if not isinstance(name, str) or name.partition(".")[0] != "torch":
        return None
    called = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name if called == "import_module" else "torch" if called == "__import__" else None


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that a target of an assignment binds."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from _targets(part)
    elif isinstance(node, ast.Starred):
        yield from _targets(node.value)


def _pairs(target: ast.expr, value: ast.expr | None) -> list[tuple[ast.expr, ast.expr]]:
    """The parts of two tuples of one length, without stars: which part of a target gets which value."""
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(value, (ast.Tuple, ast.List)) or len(target.elts) != len(value.elts):
        return []
    stars = any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts])
    return [] if stars else list(zip(target.elts, value.elts, strict=True))


def _names_of(types: ast.expr | None) -> Iterable[str]:
    """The last names of the exceptions that a handler catches; all, where it names none."""
    if types is None:
        return ["BaseException"]
    parts = types.elts if isinstance(types, ast.Tuple) else [types]
    return [p.id if isinstance(p, ast.Name) else p.attr if isinstance(p, ast.Attribute) else "" for p in parts]


class _UseReader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.reading = Reading()
        self.scopes = [_Scope()]
        self.guards = 0
        self.asked: list[str] = []  # names that hasattr() was asked for, in the branches above

    # ---- what names mean ----

    def bind(self, name: str, meaning: str) -> None:
        self.scopes[-1].bound[name] = meaning

    def meaning(self, name: str) -> str | None:
        for scope in reversed(self.scopes):
            if name in scope.bound and not (scope.is_class and scope is not self.scopes[-1]):
                return scope.bound[name]
        return None

    def chain(self, node: ast.expr) -> str | None:
        """The name of torch that an expression spells: torch.nn.functional.relu of F.relu."""
        if isinstance(node, ast.Attribute):
            home = self.chain(node.value)
            return f"{home}.{node.attr}" if home else None
        if isinstance(node, ast.Name):
            meaning = self.meaning(node.id)
            return meaning if meaning and meaning.startswith("torch") else None
        if isinstance(node, ast.Call) and (imported := _imported(node)):
            return imported
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
            home, name = self.chain(node.args[0]), node.args[1]
            return f"{home}.{name.value}" if home and isinstance(name, ast.Constant) and isinstance(name.value, str) else None
        return None

    def is_tensor(self, node: ast.expr | None) -> bool:
        """Whether an expression is plainly a tensor."""
        if isinstance(node, ast.Name):
            return self.meaning(node.id) == _TENSOR
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left) or self.is_tensor(node.right)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not) and self.is_tensor(node.operand)
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value)
        if isinstance(node, ast.Attribute):
            return node.attr in _SAME_TENSOR and self.is_tensor(node.value)
        if isinstance(node, ast.Call):
            chain = self.chain(node.func)
            if chain:
                return gives_tensor(chain)
            return isinstance(node.func, ast.Attribute) and self.is_tensor(node.func.value) and gives_tensor(f"torch.Tensor.{node.func.attr}")
        if isinstance(node, ast.IfExp):
            return self.is_tensor(node.body) and self.is_tensor(node.orelse)
        return False

    def is_tensor_annotation(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return False
        return node is not None and self.chain(node) == "torch.Tensor"

    def use(self, name: str, node: ast.AST) -> None:
        if name == "torch" or "." not in name:
            return
        guarded = self.guards > 0 or any(name == asked or name.startswith(f"{asked}.") for asked in self.asked)
        self.reading.uses.append(NameUse(name, getattr(node, "lineno", 0), guarded=guarded))

    # ---- imports ----

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name == "torch" or alias.name.startswith("torch."):
                self.use(alias.name, node)
                self.bind(alias.asname or "torch", alias.name if alias.asname else "torch")
            else:
                self.reading.imports.append(Imported(alias.name, 0, []))
                self.bind(alias.asname or alias.name.partition(".")[0], _OTHER)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or not (module == "torch" or module.startswith("torch.")):
            self.reading.imports.append(Imported(module, node.level, [alias.name for alias in node.names]))
            for alias in node.names:
                self.bind(alias.asname or alias.name, _OTHER)
            return
        if module != "torch":
            self.use(module, node)
        for alias in node.names:
            if alias.name == "*":
                for name in names_in(module):
                    self.bind(name, f"{module}.{name}")
                continue
            self.use(f"{module}.{alias.name}", node)
            self.bind(alias.asname or alias.name, f"{module}.{alias.name}")

    # ---- expressions ----

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain = self.chain(node)
        if chain:
            self.use(chain, node)
            return  # what it begins with is part of it
        if isinstance(node.ctx, ast.Load):
            self.reading.uses.append(NameUse(node.attr, node.lineno, True, self.is_tensor(node.value), self.guards > 0))
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        chain = self.chain(node) if isinstance(node.ctx, ast.Load) else None
        if chain and not is_module(chain):
            self.use(chain, node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) >= 2 and self.chain(node.args[0]):
            name = self.chain(node)  # of getattr
            if name and len(node.args) == 2:
                self.use(name, node)
            for part in node.args[2:]:
                self.visit(part)
            return
        if imported := _imported(node):
            self.use(imported, node)
        self.generic_visit(node)

    # ---- statements that bind ----

    def assign(self, targets: list[ast.expr], value: ast.expr | None, annotation: ast.expr | None = None) -> None:
        for target in targets:
            parts = _pairs(target, value)
            if parts:  # a, b = torch.nn, torch.optim
                for part, its_value in parts:
                    self.assign([part], its_value)
            elif isinstance(target, ast.Name) and (value is not None or annotation is not None):
                tensor = self.is_tensor(value) or self.is_tensor_annotation(annotation)
                chain = self.chain(value) if value is not None else None
                self.bind(target.id, chain or (_TENSOR if tensor else _OTHER))
            else:
                for name in _targets(target):
                    self.bind(name, _OTHER)
                self.visit(target)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self.assign(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self.assign([node.target], node.value, node.annotation)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit_Assign(ast.Assign([node.target], node.value))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        tensor = self.is_tensor(node.iter) and isinstance(node.target, ast.Name)
        for name in _targets(node.target):
            self.bind(name, _TENSOR if tensor else _OTHER)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    visit_AsyncFor = visit_For

    def visit_withitem(self, node: ast.withitem) -> None:
        self.visit(node.context_expr)
        for name in _targets(node.optional_vars) if node.optional_vars else ():
            self.bind(name, _OTHER)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.iter)
        for name in _targets(node.target):
            self.bind(name, _TENSOR if self.is_tensor(node.iter) and isinstance(node.target, ast.Name) else _OTHER)
        for condition in node.ifs:
            self.visit(condition)

    def visit_comprehension_of(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.scopes.append(_Scope())
        for generator in node.generators:
            self.visit(generator)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_comprehension_of

    # ---- functions and classes ----

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d), *([node.returns] if node.returns else [])]:
            self.visit(part)
        self.bind(node.name, _OTHER)
        self.function(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(part)
        self.function(node.args, [node.body])

    def function(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        self.scopes.append(_Scope())
        for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *(x for x in (arguments.vararg, arguments.kwarg) if x)]:
            if a.annotation is not None:
                self.visit(a.annotation)
            self.bind(a.arg, _TENSOR if self.is_tensor_annotation(a.annotation) else _OTHER)
        for part in body:
            self.visit(part)
        self.scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(part)
        self.bind(node.name, _OTHER)
        self.scopes.append(_Scope(is_class=True))
        for statement in node.body:
            self.visit(statement)
        self.scopes.pop()

    # ---- code that need not run ----

    def guarded(self, statements: Iterable[ast.AST]) -> None:
        self.guards += 1
        for statement in statements:
            self.visit(statement)
        self.guards -= 1

    def visit_Try(self, node: ast.Try) -> None:
        caught = {name for handler in node.handlers for name in _names_of(handler.type)}
        if caught & _CATCH_ALL:
            self.guarded(node.body)
        else:
            for statement in node.body:
                self.visit(statement)
        for part in [*node.handlers, *node.orelse, *node.finalbody]:
            self.visit(part)

    visit_TryStar = visit_Try  # type: ignore[assignment]

    def visit_If(self, node: ast.If) -> None:
        self.branch(node.test, node.body, node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.branch(node.test, [node.body], [node.orelse])

    def branch(self, test: ast.expr, body: list[ast.stmt] | list[ast.expr], orelse: list[ast.stmt] | list[ast.expr]) -> None:
        asked, skipped = self.questions(test)
        self.visit(test)
        self.asked += asked
        if skipped:
            self.guarded(body)
        else:
            for part in body:
                self.visit(part)
        del self.asked[len(self.asked) - len(asked) :]
        for part in orelse:
            self.visit(part)

    def questions(self, test: ast.expr) -> tuple[list[str], bool]:
        """What a condition asks by hasattr(torch, "name"), and whether it asks what is False here: for a GPU, or for a type checker."""
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        asked, skipped = [], False
        for part in parts:
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "hasattr" and len(part.args) == 2:
                home, name = self.chain(part.args[0]), part.args[1]
                if home and isinstance(name, ast.Constant) and isinstance(name.value, str):
                    asked.append(f"{home}.{name.value}")
            called = self.chain(part.func) if isinstance(part, ast.Call) else None
            named = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            skipped = skipped or called in _NEVER_HERE or named == "TYPE_CHECKING"
        return asked, skipped
