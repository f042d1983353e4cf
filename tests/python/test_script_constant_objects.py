"""Scripts that read objects of Python which no graph has as values: the configuration of a model, dicts of functions, loggers; functions that are passed, returned and
chosen; results that are dataclasses and dicts at once. Results are those of the same program in Python."""

import collections
import dataclasses
import functools
import io
import logging
from collections.abc import Callable, MutableMapping
from typing import Any

import monograph as torch
import pytest
from monograph import nn

LOG = logging.getLogger(__name__)
x = torch.tensor([-1.0, 0.5, 2.0])


def both(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """What the scripted module gives, which is what the module gives, also out of a file."""
    wanted, scripted = module(*args, **kwargs), torch.jit.script(module)
    given = scripted(*args, **kwargs)
    assert torch.equal(given, wanted)
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    assert torch.equal(torch.jit.load(file)(*args, **kwargs), wanted)
    return given


# --- Functions as values.


def applied(f: Callable[[torch.Tensor], torch.Tensor], value: torch.Tensor) -> torch.Tensor:
    k = 100.0  # no k of f
    return f(value) + 0 * k


def test_a_function_that_is_passed_sees_the_names_of_where_it_stands():
    def program(value: torch.Tensor) -> torch.Tensor:
        k = 2.0

        def doubled(y: torch.Tensor) -> torch.Tensor:
            return y * k

        return applied(doubled, value) + applied(lambda y: y - k, value)

    assert torch.equal(torch.jit.script(program)(x), program(x))


def shifted_by(k: float) -> Callable:
    def shifted(y: torch.Tensor) -> torch.Tensor:
        return y + k

    return shifted


def all_of(*functions: Callable) -> Callable:
    def every(y: torch.Tensor) -> torch.Tensor:
        for f in functions:
            y = f(y)
        return y

    return every


def test_a_function_that_is_returned_keeps_what_it_sees():
    def program(value: torch.Tensor) -> torch.Tensor:
        return all_of(shifted_by(1.0), all_of(torch.relu, shifted_by(2.0)))(value)

    assert torch.equal(torch.jit.script(program)(x), program(x))


def test_a_branch_that_chooses_a_function():
    def program(value: torch.Tensor, shift: torch.Tensor | None = None) -> torch.Tensor:
        f = torch.relu_like if False else shifted_by(1.0)
        if shift is not None:
            f = all_of(f, shifted_by(10.0))
        value = f(value)
        return value * 2

    scripted = torch.jit.script(program)
    assert torch.equal(scripted(x), program(x)) and torch.equal(scripted(x, x), program(x, x))


# --- Objects.


class Base:
    names = {"width": "size"}

    def __getattribute__(self, key: str) -> Any:
        names = super().__getattribute__("names")
        return super().__getattribute__(names.get(key, key))


class Config(Base):
    def __init__(self, size: int = 3, act: str = "relu", **rest: Any):
        self.size, self.act, self.scales = size, act, [1.0, 2.0]
        for name, value in rest.items():
            setattr(self, name, value)

    @property
    def doubled(self) -> int:
        return 2 * self.size

    def scale(self, value: torch.Tensor) -> torch.Tensor:
        return value * self.doubled


ACTS = {"relu": torch.relu, "tanh": torch.tanh, "shift": shifted_by}


class WithConfig(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        act: Callable = ACTS[self.config.act]
        if self.config.act in ACTS and "other" not in ACTS and ACTS.get("other") is None:
            value = act(value)
        if getattr(self.config, "missing", None) is None and not hasattr(self.config, "missing") and isinstance(self.config, Base):
            value = value + self.config.width
        LOG.warning("the width is %s", self.config.width)
        return self.config.scale(value)


def test_a_config_with_a_base_is_a_constant():
    both(WithConfig(Config()), x)
    both(WithConfig(Config(act="tanh", size=5)), x)


def test_a_config_that_changes_is_read_again():
    module = WithConfig(Config())
    scripted = torch.jit.script(module)
    assert torch.equal(scripted(x), module(x))
    module.config.size = 7
    assert torch.equal(scripted(x), module(x))
    module.config.act = "tanh"
    assert torch.equal(scripted(x), module(x))
    old = ACTS["tanh"]
    try:
        ACTS["tanh"] = torch.sigmoid
        assert torch.equal(scripted(x), module(x))
    finally:
        ACTS["tanh"] = old


class Interface(MutableMapping):
    __module__ = "transformers.utils.generic"  # it stands for a class of transformers, whose methods are known

    shared = {"a": shifted_by, "b": torch.relu}

    def __init__(self):
        self.own = {}

    def __getitem__(self, key):
        return self.own[key] if key in self.own else self.shared[key]

    def __setitem__(self, key, value):
        self.own[key] = value

    def __delitem__(self, key):
        del self.own[key]

    def __iter__(self):
        return iter({**self.shared, **self.own})

    def __len__(self):
        return len(list(iter(self)))

    def chosen(self, name: str, default: Callable) -> Callable:
        if name not in self and name != "none":
            raise KeyError(f"no {name}")
        return super().get(name, default)


FUNCTIONS = Interface()


class WithInterface(nn.Module):
    def __init__(self, name: str):
        super().__init__()
        self.name = name

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        f = FUNCTIONS.chosen(self.name, torch.tanh)
        return f(value) + len(FUNCTIONS)


def test_a_mapping_of_functions():
    module = WithInterface("b")
    scripted = torch.jit.script(module)
    assert torch.equal(scripted(x), module(x))
    assert torch.equal(torch.jit.script(WithInterface("none"))(x), torch.tanh(x) + 2)
    FUNCTIONS["b"] = torch.sigmoid
    try:
        assert torch.equal(scripted(x), module(x))
    finally:
        del FUNCTIONS["b"]


class Assigns(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config()

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        self.config.size = 4
        return value


class Appends(Assigns):
    def forward(self, value: torch.Tensor) -> torch.Tensor:
        self.config.scales.append(1.0)
        return value


ITEMS = [1, 2]


class AppendsToGlobal(nn.Module):
    def forward(self, value: torch.Tensor) -> torch.Tensor:
        ITEMS.append(3)
        return value * len(ITEMS)


@pytest.mark.parametrize(("module", "says"), [(Assigns(), "constant"), (Appends(), "constant"), (AppendsToGlobal(), "a write to 'ITEMS'")])
def test_a_write_to_a_constant_is_refused(module: nn.Module, says: str):
    with pytest.raises(RuntimeError, match=says):
        torch.jit.script(module)(x)


# --- Imports, and try where nothing can raise.


def is_compiling() -> bool:
    try:
        import monograph

        return monograph.compiler.is_compiling()
    except Exception:
        return True


def test_an_import_in_a_function():
    def program(value: torch.Tensor) -> torch.Tensor:
        from math import sqrt

        import monograph.nn.functional as functional

        if is_compiling():
            return value
        return functional.relu(value) * sqrt(4.0)

    assert torch.equal(torch.jit.script(program)(x), program(x))


def test_a_try_that_may_raise_is_refused():
    def program(value: torch.Tensor) -> torch.Tensor:
        try:
            return value.view(5)
        except RuntimeError:
            return value

    with pytest.raises(RuntimeError, match="try with except is not supported"):
        torch.jit.script(program)


# --- What may be None.


class Inputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(
        self, ids: torch.Tensor | None = None, embedded: torch.Tensor | None = None, twice: bool | None = None, cache: Interface | None = None
    ) -> tuple:
        if (ids is None) ^ (embedded is not None):
            raise ValueError("give one of both")
        if embedded is None:
            embedded = self.inner(ids)
        if twice:
            embedded = embedded * 2
        if cache is not None:
            embedded = cache.update(embedded)
        return embedded, embedded.shape[0]


def test_one_of_two_inputs():
    module = Inputs()
    scripted = torch.jit.script(module)
    for kwargs in ({"ids": x}, {"embedded": x}, {"ids": x, "twice": True}, {"embedded": x, "twice": False}):
        given, wanted = scripted(**kwargs), module(**kwargs)
        assert torch.equal(given[0], wanted[0]) and given[1] == wanted[1]
    with pytest.raises(Exception, match="give one of both"):
        scripted()
    with pytest.raises(Exception, match="give one of both"):
        scripted(ids=x, embedded=x)
    with pytest.raises((RuntimeError, TypeError), match="cache"):
        scripted(ids=x, cache=3)


class Needs(nn.Module):
    def forward(self, value: torch.Tensor | None = None) -> torch.Tensor:
        return torch.relu(value) + value.shape[0]


def test_what_may_be_none_raises_where_it_is_used():
    both(Needs(), x)
    with pytest.raises(Exception, match="'value' is None here"):
        torch.jit.script(Needs())()


# --- Records.


class Output(collections.OrderedDict):
    __module__ = "transformers.utils.generic"

    def __post_init__(self):
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)

    def __getitem__(self, k):
        return dict(self.items())[k] if isinstance(k, str) else self.to_tuple()[k]

    def to_tuple(self):
        return tuple(self[k] for k in self.keys())


@dataclasses.dataclass
class Result(Output):
    loss: torch.Tensor | None = None
    last: torch.Tensor | None = None
    states: tuple | None = None


class Inner(nn.Module):
    def forward(self, value: torch.Tensor, **kwargs: Any) -> Result:
        return Result(last=value * 2)


class Records(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, value: torch.Tensor, return_dict: bool | None = None) -> Result:
        inner: Result = self.inner(value, flag=True)
        if "loss" in inner or isinstance(inner, tuple) or not isinstance(inner, Output):
            return Result(last=value)
        return Result(last=inner[0] + inner.last + inner["last"] + len(inner) + inner.to_tuple()[0], states=(value,) + inner[:1])


def test_a_result_that_is_a_dataclass_and_a_dict():
    module = Records()
    scripted = torch.jit.script(module)
    given, wanted = scripted(x), module(x)
    assert type(given) is Result and list(given) == list(wanted) == ["last", "states"]
    assert torch.equal(given[0], wanted[0]) and torch.equal(given.states[1], wanted.states[1]) and given.loss is None
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    loaded = torch.jit.load(file)(x)
    assert torch.equal(loaded.last, wanted.last) and torch.equal(loaded.states[1], wanted.states[1])


@functools.lru_cache
def cached() -> bool:
    return any(k > 3 for k in {1, 2})


def test_a_cached_answer_without_arguments():
    def program(value: torch.Tensor) -> torch.Tensor:
        return value if cached() else value + 1

    assert torch.equal(torch.jit.script(program)(x), program(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_limits_of_a_dtype(dtype: torch.dtype):
    def program(value: torch.Tensor) -> list[float]:
        info = torch.finfo(value.dtype)
        return [info.min, info.max, info.eps, info.tiny, info.smallest_normal, info.resolution, float(info.bits), torch.finfo(torch.float32).min]

    value = x.to(dtype)
    assert torch.jit.script(program)(value) == program(value)


class Flags(nn.Module):
    def forward(self, value: torch.Tensor, cache: list[torch.Tensor] | None = None, flag: bool | None = None) -> torch.Tensor:
        length = cache.get_length() if cache is not None else 2
        packed = None
        if value.shape[0] > 2:
            packed = value
        if flag is True:
            value = value * 10
        options = {}
        if value.sum() > 100:
            options["min"] = 0.0
        else:
            options["max"] = 1.0
        value = torch.clamp(value, **options)
        if packed is not None and not hasattr(packed, "nothing") and getattr(None, "x", 1) == 1:
            value = value + packed
        return value + length


@pytest.mark.parametrize("flag", [None, True, False])
def test_branches_that_inputs_choose(flag: bool | None):
    for value in (x, x[:2], x * 100):
        both(Flags(), value, flag=flag)
    with pytest.raises(Exception, match="this branch was not compiled"):
        torch.jit.script(Flags())(x, cache=[x])
