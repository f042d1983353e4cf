"""Monograph: the graph toolkit for PyTorch-style functions and modules. `import monograph as torch`."""

# ruff: noqa: F401
from __future__ import annotations

import math as _math
import os as _os
import sys as _sys
from typing import TYPE_CHECKING, Any

from . import _C

_C._set_package_folder(_os.path.dirname(__file__) + _os.sep)

from ._C import (  # noqa: E402
    Generator,
    Size,
    SymBool,
    SymFloat,
    SymInt,
    _mkldnn,
    as_tensor,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_generator,
    device,
    dtype,
    from_dlpack,
    from_numpy,
    frombuffer,
    get_num_threads,
    jagged,
    layout,
    memory_format,
    preserve_format,
    set_num_threads,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
    tensor,
)
from ._ops import ops  # noqa: E402
from ._script_object import ScriptObject  # noqa: E402
from ._tensor import DisableTorchFunction, DisableTorchFunctionSubclass, Tensor  # noqa: E402
from ._tensor_str import get_printoptions, set_printoptions  # noqa: E402
from ._type_info import finfo, iinfo  # noqa: E402
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from .random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state  # noqa: E402

__version__ = "0.1.0"

# Element types, with the names that C programmers know.
globals().update(_C._dtypes)
for _short, _long in (
    ("float", "float32"), ("double", "float64"), ("half", "float16"), ("cfloat", "complex64"), ("cdouble", "complex128"), ("chalf", "complex32"),
    ("short", "int16"), ("int", "int32"), ("long", "int64"),
):  # fmt: skip
    globals()[_short] = _C._dtypes[_long]

# Every operator that the records give to this namespace, then what is said in Python. Others have modules below _C (torch._C._nn.gelu).
for _name, _table in _C._functions().items():
    if _name:
        _module = _sys.modules[f"monograph._C.{_name}"] = type(_sys)(f"monograph._C.{_name}")
        _module.__dict__.update(_table)
        setattr(_C, _name, _module)
    else:
        globals().update(_table)
from ._checks import (  # noqa: E402
    _assert_async,
    _check,
    _check_index,
    _check_is_size,
    _check_not_implemented,
    _check_tensor_all,
    _check_tensor_all_with,
    _check_type,
    _check_value,
    _check_with,
)
from ._qschemes import (  # noqa: E402
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qscheme,
)
from ._sym import *  # noqa: E402, F403
from .functional import *  # noqa: E402, F403
from .functional import _assert  # noqa: E402, I001

if TYPE_CHECKING:
    from ._VF import *  # type: ignore[assignment] # noqa: F403

    float32 = float64 = double = float16 = half = bfloat16 = _C.dtype()
    uint16 = uint32 = uint64 = complex32 = chalf = float8_e4m3fn = float8_e5m2 = float8_e4m3fnuz = float8_e5m2fnuz = _C.dtype()
    quint8 = qint8 = qint32 = _C.dtype()
    uint8 = int8 = int16 = short = int32 = int64 = long = complex64 = cfloat = complex128 = cdouble = _C.dtype()

    def __getattr__(name: str) -> Any: ...


inf, nan, pi, e, newaxis = _math.inf, _math.nan, _math.pi, _math.e, None


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    asked = getattr(type(obj), "_traced_is_tensor", None)  # of a value that is traced
    return isinstance(obj, Tensor) if asked is None else asked(obj)


def is_grad_enabled() -> bool:
    """Whether operations are recorded for gradients here: not under no_grad."""
    on = _C._asks_grad_enabled()
    hook = _C._capture_hook()
    if hook is not None and hasattr(hook, "mode_asked") and _C._grad_mode() < 2:
        hook.mode_asked(is_grad_enabled, on)
    return on


def is_inference_mode_enabled() -> bool:
    """Whether inference_mode is on here."""
    on = _C._asks_inference_mode()
    hook = _C._capture_hook()
    if hook is not None and hasattr(hook, "mode_asked"):
        hook.mode_asked(is_inference_mode_enabled, on)
    return on


def get_default_dtype() -> dtype:
    """The dtype that floating results have where nothing else decides: float32, or what set_default_dtype has set."""
    return _C._asks_default_dtype()


def set_default_dtype(d: dtype) -> None:
    """Sets the dtype that floating results have where nothing else decides."""
    if not isinstance(d, _C.dtype):
        raise TypeError(f"invalid dtype object: set_default_dtype() takes a torch.dtype, but got {type(d).__name__}; write torch.float64")
    _C._set_default_dtype(d)


from . import autograd, cuda, fft, func, jit, library, linalg, nn, return_types, safetensors, sparse, special  # noqa: E402, I001
from ._vmap import vmap  # noqa: E402
from . import _legacy, serialization, storage  # noqa: E402
from .serialization import load, save  # noqa: E402
from .storage import TypedStorage, UntypedStorage  # noqa: E402
from ._legacy import asarray, tensortype  # noqa: E402
from ._settings import *  # noqa: E402, F403
from .amp import GradScaler, autocast  # noqa: E402
from .amp._state import *  # noqa: E402, F403
from ._devices import accelerator, get_device_module, mps, mtia, xpu  # noqa: E402
from ._files import from_file, load_graph  # noqa: E402
from ._histograms import histogramdd  # noqa: E402
from ._lowrank import pca_lowrank, svd_lowrank  # noqa: E402
from ._higher_order import cond, while_loop  # noqa: E402
from . import _VF as _vf, functional as _functional  # noqa: E402

vars(_functional).update(istft=_vf.istft, pca_lowrank=pca_lowrank, svd_lowrank=svd_lowrank)
globals().update(_legacy.TYPES)
globals().update(storage.LEGACY)
Storage = storage.LEGACY["FloatStorage"]
vars(cuda).update(_legacy.CUDA_TYPES)
rrelu_ = nn.functional.rrelu_
fork, wait = jit.fork, jit.wait
from .futures import PlainFuture as Future  # noqa: E402

parse_ir, parse_schema, unify_type_list = _C.parse_ir, _C.parse_schema, _C.unify_type_list
spmm = globals()["mm"]  # of dense matrices, which PyTorch's takes too

from . import _absent  # noqa: E402

_absent.install()


def install_as_torch() -> None:
    """From here on, `import torch` gives Monograph in this process, and importlib.metadata.version("torch") is "2.13.0".

    A second call does nothing. Raises ImportError where PyTorch itself is already imported: call it first, or run the program as
    `python -m monograph script.py`. A name of PyTorch that Monograph lacks raises an error that says so when it is used.

        >>> torch.install_as_torch()
        >>> import torch.nn.functional
        >>> torch.__version__
        '2.13.0'
    """
    from ._standin import install  # few programs need it, and it takes a while to import

    install()


# Imported at their first use: torch.fx and what stands on it take a quarter of the time that the import of all would take.
_ON_DEMAND = {
    "_shape_as_tensor": "._private_functions", "_segment_reduce": "._private_functions",
    "bisect": ".fx._compare", "capture": "._capture", "compare": ".fx._compare", "compile": "._compile", "execution_counts": "._execution",
    **dict.fromkeys(("merge_type_from_type_comment", "parse_type_comment"), ".jit._type_comments"),
    "get_execution": "._execution", "import_ir_module": ".jit._load", "import_ir_module_from_buffer": ".jit._load", "set_execution": "._execution", "view": ".fx._view",
}  # fmt: skip
_MADE_ON_DEMAND = {"_foreach_": "._foreach"}


def _class_of_C(name: str) -> Any:
    """torch._C.Graph, Node, Value, Block and Use are classes of torch.fx here, and ScriptMethod one of torch.jit. A Node is also what stands inside of one."""
    if name == "ScriptMethod":
        from .jit._script_module import CompiledMethod

        return CompiledMethod
    homes = {"Graph": "Graph", "Node": "ScriptNode", "Value": "Value", "Block": "Block", "Use": "Use"}
    if name not in homes:
        from ._names_of_C import of_C

        if (found := of_C(name)) is not None:
            return found
        raise AttributeError(f"module 'monograph._C' has no attribute {name!r}", name=name, obj=_C)
    from .fx import graph, script_view

    return getattr(graph if name == "Graph" else script_view, homes[name])


vars(_C)["__getattr__"] = _class_of_C


def _compile_module(module: nn.Module, *args: Any, **kwargs: Any) -> None:
    from ._compile import compile_module  # at its first use, as torch.compile

    compile_module(module, *args, **kwargs)


nn.modules.module.compile_module = _compile_module

if "MONOGRAPH_EXECUTION" in _os.environ:
    from ._execution import set_from_environment as _set_from_environment

    _set_from_environment()

if TYPE_CHECKING:
    from . import fx, optim, utils
    from ._capture import capture
    from ._compile import compile
    from ._execution import execution_counts, get_execution, set_execution
    from .fx._compare import bisect, compare
    from .fx._view import view
    from .jit._load import import_ir_module, import_ir_module_from_buffer
    from .jit._type_comments import merge_type_from_type_comment, parse_type_comment
