"""The base classes of data pipes, and their functional form. PyTorch's own pipes (Mapper, Batcher, ...) are not here: they moved to torchdata."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ... import _absent
from .dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "IterDataPipe", "MapDataPipe", "functional_datapipe"]



class _Pipe:
    """The common base of both kinds of pipes: functions registered by a decorator become methods of every pipe; and hooks for pickling and repr."""

    functions: dict[str, Callable[..., Any]]
    reduce_ex_hook: Callable[..., Any] | None = None
    getstate_hook: Callable[..., Any] | None = None
    str_hook: Callable[..., Any] | None = None
    repr_hook: Callable[..., Any] | None = None
    _root: type[Any]  # IterDataPipe or MapDataPipe, which has the hooks

    def __getattr__(self, attribute_name: str) -> Any:
        function = self._root.functions.get(attribute_name)
        if function is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}'")
        method = functools.partial(function, self)
        return functools.update_wrapper(method, function, assigned=("__doc__",))

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Makes a function a method of every pipe of this kind."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: type, enable_df_api_tracing: bool = False) -> None:
        """Makes pipe.NAME(...) the pipe of this class over the pipe. Raises Exception where the name is taken."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")

        def make(source: Any, *args: Any, **kwargs: Any) -> Any:
            return cls_to_register(source, *args, **kwargs)

        cls.functions[function_name] = functools.update_wrapper(make, cls_to_register, assigned=("__doc__",), updated=())

    def __getstate__(self) -> Any:
        hook = self._root.getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, *args: Any, **kwargs: Any) -> Any:
        if self._root.reduce_ex_hook is not None:
            try:
                return self._root.reduce_ex_hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Sets what turns the attributes of a pipe into its pickled state."""
        if cls._root.getstate_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing getstate_hook")
        cls._root.getstate_hook = hook_fn

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Sets what pickles a pipe."""
        if cls._root.reduce_ex_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing reduce_ex_hook")
        cls._root.reduce_ex_hook = hook_fn

    def __repr__(self) -> str:
        return self.repr_hook(self) if self.repr_hook is not None else type(self).__qualname__

    def __str__(self) -> str:
        return self.str_hook(self) if self.str_hook is not None else type(self).__qualname__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


class IterDataPipe(_Pipe, IterableDataset[Any]):
    """A dataset that comes as a stream. A subclass defines ``__iter__``. A new iterator of the same pipe ends the one before.

    >>> from monograph.utils.data import IterDataPipe, functional_datapipe
    >>> class Numbers(IterDataPipe):
    ...     def __iter__(self):
    ...         yield from range(3)
    >>> @functional_datapipe("doubled")
    ... class Doubled(IterDataPipe):
    ...     def __init__(self, source):
    ...         self.source = source
    ...     def __iter__(self):
    ...         return (2 * x for x in self.source)
    >>> list(Numbers().doubled())
    [0, 2, 4]
    >>> _ = IterDataPipe.functions.pop("doubled")
    """

    functions: dict[str, Callable[..., Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__iter__")
        if own is not None and not hasattr(own, "_counts"):
            cls.__iter__ = _single(own)  # type: ignore[method-assign]

    def __iter__(self) -> Iterator[Any]:
        return self

    def reset(self) -> None:
        """Back to the start: nothing, unless a subclass says otherwise. Each new iterator calls it."""


def _single(function: Callable[..., Any]) -> Callable[..., Any]:
    """The method ``__iter__``, whose iterators end when a newer one begins."""

    @functools.wraps(function)
    def begin(self: Any) -> Any:
        number = self.__dict__["_iterator_number"] = self.__dict__.get("_iterator_number", 0) + 1
        self.reset()
        values = function(self)
        return values if values is self else _checked(self, number, iter(values))

    begin._counts = True  # type: ignore[attr-defined]
    return begin


def _checked(pipe: Any, number: int, values: Iterator[Any]) -> Iterator[Any]:
    while True:
        if pipe.__dict__["_iterator_number"] != number:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: "
                f"{pipe!r}\nThis may be caused multiple references to the same IterDataPipe. We recommend using `.fork()` if that is necessary."
            )
        try:
            value = next(values)
        except StopIteration:
            return
        yield value


class DFIterDataPipe(IterDataPipe):
    """A pipe of data frames: an IterDataPipe here.

    >>> from monograph.utils.data import DFIterDataPipe, IterDataPipe
    >>> issubclass(DFIterDataPipe, IterDataPipe)
    True
    """

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Pipe, Dataset[Any]):
    """A dataset by key. A subclass defines ``__getitem__``, and ``__len__`` for most samplers.

    >>> from monograph.utils.data import MapDataPipe
    >>> class Squares(MapDataPipe):
    ...     def __getitem__(self, key):
    ...         return key * key
    >>> Squares()[3]
    9
    """

    functions: dict[str, Callable[..., Any]] = {}


IterDataPipe._root, MapDataPipe._root = IterDataPipe, MapDataPipe


class functional_datapipe:
    """As a decorator of a class: pipe.NAME(...) makes one over the pipe.

    >>> from monograph.utils.data import IterDataPipe, functional_datapipe
    >>> @functional_datapipe("unchanged")
    ... class Unchanged(IterDataPipe):
    ...     def __init__(self, source):
    ...         self.source = source
    ...     def __iter__(self):
    ...         return iter(self.source)
    >>> list(Unchanged([1, 2]).unchanged())
    [1, 2]
    >>> _ = IterDataPipe.functions.pop("unchanged")
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: type) -> type:
        if _absent.stands_in() and hasattr(cls, "_full"):  # it derives from a class of PyTorch that is not there: that raises when one is made
            return cls
        if not issubclass(cls, (IterDataPipe, MapDataPipe)):
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe")
        (IterDataPipe if issubclass(cls, IterDataPipe) else MapDataPipe).register_datapipe_as_function(self.name, cls)
        return cls
