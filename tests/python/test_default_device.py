"""Where functions make tensors if a call names no device: `with torch.device(...)` and set_default_device. The rules were compared with PyTorch's."""

import threading

import monograph as torch
import pytest
from monograph import nn

MADE = [
    "torch.tensor([1.0, 2.0])", "torch.as_tensor([1])", "torch.as_tensor(cpu)", "torch.asarray([1, 2])", "torch.arange(3)", "torch.randn(2, 3)", "torch.randperm(4)",
    "torch.eye(2)", "torch.full((2,), 1.0)", "torch.hann_window(4)", "torch.linspace(0, 1, 3)", "torch.tril_indices(3, 3)", "torch.scalar_tensor(1.0)",
    "torch.fft.fftfreq(4)", "torch.empty_strided((2,), (1,))", "torch.zeros(2, device=None)", "torch.zeros(2, 3).sum(0)",
]  # fmt: skip
STAYS = [
    "torch.zeros(2, device='cpu')", "torch.ones_like(cpu)", "cpu.new_zeros(2)", "torch.FloatTensor(2)", "torch.FloatTensor([1.0])", "torch.zeros(3, out=cpu.clone())",
    "torch.from_numpy(cpu.numpy())", "torch.normal(0.0, 1.0, (2,))",
]  # fmt: skip


@pytest.mark.parametrize("call", MADE)
def test_a_call_without_a_device_uses_the_default(call: str) -> None:
    names = {"torch": torch, "cpu": torch.ones(3)}
    with torch.device("meta"):
        assert eval(call, names).device.type == "meta"
    assert eval(call, names).device.type == "cpu"


@pytest.mark.parametrize("call", STAYS)
def test_what_names_its_device_or_has_one_stays_there(call: str) -> None:
    names = {"torch": torch, "cpu": torch.ones(3)}
    with torch.device("meta"):
        assert eval(call, names).device.type == "cpu"


def test_blocks_nest_and_end_with_an_error() -> None:
    torch.set_default_device("meta")
    try:
        assert torch.get_default_device() == torch.device("meta") == torch.ones(1).device
        with torch.device("cpu"):
            assert torch.get_default_device() == torch.device("cpu") == torch.ones(1).device
        assert torch.ones(1).is_meta
    finally:
        torch.set_default_device(None)
    with pytest.raises(ValueError), torch.device("meta"):
        raise ValueError
    assert not torch.ones(1).is_meta


def test_the_default_belongs_to_a_thread() -> None:
    seen: list[str] = []
    with torch.device("meta"):
        thread = threading.Thread(target=lambda: seen.append(torch.ones(1).device.type))
        thread.start()
        thread.join()
    assert seen == ["cpu"]


def test_layers_are_made_on_meta_and_filled_later() -> None:
    with torch.device("meta"):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.LSTM(4, 4), nn.TransformerEncoderLayer(8, 2), nn.Embedding(3, 4))
    assert all(t.is_meta for t in model.state_dict().values())
    with torch.device("meta"):
        layer = nn.Linear(2, 3)
    whole = nn.Linear(2, 3)
    layer.load_state_dict(whole.state_dict(), assign=True)
    x = torch.randn(4, 2)
    assert layer(x).equal(whole(x))


def test_captures_take_the_device_of_the_block() -> None:
    def program(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.device("meta"):
            y = torch.ones(2)
        return x + 1, y

    x = torch.zeros(2)
    for captured in (torch.jit.trace(program, x), torch.fx.symbolic_trace(program), torch.compile(program, backend="eager")):
        first, second = captured(x)
        assert first.equal(torch.ones(2)) and second.is_meta and second.shape == (2,)


def test_a_compiled_function_is_captured_anew_for_another_device() -> None:
    @torch.compile(backend="eager")
    def made(n: int) -> torch.Tensor:
        return torch.ones(n)

    assert made(2).device.type == "cpu"
    with torch.device("meta"):
        assert made(2).device.type == "meta"
    assert made(2).equal(torch.ones(2))


def test_a_graph_module_of_many_lines_follows_the_device() -> None:
    def program(x: torch.Tensor) -> list[torch.Tensor]:
        for _ in range(20):  # long enough to run as a plan
            x = torch.relu(x) + 1
        return [x, torch.ones(2)]

    module = torch.fx.symbolic_trace(program)
    for _ in range(2):
        assert module(torch.ones(2))[1].device.type == "cpu"
        with torch.device("meta"):
            assert module(torch.ones(2, device="cpu"))[1].device.type == "meta"


def test_no_other_device_is_the_default() -> None:
    with pytest.raises(NotImplementedError, match="runs on the CPU"):
        torch.set_default_device("cuda")
