"""TorchScript's graph API: the methods of torch._C.Graph, Node and Block on the graphs of this library.

    for relu in graph.findAllNodes("aten::relu"):                 If and Loop bodies included
        made = graph.create("aten::tanh", [relu.inputsAt(0)])
        made.insertBefore(relu)
        relu.output().replaceAllUsesWith(made.output())
        relu.destroy()

Literals, lists and defaults stand inside of nodes. Here each is a node, prim::Constant or prim::ListConstruct (an InlineNode), which is made when it is looked at:
looking changes nothing. Constants are not pooled: each use has its own.
"""

from __future__ import annotations

import contextlib
import linecache
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import _C
from .._tensor import Tensor

_KINDS = {bool: "i", int: "i", float: "f", str: "s", complex: "c", Tensor: "t", _C.device: "s"}


def node_at(node: Any, path: tuple[int, ...]) -> ScriptNode:
    return InlineNode(node, path) if path else node


def _kind_of(value: Any) -> str:
    """The letters that PyTorch has for the kind of an attribute."""
    if isinstance(value, Tensor):
        return "t"
    if isinstance(value, (list, tuple)):
        kinds = {_kind_of(part) for part in value}
        return f"{kinds.pop()}s" if isinstance(value, list) and len(kinds) == 1 and kinds <= {"i", "f", "s", "t", "c"} else "ival"
    return _KINDS.get(type(value), "ival")


class Use(NamedTuple):
    """One place where a value is used: the node, and which of its inputs it is."""

    user: ScriptNode
    offset: int

    def isAfter(self, other: Use) -> bool:
        return self.user.isAfter(other.user) or (self.user == other.user and self.offset > other.offset)


class Value:
    """What a node takes or gives. Two are equal where they are the same result, or stand at the same place.

    A literal that stands among the arguments of a node is a value too: its node() is a prim::Constant, or a prim::ListConstruct.
    """

    __slots__ = ("_node", "_path")

    def __init__(self, node: Any, path: tuple[int, ...] = ()):
        self._node, self._path = node, path

    @property
    def _ref(self) -> tuple[Any, tuple[int, ...]]:
        return (self._node, self._path)

    def node(self) -> ScriptNode:
        """The node that makes it."""
        return node_at(*_C._view_node(self._node, self._path))

    def offset(self) -> int:
        """Which of the node's outputs it is."""
        return _C._view_offset(self._node, self._path)

    def debugName(self) -> str:
        return self._node.name if not self._path else ".".join([self._node.name, *(str(k & 0xFFFF) for k in self._path)])

    def setDebugName(self, name: str) -> Value:
        _C._view_set_name(self._ref, name)
        return self

    def type(self) -> Any:
        """A Type; None where nothing is known."""
        return _C._view_type(self._node, self._path)

    def isCompleteTensor(self) -> bool:
        """Whether it is a tensor whose dtype and sizes are known as numbers."""
        kind = self.type()
        sizes = kind.sizes() if kind is not None and kind.kind() == "TensorType" else None
        return sizes is not None and None not in sizes and kind.scalarType() is not None

    def requires_grad(self) -> bool:
        kind = self.type()
        return kind is not None and kind.kind() == "TensorType" and bool(kind.requires_grad())

    requiresGrad = requires_grad

    def setTypeAs(self, other: Value) -> Value:
        """Declares the type of another value."""
        return self if other.type() is None else self.setType(other.type())

    def inferTypeFrom(self, example: Any) -> None:
        """The type of an example: its dtype, device, sizes and strides if it is a tensor."""
        if isinstance(example, Tensor):
            self.setType(_C._type_of_tensor(example))
        else:
            raise RuntimeError(f"inferTypeFrom: expected a tensor, but got a {type(example).__name__}; setType takes any type")

    def copyMetadata(self, other: Value) -> Value:
        """The type and the name of another value, the name with a number."""
        self.setTypeAs(other)
        return self if self._path else self.setDebugName(other.debugName())

    def unique(self) -> int:
        """A number that no other value of the graph has, as long as nobody edits it."""
        return list(self.node().owningGraph().nodes).index(self._node)

    def setType(self, kind: Any) -> Value:
        """Declares the type. kind: a Type, or its text."""
        _C._view_set_type(self._ref, str(kind))
        return self

    def toIValue(self) -> Any:
        """What a constant is worth; None of another value. dtypes and memory formats are their numbers, as in PyTorch."""
        found = _C._view_attribute(self._node, self._path, "value") if self.node().kind() == "prim::Constant" else ()
        return found[0] if found else None

    def uses(self) -> list[Use]:
        return [Use(node_at(*user), offset) for user, offset in _C._view_uses(self._node, self._path)]

    def hasUses(self) -> bool:
        return bool(self.uses())

    def replaceAllUsesWith(self, other: Value) -> None:
        """Whoever uses this value uses the other one. A literal is used once, where it stands."""
        _C._view_replace_all(self._ref, other._ref)

    def replaceAllUsesAfterNodeWith(self, node: Any, other: Value) -> None:
        """Uses behind a node become those of the other value."""
        place = node._ref[0]
        for use in self.uses():
            user = use.user._ref[0]
            if user is not place and place < user:
                _C._view_set_input(use.user._ref, use.offset, other._ref)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and other._node is self._node and other._path == self._path

    def __hash__(self) -> int:
        return hash((id(self._node), self._path))

    def __repr__(self) -> str:
        if not self._path:
            return f"{self.debugName()} defined in ({self._node.format_node()})"
        return f"{self.debugName()} defined in ({self.node()})"


def nodes_in(argument: Any) -> Iterator[Any]:
    """The nodes inside of an argument in order, as often as each stands there."""
    if isinstance(argument, _C.NodeBase):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from nodes_in(part)
    elif isinstance(argument, dict):
        for part in argument.values():
            yield from nodes_in(part)
    elif isinstance(argument, slice):
        yield from nodes_in((argument.start, argument.stop, argument.step))


class ScriptNode:
    """What torch._C.Node has, for nodes and for what stands inside of them."""

    __slots__ = ()
    _ref: tuple[Any, tuple[int, ...]]

    # Looking ------------------------------------------------------------------------------------------------------------------------
    def kind(self) -> str:
        """aten::add of a call of an operator, prim::Param of an input, prim::Return of the output."""
        return _C._view_kind(*self._ref)

    def schema(self) -> Any:
        """The FunctionSchema of the operator that it calls; None of another node."""
        return None if self._ref[1] else _C._schema_of(self._ref[0])

    def inputs(self) -> Iterator[Value]:
        """Its inputs in the order of the operator's schema, literals and defaults among them."""
        return (Value(*at) for at in _C._view_inputs(*self._ref))

    def outputs(self) -> Iterator[Value]:
        """Its results in order."""
        return (Value(*at) for at in _C._view_outputs(*self._ref))

    def inputsSize(self) -> int:
        return len(_C._view_inputs(*self._ref))

    def outputsSize(self) -> int:
        return len(_C._view_outputs(*self._ref))

    def inputsAt(self, i: int) -> Value:
        return list(self.inputs())[i]

    def outputsAt(self, i: int) -> Value:
        return list(self.outputs())[i]

    def input(self) -> Value:
        """Its input, where it has one."""
        values = list(self.inputs())
        if len(values) != 1:
            raise RuntimeError(f"{self.kind()} has {len(values)} inputs; inputs() gives them")
        return values[0]

    def output(self) -> Value:
        """Its result, where it has one."""
        values = list(self.outputs())
        if len(values) != 1:
            raise RuntimeError(f"{self._ref[0].name} has {len(values)} results; outputs() gives them")
        return values[0]

    def hasMultipleOutputs(self) -> bool:
        return self.outputsSize() > 1

    def scopeName(self) -> str:
        """The module whose code it came from: "__module.encoder.0"; "" where that is not known."""
        return _C._view_scope(self._ref[0])

    def sourceRange(self) -> str:
        """The line of the user's code that it came from, marked as errors mark it; "" where that is not known, and file:line where the text is not to be had."""
        span: str = self._ref[0].span or ""
        file, _, number = span.rpartition(":")
        line = linecache.getline(file, int(number)).rstrip() if number.isdigit() else ""
        indent = len(line) - len(line.lstrip())
        return f'  File "{file}", line {number}\n{line}\n{" " * indent}{"~" * (len(line) - indent)} <--- HERE\n' if line else span

    def owningGraph(self) -> Any:
        return self._ref[0].graph

    def blocks(self) -> BlockList:
        """Those of an If or Loop."""
        node, path = self._ref
        return BlockList() if path else BlockList(Block(node.graph, node, k) for k in range(_C._view_block_count(node)))

    def owningBlock(self) -> Block:
        node = self._ref[0]
        outer = _C._view_block_of(node)
        return Block(node.graph, None, 0) if outer is None else Block(node.graph, *outer)

    def prev(self) -> Any:
        """The node before it in its block; of the first one the block's return, where TorchScript's list begins."""
        block = self.owningBlock()
        before = block.returnNode()
        for node in block.nodes():
            if node == self:
                break
            before = node
        return before

    def findNode(self, kind: str, recurse: bool = True) -> Any:
        """The first node of this kind in its blocks; None where there is none."""
        return next(iter(self.findAllNodes(kind, recurse)), None)

    def findAllNodes(self, kind: str, recurse: bool = True) -> list[Any]:
        """The nodes of this kind in its blocks."""
        return [found for block in self.blocks() for found in block.findAllNodes(kind, recurse)]

    def isNondeterministic(self) -> bool:
        schema = self.schema()
        return schema is not None and any(a.type.str() == "Generator?" for a in schema.arguments)

    def mustBeNone(self) -> bool:
        return self.kind() == "prim::Constant" and not self.attributeNames()

    # Attributes -----------------------------------------------------------------------------------------------------------------------
    def attributeNames(self) -> list[str]:
        """["value"] of a prim::Constant, ["name"] of a prim::GetAttr."""
        return _C._view_attribute_names(*self._ref)

    def hasAttribute(self, name: str) -> bool:
        return name in self.attributeNames()

    def hasAttributes(self) -> bool:
        return bool(self.attributeNames())

    def _attribute(self, name: str) -> Any:
        found = _C._view_attribute(*self._ref, name)
        if not found:
            raise RuntimeError(f"required keyword attribute '{name}' is undefined: {self.kind()} has {', '.join(self.attributeNames()) or 'none'}")
        return found[0]

    def kindOf(self, name: str) -> str:
        """i, f, s, t, c, or is, fs, ss, ts for lists, or ival for anything else: the name of the method that gives the attribute."""
        return _kind_of(self._attribute(name))

    def ival(self, name: str) -> Any:
        return self._attribute(name)

    def ival_(self, name: str, value: Any) -> Any:
        _C._view_set_attribute(*self._ref, name, value)
        return self

    def removeAttribute(self, name: str) -> Any:
        """A prim::Constant without a value is None. RuntimeError for an attribute that the node needs."""
        self._attribute(name)
        if self.kind() != "prim::Constant":
            raise RuntimeError(f"{self.kind()} needs its attribute '{name}'; {name}_() or s_() sets another value")
        return self.ival_(name, None)

    def matches(self, signature: str) -> bool:
        """Whether it calls the operator with this schema: node.matches("aten::relu(Tensor self) -> Tensor")."""
        schema = self.schema()
        return schema is not None and schema == _C.parse_schema(signature)

    def copyAttributes(self, other: Any) -> Any:
        for name in other.attributeNames():
            self.ival_(name, other.ival(name))
        return self

    # Changing -------------------------------------------------------------------------------------------------------------------------
    def replaceInput(self, i: int, value: Value) -> Value:
        """Another value for input i; gives the old one."""
        old = self.inputsAt(i)
        _C._view_set_input(self._ref, i, value._ref)
        return old

    def replaceInputWith(self, old: Value, new: Value) -> None:
        for k, value in enumerate(list(self.inputs())):
            if value == old:
                _C._view_set_input(self._ref, k, new._ref)

    def addInput(self, value: Value) -> Value:
        _C._view_add_input(self._ref, value._ref)
        return value

    def removeInput(self, i: int) -> None:
        """An argument with a default gets it; a list loses the item."""
        _C._view_remove_input(self._ref, i)

    def removeAllInputs(self) -> None:
        for k in reversed(range(self.inputsSize())):
            self.removeInput(k)

    def insertBefore(self, other: ScriptNode) -> Any:
        """Puts a node that was created before another one."""
        return self.moveBefore(other)

    def insertAfter(self, other: ScriptNode) -> Any:
        return self.moveAfter(other)

    def moveBefore(self, other: ScriptNode) -> Any:
        if self._ref[1]:
            return self  # a literal stands where it is used
        _C._view_move(self._ref[0], other._ref[0], False)
        return self

    def moveAfter(self, other: ScriptNode) -> Any:
        """Behind a literal is before the node that it stands in."""
        if self._ref[1]:
            return self
        _C._view_move(self._ref[0], other._ref[0], not other._ref[1])
        return self

    def insertInput(self, i: int, value: Value) -> Value:
        """One more input at this place, of a list or a node without a schema."""
        _C._view_insert_input(self._ref, i, value._ref)
        return value

    def addBlock(self) -> Block:
        """The next block of a prim::If or prim::Loop that create() made."""
        return Block(self.owningGraph(), self, _C._view_add_block(self._ref[0]))

    def addOutput(self) -> Value:
        """One more output of a prim::If, or the next one of a prim::Loop."""
        return Value(*_C._view_add_output(self._ref[0]))

    def eraseOutput(self, i: int) -> None:
        """Takes an output that nobody uses away, with what the blocks give for it; of a Loop the value that it carries too."""
        _C._view_erase_output(self._ref[0], i)

    def copyMetadata(self, other: ScriptNode) -> Any:
        """The line and scope of another node."""
        _C._view_copy_metadata(self._ref, other._ref)
        return self

    def hasUses(self) -> bool:
        return any(value.hasUses() for value in self.outputs())

    def replaceAllUsesWith(self, other: ScriptNode) -> None:
        """Whoever uses an output uses the same output of the other node."""
        old, new = list(self.outputs()), list(other.outputs())
        if len(old) != len(new):
            raise RuntimeError(f"{self.kind()} has {len(old)} outputs, and {other.kind()} has {len(new)}")
        for value, by in zip(old, new, strict=True):
            value.replaceAllUsesWith(by)

    def isBefore(self, other: ScriptNode) -> bool:
        return self._ref[0] is not other._ref[0] and self._ref[0] < other._ref[0]

    def isAfter(self, other: ScriptNode) -> bool:
        return self._ref[0] is not other._ref[0] and other._ref[0] < self._ref[0]

    def namedInput(self, name: str) -> Value:
        """The input of this name in the operator's schema."""
        names = [a.name for a in self.schema().arguments] if self.schema() is not None else []
        if name not in names:
            raise RuntimeError(f"{self.kind()} has no input named '{name}'; it has {', '.join(names) or 'none with a name'}")
        return self.inputsAt(names.index(name))

    def destroy(self) -> None:
        """Takes the node out of its graph. RuntimeError where a value of it is used."""
        _C._view_destroy(*self._ref)


# z is t without autograd's part. No node here has an attribute of the kinds of _ABSENT, a graph or a type.
_ATTRIBUTE_KINDS = {"i": "i", "f": "f", "s": "s", "t": "t", "c": "c", "is": "is", "fs": "fs", "ss": "ss", "ts": "ts", "cs": "cs", "z": "t", "zs": "ts"}
_ABSENT = {"g": "graph", "gs": "list of graphs", "ty": "type", "tys": "list of types"}


def _add_attribute_methods() -> None:
    """i, i_, f, f_ and the like: torch._C.Node has a pair of methods for each kind of attribute."""
    for name, kind in [*_ATTRIBUTE_KINDS.items(), *((name, name) for name in _ABSENT)]:

        def get(self: ScriptNode, name: str, _kind: str = kind) -> Any:
            value = self._attribute(name)
            if _kind_of(value) != _kind and not (isinstance(value, (list, tuple)) and not value and len(_kind) == 2):
                raise RuntimeError(f"the attribute '{name}' of {self.kind()} is no {_kind}, but {_kind_of(value)}: {value!r}")
            return int(value) if _kind == "i" else str(value) if _kind == "s" else value

        def put(self: ScriptNode, name: str, value: Any, _kind: str = kind) -> Any:
            if _kind in _ABSENT:
                raise NotImplementedError(f"an attribute of {self.kind()} cannot be a {_ABSENT[_kind]}: attributes hold values; a graph's If and Loop have blocks()")
            return self.ival_(name, value)

        get.__name__, put.__name__ = name, f"{name}_"
        setattr(ScriptNode, name, get)
        setattr(ScriptNode, f"{name}_", put)


_add_attribute_methods()


class InlineNode(ScriptNode):
    """A node that stands inside of another one: a literal, a list, a default, the modules of a path. Two are equal where they stand at the same place."""

    __slots__ = ("_node", "_path")

    def __init__(self, node: Any, path: tuple[int, ...]):
        self._node, self._path = node, path

    @property
    def _ref(self) -> tuple[Any, tuple[int, ...]]:  # type: ignore[override]
        return (self._node, self._path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InlineNode) and other._node is self._node and other._path == self._path

    def __hash__(self) -> int:
        return hash((id(self._node), self._path))

    def __repr__(self) -> str:
        value = Value(*self._ref)
        head = f"%{value.debugName()} : {value.type()} = {self.kind()}"
        attributes = "".join(f"[{name}={self.ival(name)!r}]" for name in self.attributeNames())
        return f"{head}{attributes}({', '.join('%' + v.debugName() for v in self.inputs())})"


class BlockNodes:
    """The nodes of a block. As those of a graph, they may be called too."""

    __slots__ = ("_block",)

    def __init__(self, block: Block):
        self._block = block

    def __iter__(self) -> Iterator[Any]:
        return (node_at(*at) for at in _C._view_nodes(*self._block._at))

    __call__ = __iter__

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(list(self))


class Block:
    """The nodes of a graph, or of one side of an If, or of a Loop's body."""

    __slots__ = ("_graph", "_index", "_owner")

    def __init__(self, graph: Any, owner: Any, index: int):
        self._graph, self._owner, self._index = graph, owner, index

    @property
    def _at(self) -> tuple[Any, Any, int]:
        return (self._graph, self._owner, self._index)

    @property
    def nodes(self) -> BlockNodes:
        """Its nodes in order, those that stand inside of others before these, without inputs and return: `for node in block.nodes`, or `block.nodes()`."""
        return BlockNodes(self)

    def inputs(self) -> Iterator[Value]:
        return (Value(n) for n in _C._view_block_ends(*self._at)[0])

    def outputs(self) -> Iterator[Value]:
        """What the block gives: of a graph its results, of a Loop's body the condition first."""
        end = self.returnNode()
        return iter(()) if end is None else end.inputs()

    def returnNode(self) -> Any:
        return _C._view_block_ends(*self._at)[1]

    def paramNode(self) -> ParamNode:
        return ParamNode(self)

    def addInputToBlock(self) -> Value:
        """The next input of a Loop's body: the number of the round, then a value for each that the loop carries."""
        return Value(_C._view_add_block_input(*self._at))

    def registerOutput(self, value: Value) -> int:
        """One more value that the block gives, of a Loop's body the condition first; gives their number."""
        return _C._view_register_output(*self._at, value._ref)

    def addNode(self, kind: str, inputs: list[Value]) -> Any:
        """A new node at the end of the block."""
        return self.appendNode(self._graph.create(kind, inputs))

    def owningNode(self) -> Any:
        """The If or Loop; None of the block of a graph."""
        return self._owner

    def findNode(self, kind: str, recurse: bool = True) -> Any:
        return next(iter(self.findAllNodes(kind, recurse)), None)

    def findAllNodes(self, kind: str, recurse: bool = True) -> list[Any]:
        return [node_at(*at) for at in _C._view_find(*self._at, kind, recurse)]

    def appendNode(self, node: Any) -> Any:
        """Moves a node to the end of the block, before its return."""
        _C._view_move_to_end(self._graph, node, self._owner, self._index)
        return node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and other._at == self._at

    def __hash__(self) -> int:
        return hash((id(self._owner or self._graph), self._index))


class BlockList(list[Block]):
    """The blocks of a node: a list, and PyTorch's iterator, from which next() takes one after the other."""

    _rest: Iterator[Block] | None = None

    def __next__(self) -> Block:
        if self._rest is None:
            self._rest = super().__iter__()
        return next(self._rest)

    def __iter__(self) -> Iterator[Block]:
        return super().__iter__() if self._rest is None else self._rest


class ParamNode:
    """The node whose outputs are the inputs of a block, as TorchScript has it. Here each input is a node of its own."""

    def __init__(self, block: Block):
        self._block = block

    def kind(self) -> str:
        return "prim::Param"

    def inputs(self) -> Iterator[Value]:
        return iter(())

    def outputs(self) -> Iterator[Value]:
        self_value = _C._view_self(self._block._graph) if self._block._owner is None else None
        if self_value is not None:
            yield Value(*self_value)
        yield from self._block.inputs()

    def outputsSize(self) -> int:
        return len(list(self.outputs()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParamNode) and other._block == self._block

    def __hash__(self) -> int:
        return hash(self._block)


class ScriptGraph:
    """What torch._C.Graph has besides the methods of torch.fx.Graph."""

    __slots__ = ()

    def block(self) -> Block:
        return Block(self, None, 0)

    def inputs(self) -> Iterator[Value]:
        """The values of its inputs. A graph that reads modules has `self` as the first one."""
        return self.param_node().outputs()

    def outputs(self) -> Iterator[Value]:
        """The values that it returns."""
        return self.block().outputs()

    def param_node(self) -> ParamNode:
        return self.block().paramNode()

    def return_node(self) -> Any:
        return self.block().returnNode()

    def findNode(self, kind: str, recurse: bool = True) -> Any:
        """The first node of this kind, If and Loop bodies included; None where there is none."""
        return self.block().findNode(kind, recurse)

    def findAllNodes(self, kind: str, recurse: bool = True) -> list[Any]:
        """The nodes of this kind in order, If and Loop bodies included. recurse=False: those outside of blocks."""
        return self.block().findAllNodes(kind, recurse)

    def create(self, kind: str, *args: Any) -> Any:
        """A node: create(kind), create(kind, inputs), create(kind, inputs, number of outputs). insertBefore or insertAfter puts it to its place.

        Until then it stands at the insertion point, at first the end of the graph. The inputs choose the operator's overload.
        A prim::If takes its condition, and a prim::Loop its count, condition and the values that it carries; addBlock() gives their blocks.
        """
        inputs = args[0] if args and not isinstance(args[0], int) else []
        outputs = args[-1] if args and isinstance(args[-1], int) else 1
        return _C._view_create(self, kind, [v._ref for v in inputs], outputs)

    def createClone(self, node: Any, fn: Any) -> Any:
        """A copy of a node with its blocks at the insertion point, as create() makes one; fn(value) answers what stands for a value that it uses."""
        return _C._view_create_clone(self, node, lambda pair: fn(Value(*pair))._ref)

    def insert(self, kind: str, args: Any = (), kwargs: Any = None) -> Value:
        """A call of an operator at the insertion point; constants may be given as they are. Gives its value."""
        values = [a if isinstance(a, Value) else self.insertConstant(a) for a in args]
        named = {name: v if isinstance(v, Value) else self.insertConstant(v) for name, v in (kwargs or {}).items()}
        node = self.create(kind, values)
        for name, value in named.items():
            names = [a.name for a in node.schema().arguments]
            if name not in names:
                node.destroy()
                raise RuntimeError(f"{kind} has no argument '{name}'; it has {', '.join(names)}")
            node.replaceInput(names.index(name), value)
        return node.output()

    def insertNode(self, node: Any) -> Any:
        """Moves a node that was created to the insertion point."""
        place = self._insert_point()  # type: ignore[attr-defined]
        if place is None:
            return self.appendNode(node)
        return node if place is node else node.moveBefore(place)

    def appendNode(self, node: Any) -> Any:
        return self.block().appendNode(node)

    def prependNode(self, node: Any) -> Any:
        first = next(iter(self.block().nodes()), None)
        return node if first is None or first is node else node.moveBefore(first)

    def insertConstant(self, value: Any) -> Value:
        """A prim::Constant at the insertion point; gives its value."""
        return Value(_C._view_constant(self, value))

    def setInsertPoint(self, place: Any) -> None:
        """Nodes are made before this node from now on, or at the end of this block."""
        if isinstance(place, Block):
            end = place.returnNode()
            place = self.return_node() if end is None else end
        self._insert_before(place._ref[0])  # type: ignore[attr-defined]

    def insertPoint(self) -> Any:
        return self._insert_point()  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def insert_point_guard(self, place: Any) -> Iterator[None]:
        """with graph.insert_point_guard(node): nodes are made before this node."""
        saved = self._insert_point()  # type: ignore[attr-defined]
        self.setInsertPoint(place)
        try:
            yield
        finally:
            self._insert_before(saved)  # type: ignore[attr-defined]

    def addInput(self, name: str = "") -> Value:
        """A new input behind the others."""
        behind = next((n for n in self.nodes if n.op != "placeholder"), None)  # type: ignore[attr-defined]
        with contextlib.nullcontext() if behind is None else self.insert_point_guard(behind):
            return Value(self.placeholder(name or "input"))  # type: ignore[attr-defined]

    def eraseInput(self, i: int) -> None:
        """Takes an input away. RuntimeError where it is used."""
        value = list(self.inputs())[i]
        if value._path:
            raise RuntimeError("self is an input as long as the graph reads modules")
        self.erase_node(value._node)  # type: ignore[attr-defined]

    def registerOutput(self, value: Value) -> int:
        """One more result; gives the number of results."""
        end = self.return_node()
        if end is None:
            self.output(value._node)  # type: ignore[attr-defined]
            return 1
        _C._view_add_input(end._ref, value._ref)
        return end.inputsSize()

    def eraseOutput(self, i: int) -> None:
        _C._view_remove_input(self.return_node()._ref, i)

    def permuteInputs(self, order: list[int]) -> None:
        """Puts the inputs into another order: input k was input order[k]."""
        _C._view_permute_inputs(self, order)

    def insertGraph(self, graph: Any, values: list[Value]) -> list[Value]:
        """Copies the nodes of another graph to the insertion point, with these values for its inputs; gives its results."""
        return [Value(*at) for at in _C._view_insert_graph(self, graph, [v._ref for v in values])]

    def makeMultiOutputIntoTuple(self) -> None:
        """A graph with several results returns one tuple of them."""
        values = list(self.outputs())
        if len(values) == 1:
            return
        made = self.appendNode(self.create("prim::TupleConstruct", values))
        for k in reversed(range(len(values))):
            self.eraseOutput(k)
        self.registerOutput(made.output())

    def copy(self) -> Any:
        """A graph that is edited by itself. What it reads of modules are the same tensors."""
        made = _C._view_copy(self)
        made.owning_module = getattr(self, "owning_module", None)
        return made


def _graph_text(self: ScriptGraph, print_source_ranges: bool = True) -> str:
    """str(graph), with the lines of the program as comments or without."""
    text = str(self)
    return text if print_source_ranges else re.sub(r" # \S+:\d+:\d+$", "", text, flags=re.MULTILINE)


setattr(ScriptGraph, "str", _graph_text)  # noqa: B010  in the class the name would hide the type
Value.__module__ = "monograph._C"
for _class in (InlineNode, Block, ParamNode):
    _class.__module__ = "monograph.fx.script_view"
