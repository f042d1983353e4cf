"""Writes python/monograph/_C.pyi, _VF.pyi and _nn.pyi from the operators' records: what editors and mypy know of the functions that are made at import.

    python tools/stubs.py            # write
    python tools/stubs.py --check    # exit 1 where a file is not what the schemas say"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "monograph"
sys.path.insert(0, str(PACKAGE.parent))

from monograph._help import body  # noqa: E402
from monograph._signatures import Form  # noqa: E402

HEAD = "# Made by tools/stubs.py from the operators' records; not edited by hand.\n# ruff: noqa\n# mypy: disable-error-code=\"overload-overlap,override,misc,overload-cannot-match\"\n"

HAND_WRITTEN = '''
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from ._tensor import Tensor

Number = builtins.int | builtins.float | builtins.complex

class InternalError(RuntimeError): ...
class _LinAlgError(RuntimeError): ...

class dtype:
    is_floating_point: builtins.bool
    is_complex: builtins.bool
    is_signed: builtins.bool
    itemsize: builtins.int
    _code: builtins.int
    _name: builtins.str
    def to_complex(self) -> dtype: ...
    def to_real(self) -> dtype: ...

class device:
    type: builtins.str
    index: builtins.int | None
    def __init__(self, type: device | builtins.str | builtins.int, index: builtins.int | None = None) -> None: ...

class layout: ...
class memory_format: ...

class Size(tuple[builtins.int, ...]):
    def numel(self) -> builtins.int: ...

class Generator:
    device: Any
    def __init__(self, device: Any = None) -> None: ...
    def manual_seed(self, seed: builtins.int) -> Generator: ...
    def initial_seed(self) -> builtins.int: ...
    def seed(self) -> builtins.int: ...
    def get_state(self) -> Tensor: ...
    def set_state(self, state: Tensor) -> Generator: ...
    def clone_state(self) -> Generator: ...

class Builtin:
    __name__: builtins.str
    _schemas: list[FunctionSchema]
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class BuiltinMethod(Builtin): ...

class OpOverloadPacket(Builtin):
    _qualified_op_name: builtins.str
    def overloads(self) -> list[builtins.str]: ...
    def __getattr__(self, name: builtins.str) -> OpOverload: ...

class OpOverload(Builtin):
    _qualified_op_name: builtins.str
    _schema: FunctionSchema
    _overloadname: builtins.str
    _opname: builtins.str
    namespace: builtins.str
    overloadpacket: OpOverloadPacket
    def name(self) -> builtins.str: ...

class Type:
    annotation_str: builtins.str
    def kind(self) -> builtins.str: ...
    def str(self) -> builtins.str: ...
    def sizes(self) -> list[builtins.int | None] | None: ...
    def getElementType(self) -> Type: ...
    def elements(self) -> list[Type]: ...

class AliasInfo:
    is_write: builtins.bool
    before_set: set[builtins.str]
    after_set: set[builtins.str]

class Argument:
    name: builtins.str
    type: Type | None
    N: builtins.int | None
    default_value: Any
    kwarg_only: builtins.bool
    is_out: builtins.bool
    alias_info: AliasInfo | None
    def has_default_value(self) -> builtins.bool: ...

class FunctionSchema:
    name: builtins.str
    overload_name: builtins.str
    arguments: list[Argument]
    returns: list[Argument]
    is_vararg: builtins.bool
    is_varret: builtins.bool
    is_mutable: builtins.bool

Value: Any  # monograph.fx.script_view
class _TensorMeta(type): ...

class NodeBase:
    op: builtins.str
    target: Any
    name: builtins.str
    args: tuple[Any, ...]
    kwargs: dict[builtins.str, Any]
    users: dict[Any, None]
    def __lt__(self, other: Any) -> builtins.bool: ...
    all_input_nodes: list[Any]
    meta: dict[Any, Any]
    type: Any
    value_type: builtins.str | None
    graph: Any
    next: Any
    prev: Any
    span: builtins.str | None
    _erased: builtins.bool
    def append(self, x: Any) -> None: ...
    def prepend(self, x: Any) -> None: ...
    def replace_input_with(self, old_input: Any, new_input: Any) -> None: ...
    def is_impure(self) -> builtins.bool: ...
    def _replace_all_uses(self, by: Any) -> list[Any]: ...

class _NodeList:
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> builtins.int: ...
    def __reversed__(self) -> _NodeList: ...
    def __call__(self, recursive: builtins.bool = False) -> Iterator[Any]: ...

class GraphBase:
    nodes: _NodeList
    dialect: builtins.str
    _is_operator_level: builtins.bool
    _root: Any
    _len: builtins.int
    _output: Any
    _version: builtins.int
    def create_node(self, op: builtins.str, target: Any, args: Any = None, kwargs: Any = None, name: builtins.str | None = None, type_expr: Any = None) -> Any: ...
    def erase_node(self, to_erase: Any) -> None: ...
    def _insert_point(self) -> Any: ...
    def _insert_before(self, n: Any) -> None: ...
    def _insert_after(self, n: Any) -> None: ...
    def _run(self, *inputs: Any) -> Any: ...
    def _to_text(self, format: builtins.str) -> builtins.str: ...

# Names that Tensor's own attributes hide inside the class.
_dtype = dtype
_device = device
_layout = layout
_memory_format = memory_format

contiguous_format: memory_format
preserve_format: memory_format
channels_last: memory_format
channels_last_3d: memory_format
strided: layout
sparse_coo: layout
sparse_csr: layout
_mkldnn: layout
sparse_csc: layout
sparse_bsr: layout
sparse_bsc: layout
jagged: layout
default_generator: Generator
_dtypes: dict[builtins.str, dtype]

def tensor(data: Any, *, dtype: _dtype | None = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor: ...
def as_tensor(data: Any, dtype: _dtype | None = None, device: Any = None) -> Tensor: ...
def from_numpy(ndarray: Any) -> Tensor: ...
def from_dlpack(ext_tensor: Any) -> Tensor: ...
def to_dlpack(tensor: Tensor) -> Any: ...
def frombuffer(buffer: Any, *, dtype: _dtype, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False) -> Tensor: ...
def _machine_run(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[builtins.str, Any] | None = None,
    on_jump: Callable[[Any, builtins.int, builtins.int, Any], builtins.bool | None] | None = None,
) -> Any: ...
def _machine_check(code: Any) -> None: ...
def _is_captured(value: Any) -> builtins.bool: ...
def _smaller(a: Any, b: Any) -> Any: ...
def _compiled_entries(made: Any) -> list[dict[builtins.str, Any]]: ...
def _kept_failures() -> list[builtins.str]: ...
def _natively(function: Any) -> Any: ...
def _unwatched(function: Any, *args: Any) -> Any: ...
def _set_tables_of_all(tables: Any) -> None: ...
def _machine_frame_count() -> builtins.int: ...
def _machine_supported() -> builtins.bool: ...
def _native_callee() -> Any: ...
def _functions() -> dict[builtins.str, dict[builtins.str, Builtin]]: ...
def _hint(number: Any) -> Any: ...
def _nearest(word: builtins.str, names: Any) -> builtins.str: ...
_load_checkpoint: Callable[..., tuple[Any, builtins.int, builtins.bool]]
_checkpoint_pickle: Callable[[Any], tuple[builtins.bytes, builtins.bool]]
_unsafe_globals: Callable[[builtins.bytes], list[builtins.str]]
_name_globals: Callable[[builtins.bytes, list[tuple[builtins.str, builtins.str]]], builtins.bytes]
_save_checkpoint: Callable[..., None]
_write_file: Callable[[Any, list[Any]], None]
_storage_of: Callable[[Tensor], tuple[builtins.int, Tensor]]
_storage_resizable: Callable[[Tensor], builtins.bool]
_tensor_over: Callable[..., Tensor]
_set_storage_type: Callable[[Any], None]
_set_absent: Callable[[Any], None]
_swap_tensors: Callable[[Any, Any], None]
_set_type_attribute: Callable[[Any, builtins.str, Any], None]
def _return_types() -> dict[builtins.str, type[tuple[Any, ...]]]: ...
_backward: Callable[..., None]
_gradients: Callable[..., Any]
_check_which_are_none: Callable[..., Any]
_add_hook: Callable[..., Callable[[], None]]
_retain_grad: Callable[..., None]
_retains_grad: Callable[[Tensor], builtins.bool]
_detach_in_place: Callable[..., None]
_is_grad_enabled: Callable[[], builtins.bool]
_set_grad_enabled: Callable[[builtins.bool], None]
_enable_grad: Callable[[], None]
_disable_grad: Callable[[], None]
_grad_mode: Callable[[], builtins.int]
_restore_grad_mode: Callable[[builtins.int], None]
_is_autocast_enabled: Callable[[], builtins.bool]
_set_autocast_enabled: Callable[[builtins.bool], None]
_get_autocast_dtype: Callable[[], dtype]
_set_autocast_dtype: Callable[[dtype], None]
_is_autocast_cache_enabled: Callable[[], builtins.bool]
_set_autocast_cache_enabled: Callable[[builtins.bool], None]
_enter_autocast: Callable[[], builtins.int]
_leave_autocast: Callable[[], builtins.int]
_clear_autocast_cache: Callable[[], None]
_autocast_table: Callable[[], dict[builtins.str, builtins.str]]
_is_inference_mode: Callable[[], builtins.bool]
_asks_grad_enabled: Callable[[], builtins.bool]
_asks_inference_mode: Callable[[], builtins.bool]
_set_inference_mode: Callable[[builtins.bool], None]
_get_default_dtype: Callable[[], dtype]
_set_default_dtype: Callable[[dtype], None]
_set_package_folder: Callable[[builtins.str], None]
_set_tensor_type: Callable[[Any], None]
_set_parameter_type: Callable[[Any], None]
def parse_schema(schema: builtins.str) -> FunctionSchema: ...
def unify_type_list(types: Any) -> Type: ...
def parse_ir(input: builtins.str, parse_tensor_constants: builtins.bool = False) -> Any: ...
def _schema_of(node: Any) -> FunctionSchema | None: ...
def _type_of(node: Any) -> Type | None: ...
def _results_of(node: Any) -> list[Any]: ...
def _python_code(graph: Any, annotations: dict[builtins.str, builtins.str]) -> builtins.str: ...
_largest_constant: builtins.int
_set_graph_types: Callable[[Any, Any], None]
_set_immutable_types: Callable[[Any, Any], None]
_set_disabled_torch_function: Callable[[Any], None]
_disabled_torch_function_impl: Any
DisableTorchFunctionSubclass: Any
DisableTorchFunction: Any
_torch_function_off: Callable[[builtins.int], builtins.int]
_set_function_modes: Callable[[builtins.int], builtins.int]
_function_modes: Callable[[], builtins.int]
_find_overloads: Callable[[builtins.str], Builtin]
def _overload_of_tensors(node: Any) -> builtins.str: ...
def _operator_names(namespace: builtins.str) -> list[builtins.str]: ...
_find_packet: Callable[[builtins.str], OpOverloadPacket]
def _python_operators() -> list[tuple[builtins.str, builtins.str, builtins.str]]: ...
_qualified_name: Callable[[Any], builtins.str]
class _Overridable:
    __name__: builtins.str
    __wrapped__: Callable[..., Any]
    def __init__(self, function: Any) -> None: ...

def _set_list_iter(function: Any) -> None: ...
def _call_key(node: Any) -> bytes | None: ...
def _set_proxy_types(proxy: Any, attribute: Any) -> None: ...

class _Snapshot:
    def __init__(self, roots: list[Any]) -> None: ...
    def pairs(self) -> list[tuple[Any, Any]]: ...
    def changed(self) -> list[tuple[Any, Any]]: ...

def _set_catches_type_error(function: Any) -> None: ...
def _set_rebind(function: Any) -> None: ...
def _set_module_getattr(method: Any) -> None: ...
def _set_carried_list(type: Any) -> None: ...
def _check_text() -> None: ...
def _tensor_facts() -> dict[builtins.str, builtins.bool]: ...
def __getattr__(name: builtins.str) -> Any: ...

class TensorBase:
    dtype: _dtype
    shape: Size
    ndim: builtins.int
    device: _device
    layout: _layout
    itemsize: builtins.int
    nbytes: builtins.int
    requires_grad: builtins.bool
    grad: Tensor | None
    grad_fn: Any
    is_leaf: builtins.bool
    output_nr: builtins.int
    data: Tensor
    T: Tensor
    mT: Tensor
    H: Tensor
    mH: Tensor
    real: Tensor
    imag: Tensor
    is_cpu: builtins.bool
    is_meta: builtins.bool
    is_cuda: builtins.bool
    is_xpu: builtins.bool
    is_ipu: builtins.bool
    is_mps: builtins.bool
    is_xla: builtins.bool
    is_mtia: builtins.bool
    is_sparse: builtins.bool
    is_sparse_csr: builtins.bool
    is_quantized: builtins.bool
    is_nested: builtins.bool
    _version: builtins.int
    _is_parameter: builtins.bool
    _requires_grad: builtins.bool
    _is_leaf: builtins.bool
    _is_symbolic: builtins.str
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @overload
    def size(self) -> Size: ...
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    @overload
    def stride(self) -> tuple[builtins.int, ...]: ...
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def dim(self) -> builtins.int: ...
    def ndimension(self) -> builtins.int: ...
    def numel(self) -> builtins.int: ...
    def nelement(self) -> builtins.int: ...
    def storage_offset(self) -> builtins.int: ...
    def element_size(self) -> builtins.int: ...
    def data_ptr(self) -> builtins.int: ...
    def is_contiguous(self, memory_format: _memory_format = ...) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool: ...
    def is_complex(self) -> builtins.bool: ...
    def is_inference(self) -> builtins.bool: ...
    def is_signed(self) -> builtins.bool: ...
    def get_device(self) -> builtins.int: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor: ...
    def item(self) -> Any: ...
    def tolist(self) -> Any: ...
    def numpy(self, *, force: builtins.bool = False) -> Any: ...
    def _edges(self, edge: builtins.int) -> Any: ...
    def as_subclass(self, cls: Any) -> Any: ...
    @staticmethod
    def _make_subclass(cls: Any, data: Any, require_grad: builtins.bool = False, is_parameter: builtins.bool = False) -> Any: ...
    def __len__(self) -> builtins.int: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def __index__(self) -> builtins.int: ...
    def __eq__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...
    def __hash__(self) -> builtins.int: ...
'''


def definitions(name: str, schemas: list[str], method: bool, text: str) -> Iterator[str]:
    forms = [form for schema in schemas for form in Form(schema, method).texts()]
    forms = list(dict.fromkeys(forms))
    for k, form in enumerate(forms):
        if len(forms) > 1:
            yield "@overload"
        if k or not text:
            yield f"def {name}{form}: ..."
        else:  # editors show the first docstring for every overload
            yield f"def {name}{form}:"
            yield from docstring(text)


def docstring(text: str) -> Iterator[str]:
    lines = text.replace("\\", "\\\\").replace('"""', "'''").splitlines()
    if len(lines) == 1 and not lines[0].endswith('"'):
        yield f'    """{lines[0]}"""'
        return
    yield f'    """{lines[0]}'
    yield from (f"    {line}".rstrip() for line in lines[1:])
    yield '    """'


def with_texts(stub: str, kind: type) -> str:
    """The hand-written lines of a class, with the docstrings of its attributes and methods; the first overload has that of all."""
    lines, shown = [], set()
    for line in stub.splitlines():
        name = "".join(re.findall(r"^    (?:def )?([a-zA-Z]\w*)(?:: |\()", line))
        text = getattr(vars(kind).get(name), "__doc__", None) or ""
        if not text or name in shown:
            lines.append(line)
        elif line.endswith(": ..."):
            lines += [line.removesuffix(" ..."), *(f"    {t}".rstrip() for t in docstring(text))]
        else:
            lines += [line, *docstring(text)]
        shown.add(name)
    return "\n".join(lines) + "\n"


def qualify(line: str) -> str:
    """Inside Tensor the names of types are those of methods and attributes."""
    if not line.startswith("def"):
        return line
    line = re.sub(r"(?<![.\w])(int|float|bool|str)(?!\w|:)", r"builtins.\1", line)
    return re.sub(r"(?<![.\w])(dtype|device|layout|memory_format)(?!\w|:(?! \.\.\.$|$))", r"_\1", line)


# A build may have the operators again under other names (cmake/Copies.cmake), which the committed stubs lack.
def called_in_python(function: Any) -> list[str]:
    """The schemas of a function's overloads, but for those that torch.ops alone has."""
    return [str(schema) for schema, fact in zip(function._schemas, function._facts) if fact["in_python"]]


COPIED = re.compile(r'^( *)(?:@overload\n *)?def \w+_copy\d+\w*\(.*\n(?:\1    .*\n|\n)*', re.M)


def generate() -> dict[Path, str]:
    import monograph
    from monograph import _C

    modules: dict[str, dict[str, Any]] = _C._functions()
    before, after = HAND_WRITTEN.split("class TensorBase:\n")
    base = HEAD + before + "class TensorBase:\n" + with_texts(after, _C.TensorBase)
    taken = set(re.findall(r"^    def (\w+)", HAND_WRITTEN.split("class TensorBase:")[1], re.M))
    for name, value in sorted(vars(_C.TensorBase).items()):
        if isinstance(value, _C.BuiltinMethod) and name not in taken and name not in vars(monograph.Tensor) and name.isidentifier():
            schemas = [s for s in called_in_python(value) if re.match(r"[^(]*\(Tensor(\([^)]*\))? self\b", s)]
            base += "".join(f"    {qualify(line)}".rstrip() + "\n" for line in definitions(name, schemas, method=True, text=body(value)))
    for name, _, form in _C._python_operators():
        stem = name.rstrip("_")
        for method in (f"__{stem}__", f"__r{stem}__") if form == "binary" else (f"__{stem}__",):
            if hasattr(_C.TensorBase, method) and method not in taken:
                base += f"    def {method}(self{'' if form == 'unary' else ', other: Any'}) -> Tensor: ...\n"
    head = HEAD + "import builtins\nfrom collections.abc import Sequence\nfrom typing import Any, overload\n\nfrom ._C import Generator, Number, _device, _dtype, _layout, _memory_format\nfrom ._tensor import Tensor\n\n"
    written = {PACKAGE / "_C.pyi": base}
    for module, file in (("", "_VF.pyi"), ("_nn", "_nn.pyi")):
        written[PACKAGE / file] = head
        for name, value in sorted(modules[module].items()):
            lines = definitions(name, called_in_python(value), method=False, text=body(value))
            written[PACKAGE / file] += "".join(f"{qualify(line)}\n" for line in lines)
    return written


def main() -> int:
    stale = []
    for path, text in generate().items():
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != COPIED.sub("", text):
                stale.append(path.name)
        else:
            path.write_text(text)
    if stale:
        print(f"{', '.join(stale)}: not what the schemas say; run python tools/stubs.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
