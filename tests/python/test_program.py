"""Graph.build(): a Program gives what its graph gives, and counts its kernels."""

import subprocess
import sys
import threading

import monograph as torch
import pytest


def chain(x, y):
    return torch.tanh(torch.sigmoid(x * y + 1.0) * torch.exp(-x)) - y


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_a_program_has_the_bits_of_its_graph(dtype):
    x, y = torch.randn(64, 33).to(dtype), torch.randn(64, 33).to(dtype)
    graph = torch.jit.trace(chain, (x, y)).graph
    program = graph.build()
    assert program.report() == {"kernels": 1, "fused": 8, "calls": 0, "why": ""}
    for a, b in [(x, y), (x.t(), y.t()), (x[:, ::2], y[:, ::2]), (x, y[:1]), (x, y[:, :1]), (x[:0], y[:0])]:
        assert torch.equal(program(a, b), graph(a, b))


def test_a_gradient_flows_through_a_program():
    x, y = torch.randn(5), torch.randn(5)
    program = torch.jit.trace(chain, (x, y)).graph.build()
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    program(a, y).sum().backward()
    chain(b, y).sum().backward()
    assert torch.equal(a.grad, b.grad)


def test_an_edit_of_the_graph_does_not_change_its_program():
    x, y = torch.randn(5), torch.randn(5)
    graph = torch.jit.trace(chain, (x, y)).graph
    program, before = graph.build(), graph(x, y)
    graph.output_node().args = (next(iter(graph.nodes)),)
    assert torch.equal(program(x, y), before)


def test_threads_share_a_program():
    x, y = torch.randn(50_000), torch.randn(50_000)
    graph = torch.jit.trace(chain, (x, y)).graph
    program, want, equal = graph.build(), graph(x, y), []
    threads = [threading.Thread(target=lambda: equal.append(all(torch.equal(program(x, y), want) for _ in range(20)))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert equal == [True] * 4


def test_inputs_stand_by_position():
    program = torch.jit.trace(chain, (torch.randn(2), torch.randn(2))).graph.build()
    with pytest.raises(TypeError, match="by position"):
        program(x=torch.randn(2), y=torch.randn(2))
    with pytest.raises(TypeError, match="missing the input 'y'"):
        program(torch.randn(2))


def test_a_graph_loaded_before_any_capture_knows_its_operators(tmp_path):
    graph = torch.jit.trace(chain, (torch.randn(2), torch.randn(2))).graph
    graph.save(tmp_path / "g.mgraph")
    code = "import sys, monograph; print(monograph.load_graph(sys.argv[1]).hash())"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "g.mgraph"], capture_output=True, text=True)
    assert done.stdout.strip() == graph.hash(), done.stderr
