# Made by tools/stubs.py from the operators' records; not edited by hand.
# ruff: noqa
# mypy: disable-error-code="overload-overlap,override,misc,overload-cannot-match"

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
    """The dtype of the elements, such as torch.float32."""
    shape: Size
    """The sizes of all dims, as size()."""
    ndim: builtins.int
    """The number of dims, as dim()."""
    device: _device
    """Where the elements lie: torch.device('cpu'), or 'meta' for a tensor that has sizes but no elements."""
    layout: _layout
    """How the elements lie: torch.strided."""
    itemsize: builtins.int
    """The bytes of one element."""
    nbytes: builtins.int
    """The bytes of all elements: numel() * itemsize."""
    requires_grad: builtins.bool
    """Whether operators on this tensor are recorded, so that backward() computes its gradient."""
    grad: Tensor | None
    """The gradient that backward() computed; None before. Each further backward() adds to it."""
    grad_fn: Any
    """The operator that made this tensor, as backward() will go through it; None if it does not require grad, or is a leaf."""
    is_leaf: builtins.bool
    """Whether no recorded operator made it. backward() writes the grad of leaves."""
    output_nr: builtins.int
    """Which of the results of its grad_fn this tensor is."""
    data: Tensor
    """The same memory as a tensor that does not require grad. Writes to it are not seen by backward(); write detach() instead."""
    T: Tensor
    """The dims in reverse."""
    mT: Tensor
    """The last two dims exchanged."""
    H: Tensor
    """A matrix with its dims exchanged, conjugated."""
    mH: Tensor
    """The last two dims exchanged, conjugated."""
    real: Tensor
    """A view of the real parts."""
    imag: Tensor
    """A view of the imaginary parts."""
    is_cpu: builtins.bool
    """Whether it lies on the CPU."""
    is_meta: builtins.bool
    """Whether it has sizes, but no elements."""
    is_cuda: builtins.bool
    """False: there are no such tensors here."""
    is_xpu: builtins.bool
    """False: there are no such tensors here."""
    is_ipu: builtins.bool
    """False: there are no such tensors here."""
    is_mps: builtins.bool
    """False: there are no such tensors here."""
    is_xla: builtins.bool
    """False: there are no such tensors here."""
    is_mtia: builtins.bool
    """False: there are no such tensors here."""
    is_sparse: builtins.bool
    """False: there are no such tensors here."""
    is_sparse_csr: builtins.bool
    """False: there are no such tensors here."""
    is_quantized: builtins.bool
    """Whether its dtype is a quantized one, such as torch.quint8."""
    is_nested: builtins.bool
    """False: there are no such tensors here."""
    _version: builtins.int
    _is_parameter: builtins.bool
    _requires_grad: builtins.bool
    _is_leaf: builtins.bool
    _is_symbolic: builtins.str
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @overload
    def size(self) -> Size:
        """All sizes, or that of one dim."""
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    @overload
    def stride(self) -> tuple[builtins.int, ...]:
        """All strides in elements, or that of one dim."""
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def dim(self) -> builtins.int:
        """The number of dims."""
    def ndimension(self) -> builtins.int:
        """The number of dims, as dim()."""
    def numel(self) -> builtins.int:
        """The number of elements."""
    def nelement(self) -> builtins.int:
        """The number of elements, as numel()."""
    def storage_offset(self) -> builtins.int:
        """The place of the first element in the memory that the tensor shows, in elements."""
    def element_size(self) -> builtins.int:
        """The bytes of one element."""
    def data_ptr(self) -> builtins.int:
        """The address of the first element."""
    def is_contiguous(self, memory_format: _memory_format = ...) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices, without gaps; or in that of `memory_format`."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is a floating one."""
    def is_complex(self) -> builtins.bool:
        """Whether the dtype is a complex one."""
    def is_inference(self) -> builtins.bool:
        """Whether it was made in inference_mode, or shows memory that was."""
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers."""
    def get_device(self) -> builtins.int:
        """The number of the GPU; -1 on the CPU."""
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Sets requires_grad, to True if nothing is given, and returns the tensor."""
    def item(self) -> Any:
        """The value of a tensor with one element, as a Python number."""
    def tolist(self) -> Any:
        """The elements as nested lists; of a 0-d tensor the number."""
    def numpy(self, *, force: builtins.bool = False) -> Any:
        """The same memory as a NumPy array."""
    def _edges(self, edge: builtins.int) -> Any: ...
    def as_subclass(self, cls: Any) -> Any:
        """A view of this tensor as an object of a subclass."""
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
    def _autocast_to_full_precision(self, cuda_enabled: builtins.bool, cpu_enabled: builtins.bool) -> Tensor:
        """Converted to float32 from a shorter dtype, as `torch.autocast` does for operators that need precision.

        Args:
            cuda_enabled
            cpu_enabled

        Returns: A view: it shares the memory of the tensor.
        """
    def _autocast_to_reduced_precision(self, cuda_enabled: builtins.bool, cpu_enabled: builtins.bool, cuda_dtype: _dtype, cpu_dtype: _dtype) -> Tensor:
        """Converted from float32 to the shorter dtype that `torch.autocast` computes in.

        Args:
            cuda_enabled
            cpu_enabled
            cuda_dtype
            cpu_dtype

        Returns: A view: it shares the memory of the tensor.
        """
    def _conj(self) -> Tensor:
        """The complex conjugate; real numbers are their own. It is computed at once.

        Another name of conj.

        Returns: A view: it shares the memory of the tensor.
        """
    @overload
    def _fft_c2c(self, dim: Sequence[builtins.int], normalization: builtins.int, forward: builtins.bool) -> Tensor:
        """The discrete Fourier transform of complex numbers over `dim`, forward or backward.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            normalization
            forward
        """
    @overload
    def _fft_c2c(self, dim: Sequence[builtins.int], normalization: builtins.int, forward: builtins.bool, *, out: Tensor) -> Tensor: ...
    @overload
    def _fft_c2r(self, dim: Sequence[builtins.int], normalization: builtins.int, last_dim_size: builtins.int) -> Tensor:
        """The discrete Fourier transform backward over `dim`, from half of a signal, whose other half is the conjugate, to real numbers.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            normalization
            last_dim_size
        """
    @overload
    def _fft_c2r(self, dim: Sequence[builtins.int], normalization: builtins.int, last_dim_size: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def _fft_r2c(self, dim: Sequence[builtins.int], normalization: builtins.int, onesided: builtins.bool) -> Tensor:
        """The discrete Fourier transform of real numbers over `dim`: all of it, or its first half, of which the other is the conjugate.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            normalization
            onesided: Whether only the frequencies from 0 up are there, which say all for a real signal. None: for a
                real signal.
        """
    @overload
    def _fft_r2c(self, dim: Sequence[builtins.int], normalization: builtins.int, onesided: builtins.bool, *, out: Tensor) -> Tensor: ...
    def _to_copy(self, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, non_blocking: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor:
        """A converted copy.

        Args:
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.
            non_blocking: Without effect on the CPU.
            memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.
        """
    def _unique2(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct elements in ascending order; for each element of `self` its index among them; how often each one occurs.

        Args:
            sorted: Whether the result is in order.
            return_inverse: Whether the place of each element in the result is returned too.
            return_counts: Whether it is returned too how often each element occurs.

        No gradient: PyTorch has none: which elements are chosen is no smooth function.
        """
    @overload
    def abs(self) -> Tensor:
        """The absolute value of each element.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.abs()
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def abs(self, *, out: Tensor) -> Tensor: ...
    def abs_(self) -> Tensor:
        """The absolute value of each element.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.abs_()
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def absolute(self) -> Tensor:
        """The absolute value of each element.

        Another name of abs.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.absolute()
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def absolute(self, *, out: Tensor) -> Tensor: ...
    def absolute_(self) -> Tensor:
        """The absolute value of each element.

        Another name of abs_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.absolute_()
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def acos(self) -> Tensor:
        """The angle of this cosine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.acos()
            tensor([1.3181, 1.0472, 0.7227])
        """
    @overload
    def acos(self, *, out: Tensor) -> Tensor: ...
    def acos_(self) -> Tensor:
        """The angle of this cosine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.acos_()
            tensor([1.3181, 1.0472, 0.7227])
        """
    @overload
    def acosh(self) -> Tensor:
        """The inverse of cosh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.acosh()
            tensor([[0.0000, 1.3170],
                    [1.7627, 2.0634]])
        """
    @overload
    def acosh(self, *, out: Tensor) -> Tensor: ...
    def acosh_(self) -> Tensor:
        """The inverse of cosh.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.acosh_()
            tensor([[0.0000, 1.3170],
                    [1.7627, 2.0634]])
        """
    def adaptive_avg_pool1d(self, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The means of windows that divide each line into `output_size` parts.

        Args:
            output_size: The size of the result, in the dims that change.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.adaptive_avg_pool1d([0])
            tensor([], size=(2, 0))
        """
    def adaptive_max_pool1d(self, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]:
        """The largest elements of windows that divide each line into `output_size` parts, and their places.

        Args:
            output_size: The size of the result, in the dims that change.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.adaptive_max_pool1d([0])
            (tensor([], size=(2, 0)), tensor([], size=(2, 0), dtype=torch.int64))
        """
    @overload
    def add(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` plus `alpha` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.add(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 2.5000, 3.0000])
        """
    @overload
    def add(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def add(self, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
    @overload
    def add(self, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
    @overload
    def add_(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` plus `alpha` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.add_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 2.5000, 3.0000])
        """
    @overload
    def add_(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (the sum of batch1 @ batch2 over the batch).

        Args:
            batch1: The first batch of matrices, with three dims.
            batch2: The second batch of matrices, with three dims.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.ones(2, 2)
            >>> x.addbmm(torch.tensor([[[1.0], [2.0]], [[1.0], [1.0]]]), torch.tensor([[[3.0, 4.0]], [[1.0, 1.0]]]))
            tensor([[ 5.,  6.],
                    [ 8., 10.]])
        """
    @overload
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (the sum of batch1 @ batch2 over the batch).

        Args:
            batch1: The first batch of matrices, with three dims.
            batch2: The second batch of matrices, with three dims.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.ones(2, 2)
            >>> x.addbmm_(torch.tensor([[[1.0], [2.0]], [[1.0], [1.0]]]), torch.tensor([[[3.0, 4.0]], [[1.0, 1.0]]]))
            tensor([[ 5.,  6.],
                    [ 8., 10.]])
        """
    @overload
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self` plus `value` times the quotient of `tensor1` and `tensor2`.

        Args:
            tensor1: The first factor.
            tensor2: The second factor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.addcdiv(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  1.5000,  3.0000])
        """
    @overload
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor) -> Tensor: ...
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self` plus `value` times the quotient of `tensor1` and `tensor2`.

        Args:
            tensor1: The first factor.
            tensor2: The second factor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.addcdiv_(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  1.5000,  3.0000])
        """
    @overload
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self` plus `value` times the product of `tensor1` and `tensor2`.

        Args:
            tensor1: The first factor.
            tensor2: The second factor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.addcmul(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([7.5000, 4.5000, 3.0000])
        """
    @overload
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor) -> Tensor: ...
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self` plus `value` times the product of `tensor1` and `tensor2`.

        Args:
            tensor1: The first factor.
            tensor2: The second factor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.addcmul_(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([7.5000, 4.5000, 3.0000])
        """
    @overload
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (mat1 @ mat2).

        Args:
            mat1: The first matrix.
            mat2: The second matrix.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.addmm(torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[2., 3.],
                    [4., 6.]])
        """
    @overload
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (mat1 @ mat2).

        Args:
            mat1: The first matrix.
            mat2: The second matrix.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.addmm_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[2., 3.],
                    [4., 6.]])
        """
    @overload
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (mat @ vec).

        Args:
            mat: The matrix.
            vec: The vector.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.tensor([10.0, 20.0])
            >>> x.addmv(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
            tensor([ 9., 19.])
        """
    @overload
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (mat @ vec).

        Args:
            mat: The matrix.
            vec: The vector.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([10.0, 20.0])
            >>> x.addmv_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
            tensor([ 9., 19.])
        """
    @overload
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * outer(vec1, vec2).

        Args:
            vec1: The first vector.
            vec2: The second vector.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.ones(2, 3)
            >>> x.addr(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0, -1.0]))
            tensor([[ 2.,  1.,  0.],
                    [ 3.,  1., -1.]])
        """
    @overload
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * outer(vec1, vec2).

        Args:
            vec1: The first vector.
            vec2: The second vector.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.ones(2, 3)
            >>> x.addr_(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0, -1.0]))
            tensor([[ 2.,  1.,  0.],
                    [ 3.,  1., -1.]])
        """
    def alias(self) -> Tensor:
        """A view of all of it.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.alias()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def alias_copy(self) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.alias_copy()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def alias_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def all(self) -> Tensor:
        """all(): Whether every element is nonzero.
        all(dim, keepdim): Whether every element along `dim` is nonzero.
        all(dim, keepdim): Whether every element over `dim` is nonzero.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.all()
            tensor(True)
        """
    @overload
    def all(self, *, out: Tensor) -> Tensor: ...
    @overload
    def all(self, dim: builtins.int, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def all(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def all(self, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def all(self, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> bool:
        """Whether all elements are close: isclose.

        Args:
            other: The second tensor. It broadcasts with the first.
            rtol: The allowed difference, relative to the second value.
            atol: The allowed difference.
            equal_nan: Whether two NaNs count as equal.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.allclose(torch.tensor([3.0, 2.0, 1.0]))
            False
        """
    @overload
    def amax(self, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False) -> Tensor:
        """The largest element over `dim`; a NaN wins.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.amax()
            tensor(2.)
        """
    @overload
    def amax(self, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def amin(self, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False) -> Tensor:
        """The smallest element over `dim`; a NaN wins.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.amin()
            tensor(-1.5000)
        """
    @overload
    def amin(self, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The smallest and the largest element, along `dim` if it is given.

        Args:
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Returns: A named tuple (min, max).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.aminmax()
            torch.return_types.aminmax(
            min=tensor(-1.5000),
            max=tensor(2.))
        """
    @overload
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, min: Tensor, max: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def angle(self) -> Tensor:
        """The angle of each complex number, in radians. For a real number it is 0, or pi if it is negative.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.angle()
            tensor([3.1416, 0.0000, 0.0000])
        """
    @overload
    def angle(self, *, out: Tensor) -> Tensor: ...
    @overload
    def any(self) -> Tensor:
        """any(): Whether some element is nonzero.
        any(dim, keepdim): Whether some element along `dim` is nonzero.
        any(dim, keepdim): Whether some element over `dim` is nonzero.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.any()
            tensor(True)
        """
    @overload
    def any(self, *, out: Tensor) -> Tensor: ...
    @overload
    def any(self, dim: builtins.int, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def any(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def any(self, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def any(self, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def arccos(self) -> Tensor:
        """The angle of this cosine.

        Another name of acos.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arccos()
            tensor([1.3181, 1.0472, 0.7227])
        """
    @overload
    def arccos(self, *, out: Tensor) -> Tensor: ...
    def arccos_(self) -> Tensor:
        """The angle of this cosine.

        Another name of acos_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arccos_()
            tensor([1.3181, 1.0472, 0.7227])
        """
    @overload
    def arccosh(self) -> Tensor:
        """The inverse of cosh.

        Another name of acosh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.arccosh()
            tensor([[0.0000, 1.3170],
                    [1.7627, 2.0634]])
        """
    @overload
    def arccosh(self, *, out: Tensor) -> Tensor: ...
    def arccosh_(self) -> Tensor:
        """The inverse of cosh.

        Another name of acosh_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.arccosh_()
            tensor([[0.0000, 1.3170],
                    [1.7627, 2.0634]])
        """
    @overload
    def arcsin(self) -> Tensor:
        """The angle of this sine.

        Another name of asin.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arcsin()
            tensor([0.2527, 0.5236, 0.8481])
        """
    @overload
    def arcsin(self, *, out: Tensor) -> Tensor: ...
    def arcsin_(self) -> Tensor:
        """The angle of this sine.

        Another name of asin_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arcsin_()
            tensor([0.2527, 0.5236, 0.8481])
        """
    @overload
    def arcsinh(self) -> Tensor:
        """The inverse of sinh.

        Another name of asinh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arcsinh()
            tensor([-1.1948,  0.4812,  1.4436])
        """
    @overload
    def arcsinh(self, *, out: Tensor) -> Tensor: ...
    def arcsinh_(self) -> Tensor:
        """The inverse of sinh.

        Another name of asinh_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arcsinh_()
            tensor([-1.1948,  0.4812,  1.4436])
        """
    @overload
    def arctan(self) -> Tensor:
        """The angle of this tangent.

        Another name of atan.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arctan()
            tensor([-0.9828,  0.4636,  1.1071])
        """
    @overload
    def arctan(self, *, out: Tensor) -> Tensor: ...
    @overload
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self).

        Another name of atan2.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arctan2(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.4636,  0.2450,  1.1071])
        """
    @overload
    def arctan2(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def arctan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self).

        Another name of atan2_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arctan2_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.4636,  0.2450,  1.1071])
        """
    def arctan_(self) -> Tensor:
        """The angle of this tangent.

        Another name of atan_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.arctan_()
            tensor([-0.9828,  0.4636,  1.1071])
        """
    @overload
    def arctanh(self) -> Tensor:
        """The inverse of tanh.

        Another name of atanh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arctanh()
            tensor([0.2554, 0.5493, 0.9730])
        """
    @overload
    def arctanh(self, *, out: Tensor) -> Tensor: ...
    def arctanh_(self) -> Tensor:
        """The inverse of tanh.

        Another name of atanh_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.arctanh_()
            tensor([0.2554, 0.5493, 0.9730])
        """
    @overload
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The first index of the largest element.

        Args:
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.argmax()
            tensor(2)
        """
    @overload
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The first index of the smallest element.

        Args:
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.argmin()
            tensor(0)
        """
    @overload
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False) -> Tensor:
        """The indices that sort the elements along `dim`. `stable=True` keeps the order of equal elements.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            descending: Whether the largest comes first.
            stable: Whether equal elements keep their order.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.argsort()
            tensor([0, 1, 2])
        """
    @overload
    def argsort(self, *, stable: builtins.bool, dim: builtins.int = -1, descending: builtins.bool = False) -> Tensor: ...
    def argwhere(self) -> Tensor:
        """The indices of the elements that are not zero, one row for each.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.argwhere()
            tensor([[0],
                    [1],
                    [2]])
        """
    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """A view of the storage of `self`: element (i, j, …) lies `storage_offset` + i * stride[0] + j * stride[1] + … from its start.

        Args:
            size: The sizes, as a list or one by one.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            storage_offset: The place of the first element in memory. None: that of the tensor.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.as_strided([2, 3], [0, 1])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    def as_strided_(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Args:
            size: The sizes, as a list or one by one.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            storage_offset: The place of the first element in memory. None: that of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.as_strided_([2, 3], [0, 1])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    @overload
    def as_strided_copy(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            size: The sizes, as a list or one by one.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            storage_offset: The place of the first element in memory. None: that of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.as_strided_copy([2, 3], [0, 1])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    @overload
    def as_strided_copy(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
    def as_strided_scatter(self, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """A copy of `self` in which the places that as_strided shows hold the elements of `src`.

        Args:
            src: The tensor whose elements are taken.
            size: The size of the part.
            stride: The step between elements of the part along each dim, in memory.
            storage_offset: The place of the first element in memory. None: that of the tensor.

        No gradient: it depends on how the tensor lies in memory; its parts have one outside of graphs.

        Example:

            >>> x = torch.zeros(2, 2)
            >>> x.as_strided_scatter(torch.tensor([1.0, 2.0]), [2], [3])
            tensor([[1., 0.],
                    [0., 2.]])
        """
    @overload
    def asin(self) -> Tensor:
        """The angle of this sine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.asin()
            tensor([0.2527, 0.5236, 0.8481])
        """
    @overload
    def asin(self, *, out: Tensor) -> Tensor: ...
    def asin_(self) -> Tensor:
        """The angle of this sine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.asin_()
            tensor([0.2527, 0.5236, 0.8481])
        """
    @overload
    def asinh(self) -> Tensor:
        """The inverse of sinh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.asinh()
            tensor([-1.1948,  0.4812,  1.4436])
        """
    @overload
    def asinh(self, *, out: Tensor) -> Tensor: ...
    def asinh_(self) -> Tensor:
        """The inverse of sinh.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.asinh_()
            tensor([-1.1948,  0.4812,  1.4436])
        """
    @overload
    def atan(self) -> Tensor:
        """The angle of this tangent.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.atan()
            tensor([-0.9828,  0.4636,  1.1071])
        """
    @overload
    def atan(self, *, out: Tensor) -> Tensor: ...
    @overload
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self).

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.atan2(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.4636,  0.2450,  1.1071])
        """
    @overload
    def atan2(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def atan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self).

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.atan2_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.4636,  0.2450,  1.1071])
        """
    def atan_(self) -> Tensor:
        """The angle of this tangent.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.atan_()
            tensor([-0.9828,  0.4636,  1.1071])
        """
    @overload
    def atanh(self) -> Tensor:
        """The inverse of tanh.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.atanh()
            tensor([0.2554, 0.5493, 0.9730])
        """
    @overload
    def atanh(self, *, out: Tensor) -> Tensor: ...
    def atanh_(self) -> Tensor:
        """The inverse of tanh.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.atanh_()
            tensor([0.2554, 0.5493, 0.9730])
        """
    def avg_pool1d(self, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
        """The mean of each window along a line.

        Args:
            kernel_size: The size of the window, one number or one for each dim.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            padding: How many places are added at each end of each dim, one number or one for each dim.
            ceil_mode: Whether a window that is not full counts at the end.
            count_include_pad: Whether the added places count in the mean.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.avg_pool1d([2])
            tensor([[1.5000],
                    [3.5000]])
        """
    @overload
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (batch1 @ batch2), for each matrix of the batch.

        Args:
            batch1: The first batch of matrices, with three dims.
            batch2: The second batch of matrices, with three dims.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.ones(1, 2, 2)
            >>> x.baddbmm(torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[3.0, 4.0]]]))
            tensor([[[4., 5.],
                     [7., 9.]]])
        """
    @overload
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (batch1 @ batch2), for each matrix of the batch.

        Args:
            batch1: The first batch of matrices, with three dims.
            batch2: The second batch of matrices, with three dims.
            beta: The factor of the first operand.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.ones(1, 2, 2)
            >>> x.baddbmm_(torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[3.0, 4.0]]]))
            tensor([[[4., 5.],
                     [7., 9.]]])
        """
    @overload
    def bernoulli(self, *, generator: Generator | None = None) -> Tensor:
        """bernoulli(generator): 1 with the probability that each element states, else 0.
        bernoulli(p, generator): 1 with probability p, else 0, in the tensor's size.

        Args:
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
            p: The probability, from 0 to 1.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.bernoulli()
            tensor([0., 0., 1.])
        """
    @overload
    def bernoulli(self, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
    @overload
    def bernoulli(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def bernoulli_(self, p: builtins.float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """bernoulli_(p, generator): 1 with probability p, else 0.
        bernoulli_(p, generator): 1 with the probability that each element of `p` states, else 0.

        Args:
            p: The probability, from 0 to 1.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.bernoulli_()
            tensor([0., 0., 1.])
        """
    @overload
    def bernoulli_(self, p: Tensor, *, generator: Generator | None = None) -> Tensor: ...
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each number from 0 on occurs, or the sum of its weights.

        Args:
            weights: How much each element counts. None: 1.
            minlength: How many counts there are at least.

        No gradient: its arguments are counts.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bincount()
            tensor([0, 0, 0, 1, 0, 1, 1])
        """
    @overload
    def bitwise_and(self, other: Tensor) -> Tensor:
        """The bits that both elements have.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_and(torch.tensor([2, 1, 3]))
            tensor([2, 1, 3])
        """
    @overload
    def bitwise_and(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_and(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_and(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_and_(self, other: Tensor) -> Tensor:
        """The bits that both elements have.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_and_(torch.tensor([2, 1, 3]))
            tensor([2, 1, 3])
        """
    @overload
    def bitwise_and_(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_left_shift(self, other: Tensor) -> Tensor:
        """The bits shifted left by `other` places.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_left_shift(torch.tensor([2, 1, 3]))
            tensor([24, 10, 24])
        """
    @overload
    def bitwise_left_shift(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_left_shift(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_left_shift(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_left_shift_(self, other: Tensor) -> Tensor:
        """The bits shifted left by `other` places.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_left_shift_(torch.tensor([2, 1, 3]))
            tensor([24, 10, 24])
        """
    @overload
    def bitwise_left_shift_(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_not(self) -> Tensor:
        """The bits that the element lacks.

        Shapes: The result has the shape of the tensor.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_not()
            tensor([-7, -6, -4])
        """
    @overload
    def bitwise_not(self, *, out: Tensor) -> Tensor: ...
    def bitwise_not_(self) -> Tensor:
        """The bits that the element lacks.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_not_()
            tensor([-7, -6, -4])
        """
    @overload
    def bitwise_or(self, other: Tensor) -> Tensor:
        """The bits that one of the elements has.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.bitwise_or(torch.tensor([True, False, False]))
            tensor([ True,  True, False])
        """
    @overload
    def bitwise_or(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_or(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_or(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_or_(self, other: Tensor) -> Tensor:
        """The bits that one of the elements has.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.bitwise_or_(torch.tensor([True, False, False]))
            tensor([ True,  True, False])
        """
    @overload
    def bitwise_or_(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_right_shift(self, other: Tensor) -> Tensor:
        """The bits shifted right by `other` places; the sign is kept.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_right_shift(torch.tensor([2, 1, 3]))
            tensor([1, 2, 0])
        """
    @overload
    def bitwise_right_shift(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_right_shift(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_right_shift(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_right_shift_(self, other: Tensor) -> Tensor:
        """The bits shifted right by `other` places; the sign is kept.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_right_shift_(torch.tensor([2, 1, 3]))
            tensor([1, 2, 0])
        """
    @overload
    def bitwise_right_shift_(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_xor(self, other: Tensor) -> Tensor:
        """The bits that exactly one of the elements has.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_xor(torch.tensor([2, 1, 3]))
            tensor([4, 4, 0])
        """
    @overload
    def bitwise_xor(self, other: Number) -> Tensor: ...
    @overload
    def bitwise_xor(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_xor(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def bitwise_xor_(self, other: Tensor) -> Tensor:
        """The bits that exactly one of the elements has.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([6, 5, 3])
            >>> x.bitwise_xor_(torch.tensor([2, 1, 3]))
            tensor([4, 4, 0])
        """
    @overload
    def bitwise_xor_(self, other: Number) -> Tensor: ...
    @overload
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices.

        Args:
            mat2: The second matrix.

        Example:

            >>> x = torch.arange(8.0).reshape(1, 2, 4)
            >>> x.bmm(torch.ones(1, 4, 2))
            tensor([[[ 6.,  6.],
                     [22., 22.]]])
        """
    @overload
    def bmm(self, mat2: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def broadcast_to(self, size: Sequence[builtins.int]) -> Tensor:
        """A view in which dims of size 1 are repeated.

        Args:
            size: The sizes, as a list or one by one.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.broadcast_to([2, 3])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    @overload
    def broadcast_to(self, *size: builtins.int) -> Tensor: ...
    @overload
    def bucketize(self, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False) -> Tensor:
        """The index of the interval between `boundaries` in which each element lies.

        Args:
            boundaries: The sorted ends of the buckets.
            out_int32: Whether the indices are int32. They are int64 otherwise.
            right: Which end of a bucket belongs to it: True the left one.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.bucketize(torch.tensor([0.5, 0.25, 0.5]))
            tensor([0, 2, 3])
        """
    @overload
    def bucketize(self, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor) -> Tensor: ...
    def cauchy_(self, median: builtins.float = 0., sigma: builtins.float = 1., *, generator: Generator | None = None) -> Tensor:
        """Numbers of Cauchy's distribution.

        Args:
            median: The middle of the distribution.
            sigma: The half width at half of the height, above 0.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cauchy_()
            tensor([10.5977,  0.7648, -0.1283])
        """
    @overload
    def ceil(self) -> Tensor:
        """The smallest integer that is not less.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ceil()
            tensor([-1.,  1.,  2.])
        """
    @overload
    def ceil(self, *, out: Tensor) -> Tensor: ...
    def ceil_(self) -> Tensor:
        """The smallest integer that is not less.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ceil_()
            tensor([-1.,  1.,  2.])
        """
    @overload
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """linalg.cholesky, in its old spelling.

        Args:
            upper: The largest slope that is drawn.

        Example:

            >>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
            >>> x.cholesky()
            tensor([[2., 0.],
                    [1., 2.]])
        """
    @overload
    def cholesky(self, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of matrices whose Cholesky factor is given.

        Args:
            upper: The largest slope that is drawn.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.cholesky_inverse()
            tensor([[ 1.5625, -0.1875],
                    [-0.1875,  0.0625]])
        """
    @overload
    def cholesky_inverse(self, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """The solution of systems of equations whose matrix has the Cholesky factor `input2`.

        Args:
            input2: The second tensor.
            upper: The largest slope that is drawn.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.cholesky_solve(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[inf, inf],
                    [-inf, -inf]])
        """
    @overload
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of equal size along `dim`.

        Args:
            chunks: How many parts there should be, at most.
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.chunk(1)
            (tensor([-1.5000,  0.5000,  2.0000]),)
        """
    @overload
    def clamp(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """The elements, raised to min and lowered to max.

        Args:
            min: The smallest value that is kept. None: there is no limit.
            max: The largest value that is kept. None: there is no limit.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.clamp(2)
            tensor([[2., 2.],
                    [3., 4.]])
        """
    @overload
    def clamp(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clamp(self, min: Number | None = None, max: Number | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp(self, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp_(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """The elements, raised to min and lowered to max.

        Args:
            min: The smallest value that is kept. None: there is no limit.
            max: The largest value that is kept. None: there is no limit.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.clamp_(2)
            tensor([[2., 2.],
                    [3., 4.]])
        """
    @overload
    def clamp_(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clamp_max(self, max: Tensor) -> Tensor:
        """Elements above `max` become `max`.

        Args:
            max: The largest value that is kept, for each element.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.clamp_max(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  1.0000])
        """
    @overload
    def clamp_max(self, max: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp_max(self, max: Number) -> Tensor: ...
    @overload
    def clamp_max(self, max: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp_max_(self, max: Tensor) -> Tensor:
        """Elements above `max` become `max`.

        Args:
            max: The largest value that is kept, for each element.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.clamp_max_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  1.0000])
        """
    @overload
    def clamp_max_(self, max: Number) -> Tensor: ...
    @overload
    def clamp_min(self, min: Tensor) -> Tensor:
        """Elements below `min` become `min`.

        Args:
            min: The smallest value that is kept, for each element.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.clamp_min(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def clamp_min(self, min: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp_min(self, min: Number) -> Tensor: ...
    @overload
    def clamp_min(self, min: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def clamp_min_(self, min: Tensor) -> Tensor:
        """Elements below `min` become `min`.

        Args:
            min: The smallest value that is kept, for each element.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.clamp_min_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def clamp_min_(self, min: Number) -> Tensor: ...
    @overload
    def clip(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """The elements, raised to min and lowered to max.

        Another name of clamp.

        Args:
            min: The smallest value that is kept. None: there is no limit.
            max: The largest value that is kept. None: there is no limit.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.clip(2)
            tensor([[2., 2.],
                    [3., 4.]])
        """
    @overload
    def clip(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clip(self, min: Number | None = None, max: Number | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def clip(self, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def clip_(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """The elements, raised to min and lowered to max.

        Another name of clamp_.

        Args:
            min: The smallest value that is kept. None: there is no limit.
            max: The largest value that is kept. None: there is no limit.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.clip_(2)
            tensor([[2., 2.],
                    [3., 4.]])
        """
    @overload
    def clip_(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """A copy.

        Args:
            memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.clone()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def conj(self) -> Tensor:
        """The complex conjugate; real numbers are their own. It is computed at once.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.conj()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def conj_physical(self) -> Tensor:
        """The complex conjugate; real numbers are their own.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.conj_physical()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def conj_physical(self, *, out: Tensor) -> Tensor: ...
    def conj_physical_(self) -> Tensor:
        """The complex conjugate; real numbers are their own.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.conj_physical_()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def contiguous(self, *, memory_format: _memory_format = ...) -> Tensor:
        """The tensor itself where its elements lie in order, else a copy that does.

        Args:
            memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.contiguous()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def conv_tbc(self, weight: Tensor, bias: Tensor, pad: builtins.int = 0) -> Tensor:
        """conv1d of sequences whose dims are steps, batch and channels.

        Args:
            weight: The windows, of shape (size of the window, input channels, output channels).
            bias: What is added to each output channel.
            pad: How many zeros are added at each end.

        Example:

            >>> x = torch.arange(4.0).reshape(4, 1, 1)
            >>> x.conv_tbc(torch.ones(2, 1, 1), torch.zeros(1)).flatten()
            tensor([1., 3., 5.])
        """
    @overload
    def conv_tbc(self, weight: Tensor, bias: Tensor, pad: builtins.int = 0, *, out: Tensor) -> Tensor: ...
    def copy_(self, src: Tensor, non_blocking: builtins.bool = False) -> Tensor:
        """Writes `src` into `self`.

        Args:
            src: The tensor whose elements are taken.
            non_blocking: Without effect on the CPU.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.copy_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 1.])
        """
    @overload
    def copysign(self, other: Tensor) -> Tensor:
        """The size of `self` with the sign of `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.copysign(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def copysign(self, other: Number) -> Tensor: ...
    @overload
    def copysign(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def copysign(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def copysign_(self, other: Tensor) -> Tensor:
        """The size of `self` with the sign of `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.copysign_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 0.5000, 2.0000])
        """
    @overload
    def copysign_(self, other: Number) -> Tensor: ...
    def corrcoef(self) -> Tensor:
        """The correlations of variables, one a row.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.corrcoef()
            tensor(1.)
        """
    @overload
    def cos(self) -> Tensor:
        """The cosine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cos()
            tensor([ 0.0707,  0.8776, -0.4161])
        """
    @overload
    def cos(self, *, out: Tensor) -> Tensor: ...
    def cos_(self) -> Tensor:
        """The cosine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cos_()
            tensor([ 0.0707,  0.8776, -0.4161])
        """
    @overload
    def cosh(self) -> Tensor:
        """The hyperbolic cosine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cosh()
            tensor([2.3524, 1.1276, 3.7622])
        """
    @overload
    def cosh(self, *, out: Tensor) -> Tensor: ...
    def cosh_(self) -> Tensor:
        """The hyperbolic cosine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cosh_()
            tensor([2.3524, 1.1276, 3.7622])
        """
    @overload
    def count_nonzero(self, dim: builtins.int | None = None) -> Tensor:
        """count_nonzero(dim): How many elements are not 0.
        count_nonzero(dim): How many elements over `dim` are not 0.

        Args:
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.

        No gradient: its result is a count.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.count_nonzero()
            tensor(3)
        """
    @overload
    def count_nonzero(self, dim: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def count_nonzero(self, *dim: builtins.int) -> Tensor: ...
    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariances of variables, one a row, over observations, which `fweights` count and `aweights` weigh.

        Args:
            correction: What is taken from the number of elements before dividing by it. None: 1.
            fweights: How often each observation counts: integers.
            aweights: How much each observation counts: any numbers.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cov()
            tensor(3.0833)
        """
    @overload
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The cross products of vectors of three elements along `dim`. Without `dim`, along the first dim of size 3.

        Args:
            other: The second tensor. It broadcasts with the first.
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cross(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-3.5000,  7.5000, -4.5000])
        """
    @overload
    def cross(self, other: Tensor, dim: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def cummax(self, dim: builtins.int) -> tuple[Tensor, Tensor]:
        """The largest element so far along `dim`, and its index.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cummax(0)
            torch.return_types.cummax(
            values=tensor([-1.5000,  0.5000,  2.0000]),
            indices=tensor([0, 1, 2]))
        """
    @overload
    def cummax(self, dim: builtins.int, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def cummin(self, dim: builtins.int) -> tuple[Tensor, Tensor]:
        """The smallest element so far along `dim`, and its index.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cummin(0)
            torch.return_types.cummin(
            values=tensor([-1.5000, -1.5000, -1.5000]),
            indices=tensor([0, 0, 0]))
        """
    @overload
    def cummin(self, dim: builtins.int, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def cumprod(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """The products along `dim` up to each element; integers are multiplied as int64.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cumprod(0)
            tensor([-1.5000, -0.7500, -1.5000])
        """
    @overload
    def cumprod(self, dim: builtins.int, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    def cumprod_(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """The products along `dim` up to each element; integers are multiplied as int64.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cumprod_(0)
            tensor([-1.5000, -0.7500, -1.5000])
        """
    @overload
    def cumsum(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """The sums along `dim` up to each element; integers are summed as int64.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cumsum(0)
            tensor([-1.5000, -1.0000,  1.0000])
        """
    @overload
    def cumsum(self, dim: builtins.int, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    def cumsum_(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """The sums along `dim` up to each element; integers are summed as int64.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.cumsum_(0)
            tensor([-1.5000, -1.0000,  1.0000])
        """
    @overload
    def deg2rad(self) -> Tensor:
        """Converts degrees to radians.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.deg2rad()
            tensor([-0.0262,  0.0087,  0.0349])
        """
    @overload
    def deg2rad(self, *, out: Tensor) -> Tensor: ...
    def deg2rad_(self) -> Tensor:
        """Converts degrees to radians.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.deg2rad_()
            tensor([-0.0262,  0.0087,  0.0349])
        """
    def dequantize(self) -> Tensor:
        """The numbers that the integers of a quantized tensor stand for, as a tensor of float32.

        Example:

            >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 0.97]), 0.1, 10, torch.quint8)
            >>> x.dequantize()
            tensor([-1.,  0.,  1.])
        """
    def det(self) -> Tensor:
        """The determinants of matrices.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.det()
            tensor(-2.0000)
        """
    def detach(self) -> Tensor:
        """The same tensor, outside of gradients.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.detach()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def detach_copy(self) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.detach_copy()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def detach_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """For a vector, the matrix with the vector on its diagonal. For a matrix, a copy of its diagonal.

        Args:
            diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.diag()
            tensor([[-1.5000,  0.0000,  0.0000],
                    [ 0.0000,  0.5000,  0.0000],
                    [ 0.0000,  0.0000,  2.0000]])
        """
    @overload
    def diag(self, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
    @overload
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Zeros, with the last dim of `self` on a diagonal of the dims `dim1` and `dim2`.

        Args:
            offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
            dim1: One of the two dims. A negative one counts from the last.
            dim2: The other of the two dims. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.diag_embed()
            tensor([[-1.5000,  0.0000,  0.0000],
                    [ 0.0000,  0.5000,  0.0000],
                    [ 0.0000,  0.0000,  2.0000]])
        """
    @overload
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1, *, out: Tensor) -> Tensor: ...
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """The matrix with all elements on its diagonal.

        Args:
            offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.diagflat()
            tensor([[-1.5000,  0.0000,  0.0000],
                    [ 0.0000,  0.5000,  0.0000],
                    [ 0.0000,  0.0000,  2.0000]])
        """
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A view of a diagonal of dims `dim1` and `dim2`, which becomes the last dim.

        Args:
            offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
            dim1: One of the two dims. A negative one counts from the last.
            dim2: The other of the two dims. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.diagonal()
            tensor([1., 4.])
        """
    @overload
    def diagonal_copy(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
            dim1: One of the two dims. A negative one counts from the last.
            dim2: The other of the two dims. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.diagonal_copy()
            tensor([1., 4.])
        """
    @overload
    def diagonal_copy(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor) -> Tensor: ...
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A copy of `self`, with `src` in place of the elements that the view shows.

        Args:
            src: The tensor whose elements are taken.
            offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
            dim1: One of the two dims. A negative one counts from the last.
            dim2: The other of the two dims. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.diagonal_scatter(torch.tensor([7.0, 8.0]))
            tensor([[7., 2.],
                    [3., 8.]])
        """
    @overload
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The differences of neighbours along `dim`, `n` times, after `prepend` and before `append`.

        Args:
            n: How many.
            dim: The dim to work along. A negative one counts from the last.
            prepend: What is put before the tensor first. None: nothing.
            append: What is put after the tensor first. None: nothing.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.diff()
            tensor([2.0000, 1.5000])
        """
    @overload
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def digamma(self) -> Tensor:
        """The derivative of lgamma. It is infinite at 0 and NaN at negative whole numbers.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.digamma()
            tensor([ 0.7032, -1.9635,  0.4228])
        """
    @overload
    def digamma(self, *, out: Tensor) -> Tensor: ...
    def digamma_(self) -> Tensor:
        """The derivative of lgamma. It is infinite at 0 and NaN at negative whole numbers.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.digamma_()
            tensor([ 0.7032, -1.9635,  0.4228])
        """
    def dist(self, other: Tensor, p: Number = 2) -> Tensor:
        """The norm of order `p` of the difference.

        Args:
            other: The second tensor. It broadcasts with the first.
            p: The order of the norm.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.dist(torch.tensor([3.0, 2.0, 1.0]))
            tensor(4.8477)
        """
    @overload
    def div(self, other: Tensor) -> Tensor:
        """div(other): `self` divided by `other`; integers give floats.
        div(other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

        Args:
            other: The second tensor. It broadcasts with the first.
            rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.div(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def div(self, other: Number) -> Tensor: ...
    @overload
    def div(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def div(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def div(self, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def div(self, other: Tensor, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
    @overload
    def div(self, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def div(self, other: Number, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
    @overload
    def div_(self, other: Tensor) -> Tensor:
        """div_(other): `self` divided by `other`; integers give floats.
        div_(other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

        Args:
            other: The second tensor. It broadcasts with the first.
            rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.div_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def div_(self, other: Number) -> Tensor: ...
    @overload
    def div_(self, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def div_(self, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def divide(self, other: Tensor) -> Tensor:
        """divide(other): `self` divided by `other`; integers give floats.
        divide(other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

        Another name of div.

        Args:
            other: The second tensor. It broadcasts with the first.
            rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.divide(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def divide(self, other: Number) -> Tensor: ...
    @overload
    def divide(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def divide(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def divide(self, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def divide(self, other: Tensor, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
    @overload
    def divide(self, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def divide(self, other: Number, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
    @overload
    def divide_(self, other: Tensor) -> Tensor:
        """divide_(other): `self` divided by `other`; integers give floats.
        divide_(other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

        Another name of div_.

        Args:
            other: The second tensor. It broadcasts with the first.
            rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.divide_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def divide_(self, other: Number) -> Tensor: ...
    @overload
    def divide_(self, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def divide_(self, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
    @overload
    def dot(self, tensor: Tensor) -> Tensor:
        """The dot product of two vectors.

        Args:
            tensor: The second tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.dot(torch.tensor([3.0, 2.0, 1.0]))
            tensor(-1.5000)
        """
    @overload
    def dot(self, tensor: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def dsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views along dim 2.

        Args:
            sections: Into how many equal parts the tensor is divided.
            indices: The places where the tensor is divided, along the dim.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.arange(8.0).reshape(1, 2, 4)
            >>> x.dsplit(2)
            (tensor([[[0., 1.],
                     [4., 5.]]]), tensor([[[2., 3.],
                     [6., 7.]]]))
        """
    @overload
    def dsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def dsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    @overload
    def eq(self, other: Tensor) -> Tensor:
        """Whether the elements are equal.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.eq(torch.tensor([1.0, 2.0, 3.0]))
            tensor([ True,  True, False])
        """
    @overload
    def eq(self, other: Number) -> Tensor: ...
    @overload
    def eq(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def eq(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def eq_(self, other: Tensor) -> Tensor:
        """Whether the elements are equal.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.eq_(torch.tensor([1.0, 2.0, 3.0]))
            tensor([1., 1., 0.])
        """
    @overload
    def eq_(self, other: Number) -> Tensor: ...
    def equal(self, other: Tensor) -> bool:
        """Whether both have the same size and the same elements.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.equal(torch.tensor([3.0, 2.0, 1.0]))
            False
        """
    @overload
    def erf(self) -> Tensor:
        """The error function.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.erf()
            tensor([-0.9661,  0.5205,  0.9953])
        """
    @overload
    def erf(self, *, out: Tensor) -> Tensor: ...
    def erf_(self) -> Tensor:
        """The error function.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.erf_()
            tensor([-0.9661,  0.5205,  0.9953])
        """
    @overload
    def erfc(self) -> Tensor:
        """1 - erf(self), exact for large elements.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.erfc()
            tensor([1.9661, 0.4795, 0.0047])
        """
    @overload
    def erfc(self, *, out: Tensor) -> Tensor: ...
    def erfc_(self) -> Tensor:
        """1 - erf(self), exact for large elements.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.erfc_()
            tensor([1.9661, 0.4795, 0.0047])
        """
    @overload
    def erfinv(self) -> Tensor:
        """The inverse of erf.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.erfinv()
            tensor([0.2253, 0.4769, 0.8134])
        """
    @overload
    def erfinv(self, *, out: Tensor) -> Tensor: ...
    def erfinv_(self) -> Tensor:
        """The inverse of erf.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.erfinv_()
            tensor([0.2253, 0.4769, 0.8134])
        """
    @overload
    def exp(self) -> Tensor:
        """e to the power of each element.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.exp()
            tensor([0.2231, 1.6487, 7.3891])
        """
    @overload
    def exp(self, *, out: Tensor) -> Tensor: ...
    @overload
    def exp2(self) -> Tensor:
        """2 to the power of each element.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.exp2()
            tensor([0.3536, 1.4142, 4.0000])
        """
    @overload
    def exp2(self, *, out: Tensor) -> Tensor: ...
    def exp2_(self) -> Tensor:
        """2 to the power of each element.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.exp2_()
            tensor([0.3536, 1.4142, 4.0000])
        """
    def exp_(self) -> Tensor:
        """e to the power of each element.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.exp_()
            tensor([0.2231, 1.6487, 7.3891])
        """
    @overload
    def expand(self, size: Sequence[builtins.int], *, implicit: builtins.bool = False) -> Tensor:
        """A view in which dims of size 1 are repeated without a copy.

        Args:
            size: The sizes, as a list or one by one.
            implicit: Unused, as in PyTorch.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.expand([2, 3])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    @overload
    def expand(self, *size: builtins.int, implicit: builtins.bool = False) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor:
        """A view in which dims of size 1 are repeated to the size of another tensor.

        Args:
            other: The second tensor. It broadcasts with the first.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.expand_as(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def expand_copy(self, size: Sequence[builtins.int], *, implicit: builtins.bool = False) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            size: The sizes, as a list or one by one.
            implicit: Unused, as in PyTorch.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.expand_copy([2, 3])
            tensor([[-1.5000,  0.5000,  2.0000],
                    [-1.5000,  0.5000,  2.0000]])
        """
    @overload
    def expand_copy(self, *size: builtins.int, implicit: builtins.bool = False) -> Tensor: ...
    @overload
    def expand_copy(self, size: Sequence[builtins.int], *, implicit: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def expand_copy(self, *size: builtins.int, implicit: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def expm1(self) -> Tensor:
        """exp(self) - 1, exact near 0.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.expm1()
            tensor([-0.7769,  0.6487,  6.3891])
        """
    @overload
    def expm1(self, *, out: Tensor) -> Tensor: ...
    def expm1_(self) -> Tensor:
        """exp(self) - 1, exact near 0.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.expm1_()
            tensor([-0.7769,  0.6487,  6.3891])
        """
    def exponential_(self, lambd: builtins.float = 1., *, generator: Generator | None = None) -> Tensor:
        """Exponential numbers of this rate.

        Args:
            lambd: Where the function changes.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.exponential_()
            tensor([3.5083, 1.2304, 0.6150])
        """
    @overload
    def fft_fft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The discrete Fourier transform along `dim`, of `n` elements: the sums of self[k] exp(-2 pi i j k / n).

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_fft()
            tensor([ 1.0000+0.0000j, -2.7500+1.2990j, -2.7500-1.2990j])
        """
    @overload
    def fft_fft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_fft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The discrete Fourier transform over `dim`, of `s` elements.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_fft2()
            tensor([[10.+0.j, -2.+0.j],
                    [-4.+0.j,  0.+0.j]])
        """
    @overload
    def fft_fft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_fftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The discrete Fourier transform over `dim`, of `s` elements.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_fftn()
            tensor([ 1.0000+0.0000j, -2.7500+1.2990j, -2.7500-1.2990j])
        """
    @overload
    def fft_fftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_hfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The fft of a signal that is its own conjugate backwards, of which `self` has the first half. The result is real.

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_hfft()
            tensor([ 1.5000, -3.5000, -0.5000, -3.5000])
        """
    @overload
    def fft_hfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_hfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The transform over `dim` of a signal that is its own conjugate backwards. The result is real.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_hfft2()
            tensor([[10., -2.],
                    [-4.,  0.]])
        """
    @overload
    def fft_hfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_hfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The transform over `dim` of a signal that is its own conjugate backwards. The result is real.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_hfftn()
            tensor([ 1.5000, -3.5000, -0.5000, -3.5000])
        """
    @overload
    def fft_hfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ifft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The inverse of fft.

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_ifft()
            tensor([ 0.3333-0.0000j, -0.9167-0.4330j, -0.9167+0.4330j])
        """
    @overload
    def fft_ifft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ifft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The inverse of the transform over `dim`.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_ifft2()
            tensor([[ 2.5000+0.j, -0.5000+0.j],
                    [-1.0000+0.j,  0.0000+0.j]])
        """
    @overload
    def fft_ifft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ifftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The inverse of the transform over `dim`.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_ifftn()
            tensor([ 0.3333+0.0000j, -0.9167-0.4330j, -0.9167+0.4330j])
        """
    @overload
    def fft_ifftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ihfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The inverse of hfft.

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_ihfft()
            tensor([ 0.3333-0.0000j, -0.9167-0.4330j])
        """
    @overload
    def fft_ihfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ihfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The inverse of that transform.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_ihfft2()
            tensor([[ 2.5000-0.j, -0.5000-0.j],
                    [-1.0000+0.j,  0.0000+0.j]])
        """
    @overload
    def fft_ihfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_ihfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The inverse of that transform.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_ihfftn()
            tensor([ 0.3333-0.0000j, -0.9167-0.4330j])
        """
    @overload
    def fft_ihfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_irfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The inverse of rfft. `n` is the size of the result: 2 (size - 1) where it is not given.

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_irfft()
            tensor([ 0.3750, -0.8750, -0.1250, -0.8750])
        """
    @overload
    def fft_irfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_irfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The inverse of the transform of real numbers. `s` are the sizes of the result.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_irfft2()
            tensor([[ 2.5000, -0.5000],
                    [-1.0000,  0.0000]])
        """
    @overload
    def fft_irfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_irfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The inverse of the transform of real numbers. `s` are the sizes of the result.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_irfftn()
            tensor([ 0.3750, -0.8750, -0.1250, -0.8750])
        """
    @overload
    def fft_irfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_rfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
        """The first n / 2 + 1 elements of the fft of real numbers. The others are their conjugates.

        Args:
            n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
            dim: The dim to work along. A negative one counts from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_rfft()
            tensor([ 1.0000+0.0000j, -2.7500+1.2990j])
        """
    @overload
    def fft_rfft(self, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_rfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
        """The transform of real numbers over `dim`, of whose last one it has the first half.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several. Negative ones count from the last.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fft_rfft2()
            tensor([[10.+0.j, -2.+0.j],
                    [-4.+0.j,  0.+0.j]])
        """
    @overload
    def fft_rfft2(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fft_rfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
        """The transform of real numbers over `dim`, of whose last one it has the first half.

        Args:
            s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
                all.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
                n; "ortho" in both, by the root of n. None: "backward".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fft_rfftn()
            tensor([ 1.0000+0.0000j, -2.7500+1.2990j])
        """
    @overload
    def fft_rfftn(self, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def fill(self, value: Number) -> Tensor:
        """fill(value): A tensor like `self` with one number everywhere.
        fill(value): A tensor like `self` with the element of `value` everywhere.

        Args:
            value: The number that is used as the new value or factor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fill(2)
            tensor([2., 2., 2.])
        """
    @overload
    def fill(self, value: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def fill(self, value: Tensor) -> Tensor: ...
    @overload
    def fill(self, value: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def fill_(self, value: Number) -> Tensor:
        """fill_(value): Writes one number everywhere.
        fill_(value): Writes the element of `value` everywhere.

        Args:
            value: The number that is used as the new value or factor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fill_(2)
            tensor([2., 2., 2.])
        """
    @overload
    def fill_(self, value: Tensor) -> Tensor: ...
    def fill_diagonal_(self, fill_value: Number, wrap: builtins.bool = False) -> Tensor:
        """Writes `fill_value` on the diagonal.

        Args:
            fill_value: The number that every element gets.
            wrap: Whether the diagonal starts again below the square of a matrix with more rows than columns.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.zeros(4, 2)
            >>> x.fill_diagonal_(1, wrap=True)
            tensor([[1., 0.],
                    [0., 1.],
                    [0., 0.],
                    [1., 0.]])
        """
    @overload
    def fix(self) -> Tensor:
        """The integer part.

        Another name of trunc.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fix()
            tensor([-1.,  0.,  2.])
        """
    @overload
    def fix(self, *, out: Tensor) -> Tensor: ...
    def fix_(self) -> Tensor:
        """The integer part.

        Another name of trunc_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fix_()
            tensor([-1.,  0.,  2.])
        """
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Dims `start_dim` to `end_dim` made one.

        Args:
            start_dim: The first of the dims that become one.
            end_dim: The last of the dims that become one.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.flatten()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def flip(self, dims: Sequence[builtins.int]) -> Tensor:
        """A copy with the elements along `dims` in reverse order.

        Args:
            dims: The dims, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.flip([0])
            tensor([ 2.0000,  0.5000, -1.5000])
        """
    @overload
    def flip(self, *dims: builtins.int) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The columns in reverse order.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.fliplr()
            tensor([[2., 1.],
                    [4., 3.]])
        """
    def flipud(self) -> Tensor:
        """The rows in reverse order.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.flipud()
            tensor([ 2.0000,  0.5000, -1.5000])
        """
    @overload
    def float_power(self, exponent: Tensor) -> Tensor:
        """`self` raised to `exponent`, in float64.

        Args:
            exponent: The power. A tensor broadcasts with the base.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.float_power(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-3.3750,  0.2500,  2.0000], dtype=torch.float64)
        """
    @overload
    def float_power(self, exponent: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def float_power(self, exponent: Number) -> Tensor: ...
    @overload
    def float_power(self, exponent: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def floor(self) -> Tensor:
        """The largest integer that is not greater.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.floor()
            tensor([-2.,  0.,  2.])
        """
    @overload
    def floor(self, *, out: Tensor) -> Tensor: ...
    def floor_(self) -> Tensor:
        """The largest integer that is not greater.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.floor_()
            tensor([-2.,  0.,  2.])
        """
    @overload
    def floor_divide(self, other: Tensor) -> Tensor:
        """The quotient rounded down.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: use floor(self / other), whose gradient is zero.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.floor_divide(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.,  0.,  2.])
        """
    @overload
    def floor_divide(self, other: Number) -> Tensor: ...
    @overload
    def floor_divide(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def floor_divide(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def floor_divide_(self, other: Tensor) -> Tensor:
        """The quotient rounded down.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: use floor(self / other), whose gradient is zero.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.floor_divide_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.,  0.,  2.])
        """
    @overload
    def floor_divide_(self, other: Number) -> Tensor: ...
    @overload
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two elements. If one is NaN, the other one.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fmax(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def fmax(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two elements. If one is NaN, the other one.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fmin(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  1.0000])
        """
    @overload
    def fmin(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def fmod(self, other: Tensor) -> Tensor:
        """The remainder with the sign of `self`, as C has it.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fmod(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  0.0000])
        """
    @overload
    def fmod(self, other: Number) -> Tensor: ...
    @overload
    def fmod(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def fmod(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def fmod_(self, other: Tensor) -> Tensor:
        """The remainder with the sign of `self`, as C has it.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.fmod_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  0.0000])
        """
    @overload
    def fmod_(self, other: Number) -> Tensor: ...
    @overload
    def frac(self) -> Tensor:
        """The fractional part of each element, with its sign.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.frac()
            tensor([-0.5000,  0.5000,  0.0000])
        """
    @overload
    def frac(self, *, out: Tensor) -> Tensor: ...
    def frac_(self) -> Tensor:
        """The fractional part of each element, with its sign.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.frac_()
            tensor([-0.5000,  0.5000,  0.0000])
        """
    @overload
    def frexp(self) -> tuple[Tensor, Tensor]:
        """Each element as a mantissa, from 0.5 to below 1, times 2 to the power of an int32 exponent.

        Returns: A named tuple (mantissa, exponent).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.frexp()
            torch.return_types.frexp(
            mantissa=tensor([-0.7500,  0.5000,  0.5000]),
            exponent=tensor([1, 0, 2], dtype=torch.int32))
        """
    @overload
    def frexp(self, *, mantissa: Tensor, exponent: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def frobenius_norm(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
        """The norm of order `p`: linalg.vector_norm.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.frobenius_norm([0])
            tensor(2.5495)
        """
    @overload
    def frobenius_norm(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """The elements of `self` at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            sparse_grad: Without effect: the gradient is dense.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.gather(0, torch.tensor([0, 1]))
            tensor([-1.5000,  0.5000])
        """
    @overload
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def gcd(self, other: Tensor) -> Tensor:
        """The largest integer that divides both, element by element. It is not negative, and 0 for two zeros.

        Args:
            other: The second tensor. It broadcasts with the first.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([12, -8, 0])
            >>> x.gcd(torch.tensor([18, 20, 5]))
            tensor([6, 4, 5])
        """
    @overload
    def gcd(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def gcd_(self, other: Tensor) -> Tensor:
        """The largest integer that divides both, element by element. It is not negative, and 0 for two zeros.

        Args:
            other: The second tensor. It broadcasts with the first.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([12, -8, 0])
            >>> x.gcd_(torch.tensor([18, 20, 5]))
            tensor([6, 4, 5])
        """
    @overload
    def ge(self, other: Tensor) -> Tensor:
        """Whether `self` is at least `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ge(torch.tensor([3.0, 2.0, 1.0]))
            tensor([False, False,  True])
        """
    @overload
    def ge(self, other: Number) -> Tensor: ...
    @overload
    def ge(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def ge(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def ge_(self, other: Tensor) -> Tensor:
        """Whether `self` is at least `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ge_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def ge_(self, other: Number) -> Tensor: ...
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """How many tries, each of which succeeds with probability p, the first success takes.

        Args:
            p: The probability, from 0 to 1.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.geometric_(0.5)
            tensor([1., 1., 2.])
        """
    @overload
    def geqrf(self) -> tuple[Tensor, Tensor]:
        """R on and above the diagonal, below it the vectors of the reflections whose product is Q, and their factors.

        Returns: A named tuple (a, tau).

        No gradient: PyTorch has none; use linalg.qr.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.geqrf()
            torch.return_types.geqrf(
            a=tensor([[-3.1623, -4.4272],
                    [ 0.7208, -0.6325]]),
            tau=tensor([1.3162, 0.0000]))
        """
    @overload
    def geqrf(self, *, a: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def ger(self, vec2: Tensor) -> Tensor:
        """The outer product of two vectors: all products of an element of `self` and an element of `vec2`.

        Another name of outer.

        Args:
            vec2: The second vector.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ger(torch.tensor([3.0, 2.0, 1.0]))
            tensor([[-4.5000, -3.0000, -1.5000],
                    [ 1.5000,  1.0000,  0.5000],
                    [ 6.0000,  4.0000,  2.0000]])
        """
    @overload
    def ger(self, vec2: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def greater(self, other: Tensor) -> Tensor:
        """Whether `self` is greater than `other`.

        Another name of gt.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.greater(torch.tensor([3.0, 2.0, 1.0]))
            tensor([False, False,  True])
        """
    @overload
    def greater(self, other: Number) -> Tensor: ...
    @overload
    def greater(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def greater(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def greater_(self, other: Tensor) -> Tensor:
        """Whether `self` is greater than `other`.

        Another name of gt_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.greater_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def greater_(self, other: Number) -> Tensor: ...
    @overload
    def greater_equal(self, other: Tensor) -> Tensor:
        """Whether `self` is at least `other`.

        Another name of ge.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.greater_equal(torch.tensor([3.0, 2.0, 1.0]))
            tensor([False, False,  True])
        """
    @overload
    def greater_equal(self, other: Number) -> Tensor: ...
    @overload
    def greater_equal(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def greater_equal(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def greater_equal_(self, other: Tensor) -> Tensor:
        """Whether `self` is at least `other`.

        Another name of ge_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.greater_equal_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def greater_equal_(self, other: Number) -> Tensor: ...
    @overload
    def gt(self, other: Tensor) -> Tensor:
        """Whether `self` is greater than `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.gt(torch.tensor([3.0, 2.0, 1.0]))
            tensor([False, False,  True])
        """
    @overload
    def gt(self, other: Number) -> Tensor: ...
    @overload
    def gt(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def gt(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def gt_(self, other: Tensor) -> Tensor:
        """Whether `self` is greater than `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.gt_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def gt_(self, other: Number) -> Tensor: ...
    @overload
    def hardshrink(self, lambd: Number = 0.5) -> Tensor:
        """`self` where it is farther from 0 than `lambd`, else 0.

        Args:
            lambd: Where the function changes.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.hardshrink()
            tensor([-1.5000,  0.0000,  2.0000])
        """
    @overload
    def hardshrink(self, lambd: Number = 0.5, *, out: Tensor) -> Tensor: ...
    @overload
    def heaviside(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above it, and `values` at 0.

        Args:
            values: The values to use.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: it is not differentiable with respect to its values at 0 in PyTorch; write where.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.heaviside(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 1., 1.])
        """
    @overload
    def heaviside(self, values: Tensor, *, out: Tensor) -> Tensor: ...
    def heaviside_(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above it, and `values` at 0.

        Args:
            values: The values to use.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: it is not differentiable with respect to its values at 0 in PyTorch; write where.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.heaviside_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([0., 1., 1.])
        """
    @overload
    def histc(self, bins: builtins.int = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """How many elements lie in each of `bins` equal parts of the range from `min` to `max`. Elements outside and NaN are not counted.

        Args:
            bins: How many parts there are.
            min: The lower end of the range.
            max: The upper end of the range, which belongs to it. If `min` and `max` are both 0, the range is that of
                the elements.

        No gradient: it counts.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
            >>> x.histc(bins=4, min=0, max=4)
            tensor([0., 2., 1., 0.])
        """
    @overload
    def histc(self, bins: builtins.int = 100, min: Number = 0, max: Number = 0, *, out: Tensor) -> Tensor: ...
    @overload
    def histogram(self, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """histogram(bins, weight, density): How many elements lie in each bin, and the edges of the bins. An edge belongs to the bin above it, and the last one to the last bin.
        histogram(bins, range, weight, density): histogram of `bins` bins of one width.

        Args:
            bins: How many bins of one width there are, or a tensor with the edges, in order.
            weight: How much each element counts, in a tensor of the same size. None: 1.
            density: Whether the result is a density: each bin divided by its width and by the sum of all, so that the
                integral is 1.
            range: The two ends of the bins, if `bins` is a number. None: the smallest and the largest element.

        Returns: A named tuple (hist, bin_edges).

        No gradient: its first result counts, its second one are edges.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
            >>> x.histogram(4, range=(0.0, 4.0))
            torch.return_types.histogram(
            hist=tensor([0., 2., 1., 0.]),
            bin_edges=tensor([0., 1., 2., 3., 4.]))
        """
    @overload
    def histogram(self, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False, hist: Tensor, bin_edges: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def histogram(self, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def histogram(self, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, hist: Tensor, bin_edges: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def hsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views along dim 1, of vectors along dim 0.

        Args:
            sections: Into how many equal parts the tensor is divided.
            indices: The places where the tensor is divided, along the dim.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.hsplit(2)
            (tensor([[1.],
                    [3.]]), tensor([[2.],
                    [4.]]))
        """
    @overload
    def hsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def hsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    @overload
    def hypot(self, other: Tensor) -> Tensor:
        """The root of the sum of squares, without overflow.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.hypot(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3.3541, 2.0616, 2.2361])
        """
    @overload
    def hypot(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def hypot_(self, other: Tensor) -> Tensor:
        """The root of the sum of squares, without overflow.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.hypot_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3.3541, 2.0616, 2.2361])
        """
    @overload
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind, of order 0.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.i0()
            tensor([1.6467, 1.0635, 2.2796])
        """
    @overload
    def i0(self, *, out: Tensor) -> Tensor: ...
    def i0_(self) -> Tensor:
        """The modified Bessel function of the first kind, of order 0.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.i0_()
            tensor([1.6467, 1.0635, 2.2796])
        """
    @overload
    def igamma(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function: the integral of t^(self - 1) exp(-t) from 0 to `other`, divided by gamma(`self`).

        Args:
            other: Where the integral ends, at least 0.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.igamma(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[0.0000, 0.2642],
                    [0.0803, 0.0190]])
        """
    @overload
    def igamma(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def igamma_(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function: the integral of t^(self - 1) exp(-t) from 0 to `other`, divided by gamma(`self`).

        Args:
            other: Where the integral ends, at least 0.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.igamma_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[0.0000, 0.2642],
                    [0.0803, 0.0190]])
        """
    @overload
    def igammac(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function: 1 - igamma(`self`, `other`).

        Args:
            other: Where the integral begins, at least 0.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.igammac(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[1.0000, 0.7358],
                    [0.9197, 0.9810]])
        """
    @overload
    def igammac(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def igammac_(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function: 1 - igamma(`self`, `other`).

        Args:
            other: Where the integral begins, at least 0.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.igammac_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[1.0000, 0.7358],
                    [0.9197, 0.9810]])
        """
    def index(self, indices: Sequence[Tensor | None]) -> Tensor:
        """`self` indexed by tensors, which broadcast together; None leaves a dim alone.

        Args:
            indices: An index tensor for each dim. None leaves its dim alone.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.index([torch.tensor([1, 0]), torch.tensor([0, 0])])
            tensor([3., 1.])
        """
    @overload
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` with slices of `source` added at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.
            alpha: The factor of the second operand.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_add(0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 1.5000, 4.0000])
        """
    @overload
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` with slices of `source` added at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.
            alpha: The factor of the second operand.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_add_(0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 1.5000, 4.0000])
        """
    @overload
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """`self` with slices of `source` written at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_copy(0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 1., 2.])
        """
    @overload
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor) -> Tensor: ...
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """`self` with slices of `source` written at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_copy_(0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 1., 2.])
        """
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: Number) -> Tensor:
        """index_fill(dim, index, value): `self` with a number in its slices at `index` along `dim`.
        index_fill(dim, index, value): `self` with one element in its slices at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            value: The number that is used as the new value or factor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_fill(0, torch.tensor([0, 1]), 0.5)
            tensor([0.5000, 0.5000, 2.0000])
        """
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Number) -> Tensor:
        """index_fill_(dim, index, value): `self` with a number in its slices at `index` along `dim`.
        index_fill_(dim, index, value): `self` with one element in its slices at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            value: The number that is used as the new value or factor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_fill_(0, torch.tensor([0, 1]), 0.5)
            tensor([0.5000, 0.5000, 2.0000])
        """
    @overload
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
    def index_put(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy of `self` with `values` written or added at the indices.

        Args:
            indices: An index tensor for each dim. None leaves its dim alone.
            values: The values to use.
            accumulate: Whether values are added to what is there instead of replacing it.

        Example:

            >>> x = torch.zeros(2, 2)
            >>> x.index_put([torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0]))
            tensor([[6., 0.],
                    [5., 0.]])
        """
    def index_put_(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """Writes or adds `values` at the indices.

        Args:
            indices: An index tensor for each dim. None leaves its dim alone.
            values: The values to use.
            accumulate: Whether values are added to what is there instead of replacing it.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.zeros(2, 2)
            >>> x.index_put_([torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0]))
            tensor([[6., 0.],
                    [5., 0.]])
        """
    @overload
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`self` joined with slices of `source` at `index` along `dim`: by product, mean, largest or smallest.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.
            reduce: "prod", "mean", "amax" or "amin".
            include_self: Whether the elements that were there take part.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 3.0])
            >>> x.index_reduce(0, torch.tensor([0, 2, 0]), torch.tensor([5.0, 1.0, 4.0]), "amax")
            tensor([5., 2., 3.])
        """
    @overload
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor) -> Tensor: ...
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`self` joined with slices of `source` at `index` along `dim`: by product, mean, largest or smallest.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            source: The tensor whose elements are taken.
            reduce: "prod", "mean", "amax" or "amin".
            include_self: Whether the elements that were there take part.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 3.0])
            >>> x.index_reduce_(0, torch.tensor([0, 2, 0]), torch.tensor([5.0, 1.0, 4.0]), "amax")
            tensor([5., 2., 3.])
        """
    @overload
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The slices at `index` along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.index_select(0, torch.tensor([0, 1]))
            tensor([-1.5000,  0.5000])
        """
    @overload
    def index_select(self, dim: builtins.int, index: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def inner(self, other: Tensor) -> Tensor:
        """The sums of products over the last dims.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.inner(torch.tensor([3.0, 2.0, 1.0]))
            tensor(-1.5000)
        """
    @overload
    def inner(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def int_repr(self) -> Tensor:
        """The integers of a quantized tensor.

        Example:

            >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
            >>> x.int_repr()
            tensor([ 0, 10, 20], dtype=torch.uint8)
        """
    @overload
    def inverse(self) -> Tensor:
        """The inverses of matrices.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.inverse()
            tensor([[-2.0000,  1.0000],
                    [ 1.5000, -0.5000]])
        """
    @overload
    def inverse(self, *, out: Tensor) -> Tensor: ...
    def is_conj(self) -> bool:
        """Whether the elements are marked as to be conjugated or negated, which no tensor's are: both are computed at once.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.is_conj()
            False
        """
    def is_neg(self) -> bool:
        """Whether the elements are marked as to be conjugated or negated, which no tensor's are: both are computed at once.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.is_neg()
            False
        """
    def is_nonzero(self) -> bool:
        """Whether the only element is not zero.

        Example:

            >>> x = torch.tensor([2.0])
            >>> x.is_nonzero()
            True
        """
    def is_same_size(self, other: Tensor) -> bool:
        """Whether two tensors have the same sizes.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.is_same_size(torch.tensor([3.0, 2.0, 1.0]))
            True
        """
    def is_set_to(self, tensor: Tensor) -> bool:
        """Whether both tensors show the same memory in the same way.

        Args:
            tensor: The second tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.is_set_to(torch.tensor([3.0, 2.0, 1.0]))
            False
        """
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Where |self - other| <= atol + rtol |other|; equal infinities are close.

        Args:
            other: The second tensor. It broadcasts with the first.
            rtol: The allowed difference, relative to the second value.
            atol: The allowed difference.
            equal_nan: Whether two NaNs count as equal.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.isclose(torch.tensor([1.0, 2.0, 3.0]))
            tensor([ True,  True, False])
        """
    def isfinite(self) -> Tensor:
        """Whether the element is neither infinite nor a NaN.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isfinite()
            tensor([True, True, True])
        """
    def isinf(self) -> Tensor:
        """Whether the element is infinite.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isinf()
            tensor([False, False, False])
        """
    def isnan(self) -> Tensor:
        """Whether the element is a NaN.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isnan()
            tensor([False, False, False])
        """
    @overload
    def isneginf(self) -> Tensor:
        """Whether the element is minus infinity.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isneginf()
            tensor([False, False, False])
        """
    @overload
    def isneginf(self, *, out: Tensor) -> Tensor: ...
    @overload
    def isposinf(self) -> Tensor:
        """Whether the element is infinity.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isposinf()
            tensor([False, False, False])
        """
    @overload
    def isposinf(self, *, out: Tensor) -> Tensor: ...
    def isreal(self) -> Tensor:
        """Whether the imaginary part is 0.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.isreal()
            tensor([True, True, True])
        """
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """The signal whose short-time transform is nearest to `self`.

        Args:
            n_fft: How many elements each transform has.
            hop_length: The step from one window to the next. None: a quarter of n_fft.
            win_length: How many elements the window has. None: n_fft.
            window: The factors of a window's elements. None: 1.
            center: Whether each window lies around its place. False: it begins there.
            normalized: Whether the result is divided by the root of n_fft.
            onesided: Whether only the frequencies from 0 up are there, which say all for a real signal. None: for a
                real signal.
            length: How many elements along the dim.
            return_complex: Whether the result is complex. False: a last dim holds the real and imaginary parts.
        """
    @overload
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: each element of `self` becomes a block, the element times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.kron(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000, -3.0000, -1.5000,  1.5000,  1.0000,  0.5000,  6.0000,  4.0000,
                     2.0000])
        """
    @overload
    def kron(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The `k`-th smallest element along `dim`, and its index. Equal elements count in their order.

        Args:
            k: How many, or which one, counted from 1 where it is a rank.
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.kthvalue(1)
            torch.return_types.kthvalue(
            values=tensor(-1.5000),
            indices=tensor(0))
        """
    @overload
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def lcm(self, other: Tensor) -> Tensor:
        """The least integer that both divide, element by element. It is not negative, and 0 where one is 0.

        Args:
            other: The second tensor. It broadcasts with the first.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([4, -6, 0])
            >>> x.lcm(torch.tensor([6, 4, 5]))
            tensor([12, 12,  0])
        """
    @overload
    def lcm(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def lcm_(self, other: Tensor) -> Tensor:
        """The least integer that both divide, element by element. It is not negative, and 0 where one is 0.

        Args:
            other: The second tensor. It broadcasts with the first.

        Returns: The tensor itself, changed.

        No gradient: integers have no gradient.

        Example:

            >>> x = torch.tensor([4, -6, 0])
            >>> x.lcm_(torch.tensor([6, 4, 5]))
            tensor([12, 12,  0])
        """
    @overload
    def ldexp(self, other: Tensor) -> Tensor:
        """`self` times 2 to the power of `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ldexp(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-12.,   2.,   4.])
        """
    @overload
    def ldexp(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def ldexp_(self, other: Tensor) -> Tensor:
        """ldexp, written into `self`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ldexp_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-12.,   2.,   4.])
        """
    @overload
    def le(self, other: Tensor) -> Tensor:
        """Whether `self` is at most `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.le(torch.tensor([3.0, 2.0, 1.0]))
            tensor([ True,  True, False])
        """
    @overload
    def le(self, other: Number) -> Tensor: ...
    @overload
    def le(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def le(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def le_(self, other: Tensor) -> Tensor:
        """Whether `self` is at most `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.le_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1., 1., 0.])
        """
    @overload
    def le_(self, other: Number) -> Tensor: ...
    @overload
    def lerp(self, end: Tensor, weight: Number) -> Tensor:
        """lerp(end, weight): The point between `self` and `end` at `weight`.
        lerp(end, weight): The point between `self` and `end` at each `weight`.

        Args:
            end: What weight 1 gives.
            weight: The part of the way from `self` to `end`.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.lerp(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([12.0000,  3.5000,  1.0000])
        """
    @overload
    def lerp(self, end: Tensor, weight: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def lerp(self, end: Tensor, weight: Tensor) -> Tensor: ...
    @overload
    def lerp(self, end: Tensor, weight: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def lerp_(self, end: Tensor, weight: Number) -> Tensor:
        """lerp_(end, weight): The point between `self` and `end` at `weight`.
        lerp_(end, weight): The point between `self` and `end` at each `weight`.

        Args:
            end: What weight 1 gives.
            weight: The part of the way from `self` to `end`.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.lerp_(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([12.0000,  3.5000,  1.0000])
        """
    @overload
    def lerp_(self, end: Tensor, weight: Tensor) -> Tensor: ...
    @overload
    def less(self, other: Tensor) -> Tensor:
        """Whether `self` is less than `other`.

        Another name of lt.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.less(torch.tensor([3.0, 2.0, 1.0]))
            tensor([ True,  True, False])
        """
    @overload
    def less(self, other: Number) -> Tensor: ...
    @overload
    def less(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def less(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def less_(self, other: Tensor) -> Tensor:
        """Whether `self` is less than `other`.

        Another name of lt_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.less_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1., 1., 0.])
        """
    @overload
    def less_(self, other: Number) -> Tensor: ...
    @overload
    def less_equal(self, other: Tensor) -> Tensor:
        """Whether `self` is at most `other`.

        Another name of le.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.less_equal(torch.tensor([3.0, 2.0, 1.0]))
            tensor([ True,  True, False])
        """
    @overload
    def less_equal(self, other: Number) -> Tensor: ...
    @overload
    def less_equal(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def less_equal(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def less_equal_(self, other: Tensor) -> Tensor:
        """Whether `self` is at most `other`.

        Another name of le_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.less_equal_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1., 1., 0.])
        """
    @overload
    def less_equal_(self, other: Number) -> Tensor: ...
    @overload
    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function. For a whole number n above 0, this is log((n - 1)!).

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([1.0, 4.0, 0.5])
            >>> x.lgamma()
            tensor([0.0000, 1.7918, 0.5724])
        """
    @overload
    def lgamma(self, *, out: Tensor) -> Tensor: ...
    def lgamma_(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function. For a whole number n above 0, this is log((n - 1)!).

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([1.0, 4.0, 0.5])
            >>> x.lgamma_()
            tensor([0.0000, 1.7918, 0.5724])
        """
    @overload
    def linalg_cholesky(self, *, upper: builtins.bool = False) -> Tensor:
        """The Cholesky factor of positive-definite matrices.

        Args:
            upper: The largest slope that is drawn.

        Example:

            >>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
            >>> x.linalg_cholesky()
            tensor([[2., 0.],
                    [1., 2.]])
        """
    @overload
    def linalg_cholesky(self, *, upper: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def linalg_cholesky_ex(self, *, upper: builtins.bool = False, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The Cholesky factors of positive-definite matrices, and for each 0, or the order of the minor that is not.

        Args:
            upper: The largest slope that is drawn.
            check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
                it.

        Returns: A named tuple (L, info).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_cholesky_ex()
            torch.return_types.linalg_cholesky_ex(
            L=tensor([[ 1.,  0.],
                    [ 3., -5.]]),
            info=tensor(2, dtype=torch.int32))
        """
    @overload
    def linalg_cholesky_ex(self, *, upper: builtins.bool = False, check_errors: builtins.bool = False, L: Tensor, info: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def linalg_cond(self, p: Number | None = None) -> Tensor:
        """The condition numbers of matrices in the norm `p`.

        Args:
            p: The order of the norm.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_cond()
            tensor(14.9330)
        """
    @overload
    def linalg_cond(self, p: Number | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_cond(self, p: builtins.str) -> Tensor: ...
    @overload
    def linalg_cond(self, p: builtins.str, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_cross(self, other: Tensor, *, dim: builtins.int = -1) -> Tensor:
        """The cross products of vectors of three elements along `dim`.

        Args:
            other: The second tensor. It broadcasts with the first.
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.linalg_cross(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-3.5000,  7.5000, -4.5000])
        """
    @overload
    def linalg_cross(self, other: Tensor, *, dim: builtins.int = -1, out: Tensor) -> Tensor: ...
    @overload
    def linalg_eig(self) -> tuple[Tensor, Tensor]:
        """The eigenvalues of matrices and their vectors as columns, both complex.

        Returns: A named tuple (eigenvalues, eigenvectors).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_eig()
            torch.return_types.linalg_eig(
            eigenvalues=tensor([-0.3723+0.j,  5.3723+0.j]),
            eigenvectors=tensor([[-0.8246+0.j, -0.4160+0.j],
                    [ 0.5658+0.j, -0.9094+0.j]]))
        """
    @overload
    def linalg_eig(self, *, eigenvalues: Tensor, eigenvectors: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def linalg_eigh(self, UPLO: builtins.str = "L") -> tuple[Tensor, Tensor]:
        """The eigenvalues of symmetric or Hermitian matrices in ascending order, and their vectors as columns. One triangle of the matrix is read.

        Args:
            UPLO: Which triangle of the matrix is read: "L" for the lower one, "U" for the upper one.

        Returns: A named tuple (eigenvalues, eigenvectors).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_eigh()
            torch.return_types.linalg_eigh(
            eigenvalues=tensor([-0.8541,  5.8541]),
            eigenvectors=tensor([[-0.8507,  0.5257],
                    [ 0.5257,  0.8507]]))
        """
    @overload
    def linalg_eigh(self, UPLO: builtins.str = "L", *, eigvals: Tensor, eigvecs: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def linalg_eigvals(self) -> Tensor:
        """The eigenvalues of matrices, which are complex.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_eigvals()
            tensor([-0.3723+0.j,  5.3723+0.j])
        """
    @overload
    def linalg_eigvals(self, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_eigvalsh(self, UPLO: builtins.str = "L") -> Tensor:
        """The eigenvalues of symmetric or Hermitian matrices in ascending order.

        Args:
            UPLO: Which triangle of the matrix is read: "L" for the lower one, "U" for the upper one.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_eigvalsh()
            tensor([-0.8541,  5.8541])
        """
    @overload
    def linalg_eigvalsh(self, UPLO: builtins.str = "L", *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_ldl_factor(self, *, hermitian: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """linalg.ldl_factor_ex, with an error for a singular matrix.

        Args:
            hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.

        Returns: A named tuple (LD, pivots).

        No gradient: PyTorch has none; use linalg.solve.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_ldl_factor()
            torch.return_types.linalg_ldl_factor(
            LD=tensor([[ 4.0000,  0.0000],
                    [ 0.7500, -1.2500]]),
            pivots=tensor([2, 2], dtype=torch.int32))
        """
    @overload
    def linalg_ldl_factor(self, *, hermitian: builtins.bool = False, LD: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def linalg_ldl_factor_ex(self, *, hermitian: builtins.bool = False, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """The factors of symmetric or Hermitian matrices: L, and D with blocks of one or two rows.

        Args:
            hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
            check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
                it.

        Returns: A named tuple (LD, pivots, info).

        No gradient: PyTorch has none; use linalg.solve.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_ldl_factor_ex()
            torch.return_types.linalg_ldl_factor_ex(
            LD=tensor([[ 4.0000,  0.0000],
                    [ 0.7500, -1.2500]]),
            pivots=tensor([2, 2], dtype=torch.int32),
            info=tensor(0, dtype=torch.int32))
        """
    @overload
    def linalg_ldl_factor_ex(self, *, hermitian: builtins.bool = False, check_errors: builtins.bool = False, LD: Tensor, pivots: Tensor, info: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def linalg_lstsq(self, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The solution X for which A X is nearest to B, by one of LAPACK's drivers gelsy, gels, gelsd and gelss.

        Args:
            b: The right side B, with as many rows as A.
            rcond: Singular values below this part of the largest one count as 0.
            driver: Which of LAPACK's or cuSOLVER's ways is taken. None: the usual one.

        Returns: A named tuple (solution, residuals, rank, singular_values).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_lstsq(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            torch.return_types.linalg_lstsq(
            solution=tensor([[ 1.0000, -1.0000],
                    [-0.5000,  1.0000]]),
            residuals=tensor([]),
            rank=tensor(2),
            singular_values=tensor([]))
        """
    @overload
    def linalg_lstsq(self, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None, solution: Tensor, residuals: Tensor, rank: Tensor, singular_values: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
    @overload
    def linalg_matrix_exp(self) -> Tensor:
        """The exponentials of square matrices.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_matrix_exp()
            tensor([[ 51.9690,  74.7366],
                    [112.1050, 164.0740]])
        """
    @overload
    def linalg_matrix_exp(self, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_matrix_norm(self, ord: Number, dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The norms of matrices in two dims.

        Args:
            ord: The order of the norm: a number, inf or -inf.
            dim: The dims to work along, one or several. Negative ones count from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_matrix_norm()
            tensor(5.4772)
        """
    @overload
    def linalg_matrix_norm(self, ord: Number, dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def linalg_matrix_norm(self, ord: builtins.str = "fro", dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def linalg_matrix_norm(self, ord: builtins.str = "fro", dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def linalg_matrix_rank(self, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False) -> Tensor:
        """The numbers of singular values above the tolerance.

        Args:
            atol: The allowed difference.
            rtol: The allowed difference, relative to the second value.
            hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
            tol: Singular values below this count as 0.

        No gradient: it is a count.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_matrix_rank()
            tensor(2)
        """
    @overload
    def linalg_matrix_rank(self, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def linalg_matrix_rank(self, tol: builtins.float, hermitian: builtins.bool = False) -> Tensor: ...
    @overload
    def linalg_matrix_rank(self, tol: builtins.float, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_norm(self, ord: Number | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """linalg_norm(ord, dim, keepdim, dtype): The norm of vectors. With two dims and an `ord`, the norm of matrices.
        linalg_norm(ord, dim, keepdim, dtype): The Frobenius norm of matrices.

        Args:
            ord: The order of the norm: a number, inf or -inf. None: 2.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.linalg_norm()
            tensor(2.5495)
        """
    @overload
    def linalg_norm(self, ord: Number | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def linalg_norm(self, ord: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def linalg_norm(self, ord: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def linalg_pinv(self, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False) -> Tensor:
        """The pseudo-inverses of matrices; singular values up to the tolerance count as 0.

        Args:
            atol: The allowed difference.
            rtol: The allowed difference, relative to the second value.
            hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
            rcond: Singular values below this part of the largest one count as 0.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_pinv()
            tensor([[-2.0000,  1.0000],
                    [ 1.5000, -0.5000]])
        """
    @overload
    def linalg_pinv(self, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def linalg_pinv(self, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False) -> Tensor: ...
    @overload
    def linalg_pinv(self, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def linalg_pinv(self, rcond: builtins.float, hermitian: builtins.bool = False) -> Tensor: ...
    @overload
    def linalg_pinv(self, rcond: builtins.float, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_pinv(self, rcond: Tensor, hermitian: builtins.bool = False) -> Tensor: ...
    @overload
    def linalg_pinv(self, rcond: Tensor, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_solve_triangular(self, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False) -> Tensor:
        """The solution of systems of equations whose matrix is triangular; the other triangle is not read.

        Args:
            B: The right side: a matrix, or a batch of matrices.
            upper: The largest slope that is drawn.
            left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
            unitriangular: Whether the diagonal counts as ones.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_solve_triangular(torch.tensor([[0.0, 1.0], [1.0, 1.0]]), upper=True)
            tensor([[-0.5000,  0.5000],
                    [ 0.2500,  0.2500]])
        """
    @overload
    def linalg_solve_triangular(self, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def linalg_tensorinv(self, ind: builtins.int = 2) -> Tensor:
        """The inverse of a tensor whose first `ind` dims are rows and whose others are columns of a square matrix.

        Args:
            ind: How many of the first dims become the rows of the matrix.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.linalg_tensorinv(1)
            tensor([[-2.0000,  1.0000],
                    [ 1.5000, -0.5000]])
        """
    @overload
    def linalg_tensorinv(self, ind: builtins.int = 2, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_tensorsolve(self, other: Tensor, dims: Sequence[builtins.int] | None = None) -> Tensor:
        """The X for which the sum of products of `self` with it over its last dims is `other`.

        Args:
            other: The second tensor. It broadcasts with the first.
            dims: The dims, one or several. Negative ones count from the last.
        """
    @overload
    def linalg_tensorsolve(self, other: Tensor, dims: Sequence[builtins.int] | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def linalg_vector_norm(self, ord: Number = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The vector norm of order `ord` over `dim`. The order is any number, or inf or -inf.

        Args:
            ord: The order of the norm: a number, inf or -inf.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.linalg_vector_norm()
            tensor(2.5495)
        """
    @overload
    def linalg_vector_norm(self, ord: Number = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def log(self) -> Tensor:
        """The natural logarithm.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log()
            tensor([[0.0000, 0.6931],
                    [1.0986, 1.3863]])
        """
    @overload
    def log(self, *, out: Tensor) -> Tensor: ...
    @overload
    def log10(self) -> Tensor:
        """The logarithm to base 10.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log10()
            tensor([[0.0000, 0.3010],
                    [0.4771, 0.6021]])
        """
    @overload
    def log10(self, *, out: Tensor) -> Tensor: ...
    def log10_(self) -> Tensor:
        """The logarithm to base 10.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log10_()
            tensor([[0.0000, 0.3010],
                    [0.4771, 0.6021]])
        """
    @overload
    def log1p(self) -> Tensor:
        """log(1 + self), exact near 0.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log1p()
            tensor([[0.6931, 1.0986],
                    [1.3863, 1.6094]])
        """
    @overload
    def log1p(self, *, out: Tensor) -> Tensor: ...
    def log1p_(self) -> Tensor:
        """log(1 + self), exact near 0.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log1p_()
            tensor([[0.6931, 1.0986],
                    [1.3863, 1.6094]])
        """
    @overload
    def log2(self) -> Tensor:
        """The logarithm to base 2.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log2()
            tensor([[0.0000, 1.0000],
                    [1.5850, 2.0000]])
        """
    @overload
    def log2(self, *, out: Tensor) -> Tensor: ...
    def log2_(self) -> Tensor:
        """The logarithm to base 2.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log2_()
            tensor([[0.0000, 1.0000],
                    [1.5850, 2.0000]])
        """
    def log_(self) -> Tensor:
        """The natural logarithm.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.log_()
            tensor([[0.0000, 0.6931],
                    [1.0986, 1.3863]])
        """
    def log_normal_(self, mean: builtins.float = 1., std: builtins.float = 2., *, generator: Generator | None = None) -> Tensor:
        """Exponentials of normal numbers of this mean and deviation.

        Args:
            mean: The mean.
            std: The standard deviation.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.log_normal_()
            tensor([5.9263e+01, 1.5116e+00, 3.4819e-02])
        """
    @overload
    def log_softmax(self, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
        """The logarithm of softmax, computed as one.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.log_softmax(0)
            tensor([-3.7258, -1.7258, -0.2258])
        """
    @overload
    def log_softmax(self, dim: builtins.int, dtype: _dtype | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(self) + exp(other)), without overflow.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.logaddexp(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3.0110, 2.2014, 2.3133])
        """
    @overload
    def logaddexp(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log2(2^self + 2^other), without overflow.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.logaddexp2(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3.0624, 2.4368, 2.5850])
        """
    @overload
    def logaddexp2(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """The logarithm of the sum of the exponentials along `dim` up to each element, without overflow: log(cumsum(exp(x))).

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([0.0, 1.0, 2.0])
            >>> x.logcumsumexp(0)
            tensor([0.0000, 1.3133, 2.4076])
        """
    @overload
    def logcumsumexp(self, dim: builtins.int, *, out: Tensor) -> Tensor: ...
    def logdet(self) -> Tensor:
        """The logarithms of determinants: NaN of a negative one.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.logdet()
            tensor(nan)
        """
    @overload
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both elements are nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.logical_and(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[False,  True],
                    [ True,  True]])
        """
    @overload
    def logical_and(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def logical_and_(self, other: Tensor) -> Tensor:
        """Whether both elements are nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.logical_and_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[0., 1.],
                    [1., 1.]])
        """
    @overload
    def logical_not(self) -> Tensor:
        """Whether the element is zero.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.logical_not()
            tensor([False, False,  True])
        """
    @overload
    def logical_not(self, *, out: Tensor) -> Tensor: ...
    def logical_not_(self) -> Tensor:
        """Whether the element is zero.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.logical_not_()
            tensor([False, False,  True])
        """
    @overload
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether one of the elements is nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.logical_or(torch.tensor([True, False, False]))
            tensor([ True,  True, False])
        """
    @overload
    def logical_or(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def logical_or_(self, other: Tensor) -> Tensor:
        """Whether one of the elements is nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([True, True, False])
            >>> x.logical_or_(torch.tensor([True, False, False]))
            tensor([ True,  True, False])
        """
    @overload
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one of the elements is nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.logical_xor(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[ True, False],
                    [False, False]])
        """
    @overload
    def logical_xor(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def logical_xor_(self, other: Tensor) -> Tensor:
        """Whether exactly one of the elements is nonzero.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.logical_xor_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[1., 0.],
                    [0., 0.]])
        """
    @overload
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """log(x / (1 - x)). With `eps`, x is first limited to the range from eps to 1 - eps.

        Args:
            eps: A small number that keeps a value from the ends of its range. None: nothing is kept.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.logit()
            tensor([-1.0986,  0.0000,  1.0986])
        """
    @overload
    def logit(self, eps: builtins.float | None = None, *, out: Tensor) -> Tensor: ...
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """log(x / (1 - x)). With `eps`, x is first limited to the range from eps to 1 - eps.

        Args:
            eps: A small number that keeps a value from the ends of its range. None: nothing is kept.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([0.25, 0.5, 0.75])
            >>> x.logit_()
            tensor([-1.0986,  0.0000,  1.0986])
        """
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
        """log(sum(exp(self))) over `dim`, without overflow.

        Args:
            dim: The dims to work along, one or several. Negative ones count from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.logsumexp([0])
            tensor(2.2258)
        """
    @overload
    def lt(self, other: Tensor) -> Tensor:
        """Whether `self` is less than `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.lt(torch.tensor([3.0, 2.0, 1.0]))
            tensor([ True,  True, False])
        """
    @overload
    def lt(self, other: Number) -> Tensor: ...
    @overload
    def lt(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def lt(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def lt_(self, other: Tensor) -> Tensor:
        """Whether `self` is less than `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.lt_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1., 1., 0.])
        """
    @overload
    def lt_(self, other: Number) -> Tensor: ...
    @overload
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """linalg.lu_solve, in its old spelling.

        Args:
            LU_data: The factors that torch.linalg.lu_factor gives.
            LU_pivots: The pivots that torch.linalg.lu_factor gives.

        Example:

            >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
            >>> x = torch.tensor([[2.0], [9.0]])
            >>> x.lu_solve(LU, pivots)
            tensor([[1.],
                    [2.]])
        """
    @overload
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def masked_fill(self, mask: Tensor, value: Number) -> Tensor:
        """masked_fill(mask, value): A copy of `self` with `value` where `mask` is true.
        masked_fill(mask, value): A copy of `self` with the one element of `value` where `mask` is true.

        Args:
            mask: Where it is True, the element is chosen. It broadcasts with the tensor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.masked_fill(x > 0.5, 2)
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def masked_fill(self, mask: Tensor, value: Tensor) -> Tensor: ...
    @overload
    def masked_fill_(self, mask: Tensor, value: Number) -> Tensor:
        """masked_fill_(mask, value): A copy of `self` with `value` where `mask` is true.
        masked_fill_(mask, value): A copy of `self` with the one element of `value` where `mask` is true.

        Args:
            mask: Where it is True, the element is chosen. It broadcasts with the tensor.
            value: The number that is used as the new value or factor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.masked_fill_(x > 0.5, 2)
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def masked_fill_(self, mask: Tensor, value: Tensor) -> Tensor: ...
    @overload
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """`self`, with the elements at which `mask` is true replaced by the elements of `source`, in order.

        Args:
            mask: Where it is True, the element is chosen. It broadcasts with the tensor.
            source: The tensor whose elements are taken.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.masked_scatter(x > 0.5, torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  3.0000])
        """
    @overload
    def masked_scatter(self, mask: Tensor, source: Tensor, *, out: Tensor) -> Tensor: ...
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """`self`, with the elements at which `mask` is true replaced by the elements of `source`, in order.

        Args:
            mask: Where it is True, the element is chosen. It broadcasts with the tensor.
            source: The tensor whose elements are taken.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.masked_scatter_(x > 0.5, torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  3.0000])
        """
    @overload
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where `mask` is true, in one dim.

        Args:
            mask: Where it is True, the element is chosen. It broadcasts with the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.masked_select(x > 0.5)
            tensor([2.])
        """
    @overload
    def masked_select(self, mask: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product. Leading dims broadcast. A vector on the left counts as a row, one on the right as a column.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.matmul(torch.tensor([3.0, 2.0, 1.0]))
            tensor(-1.5000)
        """
    @overload
    def matmul(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def matrix_exp(self) -> Tensor:
        """The exponentials of square matrices.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.matrix_exp()
            tensor([[ 51.9690,  74.7366],
                    [112.1050, 164.0740]])
        """
    @overload
    def matrix_power(self, n: builtins.int) -> Tensor:
        """The `n`-th power of a square matrix. A negative `n` means a power of the inverse.

        Args:
            n: How many.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.matrix_power(1)
            tensor([[1., 2.],
                    [3., 4.]])
        """
    @overload
    def matrix_power(self, n: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def max(self, other: Tensor) -> Tensor:
        """max(other): The larger of two elements; a NaN wins.
        max(): The largest element; a NaN wins.
        max(dim, keepdim): The largest elements along `dim`, and their first indices; a NaN wins.

        Args:
            other: The second tensor. It broadcasts with the first.
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.max(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def max(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, *, out: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False, *, max: Tensor, max_values: Tensor) -> tuple[Tensor, Tensor]: ...
    def max_pool1d(self, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), dilation: builtins.int | Sequence[builtins.int] = (1,), ceil_mode: builtins.bool = False) -> Tensor:
        """The largest element of each window along a line.

        Args:
            kernel_size: The size of the window, one number or one for each dim.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            padding: How many places are added at each end of each dim, one number or one for each dim.
            dilation: The step between the elements of a window, one number or one for each dim.
            ceil_mode: Whether a window that is not full counts at the end.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.max_pool1d([2])
            tensor([[2.],
                    [4.]])
        """
    def max_pool1d_with_indices(self, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), dilation: builtins.int | Sequence[builtins.int] = (1,), ceil_mode: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The largest element of each window along a line, and its place.

        Args:
            kernel_size: The size of the window, one number or one for each dim.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            padding: How many places are added at each end of each dim, one number or one for each dim.
            dilation: The step between the elements of a window, one number or one for each dim.
            ceil_mode: Whether a window that is not full counts at the end.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.max_pool1d_with_indices([2])
            (tensor([[2.],
                    [4.]]), tensor([[1],
                    [1]]))
        """
    def max_pool2d(self, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> Tensor:
        """The largest element of each window.

        Args:
            kernel_size: The size of the window, one number or one for each dim.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            padding: How many places are added at each end of each dim, one number or one for each dim.
            dilation: The step between the elements of a window, one number or one for each dim.
            ceil_mode: Whether a window that is not full counts at the end.

        Example:

            >>> x = torch.arange(8.0).reshape(1, 2, 4)
            >>> x.max_pool2d([2])
            tensor([[[5., 7.]]])
        """
    def max_pool3d(self, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> Tensor:
        """The largest element of each window of a volume.

        Args:
            kernel_size: The size of the window, one number or one for each dim.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            padding: How many places are added at each end of each dim, one number or one for each dim.
            dilation: The step between the elements of a window, one number or one for each dim.
            ceil_mode: Whether a window that is not full counts at the end.

        Example:

            >>> x = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
            >>> x.max_pool3d([2])
            tensor([[[[[7.]]]]])
        """
    @overload
    def max_unpool2d(self, indices: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Zeros, with each element of `self` at its place in `indices`: what undoes max_pool2d, except for the elements that were not the largest.

        Args:
            indices: The place of each element in its channel of the result, as max_pool2d returns it.
            output_size: The rows and columns of the result.
        """
    @overload
    def max_unpool2d(self, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def max_unpool3d(self, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int]) -> Tensor:
        """max_unpool2d of volumes.

        Args:
            indices: The place of each element in its channel of the result, as max_pool3d returns it.
            output_size: The depth, rows and columns of the result.
            stride: Checked to be above 0. It changes no result.
            padding: It changes no result.
        """
    @overload
    def max_unpool3d(self, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two elements; a NaN wins.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.maximum(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def maximum(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def mean(self, *, dtype: _dtype | None = None) -> Tensor:
        """mean(dtype): The mean of all elements.
        mean(dim, keepdim, dtype): The mean over `dim`.

        Args:
            dtype: The dtype of the result. None: the usual one.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.mean()
            tensor(0.3333)
        """
    @overload
    def mean(self, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def median(self) -> Tensor:
        """median(): The median; of two middle elements the lower one. A NaN wins.
        median(dim, keepdim): The median along `dim`, and its index; of two middle elements the lower one.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.median()
            tensor(0.5000)
        """
    @overload
    def median(self, *, out: Tensor) -> Tensor: ...
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def min(self, other: Tensor) -> Tensor:
        """min(other): The smaller of two elements; a NaN wins.
        min(): The smallest element; a NaN wins.
        min(dim, keepdim): The smallest elements along `dim`, and their first indices; a NaN wins.

        Args:
            other: The second tensor. It broadcasts with the first.
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.min(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  1.0000])
        """
    @overload
    def min(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, *, out: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False, *, min: Tensor, min_indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two elements; a NaN wins.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.minimum(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  1.0000])
        """
    @overload
    def minimum(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices.

        Args:
            mat2: The second matrix.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.mm(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            tensor([[2., 3.],
                    [4., 7.]])
        """
    @overload
    def mm(self, mat2: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The most frequent element along `dim`, and an index of it. If several are as frequent, the smallest of them.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.mode()
            torch.return_types.mode(
            values=tensor(-1.5000),
            indices=tensor(0))
        """
    @overload
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def moveaxis(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor:
        """moveaxis(source, destination): A view with dims moved to other places; the rest keeps its order.
        moveaxis(source, destination): A view with one dim moved to another place; the rest keeps its order.

        Another name of movedim.

        Args:
            source: The dims that move.
            destination: Where the dims move to.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.moveaxis([0], [0])
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def moveaxis(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    @overload
    def moveaxis(self, source: builtins.int, destination: builtins.int) -> Tensor: ...
    @overload
    def movedim(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor:
        """movedim(source, destination): A view with dims moved to other places; the rest keeps its order.
        movedim(source, destination): A view with one dim moved to another place; the rest keeps its order.

        Args:
            source: The dims that move.
            destination: Where the dims move to.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.movedim([0], [0])
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def movedim(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    @overload
    def movedim(self, source: builtins.int, destination: builtins.int) -> Tensor: ...
    @overload
    def msort(self) -> Tensor:
        """The elements in order along dim 0.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.msort()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def msort(self, *, out: Tensor) -> Tensor: ...
    @overload
    def mul(self, other: Tensor) -> Tensor:
        """`self` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.mul(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000,  1.0000,  2.0000])
        """
    @overload
    def mul(self, other: Number) -> Tensor: ...
    @overload
    def mul(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def mul(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def mul_(self, other: Tensor) -> Tensor:
        """`self` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.mul_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000,  1.0000,  2.0000])
        """
    @overload
    def mul_(self, other: Number) -> Tensor: ...
    @overload
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices drawn with the probabilities of each row.

        Args:
            num_samples: How many indices are drawn from each row.
            replacement: Whether an index may be drawn more than once.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        No gradient: its result is an index.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.multinomial(1)
            tensor([[1],
                    [0]])
        """
    @overload
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
    @overload
    def multiply(self, other: Tensor) -> Tensor:
        """`self` times `other`.

        Another name of mul.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.multiply(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000,  1.0000,  2.0000])
        """
    @overload
    def multiply(self, other: Number) -> Tensor: ...
    @overload
    def multiply(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def multiply(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def multiply_(self, other: Tensor) -> Tensor:
        """`self` times `other`.

        Another name of mul_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.multiply_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000,  1.0000,  2.0000])
        """
    @overload
    def multiply_(self, other: Number) -> Tensor: ...
    @overload
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector.

        Args:
            vec: The vector.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.mv(torch.tensor([1.0, -1.0]))
            tensor([-1., -1.])
        """
    @overload
    def mv(self, vec: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the gamma function of `p` dims, for elements above (p - 1) / 2: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, and log(pi) p (p - 1) / 4.

        Args:
            p: How many dims the gamma function has, from 1 on.

        Example:

            >>> x = torch.tensor([2.0, 3.0])
            >>> x.mvlgamma(2)
            tensor([0.4516, 1.5502])
        """
    @overload
    def mvlgamma(self, p: builtins.int, *, out: Tensor) -> Tensor: ...
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """The logarithm of the gamma function of `p` dims, for elements above (p - 1) / 2: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, and log(pi) p (p - 1) / 4.

        Args:
            p: How many dims the gamma function has, from 1 on.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([2.0, 3.0])
            >>> x.mvlgamma_(2)
            tensor([0.4516, 1.5502])
        """
    @overload
    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """The elements, with NaN replaced by `nan` (default 0), and the infinities by `posinf` and `neginf` (default the largest finite numbers).

        Args:
            nan: What replaces NaN. None: 0.
            posinf: What replaces infinity. None: the largest number of the dtype.
            neginf: What replaces minus infinity. None: the smallest number of the dtype.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nan_to_num()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor) -> Tensor: ...
    def nan_to_num_(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """The elements, with NaN replaced by `nan` (default 0), and the infinities by `posinf` and `neginf` (default the largest finite numbers).

        Args:
            nan: What replaces NaN. None: 0.
            posinf: What replaces infinity. None: the largest number of the dtype.
            neginf: What replaces minus infinity. None: the smallest number of the dtype.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nan_to_num_()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean of the elements that are not NaN.

        Args:
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nanmean()
            tensor(0.3333)
        """
    @overload
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def nanmedian(self) -> Tensor:
        """nanmedian(): The median of the elements that are not NaN.
        nanmedian(dim, keepdim): The median along `dim` of the elements that are not NaN, and its index.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nanmedian()
            tensor(0.5000)
        """
    @overload
    def nanmedian(self, *, out: Tensor) -> Tensor: ...
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def nanquantile(self, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor:
        """nanquantile(q, dim, keepdim, interpolation): quantile of the elements that are not NaN. The result is NaN where all are.
        nanquantile(q, dim, keepdim, interpolation): quantile of the elements that are numbers.

        Args:
            q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            keepdim: Whether the dims that were worked along stay, with size 1.
            interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".

        Example:

            >>> x = torch.tensor([1.0, float("nan"), 3.0])
            >>> x.nanquantile(0.5)
            tensor(2.)
        """
    @overload
    def nanquantile(self, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
    @overload
    def nanquantile(self, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor: ...
    @overload
    def nanquantile(self, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
    @overload
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum of the elements that are not NaN.

        Args:
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            dtype: The dtype of the result. None: the usual one.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nansum()
            tensor(1.)
        """
    @overload
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """A view of `length` places from `start` on along a dim.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            start: The first index.
            length: How many elements along the dim.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.narrow(0, 1, 1)
            tensor([0.5000])
        """
    @overload
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """A copy of `length` places from `start` on along a dim.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            start: The first index.
            length: How many elements along the dim.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.narrow_copy(0, 1, 1)
            tensor([0.5000])
        """
    @overload
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def ne(self, other: Tensor) -> Tensor:
        """Whether the elements differ.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.ne(torch.tensor([1.0, 2.0, 3.0]))
            tensor([False, False,  True])
        """
    @overload
    def ne(self, other: Number) -> Tensor: ...
    @overload
    def ne(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def ne(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def ne_(self, other: Tensor) -> Tensor:
        """Whether the elements differ.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.ne_(torch.tensor([1.0, 2.0, 3.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def ne_(self, other: Number) -> Tensor: ...
    @overload
    def neg(self) -> Tensor:
        """The negative of each element.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.neg()
            tensor([ 1.5000, -0.5000, -2.0000])
        """
    @overload
    def neg(self, *, out: Tensor) -> Tensor: ...
    def neg_(self) -> Tensor:
        """The negative of each element.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.neg_()
            tensor([ 1.5000, -0.5000, -2.0000])
        """
    @overload
    def negative(self) -> Tensor:
        """The negative of each element.

        Another name of neg.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.negative()
            tensor([ 1.5000, -0.5000, -2.0000])
        """
    @overload
    def negative(self, *, out: Tensor) -> Tensor: ...
    def negative_(self) -> Tensor:
        """The negative of each element.

        Another name of neg_.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.negative_()
            tensor([ 1.5000, -0.5000, -2.0000])
        """
    @overload
    def new_empty(self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """A tensor of the dtype and device of `self` whose elements are not set.

        Args:
            size: The sizes, as a list or one by one.
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.

        Example:

            >>> torch.zeros(1).new_empty(2, 3).shape
            torch.Size([2, 3])
        """
    @overload
    def new_empty(self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """A tensor of the dtype and device of `self`, of these sizes and strides, whose elements are not set.

        Args:
            size: The sizes, as a list or one by one.
            stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
                own size.
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.

        Example:

            >>> torch.zeros(1).new_empty_strided((2, 3), (1, 2)).stride()
            (1, 2)
        """
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], *stride: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
    def new_full(self, size: Sequence[builtins.int], fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """One number everywhere, of the dtype and device of `self`.

        Args:
            size: The sizes, as a list or one by one.
            fill_value: The number that every element gets.
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.new_full([2, 3], 2)
            tensor([[2., 2., 2.],
                    [2., 2., 2.]])
        """
    @overload
    def new_ones(self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """Ones of the dtype and device of `self`.

        Args:
            size: The sizes, as a list or one by one.
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.new_ones([2, 3])
            tensor([[1., 1., 1.],
                    [1., 1., 1.]])
        """
    @overload
    def new_ones(self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
    @overload
    def new_zeros(self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """Zeros of the dtype and device of `self`.

        Args:
            size: The sizes, as a list or one by one.
            dtype: The dtype of the result. None: the usual one.
            layout: Only torch.strided is there.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            pin_memory: False. There is no memory to pin on the CPU.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.new_zeros([2, 3])
            tensor([[0., 0., 0.],
                    [0., 0., 0.]])
        """
    @overload
    def new_zeros(self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
    @overload
    def nextafter(self, other: Tensor) -> Tensor:
        """The number of the dtype that comes next after each element, towards `other`.

        Args:
            other: Which way the step goes. It broadcasts with the first tensor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nextafter(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def nextafter(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    def nextafter_(self, other: Tensor) -> Tensor:
        """The number of the dtype that comes next after each element, towards `other`.

        Args:
            other: Which way the step goes. It broadcasts with the first tensor.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nextafter_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def nonzero_numpy(self) -> tuple[Tensor, ...]:
        """The places of elements that are not zero, a tensor for each dim.

        No gradient: its results are indices.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.nonzero_numpy()
            (tensor([0, 1, 2]),)
        """
    @overload
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """The places of the first `size` elements that are not zero, one a row. The size of the result does not depend on the elements, so a graph knows it.

        Args:
            size: How many rows the result has.
            fill_value: What the last rows hold, if fewer elements are not zero.

        No gradient: its result is an index.

        Example:

            >>> x = torch.tensor([0, 3, 4])
            >>> x.nonzero_static(size=3)
            tensor([[ 1],
                    [ 2],
                    [-1]])
        """
    @overload
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor) -> Tensor: ...
    def normal_(self, mean: builtins.float = 0., std: builtins.float = 1., *, generator: Generator | None = None) -> Tensor:
        """Normal numbers of this mean and deviation.

        Args:
            mean: The mean.
            std: The standard deviation.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.normal_()
            tensor([ 1.5410, -0.2934, -2.1788])
        """
    @overload
    def not_equal(self, other: Tensor) -> Tensor:
        """Whether the elements differ.

        Another name of ne.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.not_equal(torch.tensor([1.0, 2.0, 3.0]))
            tensor([False, False,  True])
        """
    @overload
    def not_equal(self, other: Number) -> Tensor: ...
    @overload
    def not_equal(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def not_equal(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def not_equal_(self, other: Tensor) -> Tensor:
        """Whether the elements differ.

        Another name of ne_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([1.0, 2.0, 4.0])
            >>> x.not_equal_(torch.tensor([1.0, 2.0, 3.0]))
            tensor([0., 0., 1.])
        """
    @overload
    def not_equal_(self, other: Number) -> Tensor: ...
    @overload
    def nuclear_norm(self, keepdim: builtins.bool = False) -> Tensor:
        """nuclear_norm(keepdim): The sum of the singular values of a matrix.
        nuclear_norm(dim, keepdim): The sums of the singular values of matrices in two dims.

        Args:
            keepdim: Whether the dims that were worked along stay, with size 1.
            dim: The dims to work along, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.nuclear_norm()
            tensor(5.8310)
        """
    @overload
    def nuclear_norm(self, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def nuclear_norm(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def nuclear_norm(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    def numpy_T(self) -> Tensor:
        """A view with the dims in reverse: x.T.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.numpy_T()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def orgqr(self, input2: Tensor) -> Tensor:
        """The first columns of the product of the reflections that geqrf gives.

        Args:
            input2: The second tensor.
        """
    @overload
    def orgqr(self, input2: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def ormqr(self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
        """The product of the reflections that geqrf gives with `input3`, from the left or the right.

        Args:
            input2: The second tensor.
            input3: The matrix that is multiplied.
            left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
            transpose: Whether the transposed matrix takes the place of the matrix.
        """
    @overload
    def ormqr(self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def outer(self, vec2: Tensor) -> Tensor:
        """The outer product of two vectors: all products of an element of `self` and an element of `vec2`.

        Args:
            vec2: The second vector.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.outer(torch.tensor([3.0, 2.0, 1.0]))
            tensor([[-4.5000, -3.0000, -1.5000],
                    [ 1.5000,  1.0000,  0.5000],
                    [ 6.0000,  4.0000,  2.0000]])
        """
    @overload
    def outer(self, vec2: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def permute(self, dims: Sequence[builtins.int]) -> Tensor:
        """A view with the dims in another order.

        Args:
            dims: The dims, one or several. Negative ones count from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.permute([0])
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def permute(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def permute_copy(self, dims: Sequence[builtins.int]) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dims: The dims, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.permute_copy([0])
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def permute_copy(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def permute_copy(self, dims: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def permute_copy(self, *dims: builtins.int, out: Tensor) -> Tensor: ...
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """linalg.pinv, in its old spelling.

        Args:
            rcond: Singular values below this part of the largest one count as 0.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.pinverse()
            tensor([[-2.0000,  1.0000],
                    [ 1.5000, -0.5000]])
        """
    def positive(self) -> Tensor:
        """The tensor itself.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.positive()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def pow(self, exponent: Tensor) -> Tensor:
        """`self` raised to `exponent`.

        Args:
            exponent: The power. A tensor broadcasts with the base.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.pow(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-3.3750,  0.2500,  2.0000])
        """
    @overload
    def pow(self, exponent: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def pow(self, exponent: Number) -> Tensor: ...
    @overload
    def pow(self, exponent: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def pow_(self, exponent: Tensor) -> Tensor:
        """`self` raised to `exponent`.

        Args:
            exponent: The power. A tensor broadcasts with the base.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.pow_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-3.3750,  0.2500,  2.0000])
        """
    @overload
    def pow_(self, exponent: Number) -> Tensor: ...
    def prelu(self, weight: Tensor) -> Tensor:
        """`self` where it is positive, else `weight` times it: one weight, or one for each channel (dim 1).

        Args:
            weight: The factor of negative elements, one number or one for each channel.
        """
    @overload
    def prod(self, *, dtype: _dtype | None = None) -> Tensor:
        """prod(dtype): The product of all elements.
        prod(dim, keepdim, dtype): The product along `dim`.

        Args:
            dtype: The dtype of the result. None: the usual one.
            dim: The dim to work along. A negative one counts from the last.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.prod()
            tensor(-1.5000)
        """
    @overload
    def prod(self, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def prod(self, dim: builtins.int, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def prod(self, dim: builtins.int, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy of `self` with the elements of `source` at the places `index`, which count all elements as one row.

        Args:
            index: The indices, integers.
            source: As many elements as there are places.
            accumulate: Whether values are added to what is there instead of replacing it.

        Example:

            >>> x = torch.zeros(2, 2)
            >>> x.put(torch.tensor([0, 3]), torch.tensor([5.0, 6.0]))
            tensor([[5., 0.],
                    [0., 6.]])
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy of `self` with the elements of `source` at the places `index`, which count all elements as one row.

        Args:
            index: The indices, integers.
            source: As many elements as there are places.
            accumulate: Whether values are added to what is there instead of replacing it.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.zeros(2, 2)
            >>> x.put_(torch.tensor([0, 3]), torch.tensor([5.0, 6.0]))
            tensor([[5., 0.],
                    [0., 6.]])
        """
    def q_per_channel_axis(self) -> int:
        """The dim along which a tensor is quantized.

        Example:

            >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
            >>> x.q_per_channel_axis()
            0
        """
    def q_per_channel_scales(self) -> Tensor:
        """The scales of a tensor that is quantized along a dim.

        Example:

            >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
            >>> x.q_per_channel_scales()
            tensor([0.5000, 0.2500], dtype=torch.float64)
        """
    def q_per_channel_zero_points(self) -> Tensor:
        """The zero points of a tensor that is quantized along a dim.

        Example:

            >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
            >>> x.q_per_channel_zero_points()
            tensor([10,  0])
        """
    def q_scale(self) -> float:
        """The scale of a quantized tensor.

        Example:

            >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
            >>> x.q_scale()
            0.1
        """
    def q_zero_point(self) -> int:
        """The integer that stands for 0 in a quantized tensor.

        Example:

            >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
            >>> x.q_zero_point()
            10
        """
    @overload
    def qr(self, some: builtins.bool = True) -> tuple[Tensor, Tensor]:
        """linalg.qr, in its old spelling.

        Args:
            some: Whether the factors have only as many columns as needed.

        Returns: A named tuple (Q, R).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.qr()
            torch.return_types.qr(
            Q=tensor([[-0.3162, -0.9487],
                    [-0.9487,  0.3162]]),
            R=tensor([[-3.1623, -4.4272],
                    [ 0.0000, -0.6325]]))
        """
    @overload
    def qr(self, some: builtins.bool = True, *, Q: Tensor, R: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def quantile(self, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor:
        """quantile(q, dim, keepdim, interpolation): The values below which shares `q` of the elements lie, along `dim`. The result is NaN where an element is NaN. A tensor `q` gives a first dim, of its size.
        quantile(q, dim, keepdim, interpolation): The element below which a share `q` of them lies.

        Args:
            q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            keepdim: Whether the dims that were worked along stay, with size 1.
            interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".

        Example:

            >>> x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 10.0]])
            >>> x.quantile(0.5)
            tensor(2.5000)
            >>> x.quantile(torch.tensor([0.25, 0.75]), dim=1)
            tensor([[0.5000, 3.5000],
                    [1.5000, 7.0000]])
        """
    @overload
    def quantile(self, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
    @overload
    def quantile(self, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor: ...
    @overload
    def quantile(self, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
    @overload
    def rad2deg(self) -> Tensor:
        """Converts radians to degrees.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.rad2deg()
            tensor([-85.9437,  28.6479, 114.5916])
        """
    @overload
    def rad2deg(self, *, out: Tensor) -> Tensor: ...
    def rad2deg_(self) -> Tensor:
        """Converts radians to degrees.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.rad2deg_()
            tensor([-85.9437,  28.6479, 114.5916])
        """
    @overload
    def random_(self, *, generator: Generator | None = None) -> Tensor:
        """random_(generator): Integers over the dtype's whole range of exact ones.
        random_(from_, to, generator): Integers from `from` to below `to`.
        random_(to, generator): Integers from 0 to below `to`.

        Args:
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
            from_: The smallest number that may be drawn.
            to: One above the largest number that may be drawn. None: there is no limit but the dtype's.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.random_()
            tensor([ 8325664., 12888472.,  1484222.])
        """
    @overload
    def random_(self, from_: builtins.int, to: builtins.int | None, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(self, to: builtins.int, *, generator: Generator | None = None) -> Tensor: ...
    def ravel(self) -> Tensor:
        """All elements in one dim.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.ravel()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def reciprocal(self) -> Tensor:
        """1 / self.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.reciprocal()
            tensor([-0.6667,  2.0000,  0.5000])
        """
    @overload
    def reciprocal(self, *, out: Tensor) -> Tensor: ...
    def reciprocal_(self) -> Tensor:
        """1 / self.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.reciprocal_()
            tensor([-0.6667,  2.0000,  0.5000])
        """
    def relu(self) -> Tensor:
        """`self` where it is positive, else 0.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.relu()
            tensor([0.0000, 0.5000, 2.0000])
        """
    def relu_(self) -> Tensor:
        """`self` where it is positive, else 0.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.relu_()
            tensor([0.0000, 0.5000, 2.0000])
        """
    @overload
    def remainder(self, other: Tensor) -> Tensor:
        """Python's %: the remainder with the sign of the divisor.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.remainder(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 0.5000, 0.0000])
        """
    @overload
    def remainder(self, other: Number) -> Tensor: ...
    @overload
    def remainder(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def remainder(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def remainder_(self, other: Tensor) -> Tensor:
        """Python's %: the remainder with the sign of the divisor.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.remainder_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 0.5000, 0.0000])
        """
    @overload
    def remainder_(self, other: Number) -> Tensor: ...
    @overload
    def renorm(self, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
        """The slices along `dim`. One whose norm of order `p` is above `maxnorm` is scaled down to it.

        Args:
            p: The order of the norm.
            dim: The dim to work along. A negative one counts from the last.
            maxnorm: The largest norm that a slice keeps.

        Example:

            >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
            >>> x.renorm(2, 0, 1)
            tensor([[0.6000, 0.8000],
                    [0.3000, 0.4000]])
        """
    @overload
    def renorm(self, p: Number, dim: builtins.int, maxnorm: Number, *, out: Tensor) -> Tensor: ...
    def renorm_(self, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
        """The slices along `dim`. One whose norm of order `p` is above `maxnorm` is scaled down to it.

        Args:
            p: The order of the norm.
            dim: The dim to work along. A negative one counts from the last.
            maxnorm: The largest norm that a slice keeps.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
            >>> x.renorm_(2, 0, 1)
            tensor([[0.6000, 0.8000],
                    [0.3000, 0.4000]])
        """
    @overload
    def repeat(self, repeats: Sequence[builtins.int]) -> Tensor:
        """A copy in which each dim is gone through `repeats` times; dims are added in front.

        Args:
            repeats: How often the tensor is repeated along each dim.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.repeat([2])
            tensor([-1.5000,  0.5000,  2.0000, -1.5000,  0.5000,  2.0000])
        """
    @overload
    def repeat(self, *repeats: builtins.int) -> Tensor: ...
    @overload
    def repeat_interleave(self, repeats: builtins.int, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """repeat_interleave(repeats, dim, output_size): Each slice along `dim` `repeats` times in a row; without a dim, each element.
        repeat_interleave(repeats, dim, output_size): Each slice along `dim` as many times as `repeats` says.

        Args:
            repeats: How often each element is repeated.
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.
            output_size: The size of the result.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.repeat_interleave(2)
            tensor([-1.5000, -1.5000,  0.5000,  0.5000,  2.0000,  2.0000])
        """
    @overload
    def repeat_interleave(self, repeats: Tensor, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor: ...
    @overload
    def reshape(self, shape: Sequence[builtins.int]) -> Tensor:
        """The same elements in another size; a view where it can be.

        Args:
            shape: The sizes, as a list or one by one. One of them may be -1: it follows from the others.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.reshape([3, 1])
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    @overload
    def reshape(self, *shape: builtins.int) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor:
        """The same elements in the size of another tensor; a view where it can be.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.reshape_as(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def resize_(self, size: Sequence[builtins.int], *, memory_format: _memory_format | None = None) -> Tensor:
        """Gives the tensor this size. The first elements stay, in the order of the memory. New elements are not set.

        Args:
            size: The sizes, as a list or one by one.
            memory_format: torch.channels_last gives 4 sizes that order in memory. None: the usual order.

        Returns: The tensor itself, changed.

        No gradient: it gives a tensor other sizes or other memory.

        Example:

            >>> x = torch.arange(6)
            >>> x.resize_(2, 2)
            tensor([[0, 1],
                    [2, 3]])
        """
    @overload
    def resize_(self, *size: builtins.int, memory_format: _memory_format | None = None) -> Tensor: ...
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
        """Gives the tensor the size of another one, as resize_ does.

        Args:
            the_template: The tensor whose size is taken.
            memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

        Returns: The tensor itself, changed.

        No gradient: it gives a tensor other sizes or other memory.

        Example:

            >>> x = torch.arange(6)
            >>> x.resize_as_(torch.ones(2, 2))
            tensor([[0, 1],
                    [2, 3]])
        """
    def resolve_conj(self) -> Tensor:
        """The tensor itself: conjugates and negatives are computed at once.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.resolve_conj()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def resolve_neg(self) -> Tensor:
        """The tensor itself: conjugates and negatives are computed at once.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.resolve_neg()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ()) -> Tensor:
        """The elements moved by `shifts` along `dims`; what leaves at the end comes in at the start.

        Args:
            shifts: By how many places the elements move, one number or one for each dim.
            dims: The dims, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.roll([0])
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = (), *, out: Tensor) -> Tensor: ...
    @overload
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
        """The elements turned `k` times by a quarter, from the first of two dims to the second.

        Args:
            k: How many, or which one, counted from 1 where it is a rank.
            dims: The dims, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.rot90()
            tensor([[2., 4.],
                    [1., 3.]])
        """
    @overload
    def rot90(self, k: builtins.int = 1, *dims: builtins.int) -> Tensor: ...
    @overload
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1), *, out: Tensor) -> Tensor: ...
    @overload
    def rot90(self, k: builtins.int = 1, *dims: builtins.int, out: Tensor) -> Tensor: ...
    @overload
    def round(self) -> Tensor:
        """round(): The nearest integer, the even one at ties.
        round(decimals): The nearest number with so many decimals, the even one at ties; with `decimals` below 0, tens, hundreds and so on.

        Args:
            decimals: To how many digits after the decimal point. A negative number: to tens, hundreds and so on.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.round()
            tensor([-2.,  0.,  2.])
        """
    @overload
    def round(self, *, out: Tensor) -> Tensor: ...
    @overload
    def round(self, *, decimals: builtins.int) -> Tensor: ...
    @overload
    def round(self, *, decimals: builtins.int, out: Tensor) -> Tensor: ...
    @overload
    def round_(self) -> Tensor:
        """round_(): The nearest integer, the even one at ties.
        round_(decimals): The nearest number with so many decimals, the even one at ties; with `decimals` below 0, tens, hundreds and so on.

        Args:
            decimals: To how many digits after the decimal point. A negative number: to tens, hundreds and so on.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.round_()
            tensor([-2.,  0.,  2.])
        """
    @overload
    def round_(self, *, decimals: builtins.int) -> Tensor: ...
    @overload
    def rsqrt(self) -> Tensor:
        """1 / sqrt(self).

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.rsqrt()
            tensor([[1.0000, 0.7071],
                    [0.5774, 0.5000]])
        """
    @overload
    def rsqrt(self, *, out: Tensor) -> Tensor: ...
    def rsqrt_(self) -> Tensor:
        """1 / sqrt(self).

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.rsqrt_()
            tensor([[1.0000, 0.7071],
                    [0.5774, 0.5000]])
        """
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """scatter(dim, index, src): `self` with elements of `src` written along `dim` at `index`.
        scatter(dim, index, value): `self` with a number written along `dim` at `index`.
        scatter(dim, index, src, reduce): `self` with elements of `src` added or multiplied along `dim` at `index`: reduce="add" or "multiply".
        scatter(dim, index, value, reduce): `self` with a number added or multiplied along `dim` at `index`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.
            value: The number that is used as the new value or factor.
            reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
                or "multiply".

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Number) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str, out: Tensor) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str, out: Tensor) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """scatter_(dim, index, src): `self` with elements of `src` written along `dim` at `index`.
        scatter_(dim, index, value): `self` with a number written along `dim` at `index`.
        scatter_(dim, index, src, reduce): `self` with elements of `src` added or multiplied along `dim` at `index`: reduce="add" or "multiply".
        scatter_(dim, index, value, reduce): `self` with a number added or multiplied along `dim` at `index`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.
            value: The number that is used as the new value or factor.
            reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
                or "multiply".

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter_(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 2.])
        """
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: Number) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """`self` with elements of `src` added along `dim` at `index`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter_add(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 2.5000, 2.0000])
        """
    @overload
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor) -> Tensor: ...
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """`self` with elements of `src` added along `dim` at `index`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter_add_(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
            tensor([1.5000, 2.5000, 2.0000])
        """
    @overload
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`self` joined with elements of `src` along `dim` at `index`: by sum, product, mean, largest or smallest. Without `include_self` what stands there does not count.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.
            reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
                or "multiply".
            include_self: Whether the elements that were there take part.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]), "sum")
            tensor([1.5000, 2.5000, 2.0000])
        """
    @overload
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor) -> Tensor: ...
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """`self` joined with elements of `src` along `dim` at `index`: by sum, product, mean, largest or smallest. Without `include_self` what stands there does not count.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The indices, integers.
            src: The tensor whose elements are taken.
            reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
                or "multiply".
            include_self: Whether the elements that were there take part.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.scatter_reduce_(0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]), "sum")
            tensor([1.5000, 2.5000, 2.0000])
        """
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The slice at `index` along `dim`, without that dim.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The index along the dim. A negative one counts from the end.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.select(0, 1)
            tensor(0.5000)
        """
    @overload
    def select_copy(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            index: The index along the dim. A negative one counts from the end.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.select_copy(0, 1)
            tensor(0.5000)
        """
    @overload
    def select_copy(self, dim: builtins.int, index: builtins.int, *, out: Tensor) -> Tensor: ...
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy of `self`, with `src` in place of the elements that the view shows.

        Args:
            src: The tensor whose elements are taken.
            dim: The dim to work along. A negative one counts from the last.
            index: The index along the dim. A negative one counts from the end.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.select_scatter(torch.tensor([7.0, 8.0]), 1, 1)
            tensor([[1., 7.],
                    [3., 8.]])
        """
    @overload
    def sgn(self) -> Tensor:
        """The sign of each element. For a complex number z it is z / abs(z).

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sgn()
            tensor([-1.,  1.,  1.])
        """
    @overload
    def sgn(self, *, out: Tensor) -> Tensor: ...
    def sgn_(self) -> Tensor:
        """The sign of each element. For a complex number z it is z / abs(z).

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sgn_()
            tensor([-1.,  1.,  1.])
        """
    @overload
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-self)).

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sigmoid()
            tensor([0.1824, 0.6225, 0.8808])
        """
    @overload
    def sigmoid(self, *, out: Tensor) -> Tensor: ...
    def sigmoid_(self) -> Tensor:
        """1 / (1 + exp(-self)).

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sigmoid_()
            tensor([0.1824, 0.6225, 0.8808])
        """
    @overload
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign of each element; 0 for a NaN.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sign()
            tensor([-1.,  1.,  1.])
        """
    @overload
    def sign(self, *, out: Tensor) -> Tensor: ...
    def sign_(self) -> Tensor:
        """-1, 0 or 1 by the sign of each element; 0 for a NaN.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sign_()
            tensor([-1.,  1.,  1.])
        """
    @overload
    def signbit(self) -> Tensor:
        """Whether the sign bit is set.

        Shapes: The result has the shape of the tensor.

        No gradient: its result is a bool.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.signbit()
            tensor([ True, False, False])
        """
    @overload
    def signbit(self, *, out: Tensor) -> Tensor: ...
    @overload
    def sin(self) -> Tensor:
        """The sine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sin()
            tensor([-0.9975,  0.4794,  0.9093])
        """
    @overload
    def sin(self, *, out: Tensor) -> Tensor: ...
    def sin_(self) -> Tensor:
        """The sine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sin_()
            tensor([-0.9975,  0.4794,  0.9093])
        """
    @overload
    def sinc(self) -> Tensor:
        """sin(pi x) / (pi x), 1 at 0.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sinc()
            tensor([-2.1221e-01,  6.3662e-01,  2.7828e-08])
        """
    @overload
    def sinc(self, *, out: Tensor) -> Tensor: ...
    def sinc_(self) -> Tensor:
        """sin(pi x) / (pi x), 1 at 0.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sinc_()
            tensor([-2.1221e-01,  6.3662e-01,  2.7828e-08])
        """
    @overload
    def sinh(self) -> Tensor:
        """The hyperbolic sine.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sinh()
            tensor([-2.1293,  0.5211,  3.6269])
        """
    @overload
    def sinh(self, *, out: Tensor) -> Tensor: ...
    def sinh_(self) -> Tensor:
        """The hyperbolic sine.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sinh_()
            tensor([-2.1293,  0.5211,  3.6269])
        """
    def slice(self, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A view of every `step`-th slice from `start` to `end`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            start: The first index. None: 0.
            end: The index after the last one. None: the size of the dim.
            step: The distance from one index to the next.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.slice()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def slice_copy(self, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            start: The first index. None: 0.
            end: The index after the last one. None: the size of the dim.
            step: The distance from one index to the next.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.slice_copy()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def slice_copy(self, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor) -> Tensor: ...
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A copy of `self`, with `src` in place of the elements that the view shows.

        Args:
            src: The tensor whose elements are taken.
            dim: The dim to work along. A negative one counts from the last.
            start: The first index. None: 0.
            end: The index after the last one. None: the size of the dim.
            step: The distance from one index to the next.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.slice_scatter(torch.tensor([3.0, 2.0, 1.0]))
            tensor([3., 2., 1.])
        """
    @overload
    def slogdet(self) -> tuple[Tensor, Tensor]:
        """The signs of determinants and the logarithms of their absolute values.

        Returns: A named tuple (sign, logabsdet).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.slogdet()
            torch.return_types.slogdet(
            sign=tensor(-1.),
            logabsdet=tensor(0.6931))
        """
    @overload
    def slogdet(self, *, sign: Tensor, logabsdet: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def softmax(self, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
        """exp(self), scaled so that it sums to 1 along `dim`.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            dtype: The dtype of the result. None: the usual one.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.softmax(0)
            tensor([0.0241, 0.1780, 0.7979])
        """
    @overload
    def softmax(self, dim: builtins.int, dtype: _dtype | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The elements in ascending order along `dim`, and their indices. `stable=True` keeps the order of equal elements.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            descending: Whether the largest comes first.
            stable: Whether equal elements keep their order.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sort()
            torch.return_types.sort(
            values=tensor([-1.5000,  0.5000,  2.0000]),
            indices=tensor([0, 1, 2]))
        """
    @overload
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def sort(self, *, stable: builtins.bool | None, dim: builtins.int = -1, descending: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def sort(self, *, stable: builtins.bool | None, dim: builtins.int = -1, descending: builtins.bool = False, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def special_xlog1py(self, other: Tensor) -> Tensor:
        """`self` times log1p(`other`). It is 0 where `self` is 0, and NaN where `other` is NaN.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.special_xlog1py(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-2.0794,  0.5493,  1.3863])
        """
    @overload
    def special_xlog1py(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def special_xlog1py(self, other: Number) -> Tensor: ...
    @overload
    def special_xlog1py(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """split(split_size, dim): Views of `split_size` slices each along `dim`; the last may be smaller.
        split(split_size, dim): split_with_sizes.

        Args:
            split_size: The size of each part. The last one may be smaller.
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.split(2)
            (tensor([-1.5000,  0.5000]), tensor([2.]))
        """
    @overload
    def split(self, split_size: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of the given sizes along `dim`.

        Args:
            split_sizes: The size of each part.
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.split_with_sizes([1, 2])
            (tensor([-1.5000]), tensor([0.5000, 2.0000]))
        """
    @overload
    def sqrt(self) -> Tensor:
        """The square root.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.sqrt()
            tensor([[1.0000, 1.4142],
                    [1.7321, 2.0000]])
        """
    @overload
    def sqrt(self, *, out: Tensor) -> Tensor: ...
    def sqrt_(self) -> Tensor:
        """The square root.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.sqrt_()
            tensor([[1.0000, 1.4142],
                    [1.7321, 2.0000]])
        """
    @overload
    def square(self) -> Tensor:
        """Each element times itself.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.square()
            tensor([2.2500, 0.2500, 4.0000])
        """
    @overload
    def square(self, *, out: Tensor) -> Tensor: ...
    def square_(self) -> Tensor:
        """Each element times itself.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.square_()
            tensor([2.2500, 0.2500, 4.0000])
        """
    @overload
    def squeeze(self) -> Tensor:
        """squeeze(): A view without the dims of size 1.
        squeeze(dim): A view without `dim`, where its size is 1.
        squeeze(dim): A view without those of the dims whose size is 1.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.squeeze()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def squeeze(self, dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze(self, dim: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def squeeze(self, *dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze_(self) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.squeeze_()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def squeeze_(self, dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze_(self, dim: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def squeeze_(self, *dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze_copy(self) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.squeeze_copy()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def squeeze_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def squeeze_copy(self, dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze_copy(self, dim: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def squeeze_copy(self, dim: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def squeeze_copy(self, *dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze_copy(self, dim: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def squeeze_copy(self, *dim: builtins.int, out: Tensor) -> Tensor: ...
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> Tensor:
        """std(dim, correction, keepdim): The square root of the variance over `dim`.
        std(unbiased): The root of the variance.

        Args:
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            correction: What is taken from the number of elements before dividing by it. None: 1.
            keepdim: Whether the dims that were worked along stay, with size 1.
            unbiased: True divides by n - 1, False by n.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.std()
            tensor(1.7559)
        """
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def std(self, unbiased: builtins.bool = True) -> Tensor: ...
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def std_mean(self, unbiased: builtins.bool = True) -> tuple[Tensor, Tensor]:
        """The root of the variance, and the mean.

        Args:
            unbiased: True divides by n - 1, False by n.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            correction: What is taken from the number of elements before dividing by it. None: 1.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.std_mean()
            (tensor(1.7559), tensor(0.3333))
        """
    @overload
    def std_mean(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def std_mean(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def sub(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` minus `alpha` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sub(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000, -1.5000,  1.0000])
        """
    @overload
    def sub(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def sub(self, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
    @overload
    def sub(self, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
    @overload
    def sub_(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` minus `alpha` times `other`.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sub_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000, -1.5000,  1.0000])
        """
    @overload
    def sub_(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def subtract(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` minus `alpha` times `other`.

        Another name of sub.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.subtract(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000, -1.5000,  1.0000])
        """
    @overload
    def subtract(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def subtract(self, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
    @overload
    def subtract(self, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
    @overload
    def subtract_(self, other: Tensor, *, alpha: Number = 1) -> Tensor:
        """`self` minus `alpha` times `other`.

        Another name of sub_.

        Args:
            other: The second tensor. It broadcasts with the first.
            alpha: The factor of the second operand.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.subtract_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-4.5000, -1.5000,  1.0000])
        """
    @overload
    def subtract_(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def sum(self, *, dtype: _dtype | None = None) -> Tensor:
        """sum(dtype): The sum of all elements; integers are summed as int64.
        sum(dim, keepdim, dtype): The sum over `dim`.

        Args:
            dtype: The dtype of the result. None: the usual one.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.sum()
            tensor(1.)
        """
    @overload
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
    @overload
    def sum_to_size(self, size: Sequence[builtins.int]) -> Tensor:
        """The sum that reduces a tensor to this size: it sums over the dims along which `expand` would repeat elements.

        Args:
            size: The sizes, as a list or one by one.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.sum_to_size(1, 2)
            tensor([[4., 6.]])
        """
    @overload
    def sum_to_size(self, *size: builtins.int) -> Tensor: ...
    @overload
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> tuple[Tensor, Tensor, Tensor]:
        """linalg.svd in its old spelling, with V in place of its adjoint.

        Args:
            some: Whether the factors have only as many columns as needed.
            compute_uv: Whether U and V are computed. False: they are zeros.

        Returns: A named tuple (U, S, V).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.svd()
            torch.return_types.svd(
            U=tensor([[-0.4046, -0.9145],
                    [-0.9145,  0.4046]]),
            S=tensor([5.4650, 0.3660]),
            V=tensor([[-0.5760,  0.8174],
                    [-0.8174, -0.5760]]))
        """
    @overload
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True, *, U: Tensor, S: Tensor, V: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """A view with two dims swapped.

        Another name of transpose.

        Args:
            axis0: The first of the two dims. A negative one counts from the last.
            axis1: The second of the two dims. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.swapaxes(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Another name of transpose_.

        Args:
            axis0: The first of the two dims. A negative one counts from the last.
            axis1: The second of the two dims. A negative one counts from the last.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.swapaxes_(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dims swapped.

        Another name of transpose.

        Args:
            dim0: The first of the two dims. A negative one counts from the last.
            dim1: One of the two dims. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.swapdims(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Another name of transpose_.

        Args:
            dim0: The first of the two dims. A negative one counts from the last.
            dim1: One of the two dims. A negative one counts from the last.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.swapdims_(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    def t(self) -> Tensor:
        """A view of a matrix with its dims swapped.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.t()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def t_(self) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.t_()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def t_copy(self) -> Tensor:
        """A copy of a matrix with its dims swapped.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.t_copy()
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def t_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def take(self, index: Tensor) -> Tensor:
        """The elements at the positions in `index`, which count all elements in row-major order.

        Args:
            index: The indices, integers.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.take(torch.tensor([0, 1]))
            tensor([-1.5000,  0.5000])
        """
    @overload
    def take(self, index: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The elements at `indices` along `dim`; `self` and `indices` broadcast in the other dims. Without `dim`, `self` is flattened first.

        Args:
            indices: The indices, integers.
            dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
                one dim.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.take_along_dim(torch.tensor([0, 1]))
            tensor([-1.5000,  0.5000])
        """
    @overload
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
    @overload
    def tan(self) -> Tensor:
        """The tangent.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tan()
            tensor([-14.1014,   0.5463,  -2.1850])
        """
    @overload
    def tan(self, *, out: Tensor) -> Tensor: ...
    def tan_(self) -> Tensor:
        """The tangent.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tan_()
            tensor([-14.1014,   0.5463,  -2.1850])
        """
    @overload
    def tanh(self) -> Tensor:
        """The hyperbolic tangent.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tanh()
            tensor([-0.9051,  0.4621,  0.9640])
        """
    @overload
    def tanh(self, *, out: Tensor) -> Tensor: ...
    def tanh_(self) -> Tensor:
        """The hyperbolic tangent.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tanh_()
            tensor([-0.9051,  0.4621,  0.9640])
        """
    @overload
    def tensor_split(self, sections: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """tensor_split(sections, dim): As many views along `dim`, the first ones larger by one where they cannot be equal.
        tensor_split(indices, dim): Views along `dim`, cut at `indices`.
        tensor_split(tensor_indices_or_sections, dim): tensor_split by numbers in a tensor.

        Args:
            sections: Into how many equal parts the tensor is divided.
            dim: The dim to work along. A negative one counts from the last.
            indices: The places where the tensor is divided, along the dim.
            tensor_indices_or_sections: How many equal parts there are, or the places between them, as a tensor.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tensor_split(2)
            (tensor([-1.5000,  0.5000]), tensor([2.]))
        """
    @overload
    def tensor_split(self, indices: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, tensor_indices_or_sections: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
    @overload
    def tensordot(self, other: Tensor, dims_self: Sequence[builtins.int], dims_other: Sequence[builtins.int]) -> Tensor:
        """The sums of products over the dims that both lists name.

        Args:
            other: The second tensor. It broadcasts with the first.
            dims_self: The dims of the first tensor that are summed over.
            dims_other: The dims of the second tensor that are summed over.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tensordot(torch.tensor([3.0, 2.0, 1.0]), [0], [0])
            tensor(-1.5000)
        """
    @overload
    def tensordot(self, other: Tensor, dims_self: Sequence[builtins.int], *dims_other: builtins.int) -> Tensor: ...
    @overload
    def tensordot(self, other: Tensor, dims_self: Sequence[builtins.int], dims_other: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def tensordot(self, other: Tensor, dims_self: Sequence[builtins.int], *dims_other: builtins.int, out: Tensor) -> Tensor: ...
    @overload
    def tile(self, dims: Sequence[builtins.int]) -> Tensor:
        """A copy in which the last dims are gone through `dims` times.

        Args:
            dims: The dims, one or several. Negative ones count from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.tile([0])
            tensor([])
        """
    @overload
    def tile(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def to(self, dtype: _dtype, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor:
        """to(dtype, non_blocking, copy, memory_format): Converted to another dtype; itself where nothing changes.
        to(device, dtype, non_blocking, copy, memory_format): Converted to another device and dtype.
        to(device, dtype, non_blocking, copy): Moved to another device; itself where nothing changes.
        to(dtype, layout, device, pin_memory, non_blocking, copy, memory_format): Converted to what is named; itself where nothing changes.
        to(other, non_blocking, copy, memory_format): Converted to the dtype and device of `other`.

        Args:
            dtype: The dtype of the result.
            non_blocking: Without effect on the CPU.
            copy: Whether a copy is made even where nothing changes.
            memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.
            device: Where the result lies: "cpu", or "meta" for a tensor without elements.
            layout: Only torch.strided is there.
            pin_memory: False. There is no memory to pin on the CPU.
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.to(torch.float64)
            tensor([-1.5000,  0.5000,  2.0000], dtype=torch.float64)
        """
    @overload
    def to(self, device: _device | builtins.str, dtype: _dtype, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor: ...
    @overload
    def to(self, device: _device | builtins.str | None, dtype: _dtype | None = None, non_blocking: builtins.bool = False, copy: builtins.bool = False) -> Tensor: ...
    @overload
    def to(self, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor: ...
    @overload
    def to(self, other: Tensor, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor: ...
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """The tensor itself, or converted to a dtype: every tensor here is dense.

        Args:
            dtype: The dtype of the result. None: the usual one.
            masked_grad: Of sparse tensors alone. It changes nothing.

        Example:

            >>> torch.ones(2).to_dense()
            tensor([1., 1.])
        """
    @overload
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> tuple[Tensor, Tensor]:
        """The `k` largest or smallest elements along `dim`, in order, and their indices.

        Args:
            k: How many, or which one, counted from 1 where it is a rank.
            dim: The dim to work along. A negative one counts from the last.
            largest: True finds the largest elements, False the smallest.
            sorted: Whether the result is in order.

        Returns: A named tuple (values, indices).

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.topk(1)
            torch.return_types.topk(
            values=tensor([2.]),
            indices=tensor([2]))
        """
    @overload
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.trace()
            tensor(5.)
        """
    @overload
    def trace(self, *, out: Tensor) -> Tensor: ...
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dims swapped.

        Args:
            dim0: The first of the two dims. A negative one counts from the last.
            dim1: One of the two dims. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.transpose(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Args:
            dim0: The first of the two dims. A negative one counts from the last.
            dim1: One of the two dims. A negative one counts from the last.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.transpose_(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    @overload
    def transpose_copy(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dim0: The first of the two dims. A negative one counts from the last.
            dim1: One of the two dims. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.transpose_copy(0, 1)
            tensor([[1., 3.],
                    [2., 4.]])
        """
    @overload
    def transpose_copy(self, dim0: builtins.int, dim1: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """linalg.solve_triangular, in its old spelling, and a copy of the matrix.

        Args:
            A: The matrix, or a batch of matrices.
            upper: The largest slope that is drawn.
            transpose: Whether the transposed matrix takes the place of the matrix.
            unitriangular: Whether the diagonal counts as ones.

        Returns: A named tuple (solution, cloned_coefficient).

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.triangular_solve(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            torch.return_types.triangular_solve(
            solution=tensor([[-inf, -inf],
                    [3., 4.]]),
            cloned_coefficient=tensor([[0., 1.],
                    [1., 1.]]))
        """
    @overload
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, X: Tensor, M: Tensor) -> tuple[Tensor, Tensor]: ...
    @overload
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """`self` with zeros above the diagonal number `diagonal`, counted upwards.

        Args:
            diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.tril()
            tensor([[1., 0.],
                    [3., 4.]])
        """
    @overload
    def tril(self, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """`self` with zeros above the diagonal number `diagonal`, counted upwards.

        Args:
            diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.tril_()
            tensor([[1., 0.],
                    [3., 4.]])
        """
    @overload
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """`self` with zeros below the diagonal number `diagonal`, counted upwards.

        Args:
            diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.triu()
            tensor([[1., 2.],
                    [0., 4.]])
        """
    @overload
    def triu(self, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """`self` with zeros below the diagonal number `diagonal`, counted upwards.

        Args:
            diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.triu_()
            tensor([[1., 2.],
                    [0., 4.]])
        """
    @overload
    def true_divide(self, other: Tensor) -> Tensor:
        """`self` divided by `other`; integers give floats.

        Another name of div.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.true_divide(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def true_divide(self, other: Number) -> Tensor: ...
    @overload
    def true_divide(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def true_divide(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def true_divide_(self, other: Tensor) -> Tensor:
        """`self` divided by `other`; integers give floats.

        Another name of div_.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.true_divide_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-0.5000,  0.2500,  2.0000])
        """
    @overload
    def true_divide_(self, other: Number) -> Tensor: ...
    @overload
    def trunc(self) -> Tensor:
        """The integer part.

        Shapes: The result has the shape of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.trunc()
            tensor([-1.,  0.,  2.])
        """
    @overload
    def trunc(self, *, out: Tensor) -> Tensor: ...
    def trunc_(self) -> Tensor:
        """The integer part.

        Shapes: The result has the shape of the tensor.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.trunc_()
            tensor([-1.,  0.,  2.])
        """
    def type_as(self, other: Tensor) -> Tensor:
        """Converted to the dtype of `other`.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.type_as(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """The slices along `dim`, without it.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unbind()
            (tensor(-1.5000), tensor(0.5000), tensor(2.))
        """
    @overload
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """A view with one dim cut into several, of which one may be -1.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            sizes: The sizes.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.unflatten(1, [2])
            tensor([[1., 2.],
                    [3., 4.]])
        """
    @overload
    def unflatten(self, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """The windows of `size` elements along a dim, `step` elements apart. The dim counts the windows, and the elements of a window are a new last dim.

        Args:
            dimension: The dim along which the windows lie. A negative one counts from the last.
            size: How many elements a window has.
            step: The distance from the start of one window to the start of the next.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.arange(6)
            >>> x.unfold(0, 3, 2)
            tensor([[0, 1, 2],
                    [2, 3, 4]])
        """
    @overload
    def unfold_copy(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dimension: The dim along which the windows lie. A negative one counts from the last.
            size: How many elements a window has.
            step: The distance from one index to the next.
        """
    @overload
    def unfold_copy(self, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor) -> Tensor: ...
    def uniform_(self, from_: builtins.float = 0., to: builtins.float = 1., *, generator: Generator | None = None) -> Tensor:
        """Uniform numbers in [from, to).

        Args:
            from_: The smallest number that may be drawn.
            to: The end of the range, which is not drawn.
            generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

        Returns: The tensor itself, changed.

        Example:

            >>> _ = torch.manual_seed(0)
            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.uniform_()
            tensor([0.4963, 0.7682, 0.0885])
        """
    def unique_dim(self, dim: builtins.int, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct slices along `dim` in ascending order; for each slice of `self` its index among them; how often each one occurs.

        Args:
            dim: The dim to work along. A negative one counts from the last.
            sorted: Whether the result is in order.
            return_inverse: Whether the place of each element in the result is returned too.
            return_counts: Whether it is returned too how often each element occurs.

        No gradient: PyTorch has none: which elements are chosen is no smooth function.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unique_dim(0)
            (tensor([-1.5000,  0.5000,  2.0000]), tensor([0, 1, 2]), tensor([1, 1, 1]))
        """
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """chunk, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

        Args:
            chunks: How many parts there should be, at most.
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsafe_chunk(1)
            (tensor([-1.5000,  0.5000,  2.0000]),)
        """
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """split, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

        Args:
            split_size: The size of each part. The last one may be smaller.
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsafe_split(2)
            (tensor([-1.5000,  0.5000]), tensor([2.]))
        """
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """split_with_sizes, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

        Args:
            split_sizes: The size of each part.
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsafe_split_with_sizes([1, 2])
            (tensor([-1.5000]), tensor([0.5000, 2.0000]))
        """
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """A view with a dim of size 1 inserted.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsqueeze(1)
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """Gives this tensor the sizes and strides of the view that the form without the underscore returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsqueeze_(1)
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    @overload
    def unsqueeze_copy(self, dim: builtins.int) -> Tensor:
        """A copy of the view that the form without _copy returns.

        Args:
            dim: The dim to work along. A negative one counts from the last.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.unsqueeze_copy(1)
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    @overload
    def unsqueeze_copy(self, dim: builtins.int, *, out: Tensor) -> Tensor: ...
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> Tensor:
        """var(dim, correction, keepdim): The variance over `dim`: the sum of the squared distances from the mean, divided by n - correction. The default correction is 1.
        var(unbiased): The variance.

        Args:
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            correction: What is taken from the number of elements before dividing by it. None: 1.
            keepdim: Whether the dims that were worked along stay, with size 1.
            unbiased: True divides by n - 1, False by n.

        Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.var()
            tensor(3.0833)
        """
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False, out: Tensor) -> Tensor: ...
    @overload
    def var(self, unbiased: builtins.bool = True) -> Tensor: ...
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> Tensor: ...
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
    @overload
    def var_mean(self, unbiased: builtins.bool = True) -> tuple[Tensor, Tensor]:
        """The variance, and the mean.

        Args:
            unbiased: True divides by n - 1, False by n.
            dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
            keepdim: Whether the dims that were worked along stay, with size 1.
            correction: What is taken from the number of elements before dividing by it. None: 1.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.var_mean()
            (tensor(3.0833), tensor(0.3333))
        """
    @overload
    def var_mean(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def var_mean(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
    @overload
    def vdot(self, other: Tensor) -> Tensor:
        """The dot product of two vectors, with the first one conjugated.

        Args:
            other: The second tensor. It broadcasts with the first.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.vdot(torch.tensor([3.0, 2.0, 1.0]))
            tensor(-1.5000)
        """
    @overload
    def vdot(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def view(self, size: Sequence[builtins.int]) -> Tensor:
        """view(size): The same elements in another size, without a copy.
        view(dtype): The same memory as elements of another dtype. If these have another size, the last dim is longer or shorter, and its elements must lie side by side.

        Args:
            size: The sizes, as a list or one by one.
            dtype: The dtype that the memory is read as.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.view([3, 1])
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    @overload
    def view(self, *size: builtins.int) -> Tensor: ...
    @overload
    def view(self, dtype: _dtype) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor:
        """The same elements in the size of another tensor, without a copy.

        Args:
            other: The second tensor. It broadcasts with the first.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.view_as(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.5000,  0.5000,  2.0000])
        """
    @overload
    def view_as_complex_copy(self) -> Tensor:
        """A copy of pairs along the last dim as complex numbers.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.view_as_complex_copy()
            tensor([1.+2.j, 3.+4.j])
        """
    @overload
    def view_as_complex_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def view_as_real_copy(self) -> Tensor:
        """A copy with a last dim of two: the real and the imaginary parts.

        Example:

            >>> x = torch.tensor([1 + 2j, 3 - 1j])
            >>> x.view_as_real_copy()
            tensor([[ 1.,  2.],
                    [ 3., -1.]])
        """
    @overload
    def view_as_real_copy(self, *, out: Tensor) -> Tensor: ...
    @overload
    def view_copy(self, size: Sequence[builtins.int]) -> Tensor:
        """view_copy(size): A copy of the same elements in another size.
        view_copy(dtype): A copy of the bits of the elements as elements of another dtype.

        Args:
            size: The sizes, as a list or one by one.
            dtype: The dtype of the result.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.view_copy([3, 1])
            tensor([[-1.5000],
                    [ 0.5000],
                    [ 2.0000]])
        """
    @overload
    def view_copy(self, *size: builtins.int) -> Tensor: ...
    @overload
    def view_copy(self, size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
    @overload
    def view_copy(self, *size: builtins.int, out: Tensor) -> Tensor: ...
    @overload
    def view_copy(self, dtype: _dtype) -> Tensor: ...
    @overload
    def view_copy(self, dtype: _dtype, *, out: Tensor) -> Tensor: ...
    @overload
    def vsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views along dim 0.

        Args:
            sections: Into how many equal parts the tensor is divided.
            indices: The places where the tensor is divided, along the dim.

        Returns: A view: it shares the memory of the tensor.

        Example:

            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> x.vsplit(2)
            (tensor([[1., 2.]]), tensor([[3., 4.]]))
        """
    @overload
    def vsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def vsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    @overload
    def xlogy(self, other: Tensor) -> Tensor:
        """`self` times the logarithm of `other`, 0 where `self` is 0.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.xlogy(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.6479,  0.3466,  0.0000])
        """
    @overload
    def xlogy(self, other: Tensor, *, out: Tensor) -> Tensor: ...
    @overload
    def xlogy(self, other: Number) -> Tensor: ...
    @overload
    def xlogy(self, other: Number, *, out: Tensor) -> Tensor: ...
    @overload
    def xlogy_(self, other: Tensor) -> Tensor:
        """`self` times the logarithm of `other`, 0 where `self` is 0.

        Args:
            other: The second tensor. It broadcasts with the first.

        Shapes: The tensors broadcast together, and the result has the shape that follows.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.xlogy_(torch.tensor([3.0, 2.0, 1.0]))
            tensor([-1.6479,  0.3466,  0.0000])
        """
    @overload
    def xlogy_(self, other: Number) -> Tensor: ...
    def zero_(self) -> Tensor:
        """Writes zeros.

        Returns: The tensor itself, changed.

        Example:

            >>> x = torch.tensor([-1.5, 0.5, 2.0])
            >>> x.zero_()
            tensor([0., 0., 0.])
        """
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
