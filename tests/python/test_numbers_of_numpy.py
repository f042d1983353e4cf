"""Functions of NumPy with sizes and items in a captured function: the program sees NumPy's numbers, as it does without a capture."""

import monograph as torch
import pytest

np = pytest.importorskip("numpy")


def seen(value):
    return (str(value.dtype), value.tolist()) if isinstance(value, torch.Tensor) else value


PROGRAMS = {
    "tensor": lambda x: torch.tensor(np.floor(x.shape[0] / 2)),
    "tensor of root": lambda x: torch.tensor(np.sqrt(x.shape[0])),
    "tensor of list": lambda x: torch.tensor([np.sqrt(x.shape[0]), 1]),
    "tensor of product": lambda x: torch.tensor(np.prod(x.shape) * 0.5),
    "int tensor": lambda x: x.long() * np.floor(x.shape[0] / 2),
    "item": lambda x: x.long() + np.floor(x.sum().item()),
    "ceil": lambda x: torch.full((2,), np.ceil(x.shape[0] / 2)),
    "product": lambda x: x.long() * np.prod(x.shape),
    "root": lambda x: x / np.sqrt(x.shape[0]),
    "slice": lambda x: x.repeat(2)[: int(np.floor(x.shape[0] / 2))],
    "float": lambda x: torch.tensor(float(np.sqrt(x.shape[0]))),
    "is float": lambda x: x * 2 if isinstance(np.floor(x.shape[0] / 2), float) else x,
    "is integer": lambda x: x * 2 if isinstance(np.prod(x.shape), np.integer) else x,
    "is int": lambda x: x * 2 if isinstance(np.prod(x.shape), int) else x,
    "type": lambda x: x * 2 if type(np.sqrt(x.shape[0])) is np.float64 else x,
    "dtype": lambda x: x * 2 if np.floor(x.shape[0] / 2).dtype == np.float64 else x,
    "its item": lambda x: x.long() * np.prod(x.shape).item(),
    "array": lambda x: x * float(np.array(x.shape)[0]),
    "int64": lambda x: x.long() * np.int64(len(x)),
    "arange": lambda x: x * float(np.arange(x.shape[0]).sum()),
    "sum": lambda x: x.long() * np.sum(x.shape),
    "text": lambda x: x * len(f"{np.floor(x.shape[0] / 2)}"),
    "repr": lambda x: x * len(repr(np.floor(x.shape[0] / 2))),
    "branch": lambda x: torch.tensor(np.sqrt(x.shape[0]) if x.sum() > 0 else 2.0),
}
HOW = {"trace": lambda f: torch.jit.trace(f, torch.ones(3), check_trace=False), "compile": torch.compile, "symbolic": torch.fx.symbolic_trace}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("how", HOW)
def test_as_without_a_capture(how, name):
    f, right = PROGRAMS[name], 0
    try:
        captured = HOW[how](f)
    except (torch.fx.proxy.TraceError, RuntimeError, TypeError) as error:
        assert how == "symbolic" and __file__ in str(error)
        return
    for n in (3, 5, 3, 8):
        x = torch.arange(float(n))
        try:
            found = seen(captured(x))
        except RuntimeError as error:  # another size than the example's
            assert how != "compile" and __file__ in str(error)
            continue
        assert found == seen(f(x))
        right += 1
    assert right >= 2


@pytest.mark.parametrize("name", ["tensor", "tensor of root", "int tensor", "is float", "is integer", "text"])
def test_with_guards_too(name):
    traced, x = torch.jit.trace(PROGRAMS[name], torch.ones(3), check_trace=False, control_flow="guard"), torch.arange(3.0)
    assert seen(traced(x)) == seen(PROGRAMS[name](x))


@pytest.mark.parametrize("name", ["tensor", "tensor of root", "tensor of product", "int tensor", "ceil", "product", "root", "slice", "dtype", "sum", "is float"])
def test_sizes_stay_sizes(name):
    traced = torch.jit.trace(PROGRAMS[name], torch.ones(3), check_trace=False)
    for n in (3, 5, 8):
        x = torch.arange(float(n))
        assert seen(traced(x)) == seen(PROGRAMS[name](x))


def test_a_number_of_numpys_is_no_result_of_a_trace():
    with pytest.raises(ValueError, match=f"{__file__}.* returns a number of NumPy's"):
        torch.jit.trace(lambda x: np.prod(x.shape), torch.ones(3), check_trace=False)
    compiled = torch.compile(lambda x: np.prod(x.shape))
    assert [type(compiled(torch.ones(n))) for n in (3, 5)] == [np.int64] * 2
