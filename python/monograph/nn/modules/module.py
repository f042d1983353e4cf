"""torch.nn.Module: a function with parameters, and a tree of such."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

from ... import _C, _VF, __future__ as _conversions, _absent
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...utils import swap_tensors
from .._cycles import explains_cycles
from .._module_backward import WrappedHook
from .._module_hooks import (
    TABLES,
    HooksOfModule,
    _global_backward_hooks,  # noqa: F401 (these four: where PyTorch has them)
    _global_backward_pre_hooks,  # noqa: F401
    _global_buffer_registration_hooks,
    _global_forward_hooks,  # noqa: F401
    _global_forward_pre_hooks,  # noqa: F401
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    any_global,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from .._module_state import EXTRA_STATE, StateOfModule, _IncompatibleKeys  # noqa: F401 (the second: where PyTorch has it)
from ..parameter import Buffer, Parameter

__all__ = [
    "Module", "register_module_forward_hook", "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]  # fmt: skip

T = TypeVar("T", bound="Module")
T_destination = TypeVar("T_destination", bound=dict[str, Any])
# What a capture on this thread wants to hear of: calls of modules, and reads of their parameters and buffers. None outside of captures.
_capture_hook: Callable[[], Any] = _C._capture_hook


# Module.compile(). torch.compile stands above the layers, so the package puts it here.
compile_module: Callable[..., None] | None = None

# Where PyTorch has them.
_WrappedHook = WrappedHook
_EXTRA_STATE_KEY_SUFFIX = EXTRA_STATE
_MISSING = object()
# The modules of traced modules, by id: what gives one of _TEXTS of such a part.
_parts_of_traces: dict[int, Callable[[Any, str], Any]] = {}
_TEXTS = ("code", "code_with_constants", "graph", "inlined_graph")


def _indent(text: str) -> str:
    return text.replace("\n", "\n  ")


def _addindent(s_: str, numSpaces: int) -> str:
    """Of PyTorch, for programs that import it: the lines behind the first one, moved to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


@_C._natively
def _tell_lost(done: str) -> None:
    """A symbolic trace is told what its graph would not do, and refuses it."""
    told = getattr(_capture_hook(), "lost", None)
    if told is not None:
        told(done)


@_C._natively
def _tell_mode(module: Module) -> None:
    """A symbolic trace whose program switches a mode is told: its graph calls layers in the mode that they have when it runs."""
    told = getattr(_capture_hook(), "mode_set", None)
    if told is not None:
        told(module)


# What torch.compile and set_execution keep in a module. Copies and files do not have it.
CAPTURED_CALLS = ("_compiled_call_impl", "_calls_as_graphs")


def _way_to_a_module(given: Any) -> str:
    """What to write instead of something that is no module."""
    if isinstance(given, (list, tuple)):
        return "; write Sequential(*layers) for a list of layers"
    if isinstance(given, type) and issubclass(given, Module):
        return f"; this is the class {given.__name__}, so call it first: {given.__name__}(...)"
    return "; to use a function as a layer, call it in the forward of a Module" if callable(given) else ""


def _on_no_device(tensor: Tensor) -> Tensor:
    raise NotImplementedError("Monograph runs on the CPU; leave the call out, or write .to('cpu')")


def _in_no_shared_memory(tensor: Tensor) -> Tensor:
    raise NotImplementedError("tensors are not shared with other processes; leave share_memory() out, and use threads")


# Python's types that stand for dtypes.
_DTYPES_OF_PYTHON = {float: _C._dtypes["float64"], int: _C._dtypes["int64"], bool: _C._dtypes["bool"], complex: _C._dtypes["complex128"]}


class Module(HooksOfModule, StateOfModule):
    """Base of all layers and models: parameters, buffers and submodules are registered when they are assigned."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    _compiled_call_impl: Any = None  # what compile() has made
    call_super_init: bool = False
    dump_patches: bool = False
    T_destination = T_destination  # PyTorch's class has it, and programs read all that dir() shows

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs and not self.call_super_init:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args and not self.call_super_init:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        fields = self.__dict__
        fields["training"] = True
        fields["_parameters"], fields["_buffers"], fields["_modules"] = {}, {}, {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_is_full_backward_hook"] = None
        for table in TABLES:
            fields[table] = OrderedDict()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes. A class of your own defines it; a call of the module runs it, between the hooks."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        capture = _capture_hook()
        if capture is not None:
            return capture.call(self, args, kwargs)
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks or any_global()):
            return self.forward(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    # PyTorch's names for parts of a call, which programs read.
    _wrapped_call_impl = __call__

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return self._with_hooks(self.forward, args, kwargs)

    def _slow_forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def _replicate_for_data_parallel(self) -> Any:
        """A copy with the same submodules and buffers, and no parameters: who makes it gives it tensors in their place."""
        replica = type(self).__new__(type(self))
        replica.__dict__ = {**self.__dict__, "_parameters": {}, "_buffers": dict(self._buffers), "_modules": dict(self._modules), "_is_replica": True}
        return replica

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """From here on, calls of this module are captured: torch.compile with these arguments."""
        assert compile_module is not None
        compile_module(self, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in CAPTURED_CALLS:
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What a pickle holds; tables that an older PyTorch did not write are empty."""
        fields = self.__dict__
        fields.update(state)
        for table in TABLES:
            fields.setdefault(table, OrderedDict())
        fields.setdefault("_non_persistent_buffers_set", set())
        fields.setdefault("_is_full_backward_hook", None)

    # Attributes ---------------------------------------------------------------------------------------------------------------------
    def __getattr__(self, name: str) -> Any:
        """A parameter, buffer or submodule of this name."""
        fields = self.__dict__
        if (table := fields.get("_parameters")) is not None and name in table:
            found = table[name]
        elif (table := fields.get("_buffers")) is not None and name in table:
            found = table[name]
        elif (table := fields.get("_modules")) is not None and name in table:
            found = table[name]
        elif name in _TEXTS and (part := _parts_of_traces.get(id(self))) is not None:
            return part(self, name)
        else:
            self._no_attribute(name)
        capture = _capture_hook()
        return found if capture is None else capture.read(self, name, found)

    def _no_attribute(self, name: str) -> NoReturn:
        _absent.check_missing(type(self), name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        parameters = fields.get("_parameters")
        if isinstance(value, (Parameter, Module)):
            if parameters is None:
                what = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            table = "_parameters" if isinstance(value, Parameter) else "_modules"
            self._forget(name, but=table)
            if isinstance(value, Parameter):
                self.register_parameter(name, value)  # where the class has an attribute of this name, that would hide the parameter
            else:
                fields[table][name] = registered(_global_module_registration_hooks, self, name, value)
        elif value is not None and parameters is not None and self._is_recorded_write(name, value):
            return
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{_type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            parameters[name] = None
        elif parameters is not None and name in fields["_modules"]:
            if value is not None:
                raise TypeError(f"cannot assign '{_type_name(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            fields["_modules"][name] = registered(_global_module_registration_hooks, self, name, None)
        elif parameters is not None and name in fields["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{_type_name(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
            fields["_buffers"][name] = registered(_global_buffer_registration_hooks, self, name, value)
        elif parameters is not None and isinstance(value, Tensor) and isinstance(value, Buffer):
            self.register_buffer(name, value, getattr(value, "persistent", True))
        else:
            object.__setattr__(self, name, value)

    def _is_recorded_write(self, name: str, value: Any) -> bool:
        """Whether `value` is this parameter or buffer itself, written to while the function is traced: `self.steps += 1`."""
        capture = _capture_hook()
        return capture is not None and (name in self._buffers or name in self._parameters) and capture.write(self, name, value)

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def _forget(self, name: str, but: str) -> None:
        """Takes the name out of every table but one, where it keeps its place."""
        for kind in ("_parameters", "_buffers", "_modules"):
            if kind != but:
                self.__dict__[kind].pop(name, None)
        self.__dict__.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _check_name(self, kind: str, name: Any, registered: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}' if kind == "module" else f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Makes a tensor part of the module's state that is no parameter."""
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = registered(_global_buffer_registration_hooks, self, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, which `module.name = parameter` does too. None stands for one that is left out."""
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)")
        self._parameters[name] = param if param is None else registered(_global_parameter_registration_hooks, self, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule, which `module.name = submodule` does too. The name may be computed."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass{_way_to_a_module(module)}")
        self._check_name("module", name, self._modules)
        self._modules[name] = registered(_global_module_registration_hooks, self, name, module)

    register_module = add_module

    # The tree -----------------------------------------------------------------------------------------------------------------------
    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that this one holds itself, each with its name."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that this one holds itself."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """This module and all modules below it, each once, with its path, such as "layers.0.weight"."""
        memo = set() if memo is None else memo
        todo: list[tuple[str, Module]] = [(prefix, self)]
        while todo:
            path, module = todo.pop()
            if module in memo:
                continue
            if module is not self and (not remove_duplicate or type(module).named_modules is not Module.named_modules):
                yield from module.named_modules(memo, path, remove_duplicate)
                continue
            if remove_duplicate:
                memo.add(module)
            yield path, module
            if module._modules:
                inner = [(f"{path}.{name}" if path else name, m) for name, m in module._modules.items() if m is not None]
                todo.extend(reversed(inner))

    def modules(self) -> Iterator[Module]:
        """This module and all modules below it, each once."""
        for _, module in self.named_modules():
            yield module

    def _named_members(self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen = set()
        for where, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]:
            for name, value in getattr(module, kind).items():
                if value is None or (remove_duplicate and value in seen):
                    continue
                seen.add(value)
                yield f"{where}.{name}" if where else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters of this module and of all below it, each with its path. recurse=False: its own ones."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and of all below it, as an optimizer takes them. recurse=False: its own ones."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this module and of all below it, each with its path. recurse=False: its own ones."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module and of all below it. recurse=False: its own ones."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as "layers.0"."""
        module: Any = self
        captured = _capture_hook() is not None  # a tracer is told of each read
        for name in target.split(".") if target else []:
            inner = None if captured else module.__dict__["_modules"].get(name)
            if inner is not None:
                module = inner
                continue
            found = getattr(module, name, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts a module at a path, such as "layers.0.fc". strict: there must be one already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as "layers.0.weight"."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, name, _MISSING)
        if found is _MISSING:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as "norm.running_mean"."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer" if hasattr(module, name) else f"{module._get_name()} has no attribute `{name}`")
        return module._buffers[name]

    @explains_cycles
    def apply(self: T, fn: Callable[[Module], None]) -> T:
        """Calls fn on every module below, and on this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # Mode, place and type -----------------------------------------------------------------------------------------------------------
    @explains_cycles
    def train(self: T, mode: bool = True) -> T:
        """Sets this module and all below it to training, or with mode=False to evaluation: Dropout and BatchNorm compute otherwise in each. Returns the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        _tell_mode(self)
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Sets this module and all below it to evaluation: train(False). Returns the module."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Whether gradients of all parameters are computed: False freezes the module. Returns the module."""
        _tell_lost("calls requires_grad_() of a module")
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or with set_to_none=False fills them with zeros."""
        _tell_lost("calls zero_grad() of a module")
        for p in self.parameters():
            if p.grad is not None:
                p.grad = None if set_to_none else p.grad.detach().zero_()

    @explains_cycles
    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, p in self._parameters.items():
            if p is None:
                continue
            with no_grad():
                applied, grad = fn(p.data), p.grad
                if _conversions._swaps:
                    p.grad = None
                    swap_tensors(p, Parameter(applied, p.requires_grad))
                    if grad is not None:
                        swap_tensors(grad, fn(grad.detach()).requires_grad_(grad.requires_grad))
                        p.grad = grad
                elif applied.is_meta == p.is_meta and not _conversions._overwrites:
                    p.grad, p.data = None, applied
                    if grad is not None:
                        grad.data = fn(grad.data)
                        p.grad = grad
                else:  # new ones are asked for, or one object cannot have had elements and have none: as in PyTorch, another parameter takes its place
                    p = self._parameters[name] = Parameter(applied, p.requires_grad)
                    if grad is not None:
                        p.grad = fn(grad.detach()).requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Changes dtype (of floating parameters and buffers), device or, of those with four or five dims, memory_format of everything below, in place."""
        args = tuple(_DTYPES_OF_PYTHON.get(a, a) if isinstance(a, type) else a for a in args)
        for a in args:
            if a is not None and not isinstance(a, (bool, int, str, _C.dtype, _C.device, Tensor)):
                raise TypeError(
                    f"to(): expected a dtype, a device or a Tensor, but got {type(a).__name__}; write module.to(torch.float64), module.to('meta') or module.to(tensor)"
                )
        dtype = kwargs.get("dtype") or next((a for a in args if isinstance(a, _C.dtype)), None)
        dtype = _DTYPES_OF_PYTHON.get(dtype, dtype) if isinstance(dtype, type) else dtype
        device: Any = kwargs.get("device") or next((a for a in args if isinstance(a, (str, int, _C.device)) and not isinstance(a, bool)), None)
        memory_format = kwargs.get("memory_format")
        like = next((a for a in args if isinstance(a, Tensor)), None)
        if like is not None:
            dtype, device = like.dtype, like.device
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")

        def convert(t: Tensor) -> Tensor:
            keep = not (t.is_floating_point() or t.is_complex())
            wanted = t.dtype if keep or dtype is None else dtype
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device=device, dtype=wanted, memory_format=memory_format)
            return t.to(device=device, dtype=wanted)

        return self._apply(convert)

    def type(self: T, dst_type: Any) -> T:
        """Converts all parameters and buffers to this dtype. Returns the module."""
        return self._apply(lambda t: t.to(dst_type))

    def float(self: T) -> T:
        """Converts the floating parameters and buffers to float32. Returns the module."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self: T) -> T:
        """Converts the floating parameters and buffers to float64. Returns the module."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self: T) -> T:
        """Converts the floating parameters and buffers to float16. Returns the module."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self: T) -> T:
        """Converts the floating parameters and buffers to bfloat16. Returns the module."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self: T) -> T:
        """Moves all parameters and buffers to the CPU. Returns the module. NotImplementedError where one is on "meta", and has no elements."""
        return self if _capture_hook() is not None else self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Any = None) -> T:
        """Raises NotImplementedError if there is a parameter or buffer: there is no GPU. With MONOGRAPH_DEVICE_FALLBACK=cpu in the environment, the module itself."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: T, device: Any = None) -> T:
        """Raises NotImplementedError if there is a parameter or buffer: there is no such device. `mtia` and `ipu` do the same."""
        return self._apply(_on_no_device)

    mtia = ipu = xpu

    def share_memory(self: T) -> T:
        """Raises NotImplementedError if there is a parameter or buffer: tensors are not shared with other processes."""
        return self._apply(_in_no_shared_memory)

    def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
        """Gives all parameters and buffers memory on this device whose elements are not set: from "meta" to "cpu".

            >>> nn.Linear(2, 1, device="meta").to_empty(device="cpu").weight.shape
            torch.Size([1, 2])
        """
        return self._apply(lambda t: _VF.empty_like(t, device=device), recurse)

    # Text ---------------------------------------------------------------------------------------------------------------------------
    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What repr() shows between the parentheses. A class of your own may define it."""
        return ""

    @explains_cycles
    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        own = len(lines)
        lines += [f"({name}): {_indent(repr(module))}" for name, module in self._modules.items()]
        if not lines:
            return self._get_name() + "()"
        if own == 1 and len(lines) == 1:
            return f"{self._get_name()}({lines[0]})"
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self) -> list[str]:
        return sorted(_absent.without_missing(type(self), {*object.__dir__(self), *self._parameters, *self._buffers, *self._modules}))


def _type_name(value: Any) -> str:
    if isinstance(value, Tensor):
        return str(value.type())  # torch.FloatTensor
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.").replace("monograph", "torch", 1)
