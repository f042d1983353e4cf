"""What networks in floating point name of quantization: FloatFunctional, QuantStub, DeQuantStub."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph import ao, fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = ao.quantization.QuantStub(), ao.quantization.DeQuantStub()
        self.skip, self.join = nn.quantized.FloatFunctional(), ao.nn.quantized.FXFloatFunctional()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        y = self.quant(x)
        z = self.skip.add(self.linear(y), y)
        z = self.skip.cat([z, y], dim=1)
        z = self.skip.mul_scalar(self.skip.add_scalar(self.skip.mul(z, z), 2.0), 3.0)
        z = self.join.add_relu(z, z)
        return self.dequant(self.skip.matmul(z, z.t()))


def expected(net, x):
    z = torch.cat([net.linear(x) + x, x], dim=1)
    z = torch.relu(2 * ((z * z + 2) * 3))
    return z @ z.t()


def test_results_are_those_of_the_functions():
    net, x = Net(), torch.randn(2, 3)
    for call in (net, fx.symbolic_trace(net), torch.jit.trace(net, x), torch.jit.script(net), ao.quantization.QuantWrapper(net)):
        assert torch.allclose(call(x), expected(net, x), rtol=1e-6)


def test_an_observer_sees_the_results():
    seen = []
    net = Net()
    net.skip.activation_post_process.register_forward_hook(lambda module, args, out: seen.append(out.shape))
    net(torch.randn(2, 3))
    assert seen == [(2, 3), (2, 6), (2, 6), (2, 2)]


def test_a_symbolic_trace_keeps_the_observer():
    graph = fx.symbolic_trace(Net()).graph
    assert [n.target for n in graph.nodes if n.op == "call_module"] == ["linear", *["skip.activation_post_process"] * 4]
    assert all("skip.activation_post_process" not in name for name in Net().state_dict())


def test_a_call_of_the_module_itself_is_an_error():
    with pytest.raises(RuntimeError, match="call one of its functions"):
        nn.quantized.FloatFunctional()(torch.ones(1))


def test_classes_are_the_same_in_all_places():
    assert nn.quantized.FloatFunctional is ao.nn.quantized.FloatFunctional is ao.nn.quantized.modules.functional_modules.FloatFunctional
    stub = ao.quantization.QuantStub(qconfig="any")
    assert stub.qconfig == "any" and not hasattr(ao.quantization.QuantStub(), "qconfig")
    with pytest.raises(AttributeError, match="it is not in Monograph yet"):
        _ = ao.quantization.quantize_dynamic
