"""Layers that hold layers or parameters: Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict. Items are attributes named by their index or key."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from ..._tensor import Tensor
from ..parameter import Parameter
from .module import Module, _indent


class Container(Module):
    """Modules by name. PyTorch deprecates it: a class of your own holds them as attributes.

    Example::

        >>> nn.Container(first=nn.ReLU()).first
        ReLU()
    """

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.", FutureWarning, stacklevel=2
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


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
        """Adds a module at the end, and returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Adds a module before the one at `index`, from 0 to the number of modules."""
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end, and returns the container."""
        if isinstance(modules, Module) and not hasattr(modules, "__iter__"):
            raise TypeError(f"{type(self).__name__}: expected a list of modules, but got {type(modules).__name__}; write [module]")
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int) -> Any:
        """Takes out the module at `key`, and returns it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_List):
    """Modules that run one after the other.

    Args:
        args: the modules, or a dict of them.

    >>> import monograph as torch
    >>> layer = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.0000, 0.4621, 0.9640])
    """

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

    def insert(self, index: int, module: Module) -> Any:
        """Adds a module before the one at `index`, and returns the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._rename(modules)
        return self

    def __iadd__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def __add__(self, other: Any) -> Any:
        joined = Sequential(*self)
        joined += other
        return joined

    def __imul__(self, count: int) -> Any:
        if not isinstance(count, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(count)}")
        if count <= 0:
            raise ValueError(f"Non-positive multiplication factor {count} for {type(self)}")
        return self.extend(list(self) * (count - 1))

    def __mul__(self, count: int) -> Any:
        repeated = Sequential(*self)
        repeated *= count
        return repeated

    __rmul__ = __mul__

    def forward(self, input: Any) -> Any:
        """The input through all modules, one after the other."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_List):
    """A list of modules. A module that has it has their parameters.

    >>> import monograph as torch
    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)])
    >>> layers.append(torch.nn.ReLU())[2]
    ReLU()
    >>> len(list(layers.parameters()))
    4
    """

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
    """A dict of modules. A module that has it has their parameters.

    >>> import monograph as torch
    >>> choices = torch.nn.ModuleDict({"plain": torch.nn.Linear(2, 3), "none": torch.nn.Identity()})
    >>> choices["none"](torch.tensor([1.0]))
    tensor([1.])
    >>> list(choices.state_dict())
    ['plain.weight', 'plain.bias']
    """

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
    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()
    def values(self) -> Any:
        """The modules."""
        return self._modules.values()
    def items(self) -> Any:
        """The names with their modules."""
        return self._modules.items()
    def clear(self) -> None:
        """Takes out all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Takes out the module of this name, and returns it."""
        return self._modules.pop(key)

    def update(self, modules: Any) -> None:
        """Adds modules, from a dict or from pairs of a name and a module."""
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module


class ParameterList(Module):
    """A list of parameters. A tensor becomes a parameter; other values, modules too, are kept as they are.

        >>> nn.ParameterList([torch.ones(2), "a"])
        ParameterList(
            (0): Parameter containing: [torch.float32 of size 2]
            (1): Object of type: str
        )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def append(self, value: Any) -> Any:
        """Adds a value at the end; a tensor becomes a parameter."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Adds values at the end; tensors become parameters."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got " + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def _place(self, i: int) -> str:
        if not -self._size <= i < self._size:
            raise IndexError(f"index {i} is out of range")
        return str(i % self._size)

    def __len__(self) -> int: return self._size
    def __iter__(self) -> Iterator[Any]: return (self[i] for i in range(self._size))
    def __getitem__(self, i: Any) -> Any: return type(self)(list(self)[i]) if isinstance(i, slice) else getattr(self, self._place(i))
    def __setitem__(self, i: int, value: Any) -> None:
        setattr(self, self._place(i), Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value)

    def __dir__(self) -> list[str]: return [name for name in super().__dir__() if not name.isdigit()]
    def __call__(self, *args: Any, **kwargs: Any) -> Any: raise RuntimeError("ParameterList should not be called.")

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {_line(value, 'dtype')}" for i, value in enumerate(self))


class ParameterDict(Module):
    """A dict of parameters. A module that has it has them. A tensor becomes a parameter; other values are kept as they are.

    >>> import monograph as torch
    >>> factors = torch.nn.ParameterDict({"scale": torch.ones(2)})
    >>> factors["scale"]
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _attribute(key: object) -> str:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}').")
        return key

    def __getitem__(self, key: str) -> Any: return getattr(self, self._attribute(key))  # as every read of a parameter, so that a symbolic trace sees it
    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[self._attribute(key)] = None
        setattr(self, key, Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int: return len(self._keys)
    def __iter__(self) -> Iterator[str]: return iter(self._keys)
    def __reversed__(self) -> Iterator[str]: return reversed(list(self._keys))
    def __contains__(self, key: object) -> bool: return key in self._keys
    def __or__(self, other: ParameterDict) -> ParameterDict: return self.copy().__ior__(other)
    def __ror__(self, other: ParameterDict) -> ParameterDict: return other.copy().__ior__(self)
    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def update(self, parameters: Any) -> None:
        """Adds parameters: of a plain dict by their sorted names, as PyTorch does; else in the order given."""
        if isinstance(parameters, (Mapping, ParameterDict)):
            items = list(parameters.items())
            parameters = items if isinstance(parameters, (OrderedDict, ParameterDict)) else sorted(items, key=lambda item: item[0])
        if not isinstance(parameters, Iterable):
            raise TypeError(f"ParametersDict.update should be called with an iterable of key/value pairs, but got {type(parameters).__name__}")
        for key, value in parameters:
            self[key] = value

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()
    def values(self) -> Any:
        """The values."""
        return [self[key] for key in self._keys]
    def items(self) -> Any:
        """The names with their values."""
        return [(key, self[key]) for key in self._keys]

    def copy(self) -> ParameterDict:
        """A new dict with the same values."""
        return ParameterDict(OrderedDict(self.items()))

    def get(self, key: str, default: Any = None) -> Any:
        """The value of this name, or `default`."""
        return self[key] if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of this name; `default`, which is added, where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Takes out the value of this name, and returns it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes out the last name and its value, and returns both."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        """Takes out all values."""
        for key in list(self._keys):
            del self[key]

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dict of these names, all with the value `default`."""
        return ParameterDict(OrderedDict((key, default) for key in keys))

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_line(value, 'type')}" for key, value in self.items())


def _line(value: Any, kind: str) -> str:
    """A value in the text of a ParameterList or ParameterDict, which name the dtype each in its way."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    name = value.type() if kind == "type" else value.dtype
    return f"{'Parameter' if isinstance(value, Parameter) else 'Tensor'} containing: [{name} of size {'x'.join(map(str, value.size()))}]"
