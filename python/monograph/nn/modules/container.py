from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from ..parameter import Parameter
from .module import Module, _indent


class _List(Module):
    """Submodules under the names "0", "1", …"""

    def _index(self, i: int) -> str:
        i = operator.index(i)
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range")
        return str(i % len(self))

    def _rename(self, modules: Iterable[Any]) -> None:
        self._modules = {str(i): m for i, m in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, i: Any) -> Any:
        return type(self)(*self._arguments(list(self)[i])) if isinstance(i, slice) else self._modules[self._index(i)]

    def __setitem__(self, i: int, module: Module) -> None:
        setattr(self, self._index(i), module)

    def __delitem__(self, i: Any) -> None:
        kept = list(self)
        del kept[i]
        self._rename(kept)

    def _arguments(self, modules: list[Any]) -> tuple[Any, ...]:
        return (modules,)

    def append(self, module: Module) -> Any:
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        modules = list(self)
        modules.insert(index, module)
        self._rename(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int) -> Any:
        module = self[key]
        del self[key]
        return module


class Sequential(_List):
    """Modules that run one after the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def _index(self, i: int) -> str:
        i = operator.index(i)
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range")
        return list(self._modules)[i]

    def __getitem__(self, i: Any) -> Any:
        return type(self)(dict(list(self._modules.items())[i])) if isinstance(i, slice) else self._modules[self._index(i)]

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_List):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __iadd__(self, modules: Iterable[Module]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        if not len(self):
            return self._get_name() + "()"
        lines, start = [], 0
        for text, group in groupby(map(repr, self)):
            n = len(list(group))
            lines.append(f"({start}): {_indent(text)}" if n == 1 else f"({start}-{start + n - 1}): {n} x {_indent(text)}")
            start += n
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any: return self._modules[key]
    def __setitem__(self, key: str, module: Module) -> None: self.add_module(key, module)
    def __delitem__(self, key: str) -> None: del self._modules[key]
    def __len__(self) -> int: return len(self._modules)
    def __iter__(self) -> Iterator[str]: return iter(self._modules)
    def __contains__(self, key: str) -> bool: return key in self._modules
    def keys(self) -> Any: return self._modules.keys()
    def values(self) -> Any: return self._modules.values()
    def items(self) -> Any: return self._modules.items()
    def clear(self) -> None: self._modules.clear()

    def pop(self, key: str) -> Any:
        return self._modules.pop(key)

    def update(self, modules: Any) -> None:
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or [])

    def append(self, value: Any) -> Any:
        setattr(self, str(self._size), value if isinstance(value, Parameter) else Parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int: return self._size
    def __iter__(self) -> Iterator[Any]: return (self[i] for i in range(self._size))

    def __getitem__(self, i: Any) -> Any:
        return ParameterList(list(self)[i]) if isinstance(i, slice) else getattr(self, str(range(self._size)[i]))


class ParameterDict(Module):
    """A dict of parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._parameters:
            raise KeyError(key)
        return getattr(self, key)  # as every read of a parameter, so that a symbolic trace sees it

    def __setitem__(self, key: str, value: Any) -> None: setattr(self, key, value if isinstance(value, Parameter) else Parameter(value))
    def __len__(self) -> int: return len(self._parameters)
    def __iter__(self) -> Iterator[str]: return iter(self._parameters)
    def __contains__(self, key: str) -> bool: return key in self._parameters
    def update(self, parameters: Any) -> None:
        """Adds parameters: of a plain dict by their sorted names, as PyTorch does; else in the order given."""
        if isinstance(parameters, (Mapping, ParameterDict)):
            items = list(parameters.items())
            parameters = items if isinstance(parameters, (OrderedDict, ParameterDict)) else sorted(items)
        for key, value in parameters:
            self[key] = value

    def keys(self) -> Any: return self._parameters.keys()
    def values(self) -> Any: return [self[key] for key in self._parameters]
    def items(self) -> Any: return [(key, self[key]) for key in self._parameters]
