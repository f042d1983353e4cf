"""The random numbers of the process: torch.manual_seed and its relatives. The stream is PyTorch's, bit for bit (docs/numerics.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _C

if TYPE_CHECKING:
    from ._tensor import Tensor


def manual_seed(seed: int) -> _C.Generator:
    """Restarts the stream of the default generator, and answers the generator."""
    hook = _C._capture_hook()
    if hook is not None and hasattr(hook, "create_proxy"):  # a trace records it
        raise RuntimeError("manual_seed() in a function that is traced symbolically: the graph cannot record it. Call it before the function")
    try:
        number = int(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"manual_seed() takes a whole number, but got {seed!r}") from None
    return _C.default_generator.manual_seed(number)


def seed() -> int:
    """Restarts the stream of the default generator with a new random seed, and answers the seed."""
    return _C.default_generator.seed()


def initial_seed() -> int:
    """The seed with which the stream of the default generator began."""
    return _C.default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the default generator stands, as bytes for set_rng_state."""
    return _C.default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Sets the default generator to where get_rng_state found it."""
    _C.default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """A context after which the stream of random numbers goes on as if nothing had been drawn in it.

    devices: GPUs whose streams are kept too; there is none, so a GPU among them raises AssertionError. enabled: False does nothing.

        >>> _ = torch.manual_seed(0)
        >>> with torch.random.fork_rng():
        ...     inside = torch.rand(1)
        >>> torch.equal(torch.rand(1), inside)
        True
    """
    if device_type == "meta" or not enabled:
        yield
        return
    for device in devices or ():
        if isinstance(device, int) or _C.device(device).type != "cpu":  # a number is that of a GPU
            raise AssertionError(f"{_caller}: Torch not compiled with CUDA enabled. Monograph runs on the CPU; leave {_devices_kw}= out")
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator() -> _C.Generator | None:
    """The generator of a worker that is a thread: None, as everywhere else."""
    return None
