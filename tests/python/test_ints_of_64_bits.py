"""Ints of a captured program: what does not fit into 64 bits raises, where Python's int goes on. And where Python takes numbers of a graph for keys, indices and bytes."""

import json

import monograph as torch
import pytest

PROGRAMS = {
    "power": lambda x: x * (x.shape[0] ** 40 % 7),
    "product": lambda x: x * (x.shape[0] * 2**61 % 7),
    "sum": lambda x: x * ((x.shape[0] * 2**61 + 2**62) % 7),
    "difference": lambda x: x * ((-x.shape[0] * 2**61 - 2**62) % 7),
    "large": lambda x: x * (x.shape[0] * 10**18 % 7),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("how", ["trace", "compile", "symbolic"])
def test_another_value_is_never_given(how, name):
    f, small = PROGRAMS[name], torch.ones(1)
    captured = torch.jit.trace(f, small) if how == "trace" else torch.compile(f) if how == "compile" else torch.fx.symbolic_trace(f)
    raised = 0
    for n in (1, 2, 3, 10, 30):
        x = torch.ones(n)
        try:
            found = captured(x).tolist()
        except (ValueError, RuntimeError) as error:
            assert "64 bits" in str(error)
            raised += 1
            continue
        assert found == f(x).tolist()
    assert raised or how != "trace"


@pytest.mark.parametrize("exponent, base", [(62, 2), (39, 3), (63, -2), (0, 5), (1, 7), (4000, 1), (4001, -1), (9, 0)])
def test_powers_that_fit(exponent, base):
    traced = torch.jit.trace(lambda x: x.long() * 0 + (x.shape[0] - 3 + base) ** exponent, torch.ones(3))
    assert traced(torch.ones(3)).tolist() == [base**exponent] * 3


def test_a_script_goes_on_with_the_lowest_64_bits():
    @torch.jit.script
    def f(a: int) -> int:
        return a * 3

    assert f(2**62) == (3 * 2**62 + 2**63) % 2**64 - 2**63


def test_keys_of_dicts_are_pythons_numbers():
    traced = torch.jit.trace(lambda x: {x.shape[0]: x}, torch.ones(3), strict=False, check_trace=False)
    (key,) = traced(torch.ones(3))
    assert type(key) is int and json.dumps({key: 1}) == '{"3": 1}'


def test_bytes_are_no_result_of_a_trace():
    with pytest.raises(ValueError, match=f"{__file__}.* returns bytes"):
        torch.jit.trace(lambda x: bytes(x.shape[0]), torch.ones(3), strict=False, check_trace=False)


def test_a_bool_of_the_graph_is_an_index():
    def f(x):
        return [x, -x][x.sum() > 0]

    x = torch.ones(3)
    traced, compiled = torch.jit.trace(f, x, check_trace=False), torch.compile(f)
    assert traced(x).tolist() == f(x).tolist()
    with pytest.raises(RuntimeError, match=__file__):
        traced(-x)
    assert [compiled(v).tolist() for v in (x, -x, x)] == [f(v).tolist() for v in (x, -x, x)]


def test_a_region_whose_function_raises_goes():
    def no(x):
        raise ValueError("no")

    def branch(x):
        try:
            y = torch.cond(x.sum() > 0, lambda x: x * 2, no, (x,))
        except ValueError:
            y = x * 5
        return y + 1

    def loop(x):
        try:
            (y,) = torch.while_loop(lambda x: x.sum() < 5, lambda x: no(x * 2), (x,))
        except ValueError:
            y = x * 5
        return y + 1

    for f in (branch, loop):
        traced = torch.jit.trace(f, torch.ones(2), check_trace=False)
        assert not any("If" in str(n.target) or "Loop" in str(n.target) for n in traced.inlined_graph.nodes)
        assert traced(torch.ones(2)).tolist() == [6.0, 6.0]
