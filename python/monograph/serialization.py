"""torch.save and torch.load, which write and read PyTorch's file formats.

Loading executes no code from the file: C++ builds the values (src/formats/pickle), and a name that is not on the allow-list is an error. Only with
weights_only=False does Python's own unpickler read the file.
"""

from __future__ import annotations

import enum
import functools
import io
import os
import pickle
import re
import stat
import struct
import types
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import IO, Any, TypeAlias

from . import _C, _VF, _utils, storage
from ._qschemes import qscheme
from ._tensor import Tensor, _state
from .nn import functional
from .nn.parameter import Parameter, is_lazy
from .storage import TypedStorage, UntypedStorage

DEFAULT_PROTOCOL = 2
MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
FileLike: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
# PyTorch's name for what map_location= takes.
MAP_LOCATION: TypeAlias = "Callable[[Any, str], Any] | Any | str | dict[str, str] | None"

# --- names that a program allows ------------------------------------------------------------------------------------------------------

_safe_globals: list[Any] = []


def add_safe_globals(safe_globals: list[Callable[..., Any] | tuple[Callable[..., Any], str]]) -> None:
    """Lets `load` build objects of these classes and call these functions: their own code runs. A tuple gives the name that files use for one."""
    _safe_globals.extend(g for g in safe_globals if g not in _safe_globals)


def get_safe_globals() -> list[Callable[..., Any] | tuple[Callable[..., Any], str]]:
    """The classes and functions that add_safe_globals has allowed."""
    return list(_safe_globals)


def clear_safe_globals() -> None:
    """Forgets all classes and functions that add_safe_globals has allowed."""
    _safe_globals.clear()


class safe_globals:
    """Within the `with` block, add_safe_globals(safe_globals)."""

    def __init__(self, safe_globals: list[Callable[..., Any] | tuple[Callable[..., Any], str]]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *error: object) -> None:
        _safe_globals[:] = [g for g in _safe_globals if g not in self.safe_globals]


def _allowed_by_user() -> dict[str, Any]:
    named: dict[str, Any] = {}
    for entry in _safe_globals:
        if isinstance(entry, tuple):
            if len(entry) != 2:
                raise ValueError(f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(entry)}")
            made, name = entry
            if type(name) is not str:
                raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(name)}")
            named[name] = made
        else:
            named[f"{entry.__module__}.{entry.__qualname__}"] = entry
            module, name = _name_in_files(entry)
            named[f"{module}.{name}"] = entry
    return named


def get_unsafe_globals_in_checkpoint(f: FileLike) -> list[str]:
    """The names of functions and classes in a checkpoint that neither PyTorch's allow-list nor add_safe_globals has. Nothing is executed."""
    source: Any = os.fspath(f) if _is_path(f) else f.read()  # type: ignore[union-attr, arg-type]
    content, is_zip = _C._checkpoint_pickle(source)
    if not is_zip:
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    by_user = _allowed_by_user()
    return [name for name in _C._unsafe_globals(content) if name not in by_user]


def _is_path(f: Any) -> bool:
    return isinstance(f, (str, os.PathLike))


def _name_in_files(obj: Any) -> tuple[str, str]:
    """Module and name of a class or function as PyTorch's files have them: ours carry PyTorch's module paths."""
    module, name = obj.__module__, getattr(obj, "__qualname__", obj.__name__)
    return ("torch" + module.removeprefix("monograph") if module.partition(".")[0] == "monograph" else module, name)


# --- options --------------------------------------------------------------------------------------------------------------------------


class SourceChangeWarning(Warning):
    """PyTorch warns so where the source of a pickled module has changed since. Monograph never does: files of the zip format have no source."""


class LoadEndianness(enum.Enum):
    """The byte order of a file that does not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_options: dict[str, Any] = {"endianness": None, "crc32": True}


class skip_data:
    """A context in which torch.save leaves room for the elements of tensors in the file, and writes zeros there.

    >>> import io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._outer = _options.get("skip_data", False)
        _options["skip_data"] = True

    def __exit__(self, *error: object) -> None:
        _options["skip_data"] = self._outer


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that set_default_load_endianness has set, or None."""
    return _options["endianness"]


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """The byte order of files that do not say it: NATIVE, LITTLE, or None for the machine's. Monograph does not read BIG."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    if endianness is LoadEndianness.BIG:
        raise NotImplementedError("set_default_load_endianness: Monograph does not read files of big-endian machines; load and save them in PyTorch")
    _options["endianness"] = endianness


def get_crc32_options() -> bool:
    """The value that set_crc32_options has set."""
    return _options["crc32"]


def set_crc32_options(compute_crc32: bool) -> None:
    """Accepted, without effect: `save` always writes the checksum of each entry."""
    _options["crc32"] = compute_crc32


def get_default_mmap_options() -> int:
    """How `load(mmap=True)` maps a file: mmap.MAP_PRIVATE."""
    import mmap

    return mmap.MAP_PRIVATE


class set_default_mmap_options:
    """How `load(mmap=True)` maps a file, at once or in a `with` block. Only mmap.MAP_PRIVATE is there: writes do not reach the file."""

    def __init__(self, flags: int) -> None:
        import mmap

        if flags == mmap.MAP_SHARED:
            raise NotImplementedError("set_default_mmap_options: expected mmap.MAP_PRIVATE; with MAP_SHARED writes would reach the file")
        if flags != mmap.MAP_PRIVATE:
            raise ValueError(
                f"Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}"
            )

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


def location_tag(storage: Any) -> str:
    """The device name that a file stores for a storage: "cpu" or "meta"."""
    return storage.device.type


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage on the device of that name. Another device than "cpu" and "meta" is an error."""
    _device_of(location)
    return storage


# --- saving ---------------------------------------------------------------------------------------------------------------------------


class _Name:
    """The name of a function or class of PyTorch. The pickle refers to it by this name."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self) -> None:  # pickle checks that it is callable
        raise TypeError(f"{self.module}.{self.name} is a name only")


_TENSOR, _TENSOR_V3 = _Name("torch._utils", "_rebuild_tensor_v2"), _Name("torch._utils", "_rebuild_tensor_v3")
_META, _PARAMETER = _Name("torch._utils", "_rebuild_meta_tensor_no_storage"), _Name("torch._utils", "_rebuild_parameter")
_PARAMETER_WITH_STATE = _Name("torch._utils", "_rebuild_parameter_with_state")
_FROM_TYPE, _SIZE = _Name("torch._tensor", "_rebuild_from_type_v2"), _Name("torch", "Size")
_DEVICE, _LAYOUT = _Name("torch", "device"), _Name("torch.serialization", "_get_layout")
_QUANTIZED = (
    "torch.save writes no quantized tensors yet, but got one of {}; save x.dequantize(), or x.int_repr() with x.q_scale() and x.q_zero_point() beside it"
)
_UNTYPED = _Name("torch.storage", "UntypedStorage")
_STORAGES = {dtype: _Name("torch", name) for dtype, name in storage._name_of_dtype.items()}
_PLAIN = frozenset((int, str, float, bool, type(None), bytes, list, tuple, dict, OrderedDict, set, Tensor, Parameter))
_FUNCTIONS = (type, types.FunctionType, types.BuiltinFunctionType, type(_VF.relu), type(functional.relu), functools._lru_cache_wrapper)


class _SaveInProgress:
    """The state of one call of save: the storages found so far, and the names. The pickle has a number for each name; the names are put in at the end."""

    def __init__(self, protocol: int, legacy: bool) -> None:
        self.protocol, self.legacy = protocol, legacy
        self.names: list[tuple[str, str]] = []
        self.numbers: dict[tuple[str, str], int] = {}
        self.storages: dict[int, tuple[str, Tensor, int]] = {}  # by identity: key in the file, bytes, the size of an element
        self.dtypes: dict[int, Any] = {}

    def number(self, name: tuple[str, str]) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.names)
            self.names.append(name)
        return self.numbers[name]

    def persistent_id(self, obj: Any) -> Any:
        kind = type(obj)
        if kind in _PLAIN:
            return None
        if kind is _Name:
            return self.number((obj.module, obj.name))
        if kind is _C.dtype:
            return self.number(("torch", str(obj).removeprefix("torch.")))
        if kind is _C.memory_format:
            return self.number(("torch", str(obj).removeprefix("torch.")))
        if kind is qscheme:
            return self.number(("torch", str(obj).removeprefix("torch.")))
        if isinstance(obj, _FUNCTIONS) and str(getattr(obj, "__module__", "")).partition(".")[0] == "monograph":
            module, name = _name_in_files(obj)
            return None if "." in name else self.number((module, name))
        if isinstance(obj, (TypedStorage, UntypedStorage)):
            return self.storage_id(obj._untyped_storage._bytes, None if isinstance(obj, UntypedStorage) else obj.dtype)
        return None

    def storage_id(self, data: Tensor, dtype: Any) -> tuple[Any, ...]:
        identity, _ = _C._storage_of(data)
        seen = _C._dtypes["uint8"] if dtype is None else dtype
        if data.numel() and self.dtypes.setdefault(identity, seen) != seen:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        key, _, _ = self.storages.setdefault(identity, (str(len(self.storages)), data, seen.itemsize))
        kind = _UNTYPED if dtype is None else _STORAGES[dtype]
        out = ("storage", kind, key, str(data.device), data.numel() // seen.itemsize)
        return (*out, None) if self.legacy else out

    def reduce(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return NotImplemented if is_lazy(obj) else self.reduce_tensor(obj)
        if type(obj) is _C.Size:
            return (_SIZE, (tuple(obj),))
        if type(obj) is _C.device:
            return (_DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index))
        if type(obj) is _C.layout:
            return (_LAYOUT, (str(obj),))
        return NotImplemented

    def reduce_tensor(self, t: Tensor) -> Any:
        if t.is_quantized:
            raise NotImplementedError(_QUANTIZED.format(t.dtype))
        attributes, slots = _state(t)
        if type(t).__reduce_ex__ is Parameter.__reduce_ex__:  # as in PyTorch, one of a class that is derived from Parameter is a plain one in the file
            args: tuple[Any, ...] = (t.detach(), t._requires_grad, OrderedDict())
            return (_PARAMETER_WITH_STATE, (*args, (dict(attributes), slots) if slots else dict(attributes))) if attributes or slots else (_PARAMETER, args)
        layout = (tuple(t.shape), tuple(t.stride()), t._requires_grad)
        made: tuple[Any, tuple[Any, ...]]
        if t.is_meta:
            made = (_META, (t.dtype, *layout))
        else:
            untyped = UntypedStorage._of(_C._storage_of(t)[1])
            if t.dtype in _STORAGES:
                made = (_TENSOR, (TypedStorage(wrap_storage=untyped, dtype=t.dtype), t.storage_offset(), *layout, OrderedDict()))
            else:  # PyTorch gave storages no class for the dtypes that came later
                made = (_TENSOR_V3, (untyped, t.storage_offset(), *layout, OrderedDict(), t.dtype))
        state = (dict(attributes), slots) if slots else dict(attributes)
        return made if type(t) is Tensor and not attributes else (_FROM_TYPE, (made[0], type(t), made[1], state))

    def pickle(self, obj: object, pickle_module: Any) -> bytes:
        saved = self

        class Pickler(pickle_module.Pickler):
            def persistent_id(self, obj: Any) -> Any:
                return saved.persistent_id(obj)

            def reducer_override(self, obj: Any) -> Any:
                return saved.reduce(obj)

        buffer = io.BytesIO()
        Pickler(buffer, protocol=self.protocol).dump(obj)
        return _C._name_globals(buffer.getvalue(), self.names)


_LOAD_STORAGE = _Name("torch.storage", "_load_from_bytes")


class _PlainPickle(_SaveInProgress):
    """The same for a pickle that stands alone, in which PyTorch keeps each storage as a file of the older format."""

    def __init__(self, protocol: int) -> None:
        super().__init__(protocol, True)

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, (TypedStorage, UntypedStorage)) or str(getattr(obj, "__module__", "")).startswith("monograph._ops."):
            return None  # an operator of torch.ops says itself how it is found
        return super().persistent_id(obj)

    def reduce(self, obj: Any) -> Any:
        return (_LOAD_STORAGE, obj.__reduce__()[1]) if isinstance(obj, (TypedStorage, UntypedStorage)) else super().reduce(obj)


def name_plain_pickles() -> None:
    """Makes pickle.dump and pickle.dumps name our classes and functions by PyTorch's modules, so that PyTorch reads their pickles: for a Python in which Monograph
    stands in for PyTorch. Pickles in which nothing of ours is named stay as they are."""
    plain: Any = pickle.dumps
    ours = __name__.partition(".")[0].encode()

    @functools.wraps(plain)
    def dumps(obj: Any, protocol: int | None = None, *, fix_imports: bool = True, buffer_callback: Any = None) -> bytes:
        made: bytes = plain(obj, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback)
        number = pickle.DEFAULT_PROTOCOL if protocol is None else pickle.HIGHEST_PROTOCOL if protocol < 0 else protocol
        return made if ours not in made or number < 2 or buffer_callback is not None else _PlainPickle(number).pickle(obj, pickle)

    @functools.wraps(pickle.dump)
    def dump(obj: Any, file: Any, protocol: int | None = None, *, fix_imports: bool = True, buffer_callback: Any = None) -> None:
        file.write(dumps(obj, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback))

    pickle.dumps, pickle.dump = dumps, dump


def save(
    obj: object,
    f: FileLike,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object to a file, or to a file object with `write`, as PyTorch's torch.save does: PyTorch and torch.load read it.

    A file appears whole or not at all: where saving fails, an old file of that name is as it was. Tensors that share memory still do after loading;
    of a view the whole storage is written. Objects other than tensors and containers are pickled by Python.

    Args:
        obj: tensors, state dicts, lists, dicts and other objects
        f: a path or a binary file
        pickle_module: the module that pickles
        pickle_protocol: the version of the pickle
    """
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, but got {type(f).__name__}; write torch.save(obj, path)"
        )
    if _is_path(f) and not os.path.isdir(folder := os.path.dirname(os.path.abspath(f))):  # type: ignore[arg-type]
        raise RuntimeError(f"Parent directory {os.fsdecode(folder)} does not exist; make it with os.makedirs(...) first")
    if not 2 <= pickle_protocol <= 5:
        raise ValueError(f"save: expected pickle_protocol=2 to 5, but got {pickle_protocol}")
    legacy = not _use_new_zipfile_serialization
    saved = _SaveInProgress(pickle_protocol, legacy)
    content = saved.pickle(obj, pickle_module)
    skipped = _options.get("skip_data", False)
    if legacy and skipped:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False; the older format has no room that can be filled later")
    parts = [(key, _VF.zeros_like(data) if skipped else data) for key, data, _ in saved.storages.values()]
    if legacy:
        _save_legacy(saved, content, f)
    elif _is_path(f):
        path = os.fspath(f)  # type: ignore[arg-type]
        root = os.path.splitext(os.path.basename(path))[0]
        _C._save_checkpoint(path, root or "archive", content, parts)
    else:
        _C._save_checkpoint(f.write, "archive", content, parts)  # type: ignore[union-attr]
        if hasattr(f, "flush"):
            f.flush()


def _save_legacy(saved: _SaveInProgress, content: bytes, f: Any) -> None:
    facts = {"protocol_version": PROTOCOL_VERSION, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 8}}
    parts: list[Any] = [pickle.dumps(part, protocol=saved.protocol) for part in (MAGIC_NUMBER, PROTOCOL_VERSION, facts)]
    in_order = sorted(saved.storages.values(), key=lambda entry: entry[0])
    parts += [content, pickle.dumps([key for key, _, _ in in_order], protocol=saved.protocol)]
    for _, data, itemsize in in_order:
        parts += [struct.pack("<q", data.numel() // itemsize), data[: data.numel() // itemsize * itemsize]]
    if _is_path(f):
        _C._write_file(os.fspath(f), parts)
        return
    for part in parts:
        f.write(part if isinstance(part, bytes) else bytes(part.numpy()))
    if hasattr(f, "flush"):
        f.flush()


# --- loading --------------------------------------------------------------------------------------------------------------------------

_NOT_HERE = {
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
}


def _class_of_name(named: dict[str, Any], name: str) -> Any:
    if name in named:
        return named[name]
    if name in _NOT_HERE:
        return _NOT_HERE[name]
    kind = name.removeprefix("torch.storage.")
    if kind in ("UntypedStorage", "TypedStorage"):
        return getattr(storage, kind)
    raise NotImplementedError(f"load: the file holds {name} as a value, which Monograph does not have")


def _set_built_state(obj: Any, state: Any) -> None:
    """Sets the state of an object as pickle's BUILD instruction does."""
    if hasattr(obj, "__setstate__"):
        obj.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        obj.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)


class _Places:
    """Applies map_location: the device of each storage, from the location that the file names."""

    def __init__(self, map_location: Any) -> None:
        self.map_location = map_location
        self.replace = None
        if callable(map_location) and not isinstance(map_location, (_C.device, str, bytes, dict)):
            self.replace = self.replaced

    def replaced(self, loaded: UntypedStorage, location: str) -> Any:
        made = self.map_location(loaded, location)
        if made is None:
            _device_of(location)
        return made

    def device_of(self, location: str) -> str:
        place = self.map_location
        if self.replace is not None:
            return "cpu"  # the function gets the storage on the CPU
        if isinstance(place, dict):
            return _device_of(str(place.get(location, location)))
        if place is None:
            return _device_of(location)
        return _device_of(place.decode() if isinstance(place, bytes) else str(place))


def _device_of(location: str) -> str:
    kind = location.partition(":")[0]
    if kind in ("cpu", "meta"):
        return kind
    if kind == "cuda" and _C.device("cuda").type == "cpu":  # MONOGRAPH_DEVICE_FALLBACK
        return "cpu"
    if kind in ("cuda", "mps", "xpu", "hpu", "mtia"):
        raise RuntimeError(
            f"Attempting to deserialize object on a {kind.upper()} device but torch.{kind}.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    raise RuntimeError(f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})")


def load(
    f: FileLike,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads an object that torch.save wrote, PyTorch's or this one, from a file or from a file object.

    The file executes nothing. Names of functions and classes outside of a short list are errors; torch.serialization.add_safe_globals adds to it.
    With weights_only=False, or a pickle_module, Python's own unpickler reads the file, which may then run any code: do so only where you trust it.

    Args:
        map_location: where storages go: a device, a dict of locations, or a function of a storage and its location
        weights_only: False for Python's unpickler
        mmap: True leaves tensors in the file, mapped into memory, until they are used
        encoding: how to decode strings of Python 2: "utf-8" (the default), "ascii", "latin1" or "bytes"
    """
    forced = os.environ.get("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in ("1", "y", "yes", "true")
    only_weights = forced or (pickle_module is None if weights_only is None else weights_only)
    if only_weights and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if _is_path(f) and os.fspath(f).endswith(".safetensors"):  # type: ignore[arg-type]
        from .safetensors import load_file

        return load_file(f, str(map_location or "cpu"))  # type: ignore[arg-type]
    if mmap and not _is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    places = _Places(map_location)
    begin, source = _source_of(f)
    if mmap and not _is_zip_file(source):
        raise RuntimeError(
            "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True)`, "
            "please torch.save your checkpoint with this option in order to use mmap."
        )
    if not only_weights:
        made, size = _load_by_python(source, places, pickle_module or pickle, bool(mmap), pickle_load_args)
    else:
        made, size = _load_weights(source, places, bool(mmap), pickle_load_args)
    if begin is not None:
        f.seek(begin + size)  # type: ignore[union-attr]
    return made


def _source_of(f: Any) -> tuple[int | None, Any]:
    """For a file object, its position and the remaining bytes. For a path, None and the path."""
    if _is_path(f):
        if stat.S_ISFIFO(os.stat(f).st_mode):  # opening it would wait for a writer
            raise OSError(f"{os.fspath(f)!r}: expected a regular file, but it is a pipe; write what comes from it to a file first")
        with open(f, "rb"):  # Python's errors: FileNotFoundError, PermissionError, IsADirectoryError
            return None, os.fspath(f)
    try:
        begin = f.tell()
        f.seek(begin)
    except (io.UnsupportedOperation, AttributeError) as error:
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like io.BytesIO and "
            "try to load from it instead."
        ) from None
    return begin, bytes(f.read())


def _is_zip_file(source: Any) -> bool:
    if isinstance(source, bytes):
        return source.startswith(b"PK")
    with open(source, "rb") as file:
        return file.read(2) == b"PK"


_ENCODINGS = {
    "utf8": "utf-8",
    "utf-8": "utf-8",
    "ascii": "ascii",
    "latin1": "latin1",
    "latin-1": "latin1",
    "iso-8859-1": "latin1",
    "bytes": "bytes",
}


def _load_weights(source: Any, places: _Places, mmap: bool, pickle_load_args: dict[str, Any]) -> tuple[Any, int]:
    arguments = dict(pickle_load_args)
    encoding = str(arguments.pop("encoding", "utf-8"))
    if encoding.lower() not in _ENCODINGS:
        raise ValueError(f"load: expected encoding= utf-8, ascii, latin1 or bytes, but got {encoding!r}")
    if arguments:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=3)
    named = _allowed_by_user()
    try:
        made, size, _ = _C._load_checkpoint(
            source,
            _ENCODINGS[encoding.lower()],
            mmap,
            places.device_of,
            places.replace,
            named.__contains__,
            lambda name: _class_of_name(named, name),
            _set_built_state,
        )
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(f"Weights only load failed. {error}") from None
    except OSError as error:  # the file could be opened: it is damaged
        empty = not source if isinstance(source, bytes) else os.path.getsize(source) == 0
        raise (EOFError if empty else RuntimeError)(str(error)) from None
    return made, size


class _StorageType:
    """Stands for a storage class such as torch.FloatStorage while Python's unpickler reads a file."""

    def __init__(self, name: str) -> None:
        self.dtype = storage._dtype_of_name[name]


# Functions that rebuild kinds of tensors that Monograph does not have, and a name of each kind for messages.
_REBUILT = {
    "_rebuild_sparse_tensor": "a sparse tensor",
    "_rebuild_sparse_csr_tensor": "a sparse tensor",
    "_rebuild_qtensor": "a quantized tensor",
    "_rebuild_nested_tensor": "a nested tensor",
    "_rebuild_wrapper_subclass": "a tensor of a wrapper subclass",
    "_rebuild_device_tensor_from_numpy": "a tensor of another kind of device",
    "_rebuild_device_tensor_from_cpu_tensor": "a tensor of another kind of device",
}
# PyTorch's dtypes that Monograph lacks.
_OTHER_DTYPE = re.compile(r"(u?int|bits|float|complex|q)(\d|u?int)\w*")


def _missing_in_file(module: str, name: str) -> NotImplementedError:
    """The error for a name of PyTorch that a file uses and Monograph lacks."""
    full = f"{module}.{name}"
    if name in _REBUILT:
        return NotImplementedError(
            f"load: {_REBUILT[name]} ({full}), which Monograph does not read; in PyTorch, convert it to a dense tensor and save it again"
        )
    if module == "torch" and _OTHER_DTYPE.fullmatch(name):
        return NotImplementedError(
            f"load: the dtype {full}, which Monograph does not have; in PyTorch, convert the tensor to another dtype and save it again"
        )
    return NotImplementedError(f"load: the file uses {full}, which Monograph does not have; in PyTorch, save the state_dict() and load that")


class _FunctionsOfTorch:
    """torch._C._VariableFunctionsClass: where PyTorch's pickles find functions such as torch.relu."""

    def __getattr__(self, name: str) -> Any:
        from . import _VF

        try:
            return vars(_VF)[name]
        except KeyError:
            raise _missing_in_file("torch", name) from None


def _home_of(module: str) -> str:
    module = {"torch.tensor": "torch._tensor"}.get(module, module)
    if module == "torch._tensor":
        return "monograph._utils"
    return "monograph" + module.removeprefix("torch") if module.partition(".")[0] == "torch" else module


def _load_by_python(source: Any, places: _Places, pickle_module: Any, mmap: bool, arguments: dict[str, Any]) -> tuple[Any, int]:
    arguments.setdefault("encoding", "utf-8")
    loaded: dict[str, Any] = {}
    file = _ZipParts(source, mmap) if _is_zip_file(source) else None

    def persistent_load(saved_id: Any) -> Any:
        kind, *rest = saved_id
        kind = kind.decode("ascii") if isinstance(kind, bytes) else kind
        if kind == "module":  # in the older format: a class, with its source
            return rest[0]
        if kind != "storage":
            raise RuntimeError(f"Unknown saved id type: {kind}")
        of, key, location, count, *_ = rest
        if key in loaded:
            return loaded[key]
        dtype = _C._dtypes["uint8"] if of is UntypedStorage else of.dtype
        location = location.decode("ascii") if isinstance(location, bytes) else location
        size = count * dtype.itemsize
        if places.replace is None and places.device_of(location) == "meta":
            untyped = UntypedStorage(size, device="meta")
        else:
            untyped = UntypedStorage._of(file.storage(key, size)) if file else UntypedStorage(size)
        if places.replace is not None:
            untyped = places.replace(untyped, location) or untyped
        loaded[key] = TypedStorage(wrap_storage=untyped, dtype=dtype)
        return loaded[key]

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module.partition(".")[0] == "torch":
                if name in storage._dtype_of_name:
                    return _StorageType(name)
                if (module, name) == ("torch._tensor", "Tensor"):
                    return Tensor
                if (module, name) == ("torch._C", "_VariableFunctionsClass"):
                    return _FunctionsOfTorch()
                try:
                    return super().find_class(_home_of(module), name)
                except (AttributeError, ImportError):
                    raise _missing_in_file(module, name) from None
            return super().find_class(module, name)

        def persistent_load(self, pid: Any) -> Any:
            return persistent_load(pid)

    if file is not None:
        return Unpickler(io.BytesIO(file.pickle), **arguments).load(), file.size
    return _load_legacy_by_python(source, Unpickler, pickle_module, loaded, arguments)


def _load_legacy_by_python(
    source: Any, unpickler: Any, pickle_module: Any, loaded: dict[str, Any], arguments: dict[str, Any]
) -> tuple[Any, int]:
    if not isinstance(source, bytes):
        with open(source, "rb") as opened:
            source = opened.read()
    file = io.BytesIO(source)
    if pickle_module.load(file, **arguments) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = pickle_module.load(file, **arguments)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    pickle_module.load(file, **arguments)
    made = unpickler(file, **arguments).load()
    for key in pickle_module.load(file, **arguments):
        target = loaded[key]._untyped_storage._bytes
        (count,) = struct.unpack("<q", file.read(8))
        data = file.read(count * loaded[key].dtype.itemsize)
        if len(data) != target.numel():
            raise RuntimeError(f"load: the storage {key!r} should have {target.numel()} bytes, but {len(data)} stand in the file")
        if data and not target.is_meta:
            target.copy_(_C.frombuffer(bytearray(data), dtype=_C._dtypes["uint8"]))
    return made, file.tell()


class _ZipParts:
    """The entries of an archive that is trusted."""

    def __init__(self, source: Any, mmap: bool) -> None:
        import zipfile

        content, _ = _C._checkpoint_pickle(source)  # says what is wrong with an archive that is no checkpoint
        self.pickle = content
        self.archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        self.size = len(source) if isinstance(source, bytes) else os.path.getsize(source)
        self.root = next(name for name in self.archive.namelist() if name.endswith("/data.pkl")).partition("/")[0]
        if f"{self.root}/byteorder" in self.archive.namelist() and self.archive.read(f"{self.root}/byteorder") != b"little":
            raise NotImplementedError("load: a file of a big-endian machine; load it without weights_only=False")
        self.mapped = self.map(source) if mmap else None

    @staticmethod
    def map(path: str) -> Any:
        import mmap

        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def storage(self, key: str, size: int) -> Tensor:
        from . import _VF

        uint8 = _C._dtypes["uint8"]
        if size == 0:
            return _VF.empty([0], dtype=uint8)
        entry = self.archive.getinfo(f"{self.root}/data/{key}")
        if entry.file_size < size:
            raise RuntimeError(f"load: the storage {key!r} should have {size} bytes, but its entry in the archive has {entry.file_size}")
        if self.mapped is None or entry.compress_type:
            return _C.frombuffer(bytearray(self.archive.read(entry)), dtype=uint8)[:size].clone()
        name, extra = struct.unpack("<HH", self.mapped[entry.header_offset + 26 : entry.header_offset + 30])
        return _C.frombuffer(self.mapped, dtype=uint8, count=size, offset=entry.header_offset + 30 + name + extra)


def _get_layout(name: str) -> Any:
    layout = getattr(_C, name.removeprefix("torch."), None)
    if not isinstance(layout, _C.layout):
        raise ValueError(f"load: {name!r} is no layout")
    return layout


_rebuild_from_type_v2 = _utils._rebuild_from_type_v2


def _bytes_of_storage(kept: Any) -> bytes:
    file = io.BytesIO()
    save(kept, file, _use_new_zipfile_serialization=False)
    return file.getvalue()


storage._bytes_of_file = _bytes_of_storage
storage._read_file = lambda content: load(io.BytesIO(content), weights_only=False)
