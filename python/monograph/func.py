"""torch.func: calls of modules with other parameters, and transforms that turn a function into one that computes gradients. vmap is in _vmap.py.

A transform calls the function with new tensors in place of its arguments. If an argument requires grad, the new tensor is a view of it, so that gradients of
the result flow on to the argument.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _C
from ._vmap import vmap
from .autograd._passes import grad as _gradients
from .autograd.grad_mode import enable_grad
from .nn import Module
from .utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "replace_all_batch_norm_modules_", "stack_module_state",
    "vjp", "vmap",
]  # fmt: skip


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with these tensors in place of its parameters and buffers. They are named as in `module.state_dict()`; the others stay. Afterwards the
    module is as it was. With strict=True, every parameter and buffer must be named. With tie_weights=True, a tensor takes the place of every parameter that
    is the same one.

    Args:
        module: the module
        parameter_and_buffer_dicts: a dict of names and tensors, or a tuple of such dicts
        tie_weights: whether tensors that the module holds under two names are replaced under both
        strict: whether a name that is missing or unknown is an error

    >>> layer = torch.nn.Linear(2, 1)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2))
    tensor([[2.]])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        if not all(isinstance(d, dict) for d in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for d in parameter_and_buffer_dicts for name in d]
        repeated = [name for k, name in enumerate(names) if name in names[:k]]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: t for d in parameter_and_buffer_dicts for name, t in d.items()}
    else:
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(parameter_and_buffer_dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _in_place_of(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _own(module: Module) -> dict[str, Any]:
    """All parameters and buffers by name. A tensor with several names is listed under each."""
    return {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}


@contextmanager
def _in_place_of(module: Module, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    own = _own(module)
    wanted = dict(given)
    if tie_weights:
        for name, t in given.items():
            if name in own:
                same = [other for other, value in own.items() if other != name and value is own[name]]
                if any(other in given and given[other] is not t for other in same):
                    raise ValueError(
                        f"functional_call got multiple values for keys {sorted([name, *same])}, which are tied. Consider using tie_weights=False"
                    )
                wanted.update(dict.fromkeys(same, t))
    missing, unexpected = [n for n in own if n not in wanted], [n for n in wanted if n not in own]
    if strict and (missing or unexpected):
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:"
            + (f"\n\tUnexpected key(s): {', '.join(map(repr, unexpected))}." if unexpected else "")
            + (f"\n\tMissing key(s): {', '.join(map(repr, missing))}." if missing else "")
        )
    replaced = []
    try:
        for name in own.keys() & wanted.keys():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            table = owner._parameters if last in owner._parameters else owner._buffers
            replaced.append((table, last, table[last]))
            table[last] = wanted[name]
        yield
    finally:
        for table, last, before in reversed(replaced):
            table[last] = before


# ---- transforms ----


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function itself, with the results of PyTorch's: what it writes to its arguments is written to them. In PyTorch the wrapped function runs without
    writes inside; here every captured graph can be freed of them by a pass, so nothing has to happen while the function runs.

    remove: "mutations" or "mutations_and_views".
    Raises RuntimeError for another word, when the result is called.

    Args:
        func: the function
        remove: "mutations" takes out writes in place, "mutations_and_views" views too

    >>> def f(x):
    ...     y = x.clone()
    ...     y.add_(1)
    ...     return y
    >>> torch.func.functionalize(f)(torch.ones(2))
    tensor([2., 2.])
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if remove not in ("mutations", "mutations_and_views"):
            raise RuntimeError(
                f"functionalize expects remove='mutations' or 'mutations_and_views', but got {remove!r}. Leave the argument out for 'mutations'"
            )
        return func(*args, **kwargs)

    return wrapped


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """The tensor itself. In PyTorch the transforms hand tensors around that wrap others; here they are ordinary ones."""
    return tensor



def _refuse_proxy(t: Any) -> None:
    if hasattr(t, "tracer"):
        from ._user_code import _user_line
        from .fx.proxy import TraceError

        raise TraceError(
            "torch.func takes a gradient of tensors, but a symbolic trace has no tensors while the function runs:\n"
            f"  {_user_line()}\n"
            "Use torch.jit.trace, whose graph has the gradient, or take the gradient of the traced function's result"
        )


def _input(t: Any) -> Any:
    _refuse_proxy(t)
    if not isinstance(t, _C.TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
    return t.view_as(t) if t.requires_grad else t.detach().requires_grad_()  # type: ignore[arg-type]


def _depends_on_other_leaves(t: Any, own: set[int]) -> bool:
    """Whether t depends on a tensor that requires grad, besides these leaves."""
    if t.is_leaf:
        return id(t) not in own
    seen: set[Any] = set()
    todo = [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in own:
            return True
        todo.extend(n for n, _ in node.next_functions)
    return False


def _outside(value: Any, inputs: list[Any]) -> Any:
    """The results for the caller. A result that depends on no other leaves than the transform's own is detached."""
    own = {id(t) for t in inputs if t.is_leaf}

    def plain(t: Any) -> Any:
        if not isinstance(t, _C.TensorBase) or not t.requires_grad:
            return t
        return t if _depends_on_other_leaves(t, own) else t.detach()

    return tree_map(plain, value)


def _chosen(argnums: int | tuple[int, ...], count: int) -> list[int]:
    """The indices, counted from 0, of the arguments that `argnums` chooses. Raises RuntimeError if it is not valid."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if argnums == ():
        raise RuntimeError("argnums must be non-empty")
    places = []
    for n in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(n, int):
            raise RuntimeError(f"argnums elements must be int, got {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
        places.append(n % count)
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return places


class _CallOnNewTensors:
    """Calls a function with new tensors in place of those in some of its arguments, and computes gradients with respect to them."""

    def __init__(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], argnums: int | tuple[int, ...]):
        places = _chosen(argnums, len(args))
        trees = [tree_map(_input, args[n]) for n in places]
        given = list(args)
        for n, tree in zip(places, trees):
            given[n] = tree
        self.inputs, self.spec = tree_flatten(tuple(trees) if isinstance(argnums, tuple) else trees[0])
        self.output = func(*given, **kwargs)

    def gradients(self, outputs: Sequence[Any], weights: Sequence[Any] | None) -> Any:
        """The gradients of the arguments, in their structure; zeros where no output depends on one."""
        pairs = [(t, w) for t, w in zip(outputs, weights or [None] * len(outputs)) if t.requires_grad]
        found: Sequence[Any] = [None] * len(self.inputs)
        if pairs:
            found = _gradients([t for t, _ in pairs], self.inputs, [w for _, w in pairs], create_graph=True, allow_unused=True)
        return tree_unflatten([t.new_zeros(t.shape) if g is None else g for g, t in zip(found, self.inputs)], self.spec)


def grad_and_value(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradients of `func` by its arguments `argnums`, and its value, a tensor without dims. With has_aux=True, `func` also gives something
    else, which stands beside the value.

    Args:
        func: a function of tensors to one number
        argnums: by which arguments to differentiate, a number or a tuple
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are

    >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            made = _CallOnNewTensors(func, args, kwargs, argnums)
            output, aux = made.output, None
            if has_aux:
                if not (isinstance(output, tuple) and len(output) == 2):
                    raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")
                output, aux = output
            if not isinstance(output, _C.TensorBase):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe you wanted to use the vjp or "
                    "jacrev APIs instead?"
                )
            found = made.gradients([output], None)
        return _outside((found, (output, aux) if has_aux else output), made.inputs)

    return call


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradients of `func`, whose result is a tensor without dims, by its arguments `argnums`.

    Args:
        func: a function of tensors to one number
        argnums: by which arguments to differentiate, a number or a tuple
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are

    >>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(0.0))
    tensor(-0.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return call


def _outputs(output: Any) -> list[Any]:
    leaves = tree_leaves(output)
    for t in leaves:
        if not isinstance(t, _C.TensorBase):
            raise RuntimeError(f"vjp(f, *primals): expected f(*primals) to return only tensors, got unsupported type {type(t)}")
        if not (t.is_floating_point() or t.is_complex()):
            raise RuntimeError(f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {t.dtype}")
    return leaves


def _with_aux(output: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError("vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The result of func(*primals), and a function that takes the gradient of the result and gives those of the primals.

    Args:
        func: a function of tensors to tensors
        primals: its inputs
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are

    >>> y, back = torch.func.vjp(lambda x: x * x, torch.tensor([1.0, 2.0]))
    >>> back(torch.tensor([1.0, 10.0]))
    (tensor([ 2., 40.]),)
    """
    with enable_grad():
        made = _CallOnNewTensors(func, primals, {}, tuple(range(len(primals)))) if primals else None
        output, aux = _with_aux(func() if made is None else made.output, has_aux)
        leaves = _outputs(output)
    spec = tree_flatten(output)[1]

    def back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        weights, given = tree_flatten(cotangents)
        if given != spec:
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. cotangents: {given}, primal output: {spec}"
            )
        for i, (w, t) in enumerate(zip(weights, leaves)):
            if w.shape != t.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {w.shape} and output[{i}] has a shape of {t.shape}."
                )
        if made is None:
            return ()
        with enable_grad():
            return _outside(made.gradients(leaves, weights), made.inputs)

    shown = _outside((output, aux), made.inputs if made else [])
    return (shown[0], back, shown[1]) if has_aux else (shown[0], back)


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that gives the derivatives of each element of the result of `func` by each element of its arguments `argnums`: tensors whose sizes are those of the
    result, then those of the argument. They are computed row by row; `chunk_size` changes nothing.

    Args:
        func: a function of tensors to tensors
        argnums: by which arguments to differentiate, a number or a tuple
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are
        chunk_size: how many rows are computed at once; None: all

    >>> torch.func.jacrev(torch.sin)(torch.tensor([0.0, 0.0]))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            made = _CallOnNewTensors(func, args, kwargs, argnums)
            output, aux = _with_aux(made.output, has_aux)
            leaves, spec = _outputs(output), tree_flatten(output)[1]
            found = _outside((tree_unflatten([_rows(made, t) for t in leaves], spec), aux), made.inputs)
        return found if has_aux else found[0]

    return call


def _rows(made: _CallOnNewTensors, output: Any) -> Any:
    """The derivatives of each element of one result, in the structure of the arguments."""
    from . import _VF

    rows = []
    for k in range(output.numel()):
        weight = _VF.zeros([output.numel()], dtype=output.dtype)
        weight[k] = 1
        rows.append(tree_leaves(made.gradients([output], [weight.reshape(output.shape)])))
    columns = [
        _VF.stack([row[i] for row in rows]).reshape([*output.shape, *t.shape]) if rows else t.new_zeros([*output.shape, *t.shape])
        for i, t in enumerate(made.inputs)
    ]
    return tree_unflatten(columns, made.spec)


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of `func` by its arguments `argnums`.

    Args:
        func: a function of tensors to tensors
        argnums: by which arguments to differentiate, a number or a tuple

    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Callable[..., Any]:
    """The derivatives that jacrev gives. Here it computes them as jacrev does, by rows.

    Args:
        func: a function of tensors to tensors
        argnums: by which arguments to differentiate, a number or a tuple
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are
        chunk_size: how many columns are computed at once; None: all
        randomness: what random operators do: "error", "same" or "different"

    >>> torch.func.jacfwd(torch.sin)(torch.tensor([0.0, 0.0]))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return jacrev(func, argnums, has_aux=has_aux, chunk_size=chunk_size)


class _Linear:
    """The linear map from tangents to changes of the results, at given primals. vjp is linear in the gradient that it is given, so the gradient of vjp with
    respect to that gradient is this map."""

    def __init__(self, func: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool):
        with enable_grad():
            self.made = _CallOnNewTensors(func, primals, {}, tuple(range(len(primals))))
            output, self.aux = _with_aux(self.made.output, has_aux)
            self.leaves, self.spec = _outputs(output), tree_flatten(output)[1]
            self.weights = [t.new_zeros(t.shape).requires_grad_() if t.requires_grad else None for t in self.leaves]
            self.inputs = self.made.inputs
            self.found: Sequence[Any] = [None] * len(self.inputs)
            if self.flowing():
                pairs = [(t, w) for t, w in zip(self.leaves, self.weights) if w is not None]
                self.found = _gradients([t for t, _ in pairs], self.inputs, [w for _, w in pairs], create_graph=True, allow_unused=True)
        self.output = output

    def flowing(self) -> list[Any]:
        return [w for w in self.weights if w is not None]

    def at(self, tangents: Sequence[Any]) -> Any:
        pairs = [(g, t) for g, t in zip(self.found, tangents) if g is not None and g.requires_grad]
        moved: Iterator[Any] = iter(())
        if pairs:
            with enable_grad():
                moved = iter(_gradients([g for g, _ in pairs], self.flowing(), [t for _, t in pairs], create_graph=True, allow_unused=True))
        results = []
        for t, w in zip(self.leaves, self.weights):
            step = next(moved, None) if w is not None else None
            results.append(t.new_zeros(t.shape) if step is None else step)
        return _outside(tree_unflatten(results, self.spec), [*self.inputs, *self.flowing()])


def _checked_tangents(name: str, primals: Any, tangents: Any) -> list[Any]:
    flat, spec = tree_flatten(primals)
    given, given_spec = tree_flatten(tangents)
    if given_spec != spec:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 tensors, tangents also must be. Got "
            f"primals with structure {spec} and tangents with structure {given_spec}"
        )
    for what, leaves in (("primals", flat), ("tangents", given)):
        if not leaves:
            raise RuntimeError(f"{name}: Expected {what} to contain at least one Tensor.")
        for t in leaves:
            _refuse_proxy(t)
            if not isinstance(t, _C.TensorBase):
                raise RuntimeError(f"{name}: Expected {what} to contain only tensors, got unsupported type {type(t)}.")
    for i, (t, x) in enumerate(zip(given, flat)):
        if t.shape != x.shape:
            raise RuntimeError(f"{name}: Expected a tangent of the size of its primal, but tangent {i} has the size {list(t.shape)} and its primal {list(x.shape)}")
    return given


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple[Any, ...]:
    """The result of func(*primals), and the product of its Jacobian with the tangents. It is computed as the gradient of a gradient.

    Args:
        func: a function of tensors to tensors
        primals: a tuple of its inputs
        tangents: the vector, a tuple of tensors of the same shapes
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros
        has_aux: whether the function returns a pair of its result and other values, which are handed on as they are

    >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    given = _checked_tangents("jvp(f, primals, tangents)", primals, tangents)
    linear = _Linear(func, primals, has_aux)
    moved = linear.at(given)
    shown, aux = _outside((linear.output, linear.aux), linear.inputs)
    return (shown, moved, aux) if has_aux else (shown, moved)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The result of func(*primals), and a function that takes tangents and returns the Jacobian's product with them: jvp, but `func` is called only once.

    Args:
        func: a function of tensors to tensors
        primals: its inputs

    >>> y, move = torch.func.linearize(torch.sin, torch.tensor(0.0))
    >>> move(torch.tensor(2.0))
    tensor(2.)
    """
    linear = _Linear(func, primals, False)

    def move(*tangents: Any) -> Any:
        return linear.at(_checked_tangents("linearize", primals, tangents))

    return _outside(linear.output, linear.inputs), move


# ---- ensembles ----


def stack_module_state(models: Sequence[Module] | Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one class, each stacked along a new first dim: for vmap over functional_call.

    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 3) for _ in range(4)])
    >>> parameters["weight"].shape
    torch.Size([4, 3, 2])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(tables: list[dict[str, Any]]) -> dict[str, Any]:
        return {name: _stacked_leaf([table[name] for table in tables], name) for name in tables[0]}

    return stacked([dict(m.named_parameters()) for m in models]), stacked([dict(m.named_buffers()) for m in models])


def _stacked_leaf(tensors: list[Any], name: str) -> Any:
    from . import _VF

    if len({t.requires_grad for t in tensors}) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    made = _VF.stack([t.detach() for t in tensors])
    return made.requires_grad_() if tensors[0].requires_grad else made


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Takes the running statistics away from all batch norms of a module, so that none is written in a call. Returns the module.

    >>> net = torch.func.replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(2)))
    >>> net[0].running_mean is None
    True
    """
    from .nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
