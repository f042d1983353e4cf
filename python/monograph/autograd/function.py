"""torch.autograd.Function: a function whose gradient the program writes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C, _VF
from .grad_mode import enable_grad, no_grad

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
    "need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)


class FunctionCtx:
    """The class of `ctx`, the first argument of `forward` and `backward`. It keeps values of `forward` for `backward`."""

    to_save: Any
    saved_for_forward: Any
    dirty_tensors: Any
    non_differentiable: Any
    materialize_grads: bool

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors for `backward`, which finds them in `ctx.saved_tensors`. Only tensors and None can be kept; other values are attributes of ctx.

        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * grad
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> Square.apply(x).backward()
        >>> x.grad
        tensor(6.)
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for `jvp`, which Monograph does not call: forward-mode gradients are not part of it."""
        for tensor in tensors:
            if not (tensor is None or isinstance(tensor, _C.TensorBase)):
                raise AssertionError(
                    f"save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx. Got {type(tensor)}"
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Says which inputs `forward` wrote in place. Each of them must be a result of the function too."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Says which results require no grad. `backward` gets zeros for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """With False, `backward` gets None in place of zeros for results to which no gradient flows."""
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs: Any) -> None:
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )


class BackwardCFunction(_C._FunctionBase, FunctionCtx):  # type: ignore[misc, valid-type]
    """The context of one call, which is its node on the tape."""

    to_save: Any = None
    dirty_tensors: Any = None
    non_differentiable: Any = None
    materialize_grads: bool = True
    _needs: tuple[bool, ...] = ()
    _asked_needs: bool = False  # somebody has read `needs_input_grad`
    _recording: bool = False  # a capture records `backward`
    _saved: Any = ()  # functions that take the context and return the saved tensors; None after they were freed
    _hooked: Any = frozenset()  # which saved tensors have hooks of their own
    _is_tensor: tuple[bool, ...] = ()  # for each argument of `apply`, whether it is a tensor
    _forward_cls: Any

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each argument of `forward`, whether its gradient is wanted."""
        self._asked_needs = True
        return self._needs

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that `save_for_backward` has kept."""
        if self._saved is None:
            raise RuntimeError(_FREED)
        return tuple(get(self) for get in self._saved)

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if self._saved is None:
            raise RuntimeError(_FREED)
        return tuple(_SavedTensor(self, i) for i in range(len(self._saved)))

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def apply(self, *grads: Any) -> Any:
        """The gradients of the arguments, from those of the results."""
        cls = self._forward_cls
        backward, vjp = cls.backward, cls.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them."
            )
        return (vjp if vjp is not Function.vjp else backward)(self, *grads)

    def _run_backward(self, grads: tuple[Any, ...]) -> list[Any]:
        made = self.apply(*grads)
        made = list(made) if isinstance(made, tuple) else [made]
        expected = len(self._is_tensor)
        while len(made) > expected and made[-1] is None:
            made.pop()
        name = type(self).__name__
        if len(made) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got {len(made)})"
            )
        found = []
        for i, (gradient, is_tensor) in enumerate(zip(made, self._is_tensor)):
            if not is_tensor:
                if gradient is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different than None at position {i + 1}, but the corresponding forward input was not a Variable"
                    )
                continue
            if gradient is not None and not isinstance(gradient, _C.TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(gradient).__name__})")
            found.append(gradient)
        return found

    def _release(self) -> None:
        self._saved = None

    def _save(self, slots: dict[int, int], on_tape: bool) -> None:
        """Keeps the saved tensors. `slots` has which of them are results with this node as their history."""
        tensors = self.to_save or ()
        for i, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, _C.TensorBase):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {type(tensor).__name__}")
        self.to_save = None
        if not on_tape:
            return
        self._saved = tuple(self._kept(t, slots.get(id(t))) for t in tensors)

    def _kept(self, tensor: Any, slot: int | None) -> Callable[[Any], Any]:
        """A function that returns the saved tensor. It is given the context and does not refer to it, so that both go with the last result. A result of
        the function is kept without its history, because that would refer to this node."""
        if tensor is None:
            return lambda ctx: None
        if _C._has_saved_hooks():
            kept, make = _C._pack(tensor)
            unpack = functools.partial(make, kept)
            if slot is not None:
                return lambda ctx: _C._linked(ctx, unpack(), slot)
            history = _C._keeping_history(tensor, unpack) if tensor._requires_grad else unpack
            return lambda ctx: history()
        kept = tensor if slot is None else _C._without_history(tensor)
        # torch.compile has no versions in a graph. A gradient that the compiled function takes itself ends the graph.
        version, made_by = None if _C._is_compiling() else tensor._version, type(self).__name__

        def get(ctx: Any) -> Any:
            now = kept._version
            if version is not None and now != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of size "
                    f"{list(kept.shape)} that {made_by} saved is at version {now}; expected version {version} instead. Use the form without "
                    "the underscore, or write into a clone()"
                )
            return kept if slot is None else _C._linked(ctx, kept, slot)

        return get


class _SavedTensor:
    """One of the tensors that a function keeps for its backward: f(x).grad_fn._raw_saved_tensors[0]."""

    def __init__(self, ctx: Any, i: int):
        self._ctx, self._i = ctx, i

    def unpack(self) -> Any:
        return self._ctx._saved[self._i](self._ctx)

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Keeps what pack_hook gives for the tensor; `backward` reads what unpack_hook makes of it."""
        ctx, i = self._ctx, self._i
        if ctx._saved is None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. " + _FREED[_FREED.index("Saved intermediate") :].replace("access saved tensors", "access saved variables"))
        tensor = ctx._saved[i](ctx)
        if tensor is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if i in ctx._hooked:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed at a time.")
        with no_grad():
            kept = pack_hook(tensor.detach())

        def unpack() -> Any:
            made = unpack_hook(kept)
            if not isinstance(made, _C.TensorBase):
                raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(made)}")
            return made

        if tensor.grad_fn is ctx:
            slot = tensor.output_nr
            history = lambda ctx: _C._linked(ctx, unpack(), slot)  # noqa: E731
        else:
            make = _C._keeping_history(tensor, unpack) if tensor._requires_grad else unpack
            history = lambda ctx: make()  # noqa: E731
        del tensor
        ctx._hooked = {*ctx._hooked, i}
        ctx._saved = (*ctx._saved[:i], history, *ctx._saved[i + 1 :])


class FunctionMeta(type):
    """Makes the class of a function's contexts, whose name is that of the node: 'SquareBackward'."""

    _backward_cls: Any

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]):
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": __name__})
        super().__init__(name, bases, attrs)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """A function with its own gradient. Make a subclass with the static methods `forward` and `backward`, and call its `apply`.

    `forward(ctx, *args)` computes the results; it records no gradients. `backward(ctx, *grads)` gets a gradient for each result and returns one for each
    argument of `forward`; None stands for no gradient. If it is made of differentiable operators, gradients of gradients work too.

    `forward` may also have no ctx; a static method `setup_context(ctx, inputs, output)` then fills it.

    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (y,) = ctx.saved_tensors
    ...         return grad * y
    >>> x = torch.zeros(2, requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the class itself. "
            "Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with static forward method. "
            "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the results: forward(ctx, *args), or forward(*args) beside setup_context."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fills ctx from the arguments and the results of a `forward` without ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Returns a gradient for each argument of `forward`, from one for each result."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The derivative in forward mode, which Monograph does not compute."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The rule for torch.vmap(Function.apply). Monograph needs none, and does not ask for it where a mapped function calls this one: vmap calls for each sample."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls the function: runs `forward`, and puts `backward` on the tape where an argument requires grad."""
        apart = cls.setup_context is not Function.setup_context
        if apart:
            import inspect

            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        elif kwargs:
            args = _in_order(cls.forward, args, kwargs)
        return _apply(cls, args, apart)


def _in_order(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of forward(ctx, ...) by position. `backward` returns a gradient for each, so those left out are the last ones."""
    import inspect

    parameters = [*inspect.signature(forward).parameters.values()][1:]
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    whole = list(args)
    for k in range(len(args), max(map(names.index, kwargs)) + 1):
        if names[k] not in kwargs:
            raise TypeError(f"forward() missing required argument: '{names[k]}' (position {k})")
        whole.append(kwargs[names[k]])
    return tuple(whole)


def _apply(cls: Any, args: tuple[Any, ...], apart: bool) -> Any:
    ctx = cls._backward_cls()
    ctx._is_tensor = tuple(isinstance(a, _C.TensorBase) for a in args)
    tensors = tuple(a for a in args if isinstance(a, _C.TensorBase))

    def forward() -> Any:
        output = cls.forward(*args) if apart else cls.forward(ctx, *args)
        if apart:
            cls.setup_context(ctx, args, output)
        return output

    tracer = next((a.tracer for a in args if hasattr(a, "tracer")), None)
    if tracer is not None:  # a symbolic trace is running: it records the operators of forward
        return _traced(tracer, forward(), [a for a in args if hasattr(a, "tracer") or isinstance(a, _C.TensorBase)])
    on_tape = _C._is_grad_enabled() and any(t._requires_grad for t in tensors)
    captures = _C._is_capturing()
    begin = _C._node_count() if captures else 0
    # A graph may run with inputs that require grad, whatever the example's do.
    ctx._needs = tuple(
        is_tensor and (a._requires_grad if on_tape or not captures else a.is_floating_point() or a.is_complex()) for a, is_tensor in zip(args, ctx._is_tensor)
    )
    if on_tape:
        _C._begin_function(ctx, tensors)  # its edges are those of the arguments as they are now
    try:
        with no_grad():
            output = forward()
            results = _results(cls, ctx, output, tensors, apart)
        slots = _put_on_tape(ctx, results, tensors, on_tape)
        saved = ctx.to_save or ()
        ctx._save(slots, on_tape)
        if captures:
            _record(ctx, results, tensors, saved, begin, on_tape)
    finally:
        if on_tape:
            _C._end_function(ctx)
    given = output if isinstance(output, tuple) else (output,)
    parts = tuple(value if t is None else t for value, t in zip(given, results))
    return parts if isinstance(output, tuple) else parts[0]


def _record(ctx: Any, results: list[Any], inputs: tuple[Any, ...], saved: tuple[Any, ...], begin: int, on_tape: bool) -> None:
    """Tells the capture that runs of the results: their gradient is what `backward` computes, which it runs once now. Several results are parts of one, which
    gets their gradients together."""
    constant = _ids(ctx.non_differentiable)
    parts = [t for t in results if t is not None and id(t) not in constant and (t.is_floating_point() or t.is_complex())]
    if not parts:
        return
    whole = parts[0]
    reason = ""
    if ctx.dirty_tensors:
        reason = "the function writes to an argument (ctx.mark_dirty)"
    elif len(parts) > 1 and not ctx.materialize_grads:
        reason = "the function has several results and calls ctx.set_materialize_grads(False)"
    elif len({t.dtype for t in parts}) > 1:
        reason = "the function has results of several dtypes"
    if reason:
        for t in parts:
            _C._function_result(t, inputs, [], begin, None, None, f"{reason}, so a graph has no gradient of it")
        return _end_compiled(whole, on_tape)
    places: list[tuple[Any, Any, Any]] = []
    if len(parts) > 1:
        with enable_grad():
            whole = _VF.cat([t.detach().reshape(-1) for t in parts])
            start = 0
            for t in parts:
                places.append((start, t.numel(), t.shape))
                start = start + t.numel()
    run = _RecordedBackward(ctx, results, parts, whole, saved, places)
    if _C._function_result(whole, inputs, parts if places else [], begin, run, run.needs, ""):
        _end_compiled(whole, on_tape)
    if places:
        with enable_grad():
            for t, part in zip(parts, _split(whole, places)):
                _C._stands_for(t, part)


def _end_compiled(result: Any, on_tape: bool) -> None:
    """Ends a graph of torch.compile that would have no gradient of the result: no graph has a property of the tape."""
    if on_tape and _C._is_compiling():
        result.grad_fn  # noqa: B018


def _split(whole: Any, places: list[tuple[Any, Any, Any]]) -> list[Any]:
    """The parts of a tensor that has all their elements."""
    return [whole.narrow(0, start, n).reshape(shape) for start, n, shape in places]


class _RecordedBackward:
    """Runs `backward` for a capture, from the gradient of the result `whole`. It leaves the context as it was."""

    def __init__(self, ctx: Any, results: list[Any], parts: list[Any], whole: Any, saved: tuple[Any, ...], places: list[Any]):
        self.ctx, self.results, self.parts, self.whole, self.saved, self.places = ctx, results, parts, whole, saved, places
        self.asked = ctx._asked_needs

    def __call__(self, gradient: Any) -> list[Any]:
        ctx = self.ctx
        before = dict(vars(ctx))
        of_part = {id(t): g for t, g in zip(self.parts, _split(gradient, self.places) if self.places else [gradient])}
        values = {id(t): v for t, v in zip(self.parts, _split(self.whole, self.places))}
        ctx._saved = tuple((lambda ctx, t=t: values.get(id(t), t)) for t in self.saved)
        ctx._recording, ctx._asked_needs = True, False
        try:
            made: list[Any] = ctx._run_backward(tuple(self._gradient(t, of_part) for t in self.results))
            self.asked = self.asked or ctx._asked_needs
        finally:
            vars(ctx).clear()
            vars(ctx).update(before)
        return made

    def _gradient(self, t: Any, of_part: dict[int, Any]) -> Any:
        if t is None or id(t) in of_part:
            return None if t is None else of_part[id(t)]
        return _VF.zeros_like(t.detach()) if self.ctx.materialize_grads else None

    def needs(self) -> list[int] | None:
        """Which tensors among the arguments need a gradient, if somebody has asked."""
        if not self.asked:
            return None
        of_tensors = [needed for needed, is_tensor in zip(self.ctx._needs, self.ctx._is_tensor) if is_tensor]
        return [i for i, needed in enumerate(of_tensors) if needed]


def _traced(tracer: Any, output: Any, inputs: list[Any]) -> Any:
    """The results for a symbolic trace. Its graph has no gradients for them."""
    from .._ops import ops

    def mark(value: Any) -> Any:
        return (
            tracer.create_proxy("call_function", ops.prim.function_result.default, (value, inputs), {})
            if hasattr(value, "tracer")
            else value
        )

    return tuple(map(mark, output)) if isinstance(output, tuple) else mark(output)


def _results(cls: Any, ctx: Any, output: Any, inputs: tuple[Any, ...], apart: bool) -> list[Any]:
    """The tensors that the function returns, made under no_grad; None for results that are no tensors."""
    given = output if isinstance(output, tuple) else (output,)
    dirty = _ids(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument {0} is of type {1}")
    constant = _ids(ctx.non_differentiable, "mark_non_differentiable only accepts variable arguments, but got {1}")
    left = dirty - {id(t) for t in given}
    if left:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified inplace must all be "
            "outputs of the Function."
        )
    is_input, saved = {id(t) for t in inputs}, {id(t) for t in ctx.to_save or ()}
    results: list[Any] = []
    for value in given:
        if not isinstance(value, _C.TensorBase):
            results.append(None)
            continue
        t: Any = value
        differentiable = id(t) not in constant and (t.is_floating_point() or t.is_complex())
        if id(t) in is_input and id(t) not in dirty:
            if apart and id(t) in saved and differentiable:
                raise RuntimeError(
                    "A input that has been returned as-is as output is being saved for backward. This is not supported if you override setup_context. You "
                    "should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself."
                )
            marked = id(t) in constant
            t = t.view_as(t) if differentiable or not t._requires_grad else t.detach()
            if marked:
                ctx.non_differentiable = (*ctx.non_differentiable, t)  # the view stands for it
        elif not differentiable and t._requires_grad:
            t = t.detach()
        results.append(t)
    return results


def _ids(tensors: Any, refusal: str = "") -> set[int]:
    for i, t in enumerate(tensors or ()):
        if not isinstance(t, _C.TensorBase):
            raise RuntimeError(refusal.format(i, type(t).__name__))
    return {id(t) for t in tensors or ()}


def _put_on_tape(ctx: Any, results: list[Any], inputs: tuple[Any, ...], on_tape: bool) -> dict[int, int]:
    """Gives the results their history. Returns which result each of those is, by its id."""
    dirty, constant = _ids(ctx.dirty_tensors), _ids(ctx.non_differentiable)
    places = {id(t): i for i, t in enumerate(inputs)}
    for t in results:
        if t is not None and id(t) in dirty:
            _check_dirty(t, places, len(results))
            _C._count_write(t)
    slots: dict[int, int] = {}
    if not on_tape:
        return slots
    _C._set_materialize(ctx, ctx.materialize_grads)
    for i, t in enumerate(results):
        if t is None:
            _C._skip_result(ctx)  # backward gets None for it
        elif id(t) in constant or not (t.is_floating_point() or t.is_complex()):
            _C._add_result(ctx, t)
        elif id(t) in dirty and id(t) in places:
            _C._set_written(ctx, t, places[id(t)])
            slots[id(t)] = i
        else:
            _C._set_result(ctx, t)
            slots[id(t)] = i
    return slots


def _check_dirty(t: Any, places: dict[int, int], count: int) -> None:
    if id(t) not in places:
        warnings.warn(
            "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to pass it to mark_dirty().",
            stacklevel=5,
        )
    if t._is_leaf and t._requires_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if _C._is_view(t) and count > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one Tensor. This is not "
            "supported by the current autograd engine. You should either make sure the input is not a view (using .clone() for example) or make your "
            "Function only return one Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single Tensor and a second "
            "one that does the other operations)."
        )


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a `backward` that is not made of differentiable operators: a gradient of its gradient raises an error.

    >>> class Sine(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x.sin()
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * x.cos()
    >>> x = torch.zeros(1, requires_grad=True)
    >>> (first,) = torch.autograd.grad(Sine.apply(x), x, create_graph=True)
    >>> torch.autograd.grad(first, x)
    Traceback (most recent call last):
    RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if getattr(ctx, "_recording", False):
            tensors = [a for a in args if isinstance(a, _C.TensorBase)]
            for t in outputs if isinstance(outputs, tuple) else (outputs,):
                if t is not None:
                    _C._function_result(t, tensors, [], 0, None, None, "trying to differentiate twice a function that was marked with @once_differentiable")
            return outputs
        if not _C._is_grad_enabled() or not any(isinstance(a, _C.TensorBase) and a._requires_grad for a in args):
            return outputs
        parts = outputs if isinstance(outputs, tuple) else (outputs,)
        marked = tuple(None if t is None else _Twice.apply(*(p.detach().requires_grad_() for p in (t,))) for t in parts)
        return marked if isinstance(outputs, tuple) else marked[0]

    return wrapper


class _Twice(Function):
    """The node of a gradient that cannot be differentiated: its backward raises."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


class InplaceFunction(Function):
    """A Function that says with inplace= whether it writes its argument; kept for programs that name it."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace
