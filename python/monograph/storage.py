"""Storages: objects for the memory of tensors. `Tensor.untyped_storage()` returns one, and files of PyTorch refer to them."""

from __future__ import annotations

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


class UntypedStorage:
    """Bytes that tensors share. A tensor over it, and each storage object of that tensor, shows the same memory."""

    def __init__(self, size: int = 0, *, device: Any = "cpu") -> None:
        from . import _VF

        self._bytes = _VF.zeros([size], dtype=_dtypes["uint8"], device=device)

    @classmethod
    def _of(cls, data: Tensor) -> UntypedStorage:
        made = cls.__new__(cls)
        made._bytes = data
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
        return cls._of(_C.frombuffer(mapped, dtype=_dtypes["uint8"]))

    @property
    def _untyped_storage(self) -> UntypedStorage:
        return self

    @property
    def dtype(self) -> Any:
        return _dtypes["uint8"]

    @property
    def device(self) -> Any:
        return self._bytes.device

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
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            if stop <= start:
                return UntypedStorage(0, device=self.device)
            part = self._bytes[start:stop]
            return UntypedStorage._of(part.clone() if part.is_meta else _C.frombuffer(part.numpy(), dtype=_dtypes["uint8"]))  # the same memory
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not -self.nbytes() <= index < self.nbytes():
            raise IndexError(f"index {index} out of range for storage of size {self.nbytes()}")
        return self._bytes[index].item()

    def __setitem__(self, index: Any, value: int) -> None:
        self._bytes[index] = value

    def clone(self) -> UntypedStorage:
        return UntypedStorage._of(self._bytes.clone())

    def cpu(self) -> UntypedStorage:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and _C._storage_of(self._bytes)[0] == _C._storage_of(other._bytes)[0]

    def __hash__(self) -> int:
        return hash(_C._storage_of(self._bytes)[0])

    def __repr__(self) -> str:
        return f"[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage:
    """A storage read as elements of one dtype."""

    def __init__(self, *, wrap_storage: UntypedStorage, dtype: Any, _internal: bool = False) -> None:
        self._untyped_storage = wrap_storage
        self.dtype = dtype

    @property
    def _elements(self) -> Tensor:
        return _C._tensor_over(self._untyped_storage._bytes, self.dtype, 0, [self.size()], [1])

    @property
    def device(self) -> Any:
        return self._untyped_storage.device

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
        return self._elements[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements[index] = value

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def cpu(self) -> TypedStorage:
        return self

    def _pickle_storage_type(self) -> str:
        return _name_of_dtype[self.dtype]

    def __repr__(self) -> str:
        elements = "".join(f" {x}\n" for x in self.tolist())
        return f"{elements}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"


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

    text = f"A call makes a TypedStorage of {dtype}, of a number of elements or of values: torch.{name}([1, 0])."
    return _LegacyStorage(name, (), {"__new__": new, "__module__": "monograph", "__doc__": text, "dtype": dtype})


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
