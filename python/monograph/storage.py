"""Storages: objects for the memory of tensors. `Tensor.untyped_storage()` returns one, and files of PyTorch refer to them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _C

if TYPE_CHECKING:
    from ._tensor import Tensor

_dtypes = _C._dtypes
# The class name that files use for the storages of each dtype.
_names = {
    "ByteStorage": "uint8", "CharStorage": "int8", "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64",
    "HalfStorage": "float16", "FloatStorage": "float32", "DoubleStorage": "float64", "BoolStorage": "bool",
    "BFloat16Storage": "bfloat16", "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
}  # fmt: skip
_dtype_of_name = {name: _dtypes[dtype] for name, dtype in _names.items()}
_name_of_dtype = {dtype: name for name, dtype in _dtype_of_name.items()}


# The storage objects in use, by what tells their memory from other memory.
_in_use: weakref.WeakValueDictionary[int, UntypedStorage] = weakref.WeakValueDictionary()


class UntypedStorage:
    """Bytes that tensors share. A tensor over it, and each storage object of that tensor, shows the same memory."""

    _handle: Tensor  # of bytes. It keeps the memory; after resize_() it may show more or less of it than there is

    def __init__(self, *args: Any, size: Any = None, sequence: Any = None, device: Any = "cpu") -> None:
        from . import _VF

        given = [*args, *(x for x in (size, sequence) if x is not None)]
        if len(given) > 1:
            raise TypeError(f"torch.UntypedStorage() takes a number of bytes, or a sequence of ints; got {', '.join(type(x).__name__ for x in given)}")
        size = given[0] if given else 0
        if isinstance(size, int):
            self._handle = _VF.zeros([size], dtype=_dtypes["uint8"], device=device)
            return
        try:
            items = list(size)
        except TypeError:
            raise TypeError(f"torch.UntypedStorage() takes a number of bytes, or a sequence of ints; got {type(size).__name__}") from None
        for item in items:
            if not isinstance(item, int):
                raise RuntimeError(
                    f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(size).__name__}), "
                    f"but one of the items was of type {type(item).__name__} instead of int"
                )
        self._handle = _C.tensor([item & 255 for item in items], dtype=_dtypes["uint8"], device=device)

    @classmethod
    def _of(cls, data: Tensor) -> UntypedStorage:
        """The storage of these bytes: the same object as long as one is in use."""
        identity, _ = _C._storage_of(data)
        made = _in_use.get(identity) if identity else None
        if made is None:
            made = cls.__new__(cls)
            made._handle = data
            if identity:
                _in_use[identity] = made
        return made

    @property
    def _bytes(self) -> Tensor:
        """All bytes as a tensor."""
        return self._handle if self._handle.is_meta else _C._storage_of(self._handle)[1]

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0, *, dtype: Any) -> UntypedStorage:
        """A copy of elements of a bytes object, an array or the like. Elements in the other byte order are turned around.

        buffer: an object with the buffer protocol. byte_order: "native", "little" or "big"; None for dtypes of one byte.
        count: how many elements; -1 for all. offset: how many bytes of the buffer come before them. dtype: that of the elements.
        """
        import sys

        if byte_order is None and dtype.itemsize > 1:
            raise TypeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "native", "little", "big"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        given = memoryview(buffer).cast("B")
        left = len(given) - offset
        if offset < 0 or left < 0:
            raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(given)}) , but got {offset}")
        if count < 0:
            if left % dtype.itemsize:
                raise ValueError(f"buffer size ({len(given)}) must be a multiple of element size ({dtype.itemsize})")
            count = left // dtype.itemsize
        if count * dtype.itemsize > left:
            raise ValueError(f"buffer has only {left} bytes after offset {offset}, but specified a size of {count}")
        made = cls(bytes(given[offset : offset + count * dtype.itemsize]))
        if byte_order not in (None, "native", sys.byteorder):
            made.byteswap(dtype)
        if dtype == _dtypes["bool"]:
            made._bytes.copy_(made._bytes != 0)
        return made

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file, mapped into memory: read when they are used.

        filename: the file. shared: whether what is written to the storage reaches the file, which is made or made longer where it is too short.
        nbytes: how many bytes. Raises RuntimeError for a file that is not there or too short.
        """
        import mmap
        import os

        path = os.fspath(filename)
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
        except OSError as error:
            mode = "read-write" if shared else "read-only"
            raise RuntimeError(f"unable to open file <{path}> in {mode} mode: {error.strerror} ({error.errno})") from None
        try:
            size = os.fstat(file).st_size
            if size < nbytes:
                if not shared:
                    raise RuntimeError(f"file <{path}> size <{size}> is smaller than the required mapping size <{nbytes}>")
                os.ftruncate(file, nbytes)
            if nbytes == 0:
                return cls(0)
            mapped = mmap.mmap(file, nbytes, mmap.MAP_SHARED if shared else mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        finally:
            os.close(file)
        made = cls._of(_C.frombuffer(mapped, dtype=_dtypes["uint8"]))
        made.filename = path if shared else None
        return made

    @property
    def _untyped_storage(self) -> UntypedStorage:
        return self

    @property
    def device(self) -> Any:
        return self._handle.device

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False
    filename: str | None = None

    def is_shared(self) -> bool:
        """Whether other processes see the memory: never here."""
        return False

    def is_pinned(self, device: Any = "cuda") -> bool:
        """Whether a GPU reads the memory directly: never here."""
        return False

    def resizable(self) -> bool:
        """Whether the memory may grow. It may not where another library, such as NumPy, holds its address."""
        return _C._storage_resizable(self._bytes)

    def untyped(self) -> UntypedStorage:
        return self

    @property
    def _cdata(self) -> int:
        """What tells the storage from others."""
        return _C._storage_of(self._handle)[0]

    def nbytes(self) -> int:
        return self._bytes.numel()

    def size(self) -> int:
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    def element_size(self) -> int:
        return 1

    def data_ptr(self) -> int:
        return self._bytes.data_ptr() if self.nbytes() and not self._bytes.is_meta else 0

    def tolist(self) -> list[int]:
        return self._bytes.tolist()

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        self._check_elements()
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            if stop <= start:
                return UntypedStorage(0, device=self.device)
            return UntypedStorage._of(_C.frombuffer(self._bytes[start:stop].numpy(), dtype=_dtypes["uint8"]))  # the same memory
        return self._bytes[self._place(index)].item()

    def __setitem__(self, index: Any, value: int) -> None:
        self._check_elements()
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {_full_name(value)} instead")
        self._bytes[index if isinstance(index, slice) else self._place(index)] = value & 255

    def _check_elements(self) -> None:
        if self._handle.is_meta:
            raise NotImplementedError("a storage on the device 'meta' has no elements: Not available for 'meta' device type")

    def _place(self, index: Any) -> int:
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not -self.nbytes() <= index < self.nbytes():
            raise IndexError(f"index {index} out of range for storage of size {self.nbytes()}")
        return index

    def fill_(self, value: int) -> UntypedStorage:
        """Writes the byte everywhere."""
        self[:] = value
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Gives the storage this many bytes. The first ones stay, and new ones are not set. Tensors over it keep their sizes: they can be used again when it is
        large enough."""
        if self._handle.is_meta:
            self._handle = _C.tensor([], dtype=_dtypes["uint8"], device="meta").new_empty([size])
        else:
            _C._resize_storage(self._handle, size)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Writes the bytes of another storage of this size."""
        other = source.untyped()
        if other.nbytes() != self.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {other.nbytes()} bytes")
        self._bytes.copy_(other._bytes)
        return self

    def byteswap(self, dtype: Any) -> None:
        """Turns around the bytes of each element of this dtype; of a complex number, those of each part."""
        width = dtype.itemsize // (2 if dtype.is_complex else 1)
        if self.nbytes() % width:
            raise RuntimeError(f"the length of data is not a multiple of {width}")
        rows = self._bytes.view(-1, width)
        rows.copy_(rows.flip(1))

    def new(self) -> UntypedStorage:
        """An empty storage on the same device."""
        return UntypedStorage(0, device=self.device)

    def clone(self) -> UntypedStorage:
        return UntypedStorage._of(self._bytes.clone())

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        key = ("the storage", self._cdata)
        found: UntypedStorage = memo.setdefault(key, self.clone())
        return found

    def __reduce__(self) -> Any:
        return _load_from_bytes, (_bytes_of_file(self),)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class; with a dtype, a TypedStorage of the elements in it."""
        return f"torch.storage.{type(self).__name__}" if dtype is None else self._to(dtype)

    def _to(self, dtype: Any) -> TypedStorage:
        return _converted(self, dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """The storage on that device: itself if it is there."""
        return self if _C.device(device) == self.device else UntypedStorage._of(self._bytes.to(device))

    def cpu(self) -> UntypedStorage:
        return self.to(device="cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        return self.to(device="cuda" if device is None else device)

    def get_device(self) -> int | None:
        """The number of its device; None on the CPU."""
        return self.device.index

    def share_memory_(self) -> UntypedStorage:
        """Returns the storage. Tensors that multiprocessing sends are copied, so its memory is not moved."""
        return self

    def pin_memory(self, device: Any = "cuda") -> UntypedStorage:
        raise RuntimeError("pin_memory(): there is no GPU here that reads memory directly; leave the call out")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __hash__(self) -> int:
        return hash(self._cdata)

    def __repr__(self) -> str:
        elements = "..." if self._handle.is_meta else " " + "\n ".join(map(str, self.tolist()))
        return f"{elements}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage:
    """A storage read as elements of one dtype."""

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: Any = None, device: Any = None, _internal: bool = False) -> None:
        if wrap_storage is not None:
            if args or device is not None or dtype is None:
                raise RuntimeError("TypedStorage(wrap_storage=...) takes dtype= beside it, and no sizes, values or device")
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"Argument 'wrap_storage' must be UntypedStorage, but got {_full_name(wrap_storage)}")
            self._untyped_storage, self.dtype = wrap_storage, dtype
            return
        self.dtype = _C._get_default_dtype() if dtype is None else dtype
        if len(args) > 1:
            raise RuntimeError(f"torch.TypedStorage() takes a number of elements, or a sequence of values; got {len(args)} arguments")
        given = args[0] if args else 0
        if isinstance(given, int):
            self._untyped_storage = UntypedStorage(given * self.dtype.itemsize, device=device or "cpu")
        else:
            self._untyped_storage = _C.tensor(list(given), dtype=self.dtype, device=device or "cpu").untyped_storage()

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, **named: Any) -> TypedStorage:
        """A copy of elements of a bytes object, an array or the like: see `UntypedStorage.from_buffer`. Without dtype they have the default dtype."""
        dtype = _C._get_default_dtype() if dtype is None else dtype
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(*args, dtype=dtype, **named), dtype=dtype)

    @property
    def _elements(self) -> Tensor:
        return _C._tensor_over(self._untyped_storage._bytes, self.dtype, 0, [self.size()], [1])

    @property
    def device(self) -> Any:
        return self._untyped_storage.device

    is_cuda = is_hpu = is_sparse = False

    @property
    def filename(self) -> str | None:
        return self._untyped_storage.filename

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def is_shared(self) -> bool:
        """Whether other processes see the memory: never here."""
        return False

    def is_pinned(self, device: Any = "cuda") -> bool:
        """Whether a GPU reads the memory directly: never here."""
        return False

    def resizable(self) -> bool:
        """Whether the memory may grow; see `UntypedStorage.resizable`."""
        return self._untyped_storage.resizable()

    def untyped(self) -> UntypedStorage:
        return self._untyped_storage

    def element_size(self) -> int:
        return self.dtype.itemsize

    def size(self) -> int:
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    _size = size

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def __len__(self) -> int:
        return self.size()

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def tolist(self) -> list[Any]:
        return self._elements.tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__; write storage.untyped()[a:b], or list(storage)[a:b]")
        self._untyped_storage._check_elements()
        return self._elements[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a torch.TypedStorage with {type(index).__name__}")
        self._untyped_storage._check_elements()
        self._elements[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        """Writes the number everywhere."""
        self[:] = value
        return self

    def resize_(self, size: int) -> None:
        """Gives the storage this many elements; see `UntypedStorage.resize_`."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    _resize_ = resize_

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Writes the bytes of another storage of as many bytes."""
        self._untyped_storage.copy_(source.untyped())
        return self

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.__deepcopy__(memo), dtype=self.dtype)

    def __reduce__(self) -> Any:
        return _load_from_bytes, (_bytes_of_file(self),)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class, such as "torch.FloatStorage"; with a dtype, its elements in that dtype."""
        return f"torch.{_name_of_dtype[self.dtype]}" if dtype is None else self._to(dtype)

    def _to(self, dtype: Any) -> TypedStorage:
        return _converted(self, dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The storage on that device: itself if it is there."""
        there = self._untyped_storage.to(device=device)
        return self if there is self._untyped_storage else TypedStorage(wrap_storage=there, dtype=self.dtype)

    def cpu(self) -> TypedStorage:
        return self.to(device="cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        return self.to(device="cuda" if device is None else device)

    def get_device(self) -> int | None:
        """The number of its device; None on the CPU."""
        return self.device.index

    def share_memory_(self) -> TypedStorage:
        """Returns the storage: see `UntypedStorage.share_memory_`."""
        return self

    def pin_memory(self, device: Any = "cuda") -> TypedStorage:
        self._untyped_storage.pin_memory(device)
        return self

    def pickle_storage_type(self) -> str:
        """The name of the class that files use: "FloatStorage"."""
        return _name_of_dtype[self.dtype]

    _pickle_storage_type = pickle_storage_type

    def __repr__(self) -> str:
        elements = "...\n" if self.device.type == "meta" else "".join(f" {x}\n" for x in self.tolist())
        return f"{elements}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"


def _full_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"torch.storage.{kind.__name__}" if kind.__module__ == __name__ else f"{kind.__module__}.{kind.__name__}"


def _converted(storage: UntypedStorage | TypedStorage, dtype: Any) -> TypedStorage:
    """A copy of the elements in this dtype. Those of an untyped storage are its bytes."""
    if not isinstance(dtype, _C.dtype):
        raise TypeError(f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")
    elements = storage._bytes if isinstance(storage, UntypedStorage) else storage._elements
    return TypedStorage(wrap_storage=elements.to(dtype, copy=True).untyped_storage(), dtype=dtype)


def _add_conversions() -> None:
    names = {"byte": "uint8", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "half": "float16", "float": "float32",
             "double": "float64", "bool": "bool", "bfloat16": "bfloat16", "complex_float": "complex64", "complex_double": "complex128"}  # fmt: skip
    for name, dtype in names.items():

        def convert(self: Any, dtype: Any = _dtypes[dtype]) -> TypedStorage:
            return _converted(self, dtype)

        convert.__name__, convert.__doc__ = name, f"A copy of the elements in torch.{dtype}."
        for kind in (UntypedStorage, TypedStorage):
            setattr(kind, name, convert)


_add_conversions()


# Writes a storage as a file of its own, and reads such a file: set by the module that writes files.
_bytes_of_file: Any = None
_read_file: Any = None


def _load_from_bytes(b: bytes) -> Any:
    """What a plain pickle calls for a storage, in PyTorch, too."""
    return _read_file(b)


def _legacy_class(name: str, dtype: Any) -> type:
    """Makes torch.FloatStorage and similar classes. A call returns a TypedStorage of this dtype, from a number of elements, values, or an untyped storage."""

    def new(cls: type, *args: Any, wrap_storage: UntypedStorage | None = None, device: Any = None) -> TypedStorage:
        from . import _VF

        if device is not None and _C.device(device).type != "cpu":
            raise RuntimeError(f"torch.{name} makes a storage on the CPU, but got device={device!r}")
        if len(args) > 1:
            raise TypeError(f"torch.{name}() takes a number of elements, or a sequence of values; got {len(args)} arguments")
        if wrap_storage is not None:
            return TypedStorage(wrap_storage=wrap_storage, dtype=dtype)
        given = args[0] if args else 0
        data = _VF.zeros([given], dtype=dtype) if isinstance(given, int) else _C.tensor(list(given), dtype=dtype)
        return TypedStorage(wrap_storage=data.untyped_storage(), dtype=dtype)

    def from_buffer(*args: Any, **named: Any) -> TypedStorage:
        return TypedStorage.from_buffer(*args, dtype=dtype, **named)

    def from_file(filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        return TypedStorage(wrap_storage=UntypedStorage.from_file(filename, shared, size * dtype.itemsize), dtype=dtype)

    text = f"A call makes a TypedStorage of {dtype}, of a number of elements or of values: torch.{name}([1, 0])."
    members = {"from_buffer": staticmethod(from_buffer), "from_file": staticmethod(from_file)}
    return _LegacyStorage(name, (), {"__new__": new, "__module__": "monograph", "__doc__": text, "dtype": dtype, **members})


class _LegacyStorage(type):
    """The metaclass of torch.FloatStorage and similar classes: isinstance() is True for a TypedStorage of this dtype."""

    dtype: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype == cls.dtype


LEGACY = {name: _legacy_class(name, dtype) for name, dtype in _dtype_of_name.items()}


def _storage(data: Tensor, dtype: Any) -> UntypedStorage | TypedStorage:
    """Makes a storage object for bytes read from a file. dtype None: an untyped one."""
    untyped = UntypedStorage._of(data)
    return untyped if dtype is None else TypedStorage(wrap_storage=untyped, dtype=dtype)


_C._set_storage_type(_storage)
