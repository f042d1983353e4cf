"""Calls of scripts, loaded modules and traces with wrong arguments: a TypeError that is a RuntimeError too, with PyTorch's words in front. What PyTorch 2.13 takes for
a type is taken here."""

from __future__ import annotations

import io
import pickle
from typing import Dict, List, Optional, Tuple, Union

import monograph as torch
import pytest
from monograph import Tensor, nn

# ruff: noqa: UP006, UP007, UP035, UP045


@torch.jit.script
def f(x, n: int, s: str = "a", l: Optional[List[int]] = None):  # noqa: E741
    return x * n


class Net(nn.Module):
    def forward(self, x: Dict[str, Tensor], y: Tuple[int, Tensor], z: float = 1.0):
        return x["a"] * z

    @torch.jit.export
    def g(self, k: Union[int, str]) -> int:
        return 3


def loaded(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return torch.jit.load(file)


DECLARED = 'f(Tensor x, int n, str s="a", int[]? l=None) -> Tensor'


@pytest.mark.parametrize(("args", "kwargs", "words"), [
    ((), {}, f"f() is missing value for argument 'x'. Declaration: {DECLARED}\nf() is missing the input 'x' (number 1 of 4)\n"),
    ((1, 2), {}, f"f() Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'.\nPosition: 0\nValue: 1\nDeclaration: {DECLARED}\nInput 'x' must be a tensor"),
    ((torch.ones(1), 2.5), {}, f"f() Expected a value of type 'int' for argument 'n' but instead found type 'float'.\nPosition: 1\nValue: 2.5\nDeclaration: {DECLARED}\n"),
    ((torch.ones(1), 2, "a", None, 4), {}, f"f() expected at most 4 argument(s) but received 5 argument(s). Declaration: {DECLARED}\n"),
    ((torch.ones(1), 2), {"zz": 4}, f"Unknown keyword argument 'zz' for operator 'f'. Schema: {DECLARED}\n"),
    ((torch.ones(1), 2), {"n": 4}, f"Argument 'n' specified both as positional and keyword argument. Schema: {DECLARED}\n"),
    ((torch.ones(1), 2), {"l": [1.5]}, "f() Expected a value of type 'Optional[List[int]]' for argument 'l' but instead found type 'list'.\nPosition: 3\nValue: [1.5]\n"),
    ((torch.ones(1), None), {}, "f() Expected a value of type 'int' for argument 'n' but instead found type 'NoneType'.\n"),
])  # fmt: skip
def test_the_words_are_pytorchs(args, kwargs, words):
    with pytest.raises(RuntimeError) as caught:
        f(*args, **kwargs)
    assert isinstance(caught.value, TypeError) and str(caught.value).startswith(words)
    assert str(caught.value).count("Declaration:") + str(caught.value).count("Schema:") == 1
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, TypeError) and str(copy) == str(caught.value)


@pytest.mark.parametrize("make", [torch.jit.script, lambda net: loaded(torch.jit.script(net))])
def test_methods_count_self(make):
    m = make(Net())
    declared = "forward(__torch__."
    for args, words in [
        ((), "forward() is missing value for argument 'x'. Declaration: "),
        (({"a": 1}, (1, torch.ones(1))), "forward() Expected a value of type 'Dict[str, Tensor]' for argument 'x' but instead found type 'dict'.\nPosition: 1\nValue: {'a': 1}\n"),
        (({"a": torch.ones(1)}, (1, 2)), "forward() Expected a value of type 'Tuple[int, Tensor]' for argument 'y' but instead found type 'tuple'.\nPosition: 2\n"),
        (({"a": torch.ones(1)}, (1,)), "forward() Expected a value of type 'Tuple[int, Tensor]' for argument 'y'"),
        (({1: torch.ones(1)}, (1, torch.ones(1))), "forward() Expected a value of type 'Dict[str, Tensor]' for argument 'x'"),
        (({}, (1, torch.ones(1)), 1.0, 2), "forward() expected at most 4 argument(s) but received 5 argument(s). Declaration: "),
    ]:
        with pytest.raises(RuntimeError) as caught:
            m(*args)
        assert str(caught.value).startswith(words) and declared in str(caught.value)
    for given in (2.5, None, torch.ones(2)):
        with pytest.raises(RuntimeError, match=r"g\(\) Expected a value of type"):
            m.g(given)
    assert m.g(2) == m.g("a") == 3


def test_traces():
    traced = torch.jit.trace(lambda x, y: x * y, (torch.ones(2), torch.ones(2)))
    with pytest.raises(RuntimeError, match=r"is missing value for argument 'y'. Declaration: .*\(Tensor x, Tensor y\) -> Tensor"):
        traced(torch.ones(2))
    with pytest.raises(RuntimeError, match=r"expected at most 2 argument\(s\) but received 3 argument\(s\)"):
        traced(torch.ones(2), torch.ones(2), torch.ones(2))
    with pytest.raises(RuntimeError, match="Unknown keyword argument 'a'"):
        traced(a=1)


def test_an_error_of_the_program_itself_keeps_its_words():
    @torch.jit.script
    def inner(x, n: int):
        if n > 1:
            raise TypeError("too many")
        return x

    with pytest.raises(TypeError) as caught:
        inner(torch.ones(1), 2)
    assert str(caught.value).startswith("too many") and "Declaration" not in str(caught.value)


def test_numbers_and_flags_stand_for_each_other():
    @torch.jit.script
    def numbers(x: bool, y: float = 1.0, z: int = 2):
        return x, y, z

    assert numbers(1, True, True) == (True, 1.0, 1) and numbers(0, 2, torch.tensor(3)) == (False, 2.0, 3) and numbers(2.5, torch.tensor(2.5)) == (True, 2.5, 2)
    assert type(numbers(1, True, True)[0]) is bool and type(numbers(1, True, True)[2]) is int
    for args in (("a",), (True, "a"), (True, None), (True, 1j), (True, 1.0, 1.0), (True, 1.0, torch.tensor([1, 2]))):
        with pytest.raises(RuntimeError, match="Expected a value of type"):
            numbers(*args)


def test_lists_hold_what_their_type_says():
    """A number, a tensor or a str stood for a list, and went through."""

    @torch.jit.script
    def lists(x: List[int], y: List[float], w: Optional[Dict[str, float]] = None, v: Optional[Tuple[float, int]] = None):
        return x, y, w, v

    assert lists((1, 2), [True]) == ([1, 2], [1.0], None, None) and lists([True, torch.tensor(1)], (1, 2)) == ([1, 1], [1.0, 2.0], None, None)
    assert lists([], [], {"a": 1}, (1, True)) == ([], [], {"a": 1.0}, (1.0, 1)) and lists([1], [], {}, None)[2] == {}
    for args in (([1.5], []), (torch.tensor([1, 2]), []), (torch.tensor(1), []), (3, []), ("ab", []), ({1: 2}, []), ([1], torch.ones(2)), ([1], [], {"a": "b"}), ([1], [], None, (1.5, 2.5))):
        with pytest.raises(RuntimeError, match="Expected a value of type"):
            lists(*args)
